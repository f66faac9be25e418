package server_test

import (
	"bytes"
	_ "embed"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/askind/askind/meta/dynamic"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/server"
)

//go:embed testdata/boats.yaml
var boatsYAML []byte

const (
	boats     = "/apis/harbor.example.com/v1/namespaces/east/boats"
	boatsBeta = "/apis/harbor.example.com/v1beta1/namespaces/east/boats"
)

// withBoats returns a server with the kind of boats.yaml installed.
func withBoats(t testing.TB, o ...server.Option) (*server.Server, *dynamic.Resource) {
	t.Helper()
	s := newServer(t, o...)
	read, err := s.ReadCRDs("boats.yaml", boatsYAML)
	if err != nil {
		t.Fatal(err)
	}
	if len(read) != 1 {
		t.Fatalf("got %d definitions", len(read))
	}
	if err := s.Install(read[0].AddTo); err != nil {
		t.Fatal(err)
	}
	return s, read[0]
}

func boat(name string) string {
	return `{"apiVersion":"harbor.example.com/v1","kind":"Boat","metadata":{"name":"` + name + `","labels":{"dock":"1"}},` +
		`"spec":{"color":"red","crew":3,"ports":["a","b"],"extra":{"metadata":7}},"status":{"crew":9}}`
}

func TestDynamicObjects(t *testing.T) {
	t.Parallel()
	s, _ := withBoats(t)
	run(t, s, boats, []step{
		{name: "create", method: "POST", body: boat("a"), code: http.StatusCreated, want: []string{
			`"color":"red"`, `"extra":{"metadata":7}`, `"generation":1`, `"uid":`, `"resourceVersion":`,
		}, not: []string{`"status":{`}},
		{
			name: "create in YAML", method: "POST", headers: []string{"Content-Type: application/yaml"}, body: "metadata: {name: b}\nspec: {color: blue}\n",
			code: http.StatusCreated, want: []string{`"kind":"Boat"`, `"apiVersion":"harbor.example.com/v1"`},
		},
		{name: "again", method: "POST", body: boat("a"), code: http.StatusConflict},
		{
			name: "a bad label", method: "POST", body: `{"metadata":{"name":"c","labels":{"a":"?"}}}`,
			code: http.StatusUnprocessableEntity,
		},
		{
			name: "an unknown member of the metadata", method: "POST", path: "?fieldValidation=Strict",
			body: `{"metadata":{"name":"c","nmae":"d"}}`, code: http.StatusBadRequest, want: []string{"nmae"},
		},
		{name: "get", method: "GET", path: "a", code: http.StatusOK, want: []string{`"crew":3`}},
		{name: "list", method: "GET", code: http.StatusOK, want: []string{
			`"kind":"BoatList"`, `"items":[`, `"name":"a"`, `"name":"b"`,
		}},
		{
			name: "by a field", method: "GET", path: "?fieldSelector=spec.color%3Dblue", code: http.StatusOK,
			want: []string{`"name":"b"`}, not: []string{`"name":"a"`},
		},
		{
			name: "by a label", method: "GET", path: "?labelSelector=dock%3D1", code: http.StatusOK,
			want: []string{`"name":"a"`}, not: []string{`"name":"b"`},
		},
		{name: "by another field", method: "GET", path: "?fieldSelector=spec.crew%3D3", code: http.StatusBadRequest},
		{name: "YAML", method: "GET", path: "a", headers: []string{"Accept: application/yaml"}, code: http.StatusOK, want: []string{"color: red"}},
		{name: "CBOR", method: "GET", path: "a", headers: []string{"Accept: application/cbor"}, code: http.StatusOK, want: []string{"color"}},
		{
			name: "protobuf", method: "GET", path: "a", headers: []string{"Accept: application/vnd.kubernetes.protobuf"},
			code: http.StatusNotAcceptable,
		},
		{
			name: "protobuf or JSON", method: "GET", path: "a",
			headers: []string{"Accept: application/vnd.kubernetes.protobuf,application/json"}, code: http.StatusOK, want: []string{`"crew":3`},
		},
		{
			name: "metadata in protobuf", method: "GET", path: "a",
			headers: []string{"Accept: application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"}, code: http.StatusOK,
			want: []string{"k8s\x00"},
		},
		{
			name: "metadata", method: "GET", headers: []string{"Accept: application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"},
			code: http.StatusOK, want: []string{`"kind":"PartialObjectMetadataList"`, `"dock":"1"`}, not: []string{"color"},
		},
		{
			name: "table", method: "GET", headers: []string{"Accept: application/json;as=Table;g=meta.k8s.io;v=v1"}, code: http.StatusOK,
			want: []string{`"name":"Crew"`, `"cells":["a",3,null,`, `"cells":["b",null,null,`},
		},
		{
			name: "text", method: "GET", headers: []string{"Accept: text/plain"}, code: http.StatusOK,
			want: []string{"CREW", "READY"},
		},
		{
			name: "the other version", method: "GET", path: boatsBeta + "/a", code: http.StatusOK,
			want: []string{
				`"apiVersion":"harbor.example.com/v1beta1"`, `"crew":3`, `"harbor.example.com/v1beta1 Boat is deprecated"`,
			},
		},
		{
			name: "lists of the other version", method: "GET", path: boatsBeta, code: http.StatusOK,
			want: []string{`"apiVersion":"harbor.example.com/v1beta1"`}, not: []string{`harbor.example.com/v1"`},
		},
		{
			name: "update", method: "PUT", path: "b", body: `{"metadata":{"name":"b"},"spec":{"color":"green"}}`,
			code: http.StatusOK, want: []string{`"generation":2`, `"color":"green"`},
		},
		{name: "delete", method: "DELETE", path: "b", code: http.StatusOK},
		{name: "gone", method: "GET", path: "b", code: http.StatusNotFound},
	})
}

// TestDynamicScaleOfVersions checks that a size is where the version of the request has it.
func TestDynamicScaleOfVersions(t *testing.T) {
	t.Parallel()
	schema := []byte(`{"type":"object","x-kubernetes-preserve-unknown-fields":true}`)
	r, err := dynamic.New(dynamic.Definition{
		Group: "harbor.example.com", Kind: "Crane", Resource: "cranes", Versions: []dynamic.Version{
			{
				Name: "v1", Storage: true, Schema: schema,
				Scale: &dynamic.Scale{SpecReplicas: ".spec.replicas", StatusReplicas: ".status.replicas"},
			},
			{
				Name: "v2", Schema: schema,
				Scale: &dynamic.Scale{SpecReplicas: ".spec.size", StatusReplicas: ".status.size"},
			},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	s := newServer(t)
	if err := s.Install(r.AddTo); err != nil {
		t.Fatal(err)
	}
	const (
		v1 = "/apis/harbor.example.com/v1/namespaces/east/cranes"
		v2 = "/apis/harbor.example.com/v2/namespaces/east/cranes"
	)
	merge := []string{"Content-Type: application/merge-patch+json"}
	apply := []string{"Content-Type: application/apply-patch+yaml"}
	size := func(n int) string {
		return fmt.Sprintf(`{"kind":"Scale","apiVersion":"autoscaling/v1","spec":{"replicas":%d}}`, n)
	}
	run(t, s, v2, []step{
		{
			method: "POST", body: `{"metadata":{"name":"a"},"spec":{"replicas":1,"size":2},"status":{"size":7}}`,
			code: http.StatusCreated,
		},
		{
			name: "get", method: "GET", path: "a/scale", code: http.StatusOK,
			want: []string{`"replicas":2}`, `"replicas":7}`},
		},
		{
			name: "the other", method: "GET", path: v1 + "/a/scale", code: http.StatusOK,
			want: []string{`"replicas":1}`},
		},
		{
			name: "put", method: "PUT", path: "a/scale", body: size(3), code: http.StatusOK,
			want: []string{`"replicas":3}`},
		},
		{
			name: "patch", method: "PATCH", path: "a/scale", headers: merge, body: size(4), code: http.StatusOK,
			want: []string{`"replicas":4}`},
		},
		{
			name: "apply", method: "PATCH", path: "a/scale?fieldManager=m&force=true", headers: apply, body: size(5),
			code: http.StatusOK, want: []string{`"replicas":5}`},
		},
		{
			name: "the object", method: "GET", path: v1 + "/a", code: http.StatusOK,
			want: []string{`"replicas":1,"size":5`},
		},
	})
}

func TestDynamicPatches(t *testing.T) {
	t.Parallel()
	s, _ := withBoats(t)
	run(t, s, boats, []step{
		{name: "create", method: "POST", body: boat("a"), code: http.StatusCreated},
		{
			name: "merge", method: "PATCH", path: "a", headers: []string{"Content-Type: application/merge-patch+json"},
			body: `{"spec":{"color":"blue","extra":null}}`, code: http.StatusOK,
			want: []string{`"color":"blue"`, `"generation":2`}, not: []string{"extra"},
		},
		{
			name: "JSON patch", method: "PATCH", path: "a", headers: []string{"Content-Type: application/json-patch+json"},
			body: `[{"op":"test","path":"/spec/crew","value":3},{"op":"add","path":"/spec/ports/-","value":"c"}]`,
			code: http.StatusOK, want: []string{`["a","b","c"]`},
		},
		{
			name: "strategic", method: "PATCH", path: "a", headers: []string{"Content-Type: application/strategic-merge-patch+json"},
			body: `{"spec":{}}`, code: http.StatusUnsupportedMediaType, want: []string{"application/merge-patch+json"},
		},
		{
			name: "the status is not written here", method: "PATCH", path: "a", headers: []string{"Content-Type: application/merge-patch+json"},
			body: `{"status":{"crew":2}}`, code: http.StatusOK, not: []string{`"status":{`},
		},
		{
			name: "but there", method: "PATCH", path: "a/status", headers: []string{"Content-Type: application/merge-patch+json"},
			body: `{"spec":{"crew":100},"status":{"crew":2,"selector":"x=y","conditions":[{"type":"Old","status":"False"},{"type":"Ready","status":"True"}]}}`,
			code: http.StatusOK, want: []string{`"crew":3`, `"crew":2`, `"generation":3`},
		},
		{
			name: "put the status", method: "PUT", path: "a/status",
			body: `{"metadata":{"name":"a"},"status":{"crew":4,"conditions":[{"type":"Ready","status":"True"}]}}`,
			code: http.StatusOK, want: []string{`"status":{"conditions"`, `"color":"blue"`},
		},
		{
			name: "columns of conditions", method: "GET", headers: []string{"Accept: application/json;as=Table;g=meta.k8s.io;v=v1"},
			code: http.StatusOK, want: []string{`"cells":["a",3,"True",`},
		},
		{
			name: "scale", method: "GET", path: "a/scale", code: http.StatusOK,
			want: []string{`"kind":"Scale"`, `"spec":{"replicas":3}`, `"status":{"replicas":4}`},
		},
		{
			name: "scale up", method: "PATCH", path: "a/scale", headers: []string{"Content-Type: application/merge-patch+json"},
			body: `{"spec":{"replicas":5}}`, code: http.StatusOK, want: []string{`"replicas":5`},
		},
		{
			name: "apply a size", method: "PATCH", path: "a/scale?fieldManager=scaler", headers: []string{"Content-Type: application/apply-patch+yaml"},
			body: `{"spec":{"replicas":5}}`, code: http.StatusOK, want: []string{`"replicas":5`},
		},
		{
			name: "it is in the object", method: "GET", path: "a", code: http.StatusOK,
			want: []string{`"crew":5`, `"f:crew":{}`},
		},
		{
			name: "apply", method: "PATCH", path: "a?fieldManager=one&force=true", headers: []string{"Content-Type: application/apply-patch+yaml"},
			body: "apiVersion: harbor.example.com/v1\nkind: Boat\nmetadata: {name: a}\nspec: {color: white, ports: [z]}\n",
			code: http.StatusOK, want: []string{`"color":"white"`, `["z"]`, `"manager":"one"`, `"crew":5`},
		},
		{
			name: "a conflict", method: "PATCH", path: "a?fieldManager=two", headers: []string{"Content-Type: application/apply-patch+yaml"},
			body: "apiVersion: harbor.example.com/v1\nkind: Boat\nmetadata: {name: a}\nspec: {color: black}\n",
			code: http.StatusConflict, want: []string{"FieldManagerConflict", ".spec.color"},
		},
		{
			name: "what is applied no more goes", method: "PATCH", path: "a?fieldManager=one",
			headers: []string{"Content-Type: application/apply-patch+yaml"},
			body:    "apiVersion: harbor.example.com/v1\nkind: Boat\nmetadata: {name: a}\nspec: {ports: [z]}\n",
			code:    http.StatusOK, not: []string{"color\":\"white"},
		},
		{
			name: "apply creates", method: "PATCH", path: "new?fieldManager=one", headers: []string{"Content-Type: application/apply-patch+yaml"},
			body: "apiVersion: harbor.example.com/v1\nkind: Boat\nmetadata: {name: new}\n" +
				"spec: {flags: [a], sails: [{name: fore, area: 10}]}\n", code: http.StatusCreated,
		},
		{
			name: "lists merge as the schema states", method: "PATCH", path: "new?fieldManager=two",
			headers: []string{"Content-Type: application/apply-patch+yaml"},
			body: "apiVersion: harbor.example.com/v1\nkind: Boat\nmetadata: {name: new}\n" +
				"spec: {flags: [b], sails: [{name: main, area: 30}]}\n",
			code: http.StatusOK, want: []string{
				`"flags":["a","b"]`, `"sails":[{"area":10,"name":"fore"},{"area":30,"name":"main"}]`,
			},
		},
		{
			name: "a conflict in an element", method: "PATCH", path: "new?fieldManager=two",
			headers: []string{"Content-Type: application/apply-patch+yaml"},
			body: "apiVersion: harbor.example.com/v1\nkind: Boat\nmetadata: {name: new}\n" +
				"spec: {sails: [{name: fore, area: 30}]}\n",
			code: http.StatusConflict, want: []string{`.spec.sails[name=\"fore\"].area`},
		},
		{
			name: "strategic merge patches stay refused", method: "PATCH", path: "new",
			headers: []string{"Content-Type: application/strategic-merge-patch+json"}, body: `{}`,
			code: http.StatusUnsupportedMediaType,
		},
	})
}

// TestDynamicWithoutSize reads and writes the size of objects that have none. That is no failure of
// the server.
func TestDynamicWithoutSize(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	s, _ := withBoats(t, server.Log(slog.New(slog.NewTextHandler(&log, nil))))
	merge := []string{"Content-Type: application/merge-patch+json"}
	missing := []string{"InternalError", "the object has no size: it has no .spec.crew"}
	var steps []step
	for _, name := range []string{"a", "b"} {
		steps = append(steps, step{
			name: "create", method: "POST", body: `{"metadata":{"name":"` + name + `"},"spec":{"color":"red"}}`,
			code: http.StatusCreated,
		})
	}
	run(t, s, boats, append(steps,
		step{name: "get", method: "GET", path: "a/scale", code: http.StatusInternalServerError, want: missing},
		step{
			name: "a patch without a size", method: "PATCH", path: "a/scale", headers: merge, body: `{"spec":{}}`,
			code: http.StatusBadRequest, want: []string{"spec.replicas"},
		},
		step{
			name: "a patch", method: "PATCH", path: "a/scale", headers: merge, body: `{"spec":{"replicas":0}}`,
			code: http.StatusOK, want: []string{`"kind":"Scale"`},
		},
		step{name: "it has one now", method: "GET", path: "a/scale", code: http.StatusOK},
		step{
			name: "an update", method: "PUT", path: "b/scale", body: `{"metadata":{"name":"b"},"spec":{"replicas":2}}`,
			code: http.StatusOK, want: []string{`"spec":{"replicas":2}`},
		},
		step{
			name: "an update for another version", method: "PUT", path: "b/scale",
			body: `{"metadata":{"name":"b","resourceVersion":"1"},"spec":{"replicas":3}}`, code: http.StatusConflict,
		},
		step{
			name: "a patch for another object", method: "PATCH", path: "a/scale", headers: merge,
			body: `{"metadata":{"uid":"other"},"spec":{"replicas":3}}`, code: http.StatusConflict,
		},
		step{name: "in the object", method: "GET", path: "a", code: http.StatusOK, want: []string{`"crew":0`}},
	))
	if err := s.Close(); err != nil { // nothing is logged after that
		t.Error(err)
	}
	if strings.Contains(log.String(), "level=ERROR") {
		t.Errorf("the log has %s", &log)
	}
}

func TestDynamicDiscovery(t *testing.T) {
	t.Parallel()
	s, r := withBoats(t)
	run(t, s, "/apis/harbor.example.com", []step{
		{name: "group", method: "GET", code: http.StatusOK, want: []string{"v1beta1"}},
		{name: "resources", method: "GET", path: "v1", code: http.StatusOK, want: []string{
			`"name":"boats"`, `"name":"boats/status"`, `"name":"boats/scale"`, `"shortNames":["bt"]`,
			`"categories":["all"]`,
		}},
		{
			name: "Groups", method: "GET", path: "/apis/discovery.k8s.io/v1alpha1/groups/harbor.example.com",
			code: http.StatusOK, want: []string{`"kind":"Boat"`},
		},
		{
			name: "OpenAPI", method: "GET", path: "/openapi/v3/apis/harbor.example.com/v1", code: http.StatusOK,
			want: []string{"The color of the hull.", "com.example.harbor.v1.Boat", "com.example.harbor.v1.BoatList"},
		},
		{
			name: "OpenAPI 2.0", method: "GET", path: "/openapi/v2", code: http.StatusOK,
			want: []string{"The color of the hull."},
		},
	})
	groups := watch(t, s, "/apis/discovery.k8s.io/v1alpha1/groups?watch=true&fieldSelector=metadata.name%3Dharbor.example.com")
	groups.expect("ADDED harbor.example.com")
	objects := watch(t, s, boats+"?watch=true")
	run(t, s, boats, []step{{name: "create", method: "POST", body: boat("a"), code: http.StatusCreated}})
	objects.expect("ADDED a")
	if err := s.RemoveKinds(r.GroupKind()); err != nil {
		t.Fatal(err)
	}
	groups.expect("DELETED harbor.example.com")
	run(t, s, boats, []step{{name: "gone", method: "GET", code: http.StatusNotFound}})
	if err := s.RemoveKinds(r.GroupKind()); err == nil || !strings.Contains(err.Error(), "Boat") {
		t.Errorf("removed twice: %v", err)
	}
	if err := s.Install(r.AddTo); err != nil {
		t.Fatal(err)
	}
	run(t, s, boats, []step{{name: "there again", method: "GET", path: "a", code: http.StatusOK}})
}

// ducks returns the definition of a kind in a group of its own.
func ducks(i int) dynamic.Definition {
	return dynamic.Definition{
		Group: fmt.Sprintf("g%d.example.com", i), Kind: "Duck", Resource: "ducks",
		Versions: []dynamic.Version{{Name: "v1", Storage: true, Status: true, Schema: []byte(
			`{"type":"object","properties":{"spec":{"type":"object","properties":{"size":{"type":"integer"}}}}}`)}},
	}
}

func TestRemoveKindsKeepsOthers(t *testing.T) {
	t.Parallel()
	s, r := withBoats(t)
	d := ducks(0)
	d.Group = "harbor.example.com"
	duck, err := dynamic.New(d)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Install(duck.AddTo); err != nil {
		t.Fatal(err)
	}
	if err := s.RemoveKinds(r.GroupKind()); err != nil {
		t.Fatal(err)
	}
	run(t, s, "/apis/harbor.example.com/v1", []step{
		{
			name: "the other kind stays", method: "GET", code: http.StatusOK, want: []string{"ducks"},
			not: []string{"boats"},
		},
		{name: "and works", method: "GET", path: "ducks", code: http.StatusOK},
	})
	if err := s.RemoveKinds(schema.GroupKind{Group: "harbor.example.com", Kind: "Duck"}); err != nil {
		t.Fatal(err)
	}
	run(t, s, "/apis/harbor.example.com", []step{{name: "the group is gone", method: "GET", code: http.StatusNotFound}})
}

// TestDynamicNames serves kinds whose names have a meaning elsewhere: that of errors, of lists, and
// kinds of Kubernetes that share the API groups of Group and Scale. It refuses the name under which
// replicas keep what they tell each other.
func TestDynamicNames(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	for _, d := range []dynamic.Definition{
		{Group: "status.example.com", Kind: "Status", Resource: "status"},
		{Group: "apis", Kind: "Table", Resource: "groups"},
		{Group: "namespaces", Kind: "ThingList", Resource: "namespaces"},
		{Group: "discovery.k8s.io", Kind: "EndpointSlice", Resource: "endpointslices"},
		{Group: "autoscaling", Kind: "HorizontalPodAutoscaler", Resource: "horizontalpodautoscalers"},
	} {
		d.Versions = []dynamic.Version{{Name: "v1", Storage: true}}
		r, err := dynamic.New(d)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Install(r.AddTo); err != nil {
			t.Fatal(err)
		}
		object := fmt.Sprintf(`{"apiVersion":"%s/v1","kind":%q,"metadata":{"name":"a"}}`, d.Group, d.Kind)
		run(t, s, fmt.Sprintf("/apis/%s/v1/namespaces/x/%s", d.Group, d.Resource), []step{
			{name: "create", method: "POST", body: object, code: http.StatusCreated, want: []string{`"uid"`}},
			{name: "get", method: "GET", path: "a", code: http.StatusOK, want: []string{`"kind":"` + d.Kind + `"`}},
			{name: "list", method: "GET", code: http.StatusOK, want: []string{`"kind":"` + d.Kind + `List"`}},
			{
				name: "table", method: "GET", code: http.StatusOK, want: []string{`"apiVersion":"meta.k8s.io/v1"`},
				headers: []string{"Accept: application/json;as=Table;g=meta.k8s.io;v=v1"},
			},
			{
				name: "an error", method: "GET", path: "b", code: http.StatusNotFound,
				want: []string{`"apiVersion":"v1"`},
			},
			{
				name: "delete", method: "DELETE", path: "a", code: http.StatusOK,
				want: []string{`"apiVersion":"v1"`, `"status":"Success"`},
			},
		})
	}
	r, err := dynamic.New(dynamic.Definition{
		Group: "discovery.k8s.io", Kind: "Server", Resource: "servers",
		Versions: []dynamic.Version{{Name: "v1", Storage: true}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Install(r.AddTo); err == nil || !strings.Contains(err.Error(), "cannot be served as servers") {
		t.Errorf("servers.discovery.k8s.io: %v", err)
	}
}

func BenchmarkInstallDynamic(b *testing.B) {
	var add []func(*runtime.Builder)
	for b.Loop() {
		b.StopTimer()
		s := newServer(b)
		b.StartTimer()
		add = add[:0]
		for i := range 1000 {
			r, err := dynamic.New(ducks(i))
			if err != nil {
				b.Fatal(err)
			}
			add = append(add, r.AddTo)
		}
		if err := s.Install(add...); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkInstallDynamicLast installs one kind more, with a call of its own, when there are 1,000.
func BenchmarkInstallDynamicLast(b *testing.B) {
	s := newServer(b)
	var add []func(*runtime.Builder)
	for i := range 1001 {
		r, err := dynamic.New(ducks(i))
		if err != nil {
			b.Fatal(err)
		}
		add = append(add, r.AddTo)
	}
	if err := s.Install(add[:1000]...); err != nil {
		b.Fatal(err)
	}
	last := schema.GroupKind{Group: "g1000.example.com", Kind: "Duck"}
	for b.Loop() {
		if err := s.Install(add[1000]); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		if err := s.RemoveKinds(last); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}

// TestDynamicStatusOfOneVersion checks that versions may differ in the subresource status: only it
// changes the status, also through the version without it.
func TestDynamicStatusOfOneVersion(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	r, err := dynamic.New(dynamic.Definition{
		Group: "harbor.example.com", Kind: "Boat", Resource: "boats",
		Versions: []dynamic.Version{{Name: "v1", Storage: true, Status: true}, {Name: "v1beta1"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Install(r.AddTo); err != nil {
		t.Fatal(err)
	}
	body := func(crew int) string {
		return fmt.Sprintf(`{"metadata":{"name":"a"},"status":{"crew":%d}}`, crew)
	}
	run(t, s, boatsBeta, []step{
		{name: "create", method: "POST", body: body(1), code: http.StatusCreated, not: []string{"crew"}},
		{name: "no subresource", method: "PUT", path: "a/status", body: body(2), code: http.StatusNotFound},
		{
			name: "the subresource", method: "PUT", path: boats + "/a/status", body: body(3), code: http.StatusOK,
			want: []string{`"crew":3`},
		},
		{name: "update", method: "PUT", path: "a", body: body(4), code: http.StatusOK, want: []string{`"crew":3`}},
	})
}

// TestDynamicRules checks that objects are held to the schema of their definition.
func TestDynamicRules(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	read, err := s.ReadCRDs("boats.yaml", []byte(strings.NewReplacer(
		"crew: {type: integer, format: int32}", "crew: {type: integer, minimum: 1, default: 2}",
		"area: {type: integer}", "area: {type: integer, maximum: 90}",
	).Replace(string(boatsYAML))))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Install(read[0].AddTo); err != nil {
		t.Fatal(err)
	}
	apply := []string{"Content-Type: application/apply-patch+yaml"}
	run(t, s, boats, []step{
		{
			name: "an unknown member", method: "POST", path: "?fieldValidation=Strict",
			body: `{"metadata":{"name":"a"},"spec":{"colour":"red"}}`, code: http.StatusBadRequest,
			want: []string{`unknown field \"spec.colour\"`, `did you mean`},
		},
		{
			name: "it is removed", method: "POST", path: "?fieldValidation=Warn",
			body: `{"metadata":{"name":"a"},"spec":{"colour":"red"}}`, code: http.StatusCreated,
			want: []string{`Warning: 299`, `"crew":2`}, not: []string{`"colour":`},
		},
		{
			name: "below the minimum", method: "POST", body: `{"metadata":{"name":"b"},"spec":{"crew":0}}`,
			code: http.StatusUnprocessableEntity, want: []string{`spec.crew`, `must be greater than or equal to 1`},
		},
		{
			name: "a patch of the wrong type", method: "PATCH", path: "a", headers: []string{"Content-Type: application/merge-patch+json"},
			body: `{"spec":{"crew":"many"}}`, code: http.StatusUnprocessableEntity, want: []string{`must be an integer, not a string`},
		},
		{
			name: "an applied list", method: "PATCH", path: "a?fieldManager=m", headers: apply,
			body: "apiVersion: harbor.example.com/v1\nkind: Boat\nmetadata: {name: a}\nspec: {sails: [{name: jib, area: 99}]}\n",
			code: http.StatusUnprocessableEntity, want: []string{`spec.sails[0].area`},
		},
		{
			name: "the size", method: "PATCH", path: "a/scale", headers: []string{"Content-Type: application/merge-patch+json"},
			body: `{"spec":{"replicas":0}}`, code: http.StatusUnprocessableEntity, want: []string{`spec.crew`},
		},
	})
}
