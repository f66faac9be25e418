package validation

import (
	"go/constant"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/askind/askind/codegen/internal/constraint"
	"github.com/askind/askind/codegen/internal/emit"
	"github.com/askind/askind/codegen/internal/expr"
	"github.com/askind/askind/codegen/internal/schemas"
)

func ident(path, name string) emit.Ident { return emit.Ident{Path: path, Name: name} }

// quote returns a text as a Go string literal, raw where that is easier to read.
func quote(s string) string {
	if strings.Contains(s, `\`) && strconv.CanBackquote(s) {
		return "`" + s + "`"
	}
	return strconv.Quote(s)
}

// of returns the rules on the declaration of a type that is not a struct.
func (p *plan) of(t types.Type) constraint.Rules {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() == nil {
		return nil
	}
	mt := p.u.Type(n)
	if mt == nil {
		return nil
	}
	rules := constraint.Read(mt.Markers, nil)
	for i, r := range rules {
		if r.Kind == constraint.EnumConstants {
			rules[i] = &constraint.Rule{Kind: constraint.Enum, Marker: r.Marker, Values: schemas.Constants(n)}
		}
	}
	return rules
}

// value writes the checks of a value: its own rules, those of its type, and those of nested values.
// The expression old is valid only under the condition there.
func (w *writer) value(t types.Type, rules constraint.Rules, x, old, there string, at place) {
	if n, ok := types.Unalias(t).(*types.Named); ok {
		if schemas.IsIntOrString(n) {
			w.intOrString(n, rules, x, old, there, at)
			return
		}
		if w.opaque(n) {
			return
		}
		if st, ok := n.Underlying().(*types.Struct); ok {
			w.fields(st, rules, x, old, there, at)
			w.structure(n, x, old, there, at)
			return
		}
		// A list or map that contains itself is checked at the first level.
		if slices.ContainsFunc(w.open, func(o *types.Named) bool { return types.Identical(o, n) }) {
			return
		}
		w.open = append(w.open, n)
		defer func() { w.open = w.open[:len(w.open)-1] }()
		rules = append(slices.Clip(rules), w.of(n)...)
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		w.scalar(u, rules, x, old, there, at)
	case *types.Pointer:
		w.pointer(u, rules, x, old, there, at)
	case *types.Slice:
		if isBytes(u) {
			w.counts(rules, constraint.MinLength, constraint.MaxLength, x, old, there, at)
			return
		}
		w.slice(u.Elem(), rules, x, old, there, at)
	case *types.Array:
		w.slice(u.Elem(), rules, index(x, ":"), index(old, ":"), there, at)
	case *types.Map:
		w.mapping(u, rules, x, old, there, at)
	case *types.Struct:
		w.fields(u, rules, x, old, there, at)
		w.inline(nil, u, x, old, there, at)
	}
}

func isBytes(s *types.Slice) bool {
	b, ok := s.Elem().Underlying().(*types.Basic)
	return ok && b.Kind() == types.Byte
}

// fields writes the checks of the number of set fields that rules of a value of struct type state.
func (w *writer) fields(st *types.Struct, rules constraint.Rules, x, old, there string, at place) {
	for _, r := range rules {
		if r.Kind == constraint.MinProperties || r.Kind == constraint.MaxProperties {
			w.properties(r, w.u.JSONFields(st), x, old, there, at)
		}
	}
}

// structure writes the call of the function of a struct.
func (w *writer) structure(n *types.Named, x, old, there string, at place) {
	if n.TypeArgs().Len() > 0 {
		// An instance of a generic type has no function, so its fields are checked here.
		if slices.ContainsFunc(w.open, func(o *types.Named) bool { return types.Identical(o, n) }) {
			return
		}
		w.open = append(w.open, n)
		w.inline(n, n.Underlying().(*types.Struct), x, old, there, at)
		w.open = w.open[:len(w.open)-1]
		return
	}
	if !w.needed(n) {
		return
	}
	fn := emit.In(w.u.Home(n).Go, checkFields.Name(n.Obj().Name()))
	found := w.name("found")
	call := func(before string) {
		w.line("if ", found, " := ", fn, "(ctx, ", address(x), ", ", before, "); ", found, " != nil {")
		w.line(append(append([]any{"errs = ", lib("Under"), "(errs, "}, at...), ", "+found+")")...)
		w.line("}")
	}
	if pointer := address(old); there == pointer+" != nil" {
		call(pointer)
		return
	}
	before := w.name("before")
	w.line("{")
	w.line("var ", before, " *", n)
	w.line("if ", there, " {")
	w.line(before, " = ", address(old))
	w.line("}")
	call(before)
	w.line("}")
}

// address returns the source of the pointer to a value.
func address(x string) string {
	if inner, ok := strings.CutPrefix(x, "(*"); ok && strings.HasSuffix(inner, ")") &&
		!strings.ContainsAny(inner, "(") {
		return strings.TrimSuffix(inner, ")")
	}
	return "&" + x
}

// inline writes the checks of an unnamed struct, or of an instance of a generic one.
func (w *writer) inline(n *types.Named, st *types.Struct, x, old, there string, at place) {
	fields := w.u.JSONFields(st)
	for _, f := range fields {
		w.field(f, x, old, there, at.field(f.Key))
	}
	body := w.capture(func() {
		var rules constraint.Rules
		if n != nil {
			rules = constraint.Read(w.u.Type(n).Markers, nil)
		}
		w.groups(rules, fields, x, old, there)
		if n != nil {
			w.hands(n, address(x), address(old), there)
		}
	})
	if len(body) == 0 {
		return
	}
	outer := w.name("outer")
	w.line("{")
	w.line(outer, " := errs")
	w.line("errs = nil")
	w.fn.lines = append(w.fn.lines, body...)
	w.line(append(append([]any{"errs = ", lib("Under"), "(", outer, ", "}, at...), ", errs)")...)
	w.line("}")
}

func (w *writer) pointer(u *types.Pointer, rules constraint.Rules, x, old, there string, at place) {
	deref := func(s string) string {
		if _, ok := u.Elem().Underlying().(*types.Struct); ok {
			return "(*" + s + ")"
		}
		return "*" + s
	}
	w.block(x+" != nil", func() { w.value(u.Elem(), rules, deref(x), deref(old), there+" && "+old+" != nil", at) })
}

// counts writes the checks of a length.
func (w *writer) counts(rules constraint.Rules, least, most constraint.Kind, x, old, there string, at place) {
	for _, r := range rules {
		if r.Kind == least && r.N <= 0 {
			continue
		}
		same := " && !(" + there + " && len(" + x + ") == len(" + old + ")) {"
		switch r.Kind {
		case least:
			w.line("if len(", x, ") < ", r.N, same)
			w.report(at, lib("TooFew"), "len("+x+"), "+strconv.FormatInt(r.N, 10))
		case most:
			w.line("if len(", x, ") > ", r.N, same)
			w.report(at, runtimeID("TooMany"), "len("+x+"), "+strconv.FormatInt(r.N, 10))
		}
	}
}

// slice writes the checks of a list and of its elements.
func (w *writer) slice(elem types.Type, rules constraint.Rules, x, old, there string, at place) {
	w.counts(rules, constraint.MinItems, constraint.MaxItems, x, old, there, at)
	key, keyType := w.keyOf(elem, rules)
	unique := rules.Has(constraint.UniqueItems) || rules.Has(constraint.UniqueKeys)
	if r := rules.Get(constraint.ListType); r != nil && r.Text != "atomic" {
		unique = true
	}
	if unique && key != nil {
		i, before := w.name("i"), w.name("before")
		w.line("{")
		w.line("var ", before, " []", elem)
		w.line("if ", there, " {")
		w.line(before, " = ", old)
		w.line("}")
		loop := []any{"for _, ", i, " := range ", lib("Duplicates"), "(", x, ", ", before, ", "}
		w.line(append(append(loop, key...), ") {")...)
		w.endIfFull()
		w.report(at.index(i), ident(emit.Runtime, "Duplicate"), w.shown(elem, x, i, rules))
		w.line("}")
	}
	inner := rules.Inner(constraint.Elements)
	if !hasChecks(inner) && !w.reaches(elem, map[types.Type]bool{}) {
		return
	}
	w.depth++
	defer func() { w.depth-- }()
	i, e, former := w.name("i"), w.name("e"), w.name("former")
	elements := types.NewPointer(elem)
	body := w.capture(func() {
		w.unchanged(elem, inner, index(x, i), "(*"+e+")", e+" != nil", at.index(i))
		w.value(elem, inner, index(x, i), "(*"+e+")", e+" != nil", at.index(i))
	})
	if len(body) == 0 {
		return
	}
	byKey := key != nil && rules.Has(constraint.ListMapKey)
	w.line("{")
	if byKey {
		w.line(append(append([]any{former, " := ", lib("Former"), "[", elem, ", "}, keyType...), "]{Key: ")...)
		last := len(w.fn.lines) - 1
		w.fn.lines[last] = append(append(w.fn.lines[last], key...), "}")
		w.line("if ", there, " {")
		w.line(former, ".List = ", old)
		w.line("}")
	}
	w.line("for ", i, " := range ", x, " {")
	w.endIfFull()
	if !usesName(body, e) {
		w.fn.lines = append(w.fn.lines, body...)
		w.line("}")
		w.line("}")
		return
	}
	w.line("var ", e, " ", elements)
	if byKey {
		w.line("if ", former, ".List != nil {")
		w.line(e, " = ", former, ".Find(", i, ", ", former, ".Key(&", index(x, i), "))")
		w.line("}")
	} else {
		w.line("if ", there, " && ", i, " < len(", old, ") {")
		w.line(e, " = &", index(old, i))
		w.line("}")
	}
	w.fn.lines = append(w.fn.lines, body...)
	w.line("}")
	w.line("}")
}

// endIfFull ends the loop that begins here once there are enough errors.
func (w *writer) endIfFull() {
	w.line("if ", lib("Full"), "(errs) {")
	w.line("break")
	w.line("}")
}

// capture returns the lines that a function writes, and removes them from the output.
func (w *writer) capture(write func()) [][]any {
	from := len(w.fn.lines)
	write()
	body := slices.Clone(w.fn.lines[from:])
	w.fn.lines = w.fn.lines[:from]
	return body
}

// usesName reports whether lines name a variable.
func usesName(lines [][]any, name string) bool {
	word := regexp.MustCompile(`\b` + name + `\b`)
	return slices.ContainsFunc(lines, func(line []any) bool {
		return slices.ContainsFunc(line, func(a any) bool { s, ok := a.(string); return ok && word.MatchString(s) })
	})
}

// index returns the source of an element.
func index(x, i string) string {
	x = strings.TrimSuffix(x, "[:]")
	if strings.HasPrefix(x, "*") {
		x = "(" + x + ")"
	}
	return x + "[" + i + "]"
}

// shown returns the source of the value in the error for a duplicate: its key, or the element if it
// is a single value.
func (w *writer) shown(elem types.Type, x, i string, rules constraint.Rules) string {
	if keys := listKeys(rules); len(keys) == 1 {
		if st, ok := elem.Underlying().(*types.Struct); ok {
			return index(x, i) + "." + findField(w.u.JSONFields(st), keys[0]).Selector()
		}
	}
	if _, ok := elem.Underlying().(*types.Basic); ok {
		return index(x, i)
	}
	return "nil"
}

// listKeys returns the names of the fields that identify the elements of a list. The markers of two
// generators may name the same ones.
func listKeys(rules constraint.Rules) []string {
	var keys []string
	for _, r := range rules.All(constraint.ListMapKey) {
		if !slices.Contains(keys, r.Text) {
			keys = append(keys, r.Text)
		}
	}
	return keys
}

// keyOf returns a function that returns the identity of a list element, its key or the element
// itself, and the type of the identity. It returns nil if identities cannot be compared, already
// reported elsewhere.
func (w *writer) keyOf(elem types.Type, rules constraint.Rules) (key, typ []any) {
	keys := listKeys(rules)
	if len(keys) == 0 {
		if !expr.Plain(elem) {
			return nil, nil
		}
		return []any{lib("Itself"), "[", elem, "]"}, []any{elem}
	}
	st, ok := elem.Underlying().(*types.Struct)
	if !ok {
		return nil, nil
	}
	var result []any
	for i := len(keys) - 1; i >= 0; i-- {
		f := findField(w.u.JSONFields(st), keys[i])
		if f == nil {
			return nil, nil
		}
		b, ok := f.Type.Underlying().(*types.Basic)
		if !ok || b.Kind() == types.UntypedNil {
			return nil, nil
		}
		if typ == nil {
			result, typ = []any{"e." + f.Selector()}, []any{f.Type}
			continue
		}
		result = append(append([]any{lib("Both"), "(e." + f.Selector() + ", "}, result...), ")")
		typ = append(append([]any{lib("Pair"), "[", f.Type, ", "}, typ...), "]")
	}
	key = append(append([]any{"func(e *", elem, ") "}, typ...), " { return ")
	key = append(append(key, result...), " }")
	return key, typ
}

// mapping writes the checks of a map, of its keys and its values.
func (w *writer) mapping(u *types.Map, rules constraint.Rules, x, old, there string, at place) {
	w.counts(rules, constraint.MinProperties, constraint.MaxProperties, x, old, there, at)
	keys := append(rules.Inner(constraint.Keys), w.of(u.Key())...)
	inner := rules.Inner(constraint.Elements)
	basic, ok := u.Key().Underlying().(*types.Basic)
	if !ok || basic.Info()&(types.IsString|types.IsInteger) == 0 {
		return
	}
	checksKeys := hasChecks(keys)
	checksValues := hasChecks(inner) || w.reaches(u.Elem(), map[types.Type]bool{})
	w.depth++
	defer func() { w.depth-- }()
	k, v, before, has, from := w.name("k"), w.name("v"), w.name("b"), w.name("has"), w.name("from")
	body := w.capture(func() {
		here := at.key(k, basic)
		if checksKeys {
			w.scalar(basic, keys, k, k, has, here)
		}
		if checksValues {
			w.unchanged(u.Elem(), inner, v, before, has, here)
			w.value(u.Elem(), inner, v, before, has, here)
		}
	})
	if len(body) == 0 {
		return
	}
	w.line("{")
	w.line(from, " := len(errs)")
	value, former := ", "+v, before
	if !usesName(body, v) {
		value = ""
	}
	if !usesName(body, before) {
		former = "_"
	}
	w.line("for ", k, value, " := range ", x, " {")
	w.endIfFull()
	if former != "_" {
		w.line("var ", before, " ", u.Elem())
	}
	w.line(has, " := false")
	w.line("if ", there, " {")
	w.line(former, ", ", has, " = ", index(old, k))
	w.line("}")
	w.fn.lines = append(w.fn.lines, body...)
	w.line("}")
	w.line(lib("Sort"), "(errs, ", from, ")")
	w.line("}")
}

// scalar writes the checks of a string, a number or a boolean.
func (w *writer) scalar(b *types.Basic, rules constraint.Rules, x, old, there string, at place) {
	from := len(w.fn.lines)
	if x == old { // a map key, which never changes
		w.line("if !", there, " {")
	} else {
		w.line("if !(", there, " && ", x, " == ", old, ") {")
	}
	start := len(w.fn.lines)
	for _, r := range rules {
		switch {
		case b.Info()&types.IsString != 0:
			w.text(r, x, at)
		case b.Info()&(types.IsInteger|types.IsFloat) != 0:
			w.number(b, r, x, at)
		}
		w.among(b, r, x, at)
	}
	if len(w.fn.lines) == start {
		w.fn.lines = w.fn.lines[:from]
		return
	}
	w.line("}")
}

// intOrString writes the checks of a value that is a number or a string. As in JSON Schema, rules
// about numbers apply to numbers, and rules about strings to strings.
func (w *writer) intOrString(n *types.Named, rules constraint.Rules, x, old, there string, at place) {
	if !hasChecks(rules) {
		return
	}
	branch := func(field string, check func(r *constraint.Rule, x string)) bool {
		from := len(w.fn.lines)
		w.line("if !(", there, " && ", x, " == ", old, ") {")
		start := len(w.fn.lines)
		for _, r := range rules {
			check(r, x+field)
		}
		if len(w.fn.lines) == start {
			w.fn.lines = w.fn.lines[:from]
			return false
		}
		w.line("}")
		return true
	}
	from := len(w.fn.lines)
	w.line("if ", x, ".Type == ", emit.In(n.Obj().Pkg(), "String"), " {")
	texts := branch(".StrVal", func(r *constraint.Rule, x string) {
		if r.Kind != constraint.Format { // the format int-or-string does not restrict strings
			w.text(r, x, at)
		}
		w.amongEither(r, true, x, at)
	})
	w.line("} else {")
	int32Type := types.Typ[types.Int32]
	numbers := branch(".IntVal", func(r *constraint.Rule, x string) {
		w.number(int32Type, r, x, at)
		w.amongEither(r, false, x, at)
	})
	if !texts && !numbers {
		w.fn.lines = w.fn.lines[:from]
		return
	}
	w.line("}")
}

// amongEither writes the check of an enumeration that may contain numbers and strings.
func (w *writer) amongEither(r *constraint.Rule, text bool, x string, at place) {
	if r.Kind != constraint.Enum || len(r.Values) == 0 {
		return
	}
	var same, all []string
	for _, v := range r.Values {
		s, err := strconv.Unquote(v)
		if err != nil {
			s = v
		}
		all = append(all, strconv.Quote(s))
		if (err == nil) == text && (text || holds(types.Typ[types.Int32], v)) {
			same = append(same, x+" != "+v)
		}
	}
	if len(same) > 0 {
		w.line("if ", strings.Join(same, " && "), " {")
	} else {
		w.line("{")
	}
	w.report(at, lib("NotAmong"), x+", "+strings.Join(all, ", "))
}

// text writes the check of a rule about strings.
func (w *writer) text(r *constraint.Rule, x string, at place) {
	s := "string(" + x + ")"
	n := strconv.FormatInt(r.N, 10)
	switch r.Kind {
	case constraint.MinLength:
		w.line("if n := ", lib("Length"), "("+s+"); n < ", n, " {")
		w.report(at, lib("TooShort"), s+", "+n)
	case constraint.MaxLength:
		// A string has no more characters than bytes.
		w.line("if len(", x, ") > ", n, " {")
		w.line("if n := ", lib("Length"), "("+s+"); n > ", n, " {")
		w.report(at, lib("TooLong"), s+", "+n)
		w.line("}")
	case constraint.MaxBytes:
		w.line("if len(", x, ") > ", n, " {")
		w.report(at, runtimeID("TooLong"), s+", "+n)
	case constraint.Pattern:
		if _, err := regexp.Compile(r.Text); err != nil {
			return // already reported
		}
		name := w.pattern(r.Text)
		w.line("if !", name, ".Match(", s, ") {")
		w.report(at, lib("Mismatch"), s+", &"+name)
	case constraint.Format:
		if direct := directFormats[r.Text]; direct != "" {
			w.line("if !", lib(direct), "(", s, ") {")
		} else {
			w.line("if !", lib("Format"), "(", quote(r.Text), ", ", s, ") {")
		}
		w.report(at, lib("Malformed"), s+", "+quote(r.Text))
	}
}

// directFormats has the formats whose functions are called directly, not by name.
var directFormats = map[string]string{
	"k8s-short-name": "IsShortName", "k8s-long-name": "IsLongName",
	"hostname": "IsHostname",
}

// pattern returns the variable of an expression.
func (w *writer) pattern(expr string) string {
	if name, ok := w.patterns[expr]; ok {
		return name
	}
	name := "pattern" + strconv.Itoa(len(w.patterns)+1)
	w.patterns[expr] = name
	w.ordered = append(w.ordered, expr)
	return name
}

// number writes the check of a rule about numbers.
func (w *writer) number(b *types.Basic, r *constraint.Rule, x string, at place) {
	var comparison string
	switch r.Kind {
	case constraint.Minimum:
		comparison = "<"
	case constraint.Maximum:
		comparison = ">"
	case constraint.MultipleOf:
		w.multiple(b, r, x, at)
		return
	default:
		return
	}
	if r.Exclusive {
		comparison += "="
	}
	value, bound := comparable(b, x, r.Text)
	w.line("if ", value, " ", comparison, " ", bound, " {")
	constructor := lib("Below")
	if r.Kind == constraint.Maximum {
		constructor = lib("Above")
	}
	w.report(at, constructor, x+", "+quote(r.Text)+", "+strconv.FormatBool(r.Exclusive))
}

// comparable returns a number and a bound in types that can be compared without loss of precision,
// if there are any.
func comparable(b *types.Basic, x, bound string) (value, literal string) {
	k := constant.MakeFromLiteral(strings.TrimPrefix(strings.TrimPrefix(bound, "-"), "+"), token.FLOAT, 0)
	if strings.HasPrefix(bound, "-") {
		k = constant.UnaryOp(token.SUB, k, 0)
	}
	if i := constant.ToInt(k); b.Info()&types.IsInteger != 0 && i.Kind() == constant.Int {
		if b.Info()&types.IsUnsigned != 0 && constant.Sign(i) >= 0 {
			if _, exact := constant.Uint64Val(i); exact {
				return "uint64(" + x + ")", i.ExactString()
			}
		} else if _, exact := constant.Int64Val(i); exact && (b.Info()&types.IsUnsigned == 0) {
			return "int64(" + x + ")", i.ExactString()
		}
	}
	if _, err := strconv.ParseFloat(bound, 32); err == nil && b.Kind() == types.Float32 {
		return "float32(" + x + ")", bound // the bound is rounded like the value
	}
	return "float64(" + x + ")", bound
}

func (w *writer) multiple(b *types.Basic, r *constraint.Rule, x string, at place) {
	divisor := amount(r)
	switch {
	case b.Info()&types.IsInteger != 0 && divisor.IsInt() && divisor.Num().IsInt64():
		kind := "int64("
		if b.Info()&types.IsUnsigned != 0 {
			kind = "uint64("
		}
		w.line("if ", kind, x, ")%", divisor.Num().String(), " != 0 {")
	default:
		// The quotient has the precision of the value, and 4.35 is a multiple of 0.01.
		abs, precision := ident("math", "Abs"), "0x1p-51"
		if b.Kind() == types.Float32 {
			precision = "0x1p-22"
		}
		w.line("if q := float64(", x, ") / ", r.Text, "; ", abs, "(q-", ident("math", "Round"), "(q)) > ", abs,
			"(q)*", precision, " {")
	}
	w.report(at, lib("Uneven"), x+", "+quote(r.Text))
}

// among writes the check of a rule that lists values.
func (w *writer) among(b *types.Basic, r *constraint.Rule, x string, at place) {
	isText := b.Info()&types.IsString != 0
	var literals []string
	for _, v := range schemas.Literals(isText, r.Values) {
		if lit, ok := goLiteral(b, v); ok {
			literals = append(literals, lit)
		}
	}
	switch r.Kind {
	case constraint.Enum:
		if len(literals) != len(r.Values) || len(literals) == 0 {
			return // already reported
		}
		w.line("switch ", x, " {")
		w.line("case ", strings.Join(literals, ", "), ":")
		w.line("default:")
		if isText {
			w.report(at, runtimeID("NotSupported"), "string("+x+"), "+strings.Join(literals, ", "))
			return
		}
		quoted := make([]string, len(literals))
		for i, l := range literals {
			quoted[i] = strconv.Quote(l)
		}
		w.report(at, lib("NotAmong"), x+", "+strings.Join(quoted, ", "))
	case constraint.Neq:
		lit, ok := goLiteral(b, schemas.Literals(isText, []string{r.Text})[0])
		if !ok {
			return
		}
		w.line("if ", x, " == ", lit, " {")
		w.report(at, lib("Refused"), x)
	}
}

// goLiteral returns a JSON value as a Go constant of a type.
func goLiteral(b *types.Basic, json string) (string, bool) {
	switch {
	case b.Info()&types.IsString != 0:
		s, err := strconv.Unquote(json)
		if err != nil {
			return "", false
		}
		return strconv.Quote(s), true
	case b.Info()&types.IsBoolean != 0:
		return json, json == "true" || json == "false"
	}
	return json, holds(b, json)
}
