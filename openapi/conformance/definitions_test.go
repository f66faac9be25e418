package conformance

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
	askindjson "github.com/askind/askind/serializer/json"
	definitionsv1 "github.com/askind/askind/server/apiextensions/v1"
)

var (
	definitionFiles = flag.String("definitions", "", "`folder` of more CustomResourceDefinitions to alter")
	definitionRuns  = flag.Int("alterations", 60, "`number` of alterations of each definition")
)

// TestAlteredDefinitions alters CustomResourceDefinitions at random and checks that both sides
// accept or both refuse the result.
func TestAlteredDefinitions(t *testing.T) {
	t.Parallel()
	judge := newDefinitionJudge(t)
	r := &alteration{Rand: rand.New(rand.NewPCG(7, 8))}
	originals := someDefinitions(t, r)
	accepted, refused := 0, 0
	for _, original := range originals {
		if ours, peer := judge.ours(original), judge.peer(original); ours != "" || peer != "" {
			t.Fatalf("the original\nours %s\npeer %s\n%s", ours, peer, original)
		}
		for range *definitionRuns {
			text := r.altered(t, original)
			ours, peer := judge.ours(text), judge.peer(text)
			switch {
			case strings.Contains(ours, "the storage version must have the subresource"):
				refused++ // by us alone
			case (ours == "") != (peer == ""):
				t.Errorf("ours %.500q\npeer %.200q … %.300q\nafter %q\n%.3000s", ours, peer, peer[max(0, len(peer)-300):],
					r.done, text)
			case ours == "":
				accepted++
			default:
				refused++
			}
		}
	}
	t.Logf("%d definitions were accepted and %d were not", accepted, refused)
	if accepted < 50 || refused < 50 {
		t.Error("too few definitions of one sort")
	}
}

// definitionJudge checks definitions as a server does when they are created.
type definitionJudge struct {
	t       *testing.T
	scheme  *runtime.Scheme
	factory *serializer.Factory
}

func newDefinitionJudge(t *testing.T) *definitionJudge {
	t.Helper()
	scheme, err := runtime.NewScheme(definitionsv1.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	factory, err := serializer.NewFactory(scheme, askindjson.Format())
	if err != nil {
		t.Fatal(err)
	}
	return &definitionJudge{t, scheme, factory}
}

// ours returns why our side refuses a definition, blank if it accepts it.
func (j *definitionJudge) ours(text []byte) string {
	obj, err := j.factory.Decode(text, serializer.DecodeOptions{Default: true})
	if err != nil {
		return err.Error()
	}
	if errs := j.scheme.Validate(j.t.Context(), obj); errs != nil {
		return errs.Error()
	}
	return ""
}

// peer returns why apiextensions-apiserver refuses a definition, blank if it accepts it.
func (j *definitionJudge) peer(text []byte) string {
	var external apiextensionsv1.CustomResourceDefinition
	if err := utiljson.Unmarshal(text, &external); err != nil {
		return err.Error()
	}
	apiextensionsv1.SetDefaults_CustomResourceDefinition(&external)
	apiextensionsv1.SetDefaults_CustomResourceDefinitionSpec(&external.Spec)
	internal := new(apiextensions.CustomResourceDefinition)
	convert := apiextensionsv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition
	if err := convert(&external, internal, nil); err != nil {
		return err.Error()
	}
	internal.Status = apiextensions.CustomResourceDefinitionStatus{}
	for _, v := range external.Spec.Versions {
		if v.Storage { // as a server records it
			internal.Status.StoredVersions = append(internal.Status.StoredVersions, v.Name)
		}
	}
	if len(internal.Status.StoredVersions) > 1 {
		return "several storage versions"
	}
	if err := validation.ValidateCustomResourceDefinition(j.t.Context(), internal).ToAggregate(); err != nil {
		return err.Error()
	}
	return ""
}

// someDefinitions returns definitions as JSON: that of a pod, one with random schemas, and those in
// the folder of the flag.
func someDefinitions(t *testing.T, r *alteration) [][]byte {
	t.Helper()
	written, _ := definitionsOf(t, "-C", "openapi/conformance", "./testdata/pods")
	var out [][]byte
	for _, name := range slices.Sorted(maps.Keys(written)) {
		text, err := json.Marshal(written[name])
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, text)
	}
	for range 10 {
		versions := []any{}
		for _, name := range []string{"v1", "v2"} {
			versions = append(versions, map[string]any{
				"name": name, "served": true, "storage": name == "v1",
				"schema": map[string]any{"openAPIV3Schema": map[string]any{
					"type": "object", "properties": map[string]any{"spec": sample{r.Rand}.structure(4)},
				}},
				"subresources": map[string]any{
					"status": map[string]any{},
					"scale": map[string]any{
						"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas",
					},
				},
				"additionalPrinterColumns": []any{map[string]any{"name": "A", "type": "string", "jsonPath": ".spec.a"}},
			})
		}
		text, err := json.Marshal(map[string]any{
			"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
			"metadata": map[string]any{"name": "things.example.com"},
			"spec": map[string]any{
				"group": "example.com", "scope": "Namespaced", "versions": versions,
				"names": map[string]any{"plural": "things", "kind": "Thing", "shortNames": []any{"th"}},
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, text)
	}
	return append(out, definitionsIn(t, *definitionFiles)...)
}

// definitionsIn returns the definitions in the YAML files of a folder, without rules.
func definitionsIn(t *testing.T, folder string) (out [][]byte) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, document := range bytes.Split(text, []byte("\n---")) {
			var tree any
			if err := yaml.Unmarshal(document, &tree); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if object, ok := tree.(map[string]any); ok && object["kind"] == "CustomResourceDefinition" {
				delete(object["spec"].(map[string]any), "conversion")
				object["metadata"] = map[string]any{
					"name":        object["metadata"].(map[string]any)["name"],
					"annotations": map[string]any{"api-approved.kubernetes.io": "unapproved"}, // for groups of k8s.io
				}
				delete(object, "status")
				encoded, err := json.Marshal(withoutRules(tree))
				if err != nil {
					t.Fatal(err)
				}
				out = append(out, encoded)
			}
		}
	}
	return out
}

// withoutRules removes the rules in CEL, for which our side needs an evaluator.
func withoutRules(tree any) any {
	switch v := tree.(type) {
	case map[string]any:
		delete(v, "x-kubernetes-validations")
		for _, m := range v {
			withoutRules(m)
		}
	case []any:
		for _, e := range v {
			withoutRules(e)
		}
	}
	return tree
}

// alteration alters trees at random.
type alteration struct {
	*rand.Rand
	done []string // what the last alteration did
}

func (r *alteration) did(what ...string) { r.done = append(r.done, strings.Join(what, " ")) }

// altered returns a definition with one to three alterations.
func (r *alteration) altered(t *testing.T, text []byte) []byte {
	t.Helper()
	var tree any
	if err := json.Unmarshal(text, &tree); err != nil {
		t.Fatal(err)
	}
	r.done = nil
	spec := tree.(map[string]any)["spec"].(map[string]any)
	for range 1 + r.IntN(3) {
		versions, _ := spec["versions"].([]any)
		if len(versions) > 0 && r.IntN(8) > 0 {
			if v, ok := versions[r.IntN(len(versions))].(map[string]any); ok && v["schema"] != nil {
				v["schema"] = r.node(v["schema"], "schema", 6)
				continue
			}
		}
		r.node(spec, "spec", 3)
	}
	out, err := json.Marshal(tree)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// node alters something in a tree and returns it. The depth at which it does is random.
func (r *alteration) node(tree any, name string, depth int) any {
	switch v := tree.(type) {
	case map[string]any:
		names := slices.Sorted(maps.Keys(v))
		_, schema := v["type"]
		switch {
		case len(names) == 0 || schema && r.IntN(4) == 0:
			name, value := r.keyword()
			v[name] = value
			r.did("set", name, fmt.Sprint(value))
		case depth == 0 || r.IntN(12) == 0:
			name := names[r.IntN(len(names))]
			delete(v, name)
			r.did("delete", name)
		default:
			name := names[r.IntN(len(names))]
			r.did("in", name)
			v[name] = r.node(v[name], name, depth-r.IntN(2))
		}
		return v
	case []any:
		if len(v) == 0 || r.IntN(6) == 0 {
			return append(v, r.value())
		}
		i := r.IntN(len(v))
		v[i] = r.node(v[i], name, depth-1)
		return v
	case string:
		if name == "type" {
			return r.pick("object", "array", "string", "integer", "number", "boolean", "", "null")
		}
		if name == "jsonPath" || name == "pattern" || strings.HasPrefix(name, "x-") || r.IntN(2) == 0 {
			return v
		}
		return r.pick("", "x", "X", "-", v+"x", "a.b")
	case bool:
		return !v
	}
	return r.value()
}

func (r *alteration) pick(from ...string) string { return from[r.IntN(len(from))] }

func (r *alteration) value() any {
	values := []any{nil, true, 1, -1, "x", map[string]any{}, []any{}, map[string]any{"type": "string"}, 1.5}
	return values[r.IntN(len(values))]
}

// keyword returns a keyword of schemas with a value.
func (r *alteration) keyword() (string, any) {
	types := []any{map[string]any{"type": "integer"}, map[string]any{"type": "string"}}
	part := map[string]any{"properties": map[string]any{"a": map[string]any{"minimum": 1}}}
	required := map[string]any{"required": []any{"a"}}
	keywords := []struct {
		name  string
		value any
	}{
		{"type", "object"},
		{"type", "array"},
		{"nullable", true},
		{"default", map[string]any{}},
		{"default", "x"},
		{"default", 1},
		{"default", []any{}},
		{"items", map[string]any{"type": "string"}},
		{"items", map[string]any{"type": "object"}},
		{"items", []any{map[string]any{"type": "string"}}},
		{"properties", map[string]any{"a": map[string]any{"type": "string"}}},
		{"properties", map[string]any{"a": map[string]any{"type": "object", "nullable": true}}},
		{"properties", map[string]any{"metadata": map[string]any{"type": "object", "default": map[string]any{}}}},
		{"properties", map[string]any{"kind": map[string]any{"type": "integer"}}},
		{"additionalProperties", true},
		{"additionalProperties", false},
		{"additionalProperties", map[string]any{"type": "string"}},
		{"additionalProperties", map[string]any{"minLength": 1}},
		{"uniqueItems", true},
		{"required", []any{"a"}},
		{"required", "a"},
		{"enum", []any{"x"}},
		{"enum", "x"},
		{"minimum", "1"},
		{"minimum", 1.5},
		{"minLength", 1.5},
		{"maxItems", 1},
		{"pattern", "("},
		{"pattern", "^x$"},
		{"format", "date"},
		{"title", "x"},
		{"description", "x"},
		{"id", "x"},
		{"$ref", "#/x"},
		{"$ref", nil},
		{"$schema", "x"},
		{"definitions", map[string]any{"a": map[string]any{"type": "string"}}},
		{"patternProperties", map[string]any{"a": map[string]any{"type": "string"}}},
		{"dependencies", map[string]any{"a": []any{"b"}}},
		{"additionalItems", true},
		{"externalDocs", map[string]any{"url": "x"}},
		{"example", 1},
		{"unknown", 1},
		{"Type", "x"},
		{"allOf", []any{part}},
		{"anyOf", []any{required, part}},
		{"oneOf", []any{required, map[string]any{"type": "string"}}},
		{"not", map[string]any{"items": map[string]any{"minimum": 1}}},
		{"not", map[string]any{"properties": map[string]any{"metadata": map[string]any{}}}},
		{"anyOf", types},
		{"allOf", []any{map[string]any{"anyOf": types}}},
		{"x-kubernetes-int-or-string", true},
		{"x-kubernetes-embedded-resource", true},
		{"x-kubernetes-preserve-unknown-fields", true},
		{"x-kubernetes-preserve-unknown-fields", false},
		{"x-kubernetes-list-type", r.pick("atomic", "set", "map", "bag")},
		{"x-kubernetes-list-map-keys", []any{r.pick("a", "b", "name")}},
		{"x-kubernetes-list-map-keys", []any{"a", "a"}},
		{"x-kubernetes-map-type", r.pick("atomic", "granular", "flat")},
	}
	k := keywords[r.IntN(len(keywords))]
	return k.name, k.value
}
