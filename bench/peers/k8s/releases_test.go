package k8s_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
	askindjson "github.com/askind/askind/serializer/json"
	askindprotobuf "github.com/askind/askind/serializer/protobuf"
	askindyaml "github.com/askind/askind/serializer/yaml"
	"github.com/askind/askind/wire/pbwire"
)

// TestOlderReleases reads what older releases of Kubernetes have written and writes it again: with
// the same bytes or, where later releases write something else, with those that are recorded for
// that. Kinds and fields that are gone since are left out.
func TestOlderReleases(t *testing.T) {
	t.Parallel()
	s, err := runtime.NewScheme(append(groups(), sharedKinds)...)
	if err != nil {
		t.Fatal(err)
	}
	f, err := serializer.NewFactory(s, askindjson.Format(), askindyaml.Format(), askindprotobuf.Format())
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(moduleDir(t, "k8s.io/api"), "testdata", "v*", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	tested := 0
	for _, file := range files {
		k, ok := kindOf(s, filepath.Base(file))
		if !ok || strings.HasSuffix(file, ".after_roundtrip.json") {
			continue
		}
		tested++
		g := golden{f: f, k: k, base: strings.TrimSuffix(file, ".json")}
		for ext, mediaType := range map[string]string{
			".json": "application/json", ".yaml": "application/yaml",
			".pb": askindprotobuf.MediaType,
		} {
			g.written(t, ext, mediaType)
		}
	}
	if tested < 2*wantGoldens {
		t.Errorf("%d objects of older releases belong to the groups", tested)
	}
}

// written reads the file with an extension and holds that what it says is written as the file, or
// as the one for later releases.
func (g golden) written(t *testing.T, ext, mediaType string) {
	t.Helper()
	data := g.read(t, ext)
	if ext == ".pb" {
		envelope, err := pbwire.ParseEnvelope(data)
		if err != nil {
			t.Fatal(err)
		}
		if len(envelope.Kind) == 0 { // what states no kind has none in its envelope either
			return
		}
	}
	want := data
	if later, err := os.ReadFile(g.base + ".after_roundtrip" + ext); err == nil {
		want = later
	}
	if ext == ".json" {
		data, want = compact(t, data), append(compact(t, want), '\n')
	}
	obj, err := g.f.Decode(data, serializer.DecodeOptions{MediaType: mediaType, DefaultKind: g.k.GroupVersionKind()})
	if err != nil {
		t.Errorf("%s%s: %v", g.base, ext, err)
		return
	}
	if got, err := g.f.Append(nil, obj, serializer.EncodeOptions{MediaType: mediaType}); err != nil ||
		!bytes.Equal(got, want) {
		t.Errorf("%s%s: %v, written as\n%q, want\n%q", g.base, ext, err, got, want)
	}
}

func compact(t *testing.T, text []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := json.Compact(&out, text); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
