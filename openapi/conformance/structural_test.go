package conformance

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	servervalidation "k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/askind/askind/meta/dynamic"
	"github.com/askind/askind/runtime"
	runtimeschema "github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	askindjson "github.com/askind/askind/serializer/json"
)

// TestObjectsOfDefinitions compares what schemas make of random objects with what
// apiextensions-apiserver makes of them: members that are pruned, defaults, and whether the result
// is valid, or where it is not, when it is created and when it replaces another.
func TestObjectsOfDefinitions(t *testing.T) {
	t.Parallel()
	schemas, objects := 150, 40
	if !testing.Short() {
		schemas = 2500
	}
	r := sample{rand.New(rand.NewPCG(5, 6))}
	accepted, refused := 0, 0
	for range schemas {
		spec := r.structure(3)
		p := newStructuralPair(t, map[string]any{"type": "object", "properties": map[string]any{"spec": spec}})
		if p == nil {
			continue
		}
		for range objects {
			text, err := json.Marshal(map[string]any{
				"apiVersion": "a.b/v1", "kind": "Thing", "metadata": map[string]any{"name": "x"},
				"spec": r.instance(spec, 4),
			})
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Contains(text, []byte("e+21")) && bytes.Contains(p.text, []byte("multipleOf")) {
				continue // for apiextensions-apiserver such a number is a multiple of nothing
			}
			if p.compare(t, text) {
				accepted++
			} else {
				refused++
			}
		}
	}
	t.Logf("%d objects were valid and %d were not", accepted, refused)
	if accepted < 300 || refused < 300 {
		t.Error("too few objects of one sort")
	}
}

// structuralPair is a schema in our form and in that of apiextensions-apiserver.
type structuralPair struct {
	text       []byte
	structural *schema.Structural
	validator  servervalidation.SchemaValidator
	scheme     *runtime.Scheme
	factory    *serializer.Factory
	kind       *runtime.Kind
	// last is the last object, which the next one replaces, in both forms.
	last     runtime.Object
	lastPeer map[string]any
}

// newStructuralPair returns nil if the schema refuses one of its defaults, which we find also where
// apiextensions-apiserver does not look.
func newStructuralPair(t *testing.T, props map[string]any) *structuralPair {
	t.Helper()
	text, err := json.Marshal(props)
	if err != nil {
		t.Fatal(err)
	}
	var v1 apiextensionsv1.JSONSchemaProps
	if err := json.Unmarshal(text, &v1); err != nil {
		t.Fatal(err)
	}
	var internal apiextensions.JSONSchemaProps
	convert := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps
	if err := convert(&v1, &internal, nil); err != nil {
		t.Fatal(err)
	}
	p := &structuralPair{text: text}
	if p.structural, err = schema.NewStructural(&internal); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if p.validator, _, err = servervalidation.NewSchemaValidator(&internal); err != nil {
		t.Fatal(err)
	}
	if errs := schema.ValidateStructural(nil, p.structural); len(errs) > 0 {
		t.Fatalf("the schema is not structural: %v\n%s", errs, text)
	}
	resource, err := dynamic.New(dynamic.Definition{
		Group: "a.b", Kind: "Thing", Resource: "things",
		Versions: []dynamic.Version{{Name: "v1", Storage: true, Schema: text}},
	})
	refusals, failure := defaulting.ValidateDefaults(t.Context(), nil, p.structural, true, true)
	if failure != nil || err == nil && len(refusals) > 0 {
		t.Fatalf("schema %s\nours %v\nwant %v, %v", text, err, refusals, failure)
	}
	if err != nil {
		return nil
	}
	if p.scheme, err = runtime.NewScheme(resource.AddTo); err != nil {
		t.Fatal(err)
	}
	if p.factory, err = serializer.NewFactory(p.scheme, askindjson.Format()); err != nil {
		t.Fatal(err)
	}
	p.kind, err = p.scheme.Kind(runtimeschema.GroupVersionKind{Group: "a.b", Version: "v1", Kind: "Thing"})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// compare fails the test unless both sides make the same of an object, and reports whether it is
// valid.
func (p *structuralPair) compare(t *testing.T, text []byte) bool {
	t.Helper()
	peer := map[string]any{}
	if err := utiljson.Unmarshal(text, &peer); err != nil {
		t.Fatal(err)
	}
	pruning.Prune(peer, p.structural, true)
	defaulting.PruneNonNullableNullsWithoutDefaults(peer, p.structural)
	defaulting.Default(peer, p.structural)
	if err := objectmeta.Coerce(nil, peer, p.structural, false, false); err != nil {
		return false // it is refused, as in TestEmbeddedObjects
	}

	obj, err := p.factory.Decode(text, serializer.DecodeOptions{Default: true})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	encoded, err := p.kind.AppendJSON(nil, obj)
	if err != nil {
		t.Fatal(err)
	}
	ours := map[string]any{}
	if err := utiljson.Unmarshal(encoded, &ours); err != nil {
		t.Fatal(err)
	}
	want := servervalidation.ValidateCustomResource(nil, peer, p.validator)
	want = append(want, objectmeta.Validate(t.Context(), nil, peer, p.structural, false)...)
	want = append(want, listtype.ValidateListSetsAndMaps(nil, p.structural, peer)...)
	got := p.kind.Validate(t.Context(), obj)
	if (len(got) > 0) != (len(want) > 0) {
		t.Fatalf("schema %s\nobject %s\nours   %v\nwant   %v", p.text, encoded, got, want)
	}
	if ours, want := placesOf(got), peerPlacesOf(want); !p.combines() && !slices.Equal(ours, want) {
		t.Fatalf("schema %s\nobject %s\nours   %v\nwant   %v", p.text, encoded, ours, want)
	}
	// Lists that had duplicates before may have others for apiextensions-apiserver, not for us.
	if p.last != nil && len(listtype.ValidateListSetsAndMaps(nil, p.structural, p.lastPeer)) == 0 {
		want := servervalidation.ValidateCustomResourceUpdate(nil, peer, p.lastPeer, p.validator)
		got := p.kind.ValidateChange(t.Context(), obj, p.last)
		want = append(want, objectmeta.Validate(t.Context(), nil, peer, p.structural, false)...)
		want = append(want, listtype.ValidateListSetsAndMaps(nil, p.structural, peer)...)
		// A value that did not change is never refused; apiextensions-apiserver refuses some.
		if len(got) > 0 && len(want) == 0 {
			old, _ := p.kind.AppendJSON(nil, p.last)
			t.Fatalf("schema %s\nold    %s\nobject %s\nours   %v\nwant   %v", p.text, old, encoded, got, want)
		}
	}
	p.last, p.lastPeer = obj, peer
	if len(got) > 0 {
		return false
	}
	if !reflect.DeepEqual(ours["spec"], peer["spec"]) {
		want, _ := json.Marshal(peer["spec"])
		t.Fatalf("schema %s\nobject %s\nours   %s\nwant   %s", p.text, text, encoded, want)
	}
	return true
}

// combines reports whether the schema combines others. apiextensions-apiserver says then also what
// is wrong with the parts that do not match, and for not it does not say where.
func (p *structuralPair) combines() bool {
	return slices.ContainsFunc([]string{"anyOf", "oneOf", "not"}, func(keyword string) bool {
		return bytes.Contains(p.text, []byte(`"`+keyword+`"`))
	})
}

// placesOf returns the places of problems, each once, in order, without those of duplicates:
// apiextensions-apiserver reports the second of several equal elements, we report all others, too.
func placesOf(errs runtime.FieldErrors) (out []string) {
	for _, e := range errs {
		if e.Code != runtime.FieldDuplicate {
			out = append(out, dotted(e.Path.String()))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func peerPlacesOf(errs field.ErrorList) (out []string) {
	for _, e := range errs {
		if e.Type != field.ErrorTypeDuplicate && e.Field != "<nil>" { // that stands beside another one
			out = append(out, dotted(e.Field))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// dotted returns a path without brackets. We have them around the names of the values in a map, as
// the checks of built-in kinds in Kubernetes do; its checks of schemas have dots.
func dotted(path string) string { return strings.NewReplacer("[", ".", "]", "").Replace(path) }

// structure returns a random structural schema.
func (r sample) structure(depth int) map[string]any {
	kinds := []string{
		"string", "integer", "number", "boolean", "intOrString", "object", "object", "map", "array", "array", "open",
		"flat", "embedded",
	}
	if depth <= 0 {
		kinds = kinds[:5]
	}
	out := map[string]any{}
	maybe := func() bool { return r.IntN(4) == 0 }
	kind := r.pick(kinds...)
	switch kind {
	case "intOrString":
		out["x-kubernetes-int-or-string"] = true
	case "object":
		out["type"] = "object"
		props := map[string]any{}
		for range 1 + r.IntN(3) {
			props[r.pick("a", "b", "c", "d")] = r.structure(depth - 1)
		}
		out["properties"] = props
		if maybe() {
			out["required"] = []string{r.pick("a", "b")}
		}
		if maybe() {
			out["x-kubernetes-preserve-unknown-fields"] = true
		}
		if maybe() {
			out[r.pick("minProperties", "maxProperties")] = 1 + r.IntN(2)
		}
	case "map":
		out["type"], out["additionalProperties"] = "object", r.structure(depth-1)
	case "flat":
		out["type"], out["additionalProperties"] = "object", maybe()
		if maybe() {
			out["x-kubernetes-preserve-unknown-fields"] = true
		}
	case "embedded":
		out["type"], out["x-kubernetes-embedded-resource"] = "object", true
		out["x-kubernetes-preserve-unknown-fields"] = true
		if maybe() {
			out["properties"] = map[string]any{"a": r.structure(depth - 1)}
		}
	case "open":
		out["type"], out["x-kubernetes-preserve-unknown-fields"] = "object", true
	case "array":
		out["type"] = "array"
		switch r.IntN(3) {
		case 0:
			out["items"], out["x-kubernetes-list-type"] = map[string]any{"type": r.pick("string", "integer")}, "set"
		case 1:
			out["items"] = map[string]any{
				"type": "object", "required": []string{"a"},
				"properties": map[string]any{"a": map[string]any{"type": "string"}, "b": r.structure(depth - 1)},
			}
			out["x-kubernetes-list-type"], out["x-kubernetes-list-map-keys"] = "map", []string{"a"}
		default:
			out["items"] = r.structure(depth - 1)
		}
		if maybe() {
			out[r.pick("minItems", "maxItems")] = 1 + r.IntN(2)
		}
		if maybe() {
			out["x-kubernetes-preserve-unknown-fields"] = true
			if maybe() {
				delete(out, "type")
				delete(out, "x-kubernetes-list-type")
				delete(out, "x-kubernetes-list-map-keys")
			}
		}
	case "string":
		out["type"] = "string"
		switch r.IntN(8) {
		case 0:
			out["pattern"] = r.pick("^x", "y$", "^[a-z ]*$")
		case 1:
			out[r.pick("minLength", "maxLength")] = 1 + r.IntN(2)
		case 2:
			out["enum"] = []string{"x", "y"}
		case 3: // and no formats: with one, apiextensions-apiserver takes a list for a string
			out["default"] = r.pick("x", "y z")
		}
	case "integer", "number":
		out["type"] = kind
		switch r.IntN(7) {
		case 0:
			out["minimum"] = r.IntN(2)
			out["exclusiveMinimum"] = maybe()
		case 1:
			out["maximum"] = r.IntN(2)
			out["exclusiveMaximum"] = maybe()
		case 2:
			if kind == "integer" { // apiextensions-apiserver takes 0.5 for 0
				out["enum"] = []int{0, 1}
			}
		case 3:
			out["multipleOf"] = 2
		case 4:
			out["default"] = 1
		case 5:
			out["anyOf"] = []any{map[string]any{"minimum": 1}, map[string]any{"maximum": -1}}
		}
	case "boolean":
		out["type"] = "boolean"
		if maybe() {
			out["default"] = true
		}
	}
	if maybe() {
		out["nullable"] = true
	}
	// apiextensions-apiserver converts values to the type of an element before it compares them, so
	// the elements of an enum have one type.
	values := map[string][]any{"string": {"x", "y", "x"}, "integer": {1, 0, 1}, "boolean": {true, false, true}}[kind]
	if len(values) == 0 {
		return out
	}
	switch r.IntN(8) {
	case 0:
		out["not"] = map[string]any{"enum": values[:1]}
	case 1:
		out["oneOf"] = []any{map[string]any{"enum": values[:2]}, map[string]any{"enum": values[1:]}}
	}
	return out
}

// instance returns a value that often follows a schema.
func (r sample) instance(of map[string]any, depth int) any {
	if depth <= 0 || r.IntN(12) == 0 {
		return r.value(1)
	}
	typ := of["type"]
	if typ == nil && of["items"] != nil {
		typ = "array"
	}
	switch typ {
	case "object":
		out := map[string]any{}
		props, _ := of["properties"].(map[string]any)
		for name, p := range props {
			if r.IntN(4) > 0 {
				out[name] = r.instance(p.(map[string]any), depth-1)
			}
		}
		if of["x-kubernetes-embedded-resource"] != nil {
			out["apiVersion"], out["kind"] = "v1", "Thing"
			if r.IntN(2) == 0 {
				out["metadata"] = []any{nil, map[string]any{}, map[string]any{"name": "x"}}[r.IntN(3)]
			}
		}
		for range r.IntN(2) {
			if values, ok := of["additionalProperties"].(map[string]any); ok {
				out[r.pick("k", "l")] = r.instance(values, depth-1)
			} else if r.IntN(3) == 0 {
				out[r.pick("a", "z")] = r.value(2)
			}
		}
		return out
	case "array":
		out := []any{}
		for range r.IntN(4) {
			out = append(out, r.instance(of["items"].(map[string]any), depth-1))
		}
		return out
	case "string":
		return r.pick("x", "y", "y z", "xy", "", "2024-05-06T07:08:09Z")
	case "integer":
		return r.IntN(5) - 2
	case "number":
		return []float64{0.5, 1, 2, -3}[r.IntN(4)]
	case "boolean":
		return r.IntN(2) == 0
	}
	if r.IntN(2) == 0 {
		return r.pick("x", "y")
	}
	return r.IntN(3)
}
