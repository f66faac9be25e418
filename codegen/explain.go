package codegen

import (
	"cmp"
	"fmt"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode"
	"unicode/utf8"

	"github.com/askind/askind/codegen/internal/feature"
	"github.com/askind/askind/codegen/internal/feature/conversion"
	"github.com/askind/askind/codegen/internal/feature/defaults"
	"github.com/askind/askind/codegen/internal/feature/protobuf"
	"github.com/askind/askind/codegen/internal/model"
	"github.com/askind/askind/schema"
)

// Explanation is the result of [Explain].
type Explanation struct {
	// Text is the explanation as tables and lists. It ends with a newline.
	Text string
	// Complete reports whether the conversions handle every field.
	Complete bool
	// Diagnostics in order of position, each once.
	Diagnostics []*Diagnostic
}

// Explain describes how two types convert into each other, or how one field is treated.
//
// Types are named as package.Type, where the package is a name, a version, a group version or an
// import path: v1.Machine, fleet.example.com/v1.Machine. For two types the result is the coverage
// matrix of their conversions: one row for each field of either side, with its treatment in each
// direction, followed by what that direction loses and carries and what each function shares,
// refuses and changes. If the types convert by way of other versions, the result has the matrices
// of all steps. For one type with a JSON path, such as v1.Machine.spec.disks[*].size, the result
// describes how the field is declared, encoded, copied, defaulted and converted.
//
// The error is a [*UsageError] if a name is unknown or ambiguous.
func Explain(cfg Config, names ...string) (*Explanation, error) {
	r, err := loadRun(cfg)
	if err != nil {
		return nil, err
	}
	e := &explainer{run: r, shared: map[string]any{}}
	var text string
	switch len(names) {
	case 1:
		text, err = e.field(names[0])
	case 2:
		text, err = e.types(names[0], names[1])
	default:
		err = &UsageError{Message: "name a field, or two types"}
	}
	if err != nil {
		return nil, err
	}
	return &Explanation{Text: text, Complete: !e.incomplete, Diagnostics: r.diags.Sorted()}, nil
}

type explainer struct {
	*run
	shared     map[string]any
	matrices   []*conversion.Matrix
	planned    bool
	incomplete bool
}

// conversions plans all packages.
func (e *explainer) conversions() []*conversion.Matrix {
	if !e.planned {
		e.planned = true
		for _, p := range e.universe.Packages {
			e.matrices = append(e.matrices, conversion.Explain(&feature.Context{
				Universe: e.universe, Package: p, Registrations: new(feature.Registrations), Diagnostics: &e.diags,
				Log: func(string) {}, Shared: e.shared,
			})...)
		}
	}
	return e.matrices
}

// split splits a name into the package, the type, and the path of a field.
func split(name string) (pkg, typ, path string, ok bool) {
	from := strings.LastIndexByte(name[:strings.IndexAny(name+"[", "[\"")], '/') + 1
	for i := from; i+1 < len(name); i++ {
		if first, _ := utf8.DecodeRuneInString(name[i+1:]); name[i] == '.' && unicode.IsUpper(first) {
			typ, path, _ = strings.Cut(name[i+1:], ".")
			return name[:i], typ, path, true
		}
	}
	return "", "", "", false
}

// find returns the types in all known packages that match a name.
func (e *explainer) find(name string) (found []*model.Type, path string, err error) {
	pkg, typ, path, ok := split(name)
	if !ok {
		return nil, "", &UsageError{Message: fmt.Sprintf("%q is not the name of a type; write package.Type, such as v1.Machine",
			name)}
	}
	known := slices.Clone(e.universe.Packages)
	for _, p := range e.universe.Packages {
		for _, h := range p.Hubs() {
			if h.Package != nil && !slices.Contains(known, h.Package) {
				known = append(known, h.Package)
			}
		}
	}
	var names, types []string
	for _, p := range known {
		gv := schema.GroupVersion{Group: p.Group, Version: p.Version}.String()
		names = append(names, p.Name)
		if p.Path != pkg && p.Name != pkg && (!p.HasGroup || p.Version != pkg && gv != pkg) &&
			!strings.HasSuffix(p.Path, "/"+pkg) {
			continue
		}
		for _, t := range p.Types {
			types = append(types, t.Name)
		}
		if t := p.Find(typ); t != nil && t.Struct != nil && !slices.Contains(found, t) {
			found = append(found, t)
		}
	}
	if len(found) > 0 {
		return found, path, nil
	}
	message := fmt.Sprintf("%q is not a struct of the packages", name)
	if types != nil {
		message = fmt.Sprintf("package %s has no struct %s", pkg, typ)
	}
	if near, ok := schema.Nearest(typ, types); ok {
		message += fmt.Sprintf(" (did you mean %s.%s?)", pkg, near)
	} else if types != nil {
		slices.Sort(types)
		types = slices.Compact(types)
		message += "; it has " + strings.Join(types[:min(len(types), 12)], ", ")
	} else if near, ok := schema.Nearest(pkg, names); ok {
		message += fmt.Sprintf(" (did you mean %s.%s?)", near, typ)
	}
	return nil, "", &UsageError{Message: message}
}

// fullName returns an unambiguous name for a type: with its group version if it is a kind.
func fullName(t *model.Type) string {
	if t.Package.HasGroup && t.Package.Kind(t.Name) != nil {
		return schema.GroupVersion{Group: t.Package.Group, Version: t.Package.Version}.String() + "." + t.Name
	}
	return t.Package.Path + "." + t.Name
}

// matrixStep is one conversion between two types.
type matrixStep struct {
	*conversion.Matrix
	from, to *model.Type
}

// types explains how two types convert.
func (e *explainer) types(from, to string) (string, error) {
	starts, _, err := e.find(from)
	if err != nil {
		return "", err
	}
	ends, _, err := e.find(to)
	if err != nil {
		return "", err
	}
	var ways [][]matrixStep
	for _, a := range starts {
		for _, b := range ends {
			if a == b {
				continue
			}
			if way := e.way(a, b); way != nil && (ways == nil || len(way) <= len(ways[0])) {
				if ways != nil && len(way) < len(ways[0]) {
					ways = nil
				}
				ways = append(ways, way)
			}
		}
	}
	switch len(ways) {
	case 0:
		return "", e.unrelated(starts[0], ends[0])
	case 1:
		return e.write(ways[0]), nil
	}
	var names []string
	for _, way := range ways {
		names = append(names, fullName(way[0].from)+" and "+fullName(way[len(way)-1].to))
	}
	return "", &UsageError{Message: "the names are ambiguous: " + strings.Join(names, ", or ")}
}

// unrelated returns the error for two types without a table of conversions. Structs that are not
// kinds have none of their own where there are kinds, so the error names the kinds of their
// packages.
func (e *explainer) unrelated(a, b *model.Type) error {
	for _, m := range e.conversions() {
		from, to := m.Near, m.Far
		if from.Package != a.Package {
			from, to = to, from
		}
		if from.Package == a.Package && to.Package == b.Package &&
			(a.Package.Kind(a.Name) == nil || b.Package.Kind(b.Name) == nil) {
			return &UsageError{Message: fmt.Sprintf("%s and %s are explained as parts of kinds; name these, such as %s %s",
				fullName(a), fullName(b), fullName(from), fullName(to))}
		}
	}
	return &UsageError{Message: fmt.Sprintf("no conversion from %s to %s exists; declare the hub of a package with "+
		"+askind:hub, or an equivalent kind with +askind:equivalent", fullName(a), fullName(b))}
}

// way finds the shortest sequence of conversions between two types.
func (e *explainer) way(a, b *model.Type) []matrixStep {
	reached := map[*model.Type][]matrixStep{a: {}}
	for open := []*model.Type{a}; len(open) > 0; open = open[1:] {
		at := open[0]
		if at == b {
			return reached[b]
		}
		for _, m := range e.conversions() {
			next := m.Far
			if m.Far == at {
				next = m.Near
			} else if m.Near != at {
				continue
			}
			if _, ok := reached[next]; !ok {
				reached[next] = append(slices.Clone(reached[at]), matrixStep{m, at, next})
				open = append(open, next)
			}
		}
	}
	return nil
}

// write formats the matrices of a sequence.
func (e *explainer) write(way []matrixStep) string {
	var b strings.Builder
	if len(way) > 1 {
		fmt.Fprintf(&b, "%s", fullName(way[0].from))
		for _, s := range way {
			fmt.Fprintf(&b, " -> %s", fullName(s.to))
		}
		b.WriteString("\n\n")
	}
	for i, s := range way {
		if i > 0 {
			b.WriteByte('\n')
		}
		e.writeStep(&b, s)
	}
	return b.String()
}

func (e *explainer) writeStep(b *strings.Builder, s matrixStep) {
	a, z := label(s.from, s.to), label(s.to, s.from)
	there, back, pairs := s.To, s.From, s.Pairs
	rows := slices.Clone(s.Rows)
	if s.from == s.Far {
		there, back, pairs = back, there, slices.Clone(pairs)
		for i := range rows {
			rows[i].Near, rows[i].Far, rows[i].To, rows[i].From = rows[i].Far, rows[i].Near, rows[i].From, rows[i].To
		}
		for i := range pairs {
			pairs[i].To, pairs[i].From = pairs[i].From, pairs[i].To
		}
	}
	fmt.Fprintf(b, "%s and %s, converted by package %s\n\n", fullName(s.from), fullName(s.to), s.Near.Package.Path)
	table(b, func(w *tabwriter.Writer) {
		fmt.Fprintf(w, "%s\t%s\t%s to %s\t%s to %s\n", a, z, a, z, z, a)
		for _, r := range rows {
			if r.To == conversion.Missing || r.From == conversion.Missing ||
				strings.HasSuffix(r.To, " "+conversion.Missing) || strings.HasSuffix(r.From, " "+conversion.Missing) {
				e.incomplete = true
			}
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", cmp.Or(r.Near, "-"), cmp.Or(r.Far, "-"), r.To, r.From)
		}
	})
	if s.Shortened {
		b.WriteString("\nMore paths lead to the same structs. Those beyond the first ones are left out.\n")
	}
	for _, d := range []struct {
		from, to string
		way      conversion.Way
		pick     func(conversion.Functions) conversion.Function
	}{
		{a, z, there, func(f conversion.Functions) conversion.Function { return f.To }},
		{z, a, back, func(f conversion.Functions) conversion.Function { return f.From }},
	} {
		fmt.Fprintf(b, "\nFrom %s to %s\n", d.from, d.to)
		section(b, "lost", d.way.Losses)
		if d.way.Carried != nil {
			section(b, "carried", d.way.Carried)
		}
		for _, p := range pairs {
			writeFunction(b, d.pick(p))
		}
	}
}

// label returns the short package name of a type, as distinguished from another type.
func label(t, other *model.Type) string {
	if t.Package.Version != other.Package.Version {
		return t.Package.Version
	}
	return fullName(t)
}

func section(b *strings.Builder, title string, lines []string) {
	if len(lines) == 0 {
		fmt.Fprintf(b, "  %s: nothing\n", title)
		return
	}
	fmt.Fprintf(b, "  %s:\n", title)
	for _, l := range lines {
		fmt.Fprintf(b, "    %s\n", l)
	}
}

func writeFunction(b *strings.Builder, f conversion.Function) {
	hand, aliases, fails := "", "none", "no"
	if f.Hand {
		hand, aliases, fails = ", written by hand", "not known", "not known"
	}
	fmt.Fprintf(b, "  %s%s\n", f.Name, hand)
	fmt.Fprintf(b, "    aliases:  %s\n", cmp.Or(strings.Join(f.Shares, ", "), aliases))
	fmt.Fprintf(b, "    may fail: %s\n", cmp.Or(strings.Join(f.Fails, ", "), fails))
	if f.Identity {
		b.WriteString("    identity: yes, the fields are the same\n")
	} else {
		fmt.Fprintf(b, "    identity: no, %s\n", f.Why)
	}
}

// table writes aligned columns without trailing spaces.
func table(b *strings.Builder, write func(w *tabwriter.Writer)) {
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	write(w)
	_ = w.Flush() // writing to a strings.Builder cannot fail
	for line := range strings.Lines(text.String()) {
		b.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
}

// field explains one field.
func (e *explainer) field(name string) (string, error) {
	found, path, err := e.find(name)
	if err != nil {
		return "", err
	}
	if path == "" {
		return "", &UsageError{
			Message: fmt.Sprintf(
				"%q is a type; name a second one to see how they convert, or a field of it, such as %s.spec",
				name, name,
			),
		}
	}
	var b strings.Builder
	var problem error
	for _, t := range found {
		text, err := e.fieldOf(t, path)
		if err != nil {
			problem = err
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(text)
	}
	if b.Len() == 0 {
		return "", problem
	}
	return b.String(), nil
}

// walked is a field below a type, with the struct that declares it.
type walked struct {
	owner *model.Type
	field *model.JSONField
	// path is the JSON path with [*] for each list and map.
	path string
	typ  types.Type
	// around are the structs around the field, the outermost first.
	around []*model.Type
}

// fieldOf explains a field by its JSON path below a type.
func (e *explainer) fieldOf(t *model.Type, path string) (string, error) {
	at, err := e.walk(t, path)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s.%s\n", fullName(t), at.path)
	table(&b, func(w *tabwriter.Writer) {
		f := at.field
		fmt.Fprintf(w, "  declared\t%s.%s %s at %s\n", at.owner.Name, f.Name, t.Package.TypeName(f.Type),
			at.position(e, f.Pos))
		if f.Doc != "" {
			first, _, _ := strings.Cut(f.Doc, "\n")
			fmt.Fprintf(w, "  meaning\t%s\n", first)
		}
		fmt.Fprintf(w, "  JSON\t%s\n", encoding(f))
		fmt.Fprintf(w, "  protobuf\t%s\n", e.protobuf(at))
		fmt.Fprintf(w, "  copied\t%s\n", e.copied(f.Type))
		fmt.Fprintf(w, "  default\t%s\n", e.defaulted(at))
		if f.Markers.Has("askind:sensitive") {
			fmt.Fprint(w, "  sensitive\tnever carried in annotations\n")
		}
		for _, m := range e.conversions() {
			if m.Near != t && m.Far != t {
				continue
			}
			other := m.Far
			if m.Far == t {
				other = m.Near
			}
			// A field without its own row is covered by the row of a parent.
			r, ok := rowOf(m, t, at.path)
			if !ok {
				continue
			}
			with := ""
			if r.Near != at.path {
				with = " (it is part of " + r.Near + ")"
			}
			fmt.Fprintf(w, "  %s\t%s%s: there %s, back %s\n", fullName(other), cmp.Or(r.Far, "no such field"), with,
				r.To, r.From)
		}
	})
	return b.String(), nil
}

// rowOf returns the row of the longest prefix of a path, for one of the types of a matrix.
func rowOf(m *conversion.Matrix, t *model.Type, path string) (found conversion.Row, ok bool) {
	for _, r := range m.Rows {
		if m.Far == t {
			r.Near, r.Far, r.To, r.From = r.Far, r.Near, r.From, r.To
		}
		if r.Near == path || r.Near != "" && len(r.Near) > len(found.Near) && (strings.HasPrefix(path, r.Near+".") ||
			strings.HasPrefix(path, r.Near+"[")) {
			found, ok = r, true
		}
		if r.Near == path {
			break
		}
	}
	return found, ok
}

// walk follows a JSON path, in which elements of lists and maps may be omitted or written as [*],
// [0] or [key].
func (e *explainer) walk(t *model.Type, path string) (walked, error) {
	p, err := schema.ParsePath(path)
	if err != nil {
		return walked{}, &UsageError{Message: err.Error()}
	}
	at := walked{owner: t, typ: t.Named}
	for _, step := range p.Steps() {
		if step.Kind != schema.StepField {
			continue // the type determines whether this is a list
		}
		n, st := e.structBelow(&at)
		if st == nil {
			return walked{}, &UsageError{Message: fmt.Sprintf("%s.%s has no fields", t.Name, at.path)}
		}
		at.around = append(at.around, n)
		var names []string
		var next *model.JSONField
		for _, f := range e.universe.JSONFields(st) {
			names = append(names, f.Key)
			if f.Key == step.Name {
				next = f
			}
		}
		if next == nil {
			message := fmt.Sprintf("%s has no field %q in JSON", fullName(n), step.Name)
			if near, ok := schema.Nearest(step.Name, names); ok {
				message += fmt.Sprintf(" (did you mean %q?)", near)
			}
			return walked{}, &UsageError{Message: message}
		}
		if at.path != "" {
			at.path += "."
		}
		at.owner, at.field, at.typ, at.path = n, next, next.Type, at.path+step.Name
		if k := len(next.Path); k > 1 {
			if owner, ok := types.Unalias(deref(next.Path[k-2].Type)).(*types.Named); ok {
				at.owner = e.universe.Type(owner)
			}
		}
	}
	if at.field == nil {
		return walked{}, &UsageError{Message: fmt.Sprintf("the path %q names no field of %s", path, fullName(t))}
	}
	return at, nil
}

func deref(t types.Type) types.Type {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

// structBelow follows pointers, lists and maps to a struct, and adds the lists and maps to the
// path. It returns nil if there is no struct, as in type L []L.
func (e *explainer) structBelow(at *walked) (*model.Type, *types.Struct) {
	seen := map[types.Type]bool{}
	for t := at.typ; !seen[types.Unalias(t)]; {
		seen[types.Unalias(t)] = true
		switch u := t.Underlying().(type) {
		case *types.Struct:
			n, ok := types.Unalias(t).(*types.Named)
			if !ok {
				return at.owner, u
			}
			return e.universe.Type(n), u
		case *types.Pointer:
			t = u.Elem()
		case *types.Slice, *types.Array, *types.Map:
			t, at.path = model.Elem(u), at.path+"[*]"
		default:
			return nil, nil
		}
	}
	return nil, nil
}

func encoding(f *model.JSONField) string {
	text := fmt.Sprintf("%q, ", f.Key)
	switch {
	case f.JSON.OmitZero:
		text += "left out if zero"
	case f.OmitsZero():
		text += "left out if empty"
	default:
		text += "always written"
	}
	if f.Quoted {
		text += ", as text"
	}
	return text
}

func (e *explainer) protobuf(at walked) string {
	number, ok := protobuf.Number(filepath.Join(at.owner.Package.Dir, LedgerName), at.owner.Name, at.field.Key)
	if !ok {
		return "none on record"
	}
	return fmt.Sprintf("number %d of message %s", number, at.owner.Name)
}

// copied describes how deep copy treats a type.
func (e *explainer) copied(t types.Type) string {
	if n, ok := types.Unalias(t).(*types.Named); ok {
		if fn := e.universe.Func(model.DeepCopyInto, n); fn.Exists() {
			return "by " + fn.Name
		}
		if model.CopiesInto(n) {
			return "by its method DeepCopyInto"
		}
	}
	switch t.Underlying().(type) {
	case *types.Pointer:
		return "with its pointee"
	case *types.Slice:
		return "with its elements"
	case *types.Map:
		return "with its entries"
	case *types.Interface:
		return "as a tree of JSON values"
	}
	return "as it is"
}

// defaulted describes what sets an unset field.
func (e *explainer) defaulted(at walked) string {
	if m, from := e.universe.DefaultOf(at.field.Field); m != nil {
		position := e.universe.Position(m.Pos).String()
		if !from.Main() {
			position = e.universe.Source(from, m.Pos)
		}
		return m.Raw + ", from +" + m.Name + " at " + position
	}
	if n, ok := types.Unalias(deref(at.field.Type)).(*types.Named); ok {
		if fn := e.universe.Func(model.Default, n); fn.Exists() {
			return "by " + fn.Name
		}
	}
	if fn := e.universe.Func(model.Default, at.owner.Named); fn.Exists() && !fn.Ours {
		return "possibly by " + fn.Name + ", which is hand-written"
	}
	for _, t := range slices.Backward(at.around) {
		if fn := defaults.Setter(t); fn != nil {
			return "possibly by " + fn.Name() + ", which is hand-written"
		}
	}
	return "none"
}

// position formats the position of a field: a file or, in other modules, a file in a package.
func (at walked) position(e *explainer, pos token.Pos) string {
	if p := at.owner.Package; !p.Main() {
		return e.universe.Source(p, pos)
	}
	return e.universe.Position(pos).String()
}
