package aggregator_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/askind/askind/aggregator"
	"github.com/askind/askind/aggregator/v1alpha1"
	"github.com/askind/askind/server"
)

// swagger is an OpenAPI 2.0 document.
type swagger struct {
	Info        struct{ Title string }
	Paths       map[string]map[string]any
	Definitions map[string]map[string]any
	Parameters  map[string]any
}

func (f *front) swagger(t *testing.T) (doc swagger, etag string) {
	t.Helper()
	code, header, body := f.do(t, "GET", "/openapi/v2", "")
	if code != http.StatusOK {
		t.Fatalf("%d %s", code, body)
	}
	if err := json.Unmarshal([]byte(body), &doc); err != nil {
		t.Fatal(err)
	}
	return doc, header.Get("Etag")
}

// wardleV2 is an OpenAPI 2.0 document like that of a server of Kubernetes: with a definition that
// differs from that of the front, one that refers to it, and paths that are not registered.
const wardleV2 = `{"swagger":"2.0","info":{"title":"wardle","version":"1"},"paths":{
"/apis/":{"get":{}},"/apis/wardle.example.com/":{"get":{}},"/apis/wardle.example.com/v10/flunders":{"get":{}},
"/apis/other.example.com/v1/others":{"get":{"responses":{"200":{"schema":{"$ref":"#/definitions/Other"}}}}},
"/apis/wardle.example.com/v1/":{"get":{}},
"/apis/wardle.example.com/v1/flunders":{"get":{"parameters":[{"$ref":"#/parameters/limit-a~1b"}],
 "responses":{"200":{"schema":{"$ref":"#/definitions/com.example.wardle.v1.Flunder"}}}}}},
"definitions":{"com.example.wardle.v1.Flunder":{"type":"object","properties":{
 "metadata":{"$ref":"#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"},"%s":{"type":"string"},
 "self":{"$ref":"#/definitions/com.example.wardle.v1.Flunder"}}},
"io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta":{"type":"object","properties":{"theirs":{"type":"string"}}},
"Other":{"type":"object"}},
"parameters":{"limit-a/b":{"name":"limit","in":"query","type":"integer"},"unused":{"name":"unused"}}}`

// TestOpenAPIv2 merges the OpenAPI 2.0 document of another server into that of the front.
func TestOpenAPIv2(t *testing.T) {
	t.Parallel()
	var field atomic.Pointer[string]
	field.Store(new("spec"))
	var asked, down, without atomic.Int32
	wardle := handler(func(w http.ResponseWriter, r *http.Request) {
		tag := `"` + *field.Load() + `"`
		switch {
		case down.Load() > 0:
			http.Error(w, "down", http.StatusBadGateway)
		case r.URL.Path != "/openapi/v2" || without.Load() > 0:
			answerLegacy(w, r, "/apis/wardle.example.com/v1", `{"kind":"APIResourceList","groupVersion":"wardle.example.com/v1",`+
				`"resources":[{"name":"flunders","namespaced":false,"kind":"Flunder","verbs":["get"]}]}`)
		case r.Header.Get("X-Remote-User") != "system:aggregator":
			w.WriteHeader(http.StatusForbidden)
		case r.Header.Get("If-None-Match") == tag:
			w.WriteHeader(http.StatusNotModified)
		default:
			asked.Add(1)
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Etag", tag)
			fmt.Fprintf(w, wardleV2, *field.Load())
		}
	})
	encoded := ""
	f := newFront(t, map[string]http.RoundTripper{"wardle": wardle, "fleet": fleet(t).Transport(), "liar": handler(
		func(w http.ResponseWriter, r *http.Request) { http.Error(w, `{"swagger"`, http.StatusOK) })},
		server.OpenAPIProto(func(text []byte) ([]byte, error) { encoded = string(text); return []byte("proto"), nil }))
	own, before := f.swagger(t)
	f.Set(service("w", "http://wardle", "wardle.example.com", "v1"), fleetService("http://fleet"),
		service("liar", "http://liar", "lies.example.com", "v1"))
	f.waitFor(t, "w", v1alpha1.ConditionAvailable, "True Answers")
	f.waitFor(t, "v1.fleet.example.com", v1alpha1.ConditionAvailable, "True Answers")
	f.waitFor(t, "liar", v1alpha1.ConditionAvailable, "False DoesNotAnswer")
	// A server that does not answer in time is described later.
	var doc swagger
	var tag string
	eventually(t, "both servers are described", func() bool {
		doc, tag = f.swagger(t)
		return doc.Definitions["com.example.wardle.v1.Flunder"] != nil && doc.Definitions["com.example.fleet.v1.Machine"] != nil
	})
	if tag == before || doc.Info.Title != own.Info.Title {
		t.Errorf("the tag %s of the local document, or its title %q", tag, doc.Info.Title)
	}
	for path := range own.Paths {
		if doc.Paths[path] == nil {
			t.Errorf("the path %s of the front is missing", path)
		}
	}
	for path, want := range map[string]bool{
		"/apis/wardle.example.com/v1/": true, "/apis/wardle.example.com/v1/flunders": true,
		"/apis/fleet.example.com/v1/namespaces/{namespace}/machines/{name}": true,
		"/apis/": false, "/apis/wardle.example.com/": false, "/apis/wardle.example.com/v10/flunders": false,
		"/apis/other.example.com/v1/others": false,
	} {
		if (doc.Paths[path] != nil) != want {
			t.Errorf("the path %s is there: %t", path, !want)
		}
	}
	const meta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
	flunder, _ := json.Marshal(doc.Definitions["com.example.wardle.v1.Flunder"])
	if want := `{"properties":{"metadata":{"$ref":"#/definitions/` + meta + `_v2"},` +
		`"self":{"$ref":"#/definitions/com.example.wardle.v1.Flunder"},"spec":{"type":"string"}},"type":"object"}`; string(flunder) != want {
		t.Errorf("Flunder: %s, want %s", flunder, want)
	}
	if doc.Definitions[meta+"_v2"]["properties"].(map[string]any)["theirs"] == nil ||
		doc.Definitions[meta]["properties"].(map[string]any)["theirs"] != nil {
		t.Errorf("ObjectMeta: %v, %v", doc.Definitions[meta], doc.Definitions[meta+"_v2"])
	}
	if doc.Definitions["Other"] != nil {
		t.Errorf("the definitions: %v", doc.Definitions)
	}
	for name := range doc.Definitions {
		if strings.HasSuffix(name, "_v2") && name != meta+"_v2" || strings.HasSuffix(name, "_v3") {
			t.Errorf("a definition that is equal in both has been renamed: %s", name)
		}
	}
	if doc.Parameters["limit-a/b"] == nil || doc.Parameters["unused"] != nil {
		t.Errorf("the parameters: %v", doc.Parameters)
	}
	// Unchanged, it is neither requested nor made again, and has the same tag.
	if _, again := f.swagger(t); again != tag || asked.Load() != 1 {
		t.Errorf("the tag is %s, then %s; the document was read %d times", tag, again, asked.Load())
	}
	if code, _, _ := f.do(t, "GET", "/openapi/v2", "", "If-None-Match", tag); code != http.StatusNotModified {
		t.Errorf("the same tag: %d", code)
	}
	const proto = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"
	if code, _, body := f.do(t, "GET", "/openapi/v2", "", "Accept", proto); code != http.StatusOK || body != "proto" ||
		!strings.Contains(encoded, "com.example.wardle.v1.Flunder") {
		t.Errorf("in protobuf: %d %s of %.300s", code, body, encoded)
	}
	// A change shows, and a server that is gone is described as before.
	field.Store(new("other"))
	eventually(t, "the change shows", func() bool {
		doc, _ := f.swagger(t)
		return doc.Definitions["com.example.wardle.v1.Flunder"]["properties"].(map[string]any)["other"] != nil
	})
	// A server may stop to describe itself.
	shown := func() bool {
		doc, _ := f.swagger(t)
		return doc.Definitions["com.example.wardle.v1.Flunder"] != nil
	}
	without.Store(1)
	eventually(t, "the definitions are gone", func() bool { return !shown() })
	without.Store(0)
	eventually(t, "the definitions are back", shown)
	down.Store(1)
	f.waitFor(t, "w", v1alpha1.ConditionAvailable, "False DoesNotAnswer")
	if doc, _ := f.swagger(t); doc.Definitions["com.example.wardle.v1.Flunder"] == nil {
		t.Error("the definitions of a server that does not answer are gone")
	}
	f.Set()
	if _, after := f.swagger(t); after != before {
		t.Errorf("without registrations the tag is %s, want %s", after, before)
	}
}

// TestOpenAPIIndex checks that the index has the hashes of other servers' documents, and only the
// documents that there are.
func TestOpenAPIIndex(t *testing.T) {
	t.Parallel()
	index := func(text string) http.RoundTripper {
		return handler(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/openapi/v3" || text == "" {
				answerLegacy(w, r, "", "")
				return
			}
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, text)
		})
	}
	behind := fleet(t)
	f := newFront(t, map[string]http.RoundTripper{
		"fleet": behind.Transport(), "none": index(""), "lacks": index(`{"paths":{}}`), "broken": index(`{"paths":`),
		"liar": index(`{"paths":{"apis/liar.example.com/v1":{"serverRelativeURL":"http://elsewhere/?hash=a%26b"},` +
			`"apis/inventory.example.com/v1":{"serverRelativeURL":"/x?hash=1"}}}`),
		"odd": index(`{"paths":{"apis/odd.example.com/v1":7}}`),
	})
	f.Set(fleetService("http://fleet"), service("none", "http://none", "none.example.com", "v1"),
		service("lacks", "http://lacks", "lacks.example.com", "v1"),
		service("broken", "http://broken", "broken.example.com", "v1"),
		service("odd", "http://odd", "odd.example.com", "v1"),
		service("liar", "http://liar", "liar.example.com", "v1"))
	f.waitFor(t, "v1.fleet.example.com", v1alpha1.ConditionAvailable, "True Answers")
	type entry struct{ ServerRelativeURL string }
	read := func(c *http.Client) map[string]entry {
		resp, err := c.Get("http://front/openapi/v3")
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		var doc struct{ Paths map[string]entry }
		if err := json.NewDecoder(resp.Body).Decode(&doc); err != nil {
			t.Fatal(err)
		}
		return doc.Paths
	}
	theirs := read(&http.Client{Transport: behind.Transport()})
	const v3 = "/openapi/v3/apis/"
	want := map[string]string{
		"fleet": theirs["apis/fleet.example.com/v1"].ServerRelativeURL, "lacks": "", "odd": "",
		"none": v3 + "none.example.com/v1", "broken": v3 + "broken.example.com/v1",
		"liar": v3 + "liar.example.com/v1?hash=a%26b",
	}
	var got map[string]entry
	// A server that does not answer in time is described later.
	for deadline := time.Now().Add(2 * time.Minute); ; {
		got = read(f.http)
		shown := map[string]string{}
		for name := range want {
			shown[name] = got["apis/"+name+".example.com/v1"].ServerRelativeURL
		}
		if maps.Equal(shown, want) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("got %v, want %v", shown, want)
		}
	}
	if !strings.Contains(got["apis/inventory.example.com/v1"].ServerRelativeURL, "?hash=") ||
		strings.HasSuffix(got["apis/inventory.example.com/v1"].ServerRelativeURL, "=1") {
		t.Errorf("the entry of the front: %v", got)
	}
	code, header, _ := f.do(t, "GET", got["apis/fleet.example.com/v1"].ServerRelativeURL, "")
	if code != http.StatusOK || !strings.Contains(header.Get("Cache-Control"), "immutable") {
		t.Errorf("the document of the hash: %d %v", code, header)
	}
}

// TestSlowOpenAPI checks that a server which does not send its documents is asked for them once in
// a period, for a bounded time, and that the others are described.
func TestSlowOpenAPI(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	defer close(release)
	var asked, left atomic.Int32
	slow := roundTripperFunc(func(r *http.Request) (*http.Response, error) {
		if slices.Contains([]string{"/openapi/v2", "/openapi/v3"}, r.URL.Path) {
			asked.Add(1)
			select {
			case <-release:
			case <-r.Context().Done():
				left.Add(1)
				return nil, r.Context().Err()
			}
		}
		return handler(func(w http.ResponseWriter, r *http.Request) { answerLegacy(w, r, "", "") }).RoundTrip(r)
	})
	behind := fleet(t).Transport()
	f := newFrontWith(t, aggregator.Config{
		Period: time.Hour, ProbeTime: 4 * time.Second,
		Transport: func(s *v1alpha1.APIServiceSpec) http.RoundTripper {
			if s.URL == "http://slow" {
				return slow
			}
			return behind
		},
	})
	f.Set(fleetService("http://fleet"), service("slow", "http://slow", "slow.example.com", "v1"))
	f.waitFor(t, "v1.fleet.example.com", v1alpha1.ConditionAvailable, "True Answers")
	eventually(t, "the other server is described", func() bool {
		doc, _ := f.swagger(t)
		return doc.Definitions["com.example.fleet.v1.Machine"] != nil
	})
	eventually(t, "the slow server is left", func() bool { return left.Load() > 0 })
	time.Sleep(1200 * time.Millisecond) // after which a server that answers is asked again
	if doc, _ := f.swagger(t); doc.Definitions["com.example.fleet.v1.Machine"] == nil {
		t.Error("the other server is no longer described")
	}
	if n := asked.Load(); n != 1 {
		t.Errorf("the slow server was asked %d times in a period, want once", n)
	}
}

// TestMalformedOpenAPIv2 has servers whose OpenAPI 2.0 documents clients could not read. They are
// left out of that of the front, and those of other servers stay.
func TestMalformedOpenAPIv2(t *testing.T) {
	t.Parallel()
	doc := func(item, definition string) string {
		return `{"paths":{"/apis/g.example.com/v1/things":` + item + `,"/apis/elsewhere.example.com/v1":7},"definitions":{` +
			`"Thing":` + definition + `,"Unused":7},"parameters":{"p":{"name":7}}}`
	}
	operation := func(text string) string { return `{"get":{` + text + `}}` }
	const refers = `"responses":{"200":{"description":"OK","schema":{"$ref":"#/definitions/Thing"}}}`
	var answered atomic.Int32
	backends := map[string]http.RoundTripper{"fleet": fleet(t).Transport()}
	services := []*v1alpha1.APIService{fleetService("http://fleet")}
	want := map[string]bool{}
	for name, tt := range map[string]struct {
		doc string
		ok  bool
	}{
		"good": {doc(operation(refers+`,"tags":["a"],"parameters":[{"name":"a","in":"query","type":"string","required":true}]`),
			`{"type":["string","null"],"required":["a"],"properties":{"a":{"items":{"type":"string"}}},"x-any":7,`+
				`"additionalProperties":true,"allOf":[{"additionalProperties":{"type":"string"}}]}`), true},
		"item":       {doc(`{"get":[]}`, `{}`), false},
		"tags":       {doc(operation(`"tags":{}`), `{}`), false},
		"responses":  {doc(operation(`"responses":{"200":7}`), `{}`), false},
		"parameters": {doc(operation(`"parameters":[{"name":7}]`), `{}`), false},
		"parameter":  {doc(operation(`"parameters":[{"$ref":"#/parameters/p"}]`), `{}`), false},
		"definition": {doc(operation(refers), `[]`), false},
		"type":       {doc(operation(refers), `{"type":{}}`), false},
		"nested":     {doc(operation(refers), `{"properties":{"a":{"items":{"properties":[]}}}}`), false},
		"all":        {doc(operation(refers), `{"allOf":{}}`), false},
	} {
		host, group := name+".internal", name+".example.com"
		want[group] = tt.ok
		backends[host] = handler(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/openapi/v2" {
				answerLegacy(w, r, "", "")
				return
			}
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, strings.ReplaceAll(tt.doc, "g.example.com", group))
			answered.Add(1)
		})
		services = append(services, service(name, "http://"+host, group, "v1"))
	}
	f := newFront(t, backends)
	f.Set(services...)
	f.waitFor(t, "v1.fleet.example.com", v1alpha1.ConditionAvailable, "True Answers")
	eventually(t, "the correct servers are described, and the others have answered", func() bool {
		doc, _ := f.swagger(t)
		return doc.Definitions["com.example.fleet.v1.Machine"] != nil &&
			doc.Paths["/apis/good.example.com/v1/things"] != nil && int(answered.Load()) >= len(want)
	})
	got, _ := f.swagger(t)
	for group, ok := range want {
		if there := got.Paths["/apis/"+group+"/v1/things"] != nil; there != ok {
			t.Errorf("the paths of %s are there: %t", group, there)
		}
	}
}
