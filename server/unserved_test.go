package server_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/json/reflectjson"
	"github.com/askind/askind/server"
	"github.com/askind/askind/store/memory"
)

// ObjectMeta is metadata as another library has it.
type ObjectMeta struct {
	Name string `json:"name,omitempty"`
}

// barge is a kind whose metadata is not that of meta/v1, as in a project that imports
// k8s.io/apimachinery.
type barge struct {
	metav1.TypeMeta
	ObjectMeta `json:"metadata"`
}

// TestKindsOfAnotherLibraryAreNamed checks that a server logs which kinds it does not serve because
// of the type of their metadata, once, and what to do.
func TestKindsOfAnotherLibraryAreNamed(t *testing.T) {
	t.Parallel()
	scheme, err := runtime.NewScheme(metav1.AddTo, func(b *runtime.Builder) {
		runtime.AddKind(b, reflectjson.Complete(runtime.KindSpec[barge]{
			GroupVersionKind: schema.GroupVersionKind{Group: "harbor.example.com", Version: "v1", Kind: "Barge"},
			Resource:         "barges", Singular: "barge",
			TypeMeta:     func(in *barge) (apiVersion, kind *string) { return &in.APIVersion, &in.Kind },
			Metadata:     func(in *barge) any { return &in.ObjectMeta },
			DeepCopyInto: func(in, out *barge) { *out = *in },
		}))
	})
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	s, err := server.New(scheme, memory.New(), server.Log(slog.New(slog.NewTextHandler(&log, nil))))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if got := log.String(); strings.Count(got, "is not served") != 1 || !strings.Contains(got, "Kind=Barge") ||
		!strings.Contains(got, "+askind:codecs=github.com/askind/askind/k8s/metav1") {
		t.Errorf("the log is %q", got)
	}
}
