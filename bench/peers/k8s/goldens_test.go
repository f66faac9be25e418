package k8s_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	kruntime "k8s.io/apimachinery/pkg/runtime"

	v1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	askindjson "github.com/askind/askind/serializer/json"
	askindprotobuf "github.com/askind/askind/serializer/protobuf"
	askindyaml "github.com/askind/askind/serializer/yaml"
	"github.com/askind/askind/wire/jsonwire"
	"github.com/askind/askind/wire/pbwire"
)

// moduleDir is where the sources of a module are.
func moduleDir(t testing.TB, module string) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

func newScheme(t testing.TB) *runtime.Scheme {
	t.Helper()
	s, err := runtime.NewScheme(append(groups(), v1.AddTo)...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// kindOf finds the kind of a golden file, which is called group.version.Kind.json.
func kindOf(s *runtime.Scheme, name string) (*runtime.Kind, bool) {
	parts := strings.Split(strings.TrimSuffix(name, ".json"), ".")
	n := len(parts)
	gvk := schema.GroupVersionKind{Group: strings.Join(parts[:n-2], "."), Version: parts[n-2], Kind: parts[n-1]}
	if gvk.Group == "core" {
		gvk.Group = ""
	}
	return s.Lookup(gvk)
}

// TestGoldens decodes the golden objects of Kubernetes strictly and encodes them to the same bytes,
// in each format; in memory they are what the methods of the peer's types make of them, and copies
// are equal to those of the types themselves.
func TestGoldens(t *testing.T) {
	t.Parallel()
	s, err := runtime.NewScheme(append(groups(), sharedKinds)...)
	if err != nil {
		t.Fatal(err)
	}
	f, err := serializer.NewFactory(s, askindjson.Format(), askindyaml.Format(), askindprotobuf.Format())
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(moduleDir(t, "k8s.io/api"), "testdata", "HEAD", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	tested := 0
	for _, file := range files {
		name := filepath.Base(file)
		k, ok := kindOf(s, name)
		if !ok {
			continue
		}
		tested++
		t.Run(strings.TrimSuffix(name, ".json"), func(t *testing.T) {
			t.Parallel()
			golden{f: f, k: k, base: strings.TrimSuffix(file, ".json")}.run(t)
		})
	}
	if tested != wantGoldens {
		t.Errorf("%d of %d golden objects belong to the groups, want %d", tested, len(files), wantGoldens)
	}
}

// golden is one golden object, in the three files whose names begin with base.
type golden struct {
	f    *serializer.Factory
	k    *runtime.Kind
	base string
}

func (g golden) read(t *testing.T, ext string) []byte {
	t.Helper()
	data, err := os.ReadFile(g.base + ext)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func (g golden) decode(t *testing.T, data []byte, mediaType string) any {
	t.Helper()
	obj, err := g.f.Decode(data, serializer.DecodeOptions{
		MediaType: mediaType, Strictness: serializer.FailOnProblems,
		DefaultKind: g.k.GroupVersionKind(),
	})
	if err != nil {
		t.Fatalf("%s: %v", mediaType, err)
	}
	return obj
}

// encodes holds that an object, which the peer has read so that nothing can be kept from our own
// decoding, is written as wanted.
func (g golden) encodes(t *testing.T, peer any, mediaType string, want []byte) {
	t.Helper()
	got, err := g.f.Append(nil, peer, serializer.EncodeOptions{MediaType: mediaType})
	if err != nil {
		t.Fatalf("%s: %v", mediaType, err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s: encoded differently:\n got %q\nwant %q", mediaType, got, want)
	}
}

func (g golden) same(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s differs:\n got %+v\nwant %+v", what, got, want)
	}
}

func (g golden) unmarshal(t *testing.T, text []byte) any {
	t.Helper()
	obj := g.k.New()
	if err := json.Unmarshal(text, obj); err != nil {
		t.Fatal(err)
	}
	return obj
}

func (g golden) run(t *testing.T) {
	text := g.read(t, ".json")
	g.same(t, "what is read from JSON", g.decode(t, text, "application/json"), g.unmarshal(t, text))
	var compact bytes.Buffer
	if err := json.Compact(&compact, text); err != nil {
		t.Fatal(err)
	}
	peer := g.unmarshal(t, compact.Bytes()) // raw values inside are kept as they are written
	g.encodes(t, peer, "application/json", append(compact.Bytes(), '\n'))

	text = g.read(t, ".yaml")
	g.same(t, "what is read from YAML", g.decode(t, text, "application/yaml"), peer)
	g.encodes(t, peer, "application/yaml", text)

	clone, err := g.k.DeepCopy(peer)
	if err != nil {
		t.Fatal(err)
	}
	g.same(t, "the copy", clone, peer)
	if o, ok := peer.(kruntime.Object); ok {
		g.same(t, "the copy", clone, o.DeepCopyObject())
	}
	g.protobuf(t, peer)
}

func (g golden) protobuf(t *testing.T, fromJSON any) {
	data := g.read(t, ".pb")
	const mediaType = askindprotobuf.MediaType
	envelope, err := pbwire.ParseEnvelope(data)
	if err != nil {
		t.Fatal(err)
	}
	peer := g.k.New()
	if err := peer.(interface{ Unmarshal([]byte) error }).Unmarshal(envelope.Raw); err != nil {
		t.Fatal(err)
	}
	if len(envelope.Kind) > 0 {
		if err := g.k.SetType(peer); err != nil {
			t.Fatal(err)
		}
		g.same(t, "what is read from protobuf", g.decode(t, data, mediaType), peer)
		g.encodes(t, peer, mediaType, data)
		g.encodes(t, fromJSON, mediaType, data)
		return
	}
	// What states no kind has none in its envelope either.
	got := g.k.New()
	r := pbwire.NewReader(envelope.Raw, pbwire.Options{Strict: true})
	if err := g.k.DecodeProto(r, got); err != nil || len(r.Problems()) > 0 {
		t.Fatal(err, r.Problems())
	}
	g.same(t, "what is read from protobuf", got, peer)
	w := pbwire.NewWriter(nil)
	mark := w.OpenEnvelope()
	if err := g.k.PrependProto(w, peer); err != nil {
		t.Fatal(err)
	}
	w.CloseEnvelope(mark, schema.GroupVersionKind{})
	if !bytes.Equal(w.Bytes(), data) {
		t.Errorf("encoded differently:\n got %q\nwant %q", w.Bytes(), data)
	}
	w.Measure()
	if err := g.k.PrependProto(w, peer); err != nil || w.Len() != len(envelope.Raw) {
		t.Errorf("measured %d bytes, want %d; error %v", w.Len(), len(envelope.Raw), err)
	}
}

// TestListsOfKinds checks that a list of each kind is written as encoding/json writes it, with
// items that have no kind and apiVersion, although decoding sets theirs.
func TestListsOfKinds(t *testing.T) {
	t.Parallel()
	s := newScheme(t)
	for k := range s.Kinds() {
		if !k.IsList() || k.ItemKind() == nil || k.GroupVersion() == v1.GroupVersion {
			continue
		}
		list := k.New()
		k.Items(list).Resize(2)
		want, err := json.Marshal(list)
		if err != nil {
			t.Fatal(err)
		}
		r := jsonwire.NewReader(want, jsonwire.Options{Strict: true})
		back := k.New()
		if err := k.DecodeJSON(r, back); err != nil {
			t.Fatal(err)
		}
		got, err := k.AppendJSON(nil, back)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s:\n got %s\nwant %s", k.Name(), got, want)
		}
	}
}
