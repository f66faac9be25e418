//go:build linux || darwin

package file_test

import (
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// limitSize has writes of this process fail beyond 64 KiB more than the file has, as on a full
// disk.
func limitSize(path string) error {
	signal.Ignore(syscall.SIGXFSZ)
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	limit := uint64(info.Size()) + 64<<10
	return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: limit, Max: limit})
}

// A disk that is full ends the engine with a clear error, and loses nothing.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "db")
	acked, failure := runChild(t, path, 0, childVariable+"_LIMIT=1")
	if !strings.Contains(failure, "file too large") || !strings.Contains(failure, "a write failed") || len(acked) == 0 {
		t.Fatalf("%d keys were written, %s", len(acked), failure)
	}
	check(t, path, acked)
}
