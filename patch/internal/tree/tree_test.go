package tree_test

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/askind/askind/patch/internal/tree"
	"github.com/askind/askind/schema"
)

func TestEqualNumbers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"1", "1.0", true},
		{"1", "-1", false},
		{"0", "-0.00", true},
		{"0", "0e99999999999999999999", true},
		{"100", "1e2", true},
		{"100", "1E+2", true},
		{"0.01", "1e-2", true},
		{"1000000000000000000000000000001", "1000000000000000000000000000002", false},
		{"1e3", "1e4", false},
		{"1.10", "1.1", true},
		{"10e9223372036854775807", "1e-9223372036854775808", false},
	} {
		if got := tree.EqualNumbers(tt.a, tt.b); got != tt.want {
			t.Errorf("%s and %s: %t", tt.a, tt.b, got)
		}
	}
}

func TestOpenKeepsTheText(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{}`, `[]`, `{"a":[1,{"b":"\"]}"},null],"\u0061b" : true , "c":-1.5e3}`,
		` [ [ ] , { } ] `, `"x"`, `1`,
	} {
		for _, all := range []bool{false, true} {
			n, err := tree.Parse([]byte(text), schema.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if all {
				n.OpenAll()
			}
			walk(&n)
			again, err := tree.Parse(n.Append(nil), schema.Limits{})
			if err != nil || !tree.Equal(&n, &again) {
				t.Errorf("%s: got %s, %v", text, n.Append(nil), err)
			}
		}
	}
}

// walk opens and touches all nodes, so that they are written anew.
func walk(n *tree.Node) {
	if !n.Container() {
		return
	}
	n.Open()
	n.Touch()
	for i := range n.Kids {
		walk(&n.Kids[i])
	}
}

func TestPutAndDrop(t *testing.T) {
	t.Parallel()
	n := tree.New(tree.Object)
	one := tree.Sound("1")
	for i := range 100 {
		n.Put(string(rune('a'+i)), one)
	}
	for i := range 50 {
		n.Drop(string(rune('a' + 2*i)))
	}
	n.Drop("c") // again
	n.Put("a", one)
	if n.Len() != 51 || n.Find("a") < 0 || n.Find("b") < 0 || n.Find("c") >= 0 {
		t.Errorf("got %s", n.Append(nil))
	}
	n.Sort()
	if n.Kids[0].Name != "a" || n.Kids[1].Name != "b" || n.Kids[2].Name != "d" || n.Find("d") != 2 {
		t.Errorf("got %s", n.Append(nil))
	}
}

// TestPutInPlaceOfDropped checks that a member that was dropped stays so when the object grows, and
// that one that was put again counts.
func TestPutInPlaceOfDropped(t *testing.T) {
	t.Parallel()
	n := tree.Sound(`{"a":1,"b":2}`)
	n.Open()
	n.Drop("a")
	for i := range 40 {
		n.Put("m"+strconv.Itoa(i), tree.Sound("1"))
	}
	if i := n.Find("a"); i >= 0 {
		t.Errorf("found %+v", n.Kids[i])
	}
	a, b := tree.Sound(`{"a":1,"b":2}`), tree.Sound(`{"a":0,"b":2}`)
	b.Open()
	b.Drop("a")
	b.Put("a", tree.Sound("1"))
	if !tree.Equal(&a, &b) {
		t.Errorf("%s and %s differ", a.Append(nil), b.Append(nil))
	}
}

// TestNodesAreIndependent changes a clone, and one of two nodes that were opened together.
func TestNodesAreIndependent(t *testing.T) {
	t.Parallel()
	n := tree.New(tree.Object)
	for i := range 40 {
		n.Put("m"+strconv.Itoa(i), tree.Sound(`{"x":1}`))
	}
	n.OpenAll()
	clone := n.Clone()
	clone.Drop("m0")
	clone.Get("m1").Put("x", tree.Sound("2"))
	if n.Find("m0") < 0 || n.Get("m1").Get("x").Text() != "1" {
		t.Error("a change of the clone is seen")
	}
	n = tree.Sound(`{"a":{"x":1},"b":{"y":2}}`)
	n.OpenAll()
	n.Get("a").Put("z", tree.Sound("3"))
	if n.Get("b").Get("y") == nil {
		t.Error("a new member has taken the place of another object's")
	}
}

func TestKey(t *testing.T) {
	t.Parallel()
	for _, same := range [][]string{
		{`"a"`, `"\u0061"`},
		{`"1"`},
		{"1", "1.0", "10e-1"},
		{"0", "-0", "0.0", "0e9"},
		{"-1", "-1.0"},
		{"100", "1e2"},
		{"1e999999999", "10e999999998"},
		{"0.01", "1e-2"},
		{"1" + strings.Repeat("0", 63), "1e63"},
		{"-12" + strings.Repeat("0", 63), "-1.2e64"},
		{"1" + strings.Repeat("0", 64), "1e64"},
		{"1" + strings.Repeat("0", 70), "10e69"},
		{"true"},
		{`"true"`},
		{"null"},
	} {
		for _, text := range same {
			n, first := tree.Sound(text), tree.Sound(same[0])
			if n.Key() != first.Key() || n.Key() == "" || len(n.Key()) > 100 {
				t.Errorf("%s has the key %.100s, %s the key %.100s", text, n.Key(), same[0], first.Key())
			}
		}
	}
}

func TestPeek(t *testing.T) {
	t.Parallel()
	n := tree.Sound(`{ "b\"" : [1,2] , "\u0061":"}", "c":null}`)
	for name, want := range map[string]string{`b"`: "[1,2]", "a": `"}"`, "c": "null", "d": ""} {
		if got := n.Peek(name); got.Text() != want {
			t.Errorf("%s: got %s", name, got.Text())
		}
	}
}

func TestDepth(t *testing.T) {
	t.Parallel()
	n := tree.Sound(`{"a":"[[\"{{","b":[{}]}`)
	if n.Depth() != 3 {
		t.Errorf("got %d", n.Depth())
	}
	n.Open()
	if n.Put("b", tree.Sound("1")); n.Depth() != 1 {
		t.Errorf("after a change: got %d", n.Depth())
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		value any
		ok    bool
	}{
		{"a list in a list", []any{[]any{}}, true},
		{"a list that nests too deep", []any{[]any{[]any{}}}, false},
		{"a map in a list", map[string]any{"a": []any{1.5, "x", nil, json.Number("1e2")}}, true},
		{"a map that nests too deep", []any{map[string]any{"a": map[string]any{}}}, false},
		{"not a number", []any{math.NaN()}, false},
		{"an infinite number", math.Inf(-1), false},
		{"a text as a number", json.Number(`"1"`), false},
	} {
		if err := tree.Check(tt.value, 2); (err == nil) != tt.ok {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{``, `{`, `1 2`, `{"a":1,}`, "\"\xff\""} {
		if n, err := tree.Parse([]byte(text), schema.Limits{}); err == nil {
			t.Errorf("%s: got %s", text, n.Append(nil))
		}
	}
	if _, err := tree.Parse([]byte(`[[1]]`), schema.Limits{Depth: 1}); err == nil {
		t.Error("a document beyond the limit of depth was read")
	}
	if _, err := tree.Parse([]byte(`[1]`), schema.Limits{Size: 2}); err == nil {
		t.Error("a document beyond the limit of size was read")
	}
}

// TestOpenLongTexts opens a text level by level that is long enough for its extents to be kept.
func TestOpenLongTexts(t *testing.T) {
	t.Parallel()
	kid := `{"a\"}" : [ {"b\\":{}} , [[],"]{"] ], "c":"0123456789 \\\\\" 0123456789", "d":{"e":[{},{"f":null}]}}`
	text := `{"list": [` + strings.Repeat(kid+" , ", 40) + kid + `], "last":` + kid + `}`
	lazy, err := tree.Parse([]byte(text), schema.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	walk(&lazy)
	whole, err := tree.Parse([]byte(text), schema.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	whole.OpenAll()
	if !tree.Equal(&lazy, &whole) || len(lazy.Get("list").Kids) != 41 {
		t.Errorf("got %s\nwant %s", lazy.Append(nil), text)
	}
}
