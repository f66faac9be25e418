package protobuf_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/protobuf"
)

func partials(n int) *metav1.PartialObjectMetadataList {
	list := &metav1.PartialObjectMetadataList{ListMeta: metav1.ListMeta{ResourceVersion: "7"}}
	for i := range n {
		p := metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: strings.Repeat("x", i*37%300)}}
		list.Items = append(list.Items, p)
	}
	return list
}

func TestListStreams(t *testing.T) {
	t.Parallel()
	f := newFactory(t)
	o := serializer.EncodeOptions{MediaType: protobuf.MediaType}
	rep, err := f.Negotiate([]string{protobuf.MediaType}, serializer.Offer{})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 1, 2, 1000} {
		list := partials(n)
		if n == 2 {
			list.Items[0].Name = strings.Repeat("x", 100<<10) // fills a buffer
		}
		want, err := f.Append(nil, list, o)
		if err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		if err := f.Encode(&got, list, o); err != nil || !bytes.Equal(got.Bytes(), want) {
			t.Errorf("%d items: error %v, got\n%x\nwant\n%x", n, err, got.Bytes(), want)
		}
		got.Reset()
		err = rep.EncodeItems(&got, list, func(yield func(runtime.Object, error) bool) {
			for i := range list.Items {
				// Another object is written while items are collected.
				if _, err := f.Append(nil, partialA(), o); err != nil {
					t.Error(err)
				}
				if !yield(&list.Items[i], nil) {
					return
				}
			}
		})
		if err != nil || !bytes.Equal(got.Bytes(), want) {
			t.Errorf("%d items one by one: error %v, got\n%x\nwant\n%x", n, err, got.Bytes(), want)
		}
		i := 0
		for item, err := range f.ReadList(bytes.NewReader(want)).Items() {
			p, ok := item.(*metav1.PartialObjectMetadata)
			if err != nil || !ok || p.Name != list.Items[i].Name || p.Kind != "PartialObjectMetadata" {
				t.Fatalf("item %d: %+v, %v", i, item, err)
			}
			i++
		}
		if i != n {
			t.Errorf("%d items are read, want %d", i, n)
		}
	}
	runs := 0
	err = rep.EncodeItems(io.Discard, partials(0), func(yield func(runtime.Object, error) bool) {
		runs++
		for range runs {
			if !yield(partials(1), nil) {
				return
			}
		}
	})
	if err == nil {
		t.Error("a list in a list is written")
	}
	// How many items a run of a sequence yields.
	repeated := func(counts ...int) func(yield func(runtime.Object, error) bool) {
		run := 0
		return func(yield func(runtime.Object, error) bool) {
			run++
			for range counts[run-1] {
				if !yield(partialA(), nil) {
					return
				}
			}
		}
	}
	for _, counts := range [][]int{{6000, 6001}, {6000, 5999}, {6000, 1}, {6000, 0}} {
		if err := rep.EncodeItems(io.Discard, partials(0), repeated(counts...)); !errors.Is(err,
			serializer.ErrListChanged) {
			t.Errorf("a sequence of %d items: %v", counts, err)
		}
	}
	if err := rep.EncodeItems(io.Discard, partials(0), repeated(20)); err != nil {
		t.Errorf("a short sequence: %v", err)
	}
}

func TestEvents(t *testing.T) {
	t.Parallel()
	f := newFactory(t)
	rep, err := f.Negotiate([]string{protobuf.MediaType}, serializer.Offer{Stream: "watch"})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w, err := rep.Events(&b)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Send(metav1.WatchAdded, partialA()); err != nil {
		t.Fatal(err)
	}
	if got, want := hex.EncodeToString(b.Bytes()), "00000051"+"0a0541444445441248"+"0a46"+goldenPartial; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	large := partialA()
	large.Name = strings.Repeat("x", 5000)
	for _, obj := range []runtime.Object{large, partialA()} {
		if err := w.Send(metav1.WatchModified, obj); err != nil {
			t.Fatal(err)
		}
	}
	stream := append(b.Bytes(), 0, 0, 0, 3, 1, 2, 3)
	stream = append(stream, 0, 0, 1, 0, 'x')
	want := []string{
		"ADDED a", " serializer: event 1 at byte 85 of the stream: the event has 5092 bytes, more than 1000; raise Limits.Item to read it", "MODIFIED a",
		" serializer: event 3 at byte 5265 of the stream: at byte 4: ",
		" serializer: event 4 at byte 5272 of the stream: at byte 5: the frame is truncated",
	}
	for name, r := range map[string]io.Reader{
		"whole":    bytes.NewReader(stream),
		"by bytes": iotest.OneByteReader(bytes.NewReader(stream)),
	} {
		e, err := serializer.NewEventReader(r, f, serializer.DecodeOptions{
			MediaType: rep.ContentType(),
			Limits:    schema.Limits{Item: 1000},
		})
		if err != nil {
			t.Fatal(err)
		}
		i := 0
		for event, err := range e.All() {
			text := event.Type + " "
			if p, ok := event.Object.(*metav1.PartialObjectMetadata); ok {
				text += p.Name
			}
			if err != nil {
				text += fmt.Sprint(err)
			}
			if i >= len(want) || !strings.HasPrefix(text, want[i]) {
				t.Errorf("%s: event %d is %q", name, i, text)
			}
			i++
		}
		if i != len(want) {
			t.Errorf("%s: %d events, want %d", name, i, len(want))
		}
	}
}
