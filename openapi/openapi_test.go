package openapi_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	v1 "github.com/askind/askind/examples/fleet/api/fleet/v1"
	"github.com/askind/askind/examples/fleet/api/fleet/v1alpha1"
	"github.com/askind/askind/examples/fleet/api/fleet/v1beta1"
	inventoryv1 "github.com/askind/askind/examples/fleet/api/inventory/v1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/openapi"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

var everyVerb = []string{"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"}

// fleet returns the API of the example with every verb.
func fleet(tb testing.TB) (*runtime.Scheme, []openapi.Resource) {
	tb.Helper()
	scheme, err := runtime.NewScheme(v1.AddTo, v1beta1.AddTo, v1alpha1.AddTo, inventoryv1.AddTo, metav1.AddTo,
		metav1.AddCoreTo)
	if err != nil {
		tb.Fatal(err)
	}
	scale, err := scheme.Kind(schema.GroupVersionKind{Group: "meta.k8s.io", Version: "v1", Kind: "Scale"})
	if err != nil {
		tb.Fatal(err)
	}
	var out []openapi.Resource
	for _, gv := range []schema.GroupVersion{
		v1.GroupVersion, v1beta1.GroupVersion, v1alpha1.GroupVersion,
		inventoryv1.GroupVersion,
	} {
		for k := range scheme.Kinds() {
			if k.GroupVersion() != gv || k.IsList() || k.ListKind() == nil || k.Info().Shared {
				continue
			}
			r := openapi.Resource{
				Kind: k, Verbs: everyVerb,
				Subresources: []openapi.Subresource{{
					Name: "status", Kind: k,
					Verbs: []string{"get", "update", "patch"},
				}},
			}
			if k.Name() == "MachinePool" {
				r.Subresources = append(r.Subresources, openapi.Subresource{
					Name: "scale", Kind: scale,
					Verbs: []string{"get", "update", "patch"},
				})
			}
			out = append(out, r)
		}
	}
	return scheme, out
}

func decode(t *testing.T, d *openapi.Document, err error) map[string]any {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	if err := json.Unmarshal(d.Bytes(), &out); err != nil {
		t.Fatalf("%v in %s", err, d.Bytes())
	}
	return out
}

// at returns the value at a path of member names.
func at(t *testing.T, v any, names ...string) any {
	t.Helper()
	for i, name := range names {
		m, ok := v.(map[string]any)
		if !ok || m[name] == nil {
			t.Fatalf("no %s in %v", strings.Join(names[:i+1], " / "), v)
		}
		v = m[name]
	}
	return v
}

func TestEveryReferenceHasATarget(t *testing.T) {
	t.Parallel()
	scheme, resources := fleet(t)
	set := openapi.New(openapi.Config{}, scheme, resources...)
	check := func(t *testing.T, doc map[string]any, prefix string, targets map[string]any) {
		t.Helper()
		n := 0
		var walk func(v any)
		walk = func(v any) {
			switch v := v.(type) {
			case map[string]any:
				for name, below := range v {
					if ref, ok := below.(string); ok && name == "$ref" {
						n++
						target, ok := strings.CutPrefix(ref, prefix)
						if !ok || targets[target] == nil {
							t.Errorf("there is nothing at %s", ref)
						}
					}
					walk(below)
				}
			case []any:
				for _, below := range v {
					walk(below)
				}
			}
		}
		walk(doc)
		if n < 50 {
			t.Errorf("only %d references", n)
		}
	}
	for _, path := range set.Paths() {
		d, err := set.V3(path)
		doc := decode(t, d, err)
		check(t, doc, "#/components/schemas/", at(t, doc, "components", "schemas").(map[string]any))
		d, err = set.Swagger("2.0", path)
		doc = decode(t, d, err)
		check(t, doc, "#/definitions/", at(t, doc, "definitions").(map[string]any))
	}
}

func TestPathsAndVerbs(t *testing.T) {
	t.Parallel()
	scheme, resources := fleet(t)
	set := openapi.New(openapi.Config{}, scheme, resources...)
	d, err := set.V3("apis/fleet.example.com/v1")
	doc := decode(t, d, err)
	paths := at(t, doc, "paths").(map[string]any)
	const root = "/apis/fleet.example.com/v1/"
	want := map[string]string{
		root:                                     "get",
		root + "machines":                        "get",
		root + "machinepools":                    "get",
		root + "namespaces/{namespace}/machines": "delete get post",
		root + "namespaces/{namespace}/machines/{name}":            "delete get patch put",
		root + "namespaces/{namespace}/machines/{name}/status":     "get patch put",
		root + "namespaces/{namespace}/machinepools":               "delete get post",
		root + "namespaces/{namespace}/machinepools/{name}":        "delete get patch put",
		root + "namespaces/{namespace}/machinepools/{name}/status": "get patch put",
		root + "namespaces/{namespace}/machinepools/{name}/scale":  "get patch put",
	}
	ids := map[string]bool{}
	for path, item := range paths {
		var methods []string
		for method, o := range item.(map[string]any) {
			if method == "parameters" {
				continue
			}
			methods = append(methods, method)
			id := at(t, o, "operationId").(string)
			if ids[id] {
				t.Errorf("two operations are called %s", id)
			}
			ids[id] = true
		}
		slices.Sort(methods)
		if got := strings.Join(methods, " "); got != want[path] {
			t.Errorf("%s has %s, want %q", path, got, want[path])
		}
		delete(want, path)
	}
	for path := range want {
		t.Errorf("there is no %s", path)
	}
}

// TestWhatKubectlReads checks the parts that kubectl reads: the kinds of schemas and operations,
// and the parameter fieldValidation and the media types of a patch.
func TestWhatKubectlReads(t *testing.T) {
	t.Parallel()
	scheme, resources := fleet(t)
	set := openapi.New(openapi.Config{}, scheme, resources...)
	d, err := set.V3("apis/fleet.example.com/v1")
	doc := decode(t, d, err)
	machine := map[string]any{"group": "fleet.example.com", "version": "v1", "kind": "Machine"}
	equal := func(name string, got, want any) {
		t.Helper()
		a, _ := json.Marshal(got)
		b, _ := json.Marshal(want)
		if !bytes.Equal(a, b) {
			t.Errorf("%s is %s, want %s", name, a, b)
		}
	}
	schemas := at(t, doc, "components", "schemas").(map[string]any)
	equal("the kind of the schema", at(t, schemas, "com.example.fleet.v1.Machine", "x-kubernetes-group-version-kind"),
		[]any{machine})
	patch := at(t, doc, "paths", "/apis/fleet.example.com/v1/namespaces/{namespace}/machines/{name}", "patch")
	equal("the kind of the patch", at(t, patch, "x-kubernetes-group-version-kind"), machine)
	equal("the action", at(t, patch, "x-kubernetes-action"), "patch")
	if text, _ := json.Marshal(at(t, patch, "parameters")); !bytes.Contains(text, []byte(`"name":"fieldValidation"`)) {
		t.Errorf("a patch has no parameter fieldValidation: %s", text)
	}
	for _, mediaType := range []string{
		"application/apply-patch+yaml", "application/json-patch+json",
		"application/merge-patch+json", "application/strategic-merge-patch+json",
	} {
		at(t, patch, "requestBody", "content", mediaType, "schema", "$ref")
	}
	scale := at(t, doc, "paths", "/apis/fleet.example.com/v1/namespaces/{namespace}/machinepools/{name}/scale", "get")
	equal("what a scale is", at(t, scale, "responses", "200", "content", "application/json", "schema", "$ref"),
		"#/components/schemas/io.k8s.api.autoscaling.v1.Scale")
	for _, name := range []string{
		"ObjectMeta", "ListMeta", "Status", "DeleteOptions", "Patch", "WatchEvent",
		"APIResourceList",
	} {
		at(t, schemas, "io.k8s.apimachinery.pkg.apis.meta.v1."+name)
	}
	owners := at(t, schemas, "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta", "properties", "ownerReferences")
	equal("the key of owners", at(t, owners, "x-kubernetes-patch-merge-key"), "uid")
	equal("the strategy of owners", at(t, owners, "x-kubernetes-patch-strategy"), "merge")
	equal("the list type of owners", at(t, owners, "x-kubernetes-list-type"), "map")
	equal("the list keys of owners", at(t, owners, "x-kubernetes-list-map-keys"), []any{"uid"})
}

func TestRepresentations(t *testing.T) {
	t.Parallel()
	scheme, resources := fleet(t)
	machine, table := resources[0], schema.GroupVersionKind{Group: "meta.k8s.io", Version: "v1", Kind: "Table"}
	machine.Produces = func(verb string) []openapi.Media {
		return []openapi.Media{
			{Type: "application/json"},
			{Type: "application/json;g=meta.k8s.io;v=v1;as=Table", Target: table},
			{Type: "text/csv", Target: table},
			{Type: "application/json;g=unknown;v=v1;as=Unknown", Target: schema.GroupVersionKind{
				Group:   "unknown",
				Version: "v1", Kind: "Unknown",
			}},
		}
	}
	set := openapi.New(openapi.Config{}, scheme, machine)
	path := set.Paths()[0]
	d, err := set.V3(path)
	doc := decode(t, d, err)
	item := "/" + path + "/namespaces/{namespace}/" + machine.Kind.Info().Resource + "/{name}"
	content := at(t, doc, "paths", item, "get", "responses", "200", "content").(map[string]any)
	if ref := at(t, content, "application/json;g=meta.k8s.io;v=v1;as=Table", "schema",
		"$ref"); ref != "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.Table" {
		t.Errorf("a table is %s", ref)
	}
	if typ := at(t, content, "text/csv", "schema", "type"); typ != "string" || len(content) != 3 {
		t.Errorf("the media types are %v", content)
	}
	d, err = set.Swagger("2.0", path)
	produces := at(t, decode(t, d, err), "paths", item, "get", "produces").([]any)
	if !slices.Contains(produces, any("application/json;g=meta.k8s.io;v=v1;as=Table")) {
		t.Errorf("produces is %v", produces)
	}
}

func TestIndexHasTheHashes(t *testing.T) {
	t.Parallel()
	scheme, resources := fleet(t)
	set := openapi.New(openapi.Config{Path: "/docs/v3/"}, scheme, resources...)
	d, err := set.Index()
	paths := at(t, decode(t, d, err), "paths").(map[string]any)
	if len(paths) != len(set.Paths()) || len(paths) != 4 {
		t.Errorf("the index has %v", paths)
	}
	for _, path := range set.Paths() {
		v3, err := set.V3(path)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := at(t, paths, path, "serverRelativeURL"), "/docs/v3/"+path+"?hash="+v3.Hash(); got != want {
			t.Errorf("the URL is %s, want %s", got, want)
		}
		if v3.ETag() != `"`+v3.Hash()+`"` || len(v3.Hash()) != 128 {
			t.Errorf("the tag is %s", v3.ETag())
		}
		z, err := gzip.NewReader(bytes.NewReader(v3.Gzip()))
		if err != nil {
			t.Fatal(err)
		}
		if text, err := io.ReadAll(z); err != nil || !bytes.Equal(text, v3.Bytes()) {
			t.Errorf("the compressed form differs, %v", err)
		}
	}
	again := openapi.New(openapi.Config{Path: "/docs/v3/"}, scheme, resources...)
	if other, err := again.Index(); err != nil || other.Hash() != d.Hash() {
		t.Errorf("the same resources have another index: %v", err)
	}
}

func TestNotServed(t *testing.T) {
	t.Parallel()
	scheme, resources := fleet(t)
	set := openapi.New(openapi.Config{}, scheme, resources...)
	for name, get := range map[string]func() (*openapi.Document, error){
		"another group": func() (*openapi.Document, error) { return set.V3("apis/other/v1") },
		"another version": func() (*openapi.Document,
			error,
		) {
			return set.Swagger("2.0", "apis/fleet.example.com/v9")
		},
		"another version of docs": func() (*openapi.Document,
			error,
		) {
			return set.Swagger("1.2", "apis/fleet.example.com/v1")
		},
	} {
		if _, err := get(); !errors.Is(err, openapi.ErrNotServed) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestKindWithoutSchema checks that a kind without a generated schema is described as an object
// with any content.
func TestKindWithoutSchema(t *testing.T) {
	t.Parallel()
	type thing struct{}
	scheme, err := runtime.NewScheme(func(b *runtime.Builder) {
		runtime.AddKind(b, &runtime.KindSpec[thing]{GroupVersionKind: schema.GroupVersionKind{
			Group:   "a.b",
			Version: "v1", Kind: "Thing",
		}, Resource: "things", Scope: runtime.Cluster})
	})
	if err != nil {
		t.Fatal(err)
	}
	k, err := scheme.Kind(schema.GroupVersionKind{Group: "a.b", Version: "v1", Kind: "Thing"})
	if err != nil {
		t.Fatal(err)
	}
	set := openapi.New(openapi.Config{}, scheme, openapi.Resource{Kind: k, Verbs: []string{"get"}, Prefix: "oapi"})
	d, err := set.V3("oapi/a.b/v1")
	doc := decode(t, d, err)
	at(t, doc, "components", "schemas", "b.a.v1.Thing", "x-kubernetes-group-version-kind")
	at(t, doc, "paths", "/oapi/a.b/v1/things/{name}", "get")
	if name, all, err := openapi.Definitions(k); !errors.Is(err, openapi.ErrNotServed) {
		t.Errorf("got %q, %d schemas, %v", name, len(all), err)
	}
}

// TestDefinitions checks that the schemas of a kind are those that it refers to, directly or not,
// and no others.
func TestDefinitions(t *testing.T) {
	t.Parallel()
	scheme, _ := fleet(t)
	tried := 0
	for k := range scheme.Kinds() {
		if k.Info().Schemas == nil {
			continue
		}
		name, all, err := openapi.Definitions(k)
		if err != nil || name != k.Info().SchemaName {
			t.Errorf("%s: got %q, %v", k, name, err)
			continue
		}
		needed := map[string]bool{}
		var need func(string)
		need = func(name string) {
			if needed[name] {
				return
			}
			needed[name] = true
			for _, ref := range references(t, all[name]) {
				need(ref)
			}
		}
		need(name)
		if got, want := slices.Sorted(maps.Keys(all)), slices.Sorted(maps.Keys(needed)); !slices.Equal(got, want) {
			t.Errorf("%s: got the schemas %q\nwant %q", k, got, want)
		}
		tried++
	}
	if tried < 10 {
		t.Errorf("only %d kinds have a schema", tried)
	}
}

// references returns the names of the schemas to which a schema refers.
func references(t *testing.T, text []byte) (out []string) {
	t.Helper()
	var tree any
	if err := json.Unmarshal(text, &tree); err != nil {
		t.Fatalf("%v in %q", err, text)
	}
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			if ref, ok := v["$ref"].(string); ok {
				name, ok := strings.CutPrefix(ref, "#/components/schemas/")
				if !ok {
					t.Errorf("the reference %s is of another form", ref)
				}
				out = append(out, name)
			}
			for _, below := range v {
				walk(below)
			}
		case []any:
			for _, below := range v {
				walk(below)
			}
		}
	}
	walk(tree)
	return out
}

func BenchmarkColdDocuments(b *testing.B) {
	scheme, resources := fleet(b)
	for b.Loop() {
		set := openapi.New(openapi.Config{}, scheme, resources...)
		if _, err := set.Index(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkColdV2(b *testing.B) {
	scheme, resources := fleet(b)
	for b.Loop() {
		set := openapi.New(openapi.Config{}, scheme, resources...)
		if _, err := set.V2(); err != nil {
			b.Fatal(err)
		}
	}
}
