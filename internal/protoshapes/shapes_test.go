package protoshapes

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
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/askind/askind/meta/intstr"
	"github.com/askind/askind/meta/resource"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/wire/pbwire"
)

const module = "github.com/askind/askind/"

// descriptors reads the generated description of a package with a compiler that knows nothing of
// the generator.
func descriptors(t *testing.T, path string) protoreflect.MessageDescriptors {
	t.Helper()
	c := protocompile.Compiler{Resolver: &protocompile.SourceResolver{Accessor: func(path string) (io.ReadCloser,
		error,
	) {
		rest, ok := strings.CutPrefix(path, module)
		if !ok {
			return nil, os.ErrNotExist
		}
		return os.Open(filepath.Join("..", "..", filepath.FromSlash(rest)))
	}}}
	files, err := c.Compile(context.Background(), module+path+"/generated.proto")
	if err != nil {
		t.Fatal(err)
	}
	return files[0].Messages()
}

// shape is a type with its generated functions.
type shape struct {
	name   string
	typ    reflect.Type
	write  func(w *pbwire.Writer, in any)
	read   func(r *pbwire.Reader, out any)
	merges bool // so do all its leaves
}

func of[T any](write func(*pbwire.Writer, *T), read func(*pbwire.Reader, *T)) shape {
	return shape{
		name: reflect.TypeFor[T]().Name(), typ: reflect.TypeFor[T](), merges: true,
		write: func(w *pbwire.Writer, in any) { write(w, in.(*T)) },
		read:  func(r *pbwire.Reader, out any) { read(r, out.(*T)) },
	}
}

// leaf marks a shape with leaves that do not merge, such as times.
func (s shape) leaf() shape {
	s.merges = false
	return s
}

func shapes() []shape {
	return []shape{
		of(PrependProtoScalars, DecodeProtoScalars), of(PrependProtoPointers, DecodeProtoPointers),
		of(PrependProtoLists, DecodeProtoLists),
		of(PrependProtoMaps, DecodeProtoMaps), of(PrependProtoTree, DecodeProtoTree), of(PrependProtoEmbedded,
			DecodeProtoEmbedded).leaf(),
		of(PrependProtoLeaves, DecodeProtoLeaves).leaf(), of(PrependProtoNames, DecodeProtoNames),
		of(PrependProtoNumbers, DecodeProtoNumbers),
		of(PrependProtoEmpty, DecodeProtoEmpty), of(PrependProtoWords, DecodeProtoWords), of(PrependProtoLimits,
			DecodeProtoLimits),
	}
}

func sharedKinds() []shape {
	return []shape{
		of(metav1.PrependProtoObjectMeta, metav1.DecodeProtoObjectMeta).leaf(), of(metav1.PrependProtoListMeta,
			metav1.DecodeProtoListMeta),
		of(metav1.PrependProtoTypeMeta, metav1.DecodeProtoTypeMeta), of(metav1.PrependProtoStatus,
			metav1.DecodeProtoStatus),
		of(metav1.PrependProtoPartialObjectMetadata, metav1.DecodeProtoPartialObjectMetadata).leaf(),
		of(metav1.PrependProtoPartialObjectMetadataList, metav1.DecodeProtoPartialObjectMetadataList).leaf(),
		of(metav1.PrependProtoList, metav1.DecodeProtoList), of(metav1.PrependProtoScale,
			metav1.DecodeProtoScale).leaf(),
		of(metav1.PrependProtoWatchEvent, metav1.DecodeProtoWatchEvent), of(metav1.PrependProtoCondition,
			metav1.DecodeProtoCondition).leaf(),
		of(metav1.PrependProtoLabelSelector, metav1.DecodeProtoLabelSelector),
		of(metav1.PrependProtoAPIResourceList, metav1.DecodeProtoAPIResourceList), of(metav1.PrependProtoAPIGroupList,
			metav1.DecodeProtoAPIGroupList),
		of(metav1.PrependProtoAPIVersions, metav1.DecodeProtoAPIVersions), of(metav1.PrependProtoListOptions,
			metav1.DecodeProtoListOptions),
		of(metav1.PrependProtoGetOptions, metav1.DecodeProtoGetOptions), of(metav1.PrependProtoCreateOptions,
			metav1.DecodeProtoCreateOptions),
		of(metav1.PrependProtoUpdateOptions, metav1.DecodeProtoUpdateOptions), of(metav1.PrependProtoPatchOptions,
			metav1.DecodeProtoPatchOptions),
		of(metav1.PrependProtoDeleteOptions, metav1.DecodeProtoDeleteOptions), of(metav1.PrependProtoTableOptions,
			metav1.DecodeProtoTableOptions),
	}
}

func TestShapes(t *testing.T)      { testAll(t, "internal/protoshapes", shapes()) }
func TestSharedKinds(t *testing.T) { testAll(t, "meta/v1", sharedKinds()) }

func testAll(t *testing.T, path string, list []shape) {
	t.Parallel()
	messages := descriptors(t, path)
	seed := rand.Uint64()
	for i, s := range list {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			t.Logf("seed %d", seed)
			d := messages.ByName(protoreflect.Name(s.name))
			if d == nil {
				t.Fatal("no message")
			}
			f := filler{rand.New(rand.NewPCG(seed, uint64(i)))}
			for n := range 300 {
				in := reflect.New(s.typ)
				if n > 0 {
					f.fill(in.Elem(), 0)
				}
				s.test(t, f, d, in)
			}
		})
	}
}

func (s shape) encode(t *testing.T, in any) []byte {
	t.Helper()
	w := pbwire.NewWriter(nil)
	s.write(w, in)
	if err := w.Err(); err != nil {
		t.Fatal(err)
	}
	data := bytes.Clone(w.Bytes())
	w.Measure()
	s.write(w, in)
	if err := w.Err(); err != nil || w.Len() != len(data) {
		t.Fatalf("measured %d bytes, wrote %d; error %v", w.Len(), len(data), err)
	}
	return data
}

func (s shape) decode(t *testing.T, data []byte) reflect.Value {
	t.Helper()
	out := reflect.New(s.typ)
	r := pbwire.NewReader(data, pbwire.Options{Strict: true})
	s.read(r, out.Interface())
	if p := r.Problems(); len(p) > 0 {
		t.Fatalf("%v in %x", p, data)
	}
	return out
}

func parse(t *testing.T, d protoreflect.MessageDescriptor, data []byte) *dynamicpb.Message {
	t.Helper()
	m := dynamicpb.NewMessage(d)
	if err := proto.Unmarshal(data, m); err != nil {
		t.Fatalf("%v in %x", err, data)
	}
	return m
}

func marshal(t *testing.T, m proto.Message) []byte {
	t.Helper()
	data, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func (s shape) test(t *testing.T, f filler, d protoreflect.MessageDescriptor, in reflect.Value) {
	t.Helper()
	data := s.encode(t, in.Interface())
	// What the other implementation sees in the bytes is what the value holds.
	m := parse(t, d, data)
	compare(t, s.name, in.Elem(), m)
	// It writes the same bytes.
	if again := marshal(t, m); !bytes.Equal(again, data) {
		t.Fatalf("bytes differ:\n got %x\nwant %x", data, again)
	}
	// What is read is what was written, but that nil and empty are one.
	back := s.decode(t, data)
	compare(t, s.name, back.Elem(), m)
	if again := s.encode(t, back.Interface()); !bytes.Equal(again, data) {
		t.Fatalf("written again:\n got %x\nwant %x", again, data)
	}
	// A message that lacks fields can be read: they are zero.
	f.thin(m)
	thin := s.decode(t, marshal(t, m))
	contains(t, s.name, parse(t, d, s.encode(t, thin.Interface())), m)
	// Two messages behind each other are merged.
	if s.merges {
		other := reflect.New(s.typ)
		f.fill(other.Elem(), 0)
		both := append(data, s.encode(t, other.Interface())...)
		want := parse(t, d, both)
		got := parse(t, d, s.encode(t, s.decode(t, both).Interface()))
		if !proto.Equal(got, want) {
			t.Fatalf("merged:\n got %v\nwant %v", got, want)
		}
	}
}

// leafBytes writes the types whose functions are written by hand. Their tests stand beside them.
func leafBytes(v reflect.Value) ([]byte, bool) {
	if !v.CanInterface() { // inside an embedded struct that is not exported
		return nil, false
	}
	w := pbwire.NewWriter(nil)
	switch p := v.Addr().Interface().(type) {
	case *metav1.Time:
		metav1.PrependProtoTime(w, p)
	case *metav1.MicroTime:
		metav1.PrependProtoMicroTime(w, p)
	case *metav1.Duration:
		metav1.PrependProtoDuration(w, p)
	case *metav1.FieldsV1:
		metav1.PrependProtoFieldsV1(w, p)
	case *metav1.Verbs:
		metav1.PrependProtoVerbs(w, p)
	case *resource.Quantity:
		resource.PrependProtoQuantity(w, p)
	case *intstr.IntOrString:
		intstr.PrependProtoIntOrString(w, p)
	case *runtime.RawExtension:
		runtime.PrependProtoRawExtension(w, p)
	default:
		return nil, false
	}
	return w.Bytes(), true
}

// compare walks a Go value by reflection and holds it equal to a message. It finds fields by their
// names in JSON.
func compare(t *testing.T, path string, v reflect.Value, m protoreflect.Message) {
	t.Helper()
	if len(m.GetUnknown()) > 0 {
		t.Fatalf("%s: unknown fields %x", path, m.GetUnknown())
	}
	if want, ok := leafBytes(v); ok {
		if got := marshal(t, m.Interface()); !bytes.Equal(got, want) {
			t.Fatalf("%s: got %x, want %x", path, got, want)
		}
		return
	}
	if v.Kind() != reflect.Struct { // a slice or map that is a message
		compareField(t, path, v, m, m.Descriptor().Fields().ByName("items"))
		return
	}
	fields := 0
	for i := range v.NumField() {
		sf := v.Type().Field(i)
		name, _, _ := strings.Cut(sf.Tag.Get("json"), ",")
		switch {
		case sf.Name == "TypeMeta", name == "-", sf.Tag.Get("protobuf") == "-", sf.Name == "Skipped",
			!sf.IsExported() && !sf.Anonymous:
			continue
		case sf.Anonymous && name == "":
			name = strings.ToLower(sf.Name[:1]) + sf.Name[1:]
		case name == "":
			name = sf.Name
		}
		fd := m.Descriptor().Fields().ByJSONName(name)
		if fd == nil {
			t.Fatalf("%s: message %s has no field %s", path, m.Descriptor().Name(), name)
		}
		fields++
		compareField(t, path+"."+sf.Name, v.Field(i), m, fd)
	}
	if n := m.Descriptor().Fields().Len(); n != fields {
		t.Fatalf("%s: message %s has %d fields, the struct %d", path, m.Descriptor().Name(), n, fields)
	}
}

func compareField(t *testing.T, path string, v reflect.Value, m protoreflect.Message, fd protoreflect.FieldDescriptor) {
	t.Helper()
	present := v.Kind() == reflect.Pointer
	if present {
		if v.IsNil() || !m.Has(fd) {
			if !v.IsNil() || m.Has(fd) {
				t.Fatalf("%s: nil %v, there %v", path, v.IsNil(), m.Has(fd))
			}
			return
		}
		v = v.Elem()
	}
	switch {
	case fd.IsMap():
		got := m.Get(fd).Map()
		if got.Len() != v.Len() {
			t.Fatalf("%s: %d entries, want %d", path, got.Len(), v.Len())
		}
		for it := v.MapRange(); it.Next(); {
			key := toProto(it.Key(), fd.MapKey()).MapKey()
			elem := reflect.New(v.Type().Elem()).Elem()
			elem.Set(it.Value())
			if !got.Has(key) {
				t.Fatalf("%s: no key %v", path, key)
			}
			compareValue(t, path+"["+key.String()+"]", elem, got.Get(key), fd.MapValue())
		}
	case fd.IsList():
		got := m.Get(fd).List()
		if got.Len() != v.Len() {
			t.Fatalf("%s: %d elements, want %d", path, got.Len(), v.Len())
		}
		for i := range v.Len() {
			compareValue(t, path+"[]", v.Index(i), got.Get(i), fd)
		}
	case !present && (v.Kind() == reflect.Slice || v.Kind() == reflect.Map) && v.IsNil():
		if m.Has(fd) {
			t.Fatalf("%s: nil, but there", path)
		}
	case !m.Has(fd):
		t.Fatalf("%s: not there", path)
	default:
		compareValue(t, path, v, m.Get(fd), fd)
	}
}

func compareValue(t *testing.T, path string, v reflect.Value, got protoreflect.Value, fd protoreflect.FieldDescriptor) {
	t.Helper()
	if fd.Message() != nil {
		compare(t, path, v, got.Message())
		return
	}
	if want := toProto(v, fd); !got.Equal(want) {
		t.Fatalf("%s: got %v, want %v", path, got, want)
	}
}

func toProto(v reflect.Value, fd protoreflect.FieldDescriptor) protoreflect.Value {
	switch fd.Kind() {
	case protoreflect.StringKind:
		return protoreflect.ValueOfString(v.String())
	case protoreflect.BytesKind:
		return protoreflect.ValueOfBytes(v.Bytes())
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(v.Bool())
	case protoreflect.Int32Kind:
		return protoreflect.ValueOfInt32(int32(v.Int()))
	case protoreflect.Int64Kind:
		return protoreflect.ValueOfInt64(v.Int())
	case protoreflect.Uint32Kind:
		return protoreflect.ValueOfUint32(uint32(v.Uint()))
	case protoreflect.Uint64Kind:
		return protoreflect.ValueOfUint64(v.Uint())
	case protoreflect.FloatKind:
		return protoreflect.ValueOfFloat32(float32(v.Float()))
	case protoreflect.DoubleKind:
		return protoreflect.ValueOfFloat64(v.Float())
	}
	return protoreflect.Value{}
}

// contains holds that got has all that want has, and beyond it only zero values, which are always
// written.
func contains(t *testing.T, path string, got, want protoreflect.Message) {
	t.Helper()
	if strings.HasPrefix(string(want.Descriptor().FullName()), "github.com.askind.askind.meta.") &&
		want.Descriptor().Fields().Len() < 4 {
		return // the leaves have values that depend on each other
	}
	fields := want.Descriptor().Fields()
	for i := range fields.Len() {
		fd := fields.Get(i)
		switch {
		case fd.IsMap() || fd.IsList():
			if fd.Message() == nil && !got.Get(fd).Equal(want.Get(fd)) {
				t.Fatalf("%s.%s: got %v, want %v", path, fd.Name(), got.Get(fd), want.Get(fd))
			}
		case fd.Message() != nil && !want.Has(fd):
		case fd.Message() != nil:
			contains(t, path+"."+string(fd.Name()), got.Get(fd).Message(), want.Get(fd).Message())
		case !got.Get(fd).Equal(want.Get(fd)):
			t.Fatalf("%s.%s: got %v, want %v", path, fd.Name(), got.Get(fd), want.Get(fd))
		}
	}
}

type filler struct{ *rand.Rand }

// thin takes fields away.
func (f filler) thin(m protoreflect.Message) {
	m.Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case f.IntN(3) == 0:
			m.Clear(fd)
		case fd.Message() != nil && !fd.IsMap() && !fd.IsList():
			f.thin(v.Message())
		}
		return true
	})
}

func (f filler) fill(v reflect.Value, depth int) {
	switch p := v.Addr().Interface().(type) {
	case *metav1.Time:
		if f.IntN(3) > 0 {
			*p = metav1.Time{Time: time.Unix(f.Int64N(1<<33), 0)}
		}
		return
	case *metav1.MicroTime:
		*p = metav1.MicroTime{Time: time.Unix(f.Int64N(1<<33), f.Int64N(1e6)*1000)}
		return
	case *resource.Quantity:
		*p, _ = resource.Parse([]string{"0", "500m", "1Gi", "12e6", "-3"}[f.IntN(5)])
		return
	case *intstr.IntOrString:
		*p = []intstr.IntOrString{intstr.FromInt32(-5), intstr.FromString("50%"), {}}[f.IntN(3)]
		return
	case *runtime.RawExtension:
		p.Raw = [][]byte{nil, {}, []byte(`{"a":1}`)}[f.IntN(3)]
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(f.IntN(2) == 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt([]int64{0, 1, -1, f.Int64() >> (64 - v.Type().Bits()), -1 << (v.Type().Bits() - 1)}[f.IntN(5)])
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint([]uint64{0, 1, f.Uint64() >> (64 - v.Type().Bits()), 1<<v.Type().Bits() - 1}[f.IntN(4)])
	case reflect.Float32, reflect.Float64:
		v.SetFloat([]float64{0, 1.5, -1e30}[f.IntN(3)])
	case reflect.String:
		v.SetString([]string{"", "a", "größe", strings.Repeat("long ", 40)}[f.IntN(4)])
	case reflect.Pointer:
		if f.IntN(3) > 0 && depth < 4 && v.CanSet() {
			v.Set(reflect.New(v.Type().Elem()))
			f.fill(v.Elem(), depth+1)
		}
	case reflect.Slice:
		if n := f.IntN(4) - 1; n >= 0 && depth < 4 {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
			for i := range n {
				f.fill(v.Index(i), depth+1)
			}
		}
	case reflect.Map:
		if n := f.IntN(5) - 1; n >= 0 && depth < 4 {
			v.Set(reflect.MakeMap(v.Type()))
			for range n {
				key, elem := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
				f.fill(key, depth+1)
				f.fill(elem, depth+1)
				if elem.Kind() == reflect.Slice && elem.IsNil() {
					// The Kubernetes wire format leaves nil bytes out of an entry, and the other
					// implementation writes them.
					elem = reflect.MakeSlice(elem.Type(), 0, 0)
				}
				v.SetMapIndex(key, elem)
			}
		}
	case reflect.Struct:
		switch p := v.Addr().Interface().(type) {
		case *Embedded:
			p.Shared = "shared"
		case *Names:
			p.hidden = "never written"
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				f.fill(v.Field(i), depth+1)
			}
		}
	}
}
