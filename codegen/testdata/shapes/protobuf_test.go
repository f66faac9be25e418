package shapes_test

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

	"github.com/bufbuild/protocompile"
	"google.golang.org/protobuf/encoding/prototext"
	pb "google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"example.com/shapes/proto"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/wire/pbwire"
)

// described compiles the description that was generated.
func described(t *testing.T) protoreflect.FileDescriptor {
	t.Helper()
	askind := os.Getenv("ASKIND")
	compiler := protocompile.Compiler{Resolver: &protocompile.SourceResolver{Accessor: func(path string) (io.ReadCloser, error) {
		if rest, ok := strings.CutPrefix(path, "example.com/shapes/"); ok {
			return os.Open(rest)
		}
		if rest, ok := strings.CutPrefix(path, "github.com/askind/askind/"); ok {
			return os.Open(filepath.Join(askind, rest))
		}
		return nil, os.ErrNotExist
	}}}
	files, err := compiler.Compile(context.Background(), "example.com/shapes/proto/generated.proto")
	if err != nil {
		t.Fatal(err)
	}
	return files[0]
}

// TestProtobuf checks the bytes of every cell equal to what dynamicpb makes of them by the description.
func TestProtobuf(t *testing.T) {
	t.Parallel()
	file := described(t)
	if len(proto.Kinds) < 25 {
		t.Errorf("%d kinds", len(proto.Kinds))
	}
	for _, k := range proto.Kinds {
		descriptor := file.Messages().ByName(protoreflect.Name(k.Name))
		eachCell(t, k.New, func(t *testing.T, _ *rand.Rand, obj any, index int) {
			w := pbwire.NewWriter(nil)
			k.Prepend(w, obj)
			data := bytes.Clone(w.Bytes())
			message := dynamicpb.NewMessage(descriptor)
			if err := pb.Unmarshal(data, message); err != nil {
				t.Fatalf("%x: %v", data, err)
			}
			noUnknown(t, message)
			again, err := pb.MarshalOptions{Deterministic: true}.Marshal(message)
			if err != nil {
				t.Fatal(err)
			}
			// In a map, nil bytes are left out of their entry and read as empty ones, as Kubernetes does. Empty
			// ones are written, as dynamicpb does.
			f := reflect.TypeOf(obj).Elem().Field(index).Type
			nilIsLeftOut := f.Kind() == reflect.Map && f.Elem().Kind() == reflect.Slice
			if !bytes.Equal(again, data) && !nilIsLeftOut {
				t.Errorf("written again:\n got %x\nwant %x", data, again)
			}
			name := protoreflect.Name(cellKey(obj, index))
			field := descriptor.Fields().ByName(name)
			if field == nil {
				t.Fatalf("no field %s in\n%v", name, descriptor)
			}
			same(t, string(name), reflect.ValueOf(obj).Elem().Field(index), field, message.Get(field), message.Has(field))
			back := k.New()
			r := pbwire.NewReader(data, pbwire.Options{Strict: true})
			k.Decode(r, back)
			if p := r.Problems(); len(p) > 0 {
				t.Fatalf("%v", p)
			}
			w.Reset(nil)
			k.Prepend(w, back)
			if !bytes.Equal(w.Bytes(), again) {
				t.Errorf("read and written again:\n got %x\nwant %x\n%s", w.Bytes(), again, prototext.Format(message))
			}
			got, want := emptied(reflect.ValueOf(back)), emptied(reflect.ValueOf(obj))
			if !reflect.DeepEqual(got.Interface(), want.Interface()) {
				t.Errorf("read:\n got %+v\nwant %+v", got, want)
			}
		})
	}
}

// noUnknown fails if the bytes have a field that the description does not have.
func noUnknown(t *testing.T, m protoreflect.Message) {
	t.Helper()
	if len(m.GetUnknown()) > 0 {
		t.Errorf("%s has unknown fields: %x", m.Descriptor().FullName(), m.GetUnknown())
	}
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case f.IsMap() && f.MapValue().Message() != nil:
			v.Map().Range(func(_ protoreflect.MapKey, v protoreflect.Value) bool { noUnknown(t, v.Message()); return true })
		case f.IsMap():
		case f.IsList() && f.Message() != nil:
			for i := range v.List().Len() {
				noUnknown(t, v.List().Get(i).Message())
			}
		case !f.IsList() && f.Message() != nil:
			noUnknown(t, v.Message())
		}
		return true
	})
}

// same compares scalars, and lists, maps and pointers of them, with what the other side has read. Messages are compared by their bytes alone.
func same(t *testing.T, path string, v reflect.Value, f protoreflect.FieldDescriptor, got protoreflect.Value, has bool) {
	t.Helper()
	switch {
	case v.Kind() == reflect.Pointer:
		if has == v.IsNil() {
			t.Errorf("%s: has is %v", path, has)
		} else if has {
			same(t, path, v.Elem(), f, got, true)
		}
	case f.IsMap():
		if got.Map().Len() != v.Len() {
			t.Errorf("%s: %d entries, want %d", path, got.Map().Len(), v.Len())
		}
	case f.IsList():
		if got.List().Len() != v.Len() {
			t.Errorf("%s: %d elements, want %d", path, got.List().Len(), v.Len())
			return
		}
		for i := range v.Len() {
			if f.Message() == nil {
				scalar(t, path, v.Index(i), got.List().Get(i))
			}
		}
	case f.Message() == nil:
		scalar(t, path, v, got)
	}
}

func scalar(t *testing.T, path string, v reflect.Value, got protoreflect.Value) {
	t.Helper()
	want := v
	if v.Kind() == reflect.Slice {
		if !bytes.Equal(got.Bytes(), v.Bytes()) {
			t.Errorf("%s: got %x, want %x", path, got.Bytes(), v.Bytes())
		}
		return
	}
	g := reflect.ValueOf(got.Interface())
	if !g.CanConvert(v.Type()) || g.Convert(v.Type()).Interface() != want.Interface() {
		t.Errorf("%s: got %v, want %v", path, got, want)
	}
}

// emptied is a copy in which empty lists and maps are nil, as protobuf cannot tell them apart, and type meta and what is not written is gone.
func emptied(v reflect.Value) reflect.Value {
	out := slowCopy(v)
	var walk func(v reflect.Value)
	walk = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Pointer:
			if !v.IsNil() {
				walk(v.Elem())
			}
		case reflect.Slice:
			if v.Len() == 0 {
				v.SetZero()
			}
			for i := range v.Len() {
				walk(v.Index(i))
			}
		case reflect.Map:
			if v.Len() == 0 {
				v.SetZero()
			}
			for _, k := range v.MapKeys() {
				elem := slowCopy(v.MapIndex(k))
				walk(elem)
				v.SetMapIndex(k, elem)
			}
		case reflect.Struct:
			if t, ok := v.Addr().Interface().(*metav1.Time); ok {
				*t = metav1.Time{Time: t.UTC()}
				return
			}
			if hidden, ok := v.Addr().Interface().(interface{ Hide(words ...string) }); ok {
				hidden.Hide()
			}
			for i := range v.NumField() {
				switch f := v.Type().Field(i); {
				case f.Name == "Any", f.Name == "Away":
					v.Field(i).SetZero()
				case f.IsExported():
					walk(v.Field(i))
				}
			}
		}
	}
	walk(out)
	return out
}
