package defaults

import (
	"encoding/base64"
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/askind/askind/codegen/internal/expr"
	"github.com/askind/askind/codegen/internal/model"
	"github.com/askind/askind/schema"
)

// mistake describes why a literal does not fit its type.
type mistake struct {
	at, end int
	msg     string
	near    string
	warning bool
	// instead is a literal that may have been intended.
	instead string
}

// valuer translates literals to Go source of a type.
type valuer struct {
	u        *model.Universe
	pkg      *model.Package
	from     *model.Package // the package whose source contains the literal
	mistakes []mistake
	// parse is set if the source is a string for a function that may fail.
	parse *types.Func
	// nested counts the lists and objects around the value.
	nested int
}

func (v *valuer) fail(l *literal, format string, args ...any) expr.Source {
	v.mistakes = append(v.mistakes, mistake{at: l.at, end: l.end, msg: fmt.Sprintf(format, args...)})
	return nil
}

func (v *valuer) typeName(t types.Type) string { return v.pkg.TypeName(t) }

// value returns the Go source of a literal as a value of type t. In a place with a known type, such
// as an element of a composite literal, bare constants suffice; typed requires that the source has
// the type by itself.
func (v *valuer) value(t types.Type, l *literal, typed bool) expr.Source {
	if l.kind == refLiteral {
		return v.ref(t, l)
	}
	if n, ok := types.Unalias(t).(*types.Named); ok {
		if src, ok := v.leaf(n, l); ok {
			return src
		}
	}
	wrap := func(text string) expr.Source {
		if typed {
			return expr.Source{t, "(" + text + ")"}
		}
		return expr.Source{text}
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		text, ok := v.basic(t, u, l)
		if !ok {
			return nil
		}
		if types.Identical(t, types.Typ[types.String]) || types.Identical(t, types.Typ[types.Bool]) ||
			types.Identical(t, types.Typ[types.Int]) {
			return expr.Source{text}
		}
		return wrap(text)
	case *types.Pointer:
		return v.pointer(u, l)
	case *types.Slice:
		if b, ok := u.Elem().Underlying().(*types.Basic); ok && b.Kind() == types.Byte && l.kind == textLiteral {
			data, err := base64.StdEncoding.DecodeString(l.value)
			if err != nil {
				return v.fail(l, "%s is not base64, which is the JSON form of %s", l.text, v.typeName(t))
			}
			return expr.Source{t, "(" + strconv.Quote(string(data)) + ")"}
		}
		return v.list(t, u.Elem(), l)
	case *types.Array:
		if l.kind == listLiteral && int64(len(l.items)) > u.Len() {
			return v.fail(l, "%d elements do not fit into %s", len(l.items), v.typeName(t))
		}
		return v.list(t, u.Elem(), l)
	case *types.Map:
		return v.mapping(t, u, l)
	case *types.Struct:
		return v.structure(t, u, l)
	case *types.Interface:
		if u.Empty() {
			return v.untyped(l)
		}
	}
	return v.fail(l, "a default for %s cannot be written as a literal", v.typeName(t))
}

func (v *valuer) wrong(t types.Type, l *literal, want string) {
	v.fail(l, "%s (%s) is not a value for %s, which requires %s", shorten(l.text), kindNames[l.kind], v.typeName(t), want)
	last := &v.mistakes[len(v.mistakes)-1]
	_, notNumber := strconv.ParseFloat(l.value, 64)
	switch {
	case (l.kind == numberLiteral || l.kind == boolLiteral) && strings.HasPrefix(want, "a text"):
		last.instead = strconv.Quote(l.text)
	case l.kind == textLiteral && want == "a number" && notNumber == nil, l.kind == textLiteral &&
		strings.HasPrefix(want, "true") && (l.value == "true" || l.value == "false"):
		last.instead = l.value
	}
}

// shorten keeps the beginning of a long literal.
func shorten(s string) string {
	const most = 60
	if r := []rune(s); len(r) > most {
		return string(r[:most-3]) + "..."
	}
	return s
}

// basic checks a literal against a basic type and returns it as an untyped Go constant.
func (v *valuer) basic(t types.Type, b *types.Basic, l *literal) (string, bool) {
	switch info := b.Info(); {
	case info&types.IsString != 0:
		if l.kind != textLiteral {
			v.wrong(t, l, "a text in quotes")
			return "", false
		}
		v.checkEnum(t, l)
		return strconv.Quote(l.value), true
	case info&types.IsBoolean != 0:
		if l.kind != boolLiteral {
			v.wrong(t, l, "true or false")
			return "", false
		}
		return l.text, true
	case info&(types.IsInteger|types.IsFloat) != 0:
		if l.kind != numberLiteral {
			v.wrong(t, l, "a number")
			return "", false
		}
		return v.number(t, b, l)
	}
	if !model.ContainsInvalid(t) {
		v.fail(l, "a default for %s cannot be written as a literal", v.typeName(t))
	}
	return "", false
}

func (v *valuer) number(t types.Type, b *types.Basic, l *literal) (string, bool) {
	// JSON has no 08 or 0x8, so all other numbers mean the same in Go.
	k := constant.MakeFromLiteral(strings.TrimPrefix(l.text, "-"), token.FLOAT, 0)
	if strings.HasPrefix(l.text, "-") {
		k = constant.UnaryOp(token.SUB, k, 0)
	}
	if b.Info()&types.IsInteger != 0 {
		i := constant.ToInt(k)
		if i.Kind() != constant.Int {
			v.fail(l, "%s is not a whole number, as %s requires", l.text, v.typeName(t))
			return "", false
		}
		if !fits(i, b) {
			v.fail(l, "%s does not fit into %s", l.text, v.typeName(t))
			return "", false
		}
		return i.ExactString(), true
	}
	if f, _ := constant.Float64Val(k); math.IsInf(f, 0) || b.Kind() == types.Float32 &&
		math.IsInf(float64(float32(f)), 0) {
		v.fail(l, "%s does not fit into %s", l.text, v.typeName(t))
		return "", false
	}
	return l.text, true
}

// fits reports whether an integer is a value of a type. int and uint may have 64 bits, so 64 are
// allowed.
func fits(i constant.Value, b *types.Basic) bool {
	bits := map[types.BasicKind]uint{
		types.Int: 63, types.Int8: 7, types.Int16: 15, types.Int32: 31, types.Int64: 63,
		types.Uint: 64, types.Uint8: 8, types.Uint16: 16, types.Uint32: 32, types.Uint64: 64, types.Uintptr: 64,
	}[b.Kind()]
	limit := constant.Shift(constant.MakeInt64(1), token.SHL, bits)
	low := constant.MakeInt64(0)
	if b.Info()&types.IsUnsigned == 0 {
		low = constant.UnaryOp(token.SUB, limit, 0)
	}
	return constant.Compare(i, token.LSS, limit) && constant.Compare(i, token.GEQ, low)
}

// checkEnum warns about a string that is not a constant of its type. A single constant is not an
// enumeration.
func (v *valuer) checkEnum(t types.Type, l *literal) {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() == nil {
		return
	}
	var values []string
	scope := n.Obj().Pkg().Scope()
	for _, name := range scope.Names() {
		if k, ok := scope.Lookup(name).(*types.Const); ok && types.Identical(k.Type(), t) &&
			k.Val().Kind() == constant.String {
			values = append(values, constant.StringVal(k.Val()))
		}
	}
	if len(values) < 2 || slices.Contains(values, l.value) {
		return
	}
	near, _ := schema.Nearest(l.value, values)
	v.mistakes = append(v.mistakes, mistake{
		at: l.at, end: l.end, warning: true, near: near,
		msg: fmt.Sprintf("%q is not among the constants of %s", l.value, v.typeName(t)),
	})
}

func (v *valuer) pointer(p *types.Pointer, l *literal) expr.Source {
	if st, ok := p.Elem().Underlying().(*types.Struct); ok && !v.isLeaf(p.Elem()) {
		src := v.structure(p.Elem(), st, l)
		if src == nil {
			return nil
		}
		return append(expr.Source{"&"}, src...)
	}
	src := v.value(p.Elem(), l, true)
	if src == nil || v.parse != nil {
		return src
	}
	return append(append(expr.Source{"new("}, src...), ")")
}

func (v *valuer) list(t, elem types.Type, l *literal) expr.Source {
	v.nested++
	defer func() { v.nested-- }()
	if l.kind != listLiteral && !l.either {
		v.wrong(t, l, "a list")
		return nil
	}
	out := expr.Source{t, "{"}
	for i, item := range l.items {
		src := v.value(elem, item, false)
		if src == nil {
			return nil
		}
		if i > 0 {
			out = append(out, ", ")
		}
		out = append(out, elided(elem, src)...)
	}
	return append(out, "}")
}

// elided returns the source of an element without the type that the composite literal implies.
func elided(elem types.Type, src expr.Source) expr.Source {
	if p, ok := elem.(*types.Pointer); ok && src[0] == "&" {
		return elided(p.Elem(), src[1:])
	}
	if t, ok := src[0].(types.Type); ok && len(src) > 1 && src[1] == "{" && types.Identical(t, elem) {
		return src[1:]
	}
	return src
}

// integer matches the keys of maps with integer keys. Each number has one form, so that keys with
// different texts differ.
var integer = regexp.MustCompile(`^(0|-?[1-9]\d*)$`)

func (v *valuer) mapping(t types.Type, m *types.Map, l *literal) expr.Source {
	return v.composite(t, l, "key", func(mem member) expr.Source {
		key := &literal{kind: textLiteral, text: mem.name, value: mem.name, at: mem.at, end: mem.end}
		if b, ok := m.Key().Underlying().(*types.Basic); ok && b.Info()&types.IsInteger != 0 {
			if !integer.MatchString(mem.name) {
				return v.fail(key, "%q is not a key of %s, which requires whole numbers", mem.name, v.typeName(t))
			}
			key.kind = numberLiteral
		}
		k, e := v.value(m.Key(), key, false), v.value(m.Elem(), mem.lit, false)
		if k == nil || e == nil {
			return nil
		}
		return slices.Concat(k, expr.Source{": "}, elided(m.Elem(), e))
	})
}

func (v *valuer) structure(t types.Type, st *types.Struct, l *literal) expr.Source {
	fields := v.u.JSONFields(st)
	var names []string
	for _, f := range fields {
		names = append(names, f.Key)
	}
	return v.composite(t, l, "field", func(mem member) expr.Source {
		at := &literal{at: mem.at, end: mem.end}
		j := slices.Index(names, mem.name)
		if j < 0 {
			v.fail(at, "%s has no field %q", v.typeName(t), mem.name)
			v.mistakes[len(v.mistakes)-1].near, _ = schema.Nearest(mem.name, names)
			return nil
		}
		if len(fields[j].Path) > 1 {
			return v.fail(at, "the field %q belongs to an embedded struct; put the default there", mem.name)
		}
		src := v.value(fields[j].Type, mem.lit, false)
		if src == nil {
			return nil
		}
		return append(expr.Source{fields[j].Name + ": "}, src...)
	})
}

// composite returns an object as a composite literal, whose elements a function returns for the
// members. What they are is for messages.
func (v *valuer) composite(t types.Type, l *literal, what string, element func(mem member) expr.Source) expr.Source {
	v.nested++
	defer func() { v.nested-- }()
	if l.kind != objectLiteral {
		v.wrong(t, l, "an object")
		return nil
	}
	out := expr.Source{t, "{"}
	seen := map[string]bool{}
	for i, mem := range l.members {
		if seen[mem.name] {
			return v.fail(&literal{at: mem.at, end: mem.end}, "duplicate %s %q", what, mem.name)
		}
		seen[mem.name] = true
		src := element(mem)
		if src == nil {
			return nil
		}
		if i > 0 {
			out = append(out, ", ")
		}
		out = append(out, src...)
	}
	return append(out, "}")
}

// untyped returns a literal as a value of an interface, as decoding would produce it.
func (v *valuer) untyped(l *literal) expr.Source {
	switch l.kind {
	case textLiteral:
		return expr.Source{strconv.Quote(l.value)}
	case boolLiteral:
		return expr.Source{l.text}
	case numberLiteral:
		if _, err := strconv.ParseInt(l.text, 10, 64); err == nil {
			return expr.Source{"int64(" + l.text + ")"}
		}
		if _, err := strconv.ParseFloat(l.text, 64); err != nil {
			return v.fail(l, "%s does not fit into float64", l.text)
		}
		return expr.Source{"float64(" + l.text + ")"}
	case listLiteral:
		return v.list(types.NewSlice(anyType), anyType, l)
	case objectLiteral:
		m := types.NewMap(types.Typ[types.String], anyType)
		return v.mapping(m, m, l)
	}
	return expr.Source{"nil"}
}

var anyType = types.Universe.Lookup("any").Type()
