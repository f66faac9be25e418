package runtime_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/askind/askind/runtime"
)

type named struct {
	TypeMeta `json:"typeMeta"`
}

type base struct {
	TypeMeta `json:",inline"`
	Size     int `json:"size"`
}

type namedBase struct {
	base `json:"base,omitempty"`
}

type deep struct{ named }

type plainBase struct{ base }

type unknownToJSON struct {
	TypeMeta `json:"-"`
}

func addHand[T any](name string, meta func(*T) (apiVersion, kind *string)) func(*runtime.Builder) {
	return func(b *runtime.Builder) {
		runtime.AddKind(b, &runtime.KindSpec[T]{GroupVersionKind: v1.WithKind(name), TypeMeta: meta})
	}
}

// TestTypeMetaWithAName checks that a kind registered by hand whose documents could not state their
// kind is found when it is registered, with the place.
func TestTypeMetaWithAName(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		add  func(*runtime.Builder)
		want string
	}{
		{"a name", addHand("Named", func(o *named) (a, k *string) { return &o.APIVersion, &o.Kind }), `field TypeMeta has the name "typeMeta"`},
		{"no function", addHand[named]("Named", nil), `field TypeMeta has the name "typeMeta"`},
		{"a name around it", addHand[namedBase]("Named", nil), `field base has the name "base"`},
		{"a name further inside", addHand[deep]("Named", nil), `field named.TypeMeta has the name "typeMeta"`},
		{"inline", addHand[plainBase]("Named", nil), ""},
		{"unknown to JSON", addHand[unknownToJSON]("Named", nil), ""},
	} {
		_, err := runtime.NewScheme(tt.add)
		if tt.want == "" {
			if err != nil {
				t.Errorf("%s: %v", tt.name, err)
			}
			continue
		}
		if !errors.Is(err, runtime.ErrConflict) || !strings.Contains(err.Error(), tt.want) ||
			!strings.Contains(err.Error(), "typemeta_test.go:") || !strings.Contains(err.Error(), "change the tag") {
			t.Errorf("%s: got %v", tt.name, err)
		}
	}
}
