package serializer

import (
	"strings"
	"testing"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer/json"
)

// TestLargeBuffersAreNotKept checks that one large object does not stay in memory for ever.
func TestLargeBuffersAreNotKept(t *testing.T) {
	t.Parallel()
	var f Factory
	for range 100 { // a pool may drop what it gets
		large := make([]byte, 0, maxPooled+1)
		f.release(&large)
		if got := f.buffer(); cap(*got) > maxPooled {
			t.Fatalf("a buffer of %d bytes was kept", cap(*got))
		}
	}
}

// TestLargeEventsAreNotKept does so for one large event of a watch.
func TestLargeEventsAreNotKept(t *testing.T) {
	t.Parallel()
	scheme, err := runtime.NewScheme(metav1.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	f, err := NewFactory(scheme, json.Format())
	if err != nil {
		t.Fatal(err)
	}
	event := func(n int) string {
		return `{"type":"ADDED","object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"` +
			strings.Repeat("x", n) + "\"}}}\n"
	}
	o := DecodeOptions{MediaType: "application/json"}
	r, err := NewEventReader(strings.NewReader(event(maxPooled)+event(1)), f, o)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := r.next(); err != nil {
			t.Fatal(err)
		}
	}
	if cap(r.in.Buf) > maxPooled {
		t.Errorf("a buffer of %d bytes was kept", cap(r.in.Buf))
	}
}
