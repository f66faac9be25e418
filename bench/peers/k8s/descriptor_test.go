package k8s_test

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/bufbuild/protocompile"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
	"k8s.io/apimachinery/pkg/api/resource"
	kmetav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/wire/pbwire"
)

// described compiles the generated descriptions of the packages below, with a compiler that knows
// nothing of the generator.
func described(t *testing.T) map[string]protoreflect.MessageDescriptors {
	t.Helper()
	const module = "github.com/askind/askind/k8s/"
	c := protocompile.Compiler{Resolver: &protocompile.SourceResolver{Accessor: func(path string) (io.ReadCloser,
		error,
	) {
		rest, ok := strings.CutPrefix(path, module)
		if !ok {
			return nil, os.ErrNotExist
		}
		return os.Open(filepath.Join("../../../k8s", filepath.FromSlash(rest)))
	}}}
	out := map[string]protoreflect.MessageDescriptors{}
	for _, name := range []string{"metav1", "corev1", "appsv1", "coordinationv1", "eventsv1"} {
		files, err := c.Compile(context.Background(), module+name+"/generated.proto")
		if err != nil {
			t.Fatal(err)
		}
		out[name] = files[0].Messages()
	}
	return out
}

// TestDescriptions writes random objects of every kind of module k8s. The peer's own
// method writes the same bytes, and protobuf-go, which has nothing but our description, reads all
// of them and writes them again as they were.
func TestDescriptions(t *testing.T) {
	t.Parallel()
	messages := described(t)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	s, err := runtime.NewScheme(groups()...)
	if err != nil {
		t.Fatal(err)
	}
	tested := 0
	for k := range s.Kinds() {
		if k.GroupVersion().Version != "v1" || k.GroupVersion().Group == "meta.k8s.io" {
			continue
		}
		tested++
		t.Run(k.Name(), func(t *testing.T) {
			t.Parallel()
			d := messages[map[string]string{
				"":     "corev1",
				"apps": "appsv1", "coordination.k8s.io": "coordinationv1", "events.k8s.io": "eventsv1",
			}[k.GroupVersion().Group]].ByName(protoreflect.Name(k.Name()))
			if d == nil {
				t.Fatal("no message")
			}
			f := filler{rand.New(rand.NewPCG(seed, uint64(len(k.Name()))))}
			for range 30 {
				obj := k.New()
				f.fill(reflect.ValueOf(obj).Elem(), 0)
				agrees(t, k, d, obj)
			}
		})
	}
	if tested < 40 {
		t.Errorf("only %d kinds", tested)
	}
}

func agrees(t *testing.T, k *runtime.Kind, d protoreflect.MessageDescriptor, obj any) {
	t.Helper()
	w := pbwire.NewWriter(nil)
	if err := k.PrependProto(w, obj); err != nil {
		t.Fatal(err)
	}
	data := bytes.Clone(w.Bytes())
	peer, err := obj.(interface{ Marshal() ([]byte, error) }).Marshal()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(data, peer) {
		t.Fatalf("the peer writes other bytes:\n got %x\nwant %x", data, peer)
	}
	m := dynamicpb.NewMessage(d)
	if err := proto.Unmarshal(data, m); err != nil {
		t.Fatalf("%v in %x", err, data)
	}
	nothingUnknown(t, m)
	again, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(again, data) {
		t.Fatalf("written again:\n got %x\nwant %x\n%s", again, data, prototext.Format(m))
	}
}

// nothingUnknown fails if the bytes have a field that the description does not have.
func nothingUnknown(t *testing.T, m protoreflect.Message) {
	t.Helper()
	if len(m.GetUnknown()) > 0 {
		t.Errorf("%s has unknown fields: %x", m.Descriptor().FullName(), m.GetUnknown())
	}
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case f.IsMap() && f.MapValue().Message() != nil:
			v.Map().Range(func(_ protoreflect.MapKey, v protoreflect.Value) bool {
				nothingUnknown(t,
					v.Message())
				return true
			})
		case f.IsMap():
		case f.IsList() && f.Message() != nil:
			for i := range v.List().Len() {
				nothingUnknown(t, v.List().Get(i).Message())
			}
		case !f.IsList() && f.Message() != nil:
			nothingUnknown(t, v.Message())
		}
		return true
	})
}

// filler fills values of the peer's types with random content.
type filler struct{ *rand.Rand }

func (f filler) word() string {
	words := []string{
		"a", "web", "kube-system", "app.kubernetes.io/name", "größe", "日本",
		"a longer text that does not fit into a word or two, as messages are",
	}
	return words[f.IntN(len(words))]
}

func (f filler) time() time.Time { return time.Unix(f.Int64N(4e9), 0).UTC() }

// fill fills v, which must be settable. The deeper it is, the less there is.
func (f filler) fill(v reflect.Value, depth int) {
	if v.Kind() != reflect.Struct && f.IntN(3+depth) > 2 {
		return
	}
	switch x := v.Addr().Interface().(type) {
	case *kmetav1.TypeMeta: // stands in the envelope
		return
	case *kmetav1.Time:
		x.Time = f.time()
		return
	case *kmetav1.MicroTime:
		x.Time = f.time()
		return
	case *resource.Quantity:
		*x = resource.MustParse([]string{"0", "1", "500m", "12Gi", "1.5", "3e6"}[f.IntN(6)])
		return
	case *intstr.IntOrString:
		*x = []intstr.IntOrString{intstr.FromInt32(f.Int32()), intstr.FromString(f.word())}[f.IntN(2)]
		return
	case *kruntime.RawExtension:
		x.Raw = []byte(`{"kind":"A","apiVersion":"b/v1"}`)
		return
	case *kmetav1.FieldsV1:
		x.Raw = []byte(`{"f:metadata":{}}`)
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(f.word())
	case reflect.Bool:
		v.SetBool(f.IntN(2) == 0)
	case reflect.Int32, reflect.Int64:
		v.SetInt(f.Int64N(1<<31) - 1<<30)
	case reflect.Uint8:
		v.SetUint(f.Uint64N(256))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem(), depth+1)
	case reflect.Slice:
		n := 1 + f.IntN(2)
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			f.fill(v.Index(i), depth+1)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range 1 + f.IntN(3) {
			key, elem := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			key.SetString(f.word())
			f.fill(elem, depth+1)
			if elem.Kind() == reflect.Slice && elem.IsNil() {
				// nil bytes are left out of an entry, and protobuf-go writes them as empty ones
				elem.SetBytes([]byte{1})
			}
			v.SetMapIndex(key, elem)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f.fill(v.Field(i), depth+1)
		}
	default:
		panic("BUG: no filling for " + v.Type().String())
	}
}
