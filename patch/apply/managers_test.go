package apply

import (
	"runtime"
	"strings"
	"testing"

	"github.com/askind/askind/patch/internal/tree"
)

// TestMalformedManagers reads many empty entries. The first one is malformed, so that nothing needs
// room for the others. It is not parallel, because allocations are counted for the whole process.
func TestMalformedManagers(t *testing.T) {
	const n = 100_000
	list := tree.Sound("[" + strings.Repeat("{},", n-1) + "{}]")
	list.Open()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := parseManagers(&list)
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > n || err == nil {
		t.Errorf("%d bytes are allocated for %d empty entries, error %v", got, n, err)
	}
}
