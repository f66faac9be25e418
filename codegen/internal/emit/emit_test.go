package emit

import (
	"strings"
	"testing"
)

func TestImports(t *testing.T) {
	t.Parallel()
	f := NewFile("example.com/fleet/v1", "v1", "schema")
	f.Pf("var _ %s", Ident{Path: "example.com/fleet/v1", Name: "Local"})
	f.Pf("var _ %s", Ident{Path: "github.com/askind/askind/meta/v1", Name: "Time"})
	f.Pf("var _ %s", Ident{Path: "example.com/other/meta/v1", Name: "Time"})
	f.Pf("var _ %s", Ident{Path: "k8s.io/api/core/v1", Name: "Pod"})
	f.Pf("var _ %s", Ident{Path: "github.com/askind/askind/schema", Name: "Path"})
	f.P("var _ = ", Ident{Path: "maps", Name: "Clone"}, "[map[int]int]")
	f.Pf("var _ %s", Ident{Path: "example.com/out", Name: "Name"})
	f.Pf("func f(errs []%s) (other int) { return len(errs) }", Ident{Path: "example.com/errs", Name: "Error"})
	got, err := f.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	want := Header + `

package v1

import (
	"maps"

	exampleerrs "example.com/errs"
	othermetav1 "example.com/other/meta/v1"
	"example.com/out"
	askindmetav1 "github.com/askind/askind/meta/v1"
	askindschema "github.com/askind/askind/schema"
	corev1 "k8s.io/api/core/v1"
)

var _ Local
var _ askindmetav1.Time
var _ othermetav1.Time
var _ corev1.Pod
var _ askindschema.Path
var _ = maps.Clone[map[int]int]
var _ out.Name

func f(errs []exampleerrs.Error) (other int) { return len(errs) }
`
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestBrokenSourceIsShown(t *testing.T) {
	t.Parallel()
	f := NewFile("p", "p")
	f.P("func {")
	_, err := f.Bytes()
	if err == nil || !strings.Contains(err.Error(), "    5  func {") {
		t.Errorf("got %v", err)
	}
}
