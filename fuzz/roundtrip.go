package fuzz

import (
	"bytes"
	"fmt"
	"reflect"
	"time"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/format"
	"github.com/askind/askind/serializer/json/reflectjson"
)

// RoundTrip fills random objects of every kind of the scheme that can be written as JSON and fails
// the test unless, for each:
//
//   - encoding and strict decoding in every format return an equal object, with the same bytes when
//     it is encoded again;
//   - all formats yield the same object. Protobuf does not distinguish empty from absent, so
//     neither does the comparison with it;
//   - generated JSON functions agree, in both directions, with reflection on the same type;
//   - if strict decoding accepts a text, even a damaged one, lenient decoding returns the same
//     object;
//   - a decoded object does not refer to the input, and no function that reads an object modifies
//     it;
//   - a list that is written item by item has the same bytes, and its items are the same when they
//     are read one by one;
//   - a projection of its encoded form, in any version, with and without defaults, is equal to the
//     representation of the object: so claims about hand-written functions hold, such as the fields
//     that a column reads;
//   - a deep copy is equal and shares no memory with the object;
//   - conversion to every other version does not modify the object and shares no memory with it,
//     converting with permission to share has the same result, and converting back restores the
//     object unless a value is reported as dropped or a direction declares a partial loss. A
//     conversion may reject a random object with an error;
//   - defaulting restores everything that an export omits. Defaulting may fail for a random object.
//
// Each kind is a subtest. The seed is logged.
func RoundTrip(t TB, s *runtime.Scheme, opts ...Option) {
	t.Helper()
	o := settle(append([]Option{Seed(time.Now().UnixNano())}, opts...))
	t.Logf("seed %d: repeat this run with fuzz.Seed", o.seed)
	f, err := serializer.NewFactory(s, o.formats...)
	if err != nil {
		t.Errorf("%v", err)
		return
	}
	if err := s.Check(); err != nil {
		t.Errorf("%v", err)
	}
	o.kinds(s, func(k *runtime.Kind) {
		each(t, nameOf(k), func() string {
			c := newChecker(o, f, k)
			for round := range o.rounds {
				if problem := c.check(o.seed + int64(round)); problem != "" {
					return fmt.Sprintf("fuzz.Seed(%d), fuzz.Rounds(1): %s\n"+
						"If a type has rules that random values break, fill it with a function: fuzz.Funcs.",
						o.seed+int64(round), problem)
				}
			}
			return ""
		})
	})
}

// checker checks objects of one kind.
type checker struct {
	options
	scheme  *runtime.Scheme
	factory *serializer.Factory
	kind    *runtime.Kind
	written []*format.Format  // the formats that can write the kind
	twin    *reflectjson.Twin // may be nil
}

func newChecker(o options, f *serializer.Factory, k *runtime.Kind) *checker {
	o.funcs = append(kubernetesFuncs(reflect.TypeOf(k.New())), o.funcs...)
	c := &checker{options: o, scheme: f.Scheme(), factory: f, kind: k, written: o.formatsOf(k)}
	c.twin, _ = reflectjson.TwinOf(k)
	return c
}

// fill returns the object for a seed, the same one on each call.
func (c *checker) fill(seed int64) (runtime.Object, error) {
	obj := c.kind.New()
	Filler(seed, c.funcs...).Fuzz(obj)
	collapse(reflect.ValueOf(obj))
	if err := c.kind.SetType(obj); err != nil {
		return nil, err
	}
	return obj, nil
}

// check returns a problem of the kind that the object for the seed reveals.
func (c *checker) check(seed int64) string {
	obj, err := c.fill(seed)
	if err != nil {
		return err.Error()
	}
	// Formats do not distinguish empty and nil lists in fields with omitempty, so start from a
	// decoded object.
	start, problem := c.throughFormats(obj, seed)
	if problem != "" {
		return problem
	}
	if twin, err := c.fill(seed); err != nil || !reflect.DeepEqual(obj, twin) {
		return fmt.Sprintf("encoding changes the object: %v (-before +after):\n%s", err, diff(twin, obj))
	}
	again, problem := c.throughFormats(start, seed)
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

// hasDefaults reports whether defaults can change an object of the kind or an item of the list.
func hasDefaults(k *runtime.Kind) bool {
	return k.Info().Defaults || k.ItemKind() != nil && k.ItemKind().Info().Defaults
}

// checkExport checks the guarantee of [runtime.Kind.Export].
func (c *checker) checkExport(obj runtime.Object) string {
	if !hasDefaults(c.kind) {
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
		return fmt.Sprintf("defaulting an exported object does not restore it: %v, %s", err,
			contrast("was", want, "is ", got))
	}
	return ""
}

// throughFormats encodes the object in every format and returns it as decoded from the first. The
// seed is for additional checks.
func (c *checker) throughFormats(obj runtime.Object, seed int64) (runtime.Object, string) {
	var first runtime.Object
	for i, format := range c.written {
		mediaType := format.MediaTypes[0]
		text, err := c.factory.Append(nil, obj, serializer.EncodeOptions{MediaType: mediaType})
		if err != nil {
			return nil, fmt.Sprintf("encoding as %s: %v", format.Name, err)
		}
		got, err := c.decode(text, mediaType, serializer.FailOnProblems)
		if err != nil {
			return nil, fmt.Sprintf("decoding the %s that was just encoded: %v\n%s", format.Name, err, text)
		}
		repeated, err := c.factory.Append(nil, got, serializer.EncodeOptions{MediaType: mediaType})
		if err != nil || !bytes.Equal(text, repeated) {
			return nil, fmt.Sprintf("%s is not the same when encoded again: %v, %s", format.Name, err,
				contrast("first ", text, "second", repeated))
		}
		for _, check := range []func(runtime.Object, []byte, string) string{
			c.checkStream, c.checkProjection,
			c.checkInput, c.damaged(seed),
		} {
			if problem := check(got, text, mediaType); problem != "" {
				return nil, problem
			}
		}
		if i == 0 {
			first = got
		} else if !equal(first, got) {
			return nil, fmt.Sprintf("%s and %s disagree (-%[1]s +%[2]s):\n%[3]s", c.written[0].Name, format.Name,
				diff(first, got))
		}
	}
	return first, c.checkTwin(obj)
}

// decode reads one object of the kind.
func (c *checker) decode(text []byte, mediaType string, strictness serializer.Strictness) (runtime.Object, error) {
	return c.factory.Decode(text, serializer.DecodeOptions{
		MediaType: mediaType, Strictness: strictness,
		DefaultKind: c.kind.GroupVersionKind(),
	})
}

// checkStream writes and reads a list item by item. text is the encoding of the whole list.
func (c *checker) checkStream(list runtime.Object, text []byte, mediaType string) string {
	if !c.kind.IsList() {
		return ""
	}
	var streamed bytes.Buffer
	if err := c.factory.Encode(&streamed, list, serializer.EncodeOptions{MediaType: mediaType}); err != nil ||
		!bytes.Equal(streamed.Bytes(), text) {
		return fmt.Sprintf("%s differs when it is written item by item: %v, %s", mediaType, err,
			contrast("whole   ", text, "streamed", streamed.Bytes()))
	}
	if c.kind.ItemKind() == nil {
		return "" // the kinds of the items may be unknown
	}
	items, n := c.kind.Items(list), 0
	o := serializer.DecodeOptions{MediaType: mediaType, Strictness: serializer.FailOnProblems}
	for item, err := range c.factory.ReadList(&streamed, o).Items() {
		switch {
		case err != nil:
			return fmt.Sprintf("reading item %d of the %s separately: %v", n, mediaType, err)
		case n >= items.Len() || !reflect.DeepEqual(item, items.At(n)):
			return fmt.Sprintf("item %d of the %s differs when it is read separately", n, mediaType)
		}
		n++
	}
	if n != items.Len() {
		return fmt.Sprintf("%d of %d items of the %s are read one by one", n, items.Len(), mediaType)
	}
	return ""
}
