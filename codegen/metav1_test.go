package codegen_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/wire/jsonwire"
)

// fill sets every field that it can reach to something random: nil, empty and filled values all
// occur.
func fill(rnd *rand.Rand, v reflect.Value, depth int) {
	switch p := v.Addr().Interface().(type) {
	case *metav1.Time:
		*p = metav1.Time{}
		if rnd.IntN(3) > 0 {
			*p = metav1.Time{Time: time.Unix(rnd.Int64N(1<<32), 0)}
		}
		return
	case *metav1.MicroTime:
		*p = metav1.MicroTime{Time: time.Unix(rnd.Int64N(1<<32), rnd.Int64N(1e6)*1000)}
		return
	case *metav1.FieldsV1:
		p.Raw = []byte(`{"f:metadata":{"f:labels":{}}}`)
		return
	case *runtime.RawExtension:
		if rnd.IntN(2) == 0 {
			p.Raw = []byte(`{"kind":"Thing","apiVersion":"v1","x":[1,"<&>"]}`)
		}
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(rnd.IntN(2) == 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt([]int64{0, 1, -1, rnd.Int64() >> (64 - v.Type().Bits())}[rnd.IntN(4)])
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(rnd.Uint64() >> (64 - v.Type().Bits()))
	case reflect.String:
		v.SetString([]string{"", "a", "<b>&\u2028", "ü\"\\\n\x01", "long enough not to fit into one word"}[rnd.IntN(5)])
	case reflect.Pointer:
		if rnd.IntN(3) > 0 && depth < 6 {
			v.Set(reflect.New(v.Type().Elem()))
			fill(rnd, v.Elem(), depth+1)
		}
	case reflect.Slice:
		if n := rnd.IntN(4) - 1; n >= 0 && depth < 6 {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
			for i := range n {
				fill(rnd, v.Index(i), depth+1)
			}
		}
	case reflect.Map:
		if n := rnd.IntN(4) - 1; n >= 0 && depth < 6 {
			v.Set(reflect.MakeMap(v.Type()))
			for range n {
				key, elem := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
				fill(rnd, key, depth+1)
				fill(rnd, elem, depth+1)
				v.SetMapIndex(key, elem)
			}
		}
	case reflect.Interface:
		v.Set(reflect.ValueOf([]any{"text", true, map[string]any{"a": []any{nil}}}[rnd.IntN(3)]))
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(rnd, v.Field(i), depth)
			}
		}
	}
}

// TestMetaV1EqualsEncodingJSON checks the generated code of our own largest package equal to
// encoding/json and to reflection, for every kind and for the structs that kinds elsewhere embed.
func TestMetaV1EqualsEncodingJSON(t *testing.T) {
	t.Parallel()
	compare(t, metav1.AppendJSONObjectMeta, metav1.DecodeJSONObjectMeta, metav1.DeepCopyObjectMeta)
	compare(t, metav1.AppendJSONListMeta, metav1.DecodeJSONListMeta, metav1.DeepCopyListMeta)
	compare(t, metav1.AppendJSONTypeMeta, metav1.DecodeJSONTypeMeta, metav1.DeepCopyTypeMeta)
	compare(t, metav1.AppendJSONStatus, metav1.DecodeJSONStatus, metav1.DeepCopyStatus)
	compare(t, metav1.AppendJSONTable, metav1.DecodeJSONTable, metav1.DeepCopyTable)
	compare(t, metav1.AppendJSONTabularOutput, metav1.DecodeJSONTabularOutput, metav1.DeepCopyTabularOutput)
	compare(t, metav1.AppendJSONPartialObjectMetadata, metav1.DecodeJSONPartialObjectMetadata,
		metav1.DeepCopyPartialObjectMetadata)
	compare(t, metav1.AppendJSONPartialObjectMetadataList, metav1.DecodeJSONPartialObjectMetadataList,
		metav1.DeepCopyPartialObjectMetadataList)
	compare(t, metav1.AppendJSONList, metav1.DecodeJSONList, metav1.DeepCopyList)
	compare(t, metav1.AppendJSONScale, metav1.DecodeJSONScale, metav1.DeepCopyScale)
	compare(t, metav1.AppendJSONWatchEvent, metav1.DecodeJSONWatchEvent, metav1.DeepCopyWatchEvent)
	compare(t, metav1.AppendJSONCondition, metav1.DecodeJSONCondition, metav1.DeepCopyCondition)
	compare(t, metav1.AppendJSONLabelSelector, metav1.DecodeJSONLabelSelector, metav1.DeepCopyLabelSelector)
	compare(t, metav1.AppendJSONAPIResourceList, metav1.DecodeJSONAPIResourceList, metav1.DeepCopyAPIResourceList)
	compare(t, metav1.AppendJSONAPIGroupList, metav1.DecodeJSONAPIGroupList, metav1.DeepCopyAPIGroupList)
	compare(t, metav1.AppendJSONAPIVersions, metav1.DecodeJSONAPIVersions, metav1.DeepCopyAPIVersions)
	compare(t, metav1.AppendJSONListOptions, metav1.DecodeJSONListOptions, metav1.DeepCopyListOptions)
	compare(t, metav1.AppendJSONDeleteOptions, metav1.DecodeJSONDeleteOptions, metav1.DeepCopyDeleteOptions)
	compare(t, metav1.AppendJSONPatchOptions, metav1.DecodeJSONPatchOptions, metav1.DeepCopyPatchOptions)
}

func compare[T any](t *testing.T, appendJSON func([]byte, *T) ([]byte, error), decode func(*jsonwire.Reader, *T),
	deepCopy func(*T) *T,
) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(1, 2))
	name := reflect.TypeFor[T]().Name()
	for range 60 {
		in := new(T)
		fill(rnd, reflect.ValueOf(in).Elem(), 0)
		want, err := json.Marshal(in)
		if err != nil {
			t.Fatal(name, err)
		}
		got, err := appendJSON([]byte("before"), in)
		if err != nil {
			t.Fatal(name, err)
		}
		got, ok := bytes.CutPrefix(got, []byte("before"))
		if !ok || !bytes.Equal(got, want) {
			t.Fatalf("%s:\n got %s\nwant %s", name, got, want)
		}
		if out := deepCopy(in); !reflect.DeepEqual(in, out) {
			t.Fatalf("%s: copy differs:\n got %+v\nwant %+v", name, out, in)
		}
		a, b := new(T), new(T)
		r := jsonwire.NewReader(want, jsonwire.Options{Strict: true})
		decode(r, a)
		r.End()
		if problems := r.Problems(); len(problems) > 0 {
			t.Fatalf("%s: %v in %s", name, problems, want)
		}
		if err := json.Unmarshal(want, b); err != nil {
			t.Fatal(name, err)
		}
		if !reflect.DeepEqual(a, b) {
			t.Fatalf("%s from %s:\n got %+v\nwant %+v", name, want, a, b)
		}
	}
}
