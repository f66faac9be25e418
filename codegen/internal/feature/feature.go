// Package feature defines what a part of the generator consists of.
//
// A [Feature] works in two steps. Plan examines the model of one package, makes all decisions and
// reports errors. Its result, a [Plan], then writes one file. All features plan all packages before
// anything is written, so an error anywhere leaves every file as it was. Features add what they
// want to have registered for a kind to [Registrations], from which the last feature, register,
// generates the kind records and AddTo.
package feature

import (
	"cmp"
	"go/token"
	"go/types"
	"slices"

	"github.com/askind/askind/codegen/internal/diag"
	"github.com/askind/askind/codegen/internal/emit"
	"github.com/askind/askind/codegen/internal/model"
)

// Feature is one concern of the generated code.
type Feature struct {
	// Name is the concern: the file is called zz_generated.<name>.go, and -only selects by it.
	Name string
	// Plan decides what to write for c.Package. It may return nil when there is nothing to write.
	// It must not depend on the plans of other features except through c.Registrations.
	Plan func(c *Context) Plan
}

// Plan is the result of planning, ready to be written. Emit must not fail.
type Plan interface {
	// Emit writes the body of the file. If it writes nothing, no file is created.
	Emit(f *emit.File)
}

// WithFiles is a [Plan] that writes more than a Go file.
type WithFiles interface {
	Plan
	// Files returns further files for the directory of the package, by name. They begin with the
	// header of generated files.
	Files() map[string][]byte
}

// Context is the input of a feature.
type Context struct {
	Universe *model.Universe
	// Package is the one to plan for.
	Package *model.Package
	// Registrations of the package, filled by the features in their order.
	Registrations *Registrations
	Diagnostics   *diag.List
	// Shared holds data that features of one run share between packages, under keys of their own.
	Shared map[string]any
	// Selected reports that the run writes the files of the feature. Otherwise the feature is
	// planned only for its registrations.
	Selected bool
	// AcceptLosses means that new losses of conversions are intended and to be recorded.
	AcceptLosses bool
	// Log receives lines for -v: which hand-written functions are used.
	Log func(line string)
}

// Scratch returns a context for planning another package without output.
func (c *Context) Scratch(pkg *model.Package) *Context {
	return &Context{
		Universe: c.Universe, Package: pkg, Registrations: new(Registrations), Diagnostics: new(diag.List),
		Shared: c.Shared, Log: func(string) {},
	}
}

// Errorf reports an error at pos.
func (c *Context) Errorf(pos token.Pos, code, format string, args ...any) *diag.Diagnostic {
	return c.Diagnostics.Errorf(c.Universe.Position(pos), code, format, args...)
}

// Warnf reports a warning at pos. The package comment can also suppress warnings about the types of
// other packages for which the package has the functions. It never returns nil.
func (c *Context) Warnf(pos token.Pos, code, format string, args ...any) *diag.Diagnostic {
	for _, m := range c.Package.Markers.All("askind:nolint") {
		if slices.Contains(m.Rules(), code) {
			return new(diag.Diagnostic)
		}
	}
	return c.Diagnostics.Warnf(c.Universe.Position(pos), code, format, args...)
}

// Generates reports whether this run writes the function of an operation for a type. If the
// function is hand-written, it logs that for the feature, and reports a wrong signature.
func (c *Context) Generates(feature string, op model.Op, t *model.Type) bool {
	fn := c.Universe.Func(op, t.Named)
	if !c.Mistyped(feature, op, t) && fn.State == model.Declared {
		c.Log(feature + ": hand-written " + fn.Path + "." + fn.Name)
	}
	return fn.State == model.Generated
}

// Mistyped reports an error if the package declares the name of the function of an operation with
// another signature.
func (c *Context) Mistyped(feature string, op model.Op, t *model.Type) bool {
	fn := c.Universe.Func(op, t.Named)
	if fn.State != model.Mistyped {
		return false
	}
	c.Errorf(fn.Object.Pos(), feature+"-signature",
		"%s does not have the signature %s for T = %s; correct it or give it another name", fn.Name, op.Shape, t.Name)
	return true
}

// Declares reports whether the package itself declares a function for a kind, with a shape such as
// "func(in *T, out *metav1.Table, s *conversion.Scope) error". Any other declaration with its name
// is an error.
func (c *Context) Declares(name, shape string, k *model.Kind) bool {
	obj := c.Package.Go.Scope().Lookup(name)
	if obj == nil {
		return false
	}
	want := model.ShapeOf(shape)
	if fn, ok := obj.(*types.Func); ok && want.Fits(fn.Signature(), k.Named) {
		c.Log(c.Universe.Position(fn.Pos()).String() + ": uses " + name)
		return true
	}
	c.Errorf(obj.Pos(), "as-signature",
		"%s has the name of a generated function but not its signature; rename it or declare it as", name).
		Suggest("%s", want.Declaration(name, k.Name))
	return true
}

// TypeName formats a type as generated code of the package writes it.
func (c *Context) TypeName(t types.Type) string {
	return types.TypeString(t, func(pkg *types.Package) string {
		if pkg == c.Package.Go {
			return ""
		}
		return emit.Qualifier(pkg)
	})
}

// HowToGetFunctions returns a suggestion for how a type gets its own functions.
func (c *Context) HowToGetFunctions(t types.Type) string {
	n, ok := types.Unalias(t).(*types.Named)
	if ok && c.Package.Owns(n.Obj()) && model.Hidden(n, c.Package.Go) {
		return "export " + n.Obj().Name() + ", or write the functions of the struct around it by hand"
	}
	if ok && n.TypeArgs().Len() == 0 && !c.Package.Owns(n.Obj()) {
		if pkg := c.Universe.Package(n.Obj().Pkg().Path()); pkg != nil && !pkg.Main() {
			return "add +askind:foreign=" + n.Obj().Pkg().Path() +
				" to the package comment of a package of yours and generate for it"
		}
		return "add +askind:generate to the package comment of " + n.Obj().Pkg().Path() + " and generate for it"
	}
	return "declare a struct with concrete types instead"
}

// Registrations collects what the register feature writes for one package.
type Registrations struct {
	fields     map[kindField]func(f *emit.File) string
	statements []Statement
}

type kindField struct{ kind, field string }

// Statement is one statement of AddTo.
type Statement struct {
	// Key orders the statements, after all kinds. Statements with equal keys keep their order.
	Key   string
	Write func(f *emit.File)
}

// KindField sets a field of the record of a kind, such as Default, to a Go expression.
func (r *Registrations) KindField(k *model.Kind, field string, expr func(f *emit.File) string) {
	if r.fields == nil {
		r.fields = map[kindField]func(*emit.File) string{}
	}
	r.fields[kindField{k.Name, field}] = expr
}

// AddTo adds a statement to the AddTo function, whose builder parameter is named b.
func (r *Registrations) AddTo(key string, write func(f *emit.File)) {
	r.statements = append(r.statements, Statement{Key: key, Write: write})
}

// Encoded prefixes the names of the fields that [Registrations.KindField] sets in the part of a
// record about reading encoded objects.
const Encoded = "Encoded."

// Field returns the expression of a field of a kind's record, or nil.
func (r *Registrations) Field(k *model.Kind, field string) func(f *emit.File) string {
	return r.fields[kindField{k.Name, field}]
}

// Statements returns the statements of AddTo in order.
func (r *Registrations) Statements() []Statement {
	out := slices.Clone(r.statements)
	slices.SortStableFunc(out, func(a, b Statement) int { return cmp.Compare(a.Key, b.Key) })
	return out
}
