package cbor_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	goruntime "runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/askind/askind/internal/sample"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/cbor"
	"github.com/askind/askind/serializer/format"
)

// readList says what the parts of a list are: items as JSON, the head as JSON behind an H, and
// errors.
func readList(data string, oneByte bool, limit int) (out []string) {
	r := iotest.DataErrReader(strings.NewReader(data))
	if oneByte {
		r = iotest.OneByteReader(strings.NewReader(data))
	}
	for part, err := range cbor.Format().ReadList(r, format.ListReadOptions{Limits: schema.Limits{Item: limit}}) {
		switch {
		case err != nil:
			out = append(out, "! "+err.Error())
		case part.Item != nil:
			out = append(out, string(part.Item.Raw()))
		default:
			out = append(out, "H"+string(part.Head.Raw()))
		}
	}
	return out
}

func TestReadListParts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, in, want string }{
		{
			"canonical", tag + "\xa3\x44kind\x41L\x45items\x82\xa1\x41a\x01\xa0\x4aapiVersion\x42v1",
			`{"a":1} | {} | H{"apiVersion":"v1","items":[],"kind":"L"}`,
		},
		{
			"indefinite", "\xbf\x65items\x9f\xbf\x61a\x9f\xff\xff\xa0\xff\x5f\x41x\x41y\xff\x01\xff",
			`{"a":[]} | {} | H{"items":[],"xy":1}`,
		},
		{
			"long heads", "\xd9\xd9\xf7\xb8\x02\x45items\x98\x01\xb9\x00\x00\x58\x01b\x9a\x00\x00\x00\x00",
			`{} | H{"b":[],"items":[]}`,
		},
		{
			"no objects", "\xa1\x45items\x84\x01\xf6\x41x\xa0",
			"! items[0]: at byte 8: expected a map, found an integer | {} | ! items[2]: at byte 10: expected a map, found a byte string | {} | H{\"items\":[]}",
		},
		{"tags", "\xa1\x45items\x81\xd9\xd9\xf7\xa1\x41a\xd6\x41a", `{"a":"YQ=="} | H{"items":[]}`},
		{"items inside", "\xa2\x41a\xa1\x45items\x81\x01\x45items\x81\xa0", `{} | H{"a":{"items":[1]},"items":[]}`},
		{
			"items twice", "\xa2\x45items\x81\xa0\x45items\x81\x03",
			`{} | ! items: at byte 9: the list has another field "items" here, which would replace the items already read`,
		},
		{"no array", "\xa1\x45items\xf6", `H{"items":null}`},
		{"nothing", "", ""},
		{"no map", "\x82\x01\x02", "! at byte 0: expected a map, found an array"},
		{"bytes behind", "\xa0\xa0", "! at byte 1: unexpected bytes after the list"},
		{
			"a tag on the list", "\xd6\xa0",
			"! at byte 0: the tag 22 on a list is not supported where items are read one by one",
		},
		{"a tag on the items", "\xa1\x45items\xd7\x80", `H{"items":[]}`},
		{"a tag on null", "\xa1\x45items\xd7\xf6", `H{"items":null}`},
		{"an unknown tag", "\xa1\x45items\xc6\x82\xa0\xa1\x41a\x01", `{} | {"a":1} | H{"items":[]}`},
		{
			"a tag with an effect", "\xa1\x45items\xd6\x81\xa1\x61a\x41a",
			"! at byte 7: the tag 22 on a list is not supported where items are read one by one",
		},
		{
			"null with tags", "\xa1\x45items\x83\xd9\xd9\xf7\xf6\xc6\xd6\xf6\xa1\x41a\xf6",
			`{} | {} | {"a":null} | H{"items":[]}`,
		},
		{"cut off", "\xa2\x45items\x82\xa0", "{} | ! at byte 9: unexpected end of the input"},
		{"cut off in an item", "\xa1\x45items\x81\xa1\x41", "! at byte 10: unexpected end of the input"},
		{
			"a broken item", "\xa1\x45items\x82\xa1\x41a\x1c\xa0",
			`! items[0].a: at byte 11: the byte 0x1c does not begin an item | {} | H{"items":[]}`,
		},
		{
			"a broken head", "\xa2\x45items\x80\x01\x02",
			"! at byte 8: expected a string as the key of a map, found an integer",
		},
		{"a problem of the head", "\xa2\x45items\x81\xa0\x41a\xf7", "{} | H"},
		{
			"large", "\xa1\x45items\x82\xa1\x41a\x58\x40" + strings.Repeat("x", 64) + "\xa0",
			`! items[0]: at byte 8: the item has 69 bytes, more than 40; raise Limits.Item to read it | {} | H{"items":[]}`,
		},
		{
			"as large as is allowed", "\xa1\x45items\x82\xa1\x41a\x58\x23" + strings.Repeat("x", 35) + "\xa0",
			`{"a":"` + strings.Repeat("x", 35) + `"} | {} | H{"items":[]}`,
		},
		{
			"a byte larger", "\xa1\x45items\x82\xa1\x41a\x58\x24" + strings.Repeat("x", 36) + "\xa0",
			`! items[0]: at byte 8: the item has 41 bytes, more than 40; raise Limits.Item to read it | {} | H{"items":[]}`,
		},
		{
			"large head in parts", "\xa3\x41a\x57" + strings.Repeat("x", 23) + "\x41b\x57" + strings.Repeat("x", 23) +
				"\x45items\x81\xa0",
			"! at byte 53: the list without its items has more than 40 bytes; raise Limits.Item to read it",
		},
		{
			"many tags", strings.Repeat("\xd0", 100) + "\xa0",
			"! at byte 41: the list without its items has more than 40 bytes; raise Limits.Item to read it",
		},
		{
			"large head", "\xa1\x41a\x58\x40" + strings.Repeat("x", 64),
			"! at byte 69: the list without its items has more than 40 bytes; raise Limits.Item to read it",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for _, oneByte := range []bool{false, true} {
				if got := strings.Join(readList(c.in, oneByte, 40), " | "); got != c.want {
					t.Errorf("by bytes %v:\n got %s\nwant %s", oneByte, got, c.want)
				}
			}
		})
	}
}

// TestReadListBreaks checks that an error of the reader is the last that is yielded, wherever it
// occurs, and that no part of an item is taken for the whole.
func TestReadListBreaks(t *testing.T) {
	t.Parallel()
	disk := errors.New("the disk is gone")
	const list = "\xb8\x03\x44kind\x41L\x45items\x98\x03\xa1\x41a\x01\xa1\x41a\x02\xa1\x41a\x03\x48metadata\xa0"
	items := []string{`{"a":1}`, `{"a":2}`, `{"a":3}`}
	for n := range len(list) + 1 {
		var got []string
		r := io.MultiReader(strings.NewReader(list[:n]), iotest.ErrReader(disk))
		var last error
		for part, err := range cbor.Format().ReadList(r, format.ListReadOptions{}) {
			if last != nil {
				t.Errorf("after %d bytes: more is yielded after the error %v", n, last)
			}
			switch last = err; {
			case err != nil:
			case part.Item == nil:
				t.Errorf("after %d bytes: the list ends", n)
			default:
				got = append(got, string(part.Item.Raw()))
			}
		}
		if !errors.Is(last, disk) || len(got) > len(items) || !slices.Equal(got, items[:len(got)]) {
			t.Errorf("after %d bytes: %q, %v", n, got, last)
		}
	}
}

// TestEarlyItemsStay checks that items that precede the type of their list, which are kept until it
// is known, do not change when more is read, and neither does what is known of the type.
func TestEarlyItemsStay(t *testing.T) {
	t.Parallel()
	const n = 1000
	data := "\xa3\x44kind\x48TestList\x45items\x9f"
	var want []string
	for i := range n {
		data += fmt.Sprintf("\xa1\x41a\x43%03d", i)
		want = append(want, fmt.Sprintf(`{"a":"%03d"}`, i))
	}
	data += "\xff\x4aapiVersion\x42v1"
	var kept []format.Document
	for part, err := range cbor.Format().ReadList(strings.NewReader(data), format.ListReadOptions{}) {
		if err != nil {
			t.Fatal(err)
		}
		if part.Item == nil {
			continue
		}
		kept = append(kept, part.Item)
		if apiVersion, kind, err := part.Head.Type(); apiVersion != "" || kind != "TestList" || err != nil {
			t.Fatalf("at item %d the type is %q, %q, %v", len(kept), apiVersion, kind, err)
		}
	}
	var got []string
	for _, item := range kept {
		got = append(got, string(item.Raw()))
	}
	if !slices.Equal(got, want) {
		t.Errorf("%d items, and the first one has become %q", len(got), got[0])
	}
}

// letters reads as an endless text.
type letters struct{}

func (letters) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// TestLargeItemsAreNotKept checks that an item beyond the limit takes no memory. It is not parallel
// because it counts the memory of the process.
func TestLargeItemsAreNotKept(t *testing.T) {
	const size = 32 << 20
	r := io.MultiReader(strings.NewReader("\xa1\x45items\x82\xa1\x41a\x5a\x02\x00\x00\x00"),
		io.LimitReader(letters{}, size), strings.NewReader("\xa0"))
	var before, after goruntime.MemStats
	goruntime.ReadMemStats(&before)
	n := 0
	for part := range cbor.Format().ReadList(r, format.ListReadOptions{Limits: schema.Limits{Item: 1 << 16}}) {
		if part.Item != nil {
			n++
		}
	}
	goruntime.ReadMemStats(&after)
	if taken := after.TotalAlloc - before.TotalAlloc; n != 1 || taken > size/4 {
		t.Errorf("%d items, %d bytes are allocated for an item of %d that is left out", n, taken, size)
	}
}

// FuzzReadList reads any list by parts, in pieces of any size, and compares it with the list that
// is read as a whole.
func FuzzReadList(f *testing.F) {
	f.Add([]byte(tag + "\xa3\x44kind\x41L\x45items\x82\xa1\x41a\x01\xa0\x4aapiVersion\x42v1"))
	f.Add([]byte("\xbf\x65items\x9f\xbf\x61a\x9f\xff\xff\xa0\xff\x5f\x41x\x41y\xff\x01\xff"))
	f.Add([]byte("\xa1\x45items\x82\xa1\x41a\x1c\xa0"))
	f.Fuzz(func(t *testing.T, data []byte) {
		whole, pieces := readList(string(data), false, 1<<20), readList(string(data), true, 1<<20)
		if !slices.Equal(whole, pieces) {
			t.Fatalf("%x\nwhole:  %q\npieces: %q", data, whole, pieces)
		}
		for doc, err := range cbor.Format().Documents(data, schema.Limits{}) {
			raw := ""
			if err == nil {
				raw = string(doc.Raw())
			}
			if len(whole) == 1 && strings.HasPrefix(whole[0], "H{") && whole[0] != "H"+raw {
				t.Fatalf("%x: the list is %q, and %s as a whole", data, whole, raw)
			}
			break
		}
	})
}

// TestFramer cuts sequences of random items at random places.
func TestFramer(t *testing.T) {
	t.Parallel()
	k := sample.Kind(t)
	whole, err := cbor.Format().Append(nil, k, large(), format.Options{})
	if err != nil {
		t.Fatal(err)
	}
	items := []string{
		string(whole), "\xa0", "\x01", "\x40", "\xd6\x41a", "\xbf\x41a\x9f\xff\xff", "\x5f\x41a\x40\xff",
		"\xf9\x3c\x00", "\xfb\x00\x00\x00\x00\x00\x00\x00\x00", "\xf6", "\x9f\x80\x81\x80\xff", "\x78\x20" +
			strings.Repeat("x", 32),
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 1))
	for range 300 {
		var stream []byte
		var ends []int
		for range 1 + rnd.IntN(8) {
			stream = append(stream, items[rnd.IntN(len(items))]...)
			ends = append(ends, len(stream))
		}
		framer := cbor.Format().Events.NewFramer()
		var got []int
		for pos := 0; pos < len(stream); {
			piece := stream[pos:min(len(stream), pos+1+rnd.IntN(40))]
			for len(piece) > 0 {
				n, done := framer.Next(piece)
				pos += n
				piece = piece[n:]
				if done {
					got = append(got, pos)
				} else if len(piece) > 0 {
					t.Fatalf("%x: the framer stops before the end of a piece", stream)
				}
			}
		}
		if !slices.Equal(got, ends) {
			t.Fatalf("%x: frames end at %v, want %v", stream, got, ends)
		}
	}
	for _, broken := range []string{"\x1c", "\x3f", "\xff", "\xdf", "\xbb\xff\xff\xff\xff\xff\xff\xff\xff"} {
		if n, done := cbor.Format().Events.NewFramer().Next([]byte(broken + "\xa0")); n != len(broken) || !done {
			t.Errorf("%x: %d bytes, done %v", broken, n, done)
		}
	}
	framer := cbor.Format().Events.NewFramer()
	deep := bytes.Repeat([]byte{0x81}, 1<<20)
	if n, done := framer.Next(deep); !done || n > 200_000 {
		t.Errorf("an array of arrays goes on for %d bytes", n)
	}
}

func TestEvents(t *testing.T) {
	t.Parallel()
	scheme, err := runtime.NewScheme(metav1.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	f, err := serializer.NewFactory(scheme, cbor.Format())
	if err != nil {
		t.Fatal(err)
	}
	rep, err := f.Negotiate([]string{cbor.MediaType}, serializer.Offer{Stream: "watch"})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w, err := rep.Events(&b)
	if err != nil {
		t.Fatal(err)
	}
	small, big := new(metav1.PartialObjectMetadata), new(metav1.PartialObjectMetadata)
	small.Name, big.Name = "a", strings.Repeat("x", 5000)
	if err := w.Send(metav1.WatchAdded, small); err != nil {
		t.Fatal(err)
	}
	inner, err := f.Append(nil, small, serializer.EncodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if want := tag + "\xa2\x44type\x45ADDED\x46object" + string(inner); b.String() != want {
		t.Errorf("got  %x\nwant %x", b.String(), want)
	}
	first := b.Len()
	for _, obj := range []runtime.Object{big, small} {
		if err := w.Send(metav1.WatchModified, obj); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Fail(metav1.Failure(metav1.StatusReasonExpired, "too old")); err == nil {
		t.Error("no error")
	}
	stream := b.String()
	at := len(stream)
	const partial = "\x44kind\x55PartialObjectMetadata\x4aapiVersion\x4emeta.k8s.io/v1"
	// unusual, but right
	stream += "\xbf\x66object\xd9\xd9\xf7\xa3" + partial +
		"\x48metadata\xa1\x44name\x41b\x64type\x67DELETED\x41x\xf6\xff"
	wrong, wrongEvent := len(stream), "\xa2\x44type\x45ADDED\x46object\xa3"+partial+"\x48metadata\xa1\x44name\x01"
	stream += wrongEvent + "\xa1\x44type\x45ADDED" + "\xa2\x44type\x45ADDED\x46object\x80" + "\x01" + "\xa2\x44type"
	want := []string{
		"ADDED a", fmt.Sprintf(
			" serializer: event 1 at byte %d of the stream: the event has 5100 bytes, more than 1000; raise Limits.Item to read it", first,
		), "MODIFIED a", "ERROR Expired", "DELETED b",
		fmt.Sprintf(
			" serializer: event 5 at byte %d of the stream: metadata.name: at byte %d: expected string, found number",
			wrong, len(wrongEvent)-1,
		),
		fmt.Sprintf(" serializer: event 6 at byte %d of the stream: at byte 0: a watch event has a type and an object",
			wrong+len(wrongEvent)),
		fmt.Sprintf(" serializer: event 7 at byte %d of the stream: at byte 19: expected a map, found an array",
			wrong+len(wrongEvent)+12),
		fmt.Sprintf(" serializer: event 8 at byte %d of the stream: at byte 0: expected a map, found an integer",
			wrong+len(wrongEvent)+32),
		fmt.Sprintf(" serializer: event 9 at byte %d of the stream: type: at byte 6: unexpected end of the input",
			wrong+len(wrongEvent)+33),
	}
	if at <= first {
		t.Fatal("there are not events")
	}
	for name, r := range map[string]io.Reader{
		"whole":    strings.NewReader(stream),
		"by bytes": iotest.OneByteReader(strings.NewReader(stream)),
	} {
		e, err := serializer.NewEventReader(r, f, serializer.DecodeOptions{
			MediaType: rep.ContentType(),
			Limits:    schema.Limits{Item: 1000},
		})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for event, err := range e.All() {
			text := event.Type + " "
			switch obj := event.Object.(type) {
			case *metav1.PartialObjectMetadata:
				text += obj.Name
			case *metav1.Status:
				text += string(obj.Reason)
			}
			if err != nil {
				text += fmt.Sprint(err)
			}
			got = append(got, text)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s:\n got %s\nwant %s", name, strings.Join(got, "\n     "), strings.Join(want, "\n     "))
		}
	}
}
