package schema_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/askind/askind/schema"
)

var root *schema.Path

// pathTexts are paths with their texts, for printing, parsing and fuzzing.
var pathTexts = []struct {
	name string
	path *schema.Path
	want string
}{
	{"root", nil, ""},
	{"zero", &schema.Path{}, ""},
	{"field", schema.NewPath("spec"), "spec"},
	{"fields", schema.NewPath("spec", "template", "metadata"), "spec.template.metadata"},
	{"index", schema.NewPath("spec", "containers").Index(2).Child("image"), "spec.containers[2].image"},
	{"nested index", schema.NewPath("rows").Index(0).Index(1), "rows[0][1]"},
	{"index of the root", root.Index(3), "[3]"},
	{"index of the root, then field", root.Index(3).Child("a"), "[3].a"},
	{"negative index", schema.NewPath("a").Index(-1), "a[-1]"},
	{
		"key", schema.NewPath("metadata", "labels").Key("app.kubernetes.io/name"),
		"metadata.labels[app.kubernetes.io/name]",
	},
	{"simple key", schema.NewPath("data").Key("a"), "data[a]"},
	{"key of the root", root.Key("a"), "[a]"},
	{"key with a space", schema.NewPath("data").Key("a b"), "data[a b]"},
	{"key of a digit", schema.NewPath("data").Key("2"), `data["2"]`},
	{"key of a negative number", schema.NewPath("data").Key("-2"), `data["-2"]`},
	{"key of many digits", schema.NewPath("data").Key("00000000000000000000"), `data["00000000000000000000"]`},
	{"key of a dash", schema.NewPath("data").Key("-"), `data[-]`},
	{"blank key", schema.NewPath("data").Key(""), `data[""]`},
	{"key with brackets", schema.NewPath("data").Key("a]b["), `data["a]b["]`},
	{"key with a quotation mark", schema.NewPath("data").Key(`a"b`), `data["a\"b"]`},
	{"key with a backslash", schema.NewPath("data").Key(`a\b`), `data["a\\b"]`},
	{"key with a line feed", schema.NewPath("data").Key("a\nb"), `data["a\nb"]`},
	{"key that is not UTF-8", schema.NewPath("data").Key("a\xff"), `data["a\xff"]`},
	{"key with a replacement character", schema.NewPath("data").Key("a\ufffd"), "data[a\ufffd]"},
	{"key that is not ASCII", schema.NewPath("data").Key("größe"), "data[größe]"},
	{"field with a dot", schema.NewPath("spec", "a.b", "c"), `spec."a.b".c`},
	{"first field with a dot", schema.NewPath("a.b"), `"a.b"`},
	{"blank field", schema.NewPath("a", "", "b"), `a."".b`},
	{"blank first field", schema.NewPath(""), `""`},
	{"field with a bracket", schema.NewPath("a", "b[0]"), `a."b[0]"`},
	{"field with a space", schema.NewPath("a", "b c"), `a."b c"`},
	{"field that is not ASCII", schema.NewPath("größe", "$ref", "x-y", "a/b"), "größe.$ref.x-y.a/b"},
	{"quoted field, then index", schema.NewPath("a.b").Index(0), `"a.b"[0]`},
	{"join", schema.NewPath("spec").Join(schema.NewPath("a").Index(1)).Child("b"), "spec.a[1].b"},
}

func TestPathString(t *testing.T) {
	t.Parallel()
	for _, tt := range pathTexts {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := tt.path.String(); got != tt.want {
				t.Errorf("String() = %s, want %s", got, tt.want)
			}
		})
	}
}

func TestPathShort(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 1<<20)
	p := schema.NewPath("spec", long).Key("é" + long).Index(1).Key("a.b")
	want := "spec." + strings.Repeat("x", 253) + "…[é" + strings.Repeat("x", 251) + "…][1][a.b]"
	if got := p.Short(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := schema.NewPath("spec", "a.b").Short(); got != `spec."a.b"` {
		t.Errorf("got %s", got)
	}
}

func TestPathSteps(t *testing.T) {
	t.Parallel()
	got := schema.NewPath("spec", "list").Index(2).Key("k").Child("f").Steps()
	want := []schema.Step{
		{Kind: schema.StepField, Name: "spec"},
		{Kind: schema.StepField, Name: "list"},
		{Kind: schema.StepIndex, Index: 2},
		{Kind: schema.StepKey, Name: "k"},
		{Kind: schema.StepField, Name: "f"},
	}
	if !slices.Equal(got, want) {
		t.Errorf("Steps() = %+v, want %+v", got, want)
	}
	if got := root.Steps(); got != nil {
		t.Errorf("root.Steps() = %+v", got)
	}
}

func TestPathIsImmutable(t *testing.T) {
	t.Parallel()
	base := schema.NewPath("spec")
	a, b := base.Child("a"), base.Child("b")
	joined := base.Join(schema.NewPath("c"))
	if base.String() != "spec" || a.String() != "spec.a" || b.String() != "spec.b" || joined.String() != "spec.c" {
		t.Errorf("got %s, %s, %s, %s", base, a, b, joined)
	}
}

func TestPathJoin(t *testing.T) {
	t.Parallel()
	zero := &schema.Path{}
	ab := schema.NewPath("a", "b")
	for _, tt := range []struct {
		name       string
		head, tail *schema.Path
		want       string
	}{
		{"roots", nil, nil, ""},
		{"zeros", zero, zero, ""},
		{"nil first", nil, ab, "a.b"},
		{"nil last", ab, nil, "a.b"},
		{"zero first", zero, ab, "a.b"},
		{"zero last", ab, zero, "a.b"},
		{"twice", ab.Join(ab), ab, "a.b.a.b.a.b"},
		{"nested at the end", ab, ab.Join(ab.Join(ab)), "a.b.a.b.a.b.a.b"},
		{"then more", ab, ab.Join(zero.Index(0)).Key("k"), "a.b.a.b[0][k]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := tt.head.Join(tt.tail).String(); got != tt.want {
				t.Errorf("Join = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestPathEqual(t *testing.T) {
	t.Parallel()
	for i, a := range pathTexts {
		for j, b := range pathTexts {
			if got, want := a.path.Equal(b.path), i == j || a.want == b.want; got != want {
				t.Errorf("%q.Equal(%q) = %v", a.want, b.want, got)
			}
		}
	}
	if !schema.NewPath("a", "b", "c").Equal(schema.NewPath("a").Join(schema.NewPath("b").Child("c"))) {
		t.Error("a join is not equal to the same steps")
	}
	if root.Key("1").Equal(root.Index(1)) {
		t.Error("a key is equal to an index")
	}
}

// A path may be as deep as a document; nothing about it may use the stack or take quadratic time.
func TestPathOfManySteps(t *testing.T) {
	t.Parallel()
	const n = 200_000
	var down, up *schema.Path
	for i := range n {
		down = down.Index(i)
		up = root.Index(n - 1 - i).Join(up)
	}
	if got := len(down.Steps()); got != n {
		t.Errorf("%d steps down", got)
	}
	if !down.Equal(up) {
		t.Error("the path built backwards differs")
	}
}

func TestStepKindString(t *testing.T) {
	t.Parallel()
	for kind, want := range map[schema.StepKind]string{
		schema.StepField: "field", schema.StepIndex: "index", schema.StepKey: "key", 0: "step kind 0", 9: "step kind 9",
	} {
		if got := kind.String(); got != want {
			t.Errorf("String() = %q, want %q", got, want)
		}
	}
}

// randomPath makes up a path with names that are likely to need quotes.
func randomPath(r *rand.Rand) *schema.Path {
	name := func() string {
		alphabet := []string{
			"a", "B", "1", "23", "-", ".", "[", "]", `"`, `\`, "/", " ", "\n", "\x00", "\xff", "ä",
			"\u2028", "\ufffd", "'", "`", "$",
		}
		s := ""
		for range r.IntN(5) {
			s += alphabet[r.IntN(len(alphabet))]
		}
		return s
	}
	var p *schema.Path
	for range r.IntN(6) {
		switch r.IntN(4) {
		case 0:
			p = p.Child(name())
		case 1:
			p = p.Index(r.IntN(2000) - 10)
		case 2:
			p = p.Key(name())
		case 3:
			p = schema.NewPath(name()).Join(p)
		}
	}
	return p
}

func BenchmarkPath(b *testing.B) {
	b.Run("Child", func(b *testing.B) {
		b.ReportAllocs()
		p := schema.NewPath("spec")
		for b.Loop() {
			_ = p.Child("image")
		}
	})
	b.Run("String", func(b *testing.B) {
		b.ReportAllocs()
		p := schema.NewPath("spec", "containers").Index(2).Child("image")
		for b.Loop() {
			_ = p.String()
		}
	})
}
