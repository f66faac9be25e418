package runtime_test

import (
	"encoding/json"
	"strings"
	"testing"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
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
