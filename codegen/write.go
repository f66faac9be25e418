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
	"github.com/askind/askind/codegen/internal/replace"
)

// ErrDiagnostics is returned by [Write] and [Check] for a result with errors, which has no files to
// speak of.
var ErrDiagnostics = errors.New("codegen: the sources have errors, nothing is written")

// State says how a file in the tree differs from the result.
type State uint8

const (
	// Stale files have another text than the result.
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

// Check compares the tree with the result and returns what differs, in order of path. Lines may end
// with CRLF. It writes nothing and does not ask version control, so untracked and deleted files
// count.
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
		case !bytes.Equal(unixLines(got), want):
			out = append(out, Change{Path: path, State: Stale, Old: got, New: want})
		}
	}
	for _, path := range r.Obsolete {
		got, err := os.ReadFile(filepath.Join(r.Dir, path))
		if errors.Is(err, os.ErrNotExist) {
			continue // another run has removed it since
		}
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

// unixLines returns a text without the carriage returns that Git adds in a checkout with
// core.autocrlf.
func unixLines(text []byte) []byte { return bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")) }

// Write brings the tree to the state of the result and returns what it changed. Files whose text
// is right already are not touched. All new contents are on disk, under temporary names, before
// the first file is replaced, and if replacing one fails, those that have been replaced get their
// old contents back: an error leaves every file as it was.
func Write(r *Result) ([]Change, error) {
	return write(r, replace.OS)
}

func write(r *Result, w replace.Writer) ([]Change, error) {
	changes, err := Check(r)
	if err != nil {
		return nil, err
	}
	files := make([]replace.Change, len(changes))
	for i, c := range changes {
		if c.State == Foreign {
			return nil, fmt.Errorf("codegen: %s was not written by askind; delete it if another "+
				"generator wrote it, or move its contents to another file", c.Path)
		}
		files[i] = replace.Change{Name: filepath.Join(r.Dir, c.Path), Old: c.Old, New: c.New}
	}
	if err := w.Files(files); err != nil {
		return nil, fmt.Errorf("codegen: %w", err)
	}
	if len(changes) > 0 {
		r.remember()
	}
	return changes, nil
}
