package protobuf_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/format"
	"github.com/askind/askind/serializer/protobuf"
)

// newMeta returns a factory for the kinds of meta/v1.
func newMeta(tb testing.TB) *serializer.Factory {
	tb.Helper()
	scheme, err := runtime.NewScheme(metav1.AddTo, metav1.AddCoreTo)
	if err != nil {
		tb.Fatal(err)
	}
	f, err := serializer.NewFactory(scheme, protobuf.Format())
	if err != nil {
		tb.Fatal(err)
	}
	return f
}

// readItems reads a list: the names of items, the resource version of the head behind an H, and
// errors.
func readItems(f *serializer.Factory, r io.Reader, o serializer.DecodeOptions) (out []string) {
	list := f.ReadList(r, o)
	for item, err := range list.Items() {
		text := ""
		switch obj := item.(type) {
		case *metav1.PartialObjectMetadata:
			text = obj.Kind + " " + obj.Name
		case *metav1.Status:
			text = obj.Kind + " " + obj.Message
		}
		if err != nil {
			text += "! " + err.Error()
		}
		out = append(out, text)
	}
	switch head := list.Head().(type) {
	case *metav1.PartialObjectMetadataList:
		out = append(out, "H"+head.Kind+" "+head.ResourceVersion)
	case *metav1.List:
		out = append(out, "H"+head.Kind+" "+head.ResourceVersion)
	}
	return out
}

func TestReadList(t *testing.T) {
	t.Parallel()
	f := newMeta(t)
	const (
		magic = "6b387300"
		// 45 bytes
		listType = "0a2b 0a0e6d6574612e6b38732e696f2f7631 12195061727469616c4f626a6563744d657461646174614c697374"
		head     = "0a08 0a00 120137 1a012b"
		item     = "1205 0a030a01"              // and a letter
		tail     = "1a00 2200"                  // of the envelope
		core     = "0a0a 0a027631 12044c697374" // v1, List
	)
	embedded := func(name string) string { // an item of a List
		data, err := f.Append(nil, &metav1.Status{
			TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
			Message:  name,
		}, serializer.EncodeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("12%02x0a%02x%s", len(data)+2, len(data), hex.EncodeToString(data))
	}
	object := func(parts ...string) string {
		raw := unhex(t, strings.Join(parts, ""))
		return "12" + fmt.Sprintf("%02x", len(raw)) + hex.EncodeToString(raw)
	}
	const a, b = "PartialObjectMetadata a", "PartialObjectMetadata b"
	long := "! at byte 12: unexpected end of the input"
	if bits.UintSize == 32 {
		long = "! at byte 5: a field states a length of 4294967298 bytes"
	}
	for _, c := range []struct {
		name, in string
		want     []string
	}{
		{
			"canonical", magic + listType + object(head, item+"61", item+"62") + tail,
			[]string{a, b, "HPartialObjectMetadataList 7"},
		},
		{
			"items first", magic + listType + object(item+"61", head, item+"62"),
			[]string{a, b, "HPartialObjectMetadataList 7"},
		},
		{"no items", magic + listType + object(head) + tail, []string{"HPartialObjectMetadataList 7"}},
		{"no fields", magic + listType + "1200" + tail, []string{"HPartialObjectMetadataList "}},
		{"no object", magic + listType + tail, []string{"HPartialObjectMetadataList "}},
		{
			"an unknown field", magic + listType + object(item+"61", "f80601", "f306 f80601 f406", head) + tail,
			[]string{a, "HPartialObjectMetadataList 7! at byte 58: unknown field 111\nat byte 61: unknown field 110"},
		},
		{
			"a List", magic + core + object("0a00", embedded("x"), embedded("y")) + tail,
			[]string{"Status x", "Status y", "HList "},
		},
		{
			"JSON in a List", magic + core + object("1204 0a027b7d", embedded("y")) + tail,
			[]string{
				"! items[0]: at byte 22: the item is not protobuf; decode the list as a whole to get it unchanged",
				"Status y", "HList ",
			},
		},
		{ // the last value of a repeated field counts
			"values in a List", magic + core + object("1208 0a027b7d 0a027b7d", "1206 0a027b7d 0a05") + tail,
			[]string{
				"! items[0]: at byte 26: the item is not protobuf; decode the list as a whole to get it unchanged",
				"! items[1]: at byte 35: a field states a length of 5 bytes, but 0 are left in its message", "HList ",
			},
		},
		{
			"a broken item", magic + listType + object(item+"61", "1202 0a05", item+"62") + tail,
			[]string{
				a, "! items[1]: at byte 61: a field states a length of 5 bytes, but 0 are left in its message", b,
				"HPartialObjectMetadataList ",
			},
		},
		{
			"a wrong head", magic + listType + object("0a02 1005", item+"61") + tail,
			[]string{a, "! at byte 53: field 2 is a string, found a varint"},
		},
		{
			"no list", magic + "0a0c 0a027631 1206537461747573" + object("1201 61"),
			[]string{"! kind: expected a list, found v1, Kind=Status"},
		},
		{"nothing", "", []string{"! the input contains no list"}},
		{"no envelope", "0a00", []string{"! at byte 0: the object does not begin with the four bytes of an envelope"}},
		{
			"the type behind the list", magic + object(item+"61") + listType,
			[]string{
				"! at byte 58: the envelope states the type of the list after it, so its items cannot be read one by one",
			},
		},
		{
			"two objects", magic + listType + object(item+"61") + "1200",
			[]string{
				a, "! at byte 60: the envelope contains another object after the list, which would replace it, so its items cannot be read one by one",
			},
		},
		{
			"JSON", magic + listType + object(head) + "1a00 2210 6170706c69636174696f6e2f6a736f6e",
			[]string{`! at byte 0: the object in the envelope is not protobuf but "application/json"`},
		},
		{"cut off", magic + listType + "1220" + head + item, []string{"! at byte 63: unexpected end of the input"}},
		{
			"an item beyond the list", magic + listType + "1202 1201",
			[]string{"! at byte 52: a field states a length of 1 bytes, but 0 are left in its message"},
		},
		{"a field that does not exist", magic + "00", []string{"! at byte 4: the field number 0 does not exist"}},
		{
			"a number that is too long", magic + "ffffffffffffffffffff01",
			[]string{"! at byte 4: a number of more than 64 bits"},
		},
		{
			"a number of 65 bits", magic + "ffffffffffffffffff02",
			[]string{"! at byte 4: a number of more than 64 bits"},
		},
		{
			"a field beyond the last", magic + "8080808010",
			[]string{"! at byte 4: the field number 536870912 does not exist"},
		},
		{
			"deep groups", magic + strings.Repeat("f306", 101),
			[]string{"! at byte 206: groups nest deeper than 100"},
		},
		{"a group that ends as another", magic + "f306 fc06", []string{"! at byte 8: group 110 ends as group 111"}},
		{
			"a number beyond the list", magic + listType + "1202 09 0000000000000000" + tail,
			[]string{"! at byte 60: unexpected end of the input"},
		},
		{"a large item", magic + listType + object(item+"61", "124b0a490a47"+strings.Repeat("78", 71), item+"62") +
			tail, []string{
			a, "! items[1]: at byte 60: the item has 75 bytes, more than 70; raise Limits.Item to read it", b,
			"HPartialObjectMetadataList ",
		}},
		{
			"a large head", magic + listType + object("0a4b 1249"+strings.Repeat("78", 73)) + tail,
			[]string{"! at byte 53: the list without its items has more than 70 bytes; raise Limits.Item to read it"},
		},
		{
			"a large envelope", magic + listType + object(item+"61") + strings.Repeat("f80601", 8),
			[]string{a, "! at byte 82: the list without its items has more than 70 bytes; raise Limits.Item to read it"},
		},
		{
			"a large group", magic + "f306" + strings.Repeat("f80601", 24),
			[]string{"! at byte 75: the list without its items has more than 70 bytes; raise Limits.Item to read it"},
		},
		{"a length beyond all numbers", magic + "12 80808080808080808001", []string{
			"! at byte 5: a field states a length of 9223372036854775808 bytes",
		}},
		{"a length beyond those of 32 bits", magic + "12 8280808010 1200", []string{long}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			data := unhex(t, c.in)
			for name, r := range map[string]io.Reader{
				"whole":    bytes.NewReader(data),
				"by bytes": iotest.OneByteReader(bytes.NewReader(data)),
			} {
				got := readItems(f, r, serializer.DecodeOptions{
					MediaType:  protobuf.MediaType,
					Strictness: serializer.FailOnProblems, Limits: schema.Limits{Item: 70},
				})
				if i := len(got) - 2; i >= 0 && strings.HasPrefix(got[i], "! ") && strings.HasPrefix(got[i+1], "H") &&
					c.name == "an unknown field" {
					got = append(got[:i], got[i+1]+got[i]) // the head comes with an error
				}
				if !slices.Equal(got, c.want) {
					t.Errorf("%s:\n got %q\nwant %q", name, got, c.want)
				}
			}
			broken := errors.New("broken")
			for n := 1; n < len(data); n++ {
				r := io.MultiReader(bytes.NewReader(data[:n]), iotest.ErrReader(broken))
				got := readItems(f, r, serializer.DecodeOptions{
					MediaType: protobuf.MediaType,
					Limits:    schema.Limits{Item: 70},
				})
				if last := got[len(got)-1]; !strings.HasPrefix(last, "! ") {
					t.Errorf("a reader that breaks after %d bytes: %q", n, got)
				}
			}
		})
	}
}

// FuzzReadList reads any list item by item and compares it with the list that is decoded as a
// whole.
func FuzzReadList(f *testing.F) {
	factory := newMeta(f)
	list := partials(3)
	list.TypeMeta = metav1.TypeMeta{Kind: "PartialObjectMetadataList", APIVersion: "meta.k8s.io/v1"}
	data, err := factory.Append(nil, list, serializer.EncodeOptions{})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	k, err := factory.Scheme().Kind(schema.GroupVersion{
		Group:   "meta.k8s.io",
		Version: "v1",
	}.WithKind("PartialObjectMetadataList"))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		o := serializer.DecodeOptions{MediaType: protobuf.MediaType}
		read := func(r io.Reader) (items []metav1.PartialObjectMetadata, head runtime.Object, errs []string) {
			l := factory.ReadList(r, o)
			for item, err := range l.Items() {
				if err != nil {
					errs = append(errs, err.Error())
				}
				if p, ok := item.(*metav1.PartialObjectMetadata); ok {
					items = append(items, *p)
				}
			}
			return items, l.Head(), errs
		}
		items, head, errs := read(bytes.NewReader(data))
		again, headAgain, errsAgain := read(iotest.OneByteReader(bytes.NewReader(data)))
		if !slices.Equal(errs, errsAgain) || !reflect.DeepEqual(items, again) || !reflect.DeepEqual(head, headAgain) {
			t.Fatalf("%x: whole %v %v %q, by bytes %v %v %q", data, items, head, errs, again, headAgain, errsAgain)
		}
		obj, err := factory.Decode(data, o)
		whole, ok := obj.(*metav1.PartialObjectMetadataList)
		if !ok || err != nil || errs != nil {
			return
		}
		want, err := factory.Append(nil, whole, serializer.EncodeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		objects := make([]runtime.Object, len(items))
		for i := range items {
			objects[i] = &items[i]
		}
		joined, err := format.WithItems(k, head, objects)
		if err != nil {
			t.Fatal(err)
		}
		got, err := factory.Append(nil, joined, serializer.EncodeOptions{})
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%x, error %v:\n got %x\nwant %x", data, err, got, want)
		}
	})
}
