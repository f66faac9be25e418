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
//   - encoding and strict decoding in every format give the object back, with the same bytes when
//     it is encoded again;
//   - what one format says, the others say too. Protobuf does not tell empty from absent, so
//     neither does the comparison with it;
//   - generated JSON is, in both directions, what reflection makes of the same type;
//   - lenient decoding of any text, also of a damaged one, gives what strict decoding gives
//     wherever that accepts it;
//   - a decoded object keeps nothing of the input, and nothing that reads an object changes it;
//   - a list that is written item by item has the same bytes, and its items are the same when they
//     are read one by one;
//   - what it is shown as from its bytes, in any version, with defaults and without, is what it is
//     shown as from the object: so what is claimed of functions written by hand holds, such as the
//     fields that a column reads;
//   - a deep copy is equal and shares no memory with the object;
//   - conversion to every other version does not change the object and shares no memory with it,
//     converting with permission to share gives the same result, and the way back brings back the
//     object where neither way declares a loss. A conversion may refuse a random object with an
//     error;
//   - what an export leaves out of an object, defaulting brings back as it was. The defaults of a
//     random object may fail.
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
					return fmt.Sprintf("fuzz.Seed(%d), fuzz.Rounds(1): %s", o.seed+int64(round), problem)
				}
			}
			return ""
		})
	})
}

// checker tries objects of one kind.
type checker struct {
	options
	scheme  *runtime.Scheme
	factory *serializer.Factory
	kind    *runtime.Kind
	written []*format.Format  // the formats that can write the kind
	twin    *reflectjson.Twin // nil if there is none
}

func newChecker(o options, f *serializer.Factory, k *runtime.Kind) *checker {
	c := &checker{options: o, scheme: f.Scheme(), factory: f, kind: k, written: o.formatsOf(k)}
	c.twin, _ = reflectjson.TwinOf(k)
	return c
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
	// Formats do not tell an empty list from none where a field is omitted when empty, so the
	// object to start from is one that was decoded.
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
		return fmt.Sprintf("defaulting an exported object does not bring back what it was: %v, %s", err,
			contrast("was", want, "is ", got))
	}
	return ""
}

// throughFormats encodes the object in every format and returns it as decoded from the first. The
// seed is for what is tried beside.
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

// checkStream writes and reads a list item by item. The text is what the whole is encoded as.
func (c *checker) checkStream(list runtime.Object, text []byte, mediaType string) string {
	if !c.kind.IsList() {
		return ""
	}
	var streamed bytes.Buffer
	if err := c.factory.EncodeList(&streamed, list, serializer.EncodeOptions{MediaType: mediaType}); err != nil ||
		!bytes.Equal(streamed.Bytes(), text) {
		return fmt.Sprintf("%s is not the same when it is written item by item: %v, %s", mediaType, err,
			contrast("whole   ", text, "streamed", streamed.Bytes()))
	}
	if c.kind.ItemKind() == nil {
		return "" // the items may be of kinds that are not known
	}
	items, n := c.kind.Items(list), 0
	o := serializer.DecodeOptions{MediaType: mediaType, Strictness: serializer.FailOnProblems}
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
