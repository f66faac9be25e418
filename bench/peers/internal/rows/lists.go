package rows

import (
	"bytes"
	"runtime"

	kruntime "k8s.io/apimachinery/pkg/runtime"
	kschema "k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/askind/askind/bench/peers/internal/compare"
	"github.com/askind/askind/serializer"
)

// listRows are whole lists written to a connection, as servers write them: to an io.Writer, so that
// what a library collects before it writes is a part of what it allocates.
func listRows(w *world) []*compare.Row {
	var out []*compare.Row
	for _, s := range samples() {
		if s.name != "pods-500" && s.name != "pods-5000" {
			continue
		}
		for _, format := range []string{"json", "protobuf", "cbor"} {
			row := newRow("Lists written to a connection", "write-list/"+format+"/"+s.name,
				w.oursSends(&s, mediaTypes[format]), w.kubeSends(&s, mediaTypes[format]))
			row.Heavy = s.heavy
			out = append(out, row)
		}
	}
	return out
}

// connection counts what is written to it. While it records it keeps that, too, and while it weighs
// it looks how much the heap holds.
type connection struct {
	size    int
	records bool
	kept    bytes.Buffer

	weighs       bool
	writes, next int
	heap         float64
}

func (c *connection) Write(p []byte) (int, error) {
	c.size += len(p)
	if c.writes++; c.weighs && c.writes >= c.next {
		c.heap, c.next = max(c.heap, heap()), 2*c.writes
	}
	if c.records {
		return c.kept.Write(p)
	}
	return len(p), nil
}

// heap returns how many bytes the heap holds that are in use, in pools too.
func heap() float64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

// weigh returns what the heap holds at most beyond what it holds before. It is looked at in the
// first call of Write, the second, the fourth and so on, since a collection takes long; what is
// garbage then does not count.
func weigh(send func(c *connection) error) (float64, error) {
	for range 2 { // so that pools are empty
		runtime.GC()
	}
	before := heap()
	c := connection{weighs: true}
	err := send(&c)
	return max(1, c.heap-before), err
}

// sending returns the work of writing to a connection.
func sending(send func(c *connection) error) (compare.Work, error) {
	c := new(connection)
	if err := send(c); err != nil {
		return compare.Work{}, err
	}
	return compare.Work{
		Size: c.size,
		Run:  func() error { return send(c) },
		Result: func() ([]byte, error) {
			record := connection{records: true}
			err := send(&record)
			return bytes.TrimSuffix(record.kept.Bytes(), []byte("\n")), err
		},
		Heap: func() (float64, error) { return weigh(send) },
	}, nil
}

func (w *world) oursSends(s *sample, mediaType string) compare.Subject {
	return w.oursWith(s, func(obj any) (compare.Work, error) {
		o := serializer.EncodeOptions{MediaType: mediaType, Version: s.kind.GroupVersion()}
		return sending(func(c *connection) error { return w.ours.Encode(c, obj, o) })
	})
}

// kubeSends writes with an allocator that is kept, as API servers do, where the format takes one.
func (w *world) kubeSends(s *sample, mediaType string) compare.Subject {
	return w.kubeWith(s, func(obj kruntime.Object) (compare.Work, error) {
		encoder := w.encoder(mediaType, kschema.GroupVersion(s.kind.GroupVersion()))
		if e, ok := encoder.(kruntime.EncoderWithAllocator); ok {
			return sending(func(c *connection) error { return e.EncodeWithAllocator(obj, c, &w.memory) })
		}
		return sending(func(c *connection) error { return encoder.Encode(obj, c) })
	})
}
