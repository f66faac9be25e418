package bench

import (
	"fmt"
	"strings"
)

// Header is an Accept header with a short name.
type Header struct{ Name, Accept string }

// Headers are the Accept headers of the benchmarks: that of a plain client, that of kubectl, and
// one of ten clauses, most of which cannot be satisfied.
var Headers = []Header{
	{"plain", "application/json"},
	{"kubectl", "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json"},
	{"ten", strings.Repeat("text/html;q=0.9,", 8) + "application/yaml;q=0.5,application/json;q=0.1"},
}

// New returns 499 headers with the same meaning that differ in the weight of the last clause. An
// endpoint caches fewer, so each of them is a cache miss.
func (h Header) New() [][]string {
	out := make([][]string, 499)
	base := strings.TrimSuffix(h.Accept, ";q=0.1")
	for i := range out {
		out[i] = []string{fmt.Sprintf("%s;q=0.%03d", base, i+1)}
	}
	return out
}
