//go:build unix

package file_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/askind/askind/store/file"
)

// TestRewriteKeepsOwner has root compact the file of a service, which could not open it afterwards.
func TestRewriteKeepsOwner(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "db")
	if err := open(t, path).Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(path, 12345, 12346); err != nil {
		t.Skip(err) // only root may
	}
	if err := file.Compact(path); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if s := info.Sys().(*syscall.Stat_t); s.Uid != 12345 || s.Gid != 12346 {
		t.Errorf("the file belongs to %d:%d", s.Uid, s.Gid)
	}
}
