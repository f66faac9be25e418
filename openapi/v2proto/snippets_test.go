package v2proto_test

import (
	"testing"

	"github.com/askind/askind/internal/tour"
)

// TestSnippets type-checks the pieces of Go in the documentation that need this module.
func TestSnippets(t *testing.T) {
	t.Parallel()
	tour.Snippets{Dir: ".", Only: []string{"v2proto.Encode"}}.Check(t, "../../docs/server.md")
}
