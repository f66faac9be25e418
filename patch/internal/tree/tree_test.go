package tree_test

import (
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
		if !n.Drop(string(rune('a' + 2*i))) {
			t.Fatal("a member is missing")
		}
	}
	n.Put("a", one)
	if n.Len() != 51 || n.Find("a") < 0 || n.Find("b") < 0 || n.Find("c") >= 0 || n.Drop("c") {
		t.Errorf("got %s", n.Append(nil))
	}
	n.Sort()
	if n.Kids[0].Name != "a" || n.Kids[1].Name != "b" || n.Kids[2].Name != "d" || n.Find("d") != 2 {
		t.Errorf("got %s", n.Append(nil))
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
