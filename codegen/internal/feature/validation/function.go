package validation

import (
	"cmp"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/askind/askind/codegen/internal/constraint"
	"github.com/askind/askind/codegen/internal/expr"
	"github.com/askind/askind/codegen/internal/model"
	"github.com/askind/askind/codegen/internal/schemas"
)

// writer writes one function.
type writer struct {
	*plan
	fn    *function
	depth int
	// open has the types whose contents are being checked inline.
	open []*types.Named
}

func (w *writer) line(args ...any) { w.fn.lines = append(w.fn.lines, args) }

// name returns the name of a local variable at the current depth.
func (w *writer) name(base string) string {
	if w.depth == 0 {
		return base
	}
	return base + strconv.Itoa(w.depth)
}

// place is the Go source of the path of a value, relative to the struct of the function.
type place []any

func (pl place) field(name string) place {
	return append(slices.Clip(pl), ".Child("+quote(name)+")")
}

func (pl place) index(i string) place { return append(slices.Clip(pl), ".Index("+i+")") }

// key adds the text of a key of a map, a string or an integer.
func (pl place) key(k string, b *types.Basic) place {
	pl = append(slices.Clip(pl), ".Key(")
	switch {
	case b.Info()&types.IsString != 0:
		return append(pl, "string("+k+"))")
	case b.Info()&types.IsUnsigned != 0:
		return append(pl, ident("strconv", "FormatUint"), "(uint64("+k+"), 10))")
	}
	return append(pl, ident("strconv", "FormatInt"), "(int64("+k+"), 10))")
}

// root returns the path of a field of the struct.
func root(name string) place { return place{schemaID("NewPath"), "(" + quote(name) + ")"} }

// function writes the function of a struct.
func (p *plan) function(t *model.Type) {
	w := &writer{plan: p, fn: &function{t: t}}
	p.functions = append(p.functions, w.fn)
	fields := p.u.JSONFields(t.Struct)
	for _, f := range fields {
		w.field(f, "in", "old", "old != nil", root(f.Key))
	}
	w.groups(constraint.Read(t.Markers, nil), fields, "in", "old", "old != nil")
	if w.hands(t.Named, "in", "old", "old != nil") && p.isKind(t.Named) {
		w.line("errs = ", lib("Once"), "(errs)")
	}
}

// hands writes the calls of the hand-written functions of a struct, and reports whether there are
// any. The expressions are pointers, and old is valid only under the condition there.
func (w *writer) hands(n *types.Named, x, old, there string) bool {
	validate, change := w.hand(n)
	if validate != nil {
		w.line("errs = append(errs, ", validate, "(ctx, ", x, ")...)")
	}
	if change != nil {
		w.line("if ", there, " {")
		w.line("errs = append(errs, ", change, "(ctx, ", x, ", ", old, ")...)")
		w.line("}")
	}
	return validate != nil || change != nil
}

// redacted writes the checks of a field. The errors of a sensitive field do not show values.
func (w *writer) redacted(f *model.JSONField, write func()) {
	if !w.u.PathTrait(model.Sensitive, f.Path) {
		write()
		return
	}
	body := w.capture(write)
	if len(body) == 0 {
		return
	}
	start := w.name("start")
	w.line("{")
	w.line(start, " := len(errs)")
	w.fn.lines = append(w.fn.lines, body...)
	w.line(lib("Redact"), "(errs, ", start, ")")
	w.line("}")
}

// field writes the checks of a field of a struct x. The expression old is valid only under the
// condition there.
func (w *writer) field(f *model.JSONField, x, old, there string, at place) {
	rules := constraint.Read(f.Markers, nil)
	if !w.checks(f, rules, map[types.Type]bool{}) {
		return
	}
	there = strings.TrimSuffix(there+" && "+reached(f, old), " && ")
	holder := strings.TrimSuffix(reached(f, x), " && ")
	x, old = x+"."+f.Selector(), old+"."+f.Selector()
	w.redacted(f, func() {
		w.block(holder, func() {
			w.presence(f, rules, x, old, there, at)
			condition := ""
			if f.JSON.OmitEmpty || f.JSON.OmitZero {
				if omits := omitted(f, x); omits != "" {
					condition = "!(" + omits + ")"
				}
			}
			w.block(condition, func() { w.value(f.Type, rules, x, old, there, at) })
		})
	})
}

// block writes lines under a condition, if any, and nothing if there are no lines.
func (w *writer) block(condition string, write func()) {
	body := w.capture(write)
	if condition == "" || len(body) == 0 {
		w.fn.lines = append(w.fn.lines, body...)
		return
	}
	w.line("if ", condition, " {")
	w.fn.lines = append(w.fn.lines, body...)
	w.line("}")
}

// omitted returns a condition that a field with omitempty or omitzero is omitted, so that there is
// no value to check. It returns "" for pointers, which are checked for nil anyway.
func omitted(f *model.JSONField, x string) string {
	switch f.Type.Underlying().(type) {
	case *types.Pointer, *types.Interface:
		return ""
	case *types.Struct:
		if !f.JSON.OmitZero {
			return ""
		}
	}
	if a := absent(f, x, false); a != "" {
		return a
	}
	condition, _ := zero(f.Type, x, 0)
	return condition
}

// zero returns a condition that a value is the zero value, and whether such a condition exists.
func zero(t types.Type, x string, depth int) (string, bool) {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Info()&types.IsString != 0:
			return x + ` == ""`, true
		case u.Info()&types.IsBoolean != 0:
			return "!" + x, true
		}
		return x + " == 0", true
	case *types.Pointer, *types.Slice, *types.Map, *types.Interface:
		return x + " == nil", true
	case *types.Struct:
		if depth > 8 {
			return "", false
		}
		var all []string
		for f := range u.Fields() {
			if !f.Exported() {
				return "", false
			}
			c, ok := zero(f.Type(), x+"."+f.Name(), depth+1)
			if !ok {
				return "", false
			}
			all = append(all, c)
		}
		return cmp.Or(strings.Join(all, " && "), "true"), true
	case *types.Array:
		const most = 16
		var all []string
		for i := range u.Len() {
			c, ok := zero(u.Elem(), x+"["+strconv.FormatInt(i, 10)+"]", depth+1)
			if !ok || i == most {
				return "", false
			}
			all = append(all, c)
		}
		return cmp.Or(strings.Join(all, " && "), "true"), true
	}
	return "", false
}

// embeddedPointers returns the selectors of the pointers that lead to a field.
func embeddedPointers(f *model.JSONField) []string {
	var out []string
	selector := ""
	for _, step := range f.Path[:len(f.Path)-1] {
		if selector != "" {
			selector += "."
		}
		selector += step.Name
		if _, ok := step.Type.Underlying().(*types.Pointer); ok {
			out = append(out, selector)
		}
	}
	return out
}

// presence writes the checks for required and forbidden fields.
func (w *writer) presence(f *model.JSONField, rules constraint.Rules, x, old, oldThere string, at place) {
	if r := rules.Get(constraint.Required); r != nil {
		if is := missing(f, r, rules, x); is != "" {
			w.line("if ", is, " && !(", oldThere, " && ", missing(f, r, rules, old), ") {")
			w.report(at, lib("Missing"), "")
		}
	}
	if rules.Has(constraint.Forbidden) {
		set, before := present(f, x), present(f, old)
		w.line("if ", set, " && !(", oldThere, " && ", before, ") {")
		w.report(at, lib("NotAllowed"), "")
	}
	w.unchanged(f.Type, rules, x, old, oldThere, at)
}

// unchanged writes the check of a value that must not change, because of its own rules or those of
// its type.
func (w *writer) unchanged(t types.Type, rules constraint.Rules, x, old, there string, at place) {
	r := slices.Concat(rules, w.of(t), w.of(deref(t))).Get(constraint.Immutable)
	if r == nil {
		return
	}
	if differs := w.differs(t, x, old); len(differs) > 0 {
		w.line(append(append([]any{"if ", there, " && "}, differs...), " {")...)
		w.report(at, lib("Changed"), "")
	} else {
		w.once(r, "marker %s stands on values of type %s, which cannot be compared; write func ValidateChange%s(ctx context.Context, in, old *%s) runtime.FieldErrors",
			r, w.typeName(t), w.fn.t.Name, w.fn.t.Name)
	}
}

// missing returns a condition that a required field is missing, or "" if it cannot be.
func missing(f *model.JSONField, required *constraint.Rule, rules constraint.Rules, x string) string {
	writtenAsNull := rules.Has(constraint.Nullable) && !f.JSON.OmitEmpty && !f.JSON.OmitZero
	if writtenAsNull && !required.Set {
		return ""
	}
	return absent(f, x, required.Set)
}

// report writes the body of an if statement that reports a field.
func (w *writer) report(at place, constructor any, args string) {
	line := append([]any{"errs = append(errs, ", constructor, "("}, at...)
	if args != "" {
		line = append(line, ", "+args)
	}
	w.line(append(line, "))")...)
	w.line("}")
}

// differs returns a condition that two values differ, or nil if their type has none.
func (w *writer) differs(t types.Type, x, old string) []any {
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		if inner := w.differs(u.Elem(), "*"+x, "*"+old); inner != nil {
			return append(append([]any{
				"(", x, " == nil) != (", old, " == nil) || ", x, " != nil && ", old,
				" != nil && (",
			}, inner...), ")")
		}
		return nil
	case *types.Slice:
		if types.Comparable(u.Elem()) && !isInterface(u.Elem()) {
			return []any{"!", ident("slices", "Equal"), "(", x, ", ", old, ")"}
		}
		return nil
	case *types.Map:
		if types.Comparable(u.Elem()) && !isInterface(u.Elem()) {
			return []any{"!", ident("maps", "Equal"), "(", x, ", ", old, ")"}
		}
		return nil
	}
	if n, ok := types.Unalias(t).(*types.Named); ok && schemas.IsLeaf(n) {
		if fn := model.Method(n, "Equal"); fn != nil {
			s := fn.Signature()
			if s.Params().Len() == 1 && types.Identical(s.Params().At(0).Type(), n) {
				return []any{"!(", x, ").Equal(", old, ")"}
			}
			if s.Params().Len() == 1 && types.Identical(s.Params().At(0).Type(), types.NewPointer(n)) &&
				!strings.HasPrefix(old, "*") {
				return []any{"!(", x, ").Equal(&", old, ")"}
			}
		}
	}
	if expr.Plain(t) {
		return []any{x, " != ", old}
	}
	return nil
}

func isInterface(t types.Type) bool {
	_, ok := t.Underlying().(*types.Interface)
	return ok
}

// absent returns a condition that a field is omitted or encoded as null, or "" if it always has a
// value. If set is true, the zero value counts as absent.
func absent(f *model.JSONField, x string, set bool) string {
	omits := f.JSON.OmitEmpty || f.JSON.OmitZero || set
	switch u := f.Type.Underlying().(type) {
	case *types.Pointer, *types.Interface:
		return x + " == nil"
	case *types.Slice, *types.Map:
		if f.JSON.OmitEmpty || set {
			return "len(" + x + ") == 0"
		}
		return x + " == nil"
	case *types.Basic:
		if !omits {
			return ""
		}
		switch {
		case u.Info()&types.IsString != 0:
			return x + ` == ""`
		case u.Info()&types.IsBoolean != 0:
			return "!" + x
		}
		return x + " == 0"
	}
	if !omits || !f.JSON.OmitZero && !set {
		return ""
	}
	if n, ok := types.Unalias(f.Type).(*types.Named); ok && model.HasIsZero(n) {
		return x + ".IsZero()"
	}
	return ""
}

// present returns a condition that a field is encoded with a value.
func present(f *model.JSONField, x string) string {
	if a := absent(f, x, false); a != "" {
		return "!(" + a + ")"
	}
	return "true"
}

func (p *plan) typeName(t types.Type) string { return p.c.Package.TypeName(t) }

// groups writes the checks of the number of set fields, from the rules of a struct and of its
// fields.
func (w *writer) groups(rules constraint.Rules, fields []*model.JSONField, x, old, there string) {
	members := func(names []string) (out []*model.JSONField) {
		for _, name := range names {
			if f := findField(fields, name); f != nil {
				out = append(out, f)
			}
		}
		return out
	}
	for _, r := range rules {
		most, least := 1, 1
		switch r.Kind {
		case constraint.AtMostOneOf:
			least = 0
		case constraint.AtLeastOneOf:
			most = len(r.Values)
		case constraint.ExactlyOneOf:
		case constraint.MinProperties, constraint.MaxProperties:
			w.properties(r, fields, x, old, there, place{"nil"})
			continue
		default:
			continue
		}
		w.choice(members(r.Values), least, most, x, old, there)
	}
	names, unions := schemas.Unions(fields)
	for _, name := range names {
		u := unions[name]
		w.choice(members(u.Names), u.Least, 1, x, old, there)
		d := findField(fields, u.Discriminator)
		if d == nil {
			continue
		}
		is := func(x string) string { return reached(d, x) + x + "." + d.Selector() }
		for i, m := range members(u.Names) {
			value := quote(u.Values[i])
			set := ""
			if u.Optional[m.Key] { // it may be unset
				set = "set && "
			}
			w.line("if set, named := ", isSet(m, x), ", ", is(x), " == ", value, "; ", set, "!(", there, " && set == (",
				isSet(m, old), ") && named == (", is(old), " == ", value, ")) {")
			w.line("errs = ", lib("Member"), "(errs, ", quote(m.Key), ", set, named, ", quote(d.Key), ", ", value, ")")
			w.line("}")
		}
	}
}

// reached returns the condition, followed by an operator, that no pointer to a field is nil.
func reached(f *model.JSONField, x string) string {
	var out strings.Builder
	for _, p := range embeddedPointers(f) {
		out.WriteString(x + "." + p + " != nil && ")
	}
	return out.String()
}

// isSet returns a condition that a field of x is encoded with a value.
func isSet(f *model.JSONField, x string) string {
	return reached(f, x) + present(f, x+"."+f.Selector())
}

// choice writes a check that between least and most of some fields are set, unless the same fields
// were set before.
func (w *writer) choice(members []*model.JSONField, least, most int, x, old, there string) {
	if len(members) == 0 || most >= len(members) && least == 0 {
		return
	}
	names := make([]string, len(members))
	w.line("{")
	w.line("n, same := 0, ", there)
	for i, m := range members {
		names[i] = quote(m.Key)
		w.line("if ", isSet(m, x), " {")
		w.line("n++")
		w.line("}")
		w.line("same = same && (", isSet(m, x), ") == (", isSet(m, old), ")")
	}
	w.line("if !same {")
	w.line("errs = ", lib("Choice"), "(errs, n, ", strconv.Itoa(least), ", ", strconv.Itoa(most), ", ",
		strings.Join(names, ", "), ")")
	w.line("}")
	w.line("}")
}

// properties writes a check of the number of set fields of a struct, unless as many were set
// before. The expression old is valid only under the condition there.
func (w *writer) properties(r *constraint.Rule, fields []*model.JSONField, x, old, there string, at place) {
	n, before := w.name("n"), w.name("before")
	w.line("{")
	w.line(n, ", ", before, " := 0, 0")
	for _, f := range fields {
		count := func(x, first, counter string) {
			condition := first + reached(f, x)
			if a := absent(f, x+"."+f.Selector(), false); a != "" && (f.JSON.OmitEmpty || f.JSON.OmitZero) {
				condition += "!(" + a + ")"
			}
			if condition = strings.TrimSuffix(condition, " && "); condition != "" {
				w.line("if ", condition, " {")
				defer w.line("}")
			}
			w.line(counter, "++")
		}
		count(x, "", n)
		count(old, there+" && ", before)
	}
	least, constructor := " > ", runtimeID("TooMany")
	if r.Kind == constraint.MinProperties {
		least, constructor = " < ", lib("TooFew")
	}
	w.line("if ", n, least, r.N, " && !(", there, " && ", n, " == ", before, ") {")
	w.report(at, constructor, n+", "+strconv.FormatInt(r.N, 10))
	w.line("}")
}
