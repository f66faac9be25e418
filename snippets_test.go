package askind_test

import (
	"path/filepath"
	"testing"

	"github.com/askind/askind/internal/tour"
)

// TestSnippets type-checks the pieces of Go on pages and in the comments of packages. Those that
// need another module are checked by the tests of that module.
func TestSnippets(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("lists all packages with their export data")
	}
	pages, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	tour.Snippets{
		Dir: ".",
		Imports: map[string]string{
			"fleetv1":  "github.com/askind/askind/examples/fleet/api/fleet/v1",
			"gadgetpb": "github.com/askind/askind/internal/gadgets",
			"gofuzz":   "github.com/google/gofuzz",
			"slices":   "slices",
		},
		Not: []string{
			"cel.Compile", "corev1.AddTo", "envtest.Environment", "etcd.Dial", "rest.Config", "scheme.Builder",
			"v2proto.Encode", "k8s.io/api/core/v1", "k8s.io/apimachinery/pkg/apis/meta/v1",
		},
	}.Check(t, append(pages, "README.md", "store/README.md", "fuzz/README.md")...)
}
