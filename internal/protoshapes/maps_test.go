package protoshapes

import (
	goruntime "runtime"
	"strings"
	"testing"

	"github.com/askind/askind/internal/race"
	"github.com/askind/askind/wire/pbwire"
)

// TestMapsOfOneKey reads maps of which all entries have the same key, and as few bytes as can be:
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
