package serializer_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/cbor"
	"github.com/askind/askind/serializer/json"
	"github.com/askind/askind/serializer/protobuf"
	"github.com/askind/askind/serializer/yaml"
	"github.com/askind/askind/wire/pbwire"
)

func manyProblemsFactory(t *testing.T) *serializer.Factory {
	t.Helper()
	s, err := runtime.NewScheme(metav1.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	f, err := serializer.NewFactory(s, json.Format(), yaml.Format(), cbor.Format(), protobuf.Format())
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestManyProblemsHideNone has more unknown fields than problems are kept, and a value of the wrong
// type behind them.
func TestManyProblemsHideNone(t *testing.T) {
	t.Parallel()
	f := manyProblemsFactory(t)
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

// TestManyProblemsAreCounted states how many problems exceed the limit, in every format and
// strictness.
func TestManyProblemsAreCounted(t *testing.T) {
	t.Parallel()
	f := manyProblemsFactory(t)
	const head = `{"kind":"ListOptions","apiVersion":"meta.k8s.io/v1"`
	repeat := func(member string) string { return head + strings.Repeat(","+member, 102) + "}" }
	message := pbwire.NewWriter(nil)
	mark := message.OpenEnvelope()
	for i := range 101 {
		message.Uint64(100+i, 1)
	}
	message.CloseEnvelope(mark, metav1.GroupVersion.WithKind("ListOptions"))
	inCBOR, err := cbor.FromJSON(nil, []byte(head+","+numbered(101)+"}"))
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name, mediaType, text string
		strict                bool // only strict decoding has problems
	}{
		{"unknown fields in JSON", "application/json", head + "," + numbered(101) + "}", true},
		{"unknown fields in YAML", "application/yaml", head + "," + numbered(101) + "}", true},
		{"repeated fields in YAML", "application/yaml", repeat(`"limit":1`) + "\n# not JSON", true},
		{"unknown fields in CBOR", "application/cbor", string(inCBOR), true},
		{"unknown fields in protobuf", "application/vnd.kubernetes.protobuf", string(message.Bytes()), true},
		{"wrong types in JSON", "application/json", repeat(`"limit":"many"`), false},
	} {
		_, err := f.Decode([]byte(row.text), serializer.DecodeOptions{
			MediaType: row.mediaType, Strictness: serializer.FailOnProblems,
		})
		checkCounted(t, row.name, "an error", err)
		var warnings []string
		_, err = f.Decode([]byte(row.text), serializer.DecodeOptions{
			MediaType: row.mediaType, Strictness: serializer.WarnAboutProblems,
			Warn: func(p runtime.Problem) { warnings = append(warnings, p.Error()) },
		})
		if row.strict {
			err = errors.New(strings.Join(warnings, "\n"))
		}
		checkCounted(t, row.name, "warnings", err)
		if _, err = f.Decode([]byte(row.text), serializer.DecodeOptions{MediaType: row.mediaType}); row.strict {
			if err != nil {
				t.Errorf("%s, ignored: %v", row.name, err)
			}
			continue
		}
		checkCounted(t, row.name, "ignored", err)
	}
}

// numbered returns n members with different names that no kind has.
func numbered(n int) string {
	members := make([]string, n)
	for i := range members {
		members[i] = fmt.Sprintf(`"unknown%d":1`, i)
	}
	return strings.Join(members, ",")
}

func checkCounted(t *testing.T, name, how string, err error) {
	t.Helper()
	if err == nil {
		t.Errorf("%s, %s: no problem found", name, how)
		return
	}
	lines := strings.Split(err.Error(), "\n")
	if last := lines[len(lines)-1]; len(lines) != 101 || !strings.HasPrefix(last, "and ") {
		t.Errorf("%s, %s: %d lines end with %q", name, how, len(lines), last)
	}
}
