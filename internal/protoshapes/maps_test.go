package protoshapes

import (
	goruntime "runtime"
	"strings"
	"testing"

	"github.com/askind/askind/internal/race"
	"github.com/askind/askind/wire/pbwire"
)

// TestMapEntryWithoutValue: what an entry does not state is the zero value of protobuf, which for
// bytes is empty and not nil.
func TestMapEntryWithoutValue(t *testing.T) {
	t.Parallel()
	for name, entry := range map[string]string{"key alone": "\x2a\x03\x0a\x01k", "empty": "\x2a\x05\x0a\x01k\x12\x00"} {
		r, out := pbwire.NewReader([]byte(entry), pbwire.Options{}), new(Maps)
		DecodeProtoMaps(r, out)
		if got, ok := out.Blobs["k"]; !ok || got == nil || len(got) > 0 || r.Err() != nil {
			t.Errorf("%s: %#v, error %v", name, out.Blobs, r.Err())
		}
	}
}

// TestMapsOfOneKey reads maps whose entries all have the same key and as few bytes as possible:
// they get no room for each. It is not parallel, because allocations are counted for the whole
// process.
func TestMapsOfOneKey(t *testing.T) {
	if race.Enabled {
		t.Skip("what is read takes other memory")
	}
	const n = 1 << 17
	for name, tag := range map[string]string{
		"strings": "\x0a", "numbers": "\x22", "lists": "\x2a", "messages": "\x32",
		"large messages": "\x7a",
	} {
		data := []byte(strings.Repeat(tag+"\x00", n/2))
		var before, after goruntime.MemStats
		goruntime.ReadMemStats(&before)
		r, out := pbwire.NewReader(data, pbwire.Options{}), new(Maps)
		DecodeProtoMaps(r, out)
		goruntime.ReadMemStats(&after)
		if got := float64(after.TotalAlloc-before.TotalAlloc) / n; got > 40 || r.Err() != nil {
			t.Errorf("%s: %.1f bytes are allocated for each byte of the input, error %v", name, got, r.Err())
		}
	}
}
