package runtime_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/json/reflectjson"
)

type SafeShared struct {
	Pin string `json:"pin,omitempty"`
}

type safeInner struct {
	Code string     `json:"code"`
	Old  *safeInner `json:"old,omitempty"`
}

type safe struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`
	SafeShared        `json:",inline"`

	Name     string               `json:"name"`
	Text     string               `json:"text"`
	Unset    string               `json:"unset"`
	Pointer  *string              `json:"pointer"`
	Bytes    []byte               `json:"bytes"`
	Texts    []string             `json:"texts"`
	ByName   map[string]string    `json:"byName"`
	ByBytes  map[string][]byte    `json:"byBytes"`
	Number   int64                `json:"number"`
	Flag     bool                 `json:"flag"`
	Time     metav1.Time          `json:"time"`
	Whole    safeInner            `json:"whole"`
	Inner    []*safeInner         `json:"inner"`
	Raw      json.RawMessage      `json:"raw"`
	Any      any                  `json:"any"`
	Object   runtime.RawExtension `json:"object"`
	Held     runtime.RawExtension `json:"held"`
	Unknown  runtime.RawExtension `json:"unknown"`
	Template runtime.RawExtension `json:"template"`
	Array    [2]byte              `json:"array"`
	Hidden   string               `json:"-"`
}

type safeList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitzero"`
	Items           []safe `json:"items"`
}

var safeVersion = schema.GroupVersion{Group: "safe.example.com", Version: "v1"}

func addSafe(b *runtime.Builder) {
	runtime.AddKind(b, reflectjson.Complete(runtime.KindSpec[safe]{
		GroupVersionKind: safeVersion.WithKind("Safe"), List: "SafeList",
	}))
	runtime.AddKind(b, reflectjson.Complete(runtime.KindSpec[safeList]{
		GroupVersionKind: safeVersion.WithKind("SafeList"), Item: "Safe",
		Items: func(l *safeList) runtime.Items { return (*runtime.Slice[safe])(&l.Items) },
	}))
	runtime.AddSensitive[safe](b, "pin", "text", "unset", "pointer", "bytes", "texts", "byName", "byBytes", "number",
		"flag", "time", "whole", "raw", "any", "template", "array", "Hidden")
	runtime.AddSensitive[safeInner](b, "code")
}

// appendJSON returns an object in JSON.
func appendJSON(s *runtime.Scheme, obj runtime.Object) ([]byte, error) {
	k, err := s.KindOf(obj)
	if err != nil {
		return nil, err
	}
	out, err := k.AppendJSON(nil, obj)
	out = bytes.ReplaceAll(out, []byte(`\u003c`), []byte("<"))
	return bytes.ReplaceAll(out, []byte(`\u003e`), []byte(">")), err
}

// TestRedact checks that no secret is left in a redacted object, whatever its type and place, that
// the rest is unchanged, and so is the object itself.
func TestRedact(t *testing.T) {
	t.Parallel()
	scheme, err := runtime.NewScheme(addSafe)
	if err != nil {
		t.Fatal(err)
	}
	const secret = "s3cr3t"
	one := func() safe {
		return safe{
			TypeMeta: metav1.TypeMeta{APIVersion: safeVersion.String(), Kind: "Safe"},
			ObjectMeta: metav1.ObjectMeta{Name: "open", Annotations: map[string]string{
				"kubectl.kubernetes.io/last-applied-configuration": `{"text":"` + secret + `"}`, "note": "open",
			}},
			SafeShared: SafeShared{Pin: secret},
			Name:       "open", Text: secret, Pointer: new(secret), Bytes: []byte(secret), Texts: []string{secret, ""},
			ByName: map[string]string{"key": secret}, ByBytes: map[string][]byte{"key": []byte(secret)},
			Number: 5, Flag: true, Time: metav1.NewTime(time.Unix(1, 0)),
			Whole: safeInner{Code: secret, Old: &safeInner{Code: secret}},
			Inner: []*safeInner{{Code: secret, Old: &safeInner{Code: secret}}, nil},
			Raw:   json.RawMessage(`"` + secret + `"`), Any: map[string]any{"a": secret}, Array: [2]byte{1, 2},
			Object: runtime.RawExtension{
				Raw: []byte(`{"apiVersion":"safe.example.com/v1","kind":"Safe","name":"open","text":"` + secret + `"}`),
			},
			Unknown: runtime.RawExtension{
				Raw: []byte(`{"apiVersion":"other/v1","kind":"Other","text":"` + secret + `"}`),
			},
			Template: runtime.RawExtension{Raw: []byte(`{"text":"` + secret + `"}`)},
			Hidden:   secret,
		}
	}
	in := one()
	in.Held, err = scheme.Embed(&safe{TypeMeta: in.TypeMeta, Text: secret})
	if err != nil {
		t.Fatal(err)
	}
	out, err := scheme.Redact(&in)
	if err != nil {
		t.Fatal(err)
	}
	got, err := appendJSON(scheme, out)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"kind":"Safe","apiVersion":"safe.example.com/v1","metadata":{"name":"open","annotations":` +
		`{"kubectl.kubernetes.io/last-applied-configuration":"<redacted>","note":"open"}},"pin":"<redacted>",` +
		`"name":"open","text":"<redacted>","unset":"","pointer":"<redacted>","bytes":"PHJlZGFjdGVkPg==",` +
		`"texts":["<redacted>",""],"byName":{"key":"<redacted>"},"byBytes":{"key":"PHJlZGFjdGVkPg=="},"number":0,` +
		`"flag":false,"time":null,"whole":{"code":"<redacted>","old":{"code":"<redacted>"}},` +
		`"inner":[{"code":"<redacted>","old":{"code":"<redacted>"}},null],"raw":null,"any":null,`
	if !strings.HasPrefix(string(got), want) || strings.Contains(string(got), secret) ||
		out.(*safe).Hidden != "<redacted>" {
		t.Errorf("\n got %s\nwant %s…", got, want)
	}
	for _, part := range []string{
		`"unknown":{"kind":"Other","apiVersion":"other/v1"}`, `"template":null`, `"array":[0,0]`,
		`"object":{"kind":"Safe","apiVersion":"safe.example.com/v1","name":"open","text":"<redacted>"`,
		`"held":{"kind":"Safe","apiVersion":"safe.example.com/v1","name":"","text":"<redacted>"`,
	} {
		if !strings.Contains(string(got), part) {
			t.Errorf("%s\nlacks %s", got, part)
		}
	}
	if before, err := appendJSON(scheme, &in); err != nil || strings.Count(string(before), secret) < 12 {
		t.Errorf("the object was changed: %s, %v", before, err)
	}
	null := &safe{Held: runtime.RawExtension{Raw: []byte("null"), Object: &safe{Text: secret}}}
	if out, err = scheme.Redact(null); err != nil || out.(*safe).Held.Object != nil {
		t.Errorf("an object behind null: %+v, %v", out, err)
	}
	list := &safeList{
		TypeMeta: metav1.TypeMeta{APIVersion: safeVersion.String(), Kind: "SafeList"}, Items: []safe{one()},
	}
	if out, err = scheme.Redact(list); err != nil {
		t.Fatal(err)
	}
	if got, err = appendJSON(scheme, out); err != nil || strings.Contains(string(got), secret) {
		t.Errorf("a list: %s, %v", got, err)
	}
	derived, err := scheme.With(metav1.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	if out, err = derived.Redact(&in); err != nil || out.(*safe).Text != "<redacted>" {
		t.Errorf("with another group: %v", err)
	}
}

// sealed has a field that nobody can see.
type sealed struct {
	Key  string `json:"-,"` //lint:ignore SA5008 the name in JSON is a hyphen
	note string
}

// Sealed is a secret as a whole.
type Sealed struct {
	sealed
	Other string `json:"other"`
}

// opened is embedded by types that it is not exported from.
type opened struct {
	Key string `json:"key"`
}

// foreignExtension is like the RawExtension of k8s.io/apimachinery.
type foreignExtension struct {
	Raw    []byte
	Object any
}

// nearer has a field that hides one of its embedded struct.
type nearer struct {
	Note string `json:"pin"`
	SafeShared
}

type safeBox struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`
	*opened
	sealed

	Sealed  Sealed             `json:"sealed"`
	Near    nearer             `json:"near"`
	Any     any                `json:"any"`
	Foreign []foreignExtension `json:"foreign"`
}

// TestRedactHidden checks that secrets are found behind interfaces, in structs that are embedded
// but not exported, in managed fields, and in objects held by types of other modules.
func TestRedactHidden(t *testing.T) {
	t.Parallel()
	scheme, err := runtime.NewScheme(addSafe, func(b *runtime.Builder) {
		runtime.AddKind(b, reflectjson.Complete(runtime.KindSpec[safeBox]{
			GroupVersionKind: safeVersion.WithKind("SafeBox"),
			DeepCopyInto: func(in, out *safeBox) {
				*out = *in
				open, managed := *in.opened, slices.Clone(in.ManagedFields)
				out.opened, out.ManagedFields, out.Foreign = &open, managed, slices.Clone(in.Foreign)
			},
		}))
		runtime.AddSensitive[safeBox](b, "sealed")
		runtime.AddSensitive[Sealed](b, "sealed")
		runtime.AddSensitive[opened](b, "key")
		runtime.AddSensitive[nearer](b, "pin")
	})
	if err != nil {
		t.Fatal(err)
	}
	const secret = "s3cr3t"
	const object = `{"apiVersion":"safe.example.com/v1","kind":"Safe","name":"open","text":"` + secret + `"}`
	for _, held := range []any{
		safeInner{Code: secret},
		&safeInner{Code: secret},
		[]safeInner{{Code: secret}},
		[1]safeInner{{Code: secret}},
		map[string]any{"x": []any{safeInner{Code: secret}}},
		map[string]any{"kubectl.kubernetes.io/last-applied-configuration": secret},
	} {
		in := &safeBox{
			ObjectMeta: metav1.ObjectMeta{Name: "open", ManagedFields: []metav1.ManagedFieldsEntry{
				{Manager: "m", FieldsV1: &metav1.FieldsV1{Raw: []byte(`{"f:texts":{"v:\"` + secret + `\"":{}}}`)}},
			}},
			opened: &opened{secret}, Sealed: Sealed{sealed{secret, secret}, secret}, Any: held,
			Near: nearer{secret, SafeShared{"open"}},
			Foreign: []foreignExtension{
				{},
				{Raw: []byte("null")},
				{Raw: []byte(object)},
				{Raw: []byte(`{"kind":"Other","apiVersion":"other/v1","text":"` + secret + `"}`)},
				{Raw: []byte(`{"text":"` + secret + `"}`)},
				{Object: &safe{Name: "open", Text: secret}},
				{Object: &safeInner{Code: secret}},
			},
		}
		in.sealed.Key = "open"
		out, err := scheme.Redact(in)
		if err != nil {
			t.Fatal(err)
		}
		got := out.(*safeBox)
		var raws strings.Builder
		for _, e := range got.Foreign {
			raws.Write(e.Raw)
			if e.Object != nil {
				t.Errorf("%s is still there as %+v", e.Raw, e.Object)
			}
		}
		text := fmt.Sprintf("%+v %+v %+v %s", got, got.opened, got.ManagedFields, &raws)
		if inner, ok := got.Any.(*safeInner); ok {
			text += inner.Code
		}
		if strings.Contains(text, secret) || got.ManagedFields[0].FieldsV1 != nil || got.Sealed.Other != "<redacted>" ||
			got.Near.Pin != "open" || got.opened.Key != "<redacted>" {
			t.Errorf("%T: %s", held, text)
		}
		const want = `{"kind":"Other","apiVersion":"other/v1"}{}{"kind":"Safe",`
		if !strings.HasPrefix(raws.String(), `null{"kind":"Safe",`) || !strings.Contains(raws.String(), want) ||
			!strings.HasSuffix(raws.String(), "}{}") {
			t.Errorf("%T: %s", held, &raws)
		}
	}
}

// TestAddSensitiveMistakes checks that Check finds sensitive fields that do not exist, and that
// Redact fails then.
func TestAddSensitiveMistakes(t *testing.T) {
	t.Parallel()
	scheme, err := runtime.NewScheme(addSafe, func(b *runtime.Builder) {
		runtime.AddSensitive[safe](b, "Text", "nothing")
		runtime.AddSensitive[string](b, "text")
	})
	if err != nil {
		t.Fatal(err)
	}
	redacted, redactErr := scheme.Redact(&safe{})
	if redacted != nil {
		t.Errorf("got %v", redacted)
	}
	for _, err := range []error{scheme.Check(), redactErr} {
		for _, want := range []string{
			"the sensitive field Text of ", "the sensitive field nothing of ", "it is not a struct",
		} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want %q", err, want)
			}
		}
	}
}
