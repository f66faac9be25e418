package fuzz

import (
	"fmt"
	"testing"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/cbor"
	"github.com/askind/askind/serializer/format"
	"github.com/askind/askind/serializer/json"
	"github.com/askind/askind/serializer/protobuf"
	"github.com/askind/askind/serializer/yaml"
)

// TB is what the kit needs of a test. [*testing.T] has it, whose subtests are used then.
type TB interface {
	Helper()
	Logf(format string, args ...any)
	Errorf(format string, args ...any)
}

// Option is a setting of [RoundTrip] and of [Compatibility].
type Option interface{ apply(*options) }

type options struct {
	seed    int64
	rounds  int
	funcs   []any
	formats []*format.Format
	skip    func(*runtime.Kind) bool
	record  string
	removed map[schema.GroupVersionKind]bool
}

// settle returns what the options say, with the defaults of the rest.
func settle(opts []Option) options {
	o := options{
		rounds:  20,
		formats: []*format.Format{json.Format(), yaml.Format(), protobuf.Format(), cbor.Format()},
		removed: map[schema.GroupVersionKind]bool{},
	}
	for _, opt := range opts {
		opt.apply(&o)
	}
	return o
}

type option func(*options)

func (o option) apply(to *options) { o(to) }

// Seed makes the objects of [RoundTrip] those of an earlier run, whose log states its seed. The
// default is a new one for each run.
func Seed(seed int64) Option { return option(func(o *options) { o.seed = seed }) }

// Rounds sets how many objects of each kind [RoundTrip] tries; the default is 20.
func Rounds(n int) Option { return option(func(o *options) { o.rounds = n }) }

// Funcs adds functions that fill types of your own, each of the form func(*T, gofuzz.Continue).
func Funcs(funcs ...any) Option {
	return option(func(o *options) { o.funcs = append(o.funcs, funcs...) })
}

// Formats sets the formats; the default is JSON, YAML, protobuf and CBOR. A kind that a format
// cannot write is left out of that format.
func Formats(formats ...*format.Format) Option {
	return option(func(o *options) { o.formats = formats })
}

// Skip leaves out kinds for which the function returns true.
func Skip(f func(*runtime.Kind) bool) Option { return option(func(o *options) { o.skip = f }) }

// Record makes [Compatibility] write golden files for a release, or for [Head]. Blank, the default,
// writes nothing, so that the value of a flag can be passed on.
func Record(release string) Option { return option(func(o *options) { o.record = release }) }

// Removed names kinds that are gone on purpose, so that [Compatibility] leaves out the golden files
// that older releases have of them.
func Removed(kinds ...schema.GroupVersionKind) Option {
	return option(func(o *options) {
		for _, gvk := range kinds {
			o.removed[gvk] = true
		}
	})
}

// kinds yields the kinds of a scheme that the kit works on.
func (o *options) kinds(s *runtime.Scheme, yield func(*runtime.Kind)) {
	for k := range s.Kinds() {
		if k.HasJSON() && (o.skip == nil || !o.skip(k)) {
			yield(k)
		}
	}
}

// formatsOf are the formats that the objects of a kind can be written in.
func (o *options) formatsOf(k *runtime.Kind) []*format.Format {
	var out []*format.Format
	for _, format := range o.formats {
		if format.CanEncode(k) {
			out = append(out, format)
		}
	}
	return out
}

// each runs a check, as a subtest where there are some. The check returns what is wrong.
func each(t TB, name string, check func() string) {
	if t, ok := t.(*testing.T); ok {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if problem := check(); problem != "" {
				t.Error(problem)
			}
		})
		return
	}
	t.Helper()
	if problem := check(); problem != "" {
		t.Errorf("%s: %s", name, problem)
	}
}

// nameOf names a kind in the names of tests.
func nameOf(k *runtime.Kind) string { return fmt.Sprintf("%s/%s", k.APIVersion(), k.Name()) }
