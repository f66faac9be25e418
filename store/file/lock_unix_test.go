//go:build unix

package file_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/askind/askind/store/file"
)

// TestFileThatIsBeingCreated checks that a process which does not get the lock leaves alone what
// another one has begun to write.
func TestFileThatIsBeingCreated(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "db")
	other, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if err := syscall.Flock(int(other.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	written := make(chan error, 1)
	go func() {
		time.Sleep(100 * time.Millisecond) // until the file has been opened
		_, err := other.WriteString("a part of it")
		written <- err
	}()
	if _, err := file.Open(path, file.Wait(500*time.Millisecond)); !errors.Is(err, file.ErrInUse) {
		t.Errorf("got %v", err)
	}
	if err := <-written; err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "a part of it" {
		t.Errorf("the file has %q, %v", got, err)
	}
}
