package fuzz

import (
	"reflect"
	"testing"
)

// TestCollapse checks that values which a format reads as others are replaced by them.
func TestCollapse(t *testing.T) {
	t.Parallel()
	type octets []byte
	type values struct {
		Maps     map[string]octets
		Pointers map[string]*octets
		Lists    [][]byte
	}
	var null octets
	got := values{Maps: map[string]octets{"a": nil, "b": {1}}, Pointers: map[string]*octets{"a": &null}, Lists: [][]byte{nil}}
	collapse(reflect.ValueOf(&got))
	want := values{Maps: map[string]octets{"a": {}, "b": {1}}, Pointers: map[string]*octets{"a": nil}, Lists: [][]byte{nil}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %#v, want %#v", got, want)
	}
}
