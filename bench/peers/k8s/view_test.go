package k8s_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"testing"

	kcorev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	kmetav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/askind/askind/k8s/metav1"
	v1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/wire/jsonwire"
	"github.com/askind/askind/wire/pbwire"
)

func TestScheme(t *testing.T) {
	t.Parallel()
	if err := newScheme(t).Check(); err != nil {
		t.Error(err)
	}
}

// TestMetadata checks that the metadata of a foreign kind can be read and written through ours.
func TestMetadata(t *testing.T) {
	t.Parallel()
	pod := newBench(t).pod
	s := newScheme(t)
	k, err := s.KindOf(pod)
	if err != nil {
		t.Fatal(err)
	}
	m, ok := k.Metadata(pod).(*v1.ObjectMeta)
	if !ok {
		t.Fatalf("metadata is a %T", k.Metadata(pod))
	}
	theirs, err := json.Marshal(pod.ObjectMeta)
	if err != nil {
		t.Fatal(err)
	}
	ours, err := v1.AppendJSONObjectMeta(nil, m)
	if err != nil || !bytes.Equal(ours, theirs) {
		t.Errorf("%v\n got %s\nwant %s", err, ours, theirs)
	}
	m.Labels = map[string]string{"a": "b"}
	m.OwnerReferences[0].UID = "other"
	if pod.Labels["a"] != "b" || pod.OwnerReferences[0].UID != "other" {
		t.Error("a change of the metadata does not arrive in the pod")
	}
	partial, err := s.As(pod, v1.GroupVersion.WithKind("PartialObjectMetadata"))
	if err != nil {
		t.Fatal(err)
	}
	if got := partial.(*v1.PartialObjectMetadata); !reflect.DeepEqual(&got.ObjectMeta, m) ||
		&got.Finalizers == &m.Finalizers {
		t.Errorf("as metadata: %+v", got)
	}
	table, err := s.As(&kcorev1.PodList{Items: []kcorev1.Pod{*pod, *pod}}, v1.GroupVersion.WithKind("Table"))
	if err != nil {
		t.Fatal(err)
	}
	if rows := table.(*v1.Table).Rows; len(rows) != 2 || rows[1].Cells[0] != pod.Name {
		t.Errorf("as table: %+v", rows)
	}
}

// leaf compares the functions of a leaf type with its methods: what both read, and what both write
// then.
func leaf[T any](t *testing.T, decode func(*jsonwire.Reader, *T), appendJSON func([]byte, *T) ([]byte, error),
	texts ...string,
) {
	t.Helper()
	for _, text := range texts {
		var ours, theirs T
		r := jsonwire.NewReader([]byte(text), jsonwire.Options{})
		decode(r, &ours)
		r.End()
		err := json.Unmarshal([]byte(text), &theirs)
		if (len(r.Problems()) > 0) != (err != nil) {
			t.Errorf("%T %s: problems %v, the peer's %v", ours, text, r.Problems(), err)
			continue
		}
		if err != nil {
			continue
		}
		if !reflect.DeepEqual(ours, theirs) {
			t.Errorf("%T %s: read as %#v, by the peer as %#v", ours, text, ours, theirs)
		}
		got, err := appendJSON(nil, &theirs)
		if err != nil {
			t.Errorf("%T %s: %v", ours, text, err)
		}
		want, err := json.Marshal(theirs)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%T %s: written as %s, by the peer as %s (%v)", ours, text, got, want, err)
		}
	}
}

func TestLeaves(t *testing.T) {
	t.Parallel()
	leaf(t, metav1.DecodeJSONQuantity, metav1.AppendJSONQuantity, `"0"`, `"1"`, `"+5"`, `"-5"`, `"1.5"`, `"1.234"`,
		`"100m"`, `"1000m"`, `"512Mi"`, `"1025Ki"`, `"1.5Gi"`, `"1e3"`,
		`"12E6"`, `"0.5"`, `".5"`, `"5."`, `"1n"`, `"0.1n"`, `"9223372036854775807"`, `"9223372036854775808"`,
		`"99999999999999999999Ei"`, `" 5 "`, `12`, `1.5`, `-3`, `1e3`, `null`, `"8Gi"`, `"007"`, `"1000000k"`,
		`""`, `"x"`, `"1Q"`, `"1 2"`, `true`, `{}`, `[]`)
	leaf(t, metav1.DecodeJSONIntOrString, metav1.AppendJSONIntOrString, `0`, `80`, `-1`, `"http"`, `"50%"`, `""`,
		`null`, `2147483648`, `1.5`, `true`, `{}`)
	leaf(t, metav1.DecodeJSONRawExtension, metav1.AppendJSONRawExtension, `{"a": [1, "<x>"]}`, `null`, `"x"`, `5`, `{}`)
	leaf(t, metav1.DecodeJSONFieldsV1, metav1.AppendJSONFieldsV1, `{"f:a":{}}`, `null`, `{}`)
	leaf(t, metav1.DecodeJSONTime, metav1.AppendJSONTime, `"2026-01-02T03:04:05Z"`, `"2026-01-02T03:04:05+02:00"`,
		`"2026-01-02T03:04:05.5Z"`, `null`, `""`, `"x"`, `5`)
	leaf(t, metav1.DecodeJSONMicroTime, metav1.AppendJSONMicroTime, `"2026-01-02T03:04:05.123456Z"`,
		`"2026-01-02T03:04:05.000000+02:00"`, `null`, `"x"`)
	leaf(t, metav1.DecodeJSONDuration, metav1.AppendJSONDuration, `"1h2m3s"`, `"0s"`, `"-5ms"`, `"x"`)

	embedded := &kruntime.RawExtension{Object: &kmetav1.Status{Message: "<m>"}}
	for _, in := range []*kruntime.RawExtension{embedded, {}, {Raw: []byte{0xd9, 0xd9, 0xf7, 0xa1, 0x41, 'a', 0x01}}} {
		want, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := metav1.AppendJSONRawExtension(nil, in); err != nil || !bytes.Equal(got, want) {
			t.Errorf("embedded object: %v\n got %s\nwant %s", err, got, want)
		}
	}
	if _, err := metav1.AppendJSONIntOrString(nil, &intstr.IntOrString{Type: 7}); err == nil {
		t.Error("no error for a type that is neither Int nor String")
	}
	q := resource.MustParse("512Mi")
	before := q
	if _, err := metav1.AppendJSONQuantity(nil, &q); err != nil || !reflect.DeepEqual(q, before) {
		t.Error("writing a quantity changed it")
	}
}

// TestQuantityText checks that quantities are written as their String method does, wherever they
// come from, and are not changed by that.
func TestQuantityText(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	formats := []resource.Format{resource.DecimalSI, resource.BinarySI, resource.DecimalExponent, "", "unknown"}
	number := func() int64 {
		n := rnd.Int64() >> rnd.IntN(64)
		switch rnd.IntN(4) {
		case 0:
			n = -n
		case 1:
			n = n / 1000 * 1000
		case 2:
			n &^= 1<<rnd.IntN(40) - 1
		}
		return n
	}
	one := func() resource.Quantity {
		format := formats[rnd.IntN(len(formats))]
		switch rnd.IntN(5) {
		case 0:
			return *resource.NewQuantity(number(), format)
		case 1:
			return *resource.NewMilliQuantity(number(), format)
		case 2:
			return *resource.NewScaledQuantity(number(), resource.Scale(rnd.IntN(28)-9))
		case 3:
			texts := []string{
				"0", "1.500", "+5", "1500m", "0.5Gi", "1Ki", "1000", "12e6",
				"99999999999999999999", "100n",
			}
			return resource.MustParse(texts[rnd.IntN(len(texts))])
		}
		return resource.Quantity{Format: format}
	}
	for range 20000 {
		q := one()
		switch rnd.IntN(5) {
		case 0:
			q.Add(one())
		case 1:
			q.Sub(one())
		case 2:
			q.Format = formats[rnd.IntN(len(formats))]
		case 3:
			_ = q.String()
			q.Format = formats[rnd.IntN(len(formats))]
		}
		before, copied := q, q.DeepCopy()
		want := copied.String()
		got, err := metav1.AppendJSONQuantity(nil, &q)
		if err != nil || string(got) != `"`+want+`"` || q != before {
			t.Fatalf("%#v is written as %s, want %s, %v; then it is %#v", before, got, want, err, q)
		}
		w := pbwire.NewWriter(nil)
		metav1.PrependProtoQuantity(w, &q)
		if peer, err := copied.Marshal(); err != nil || !bytes.Equal(w.Bytes(), peer) || q != before {
			t.Fatalf("%#v is written as %q, want %q, %v; then it is %#v", before, w.Bytes(), peer, err, q)
		}
	}
}
