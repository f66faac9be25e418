package cborconformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	peerv1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	peerunstructured "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	peerruntime "k8s.io/apimachinery/pkg/runtime"
	peerschema "k8s.io/apimachinery/pkg/runtime/schema"
	peer "k8s.io/apimachinery/pkg/runtime/serializer/cbor"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor/direct"

	"github.com/askind/askind/meta/unstructured"
	v1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/cbor"
	"github.com/askind/askind/serializer/format"
	askjson "github.com/askind/askind/serializer/json"
	"github.com/askind/askind/wire/jsonwire"
)

// filler fills values of the peer's types with random content.
type filler struct{ *rand.Rand }

func (f filler) fill(v reflect.Value) {
	if f.IntN(4) == 0 && v.Kind() != reflect.Struct {
		return
	}
	raw := func() []byte {
		texts := []string{
			`{"kind":"A","apiVersion":"b/v1","spec":{"n":2.0,"b":null}}`, `{}`, `[1,2.50,"x",-0.5]`,
			`"<&>"`, `1e3`, `true`, `12`,
		}
		return []byte(texts[f.IntN(len(texts))])
	}
	moment := func() time.Time { return time.Unix(f.Int64N(4e9), 0) }
	switch x := v.Addr().Interface().(type) {
	case **peerv1.Time:
		*x = &peerv1.Time{Time: moment()}
		return
	case *peerv1.Time:
		x.Time = moment()
		return
	case *peerruntime.RawExtension:
		x.Raw = raw()
		return
	case *peerv1.FieldsV1:
		x.SetRawBytes([]byte(`{"f:metadata":{"f:labels":{".":{},"f:a<":{}},"k:{\"type\":\"x\"}":{"v:2":{}}},"f:b":{}}`))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(randomString(f.Rand))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int32, reflect.Int64:
		v.SetInt(f.Int64N(1<<31) - 1<<30)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem())
	case reflect.Slice:
		n := f.IntN(3)
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			f.fill(v.Index(i))
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range f.IntN(30) {
			elem := reflect.New(v.Type().Elem()).Elem()
			f.fill(elem)
			v.SetMapIndex(reflect.ValueOf(randomString(f.Rand)).Convert(v.Type().Key()), elem)
		}
	case reflect.Interface:
		v.Set(reflect.ValueOf([]any{"x", int64(7), true, 1.25, "<"}[f.IntN(5)]))
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				f.fill(v.Field(i))
			}
		}
	default:
		panic("BUG: no filling for " + v.Type().String())
	}
}

var peerKinds = map[string]peerruntime.Object{
	"PartialObjectMetadata":     &peerv1.PartialObjectMetadata{},
	"PartialObjectMetadataList": &peerv1.PartialObjectMetadataList{},
	"Table":                     &peerv1.Table{}, "Status": &peerv1.Status{}, "List": &peerv1.List{},
	"ListOptions":   &peerv1.ListOptions{},
	"GetOptions":    &peerv1.GetOptions{},
	"CreateOptions": &peerv1.CreateOptions{}, "UpdateOptions": &peerv1.UpdateOptions{},
	"PatchOptions": &peerv1.PatchOptions{}, "DeleteOptions": &peerv1.DeleteOptions{},
	"TableOptions": &peerv1.TableOptions{}, "APIGroup": &peerv1.APIGroup{}, "APIGroupList": &peerv1.APIGroupList{},
	"APIResourceList": &peerv1.APIResourceList{}, "APIVersions": &peerv1.APIVersions{},
}

func schemes(tb testing.TB) (*runtime.Scheme, *peerruntime.Scheme) {
	tb.Helper()
	ours, err := runtime.NewScheme(v1.AddTo)
	if err != nil {
		tb.Fatal(err)
	}
	theirs := peerruntime.NewScheme()
	for kind, obj := range peerKinds {
		theirs.AddKnownTypeWithName(peerschema.GroupVersionKind{Group: "meta.k8s.io", Version: "v1", Kind: kind}, obj)
	}
	return ours, theirs
}

// TestTyped writes and reads random objects of all kinds of meta/v1 with both libraries.
func TestTyped(t *testing.T) {
	t.Parallel()
	ours, theirs := schemes(t)
	f, err := serializer.NewFactory(ours, askjson.Format(), cbor.Format())
	if err != nil {
		t.Fatal(err)
	}
	codec := peer.NewSerializer(theirs, theirs)
	for kind, empty := range peerKinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			seed := rand.Uint64()
			t.Logf("seed %d", seed)
			random := filler{rand.New(rand.NewPCG(seed, 1))}
			for range 300 {
				obj := empty.DeepCopyObject()
				random.fill(reflect.ValueOf(obj).Elem())
				obj.GetObjectKind().SetGroupVersionKind(peerschema.GroupVersionKind{
					Group: "meta.k8s.io", Version: "v1",
					Kind: kind,
				})
				stampItems(obj)
				compareTyped(t, f, codec, obj)
			}
		})
	}
}

// stampItems sets what our objects state always.
func stampItems(obj peerruntime.Object) {
	if list, ok := obj.(*peerv1.PartialObjectMetadataList); ok {
		for i := range list.Items {
			list.Items[i].TypeMeta = peerv1.TypeMeta{Kind: "PartialObjectMetadata", APIVersion: "meta.k8s.io/v1"}
		}
	}
}

func compareTyped(t *testing.T, f *serializer.Factory, codec peerruntime.Serializer, obj peerruntime.Object) {
	t.Helper()
	asJSON, err := json.Marshal(obj)
	if err != nil {
		t.Fatal(err)
	}
	mine, err := f.Decode(asJSON, serializer.DecodeOptions{MediaType: "application/json"})
	if err != nil {
		t.Fatalf("%s: %v", asJSON, err)
	}
	var want bytes.Buffer
	if err := codec.Encode(obj, &want); err != nil {
		t.Fatal(err)
	}
	got, err := f.Append(nil, mine, serializer.EncodeOptions{MediaType: cbor.MediaType})
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want.Bytes()) {
		g, _ := direct.Diagnose(got)
		w, _ := direct.Diagnose(want.Bytes())
		t.Fatalf("CBOR differs\ngot:  %s\nwant: %s", g, w)
	}
	back, err := f.Decode(want.Bytes(), serializer.DecodeOptions{Strictness: serializer.FailOnProblems})
	if err != nil {
		t.Fatal(err)
	}
	theirs, _, err := codec.Decode(want.Bytes(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	wantJSON, err := json.Marshal(theirs)
	if err != nil {
		t.Fatal(err)
	}
	gotJSON, err := f.Append(nil, back, serializer.EncodeOptions{MediaType: "application/json"})
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(bytes.TrimSuffix(gotJSON, []byte("\n")), wantJSON) {
		t.Fatalf("the objects read differ\ngot:  %s\nwant: %s", gotJSON, wantJSON)
	}
}

// secret has what the kinds of meta/v1 lack: bytes, floats and an untyped member.
type secret struct {
	APIVersion string            `json:"apiVersion,omitempty"`
	Kind       string            `json:"kind,omitempty"`
	Data       map[string][]byte `json:"data"`
	Key        []byte            `json:"key"`
	Ratio      float64           `json:"ratio"`
	Half       float32           `json:"half"`
	Count      uint64            `json:"count"`
	Free       any               `json:"free"`
}

var secretSpec = runtime.KindSpec[secret]{
	GroupVersionKind: schema.GroupVersionKind{Version: "v1", Kind: "Secret"}, Resource: "secrets",
	TypeMeta: func(s *secret) (apiVersion, kind *string) { return &s.APIVersion, &s.Kind },
	AppendJSONFields: func(dst []byte, in *secret) ([]byte, error) {
		dst = append(dst, `,"data":`...)
		if in.Data == nil {
			dst = append(dst, "null"...)
		} else {
			start := len(dst)
			for _, k := range jsonwire.SortedKeys(in.Data) {
				dst = append(jsonwire.AppendString(append(dst, ','), k), ':')
				dst = jsonwire.AppendBytes(dst, in.Data[k])
			}
			dst = jsonwire.CloseObject(dst, start)
		}
		dst = jsonwire.AppendBytes(append(dst, `,"key":`...), in.Key)
		dst, err := jsonwire.AppendFloat64(append(dst, `,"ratio":`...), in.Ratio)
		if err != nil {
			return dst, err
		}
		if dst, err = jsonwire.AppendFloat32(append(dst, `,"half":`...), in.Half); err != nil {
			return dst, err
		}
		dst = jsonwire.AppendUint(append(dst, `,"count":`...), in.Count)
		return jsonwire.AppendAny(append(dst, `,"free":`...), in.Free)
	},
	DecodeJSON: func(r *jsonwire.Reader, out *secret) {
		for key := r.Object(); key != nil; key = r.NextKey() {
			switch string(key) {
			case "apiVersion":
				out.APIVersion = r.String(out.APIVersion)
			case "kind":
				out.Kind = r.String(out.Kind)
			case "data":
				if r.Null() {
					continue
				}
				out.Data = map[string][]byte{}
				for key := r.Object(); key != nil; key = r.NextKey() {
					name := r.KeyString(key)
					out.Data[name] = r.Bytes()
				}
			case "key":
				out.Key = r.Bytes()
			case "ratio":
				out.Ratio = r.Float64(out.Ratio)
			case "half":
				out.Half = r.Float32(out.Half)
			case "count":
				out.Count = r.Uint64(out.Count)
			case "free":
				out.Free = r.Any()
			default:
				r.Unknown(key, nil)
			}
		}
	},
}

// TestBytesAndFloats checks what JSON alone cannot tell apart.
func TestBytesAndFloats(t *testing.T) {
	t.Parallel()
	s, err := runtime.NewScheme(func(b *runtime.Builder) { runtime.AddKind(b, &secretSpec) })
	if err != nil {
		t.Fatal(err)
	}
	f, err := serializer.NewFactory(s, cbor.Format())
	if err != nil {
		t.Fatal(err)
	}
	for i, in := range []secret{
		{},
		{Data: map[string][]byte{}, Key: []byte{}},
		{Data: map[string][]byte{
			"password": []byte("x\"\\\x00\xff"), "b": nil,
			"long": bytes.Repeat([]byte{0x22}, 70000),
		}, Key: []byte{2, 1, 0}},
		{Ratio: 1, Half: -2, Free: []any{
			1.0, int64(1), 1e300, -0.5, 65504.0, float32(3), 0.0, []byte("ab"),
			map[string]any{"b": 1.0, "a": nil, "aa": "é", "": "<"},
		}},
		{Ratio: 1e21, Half: 0.1, Count: 1 << 63},
	} {
		in.APIVersion, in.Kind = "v1", "Secret"
		want := append([]byte("\xd9\xd9\xf7"), item(t, in)...)
		got, err := f.Append(nil, &in, serializer.EncodeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%d: CBOR differs\ngot:  %x\nwant: %x", i, got, want)
			continue
		}
		back, err := serializer.Decode[secret](f, got)
		if err != nil {
			t.Fatal(err)
		}
		var theirs secret
		if err := direct.Unmarshal(want, &theirs); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(*back, theirs) {
			t.Errorf("%d: decoding differs\ngot:  %+v\nwant: %+v", i, *back, theirs)
		}
	}
}

// metadata returns an object as a metadata client sees it: most of it is the record of who set
// which fields.
func metadata() *peerv1.PartialObjectMetadata {
	controller := true
	fields := `{"f:metadata":{"f:annotations":{".":{},"f:checksum/config":{}},"f:generateName":{},"f:labels":{".":{},"f:app.kubernetes.io/instance":{},"f:app.kubernetes.io/name":{},"f:pod-template-hash":{}},"f:ownerReferences":{".":{},"k:{\"uid\":\"6f0b1d5c-4a53-4d26-9d52-7d3d64f5d36f\"}":{}}},"f:spec":{"f:containers":{"k:{\"name\":\"web\"}":{".":{},"f:env":{".":{},"k:{\"name\":\"PORT\"}":{".":{},"f:name":{},"f:value":{}}},"f:image":{},"f:imagePullPolicy":{},"f:livenessProbe":{".":{},"f:failureThreshold":{},"f:httpGet":{".":{},"f:path":{},"f:port":{},"f:scheme":{}},"f:periodSeconds":{}},"f:name":{},"f:ports":{".":{},"k:{\"containerPort\":8080,\"protocol\":\"TCP\"}":{".":{},"f:containerPort":{},"f:name":{},"f:protocol":{}}},"f:resources":{},"f:terminationMessagePath":{}}},"f:dnsPolicy":{},"f:restartPolicy":{},"f:schedulerName":{},"f:securityContext":{}}}`
	status := `{"f:status":{"f:conditions":{"k:{\"type\":\"Ready\"}":{".":{},"f:lastProbeTime":{},"f:lastTransitionTime":{},"f:status":{},"f:type":{}}},"f:containerStatuses":{},"f:hostIP":{},"f:phase":{},"f:podIP":{},"f:startTime":{}}}`
	at := peerv1.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return &peerv1.PartialObjectMetadata{
		TypeMeta: peerv1.TypeMeta{Kind: "PartialObjectMetadata", APIVersion: "meta.k8s.io/v1"},
		ObjectMeta: peerv1.ObjectMeta{
			Name: "web-7d4b9c6f5d-x2x7p", GenerateName: "web-7d4b9c6f5d-", Namespace: "shop",
			UID: "0b1d5c6f-4a53-4d26-9d52-7d3d64f5d36f", ResourceVersion: "184467440", Generation: 3,
			CreationTimestamp: at,
			Labels: map[string]string{
				"app.kubernetes.io/name":     "web",
				"app.kubernetes.io/instance": "shop-web", "pod-template-hash": "7d4b9c6f5d", "tier": "frontend",
				"team": "checkout",
			},
			Annotations: map[string]string{
				"checksum/config":                   "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
				"kubectl.kubernetes.io/restartedAt": "2026-01-02T03:04:05Z", "prometheus.io/scrape": "true",
				"prometheus.io/port": "8080",
			},
			OwnerReferences: []peerv1.OwnerReference{{
				APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "web-7d4b9c6f5d",
				UID: "6f0b1d5c-4a53-4d26-9d52-7d3d64f5d36f", Controller: &controller, BlockOwnerDeletion: &controller,
			}},
			Finalizers: []string{"example.com/cleanup"},
			ManagedFields: []peerv1.ManagedFieldsEntry{
				{
					Manager: "kube-controller-manager", Operation: "Update", APIVersion: "v1", Time: &at,
					FieldsType: "FieldsV1", FieldsV1: peerv1.NewFieldsV1(fields),
				},
				{
					Manager: "kubelet", Operation: "Update", APIVersion: "v1", Time: &at, FieldsType: "FieldsV1",
					FieldsV1: peerv1.NewFieldsV1(status), Subresource: "status",
				},
			},
		},
	}
}

// table returns an object of many small values.
func table() *peerv1.Table {
	t := &peerv1.Table{TypeMeta: peerv1.TypeMeta{Kind: "Table", APIVersion: "meta.k8s.io/v1"}}
	for i := range 8 {
		t.ColumnDefinitions = append(t.ColumnDefinitions, peerv1.TableColumnDefinition{
			Name: fmt.Sprint("Column ", i),
			Type: "string", Description: "What the column shows, for people who ask.",
		})
	}
	for i := range 40 {
		t.Rows = append(t.Rows, peerv1.TableRow{Cells: []any{
			fmt.Sprint("web-", i), "1/1", "Running", int64(i), "5d",
			"10.0.0.1", "node-a", "<none>",
		}})
	}
	return t
}

func BenchmarkObject(b *testing.B) {
	ours, theirs := schemes(b)
	f, err := serializer.NewFactory(ours, cbor.Format())
	if err != nil {
		b.Fatal(err)
	}
	codec := peer.NewSerializer(theirs, theirs)
	plain := metadata()
	plain.ManagedFields = nil
	for _, bb := range []struct {
		name string
		obj  peerruntime.Object
	}{{"metadata", plain}, {"managed", metadata()}, {"table", table()}} {
		var buf bytes.Buffer
		if err := codec.Encode(bb.obj, &buf); err != nil {
			b.Fatal(err)
		}
		data := bytes.Clone(buf.Bytes())
		mine, err := f.Decode(data)
		if err != nil {
			b.Fatal(err)
		}
		run := func(name string, fn func() error) {
			b.Run(bb.name+"/"+name, func(b *testing.B) {
				b.ReportAllocs()
				b.SetBytes(int64(len(data)))
				for b.Loop() {
					if err := fn(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		var dst []byte
		run("decode/by=askind", func() error { _, err := f.Decode(data); return err })
		run("decode/by=peer", func() error { _, _, err := codec.Decode(data, nil, nil); return err })
		run("encode/by=askind", func() (err error) {
			dst, err = f.Append(dst[:0], mine, serializer.EncodeOptions{})
			return err
		})
		run("encode/by=peer", func() error { buf.Reset(); return codec.Encode(bb.obj, &buf) })
	}
}

// BenchmarkUntyped has the golden Pod, as an object of a kind that nobody has registered.
func BenchmarkUntyped(b *testing.B) {
	var in []byte
	for _, file := range goldenFiles(b) {
		if filepath.Base(file) == "core.v1.Pod.json" {
			in, _ = os.ReadFile(file)
		}
	}
	data, err := cbor.FromJSON(nil, in)
	if err != nil {
		b.Fatal(err)
	}
	scheme, err := runtime.NewScheme()
	if err != nil {
		b.Fatal(err)
	}
	f, err := serializer.NewFactory(scheme, cbor.Format())
	if err != nil {
		b.Fatal(err)
	}
	codec := peer.NewSerializer(nil, nil)
	o := serializer.DecodeOptions{Unknown: unstructured.Kind}
	mine, err := f.Decode(data, o)
	if err != nil {
		b.Fatal(err)
	}
	theirs := &peerunstructured.Unstructured{}
	if _, _, err := codec.Decode(data, nil, theirs); err != nil {
		b.Fatal(err)
	}
	var dst []byte
	var buf bytes.Buffer
	run := func(name string, fn func() error) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				if err := fn(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	run("decode/by=askind", func() error { _, err := f.Decode(data, o); return err })
	run("decode/by=peer", func() error {
		_, _, err := codec.Decode(data, nil, &peerunstructured.Unstructured{})
		return err
	})
	run("encode/by=askind", func() error {
		dst, err = cbor.Format().Append(dst[:0], unstructured.Kind(schema.GroupVersionKind{Version: "v1", Kind: "Pod"}),
			mine, format.Options{})
		return err
	})
	run("encode/by=peer", func() error { buf.Reset(); return codec.Encode(theirs, &buf) })
}
