package expr

import (
	"fmt"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"github.com/askind/askind/codegen/internal/emit"
)

func render(s Source) string {
	var b strings.Builder
	for _, part := range s {
		fmt.Fprint(&b, part)
	}
	return b.String()
}

func TestZero(t *testing.T) {
	t.Parallel()
	str, ptr := types.Typ[types.String], types.NewPointer(types.Typ[types.Int])
	field := func(name string, t types.Type) *types.Var { return types.NewField(0, nil, name, t, false) }
	// A struct with a method IsZero, and one that embeds it beside another field.
	own := types.NewNamed(types.NewTypeName(token.NoPos, nil, "Own", nil),
		types.NewStruct([]*types.Var{field("A", str)}, nil), nil)
	result := types.NewTuple(types.NewVar(0, nil, "", types.Typ[types.Bool]))
	own.AddMethod(types.NewFunc(0, nil, "IsZero", types.NewSignatureType(types.NewVar(0, nil, "", own), nil, nil, nil,
		result, false)))
	embeds := types.NewStruct([]*types.Var{types.NewField(0, nil, "Own", own, true), field("L", types.NewSlice(str))},
		nil)
	for _, test := range []struct {
		name          string
		t             types.Type
		is, not, zero string
	}{
		{"text", str, `x == ""`, `x != ""`, `""`},
		{"number", types.Typ[types.Float32], "x == 0", "x != 0", "0"},
		{"boolean", types.Typ[types.Bool], "!x", "x", "false"},
		{"pointer", ptr, "x == nil", "x != nil", "nil"},
		{"list", types.NewSlice(str), "x == nil", "x != nil", "nil"},
		{"array", types.NewArray(str, 2), "x == ([2]string{})", "x != ([2]string{})", "[2]string{}"},
		{"array of lists", types.NewArray(types.NewSlice(str), 2), "", "", "[2][]string{}"},
		{
			"comparable struct", types.NewStruct([]*types.Var{field("A", str)}, nil), "x == (struct{A string}{})",
			"x != (struct{A string}{})", "struct{A string}{}",
		},
		{
			"struct with list", types.NewStruct([]*types.Var{field("A", types.NewSlice(str)), field("B", str)}, nil),
			`x.A == nil && x.B == ""`, `x.A != nil || x.B != ""`, "struct{A []string; B string}{}",
		},
		{
			"struct with interface", types.NewStruct([]*types.Var{field("A", types.NewInterfaceType(nil, nil))}, nil),
			"x.A == nil", "x.A != nil", "struct{A interface{}}{}",
		},
		{"method", own, "x.IsZero()", "!x.IsZero()", "Own{}"},
		{
			"promoted method", embeds, "x.Own.IsZero() && x.L == nil", "!x.Own.IsZero() || x.L != nil",
			"struct{Own; L []string}{}",
		},
		{"function", types.NewSignatureType(nil, nil, nil, nil, nil, false), "", "", "nil"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			is, ok1 := IsZero("x", test.t, nil)
			not, ok2 := NonZero("x", test.t, nil)
			if got := render(is); got != test.is || ok1 != (test.is != "") {
				t.Errorf("IsZero is %s, %t; want %s", got, ok1, test.is)
			}
			if got := render(not); got != test.not || ok2 != (test.not != "") {
				t.Errorf("NonZero is %s, %t; want %s", got, ok2, test.not)
			}
			if got := render(Zero(test.t)); got != test.zero {
				t.Errorf("Zero is %s, want %s", got, test.zero)
			}
		})
	}
}

func TestAnd(t *testing.T) {
	t.Parallel()
	if got := render(And(Source{"a"}, nil, Source{"b || c"})); got != "a && (b || c)" {
		t.Errorf("got %s", got)
	}
	if got := render(And(nil, Source{"b || c"})); got != "b || c" {
		t.Errorf("got %s", got)
	}
}

func TestOperands(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ x, address, operand string }{{"a.B", "&a.B", "a.B"}, {"*a.B", "a.B", "(*a.B)"}} {
		if got := AddressOf(test.x); got != test.address {
			t.Errorf("AddressOf(%s) is %s", test.x, got)
		}
		if got := Operand(test.x); got != test.operand {
			t.Errorf("Operand(%s) is %s", test.x, got)
		}
	}
	if got := Variable("i", 0) + Variable("i", 1); got != "ii2" {
		t.Errorf("got %s", got)
	}
}

func TestErrorPath(t *testing.T) {
	t.Parallel()
	name := types.NewNamed(types.NewTypeName(0, nil, "Name", nil), types.Typ[types.String], nil)
	for _, test := range []struct {
		p    ErrorPath
		want string
	}{
		{nil, "err"},
		{ErrorPath(nil).Field(), "err"},
		{ErrorPath(nil).Field("a"), `schema.AtField(err, "a")`},
		{ErrorPath(nil).Field("a", "b"), `schema.AtPath(err, schema.NewPath("a", "b"))`},
		{
			ErrorPath(nil).Field("a").Index("i").Key("k", types.Typ[types.String]),
			`schema.AtField(schema.AtIndex(schema.AtKey(err, k), i), "a")`,
		},
		{ErrorPath(nil).Key("k", name), `schema.AtKey(err, string(k))`},
		{ErrorPath(nil).Key("k", types.Typ[types.Int]), `schema.AtKey(err, fmt.Sprint(k))`},
	} {
		f := emit.NewFile("example.com/p", "p")
		f.P("var _ = ", test.p.At(f, "err"))
		src, err := f.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		if _, got, _ := strings.Cut(string(src), "var _ = "); strings.TrimSpace(got) != test.want {
			t.Errorf("got %s, want %s", got, test.want)
		}
	}
}
