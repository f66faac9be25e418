package bench

import (
	"strconv"
	"strings"

	"github.com/askind/askind/serializer"
)

// Header is an Accept header under a short name.
type Header struct{ Name, Accept string }

// Headers are the Accept headers of the benchmarks: that of a plain client, that of kubectl, and
// one of ten clauses, most of which nothing can answer.
var Headers = []Header{
	{"plain", "application/json"},
	{"kubectl", "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json"},
	{"ten", strings.Repeat("text/html;q=0.9,", 8) + "application/yaml;q=0.5,application/json;q=0.1"},
}

// Offers returns 4,096 offers of a list of machines, more than a factory remembers. They differ in
// a profile that no header asks for, so that with each of them any header is a new one without
// being longer.
func Offers() []serializer.Offer {
	out := make([]serializer.Offer, 4096)
	for i := range out {
		out[i] = serializer.Offer{Kind: MachineListKind, Profiles: []string{strconv.Itoa(i)}}
	}
	return out
}
