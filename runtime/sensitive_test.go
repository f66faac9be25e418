package runtime_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/askind/askind/conversion"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/json/reflectjson"
)

func TestIsSensitive(t *testing.T) {
	t.Parallel()
	scheme, err := runtime.NewScheme(addSafe)
	if err != nil {
		t.Fatal(err)
	}
	k, err := runtime.KindFor[safe](scheme)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{
		"": false, "name": false, "nothing": false, "nothing.text": false, "name.text": false,
		"text": true, "text.below": true, "pin": true, "pointer": true, "whole": true, "whole.code": true,
		"texts[1]": true, "byName[key]": true, "inner": false, "inner[0]": false, "inner[0].code": true,
		"inner[0].old.old.code": true, "any[a].b": true, "template": true, "template.metadata.name": true,
		"object": false, "object.name": false, "object.spec[2].text": true, "object.spec[2].name": false,
		"metadata.annotations[note]": false, "metadata.managedFields[0].manager": false,
		"metadata.annotations[\"kubectl.kubernetes.io/last-applied-configuration\"]": true,
		"metadata.managedFields[0].fieldsV1":                                         true,
	} {
		path, err := schema.ParsePath(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := scheme.IsSensitive(k, path); got != want {
			t.Errorf("%s: got %t", text, got)
		}
		inList := schema.NewPath("items").Index(3).Join(path)
		if text != "" && scheme.IsSensitive(k.ListKind(), inList) != want {
			t.Errorf("%s in a list: got %t", text, !want)
		}
		if scheme.IsSensitive(nil, path) {
			t.Errorf("%s of no kind is sensitive", text)
		}
	}
}

// covered has secrets in an embedded struct, and one that hides a field of the same name.
type covered struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`
	SafeShared        `json:",inline"`

	Near nearer `json:"near"`
}

func TestIsSensitiveInEmbedded(t *testing.T) {
	t.Parallel()
	scheme, err := runtime.NewScheme(func(b *runtime.Builder) {
		runtime.AddKind(b, reflectjson.Complete(runtime.KindSpec[covered]{
			GroupVersionKind: safeVersion.WithKind("Covered"),
		}))
		runtime.AddSensitive[covered](b, "SafeShared")
		runtime.AddSensitive[nearer](b, "pin")
	})
	if err != nil {
		t.Fatal(err)
	}
	k, err := runtime.KindFor[covered](scheme)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []*schema.Path{schema.NewPath("pin"), schema.NewPath("near", "pin")} {
		if !scheme.IsSensitive(k, path) {
			t.Errorf("%s is not sensitive", path)
		}
	}
}

// The versions of a Key. The first two have the secret under different names, and no conversion
// accepts one that begins with the name of its target.
type (
	keyV1 struct {
		metav1.TypeMeta `json:",inline"`
		Text            string `json:"text"`
	}
	keyV2 struct {
		metav1.TypeMeta `json:",inline"`
		Code            string `json:"code"`
	}
	keyV3 struct {
		metav1.TypeMeta `json:",inline"`
	}
	keyV1List struct {
		metav1.TypeMeta `json:",inline"`
		metav1.ListMeta `json:"metadata"`
		Items           []keyV1 `json:"items"`
	}
	keyV3List struct {
		metav1.TypeMeta `json:",inline"`
		metav1.ListMeta `json:"metadata"`
		Items           []keyV3 `json:"items"`
	}
)

func addKeys(b *runtime.Builder) {
	key := func(version, kind string) schema.GroupVersionKind {
		return schema.GroupVersionKind{Group: "safe.example.com", Version: version, Kind: kind}
	}
	runtime.AddKind(b, reflectjson.Complete(runtime.KindSpec[keyV1]{
		GroupVersionKind: key("v1", "Key"), List: "KeyList",
	}))
	runtime.AddKind(b, reflectjson.Complete(runtime.KindSpec[keyV2]{GroupVersionKind: key("v2", "Key")}))
	runtime.AddKind(b, reflectjson.Complete(runtime.KindSpec[keyV3]{
		GroupVersionKind: key("v3", "Key"), List: "KeyList",
	}))
	runtime.AddKind(b, reflectjson.Complete(runtime.KindSpec[keyV1List]{
		GroupVersionKind: key("v1", "KeyList"), Item: "Key",
		Items: func(l *keyV1List) runtime.Items { return (*runtime.Slice[keyV1])(&l.Items) },
	}))
	runtime.AddKind(b, reflectjson.Complete(runtime.KindSpec[keyV3List]{
		GroupVersionKind: key("v3", "KeyList"), Item: "Key",
		Items: func(l *keyV3List) runtime.Items { return (*runtime.Slice[keyV3])(&l.Items) },
	}))
	runtime.AddConversion(b, func(in *keyV1, out *keyV2, _ *conversion.Scope) error {
		if out.Code = in.Text; strings.HasPrefix(in.Text, "v2") {
			return schema.AtField(errors.New(in.Text+" is refused"), "text")
		}
		return nil
	})
	runtime.AddConversion(b, func(in *keyV2, out *keyV3, _ *conversion.Scope) error {
		if strings.HasPrefix(in.Code, "v3") {
			return schema.AtField(errors.New(in.Code+" is refused"), "code")
		}
		return nil
	})
	runtime.AddSensitive[keyV1](b, "text")
	runtime.AddSensitive[keyV2](b, "code")
}

// TestSensitiveConversionErrors checks that the errors of conversions do not show secrets, whatever
// step of a route they come from.
func TestSensitiveConversionErrors(t *testing.T) {
	t.Parallel()
	scheme, err := runtime.NewScheme(addKeys)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"v2 s3cr3t", "v3 s3cr3t"} {
		for _, obj := range []runtime.Object{&keyV1{Text: secret}, &keyV1List{Items: []keyV1{{Text: secret}}}} {
			_, err := scheme.ConvertTo(obj, schema.GroupVersion{Group: "safe.example.com", Version: "v3"})
			if err == nil || strings.Contains(err.Error(), secret) || !strings.Contains(err.Error(), "sensitive") {
				t.Errorf("%T with %s: %v", obj, secret, err)
			}
		}
	}
}

func TestHideSensitive(t *testing.T) {
	t.Parallel()
	scheme, err := runtime.NewScheme(addKeys)
	if err != nil {
		t.Fatal(err)
	}
	k, err := runtime.KindFor[keyV1](scheme)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		path, message string
		cause         error
		want          string
	}{
		{"text", "expected string, found 7", runtime.ErrWrongType, "expected string"},
		{"text", "7 is too large", runtime.ErrOutOfRange, "the number is out of range"},
		{"other", "expected string, found 7", runtime.ErrWrongType, "expected string, found 7"},
		{"text.7", `unknown field "7"`, runtime.ErrUnknownField, `unknown field "7"`},
	} {
		p := []runtime.Problem{{Path: tt.path, Message: tt.message, Cause: tt.cause, Err: errors.New(tt.message)}}
		scheme.HideSensitive(k, p)
		if p[0].Message != tt.want || p[0].Cause != tt.cause || (p[0].Err == nil) != (tt.want != tt.message) {
			t.Errorf("%s: %s: got %+v", tt.path, tt.message, p[0])
		}
	}
}

func TestRedactJSON(t *testing.T) {
	t.Parallel()
	scheme, err := runtime.NewScheme(addSafe)
	if err != nil {
		t.Fatal(err)
	}
	k, err := runtime.KindFor[safe](scheme)
	if err != nil {
		t.Fatal(err)
	}
	in := &safe{
		ObjectMeta: metav1.ObjectMeta{Name: "open", Labels: map[string]string{"a": "b", "c": "d"}},
		Text:       "s3cr3t", Texts: []string{"s3cr3t", "s3cr3t"}, Number: 5,
		Inner:  []*safeInner{{Code: "s3cr3t"}, {}},
		Object: runtime.RawExtension{Raw: []byte(`{"list":[{},[],{"a":[1,2.50,true,null,"<"],"text":["s3cr3t",{}]}]}`)},
	}
	text, err := k.AppendJSON(nil, in)
	if err != nil {
		t.Fatal(err)
	}
	got, found, err := scheme.RedactJSON([]byte("before"), k, text)
	if err != nil || !found {
		t.Fatal(found, err)
	}
	out, ok := strings.CutPrefix(string(got), "before")
	if !ok || !json.Valid([]byte(out)) || strings.Contains(out, "s3cr3t") {
		t.Errorf("got %s", got)
	}
	for _, want := range []string{
		`"labels":{"a":"b","c":"d"}`, `"texts":["\u003credacted\u003e","\u003credacted\u003e"]`,
		`"number":"\u003credacted\u003e"`,
		`{"list":[{},[],{"a":[1,2.50,true,null,"\u003c"],"text":["\u003credacted\u003e",{}]}]}`,
	} {
		if !strings.Contains(out, want) {
			t.Errorf("there is no %s in %s", want, out)
		}
	}
	const open = `{"name":"a", "metadata":{}}`
	got, found, err = scheme.RedactJSON(nil, k, []byte(open))
	if found || err != nil || string(got) != `{"name":"a","metadata":{}}` {
		t.Errorf("got %s, %t, %v", got, found, err)
	}
	if got, _, err := scheme.RedactJSON(nil, k, []byte(`{"text":"s3cr3t","name":`)); err == nil || len(got) > 0 {
		t.Errorf("got %q of a text that is not JSON", got)
	}
}
