package fuzz

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/askind/askind/conversion"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/json"
	"github.com/askind/askind/serializer/yaml"
)

// Option is a setting of [RoundTrip].
type Option interface{ apply(*options) }

type options struct {
	seed    int64
	rounds  int
	funcs   []any
	formats []serializer.Format
	skip    func(*runtime.Kind) bool
}

type option func(*options)

func (o option) apply(to *options) { o(to) }

// Seed makes the objects those of an earlier run, whose log states its seed. The default is a new one for each run.
func Seed(seed int64) Option { return option(func(o *options) { o.seed = seed }) }

// Rounds sets how many objects of each kind are tried; the default is 20.
func Rounds(n int) Option { return option(func(o *options) { o.rounds = n }) }

// Funcs adds functions that fill types of your own, each of the form func(*T, fuzz.Continue) of package gofuzz.
func Funcs(funcs ...any) Option {
	return option(func(o *options) { o.funcs = append(o.funcs, funcs...) })
}

// Formats sets the formats; the default is JSON and YAML.
func Formats(formats ...serializer.Format) Option {
	return option(func(o *options) { o.formats = formats })
}

// Skip leaves out kinds for which the function returns true.
func Skip(f func(*runtime.Kind) bool) Option { return option(func(o *options) { o.skip = f }) }

// RoundTrip fills random objects of every kind of the scheme that can be written as JSON and fails the test unless, for each:
//
//   - encoding and strict decoding in every format give the object back, with the same bytes when it is encoded again;
//   - what one format says, the others say too;
//   - a list that is written item by item has the same bytes, and its items are the same when they are read one by one;
//   - what it is shown as from its bytes is what it is shown as from the object;
//   - a deep copy is equal and shares no memory with the object;
//   - conversion to every other version does not change the object and shares no memory with it, and converting with permission to share gives the
//     same result. A conversion may refuse a random object with an error;
//   - what an export leaves out of an object, defaulting brings back as it was. The defaults of a random object may fail.
//
// Each kind is a subtest. The seed is logged.
func RoundTrip(t *testing.T, s *runtime.Scheme, opts ...Option) {
	t.Helper()
	o := options{seed: time.Now().UnixNano(), rounds: 20, formats: []serializer.Format{json.Format(), yaml.Format()}}
	for _, opt := range opts {
		opt.apply(&o)
	}
	t.Logf("seed %d: repeat this run with fuzz.Seed", o.seed)
	f, err := serializer.NewFactory(s, o.formats...)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Check(); err != nil {
		t.Error(err)
	}
	for k := range s.Kinds() {
		if !k.HasJSON() || o.skip != nil && o.skip(k) {
			continue
		}
		t.Run(fmt.Sprintf("%s/%s", k.APIVersion(), k.Name()), func(t *testing.T) {
			t.Parallel()
			c := checker{options: o, scheme: s, factory: f, kind: k}
			for round := range o.rounds {
				if problem := c.check(o.seed + int64(round)); problem != "" {
					t.Fatalf("fuzz.Seed(%d), fuzz.Rounds(1): %s", o.seed+int64(round), problem)
				}
			}
		})
	}
}

// checker tries objects of one kind.
type checker struct {
	options
	scheme  *runtime.Scheme
	factory *serializer.Factory
	kind    *runtime.Kind
}

// fill returns the object for a seed: the same one each time it is called.
func (c *checker) fill(seed int64) (runtime.Object, error) {
	obj := c.kind.New()
	Filler(seed, c.funcs...).Fuzz(obj)
	if err := c.kind.SetType(obj); err != nil {
		return nil, err
	}
	return obj, nil
}

// check returns what is wrong with the kind, as the object for the seed shows.
func (c *checker) check(seed int64) string {
	obj, err := c.fill(seed)
	if err != nil {
		return err.Error()
	}
	// Formats do not tell an empty list from none where a field is omitted when empty, so the object to start from is one that was decoded.
	start, problem := c.throughFormats(obj)
	if problem != "" {
		return problem
	}
	again, problem := c.throughFormats(start)
	switch {
	case problem != "":
		return problem
	case !reflect.DeepEqual(start, again):
		return "a second round trip changes the object (-first +second):\n" + diff(start, again)
	}
	if problem := c.checkCopy(start, again); problem != "" {
		return problem
	}
	if problem := c.checkExport(start); problem != "" {
		return problem
	}
	return c.checkConversions(start, again)
}

// checkExport holds the promise of [runtime.Kind.Export].
func (c *checker) checkExport(obj runtime.Object) string {
	if !c.kind.HasDefaults() {
		return ""
	}
	whole, err := c.kind.DeepCopy(obj)
	if err != nil {
		return fmt.Sprintf("copying: %v", err)
	}
	if err := c.kind.ClearServerSet(whole); err != nil {
		return err.Error()
	}
	if c.kind.Default(whole) != nil {
		return ""
	}
	again, err := c.kind.Export(obj)
	if err != nil {
		return fmt.Sprintf("exporting: %v", err)
	}
	if err := c.kind.Default(again); err != nil {
		return fmt.Sprintf("an exported object has no defaults: %v", err)
	}
	want, err := c.kind.AppendJSON(nil, whole)
	if err != nil {
		return fmt.Sprintf("encoding: %v", err)
	}
	if got, err := c.kind.AppendJSON(nil, again); err != nil || !bytes.Equal(got, want) {
		return fmt.Sprintf("defaulting an exported object does not bring back what it was: %v\nwas: %s\nis:  %s", err, want, got)
	}
	return ""
}

// throughFormats encodes the object in every format and returns it as decoded from the first.
func (c *checker) throughFormats(obj runtime.Object) (runtime.Object, string) {
	var first runtime.Object
	for i, format := range c.formats {
		mediaType := format.MediaTypes()[0]
		text, err := c.factory.Append(nil, obj, serializer.EncodeOptions{MediaType: mediaType})
		if err != nil {
			return nil, fmt.Sprintf("encoding as %s: %v", format.Name(), err)
		}
		got, err := c.factory.Decode(text, serializer.DecodeOptions{MediaType: mediaType, Strictness: serializer.Fail, DefaultKind: c.kind.GroupVersionKind()})
		if err != nil {
			return nil, fmt.Sprintf("decoding the %s that was just encoded: %v\n%s", format.Name(), err, text)
		}
		repeated, err := c.factory.Append(nil, got, serializer.EncodeOptions{MediaType: mediaType})
		if err != nil || !bytes.Equal(text, repeated) {
			return nil, fmt.Sprintf("%s is not the same when encoded again: %v\nfirst:  %s\nsecond: %s", format.Name(), err, text, repeated)
		}
		if problem := c.checkStream(got, repeated, mediaType); problem != "" {
			return nil, problem
		}
		if problem := c.checkProjection(got, repeated, mediaType); problem != "" {
			return nil, problem
		}
		if i == 0 {
			first = got
		} else if !reflect.DeepEqual(first, got) {
			return nil, fmt.Sprintf("%s and %s disagree (-%[1]s +%[2]s):\n%[3]s", c.formats[0].Name(), format.Name(), diff(first, got))
		}
	}
	return first, ""
}

// checkStream writes and reads a list item by item. The text is what the whole is encoded as.
func (c *checker) checkStream(list runtime.Object, text []byte, mediaType string) string {
	if !c.kind.IsList() {
		return ""
	}
	var streamed bytes.Buffer
	if err := c.factory.EncodeList(&streamed, list, serializer.EncodeOptions{MediaType: mediaType}); err != nil || !bytes.Equal(streamed.Bytes(), text) {
		return fmt.Sprintf("%s is not the same when it is written item by item: %v\nwhole:    %s\nstreamed: %s", mediaType, err, text, &streamed)
	}
	if c.kind.ItemKind() == nil {
		return "" // the items may be of kinds that are not known
	}
	items, n := c.kind.Items(list), 0
	o := serializer.DecodeOptions{MediaType: mediaType, Strictness: serializer.Fail}
	for item, err := range c.factory.DecodeItems(&streamed, o) {
		switch {
		case err != nil:
			return fmt.Sprintf("reading item %d of the %s alone: %v", n, mediaType, err)
		case n >= items.Len() || !reflect.DeepEqual(item, items.At(n)):
			return fmt.Sprintf("item %d of the %s is another when it is read alone", n, mediaType)
		}
		n++
	}
	if n != items.Len() {
		return fmt.Sprintf("%d of %d items of the %s are read one by one", n, items.Len(), mediaType)
	}
	return ""
}

// checkProjection shows the encoded object as what it can be shown as, from its bytes and by way of the decoded object.
func (c *checker) checkProjection(obj runtime.Object, text []byte, mediaType string) string {
	for _, target := range c.scheme.AsTargets(c.kind.GroupVersionKind()) {
		accept := fmt.Sprintf("%s;g=%s;v=%s;as=%s", c.formats[0].MediaTypes()[0], target.Group, target.Version, target.Kind)
		rep, err := c.factory.Negotiate([]string{accept}, serializer.Offer{Kind: c.kind.GroupVersionKind()})
		if err != nil {
			continue // not everything can be written
		}
		rep = rep.With(conversion.ScopeOptions{Now: time.Unix(2_000_000_000, 0)})
		want, err := rep.Append(nil, obj)
		if err != nil {
			continue // a random object may be refused
		}
		got, how, err := rep.Project(nil, text, serializer.DecodeOptions{MediaType: mediaType})
		if err != nil || !bytes.Equal(got, want) {
			return fmt.Sprintf("%s shown as %s from its bytes (%+v) is not what it is as an object: %v\nbytes:  %s\nobject: %s", mediaType, target, how, err, got, want)
		}
	}
	return ""
}

// checkCopy compares a deep copy with the object, and writes all over the object to see whether the copy changes. The twin is equal to the object.
func (c *checker) checkCopy(obj, twin runtime.Object) string {
	copied, err := c.kind.DeepCopy(obj)
	switch {
	case err != nil:
		return "deep copy: " + err.Error()
	case !reflect.DeepEqual(obj, copied):
		return "the deep copy is not equal (-object +copy):\n" + diff(obj, copied)
	}
	scribble(reflect.ValueOf(copied))
	if !reflect.DeepEqual(obj, twin) {
		return "writing to a deep copy changes the object (-before +after):\n" + diff(twin, obj)
	}
	return ""
}

// checkConversions converts the object to all other versions of its kind. The twin is equal to the object.
func (c *checker) checkConversions(obj, twin runtime.Object) string {
	for _, gv := range c.scheme.VersionsOf(c.kind.GroupVersionKind().GroupKind()) {
		if gv == c.kind.GroupVersion() {
			continue
		}
		converted, err := c.scheme.ConvertTo(obj, gv)
		if err != nil {
			continue
		}
		owned, err := c.kind.DeepCopy(obj)
		if err != nil {
			return "deep copy: " + err.Error()
		}
		shared, err := c.scheme.ConvertSharing(owned, gv)
		switch {
		case err != nil:
			return fmt.Sprintf("to %s: converting works, and with permission to share it does not: %v", gv, err)
		case !reflect.DeepEqual(converted, shared):
			return fmt.Sprintf("to %s: sharing changes the result (-copying +sharing):\n%s", gv, diff(converted, shared))
		case !reflect.DeepEqual(obj, twin) || !reflect.DeepEqual(owned, twin):
			return fmt.Sprintf("to %s: conversion changes its input", gv)
		}
		scribble(reflect.ValueOf(converted))
		if !reflect.DeepEqual(obj, twin) {
			return fmt.Sprintf("to %s: the result shares memory with the input (-before +after):\n%s", gv, diff(twin, obj))
		}
	}
	return ""
}

// scribble overwrites everything that can be reached from v through references.
func scribble(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			scribble(v.Elem())
			if v.Elem().CanSet() && leaf(v.Elem().Kind()) {
				v.Elem().SetZero()
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				scribble(v.Field(i))
			}
		}
	case reflect.Interface:
		if !v.IsNil() {
			scribble(v.Elem())
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			scribble(v.Index(i))
			if v.Kind() == reflect.Slice {
				v.Index(i).SetZero()
			}
		}
	case reflect.Map:
		for _, key := range slices.Clone(v.MapKeys()) {
			scribble(v.MapIndex(key))
			v.SetMapIndex(key, reflect.Value{})
		}
	}
}

func leaf(k reflect.Kind) bool {
	return k >= reflect.Bool && k <= reflect.Complex128 || k == reflect.String
}

// diff shows where two objects differ.
func diff(a, b runtime.Object) string {
	return cmp.Diff(a, b, cmp.Exporter(func(reflect.Type) bool { return true }))
}
