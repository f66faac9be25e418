package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/askind/askind/conversion/carry"
	"github.com/askind/askind/examples/fleet/api/fleet/v1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
)

// ask sends a request and returns the answer with its body.
func ask(t *testing.T, h http.Handler, method, path string, accept ...string) (*http.Response, string) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, nil)
	r.Header["Accept"] = accept
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	resp := w.Result()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(body)
}

const (
	fleetV1   = "/apis/fleet.example.com/v1"
	inventory = "/apis/inventory.example.com/v1"
)

// TestResponses compares whole answers with the files of testdata/responses.
func TestResponses(t *testing.T) {
	t.Parallel()
	h, _ := mustServe(t)
	for _, tt := range []struct {
		name, method, path string
		accept             []string
	}{
		{name: "object", path: fleetV1 + "/namespaces/default/machines/web-1"},
		{name: "object-v1beta1", path: "/apis/fleet.example.com/v1beta1/namespaces/default/machines/web-1"},
		{name: "object-v1alpha1", path: "/apis/fleet.example.com/v1alpha1/namespaces/default/machines/web-1"},
		{name: "object-yaml", path: fleetV1 + "/namespaces/default/machinepools/web", accept: []string{"application/yaml"}},
		{name: "object-other-version", path: fleetV1 + "/namespaces/default/machinepools/web", accept: []string{"application/json;g=fleet.example.com;v=v1alpha1"}},
		{name: "object-equivalent", path: fleetV1 + "/namespaces/default/machines/web-1", accept: []string{"application/yaml;g=inventory.example.com;v=v1"}},
		{name: "object-equivalent-back", path: inventory + "/namespaces/default/machines/spare-1", accept: []string{"application/yaml;g=fleet.example.com"}},
		{name: "object-cluster", path: inventory + "/sites/fra-1", accept: []string{"text/yaml"}},
		{name: "list", path: inventory + "/sites"},
		{name: "list-compact", path: inventory + "/sites", accept: []string{"application/json;pretty=0"}},
		{name: "list-compact-query", path: inventory + "/sites?pretty=0"},
		{name: "list-selected", path: "/apis/fleet.example.com/v1alpha1/machinepools?labelSelector=none", accept: []string{"application/yaml"}},
		{name: "list-empty", path: fleetV1 + "/namespaces/nobody/machines"},
		{name: "list-empty-yaml", path: fleetV1 + "/namespaces/nobody/machines", accept: []string{"application/yaml"}},
		{name: "table", path: fleetV1 + "/machines?includeObject=None", accept: []string{"application/json;as=Table"}},
		{name: "table-yaml-v1alpha1", path: "/apis/fleet.example.com/v1alpha1/namespaces/default/machines?includeObject=None", accept: []string{"application/yaml;as=Table;g=meta.k8s.io;v=v1"}},
		{name: "table-object", path: fleetV1 + "/namespaces/lab/machinepools/workbenches?includeObject=Object", accept: []string{"application/json;as=Table"}},
		{name: "table-empty", path: fleetV1 + "/namespaces/nobody/machinepools", accept: []string{"application/json;as=Table"}},
		{name: "tabular-output", path: fleetV1 + "/machinepools", accept: []string{"application/json;as=TabularOutput"}},
		{name: "partial", path: fleetV1 + "/namespaces/default/machines/web-1", accept: []string{"application/json;as=PartialObjectMetadata"}},
		{name: "partial-list", path: fleetV1 + "/namespaces/edge/machinepools", accept: []string{"application/yaml;as=PartialObjectMetadata"}},
		{name: "scale", path: fleetV1 + "/namespaces/edge/machinepools/gateways", accept: []string{"application/json;as=Scale"}},
		{name: "scale-v1alpha1", path: "/apis/fleet.example.com/v1alpha1/namespaces/default/machinepools/batch", accept: []string{"application/yaml;as=Scale;v=v1"}},
		{name: "fallback", path: fleetV1 + "/namespaces/edge/machines/gateway-1", accept: []string{"application/vnd.kubernetes.protobuf", "application/json;as=Scale, application/yaml;q=0.5"}},
		{name: "groups", path: "/apis"},
		{name: "group", path: "/apis/fleet.example.com", accept: []string{"application/yaml"}},
		{name: "resources", path: inventory},

		{name: "not-found", path: fleetV1 + "/namespaces/default/machines/nobody"},
		{name: "not-found-yaml", path: fleetV1 + "/namespaces/default/machines/nobody", accept: []string{"application/yaml"}},
		{name: "not-found-yaml-table", path: fleetV1 + "/namespaces/default/machines/nobody", accept: []string{"application/yaml;as=Table"}},
		{name: "not-found-resource", path: fleetV1 + "/machine"},
		{name: "not-found-version", path: "/apis/fleet.example.com/v7/machines"},
		{name: "not-found-group", path: "/apis/flet.example.com/v1/machines"},
		{name: "not-found-namespaced", path: fleetV1 + "/machines/web-1"},
		{name: "not-found-cluster", path: inventory + "/namespaces/default/sites"},
		{name: "not-found-internal", path: "/apis/meta.k8s.io/v1/tables"},
		{name: "not-found-path", path: "/healthz"},
		{name: "not-acceptable", path: fleetV1 + "/namespaces/default/machines/web-1", accept: []string{"application/json;as=Scale, application/xml, application/json;as=Tabel"}},
		{name: "not-allowed", method: http.MethodPost, path: fleetV1 + "/namespaces/default/machines/web-1"},
		{name: "not-allowed-discovery", method: http.MethodDelete, path: "/apis"},
		{name: "bad-pretty", path: fleetV1 + "/machines?pretty=maybe"},
		{name: "bad-selector", path: fleetV1 + "/machines?labelSelector=app+in+web"},
		{name: "bad-include", path: fleetV1 + "/machines?includeObject=Everything", accept: []string{"application/yaml"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.method == "" {
				tt.method = http.MethodGet
			}
			resp, body := ask(t, h, tt.method, tt.path, tt.accept...)
			var b strings.Builder
			fmt.Fprintf(&b, "> %s %s\n", tt.method, tt.path)
			for _, a := range tt.accept {
				fmt.Fprintf(&b, "> Accept: %s\n", a)
			}
			fmt.Fprintf(&b, "< %s\n", resp.Status)
			for _, name := range slices.Sorted(maps.Keys(resp.Header)) {
				if name != "Content-Length" {
					fmt.Fprintf(&b, "< %s: %s\n", name, strings.Join(resp.Header[name], ", "))
				}
			}
			golden(t, "testdata/responses/"+tt.name+".txt", b.String()+"\n"+strings.TrimSuffix(body, "\n")+"\n")
			if got := resp.Header.Get("Content-Length"); got != fmt.Sprint(len(body)) {
				t.Errorf("Content-Length is %s, and the body has %d bytes", got, len(body))
			}
		})
	}
}

// TestEveryRepresentation asks for every object in every version, in both formats, and as everything that it can be shown as, and compares the
// answers with each other.
func TestEveryRepresentation(t *testing.T) {
	t.Parallel()
	h, s := mustServe(t)
	f := mustFactory(t)
	read := func(t *testing.T, path, accept string) string {
		t.Helper()
		resp, body := ask(t, h, http.MethodGet, path, accept)
		if resp.StatusCode != http.StatusOK {
			t.Fatalf("GET %s as %s: %s\n%s", path, accept, resp.Status, body)
		}
		if got := resp.Header.Get("Vary"); got != "Accept" {
			t.Errorf("Vary is %q", got)
		}
		obj, err := f.Decode([]byte(body), serializer.DecodeOptions{MediaType: resp.Header.Get("Content-Type"), Strictness: serializer.Fail})
		if err != nil {
			t.Fatalf("%v\n%s", err, body)
		}
		return jsonOf(t, s.scheme, obj)
	}
	for _, in := range kept(t, s) {
		m, ok := in.kind.Metadata(in.obj).(*metav1.ObjectMeta)
		if !ok {
			t.Fatal("no metadata")
		}
		partial, scale := map[string]bool{}, map[string]bool{}
		pool, ok := in.obj.(*v1.MachinePool)
		expressions := ok && pool.Spec.Selector.MatchExpressions != nil // which v1alpha1 does not have, as it declares
		for _, gv := range s.scheme.VersionsOf(in.kind.GroupVersionKind().GroupKind()) {
			path := objectPath(in.kind, gv, m)
			want := jsonOf(t, s.scheme, convert(t, s.scheme, in.obj, gv))
			for _, accept := range []string{"application/json", "application/json;pretty=0", "application/yaml"} {
				if d := cmp.Diff(want, read(t, path, accept)); d != "" {
					t.Errorf("%s as %s (-want +got):\n%s", path, accept, d)
				}
			}
			for _, format := range []string{"json", "yaml"} {
				for _, target := range s.scheme.AsTargets(gv.WithKind(in.kind.Name())) {
					got := read(t, path, fmt.Sprintf("application/%s;as=%s;g=%s;v=%s", format, target.Kind, target.Group, target.Version))
					switch target.Kind {
					case "PartialObjectMetadata":
						partial[withoutCarried(t, got)] = true
					case "Scale":
						if expressions && gv.Version == "v1alpha1" {
							got = strings.Replace(got, `"selector":"app=gateway"`, `"selector":"app=gateway,!retired"`, 1)
						}
						scale[got] = true
					}
				}
			}
		}
		if len(partial) != 1 || len(scale) > 1 {
			t.Errorf("%s: the versions do not agree: %d metadata, %d scales", in.name, len(partial), len(scale))
		}
	}
}

// withoutCarried takes out the annotation in which an object of one version carries fields of another.
func withoutCarried(t *testing.T, text string) string {
	t.Helper()
	var obj map[string]any
	if err := json.Unmarshal([]byte(text), &obj); err != nil {
		t.Fatal(err)
	}
	if metadata, ok := obj["metadata"].(map[string]any); ok {
		if annotations, ok := metadata["annotations"].(map[string]any); ok {
			if delete(annotations, carry.Annotation); len(annotations) == 0 {
				delete(metadata, "annotations")
			}
		}
	}
	out, err := json.Marshal(obj)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// TestListsHoldTheObjects compares the items of lists with the objects.
func TestListsHoldTheObjects(t *testing.T) {
	t.Parallel()
	h, s := mustServe(t)
	for _, c := range s.ordered() {
		for _, gv := range s.scheme.VersionsOf(c.kind.GroupVersionKind().GroupKind()) {
			_, body := ask(t, h, http.MethodGet, "/apis/"+gv.String()+"/"+c.kind.Resource())
			var list struct {
				Metadata metav1.ListMeta
				Items    []map[string]any
			}
			if err := json.Unmarshal([]byte(body), &list); err != nil {
				t.Fatal(err)
			}
			if list.Metadata.ResourceVersion == "" {
				t.Errorf("%s: the list has no resourceVersion", gv)
			}
			if len(list.Items) != len(c.objects) {
				t.Fatalf("%s: %d items, want %d", gv, len(list.Items), len(c.objects))
			}
			for i, o := range c.objects {
				want, ok := tree(t, jsonOf(t, s.scheme, convert(t, s.scheme, o.object, gv)), nil).(map[string]any)
				if !ok {
					t.Fatal("no object")
				}
				delete(want, "kind") // the list says it
				delete(want, "apiVersion")
				if d := cmp.Diff(want, list.Items[i]); d != "" {
					t.Errorf("%s %s (-want +got):\n%s", gv, o.meta.Name, d)
				}
			}
		}
	}
}

// TestTypedAnswers reads an answer the way a client with the Go types does.
func TestTypedAnswers(t *testing.T) {
	t.Parallel()
	h, _ := mustServe(t)
	_, body := ask(t, h, http.MethodGet, "/apis/fleet.example.com/v1alpha1/namespaces/default/machines/old-faithful", "application/yaml")
	machine, err := serializer.Decode[v1.Machine](mustFactory(t), []byte(body), serializer.DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if machine.Spec.PowerState != v1.PowerOff || machine.Spec.Boot.Type != v1.BootFromDisk || machine.Spec.Boot.Disk.Name != "root" {
		t.Errorf("got %+v", machine.Spec)
	}
}

func TestHead(t *testing.T) {
	t.Parallel()
	h, _ := mustServe(t)
	srv := httptest.NewServer(h)
	defer srv.Close()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodHead, srv.URL+fleetV1+"/machines", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := srv.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK || resp.ContentLength <= 0 {
		t.Errorf("got %s with a length of %d", resp.Status, resp.ContentLength)
	}
}

// TestRequestsLeaveTheStoreAlone sends all kinds of requests at once and compares the objects before and after. The race detector sees
// whoever writes.
func TestRequestsLeaveTheStoreAlone(t *testing.T) {
	t.Parallel()
	h, s := mustServe(t)
	var before []runtime.Object
	for _, o := range s.all() {
		c, err := s.scheme.DeepCopy(o.object)
		if err != nil {
			t.Fatal(err)
		}
		before = append(before, c)
	}
	var wait sync.WaitGroup
	for _, path := range []string{
		fleetV1 + "/machines", fleetV1 + "/machinepools", "/apis/fleet.example.com/v1alpha1/machines", "/apis/fleet.example.com/v1beta1/machinepools",
		inventory + "/machines", fleetV1 + "/namespaces/default/machines/web-1", fleetV1 + "/namespaces/default/machinepools/web",
	} {
		for _, accept := range []string{
			"application/json", "application/yaml", "application/json;as=Table", "application/json;as=PartialObjectMetadata",
			"application/json;as=Scale, */*", "application/yaml;g=inventory.example.com;v=v1, */*", "application/json;g=fleet.example.com;v=v1alpha1, */*",
		} {
			for _, query := range []string{"", "?includeObject=Object"} {
				wait.Go(func() {
					if resp, body := ask(t, h, http.MethodGet, path+query, accept); resp.StatusCode != http.StatusOK {
						t.Errorf("GET %s as %s: %s", path, accept, body)
					}
				})
			}
		}
	}
	wait.Wait()
	i := 0
	for k, o := range s.all() {
		if !reflect.DeepEqual(before[i], o.object) {
			t.Errorf("%s %s has changed", k, o.meta.Name)
		}
		i++
	}
}

// TestStatusErrorsAreRecognized holds that the reasons of answers survive the way through the program.
func TestStatusErrorsAreRecognized(t *testing.T) {
	t.Parallel()
	gr := schema.GroupResource{Group: "fleet.example.com", Resource: "machines"}
	for want, err := range map[metav1.StatusReason]error{
		metav1.StatusReasonNotFound:         noSuchResource(gr, "x"),
		metav1.StatusReasonMethodNotAllowed: notAllowed(gr, http.MethodPut),
	} {
		if got := metav1.ReasonOf(err); got != want {
			t.Errorf("%v: reason %q, want %q", err, got, want)
		}
	}
}
