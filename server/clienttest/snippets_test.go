package clienttest

import (
	"testing"

	"github.com/askind/askind/internal/tour"
)

// cars are types of a controller.
const cars = `package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

type Car struct {
	metav1.TypeMeta
	metav1.ObjectMeta
}

type CarList struct {
	metav1.TypeMeta
	metav1.ListMeta
}

func (*Car) DeepCopyObject() runtime.Object
func (*CarList) DeepCopyObject() runtime.Object
`

// TestSnippets type-checks the pieces of Go in the documentation that use the clients of this
// module.
func TestSnippets(t *testing.T) {
	t.Parallel()
	tour.Snippets{
		Dir: ".", Types: cars,
		Imports: map[string]string{
			"envtest": "sigs.k8s.io/controller-runtime/pkg/envtest",
			"rest":    "k8s.io/client-go/rest",
			"scheme":  "sigs.k8s.io/controller-runtime/pkg/scheme",
			"schema":  "k8s.io/apimachinery/pkg/runtime/schema",
		},
		Only: []string{"envtest.Environment", "rest.Config", "scheme.Builder"},
	}.Check(t, "../../docs/server.md")
}
