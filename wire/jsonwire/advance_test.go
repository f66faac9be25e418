package jsonwire

import (
	"testing"

	"github.com/askind/askind/schema"
)

func TestAdvance(t *testing.T) {
	t.Parallel()
	const text = `{"a":{"x":[1]},"b":2}`
	r := NewReader([]byte(text), Options{Limits: schema.Limits{Depth: 9}})
	if key := r.Object(); string(key) != "a" || r.Depth() != 1 || r.MaxDepth() != 9 {
		t.Fatalf("key %q, depth %d of %d", key, r.Depth(), r.MaxDepth())
	}
	r.Advance(len(`{"x":[1]}`))
	if key := r.NextKey(); string(key) != "b" || r.Int64(0) != 2 || r.NextKey() != nil {
		t.Errorf("key %q, %v", key, r.Problems())
	}
	if r.End(); len(r.Problems()) > 0 {
		t.Error(r.Problems())
	}
	// Even what is not there cannot be read.
	r.Reset([]byte(text), Options{})
	r.Object()
	r.Advance(100)
	if r.Offset() != len(text) || r.NextKey() != nil || r.Err() == nil {
		t.Errorf("offset %d, %v", r.Offset(), r.Err())
	}
}
