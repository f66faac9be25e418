//go:build linux || darwin

package file_test

import (
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// limitSize has writes of this process fail beyond a size of files, as on a full disk.
func limitSize(limit uint64) error {
	signal.Ignore(syscall.SIGXFSZ)
	return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: limit, Max: limit})
}

// A disk that is full ends the engine with a clear error, and loses nothing.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "db")
	acked, failure := runChild(t, path, 0, childVariable+"_LIMIT=writes")
	if !strings.Contains(failure, "file too large") || !strings.Contains(failure, "a write failed") || len(acked) == 0 {
		t.Fatalf("%d keys were written, %s", len(acked), failure)
	}
	check(t, path, acked)
}

// A file that cannot be created, because the disk is full, is created once there is room.
func TestFullDiskOfANewFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "db")
	if _, failure := runChild(t, path, 0, childVariable+"_LIMIT=new"); !strings.Contains(failure, "file too large") {
		t.Fatal(failure)
	}
	if err := open(t, path).Close(); err != nil {
		t.Fatal(err)
	}
}
