package codegen

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/askind/askind/codegen/internal/load"
	"github.com/askind/askind/codegen/internal/replace"
)

// If all inputs and outputs are unchanged since a run with the same settings found nothing to do,
// then there is nothing to do again. A [memory] records what has to be unchanged: the sizes and
// times of all files that a run may read or write. Files of the standard library and the module
// cache never change, and go.mod and the go command determine which of them are read.
//
// A run is not recorded if it found errors, if it changed a file afterwards, or if a file was
// changed during the run.

// memory is the record of a run, stored as JSON in a file that is named after the settings of the
// run.
type memory struct {
	load.Sources
	// Files maps file names to their state, including files that must not exist.
	Files map[string]stamp
	// Diagnostics holds warnings, and Log the lines about hand-written functions.
	Diagnostics []*Diagnostic
	Log         []string
}

// stamp identifies a state of a file. A file that does not exist has the stamp {Size: -1}.
type stamp struct {
	Size int64
	Time int64
	// Sum is the hash of the contents if the modification time is too recent to detect later
	// changes.
	Sum string `json:",omitempty"`
}

// fresh is how long after a change another change may leave the modification time the same, on file
// systems that round times to seconds.
const fresh = 2 * time.Second

// memo holds what is needed to record a result.
type memo struct {
	file    string
	started time.Time
	sources load.Sources
	outputs map[string]bool
	diags   []*Diagnostic
	log     []string
	extra   []string
}

// memoryFile returns the name of the record for runs like this one, or "" if such runs are not
// recorded.
func (r *run) memoryFile() string {
	if r.cfg.Cache == "" {
		return ""
	}
	env := r.cfg.Env
	// The go command reads more variables from a file, see go help env.
	config := ""
	if dir, err := os.UserConfigDir(); err == nil {
		config = filepath.Join(dir, "go", "env")
	}
	for _, v := range env {
		if name, ok := strings.CutPrefix(v, "GOENV="); ok && name != "" {
			config = name
		}
	}
	if text, err := os.ReadFile(config); err == nil {
		env = slices.Concat(env, strings.Split(string(text), "\n"))
	}
	var variables []string
	for _, v := range env {
		if strings.HasPrefix(v, "GO") || strings.HasPrefix(v, "CGO") {
			variables = append(variables, v)
		}
		// These flags name files in arbitrary places.
		if strings.HasPrefix(v, "GOFLAGS=") && (strings.Contains(v, "-modfile") || strings.Contains(v, "-overlay")) {
			return ""
		}
	}
	slices.Sort(variables)
	tool, err := os.Executable()
	if err != nil {
		return ""
	}
	command, err := exec.LookPath("go")
	if err != nil {
		return ""
	}
	key, err := json.Marshal(map[string]any{
		"env": variables, "tools": map[string]stamp{tool: stampOf(tool), command: stampOf(command)},
		"dir": r.result.Dir, "patterns": r.cfg.Patterns, "only": r.cfg.Only,
		"accept losses": r.cfg.AcceptLosses, "strict": r.cfg.Strict,
	})
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(key)
	return filepath.Join(r.cfg.Cache, hex.EncodeToString(sum[:16])+".json")
}

// recall fills in the result if nothing has changed since a run like this one was recorded.
func (r *run) recall(file string) bool {
	data, err := os.ReadFile(file)
	if err != nil {
		return false
	}
	var m memory
	if json.Unmarshal(data, &m) != nil {
		return false
	}
	// Exactly the recorded files must exist now.
	now := map[string]stamp{}
	if err := scan(m.Sources, func(name string, s stamp) { now[name] = s }); err != nil {
		return false
	}
	for name := range now {
		if _, ok := m.Files[name]; !ok {
			return false
		}
	}
	for name, was := range m.Files {
		is, ok := now[name]
		if !ok {
			is = stampOf(name)
		}
		if is.Size != was.Size || is.Time != was.Time || was.Sum != "" && sumOf(name) != was.Sum {
			return false
		}
	}
	r.result.Unchanged = true
	r.diags.Restore(m.Diagnostics)
	for _, line := range m.Log {
		r.cfg.Log(line)
	}
	r.phase("nothing has changed in %d files since the last run", len(m.Files))
	return true
}

// remember records the run, so that the next one can find out that nothing has changed. It ignores
// errors, which do not affect the run itself.
func (r *Result) remember() {
	n := r.memo
	if n == nil || r.HasErrors() {
		return
	}
	m := memory{Sources: n.sources, Files: map[string]stamp{}, Diagnostics: n.diags, Log: n.log}
	saved := time.Now()
	changed := false
	note := func(name string, s stamp) {
		at := time.Unix(0, s.Time)
		if !n.outputs[name] && s.Size >= 0 {
			// A file written after the run began may differ from what the run has read.
			limit := n.started.Add(-10 * time.Millisecond)
			if at.Nanosecond() == 0 {
				limit = n.started.Add(-fresh)
			}
			changed = changed || !at.Before(limit)
		}
		if saved.Sub(at) < fresh && s.Size >= 0 {
			s.Sum = sumOf(name)
		}
		m.Files[name] = s
	}
	if err := scan(n.sources, note); err != nil {
		return
	}
	for _, name := range slices.Concat(n.extra, slices.Sorted(maps.Keys(n.outputs))) {
		if _, ok := m.Files[name]; !ok {
			note(name, stampOf(name))
		}
	}
	if changed {
		return
	}
	data, err := json.Marshal(m)
	if err != nil || os.MkdirAll(filepath.Dir(n.file), 0o755) != nil {
		return
	}
	if old, err := os.ReadFile(n.file); err == nil && bytes.Equal(old, data) {
		return
	}
	_ = replace.OS.Files([]replace.Change{{Name: n.file, New: data}})
	forget(filepath.Dir(n.file), saved.Add(-forgotten))
}

// forgotten is how long the record of an unrepeated run is kept.
const forgotten = 30 * 24 * time.Hour

// forget removes the records of runs before a time.
func forget(dir string, before time.Time) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && filepath.Ext(e.Name()) == ".json" && info.ModTime().Before(before) {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

// keep stores in the result what [Result.remember] needs.
func (r *run) keep(program *load.Program, file string) {
	n := &memo{
		file: file, started: r.started, sources: program.Sources(), outputs: map[string]bool{},
		diags: r.diags.Sorted(), log: r.notes,
	}
	for path := range r.result.Files {
		name := filepath.Join(r.result.Dir, filepath.FromSlash(path))
		n.outputs[filepath.Join(load.Resolved(filepath.Dir(name)), filepath.Base(name))] = true
	}
	// The nearest go.mod and go.work determine the main modules.
	for dir := r.result.Dir; ; dir = filepath.Dir(dir) {
		n.extra = append(n.extra, filepath.Join(dir, "go.mod"), filepath.Join(dir, "go.work"),
			filepath.Join(dir, "go.work.sum"))
		if dir == filepath.Dir(dir) {
			break
		}
	}
	for _, v := range r.cfg.Env {
		if work, ok := strings.CutPrefix(v, "GOWORK="); ok && filepath.IsAbs(work) {
			n.extra = append(n.extra, work)
		}
	}
	for _, tree := range n.sources.Trees {
		n.extra = append(n.extra, filepath.Join(tree, "vendor", "modules.txt"))
	}
	n.extra = append(n.extra, n.sources.Files...)
	r.result.memo = n
}

// scan calls f for every file of the sources that a run may look at.
func scan(s load.Sources, f func(name string, s stamp)) error {
	for _, tree := range s.Trees {
		err := filepath.WalkDir(tree, func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case !d.IsDir():
				if relevant(d.Name()) {
					f(name, stampOf(name))
				}
				return nil
			case name == tree:
				return nil
			}
			if load.IsIgnored(d.Name()) {
				return filepath.SkipDir
			}
			if mod := stampOf(filepath.Join(name, "go.mod")); mod.Size >= 0 {
				// This is another module. Record that it is one.
				f(filepath.Join(name, "go.mod"), mod)
				return filepath.SkipDir
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	for _, dir := range s.Dirs {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if relevant(e.Name()) {
				name := filepath.Join(dir, e.Name())
				f(name, stampOf(name))
			}
		}
	}
	return nil
}

// relevant reports whether a run may look at files with a name.
func relevant(base string) bool {
	switch base {
	case "go.mod", "go.sum", "go.work", "go.work.sum", LedgerName, LossesName:
		return true
	}
	return strings.HasSuffix(base, ".go") && !strings.HasSuffix(base, "_test.go")
}

func stampOf(name string) stamp {
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return stamp{Size: -1}
	case err != nil:
		return stamp{Size: -2}
	}
	return stamp{Size: info.Size(), Time: info.ModTime().UnixNano()}
}

func sumOf(name string) string {
	data, err := os.ReadFile(name)
	if err != nil {
		return "unreadable"
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
