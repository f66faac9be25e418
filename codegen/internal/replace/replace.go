// Package replace changes several files of a tree, all or none.
package replace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Change is the change of one file.
type Change struct {
	// Name is the name of the file.
	Name string
	// Old and New are the contents before and after the change; nil where there is no file.
	Old, New []byte
}

// Writer changes files by two operations, so that a test can let each of them fail.
type Writer struct {
	Rename func(from, to string) error
	Remove func(name string) error
}

// OS is the writer of the operating system.
var OS = Writer{Rename: os.Rename, Remove: os.Remove}

// target is the file of a change: the one that symbolic links lead to, and its permissions.
type target struct {
	Change
	mode      fs.FileMode
	temporary string
}

// Files makes the changes. All new contents are on disk, under temporary names, before the first
// file is replaced, and if replacing one fails, those that have been replaced get their old
// contents back: an error leaves every file as it was. Directories must exist. Files that exist
// keep their permissions, and symbolic links stay.
func (w Writer) Files(changes []Change) (err error) {
	targets := make([]target, len(changes))
	defer func() {
		for _, t := range targets {
			if t.temporary != "" {
				_ = os.Remove(t.temporary)
			}
		}
	}()
	for i, c := range changes {
		t := &targets[i]
		*t = target{Change: c, mode: 0o644}
		if c.Old != nil {
			name, err := filepath.EvalSymlinks(c.Name)
			if removed(err) && c.New == nil {
				continue
			}
			if err != nil {
				return err
			}
			info, err := os.Stat(name)
			if err != nil {
				return err
			}
			t.Name, t.mode = name, info.Mode().Perm()
		}
		if c.New != nil {
			if t.temporary, err = writeTemporary(t.Name, c.New, t.mode); err != nil {
				return err
			}
		}
	}
	for i := range targets {
		t := &targets[i]
		if t.New == nil {
			if err = w.Remove(t.Name); removed(err) {
				err = nil
			}
		} else if err = w.Rename(t.temporary, t.Name); err == nil {
			t.temporary = ""
		}
		if err != nil {
			return errors.Join(fmt.Errorf("no file has changed: %w", err), restore(targets[:i]))
		}
	}
	return nil
}

// removed reports whether a file does not exist. If it was to be removed, another program has done
// that.
func removed(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// restore takes changes back.
func restore(targets []target) error {
	var errs []error
	for _, t := range targets {
		if t.Old == nil {
			errs = append(errs, os.Remove(t.Name))
			continue
		}
		name, err := writeTemporary(t.Name, t.Old, t.mode)
		if err == nil {
			err = os.Rename(name, t.Name)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s has changed and could not be restored: %w", t.Name, err))
		}
	}
	return errors.Join(errs...)
}

func writeTemporary(target string, data []byte, mode fs.FileMode) (name string, err error) {
	// A leading dot hides the file from the go command should it be left behind.
	f, err := os.CreateTemp(filepath.Dir(target), ".askind-*")
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Chmod(mode)
	}
	if err := errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(f.Name())
		return "", err
	}
	return f.Name(), nil
}
