package codegen

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/askind/askind/codegen/internal/emit"
	"github.com/askind/askind/codegen/internal/load"
)

// ErrDiagnostics is returned by [Write] and [Check] for a result with errors, which has no files to
// speak of.
var ErrDiagnostics = errors.New("codegen: the sources have errors, nothing is written")

// State says how a file in the tree differs from the result.
type State uint8

const (
	// Stale files have other bytes than the result.
	Stale State = iota
	// Absent files do not exist yet.
	Absent
	// Obsolete files are ours but no longer produced.
	Obsolete
	// Foreign files stand where one of ours belongs, but do not begin with its header. They are
	// never replaced.
	Foreign
)

// String returns the state in one word.
func (s State) String() string {
	return [...]string{"stale", "missing", "obsolete", "not generated"}[s]
}

// Change is one file that differs.
type Change struct {
	// Path is relative to the directory of the result.
	Path  string
	State State
	// Old and New are the contents in the tree and in the result; nil where there is none.
	Old, New []byte
}

// Check compares the tree with the result and returns what differs, in order of path. It writes
// nothing and does not ask version control, so untracked and deleted files count.
func Check(r *Result) ([]Change, error) {
	if r.HasErrors() {
		return nil, ErrDiagnostics
	}
	if r.Unchanged {
		return nil, nil
	}
	var out []Change
	for path, want := range r.All() {
		got, err := os.ReadFile(filepath.Join(r.Dir, path))
		switch {
		case errors.Is(err, os.ErrNotExist):
			out = append(out, Change{Path: path, State: Absent, New: want})
		case err != nil:
			return nil, err
		case !load.HasHeader(got, emit.Header):
			out = append(out, Change{Path: path, State: Foreign, Old: got, New: want})
		case !bytes.Equal(got, want):
			out = append(out, Change{Path: path, State: Stale, Old: got, New: want})
		}
	}
	for _, path := range r.Obsolete {
		got, err := os.ReadFile(filepath.Join(r.Dir, path))
		if err != nil {
			return nil, err
		}
		out = append(out, Change{Path: path, State: Obsolete, Old: got})
	}
	slices.SortFunc(out, func(a, b Change) int { return bytes.Compare([]byte(a.Path), []byte(b.Path)) })
	if len(out) == 0 {
		r.remember()
	}
	return out, nil
}

// Write brings the tree to the state of the result and returns what it changed. Files whose bytes
// are right already are not touched. All new contents are on disk, under temporary names, before
// the first file is replaced, and if replacing one fails, those that have been replaced get their
// old contents back: an error leaves every file as it was.
func Write(r *Result) ([]Change, error) {
	return writer{rename: os.Rename, remove: os.Remove}.write(r)
}

// writer changes files by two operations, so that a test can let each of them fail.
type writer struct {
	rename func(from, to string) error
	remove func(name string) error
}

func (w writer) write(r *Result) (changes []Change, err error) {
	changes, err = Check(r)
	if err != nil {
		return nil, err
	}
	for _, c := range changes {
		if c.State == Foreign {
			return nil, fmt.Errorf("codegen: %s was not written by askind; delete it if another "+
				"generator wrote it, or move its contents to another file", c.Path)
		}
	}
	temporary := map[string]string{}
	defer func() {
		for _, name := range temporary {
			_ = os.Remove(name)
		}
	}()
	for _, c := range changes {
		if c.State == Obsolete {
			continue
		}
		name, err := writeTemporary(filepath.Join(r.Dir, c.Path), c.New)
		if err != nil {
			return nil, err
		}
		temporary[c.Path] = name
	}
	for i, c := range changes {
		target := filepath.Join(r.Dir, c.Path)
		if c.State == Obsolete {
			err = w.remove(target)
		} else if err = w.rename(temporary[c.Path], target); err == nil {
			delete(temporary, c.Path)
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("codegen: no file has changed: %w", err), restore(r.Dir, changes[:i]))
		}
	}
	if len(changes) > 0 {
		r.remember()
	}
	return changes, nil
}

// restore takes changes back.
func restore(dir string, changes []Change) error {
	var errs []error
	for _, c := range changes {
		target := filepath.Join(dir, c.Path)
		if c.State == Absent {
			errs = append(errs, os.Remove(target))
			continue
		}
		name, err := writeTemporary(target, c.Old)
		if err == nil {
			err = os.Rename(name, target)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("codegen: %s has changed and could not be restored: %w", c.Path, err))
		}
	}
	return errors.Join(errs...)
}

func writeTemporary(target string, data []byte) (name string, err error) {
	// A leading dot hides the file from the go command should it be left behind.
	f, err := os.CreateTemp(filepath.Dir(target), ".askind-*")
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Chmod(0o644)
	}
	if err := errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(f.Name())
		return "", err
	}
	return f.Name(), nil
}
