package k8s_test

import (
	"testing"

	"github.com/askind/askind/internal/tour"
)

// TestSnippets type-checks the pieces of Go in the documentation that need this module.
func TestSnippets(t *testing.T) {
	t.Parallel()
	tour.Snippets{
		Dir:     ".",
		Imports: map[string]string{"corev1": "github.com/askind/askind/k8s/corev1"},
		Only:    []string{"corev1.AddTo", "k8s.io/api/core/v1", "k8s.io/apimachinery/pkg/apis/meta/v1"},
	}.Check(t, "../docs/generator.md", "../docs/server.md")
}
