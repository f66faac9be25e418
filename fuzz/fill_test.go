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
	lists := [][]byte{nil}
	got := values{map[string]octets{"a": nil, "b": {1}}, map[string]*octets{"a": &null}, lists}
	collapse(reflect.ValueOf(&got))
	want := values{map[string]octets{"a": {}, "b": {1}}, map[string]*octets{"a": nil}, lists}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %#v, want %#v", got, want)
	}
}
