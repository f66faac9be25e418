// Package codegen is the generator of askind as a library: packages in, files and diagnostics out.
//
// [Run] loads the packages that match the patterns, finds the types to generate code for, and
// returns the files to be placed next to them. It writes nothing. [Write] writes the files, and
// [Check] reports how the tree differs from them.
//
// # Input
//
// A package is selected by +groupName or +askind:generate in its package comment. Its kinds are the
// structs marked +kubebuilder:object:root=true or +askind:kind, and the lists of such kinds.
// Functions are generated for the kinds, for exported structs with JSON tags, for types with the
// marker +askind:generate, and for all types that these reach.
//
// # Output
//
// There is one file for each package and concern, named zz_generated.<concern>.go: deepcopy,
// defaults, export, json, protobuf, conversion, as, describe, view and register. They consist of
// plain package functions with stable names, which call each other directly: DeepCopyIntoMachine,
// AppendJSONMachine, DecodeJSONMachine. If the package already has a function with the right name
// and signature, it is used instead of a generated one.
//
// Packages and types marked +askind:protobuf also have protobuf functions, and a file
// generated.proto ([LedgerName]) with the messages. Field numbers come from protobuf tags or, for
// fields without one, from that file, to which new fields are added: keep it under version control.
//
// Losses of conversions are recorded in a file called zz_generated.losses.txt ([LossesName]), one
// line for each field and direction. The file is an input too: a loss that it does not list is an
// error until it is accepted ([Config.AcceptLosses]). When the conversions of a package are
// generated for the first time, the file is created with all losses.
//
// # Types that cannot be edited
//
// A package whose comment has +askind:foreign=k8s.io/api/core/v1 gets the functions for the types
// of that package, under the same names, and AddTo for its kinds. Deep copy methods of the types
// are used, and functions that the package defines by hand for leaf types take precedence, as
// everywhere. Protobuf functions are generated if the foreign package has protobuf code from
// another generator, or with the marker +askind:protobuf, and take field numbers from the tags
// there. Other packages of the module find the functions by the marker, so types that several API
// packages share are generated once. Object and list metadata with the layout of meta/v1 is exposed
// as such, by a conversion that stops compiling when either side changes.
//
// # Guarantees
//
// The output is a function of the sources: it contains no dates, no absolute paths and nothing that
// depends on the order of a map. If the input has errors, no file changes, and all findings are
// reported at once, each with its position. Function bodies are ignored, and so is earlier output,
// except for the records of field numbers and losses. A tree whose generated files are missing,
// stale or in conflict is therefore valid input.
//
// Package runtime defines what generated code registers, package wire/jsonwire what it calls.
package codegen

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/askind/askind/codegen/internal/diag"
	"github.com/askind/askind/codegen/internal/emit"
	"github.com/askind/askind/codegen/internal/feature"
	"github.com/askind/askind/codegen/internal/feature/conversion"
	"github.com/askind/askind/codegen/internal/feature/protobuf"
	"github.com/askind/askind/codegen/internal/guard"
	"github.com/askind/askind/codegen/internal/lint"
	"github.com/askind/askind/codegen/internal/load"
	"github.com/askind/askind/codegen/internal/model"
	"github.com/askind/askind/schema"
)

// Diagnostic is one finding about the input.
type Diagnostic = diag.Diagnostic

// Config holds the input and options of a run.
type Config struct {
	// Dir is the directory in which patterns are resolved and to which paths are relative. Blank
	// means the current directory.
	Dir string
	// Patterns are package patterns as the go command takes them; none means the package in Dir.
	Patterns []string
	// Only limits the run to some concerns; none means all. Files of other concerns are left alone.
	Only []string
	// AcceptLosses records losses of conversions that are not yet in the record of their package,
	// [LossesName]. Otherwise they are errors.
	AcceptLosses bool
	// Strict makes every warning an error.
	Strict bool
	// Cache is a directory that records runs that left nothing to do, so that the next run with the
	// same settings can find out within milliseconds that nothing has changed. If it is blank, runs
	// are not recorded.
	Cache string
	// Env is the environment of the go command; nil means that of the process.
	Env []string
	// Log, if set, receives lines about the progress of the run: phases with their time, and the
	// hand-written functions that are used instead of generated ones.
	Log func(line string)
}

// Result is the result of a run.
type Result struct {
	// Dir is the absolute directory to which the paths below are relative.
	Dir string
	// Files maps paths, relative to Dir with slashes, to contents. It is empty if there are errors.
	Files map[string][]byte
	// Unchanged reports that all files are as a recorded run left them, so there is nothing to
	// write. Files is empty then.
	Unchanged bool
	// Obsolete lists files with the generator's header that the run did not produce, sorted.
	Obsolete []string
	// Diagnostics in order of position, each once.
	Diagnostics []*Diagnostic

	memo *memo
}

// HasErrors reports whether a diagnostic is an error, in which case nothing may be written.
func (r *Result) HasErrors() bool {
	return slices.ContainsFunc(r.Diagnostics, func(d *Diagnostic) bool { return d.Severity == diag.Error })
}

// All yields the files in order of path.
func (r *Result) All() iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		for _, path := range slices.Sorted(maps.Keys(r.Files)) {
			if !yield(path, r.Files[path]) {
				return
			}
		}
	}
}

// Concerns returns the names of the parts of the generator, which are the values of [Config.Only],
// in order of running.
func Concerns() []string {
	var names []string
	for _, f := range features {
		names = append(names, f.Name)
	}
	return names
}

// A UsageError reports an invalid configuration.
type UsageError struct{ Message string }

// Error returns the message.
func (e *UsageError) Error() string { return "codegen: " + e.Message }

// Run generates. Errors in the sources are reported in the result. The returned error is for
// everything else: an invalid configuration ([UsageError]), a failure to run the go command, or a
// defect of the generator.
func Run(cfg Config) (*Result, error) {
	r, err := newRun(cfg)
	if err != nil {
		return nil, err
	}
	file := r.memoryFile()
	if file == "" || !r.recall(file) {
		program, err := r.all()
		if err != nil {
			return nil, err
		}
		if file != "" && !r.diags.HasErrors() {
			r.keep(program, file)
		}
	}
	r.result.Diagnostics = r.diags.Sorted()
	return r.result, nil
}

func newRun(cfg Config) (*run, error) {
	dir, err := filepath.Abs(cmp.Or(cfg.Dir, "."))
	if err != nil {
		return nil, err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}
	selected, err := selectFeatures(cfg.Only)
	if err != nil {
		return nil, err
	}
	for _, p := range cfg.Patterns {
		name := p
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		if info, err := os.Stat(name); err == nil && !info.IsDir() && strings.HasSuffix(name, ".go") {
			return nil, &UsageError{Message: p + " is a file; name the directory of its package instead"}
		}
	}
	if cfg.Log == nil {
		cfg.Log = func(string) {}
	}
	if cfg.Env == nil {
		cfg.Env = os.Environ()
	}
	r := &run{cfg: cfg, selected: selected, started: time.Now(), result: &Result{Dir: dir, Files: map[string][]byte{}}}
	r.diags.Strict = cfg.Strict
	return r, nil
}

// Lint looks for mistakes that compile in the API types of some packages, see [Rules]. It generates
// nothing, so the result has only diagnostics. Strict and Log have the same meaning as
// for [Run], and Only has no effect.
func Lint(cfg Config) (*Result, error) {
	r, err := loadRun(cfg)
	if err != nil {
		return nil, err
	}
	lint.Check(r.universe, &r.diags)
	r.phase("checked %d packages", len(r.universe.Packages))
	r.result.Diagnostics = r.diags.Sorted()
	return r.result, nil
}

func selectFeatures(only []string) (map[string]bool, error) {
	if len(only) == 0 {
		only = Concerns()
	}
	selected := map[string]bool{}
	for _, name := range only {
		if !slices.Contains(Concerns(), name) {
			msg := "unknown concern " + strconv.Quote(name)
			if near, ok := schema.Nearest(name, Concerns()); ok {
				msg += " (did you mean " + strconv.Quote(near) + "?)"
			}
			return nil, &UsageError{Message: msg + "; use one of " + strings.Join(Concerns(), ", ")}
		}
		selected[name] = true
	}
	return selected, nil
}

type run struct {
	cfg      Config
	selected map[string]bool
	started  time.Time
	diags    diag.List
	result   *Result
	universe *model.Universe
	notes    []string
}

// note logs a line that belongs to the outcome of the run.
func (r *run) note(line string) {
	r.notes = append(r.notes, line)
	r.cfg.Log(line)
}

// phase logs how long the run has taken so far.
func (r *run) phase(format string, args ...any) {
	r.cfg.Log(fmt.Sprintf("%6.2fs  %s", time.Since(r.started).Seconds(), fmt.Sprintf(format, args...)))
}

// loadRun begins a run and loads its packages. It reports an error if no package takes part.
func loadRun(cfg Config) (*run, error) {
	r, err := newRun(cfg)
	if err != nil {
		return nil, err
	}
	if _, err := r.read(); err != nil {
		return nil, err
	}
	if len(r.universe.Packages) == 0 {
		r.nothingSelected()
	}
	return r, nil
}

// read reads the packages and builds the model.
func (r *run) read() (*load.Program, error) {
	program, err := load.Load(load.Config{
		Dir: r.result.Dir, Env: r.cfg.Env, Header: emit.Header,
		Marks: model.SwitchMarks,
	}, r.cfg.Patterns...)
	if err != nil {
		return nil, fmt.Errorf("codegen: load packages: %w", err)
	}
	r.phase("loaded %d of %d packages", len(program.Roots), len(program.Roots)+len(program.Idle))
	r.listErrors(program)
	r.universe, err = model.Build(program, r.result.Dir, &r.diags)
	if err != nil {
		return nil, fmt.Errorf("codegen: load packages: %w", err)
	}
	return program, nil
}

// nothingSelected reports that no package takes part, unless another error is the reason.
func (r *run) nothingSelected() {
	if r.diags.HasErrors() {
		return
	}
	what := "matches " + strings.Join(r.cfg.Patterns, " ")
	if len(r.cfg.Patterns) == 0 {
		what = "is in " + r.result.Dir
	}
	r.diags.Errorf(token.Position{}, "nothing-selected",
		"no package that generates %s; a package comment with +groupName or +askind:generate switches generation on", what)
}

func (r *run) all() (*load.Program, error) {
	program, err := r.read()
	if err != nil {
		return nil, err
	}
	if len(r.universe.Packages) == 0 {
		if len(program.Roots) > 0 && !r.diags.HasErrors() { // switched off, which may leave files
			err = r.findObsolete(program)
		}
		if err == nil && len(r.result.Obsolete) == 0 {
			r.nothingSelected()
		}
		return program, err
	}
	plans := r.plan()
	r.phase("planned %d packages", len(r.universe.Packages))
	if r.diags.HasErrors() {
		return program, nil
	}
	if err := r.emit(plans); err != nil {
		return nil, err
	}
	r.phase("wrote %d files in memory", len(r.result.Files))
	if r.diags.HasErrors() {
		return program, nil
	}
	return program, r.findObsolete(program)
}

// listErrors reports the errors of the go command about the patterns. Its errors about generated
// files are ignored.
func (r *run) listErrors(program *load.Program) {
	for _, e := range program.ListErrors {
		pos := parsePosition(e.Pos)
		if pos.Filename != "" {
			if !filepath.IsAbs(pos.Filename) {
				pos.Filename = filepath.Join(r.result.Dir, pos.Filename)
			}
			if src, err := os.ReadFile(pos.Filename); err == nil && load.HasHeader(src, emit.Header) {
				continue
			}
			pos.Filename = load.Short(r.result.Dir, pos.Filename)
		}
		r.diags.Errorf(pos, "load", "%s", strings.ReplaceAll(strings.TrimSpace(e.Msg),
			r.result.Dir+string(filepath.Separator), ""))
	}
}

// parsePosition reads "file:line:col" as go/packages writes it.
func parsePosition(s string) token.Position {
	var p token.Position
	if s == "" || s == "-" {
		return p
	}
	p.Filename = s
	for range 2 { // the last number first
		i := strings.LastIndexByte(p.Filename, ':')
		if i < 0 {
			break
		}
		n, err := strconv.Atoi(p.Filename[i+1:])
		if err != nil {
			break
		}
		p.Filename, p.Line, p.Column = p.Filename[:i], n, p.Line
	}
	return p
}

type planned struct {
	pkg  *model.Package
	name string
	plan feature.Plan
}

// plan runs every feature over every package. The registration depends on all other features, so if
// it is selected, all of them are planned.
func (r *run) plan() []planned {
	var out []planned
	shared := map[string]any{}
	for _, p := range r.universe.Packages {
		registrations := new(feature.Registrations)
		for _, f := range features {
			if !r.selected[f.Name] && !r.selected["register"] {
				continue
			}
			plan := f.Plan(&feature.Context{
				Universe: r.universe, Package: p, Registrations: registrations, Diagnostics: &r.diags, Log: r.note,
				Shared: shared, Selected: r.selected[f.Name], AcceptLosses: r.cfg.AcceptLosses,
			})
			if plan != nil && r.selected[f.Name] {
				out = append(out, planned{pkg: p, name: f.Name, plan: plan})
			}
		}
	}
	return out
}

func (r *run) emit(plans []planned) error {
	var errs []error
	taken := map[*model.Package]map[string]string{}
	for _, p := range plans {
		f := emit.NewFile(p.pkg.Path, p.pkg.Name, p.pkg.Go.Scope().Names()...)
		p.plan.Emit(f)
		if more, ok := p.plan.(feature.WithFiles); ok {
			for name, data := range more.Files() {
				r.result.Files[load.Rel(r.result.Dir, filepath.Join(p.pkg.Dir, name))] = data
			}
		}
		if f.Empty() {
			continue
		}
		src, err := f.Bytes()
		name := filepath.Join(p.pkg.Dir, FileName(p.name))
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
			continue
		}
		if taken[p.pkg] == nil {
			taken[p.pkg] = map[string]string{}
		}
		r.checkNames(p, src, taken[p.pkg])
		r.result.Files[load.Rel(r.result.Dir, name)] = src
	}
	if r.diags.HasErrors() {
		clear(r.result.Files)
	}
	return errors.Join(errs...)
}

// checkNames reports imports that a generated file must not have, and names that it declares
// although the package already has them, from a hand-written declaration or, if the names of two
// types result in the same function name, from another generated one.
func (r *run) checkNames(p planned, src []byte, taken map[string]string) {
	file, err := parser.ParseFile(token.NewFileSet(), "", src, parser.SkipObjectResolution)
	if err != nil {
		return // The source has just been formatted.
	}
	for _, spec := range file.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err == nil && !guard.Importable(path, p.pkg.Path) {
			r.diags.Errorf(r.universe.Position(p.pkg.Pos), "import-internal",
				"the types of this package contain types of %s, which generated code would have to import here and cannot",
				path).
				Suggest("declare these types in a package that is not internal")
		}
	}
	fold := func(name string) string { return name[:1] + strings.ToLower(name[1:]) }
	hand := map[string]types.Object{}
	for _, fn := range p.pkg.Functions() {
		hand[fold(fn.Name())] = fn
	}
	declare := func(name string) {
		pos := r.universe.Position(p.pkg.Pos)
		// Hand-written conversions are found by their signature.
		if fn := hand[fold(name)]; fn != nil && fn.Name() != name && p.name != conversion.Name {
			r.diags.Warnf(r.universe.Position(fn.Pos()), "name-near",
				"%s is not called; a function named %s would take the place of the generated one", fn.Name(), name)
		}
		switch obj := p.pkg.Go.Scope().Lookup(name); {
		case name == "_":
		case obj != nil:
			r.diags.Errorf(r.universe.Position(obj.Pos()), "name-taken",
				"%s declares the name %s too; rename this one", FileName(p.name), name)
		case taken[name] != "":
			where := "in " + taken[name]
			if taken[name] != FileName(p.name) {
				where += " and " + FileName(p.name)
			}
			r.diags.Errorf(pos, "name-twice",
				"the name %s is generated twice, %s, because the names of two types result in the same function name; "+
					"rename one type", name, where)
		}
		taken[name] = FileName(p.name)
	}
	misspelled := misspelledNames(p.pkg)
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if decl.Recv == nil {
				declare(decl.Name.Name)
				if fn := misspelled(decl); fn != nil && p.name != conversion.Name {
					r.diags.Warnf(r.universe.Position(fn.Pos()), "name-near",
						"%s is not called; a function named %s would take the place of the generated one", fn.Name(),
						decl.Name.Name)
				}
			}
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				switch spec := spec.(type) {
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						declare(name.Name)
					}
				case *ast.TypeSpec:
					declare(spec.Name.Name)
				}
			}
		}
	}
}

// misspelledNames returns a function that finds the hand-written function whose name differs from
// that of a generated one by a typing error in the name of the type, such as ExportCars for the
// type Car. Both have the same number of parameters and results.
func misspelledNames(p *model.Package) func(*ast.FuncDecl) *types.Func {
	type candidate struct {
		fn       *types.Func
		typeName string
	}
	var candidates []candidate
	for _, fn := range p.Functions() {
		for v := range fn.Signature().Params().Variables() {
			pointer, ok := types.Unalias(v.Type()).(*types.Pointer)
			if !ok || !fn.Exported() {
				continue
			}
			if n, ok := types.Unalias(pointer.Elem()).(*types.Named); ok && n.Obj().Pkg() == p.Go {
				candidates = append(candidates, candidate{fn, n.Obj().Name()})
				break
			}
		}
	}
	return func(decl *ast.FuncDecl) *types.Func {
		for _, c := range candidates {
			before, after, ok := strings.Cut(decl.Name.Name, c.typeName)
			name := c.fn.Name()
			if !ok || name == decl.Name.Name || len(name) < len(before)+len(after) ||
				!strings.HasPrefix(name, before) || !strings.HasSuffix(name, after) {
				continue
			}
			s, wrong := c.fn.Signature(), name[len(before):len(name)-len(after)]
			_, near := schema.Nearest(wrong, []string{c.typeName})
			if near && !strings.EqualFold(wrong, c.typeName) && p.Go.Scope().Lookup(wrong) == nil &&
				s.Params().Len() == decl.Type.Params.NumFields() && s.Results().Len() == decl.Type.Results.NumFields() {
				return c.fn
			}
		}
		return nil
	}
}

// LedgerName is the name of the file that describes the protobuf messages of a package and records
// their field numbers. Unlike all other output it is also an input: it must be kept, and no run
// removes it.
const LedgerName = protobuf.LedgerName

// LossesName is the name of the file that records the losses of the conversions of a package. It is
// both input and output: without [Config.AcceptLosses], a loss that it does not list is an error.
const LossesName = conversion.LedgerName

// FileName returns the name of the file of a concern.
func FileName(concern string) string { return "zz_generated." + concern + ".go" }

// findObsolete finds generated files that this run does not produce. It reads directories, because
// the go command does not list files that a build constraint excludes.
func (r *run) findObsolete(program *load.Program) error {
	for _, lp := range slices.Concat(program.Roots, program.Idle) {
		if !lp.Main {
			continue
		}
		var names []string
		for _, concern := range Concerns() {
			if r.selected[concern] {
				names = append(names, FileName(concern))
			}
		}
		if r.selected[conversion.Name] {
			names = append(names, LossesName)
		}
		for _, name := range names {
			name := filepath.Join(lp.Dir, name)
			rel := load.Rel(r.result.Dir, name)
			if r.result.Files[rel] != nil {
				continue
			}
			src, err := os.ReadFile(name)
			if errors.Is(err, os.ErrNotExist) {
				continue
			}
			if err != nil {
				return err
			}
			if !load.HasHeader(src, emit.Header) {
				continue
			}
			if pos, ok := r.lostGroup(lp); ok {
				r.diags.Errorf(pos, "kind-group",
					"the package has kinds and generated files, but no +groupName comment, so these files would be deleted; "+
						"restore the comment, or remove the kind markers or the files").
					Suggest("// +groupName=example.com")
				clear(r.result.Files)
				r.result.Obsolete = nil
				return nil
			}
			r.result.Obsolete = append(r.result.Obsolete, rel)
		}
	}
	slices.Sort(r.result.Obsolete)
	return nil
}

// lostGroup reports whether a package that is not selected marks types as kinds for any generator,
// and where: a group marker that was removed by mistake would otherwise delete all generated files.
func (r *run) lostGroup(lp *load.Package) (token.Position, bool) {
	if p := r.universe.Package(lp.Path); p != nil && p.Output {
		return token.Position{}, false
	}
	files, err := filepath.Glob(filepath.Join(lp.Dir, "*.go"))
	if err != nil {
		return token.Position{}, false
	}
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil || strings.HasSuffix(name, "_test.go") || load.HasHeader(src, emit.Header) {
			continue
		}
		line := 0
		for text := range strings.Lines(string(src)) {
			line++
			text, isComment := strings.CutPrefix(strings.TrimSpace(text), "//")
			text = strings.TrimSpace(text)
			if isComment && strings.HasPrefix(text, "+askind:generate") {
				return token.Position{}, false // switched off on purpose
			}
			if isComment && text == "+kubebuilder:object:root=true" {
				return token.Position{Filename: load.Short(r.result.Dir, name), Line: line, Column: 1}, true
			}
		}
	}
	return token.Position{}, false
}
