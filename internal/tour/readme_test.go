package tour_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/askind/askind/examples/fleet/api/fleet/v1"
	"github.com/askind/askind/examples/fleet/api/fleet/v1beta1"
	"github.com/askind/askind/internal/tour"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/json"
	"github.com/askind/askind/serializer/yaml"
)

// TestReadmeWithoutServer runs the statements that the README shows under that heading, and checks
// that they are those of this file, with Machine in place of Car.
func TestReadmeWithoutServer(t *testing.T) {
	t.Parallel()
	scheme, err := runtime.NewScheme(v1.AddTo, v1beta1.AddTo, metav1.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	data := []byte("apiVersion: fleet.example.com/v1beta1\nkind: Machine\nmetadata: {name: web-1}\nspec: {pool: web}\n")
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.Header.Set("Accept", "application/json;v=v1beta1")
	w := &strings.Builder{}

	f, err := serializer.NewFactory(scheme, json.Format(), yaml.Format())
	if err != nil {
		t.Fatal(err)
	}
	machine, err := serializer.Decode[v1.Machine](f, data)
	if err != nil || machine.Spec.PoolName != "web" {
		t.Fatalf("got %+v, %v", machine, err)
	}
	rep, err := f.Negotiate(r.Header.Values("Accept"), serializer.Offer{Kind: v1.GroupVersion.WithKind("Machine")})
	if err != nil {
		t.Fatal(err)
	}
	err = rep.Encode(w, machine)
	if err != nil || !strings.Contains(w.String(), `"pool":"web"`) {
		t.Errorf("got %s, %v", w, err)
	}

	own, err := os.ReadFile("readme_test.go")
	if err != nil {
		t.Fatal(err)
	}
	page := readme(t)
	_, section, _ := strings.Cut(page, "## Without a server")
	lines := 0
	for line := range strings.Lines(tour.Blocks(section)[0].Text) {
		code, _, _ := strings.Cut(line, "//")
		code = strings.NewReplacer("Car", "Machine", "car", "machine").Replace(strings.TrimSpace(code))
		if lines++; !strings.Contains(string(own), "\n\t"+code+"\n") {
			t.Errorf("this test does not run %s", code)
		}
	}
	if lines != 4 {
		t.Errorf("the section has %d statements", lines)
	}
}

// TestReadmeError checks that the README quotes what is said about a misspelled field.
func TestReadmeError(t *testing.T) {
	t.Parallel()
	scheme, err := runtime.NewScheme(v1.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	f, err := serializer.NewFactory(scheme, yaml.Format())
	if err != nil {
		t.Fatal(err)
	}
	const data = "apiVersion: fleet.example.com/v1\nkind: Machine\nmetadata:\n  name: web-1\nspec:\n" +
		"  zone: fra-1\n  bott: {type: Disk}\n"
	_, err = serializer.Decode[v1.Machine](f, []byte(data), serializer.DecodeOptions{
		File: "machines.yaml", Strictness: serializer.FailOnProblems,
	})
	page := strings.Join(strings.Fields(readme(t)), " ")
	if err == nil || !strings.Contains(page, "`"+err.Error()+"`") {
		t.Errorf("the README does not quote %v", err)
	}
}

func readme(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}
