package httpapi_test

import (
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/askind/askind/httpapi"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	jsonformat "github.com/askind/askind/serializer/json"
	"github.com/askind/askind/serializer/json/reflectjson"
)

// These are the examples of the proposal for alternate representations, verbatim: a request, and a
// response in which "..." stands for omitted parts. Each test is named after its example.

// example is a request and its response in the proposal.
type example struct {
	request, answer string
}

var (
	leftOut  = regexp.MustCompile(`,?\s*\.\.\.`)
	trailing = regexp.MustCompile(`,(\s*[\]}])`)
)

// parts splits a text of the proposal into the first line, the headers, and the body.
func parts(text string) (first string, headers map[string]string, body string) {
	headers = map[string]string{}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, line := range lines {
		line = strings.TrimSpace(line)
		switch name, value, ok := strings.Cut(line, ": "); {
		case i == 0:
			first = line
		case strings.HasPrefix(line, "{"):
			return first, headers, strings.Join(lines[i:], "\n")
		case ok:
			headers[name] = value
		}
	}
	return first, headers, ""
}

// sameType compares the meaning of media types with parameters. The proposal separates parameters
// by commas.
func sameType(t *testing.T, got, want string) {
	t.Helper()
	gotType, gotParameters, err := mime.ParseMediaType(got)
	if err != nil {
		t.Errorf("the Content-Type %s: %v", got, err)
	}
	wantType, wantParameters, err := mime.ParseMediaType(strings.ReplaceAll(want, ",", ";"))
	if err != nil {
		t.Fatal(err)
	}
	if gotType != wantType || fmt.Sprint(gotParameters) != fmt.Sprint(wantParameters) {
		t.Errorf("the Content-Type is %s, want %s", got, want)
	}
}

// semicolons spells the parameters of each media type of an Accept header with semicolons.
func semicolons(accept string) string {
	return regexp.MustCompile(`,(\w+=)`).ReplaceAllString(accept, ";$1")
}

// run executes an example in both spellings of its Accept header.
func (e example) run(t *testing.T, h http.Handler) {
	t.Helper()
	request, headers, body := parts(e.request)
	method, path, _ := strings.Cut(request, " ")
	status, wantHeaders, wantBody := parts(e.answer)
	accepts := []string{headers["Accept"]}
	if s := semicolons(accepts[0]); s != accepts[0] {
		accepts = append(accepts, s)
	}
	for _, accept := range accepts {
		resp, got := ask(t, h, method, path, body, "Accept", accept, "Content-Type", headers["Content-Type"])
		if resp.Status != status {
			t.Fatalf("%s with %s: %s\n%s", request, accept, resp.Status, got)
		}
		if v := resp.Header.Get("Vary"); v != "Accept" {
			t.Errorf("Vary is %q", v)
		}
		if want := wantHeaders["Content-Type"]; want != "" {
			sameType(t, resp.Header.Get("Content-Type"), want)
		}
		if strings.Contains(resp.Header.Get("Content-Type"), ",") {
			t.Errorf("a comma in the Content-Type %s", resp.Header.Get("Content-Type"))
		}
		var want any
		text := trailing.ReplaceAllString(leftOut.ReplaceAllString(wantBody, ""), "$1")
		if err := json.Unmarshal([]byte(text), &want); err != nil {
			t.Fatalf("%v in the proposal:\n%s", err, text)
		}
		if err := within(want, object(t, got), "."); err != nil {
			t.Errorf("%s with %s: %v\n%s", request, accept, err, got)
		}
	}
}

// TestClientNegotiationOfResponseRepresentation tests the examples of the section of that name.
func TestClientNegotiationOfResponseRepresentation(t *testing.T) {
	t.Parallel()
	h := newCluster(t, httpapi.Settings{}).handler()
	t.Run("request a PodList in an alternate form", func(t *testing.T) {
		t.Parallel()
		example{`
			GET /v1/pods
			Accept: application/json;as=Table;g=meta.k8s.io;v=v1
		`, `
			200 OK
			Content-Type: application/json;as=Table;g=meta.k8s.io;v=v1
			{"kind": "Table", "apiVersion": "meta.k8s.io/v1", "rows": [{"cells": ["a", "Running", "60m"]}]}
		`}.run(t, h)
	})
	t.Run("request a PodList in an alternate form, with pretty JSON formatting", func(t *testing.T) {
		t.Parallel()
		for _, compact := range []bool{false, true} {
			h := newCluster(t, httpapi.Settings{Compact: compact}).handler()
			_, body := ask(t, h, http.MethodGet, "/v1/pods", "", "Accept",
				"application/json;as=Table;g=meta.k8s.io;v=v1;pretty=1")
			if !strings.HasPrefix(body, "{\n  \"kind\": \"Table\",\n") {
				t.Errorf("got %s", body)
			}
		}
	})
	t.Run("request that status messages be of the form meta.k8s.io/v2 on the response", func(t *testing.T) {
		t.Parallel()
		// The proposal shows the response to a request that fails. A successful request is answered
		// as usual.
		example{`
			GET /v1/namespaces/example/pods/nobody
			Accept: application/json;sv=v2
		`, `
			404 Not Found
			Content-Type: application/json;sv=v2
			{
			  "kind": "Status",
			  "apiVersion": "meta.k8s.io/v2",
			  ...
			}
		`}.run(t, h)
		example{`
			GET /v1/pods
			Accept: application/json;sv=v2
		`, `
			200 OK
			Content-Type: application/json;sv=v2
			{"kind": "PodList", "apiVersion": "v1"}
		`}.run(t, h)
	})
	t.Run("omit representations that are unrecognized or in error", func(t *testing.T) {
		t.Parallel()
		for _, accept := range []string{
			"application/json;as=Nothing, application/json", "application/json;sv=v7, application/json",
			"application/xml, application/json",
			"application/json;export=maybe, application/json", "application/json;q=x, application/json",
		} {
			if resp, body := ask(t, h, http.MethodGet, "/v1/pods", "", "Accept",
				accept); resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "application/json" {
				t.Errorf("%s: %s %s\n%s", accept, resp.Status, resp.Header, body)
			}
		}
		resp, body := ask(t, h, http.MethodGet, "/v1/pods", "", "Accept",
			"application/xml, application/json;as=Nothing")
		if got := object(t, body); resp.StatusCode != http.StatusNotAcceptable || got["kind"] != "Status" ||
			got["reason"] != "NotAcceptable" {
			t.Errorf("nothing is left: %s\n%s", resp.Status, body)
		}
	})
	t.Run("export", func(t *testing.T) {
		t.Parallel()
		for _, request := range [][2]string{
			{"/v1/namespaces/example/pods/a", "application/json;export=1;pretty=0"},
			{"/v1/namespaces/example/pods/a?export=1&pretty=0", "application/json"},
			{"/v1/namespaces/example/pods/a?pretty=0", "application/json+vnd.kubernetes.export"},
		} {
			_, body := ask(t, h, http.MethodGet, request[0], "", "Accept", request[1])
			const want = `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","namespace":"example","labels":{"app":"test"}},"spec":{"nodeName":"node-1"}}` + "\n"
			if body != want {
				t.Errorf("%s: got %s", request, body)
			}
		}
	})
	t.Run("pretty", func(t *testing.T) {
		t.Parallel()
		for _, tt := range []struct {
			path, accept string
			compact      bool
			pretty       bool
		}{
			{"/v1/pods", "application/json", false, true}, // the default of the proposal
			{"/v1/pods", "application/json;pretty=0", false, false},
			{"/v1/pods?pretty=0", "application/json", false, false},
			{"/v1/pods?pretty=0", "application/json;pretty=1", false, true},
			{"/v1/pods", "application/json", true, false},
			{"/v1/pods?pretty", "application/json", true, true},
			{"/v1/pods?pretty=true", "application/json;pretty=0", true, false},
		} {
			h := newCluster(t, httpapi.Settings{Compact: tt.compact}).handler()
			if _, body := ask(t, h, http.MethodGet, tt.path, "", "Accept", tt.accept); strings.HasPrefix(body,
				"{\n  ") != tt.pretty {
				t.Errorf("%+v: got %s", tt, body)
			}
		}
	})
}

// TestMediaTypeAliases tests the three aliases that the proposal suggests.
func TestMediaTypeAliases(t *testing.T) {
	t.Parallel()
	h := newCluster(t, httpapi.Settings{}).handler()
	example{`
		GET /v1/pods
		Accept: application/json+vnd.kubernetes.export
	`, `
		200 OK
		Content-Type: application/json;export=1
		{"kind": "PodList", "items": [{"metadata": {"name": "a"}}]}
	`}.run(t, h)
	example{`
		GET /v1/pods
		Accept: application/json+vnd.kubernetes.as+meta.k8s.io+v1+TabularOutput
	`, `
		200 OK
		Content-Type: application/json;g=meta.k8s.io,v=v1,as=TabularOutput
		{"kind": "TabularOutput", "apiVersion": "meta.k8s.io/v1", "columns": [{"name": "Name"}], "items": [{"columns": ["a"]}]}
	`}.run(t, h)
	resp, body := ask(t, h, http.MethodGet, "/v1/pods", "", "Accept", "text/csv")
	sameType(t, resp.Header.Get("Content-Type"), "text/csv;g=meta.k8s.io;v=v1;as=Table")
	if body != "Name,Phase,Age\r\na,Running,60m\r\n" {
		t.Errorf("got %q", body)
	}
}

// TestExamplePartialMetadataRetrieval tests the example of that name, also with the response of an
// old server.
func TestExamplePartialMetadataRetrieval(t *testing.T) {
	t.Parallel()
	const request = `
		GET /api/v1/namespaces
		Accept: application/json;g=meta.k8s.io,v=v1,as=PartialObjectMetadata, application/json
	`
	example{request, `
		200 OK
		Content-Type: application/json;g=meta.k8s.io,v=v1,as=PartialObjectMetadata
		{
		  "apiVersion": "meta.k8s.io/v1",
		  "kind": "PartialObjectMetadataList",
		  "items": [
		    {
		      "apiVersion": "meta.k8s.io/v1",
		      "kind": "PartialObjectMetadata",
		      "metadata": {
		        "name": "foo",
		        "resourceVersion": "10",
		        ...
		      }
		    },
		    ...
		  ]
		}
	`}.run(t, newCluster(t, httpapi.Settings{}).handler())

	// An old server does not have PartialObjectMetadata. Items of a typed list state their kind in
	// memory but not on the wire, as in every Kubernetes API, so the response is compared without
	// the kind of the items.
	example{request, `
		200 OK
		Content-Type: application/json
		{
		  "apiVersion": "v1",
		  "kind": "NamespaceList",
		  "items": [
		    {
		      "metadata": {
		        "name": "foo",
		        "resourceVersion": "10",
		        ...
		      }
		    },
		    ...
		  ]
		}
	`}.run(t, oldServer(t))
}

// oldNamespace is a kind that cannot be shown as any other.
type oldNamespace struct {
	metav1.TypeMeta
	metav1.ObjectMeta `json:"metadata,omitzero"`
}

type oldNamespaceList struct {
	metav1.TypeMeta
	metav1.ListMeta `json:"metadata,omitzero"`

	Items []oldNamespace `json:"items"`
}

// oldServer serves namespaces and has no kinds of meta.k8s.io.
func oldServer(t *testing.T) http.Handler {
	t.Helper()
	core := schema.GroupVersion{Version: "v1"}
	scheme, err := runtime.NewScheme(func(b *runtime.Builder) {
		runtime.AddKind(
			b, reflectjson.Complete(runtime.KindSpec[oldNamespace]{
				GroupVersionKind: core.WithKind("Namespace"),
				List:             "NamespaceList",
			}),
		)
		runtime.AddKind(
			b, reflectjson.Complete(runtime.KindSpec[oldNamespaceList]{
				GroupVersionKind: core.WithKind("NamespaceList"),
				Item:             "Namespace",
			}),
		)
	})
	if err != nil {
		t.Fatal(err)
	}
	f, err := serializer.NewFactory(scheme, jsonformat.Format())
	if err != nil {
		t.Fatal(err)
	}
	api := httpapi.New(f, httpapi.Settings{})
	return api.Handler(func(w http.ResponseWriter, r *http.Request) error {
		list := &oldNamespaceList{Items: []oldNamespace{{ObjectMeta: metav1.ObjectMeta{
			Name:            "foo",
			ResourceVersion: "10",
		}}}}
		return api.Respond(w, r, core.WithKind("NamespaceList"), list)
	})
}

// TestExampleRetrievingAKnownVersionOfTheScaleResource tests the example of that name.
func TestExampleRetrievingAKnownVersionOfTheScaleResource(t *testing.T) {
	t.Parallel()
	const get, put = `
		GET /api/v1/namespace/example/replicasets/test/scale
		Accept: application/json;g=meta.k8s.io,v=v1,as=Scale, application/json
	`, `
		PUT /apis/extensions/v1beta1/namespace/example/replicasets/test/scale
		Accept: application/json;g=meta.k8s.io,v=v1,as=Scale, application/json
		Content-Type: application/json
		{
		  "apiVersion": "meta.k8s.io/v1",
		  "kind": "Scale",
		  "spec": {
		    "replicas": 2
		  }
		}
	`
	answer := func(replicas int) string {
		return `
		200 OK
		Content-Type: application/json;g=meta.k8s.io,v=v1,as=Scale
		{
		  "apiVersion": "meta.k8s.io/v1",
		  "kind": "Scale",
		  "spec": {
		    "replicas": ` + strconv.Itoa(replicas) + `
		  }
		  ...
		}
		`
	}
	c := newCluster(t, httpapi.Settings{})
	h := c.handler()
	example{get, answer(1)}.run(t, h)
	example{put, answer(2)}.run(t, h)
	example{get, answer(2)}.run(t, h)
	// Every group serves the generic Scale, whatever its own looks like.
	example{strings.Replace(get, "/api/v1/", "/apis/extensions/v1beta1/", 1), answer(2)}.run(t, h)
	_, body := ask(t, h, http.MethodGet, "/apis/extensions/v1beta1/namespace/example/replicasets/test/scale", "",
		"Accept", "application/json")
	if got := object(t, body); got["apiVersion"] != "extensions/v1beta1" ||
		fmt.Sprint(got["status"]) != "map[replicas:1 selector:map[app:test]]" {
		t.Errorf("the Scale of the group is %s", body)
	}
	// Without a group and a version, the kind is looked up in those of the endpoint first, then in
	// meta.k8s.io.
	for path, want := range map[string]string{
		"/apis/extensions/v1beta1/namespace/example/replicasets/test/scale": "application/json;g=extensions;v=v1beta1;as=Scale",
		"/api/v1/namespace/example/replicasets/test/scale":                  "application/json;g=meta.k8s.io;v=v1;as=Scale",
		"/apis/extensions/v1beta1/namespace/example/replicasets/test":       "application/json;g=extensions;v=v1beta1;as=Scale",
	} {
		if resp, body := ask(t, h, http.MethodGet, path, "", "Accept",
			"application/json;as=Scale"); resp.Header.Get("Content-Type") != want {
			t.Errorf("%s: %s\n%s", path, resp.Header.Get("Content-Type"), body)
		}
	}
	// The size can also be set with the Scale of the group, and the object can be shown as the same
	// Scale.
	if resp, body := ask(t, h, http.MethodPut, "/api/v1/namespace/example/replicasets/test/scale",
		`{"apiVersion":"extensions/v1beta1","kind":"Scale","spec":{"replicas":3}}`); resp.StatusCode != http.StatusOK {
		t.Errorf("%s\n%s", resp.Status, body)
	}
	example{strings.Replace(get, "/scale", "", 1), answer(3)}.run(t, h)

	// A server that no longer recognizes a version of Scale must indicate that to the client.
	resp, body := ask(t, h, http.MethodGet, "/api/v1/namespace/example/replicasets/test", "", "Accept",
		"application/json;g=meta.k8s.io;v=v9;as=Scale")
	if resp.StatusCode != http.StatusNotAcceptable || !strings.Contains(body, "g=meta.k8s.io;v=v1;as=Scale") {
		t.Errorf("a version that is gone: %s\n%s", resp.Status, body)
	}
}

// TestScalePreconditions writes sizes with preconditions on another object or another version of
// the object.
func TestScalePreconditions(t *testing.T) {
	t.Parallel()
	h := newCluster(t, httpapi.Settings{}).handler()
	const path = "/api/v1/namespaces/example/replicasets/test/scale"
	for _, tt := range []struct {
		name, metadata string
		code           int
		message        string
	}{
		{"another version", `{"resourceVersion":"7"}`, http.StatusConflict, `resourceVersion is "11", not "7"`},
		{"another object", `{"uid":"u-2"}`, http.StatusConflict, `uid is "u-1", not "u-2"`},
		{"this version of this object", `{"uid":"u-1","resourceVersion":"11"}`, http.StatusOK, ""},
		{"the version before", `{"uid":"u-1","resourceVersion":"11"}`, http.StatusConflict, `not "11"`},
		{"none", `{}`, http.StatusOK, ""},
	} {
		resp, body := ask(t, h, http.MethodPut, path, `{"apiVersion":"meta.k8s.io/v1","kind":"Scale","metadata":`+
			tt.metadata+`,"spec":{"replicas":5}}`, "Content-Type", "application/json")
		got := object(t, body)
		if resp.StatusCode != tt.code || tt.code == http.StatusConflict &&
			(got["reason"] != "Conflict" || !strings.Contains(fmt.Sprint(got["message"]), tt.message)) {
			t.Errorf("%s: %s\n%s", tt.name, resp.Status, body)
		}
	}
}

// TestExampleRetrievingAnAlternativeRepresentationForKubectlGet tests the example of that name.
func TestExampleRetrievingAnAlternativeRepresentationForKubectlGet(t *testing.T) {
	t.Parallel()
	example{`
		GET /api/v1/namespaces/example/replicasets
		Accept: application/json;g=meta.k8s.io,v=v1,as=TabularOutput, application/json
	`, `
		200 OK
		Content-Type: application/json;g=meta.k8s.io,v=v1,as=TabularOutput
		{
		  "apiVersion": "meta.k8s.io/v1",
		  "kind": "TabularOutput",
		  "columns": [
		    {"name": "Name", "description": "The name of the object, unique among the objects of its resource in its namespace."},
		    {"name": "Resource Version", "description": "The version of the resource"},
		    ...
		  ],
		  "items": [
		    {"columns": ["test", "11", ...]},
		    ...
		  ]
		}
	`}.run(t, newCluster(t, httpapi.Settings{}).handler())
}

// TestExampleVersioningAListOptionsCallToAGenericAPIServer tests the example of that name.
func TestExampleVersioningAListOptionsCallToAGenericAPIServer(t *testing.T) {
	t.Parallel()
	c := newCluster(t, httpapi.Settings{})
	h := c.handler()
	for _, path := range []string{
		"/api/v1/namespaces/example/replicasets?apiVersion=meta.k8s.io/v2&rv=10",
		"/api/v1/namespaces/example/replicasets?queryVersion=meta.k8s.io/v2&rv=10",
		"/api/v1/namespaces/example/replicasets?kind=ListOptions&apiVersion=meta.k8s.io/v2&rv=10",
		"/api/v1/namespaces/example/replicasets?resourceVersion=10",
		"/api/v1/namespaces/example/replicasets?kind=ListOptions&apiVersion=meta.k8s.io/v1&resourceVersion=10",
	} {
		if resp, body := ask(t, h, http.MethodGet, path, ""); resp.StatusCode != http.StatusOK {
			t.Errorf("%s: %s\n%s", path, resp.Status, body)
		}
		if o, ok := c.options.(*metav1.ListOptions); !ok || o.ResourceVersion != "10" ||
			o.APIVersion != "meta.k8s.io/v1" {
			t.Errorf("%s: the options are %+v", path, c.options)
		}
	}
	// Servers must properly reject versions that they do not understand.
	for query, message := range map[string]string{
		"apiVersion=meta.k8s.io/v3&rv=10":                            `ListOptions does not exist in "meta.k8s.io/v3", only in meta.k8s.io/v2, meta.k8s.io/v1`,
		"queryVersion=meta.k8s.io/v3&rv=10":                          `queryVersion: ListOptions does not exist in "meta.k8s.io/v3"`,
		"kind=Status":                                                `"Status" is not supported here`,
		"kind=TableOptions&apiVersion=meta.k8s.io/v9":                `TableOptions does not exist in "meta.k8s.io/v9"`,
		"apiVersion=meta.k8s.io/v1&queryVersion=meta.k8s.io/v2&rv=1": `contradicts`,
	} {
		resp, body := ask(t, h, http.MethodGet, "/api/v1/namespaces/example/replicasets?"+query, "")
		if got := object(t, body); resp.StatusCode != http.StatusBadRequest ||
			!strings.Contains(fmt.Sprint(got["message"]), message) {
			t.Errorf("%s: %s\n%s", query, resp.Status, body)
		}
	}
}

// TestReturningAReplicationControllerAsAReplicaSet tests an alternative that the proposal
// discusses.
func TestReturningAReplicationControllerAsAReplicaSet(t *testing.T) {
	t.Parallel()
	h := newCluster(t, httpapi.Settings{}).handler()
	for _, accept := range []string{"application/json;as=ReplicaSet", "application/json;v=v1;as=ReplicaSet"} {
		example{`
			GET /api/v1/namespaces/example/replicationcontrollers/old
			Accept: ` + accept, `
			200 OK
			Content-Type: application/json;v=v1;as=ReplicaSet
			{
			  "apiVersion": "v1",
			  "kind": "ReplicaSet",
			  "metadata": {"name": "old", "resourceVersion": "13"},
			  "spec": {"replicas": 3, "selector": {"matchLabels": {"app": "old"}}}
			}
		`}.run(t, h)
	}
	// Kinds of other groups that are declared equivalent can be requested as well.
	example{`
		GET /api/v1/namespaces/example/replicationcontrollers/old
		Accept: application/json;g=extensions,v=v1beta1,as=ReplicaSet
	`, `
		200 OK
		Content-Type: application/json;g=extensions,v=v1beta1,as=ReplicaSet
		{"apiVersion": "extensions/v1beta1", "kind": "ReplicaSet", "metadata": {"name": "old"}}
	`}.run(t, h)
	example{`
		GET /api/v1/namespaces/example/replicasets/test
		Accept: application/json;g=extensions
	`, `
		200 OK
		Content-Type: application/json;g=extensions,v=v1beta1
		{"apiVersion": "extensions/v1beta1", "kind": "ReplicaSet", "metadata": {"name": "test"}}
	`}.run(t, h)
	// If the object cannot be shown, the next clause is used, or the response is 406.
	example{`
		GET /api/v1/namespaces/example/replicationcontrollers/implicit
		Accept: application/json;as=ReplicaSet, application/json;as=PartialObjectMetadata
	`, `
		200 OK
		Content-Type: application/json;g=meta.k8s.io,v=v1,as=PartialObjectMetadata
		{"kind": "PartialObjectMetadata", "metadata": {"name": "implicit"}}
	`}.run(t, h)
	resp, body := ask(t, h, http.MethodGet, "/api/v1/namespaces/example/replicationcontrollers/implicit", "", "Accept",
		"application/json;as=ReplicaSet")
	if resp.StatusCode != http.StatusNotAcceptable || !strings.Contains(body, "needs a selector") {
		t.Errorf("%s\n%s", resp.Status, body)
	}
	// A list falls back as a whole.
	resp, body = ask(t, h, http.MethodGet, "/api/v1/namespaces/example/replicationcontrollers", "", "Accept",
		"application/json;as=ReplicaSet, application/yaml")
	if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "application/yaml" ||
		!strings.Contains(body, "kind: ReplicationControllerList") {
		t.Errorf("%s\n%s", resp.Status, body)
	}
}
