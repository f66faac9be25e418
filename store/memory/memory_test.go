package memory_test

import (
	"testing"
	"time"

	"github.com/askind/askind/store"
	"github.com/askind/askind/store/memory"
	"github.com/askind/askind/store/storetest"
)

func TestEngine(t *testing.T) {
	t.Parallel()
	storetest.Kit{Open: func(testing.TB) store.Engine { return memory.New() }}.Run(t)
}

// Revisions of a former life are below all that an engine knows.
func TestRevisionsBeginNow(t *testing.T) {
	t.Parallel()
	before := uint64(time.Now().UnixMicro())
	revision, err := memory.New().Revision(t.Context())
	if err != nil || revision < before || revision > uint64(time.Now().UnixMicro()) {
		t.Errorf("revision %d, %v; it is %d", revision, err, before)
	}
}
