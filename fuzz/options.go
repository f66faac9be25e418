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

// TB is the part of a test that this package uses. [*testing.T] implements it; with it, each kind
// is a subtest.
type TB interface {
	Helper()
	Logf(format string, args ...any)
	Errorf(format string, args ...any)
}

// Option is an option of [RoundTrip] and of [Compatibility].
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

// settle returns the options with defaults.
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

// Seed makes [RoundTrip] use the objects of an earlier run, whose log states its seed. By default
// each run has a new seed.
func Seed(seed int64) Option { return option(func(o *options) { o.seed = seed }) }

// Rounds sets how many objects of each kind [RoundTrip] tries; the default is 20.
func Rounds(n int) Option { return option(func(o *options) { o.rounds = n }) }

// Funcs adds functions that fill your own types, each of the form func(*T, gofuzz.Continue).
func Funcs(funcs ...any) Option {
	return option(func(o *options) { o.funcs = append(o.funcs, funcs...) })
}

// Formats sets the formats; the default is JSON, YAML, protobuf and CBOR. A kind is not tested in a
// format that cannot write it or, as CSV and text, not read it.
func Formats(formats ...*format.Format) Option {
	return option(func(o *options) { o.formats = formats })
}

// Skip excludes kinds for which the function returns true.
func Skip(f func(*runtime.Kind) bool) Option { return option(func(o *options) { o.skip = f }) }

// Record makes [Compatibility] write golden files for a release, or for [Head]. The blank string,
// the default, writes nothing, so that the value of a flag can be passed.
func Record(release string) Option { return option(func(o *options) { o.record = release }) }

// Removed names kinds that were removed on purpose, so that [Compatibility] ignores their golden
// files in older releases.
func Removed(kinds ...schema.GroupVersionKind) Option {
	return option(func(o *options) {
		for _, gvk := range kinds {
			o.removed[gvk] = true
		}
	})
}

// kinds yields the kinds of a scheme to be tested.
func (o *options) kinds(s *runtime.Scheme, yield func(*runtime.Kind)) {
	for k := range s.Kinds() {
		if k.Info().JSON && (o.skip == nil || !o.skip(k)) {
			yield(k)
		}
	}
}

// formatsOf returns the formats in which the objects of a kind can be written and read.
func (o *options) formatsOf(k *runtime.Kind) []*format.Format {
	var out []*format.Format
	for _, format := range o.formats {
		if format.Documents != nil && format.CanEncode(k) {
			out = append(out, format)
		}
	}
	return out
}

// each runs a check, as a subtest if t supports subtests. The check returns the problem it found,
// or "".
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

// nameOf returns the name of a kind for the names of tests.
func nameOf(k *runtime.Kind) string { return fmt.Sprintf("%s/%s", k.APIVersion(), k.Name()) }
