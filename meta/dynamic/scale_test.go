package dynamic_test

import (
	"strings"
	"testing"

	"github.com/askind/askind/meta/dynamic"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/json"
)

// TestScaleOfObjects checks that values which the subresource scale cannot show are refused, unless
// the object had them before.
func TestScaleOfObjects(t *testing.T) {
	t.Parallel()
	crews, err := dynamic.New(dynamic.Definition{
		Group: "a.b", Kind: "Crew", Resource: "crews",
		Versions: []dynamic.Version{{
			Name: "v1", Storage: true,
			Scale: &dynamic.Scale{SpecReplicas: ".spec.n", StatusReplicas: ".status.n", LabelSelector: ".status.of"},
			Schema: []byte(`{"type":"object","properties":{
				"spec":{"type":"object","x-kubernetes-preserve-unknown-fields":true},
				"status":{"x-kubernetes-preserve-unknown-fields":true}}}`),
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	scheme, err := runtime.NewScheme(crews.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	f, err := serializer.NewFactory(scheme, json.Format())
	if err != nil {
		t.Fatal(err)
	}
	k, err := scheme.Kind(schema.GroupVersionKind{Group: "a.b", Version: "v1", Kind: "Crew"})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ object, want string }{
		{`"spec":{}`, ""},
		{`"spec":{"n":null},"status":{}`, ""},
		{`"spec":{"n":2147483647},"status":{"n":0,"of":"a=b"}`, ""},
		{`"spec":{"n":-1}`, "spec.n: Invalid value: -1: must be an integer from 0 to 2147483647"},
		{`"spec":{"n":2147483648}`, "spec.n: Invalid value"},
		{`"spec":{"n":"1"}`, `spec.n: Invalid value: "1"`},
		{`"status":{"n":1.5}`, "status.n: Invalid value: 1.5"},
		{`"status":[]`, "status.n: Invalid value"},
		{`"status":{"of":null}`, ""},
		{`"status":{"of":{"matchLabels":{}}}`, "status.of: Invalid value: must be a string, because it is a selector"},
	} {
		obj, err := f.Decode([]byte(`{"apiVersion":"a.b/v1","kind":"Crew",`+tt.object+`}`), serializer.DecodeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		errs := k.Validate(t.Context(), obj)
		if (len(errs) > 0) != (tt.want != "") || len(errs) > 0 && !strings.Contains(errs.Error(), tt.want) {
			t.Errorf("%s: got %v, want %s", tt.object, errs, tt.want)
		}
		if errs := k.ValidateChange(t.Context(), obj, obj); len(errs) > 0 {
			t.Errorf("%s, as before: got %v", tt.object, errs)
		}
	}
}
