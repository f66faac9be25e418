package conversion

import (
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/askind/askind/codegen/internal/emit"
	"github.com/askind/askind/codegen/internal/model"
)

// hands holds the hand-written functions of a package that look like conversions. They are found by
// signature, not by name.
type hands struct {
	all []*hand
	// source returns the text of the hand-written files, read on first use.
	source func() string
}

// hand is one hand-written conversion function.
type hand struct {
	fn      *types.Func
	in, out types.Type
	// reserved functions are named by a marker and convert only the fields with that marker.
	reserved bool
	used     bool
}

func findHands(p *model.Package) *hands {
	h := &hands{source: sync.OnceValue(func() string { return handWrittenSource(p) })}
	for _, fn := range p.Functions() {
		if in, out, ok := converts(fn.Signature()); ok {
			h.all = append(h.all, &hand{fn: fn, in: in, out: out})
		}
	}
	return h
}

// converts returns A and B of a func(in *A, out *B, s *conversion.Scope) error.
func converts(s *types.Signature) (in, out types.Type, ok bool) {
	if s.TypeParams().Len() > 0 || s.Variadic() || s.Params().Len() != 3 || s.Results().Len() != 1 {
		return nil, nil, false
	}
	if !isScope(s.Params().At(2).Type()) || !model.IsError(s.Results().At(0).Type()) {
		return nil, nil, false
	}
	a, ok1 := types.Unalias(s.Params().At(0).Type()).(*types.Pointer)
	b, ok2 := types.Unalias(s.Params().At(1).Type()).(*types.Pointer)
	if !ok1 || !ok2 || types.Identical(a, b) {
		return nil, nil, false
	}
	return a.Elem(), b.Elem(), true
}

func isScope(t types.Type) bool {
	return model.IsPointerToNamed(t, emit.Conversion, "Scope")
}

// find returns the functions from one type to another, except those named by a marker.
func (h *hands) find(in, out types.Type) []*hand {
	var found []*hand
	for _, f := range h.all {
		if !f.reserved && types.Identical(f.in, in) && types.Identical(f.out, out) {
			found = append(found, f)
		}
	}
	return found
}

// handElsewhere returns an exported function that converts two types and is declared in the package
// of one of them, as in a package that several versions share.
func (p *planner) handElsewhere(in, out types.Type) *hand {
	var found []*hand
	for _, t := range []types.Type{in, out} {
		n, ok := types.Unalias(t).(*types.Named)
		if !ok || n.Obj().Pkg() == nil || n.Obj().Pkg() == p.pkg.Go {
			continue
		}
		pkg := p.u.Package(n.Obj().Pkg().Path())
		if pkg == nil || pkg.Std {
			continue
		}
		h := p.elsewhere[pkg]
		if h == nil {
			h = findHands(pkg)
			p.elsewhere[pkg] = h
		}
		for _, f := range h.find(in, out) {
			if f.fn.Exported() && !slices.Contains(found, f) {
				found = append(found, f)
			}
		}
	}
	if len(found) == 0 {
		return genericHand(in, out)
	}
	return p.only(found)
}

// only returns the function that is the only one of its kind, or nil without one. Several are an
// error, because the choice is ambiguous.
func (p *planner) only(found []*hand) *hand {
	if len(found) == 0 {
		return nil
	}
	if len(found) > 1 && p.once("ambiguous "+found[1].fn.Name()) {
		a, b := found[0], found[1]
		p.c.Errorf(b.fn.Pos(), "convert-signature",
			"both %s and %s convert %s to %s, so the choice is ambiguous; name one of them with +askind:via on the "+
				"fields that need it", a.fn.Name(), b.fn.Name(), p.typeName(a.in), p.typeName(a.out)).
			Relate(p.u.Position(a.fn.Pos()), "%s", a.fn.Name())
	}
	return found[0]
}

// genericHand returns the function that converts instances of one generic type to one another,
// which is declared in the package of the type and named after it: func ConvertBox[In, Out any](in
// *Box[In], out *Box[Out], s *conversion.Scope) error. It returns nil if no such function exists.
func genericHand(in, out types.Type) *hand {
	a, _ := types.Unalias(in).(*types.Named)
	b, _ := types.Unalias(out).(*types.Named)
	if a == nil || b == nil || a.TypeArgs().Len() == 0 || a.Origin() != b.Origin() || a.Obj().Pkg() == nil {
		return nil
	}
	fn, _ := a.Obj().Pkg().Scope().Lookup("Convert" + a.Obj().Name()).(*types.Func)
	if fn == nil || fn.Signature().TypeParams().Len() != a.TypeArgs().Len()+b.TypeArgs().Len() {
		return nil
	}
	args := append(slices.Collect(a.TypeArgs().Types()), slices.Collect(b.TypeArgs().Types())...)
	inst, err := types.Instantiate(nil, fn.Signature(), args, true)
	if err != nil {
		return nil
	}
	if from, to, ok := converts(inst.(*types.Signature)); !ok || !types.Identical(from, in) ||
		!types.Identical(to, out) {
		return nil
	}
	return &hand{fn: fn, in: in, out: out}
}

// named returns the function with the name, or nil.
func (h *hands) named(name string) *hand {
	i := slices.IndexFunc(h.all, func(f *hand) bool { return f.fn.Name() == name })
	if i < 0 {
		return nil
	}
	return h.all[i]
}

// mentions counts how often hand-written code of the package contains the name as a word.
func (h *hands) mentions(name string) int {
	n := 0
	for text := h.source(); ; {
		i := strings.Index(text, name)
		if i < 0 {
			return n
		}
		before, after := i == 0 || !isWord(text[i-1]), i+len(name) == len(text) || !isWord(text[i+len(name)])
		if before && after {
			n++
		}
		text = text[i+len(name):]
	}
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// handWrittenSource returns the text of the package's files without comment lines, tests and
// generated files. The model has no function bodies, and callers only search for names. Unreadable
// files are skipped.
func handWrittenSource(p *model.Package) string {
	files, _ := filepath.Glob(filepath.Join(p.Dir, "*.go"))
	var b strings.Builder
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil || strings.HasPrefix(string(text), emit.Header) {
			continue
		}
		for line := range strings.Lines(string(text)) {
			if !strings.HasPrefix(strings.TrimSpace(line), "//") {
				b.WriteString(line)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}
