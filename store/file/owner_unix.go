//go:build unix

package file

import (
	"os"
	"syscall"
)

// keepOwner gives a file the owner and the group of another one, which info is about.
func keepOwner(path string, info os.FileInfo) error {
	made, err := os.Stat(path)
	if err != nil {
		return err
	}
	from, to := info.Sys().(*syscall.Stat_t), made.Sys().(*syscall.Stat_t)
	if from.Uid == to.Uid && from.Gid == to.Gid {
		return nil
	}
	return os.Chown(path, int(from.Uid), int(from.Gid))
}
