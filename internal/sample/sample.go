// Package sample is what the tests of the formats share: reading documents as the kind of
// [samplev1].
package sample

import (
	"fmt"
	"testing"

	samplev1 "github.com/askind/askind/internal/sample/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/format"
)

// Kind is the kind Machine in a scheme of its own.
func Kind(tb testing.TB) *runtime.Kind {
	tb.Helper()
	s, err := runtime.NewScheme(samplev1.AddTo)
	if err != nil {
		tb.Fatal(err)
	}
	k, err := s.Kind(samplev1.GroupVersion.WithKind("Machine"))
	if err != nil {
		tb.Fatal(err)
	}
	return k
}

// Result is what came of one document: a machine, and the problems as they are and as text.
type Result struct {
	Machine  samplev1.Machine
	Problems []string
	Errs     []error
}

// DecodeAll reads every document as a machine, whatever it says it is. The problems name the file.
func DecodeAll(tb testing.TB, format *format.Format, file, data string, strict bool) []Result {
	tb.Helper()
	k := Kind(tb)
	var out []Result
	for doc, err := range format.Documents([]byte(data), schema.Limits{}) {
		var r Result
		if err != nil {
			r.add(err)
			out = append(out, r)
			continue
		}
		problems := doc.Decode(k, &r.Machine, runtime.ReadOptions{Strict: strict})
		for i := range problems {
			problems[i].File = file
			r.add(&problems[i])
		}
		out = append(out, r)
	}
	return out
}

func (r *Result) add(err error) {
	r.Problems = append(r.Problems, fmt.Sprint(err))
	r.Errs = append(r.Errs, err)
}
