package serializer_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/json"
	"github.com/askind/askind/serializer/yaml"
)

// TestManyProblemsHideNone has more unknown fields than problems are kept, and a value of the wrong
// type behind them.
func TestManyProblemsHideNone(t *testing.T) {
	t.Parallel()
	s, err := runtime.NewScheme(metav1.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	f, err := serializer.NewFactory(s, json.Format(), yaml.Format())
	if err != nil {
		t.Fatal(err)
	}
	var unknown strings.Builder
	for i := range 150 {
		fmt.Fprintf(&unknown, ",\"unknown%d\":1", i)
	}
	text := []byte(`{"kind":"ListOptions","apiVersion":"meta.k8s.io/v1"` + unknown.String() + `,"limit":"many"}`)
	for _, mediaType := range []string{"application/json", "application/yaml"} {
		for _, strictness := range []serializer.Strictness{
			serializer.IgnoreProblems, serializer.WarnAboutProblems, serializer.FailOnProblems,
		} {
			warned := 0
			_, err := f.Decode(text, serializer.DecodeOptions{
				MediaType: mediaType, Strictness: strictness,
				Warn: func(runtime.Problem) { warned++ },
			})
			if !errors.Is(err, runtime.ErrWrongType) {
				t.Errorf("%s, strictness %d: the wrong value is not reported: %v", mediaType, strictness, err)
			}
			if strictness == serializer.FailOnProblems && !strings.Contains(err.Error(), "and 51 more problems") {
				t.Errorf("%s: nothing says that there are more", mediaType)
			}
		}
	}
}
