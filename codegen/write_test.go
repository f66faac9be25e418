package codegen

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/askind/askind/codegen/internal/emit"
	"github.com/askind/askind/codegen/internal/replace"
)

// TestFailuresLeaveFilesAlone lets each operation of a write fail in turn.
func TestFailuresLeaveFilesAlone(t *testing.T) {
	t.Parallel()
	ours := func(text string) []byte { return []byte(emit.Header + "\n\n" + text) }
	injected := errors.New("the disk is full")
	for fail := 0; ; fail++ {
		dir := t.TempDir()
		for name, data := range map[string][]byte{
			"a/same.go": ours("same"), "a/stale.go": ours("old"), "b/obsolete.go": ours("obsolete"),
			"b/stale.go": ours("older"), "b/types.go": []byte("package b\n"),
		} {
			if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		before := contents(t, dir)
		result := &Result{Dir: dir, Obsolete: []string{"b/obsolete.go"}, Files: map[string][]byte{
			"a/new.go": ours("new"), "a/same.go": ours("same"), "a/stale.go": ours("fresh"),
			"b/stale.go": ours("fresher"), "b/new.go": ours("newer"),
		}}
		n := 0
		next := func() error {
			n++
			if n > fail {
				return injected
			}
			return nil
		}
		_, err := write(result, replace.Writer{
			Rename: func(from, to string) error { return errors.Join(next(), renameUnless(n > fail, from, to)) },
			Remove: func(name string) error {
				if err := next(); err != nil {
					return err
				}
				return os.Remove(name)
			},
		})
		after := contents(t, dir)
		if err == nil {
			if fail != 5 {
				t.Errorf("%d operations, want 5", fail)
			}
			if after["a/new.go"] != string(ours("new")) || after["b/obsolete.go"] != "" ||
				after["b/stale.go"] != string(ours("fresher")) {
				t.Errorf("without a failure: %v", after)
			}
			return
		}
		if !errors.Is(err, injected) || !strings.Contains(err.Error(), "no file has changed") {
			t.Errorf("operation %d: %v", fail, err)
		}
		if !maps.Equal(before, after) {
			t.Errorf("operation %d: the tree changed:\n%v\n%v", fail, before, after)
		}
	}
}

// TestRemovedByAnother lets another run remove an obsolete file: before the comparison, or just
// before this run does.
func TestRemovedByAnother(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text := []byte(emit.Header + "\n\npackage a\n")
	if err := os.WriteFile(filepath.Join(dir, "b.go"), text, 0o644); err != nil {
		t.Fatal(err)
	}
	result := &Result{Dir: dir, Files: map[string][]byte{"a.go": text}, Obsolete: []string{"b.go", "c.go"}}
	changes, err := write(result, replace.Writer{Rename: os.Rename, Remove: func(name string) error {
		return errors.Join(os.Remove(name), os.Remove(name))
	}})
	if err != nil || len(changes) != 2 {
		t.Error(changes, err)
	}
	if after := contents(t, dir); !maps.Equal(after, map[string]string{"a.go": string(text)}) {
		t.Error(after)
	}
}

// TestLineEnds compares files as Git writes them with core.autocrlf.
func TestLineEnds(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	result := &Result{Dir: dir, Files: map[string][]byte{}}
	for _, name := range []string{"same.go", "stale.go"} {
		text := emit.Header + "\n\npackage a\n"
		result.Files[name] = []byte(text)
		if name == "stale.go" {
			text = strings.Replace(text, "package a", "package b", 1)
		}
		text = strings.ReplaceAll(text, "\n", "\r\n")
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	changes, err := Write(result)
	if err != nil || len(changes) != 1 || changes[0].Path != "stale.go" {
		t.Fatal(changes, err)
	}
	if diff := Diff(changes[0]); strings.Contains(diff, "\r") || !strings.Contains(diff, "\n \n-package b\n+package a\n") {
		t.Errorf("%q", diff)
	}
	if changes, err := Check(result); err != nil || len(changes) > 0 {
		t.Error(changes, err)
	}
}

func renameUnless(failed bool, from, to string) error {
	if failed {
		return nil
	}
	return os.Rename(from, to)
}

// contents reads all files below a directory, temporary ones too.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		files[strings.TrimPrefix(path, dir+"/")] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
