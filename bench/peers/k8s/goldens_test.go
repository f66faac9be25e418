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

	kmetav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kruntime "k8s.io/apimachinery/pkg/runtime"

	"github.com/askind/askind/bench/peers/k8s/metav1"
	v1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/jsonwire"
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

// codec is what a golden object is read and written with.
type codec struct {
	name   string
	new    func() any
	decode func(r *jsonwire.Reader, out any)
	append func(dst []byte, in any) ([]byte, error)
	copy   func(in any) any
}

func codecOf[T any](decode func(*jsonwire.Reader, *T), appendJSON func([]byte, *T) ([]byte, error), copyInto func(in, out *T)) codec {
	return codec{
		name:   reflect.TypeFor[T]().Name(),
		new:    func() any { return new(T) },
		decode: func(r *jsonwire.Reader, out any) { decode(r, out.(*T)) },
		append: func(dst []byte, in any) ([]byte, error) { return appendJSON(dst, in.(*T)) },
		copy: func(in any) any {
			out := new(T)
			copyInto(in.(*T), out)
			return out
		},
	}
}

// shared are the kinds that Kubernetes registers under every group version. Their goldens name the core group.
func shared() []codec {
	return []codec{
		codecOf(metav1.DecodeJSONAPIGroup, metav1.AppendJSONAPIGroup, (*kmetav1.APIGroup).DeepCopyInto),
		codecOf(metav1.DecodeJSONAPIVersions, metav1.AppendJSONAPIVersions, (*kmetav1.APIVersions).DeepCopyInto),
		codecOf(metav1.DecodeJSONCreateOptions, metav1.AppendJSONCreateOptions, (*kmetav1.CreateOptions).DeepCopyInto),
		codecOf(metav1.DecodeJSONDeleteOptions, metav1.AppendJSONDeleteOptions, (*kmetav1.DeleteOptions).DeepCopyInto),
		codecOf(metav1.DecodeJSONGetOptions, metav1.AppendJSONGetOptions, (*kmetav1.GetOptions).DeepCopyInto),
		codecOf(metav1.DecodeJSONListOptions, metav1.AppendJSONListOptions, (*kmetav1.ListOptions).DeepCopyInto),
		codecOf(metav1.DecodeJSONPatchOptions, metav1.AppendJSONPatchOptions, (*kmetav1.PatchOptions).DeepCopyInto),
		codecOf(metav1.DecodeJSONStatus, metav1.AppendJSONStatus, (*kmetav1.Status).DeepCopyInto),
		codecOf(metav1.DecodeJSONUpdateOptions, metav1.AppendJSONUpdateOptions, (*kmetav1.UpdateOptions).DeepCopyInto),
		codecOf(metav1.DecodeJSONWatchEvent, metav1.AppendJSONWatchEvent, (*kmetav1.WatchEvent).DeepCopyInto),
	}
}

// lookup finds the codec of a golden file, which is called group.version.Kind.json.
func lookup(t *testing.T, s *runtime.Scheme, name string) (codec, bool) {
	parts := strings.Split(strings.TrimSuffix(name, ".json"), ".")
	n := len(parts)
	gvk := schema.GroupVersionKind{Group: strings.Join(parts[:n-2], "."), Version: parts[n-2], Kind: parts[n-1]}
	if gvk.Group == "core" {
		gvk.Group = ""
		for _, c := range shared() {
			if c.name == gvk.Kind {
				return c, true
			}
		}
	}
	k, ok := s.Lookup(gvk)
	if !ok {
		return codec{}, false
	}
	check := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	return codec{
		name: gvk.Kind,
		new:  k.New,
		decode: func(r *jsonwire.Reader, out any) {
			check(k.DecodeJSON(r, out))
		},
		append: k.AppendJSON,
		copy: func(in any) any {
			out, err := k.DeepCopy(in)
			check(err)
			return out
		},
	}, true
}

// TestGoldens decodes the golden objects of Kubernetes strictly and encodes them to the same bytes; in memory they are what
// encoding/json makes of them, and copies are equal to those of the types themselves.
func TestGoldens(t *testing.T) {
	t.Parallel()
	s := newScheme(t)
	files, err := filepath.Glob(filepath.Join(moduleDir(t, "k8s.io/api"), "testdata", "HEAD", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	tested := 0
	for _, file := range files {
		name := filepath.Base(file)
		c, ok := lookup(t, s, name)
		if !ok {
			continue
		}
		tested++
		t.Run(name, func(t *testing.T) { c.golden(t, file) })
	}
	if tested != wantGoldens {
		t.Errorf("%d of %d golden objects belong to the groups, want %d", tested, len(files), wantGoldens)
	}
}

func (c codec) golden(t *testing.T, file string) {
	golden, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	obj := c.new()
	r := jsonwire.NewReader(golden, jsonwire.Options{Strict: true})
	c.decode(r, obj)
	r.End()
	for _, p := range r.Problems() {
		t.Errorf("%v", p)
	}
	peer := c.new()
	if err := json.Unmarshal(golden, peer); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(obj, peer) {
		t.Errorf("decoded differently from encoding/json:\n got %+v\nwant %+v", obj, peer)
	}
	// Encoded from what the peer has read, so that nothing can be kept from ours.
	got, err := c.append(nil, peer)
	if err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	if err := json.Compact(&want, golden); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want.Bytes()) {
		t.Errorf("encoded differently:\n got %s\nwant %s", got, want.Bytes())
	}
	clone := c.copy(obj)
	if !reflect.DeepEqual(clone, obj) {
		t.Errorf("the copy differs:\n got %+v\nwant %+v", clone, obj)
	}
	if o, ok := obj.(kruntime.Object); ok && !reflect.DeepEqual(clone, o.DeepCopyObject()) {
		t.Error("the copy differs from that of the type itself")
	}
}

// TestListsOfKinds holds that a list of each kind is written as encoding/json writes it, with items that have no kind and apiVersion, although
// decoding sets theirs.
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
