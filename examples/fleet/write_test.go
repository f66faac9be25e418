package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// send sends a request with a body.
func send(t *testing.T, h http.Handler, method, path, body string, headers ...string) (int, string) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

const (
	sites    = inventory + "/sites"
	machines = fleetV1 + "/namespaces/default/machines"
	alphas   = "/apis/fleet.example.com/v1alpha1/namespaces/default/machines"
	oldM     = `{"kind":"Machine","apiVersion":"fleet.example.com/v1alpha1","metadata":{"name":"m"},"spec":{"zone":"z","cpu":"2","memory":"1Gi","image":"i"}}`
)

// TestWrites has requests that change one store, in their order.
func TestWrites(t *testing.T) {
	t.Parallel()
	h, s := mustServe(t)
	for _, tt := range []struct {
		name, method, path, body string
		headers                  []string
		code                     int
		want                     string // in the answer, without white space
	}{
		{"create in an old version", "POST", machines, oldM, nil, 201, `"apiVersion":"fleet.example.com/v1","metadata":{"name":"m","namespace":"default","uid":"`},
		{"it is there", "GET", alphas + "/m", "", nil, 200, `"cpu":"2"`},
		{"create again", "POST", alphas, oldM, nil, 409, `"reason":"AlreadyExists"`},
		{"create in yaml, answered as a table", "POST", sites, "kind: Site\napiVersion: inventory.example.com/v1\nmetadata: {name: s}\nspec: {address: a}\n", []string{"Content-Type", "application/yaml", "Accept", "application/json;as=Table"}, 201, `"cells":["s","a"`},
		{"create without a kind", "POST", sites, `{"metadata":{"name":"t"},"spec":{"address":"a"}}`, nil, 201, `"kind":"Site"`},
		{"create, dry run", "POST", sites + "?dryRun=All", `{"metadata":{"name":"dry"},"spec":{"address":"a"}}`, nil, 201, `"name":"dry"`},
		{"it is not there", "GET", sites + "/dry", "", nil, 404, `"reason":"NotFound"`},
		{"create with a version", "POST", sites, `{"metadata":{"name":"u","resourceVersion":"5"},"spec":{"address":"a"}}`, nil, 400, "a new object has none"},
		{"create in another namespace", "POST", machines, strings.Replace(oldM, `"name":"m"`, `"name":"n","namespace":"lab"`, 1), nil, 400, `it is \"lab\", and the path says \"default\"`},
		{"create something else", "POST", sites, oldM, nil, 400, "cannot be stored as"},
		{"create what is not valid", "POST", sites, `{"metadata":{"name":"v"},"spec":{}}`, nil, 422, `"field":"spec.address"`},
		{"create what is no object", "POST", sites, `{`, nil, 400, "line 1"},
		{"create in an unknown format", "POST", sites, `<a/>`, []string{"Content-Type", "text/xml"}, 415, "application/json, application/yaml"},
		{"create an unknown field", "POST", sites + "?fieldValidation=Strict", `{"metadata":{"name":"w"},"spec":{"adress":"a"}}`, nil, 400, `did you mean \"address\"?`},
		{"create, not acceptable", "POST", sites, `{"metadata":{"name":"x"},"spec":{"address":"a"}}`, []string{"Accept", "image/png"}, 406, `"reason":"NotAcceptable"`},
		{"and not created", "GET", sites + "/x", "", nil, 404, ""},
		{"create an equivalent", "POST", inventory + "/namespaces/default/machines", strings.Replace(oldM, `"name":"m"`, `"name":"eq"`, 1), nil, 201, `"apiVersion":"inventory.example.com/v1"`},
		{"with unknown options", "POST", sites + "?dryRun=Some", `{}`, nil, 422, `unsupported value: \"Some\"`},

		{"update in an old version", "PUT", alphas + "/m", strings.Replace(oldM, `"cpu":"2"`, `"cpu":"4"`, 1), nil, 200, `"generation":2`},
		{"it has changed", "GET", machines + "/m", "", nil, 200, `"cores":4`},
		{"update nothing", "PUT", alphas + "/m", strings.Replace(oldM, `"cpu":"2"`, `"cpu":"4"`, 1), nil, 200, `"generation":2`},
		{"update a label", "PUT", alphas + "/m", strings.NewReplacer(`"cpu":"2"`, `"cpu":"4"`, `"name":"m"`, `"name":"m","labels":{"a":"b"}`).Replace(oldM), nil, 200, `"generation":2,"creationTimestamp":"2026-11-21T12:00:00Z","labels":{"a":"b"}`},
		{"update, dry run", "PUT", sites + "/s?dryRun=All", `{"spec":{"address":"c"}}`, nil, 200, `"address":"c"`},
		{"and not changed", "GET", sites + "/s", "", nil, 200, `"address":"a"`},
		{"update another version", "PUT", sites + "/s", `{"metadata":{"resourceVersion":"1"},"spec":{"address":"b"}}`, nil, 409, "resourceVersion is"},
		{"update another object", "PUT", sites + "/s", `{"metadata":{"uid":"1"},"spec":{"address":"b"}}`, nil, 409, "uid is"},
		{"update, by header", "PUT", sites + "/s", `{"spec":{"address":"b"}}`, []string{"If-Match", `"1.0"`}, 412, `"code":412`},
		{"update, under another name", "PUT", sites + "/s", `{"metadata":{"name":"t"},"spec":{"address":"b"}}`, nil, 400, "the object is /t, and the path says /s"},
		{"update what is not there", "PUT", sites + "/nowhere", `{"spec":{"address":"b"}}`, nil, 404, ""},
		{"update to what is not valid", "PUT", sites + "/s", `{"spec":{}}`, nil, 422, `Site.inventory.example.com \"s\" is invalid`},

		{"the size of a machine", "GET", machines + "/m/scale", "", nil, 404, "machines have no size"},
		{"a size in an old version", "GET", "/apis/fleet.example.com/v1alpha1/namespaces/default/machinepools/web/scale", "", nil, 200, `"spec":{"replicas":3}`},
		{"resize in an old version", "PUT", "/apis/fleet.example.com/v1alpha1/namespaces/default/machinepools/web/scale", `{"spec":{"replicas":4}}`, nil, 200, `"spec":{"replicas":4}`},
		{"it has another size", "GET", fleetV1 + "/namespaces/default/machinepools/web", "", nil, 200, `"spec":{"replicas":4,`},
		{"resize another object", "PUT", fleetV1 + "/namespaces/default/machinepools/web/scale", `{"metadata":{"uid":"x"},"spec":{"replicas":4}}`, nil, 409, "uid is"},
		{"resize under another name", "PUT", fleetV1 + "/namespaces/default/machinepools/web/scale", `{"metadata":{"name":"x"},"spec":{"replicas":4}}`, nil, 400, `the scale is that of \"x\"`},
		{"resize with something else", "PUT", fleetV1 + "/namespaces/default/machinepools/web/scale", oldM, nil, 400, "cannot be used here"},
		{"resize below nothing", "PUT", fleetV1 + "/namespaces/default/machinepools/web/scale", `{"spec":{"replicas":-4}}`, nil, 422, `"field":"spec.replicas"`},
		{"resize what is not there", "PUT", fleetV1 + "/namespaces/default/machinepools/nobody/scale", `{"spec":{"replicas":4}}`, nil, 404, ""},
		{"delete a size", "DELETE", fleetV1 + "/namespaces/default/machinepools/web/scale", "", nil, 405, ""},

		{"delete another version", "DELETE", sites + "/s?resourceVersion=1", "", nil, 409, "resourceVersion is"},
		{"delete another object", "DELETE", sites + "/s", `{"preconditions":{"uid":"x"}}`, nil, 409, "uid is"},
		{"delete, by header", "DELETE", sites + "/s", "", []string{"If-Match", `"1.0"`}, 412, ""},
		{"delete, dry run", "DELETE", sites + "/s?dryRun=All", "", nil, 200, `"status":"Success"`},
		{"delete", "DELETE", sites + "/s", "", nil, 200, `"status":"Success","details":{"name":"s","group":"inventory.example.com","kind":"sites","uid":"`},
		{"delete again", "DELETE", sites + "/s", "", nil, 404, ""},
		{"delete with unknown options", "DELETE", sites + "/t?propagationPolicy=Never", "", nil, 422, "Never"},
		{"create with finalizers", "POST", sites, `{"metadata":{"name":"f","finalizers":["example.com/x"]},"spec":{"address":"a"}}`, nil, 201, ""},
		{"delete with finalizers", "DELETE", sites + "/f", "", nil, 409, "it has finalizers"},
		{"finalize", "PUT", sites + "/f", `{"spec":{"address":"a"}}`, nil, 200, ""},
		{"delete when it is final", "DELETE", sites + "/f", "", nil, 200, ""},
		{"delete some", "DELETE", sites + "?fieldSelector=metadata.name!=fra-1", "", nil, 200, `"name":"ber-1"`},
		{"the others are left", "GET", sites, "", nil, 200, `"items":[{"metadata":{"name":"fra-1"`},
		{"watch what is deleted", "DELETE", sites + "?fieldSelector=spec.address=x", "", nil, 400, "not selected by"},
	} {
		code, body := send(t, h, tt.method, tt.path, tt.body, tt.headers...)
		var compact strings.Builder
		for line := range strings.Lines(body) {
			compact.WriteString(strings.Replace(strings.TrimSpace(line), `": `, `":`, 1))
		}
		if code != tt.code || !strings.Contains(compact.String(), tt.want) {
			t.Errorf("%s: %d\n%s", tt.name, code, body)
		}
	}
	if n := s.current(); n < 20 {
		t.Errorf("the store is at version %d", n)
	}
}

// TestConcurrentWrites has many clients count up at once, each with the version that it has read.
func TestConcurrentWrites(t *testing.T) {
	t.Parallel()
	h, _ := mustServe(t)
	const path = fleetV1 + "/namespaces/default/machinepools/web/scale"
	type scale struct {
		Metadata struct{ ResourceVersion string }
		Spec     struct{ Replicas int }
	}
	read := func() (s scale) {
		_, body := send(t, h, "GET", path, "")
		if err := json.Unmarshal([]byte(body), &s); err != nil {
			t.Error(err)
		}
		return s
	}
	before := read().Spec.Replicas
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for range 10 {
				for {
					s := read()
					code, body := send(t, h, "PUT", path, fmt.Sprintf(`{"metadata":{"resourceVersion":%q},"spec":{"replicas":%d}}`, s.Metadata.ResourceVersion, s.Spec.Replicas+1))
					if code == http.StatusOK {
						break
					}
					if code != http.StatusConflict {
						t.Errorf("%d %s", code, body)
						return
					}
				}
			}
		})
	}
	wait.Wait()
	if got := read().Spec.Replicas - before; got != 80 {
		t.Errorf("counted to %d", got)
	}
}

// TestReads holds what versions and fields in a query mean.
func TestReads(t *testing.T) {
	t.Parallel()
	h, _ := mustServe(t)
	for _, tt := range []struct {
		query string
		code  int
		want  string
	}{
		{"?resourceVersion=14", 200, "fra-1"},
		{"?resourceVersion=0", 200, "fra-1"},
		{"?resourceVersion=3&resourceVersionMatch=NotOlderThan", 200, "fra-1"},
		{"?resourceVersion=14&resourceVersionMatch=Exact", 200, "fra-1"},
		{"?resourceVersion=3&resourceVersionMatch=Exact", 410, "the resource version 3 is gone; the present one is 14"},
		{"?resourceVersion=15", 504, "too large resource version"},
		{"?resourceVersion=x", 400, `\"x\" is not a version`},
		{"?continue=x", 410, "not of this server"},
		{"?limit=1", 200, "ber-1"},
		{"?fieldSelector=metadata.name=ber-1", 200, "ber-1"},
		{"?fieldSelector=metadata.name%3D%3Dber-1,metadata.namespace=", 200, "ber-1"},
		{"?fieldSelector=metadata.name", 400, "is not of the form field=value"},
		{"?fieldSelector=status.phase=x", 400, `not selected by \"status.phase\"`},
		{"/fra-1?resourceVersion=15", 504, "is yet to come"},
		{"?timeout=32s", 200, "fra-1"},
	} {
		if code, body := send(t, h, "GET", sites+tt.query, ""); code != tt.code || !strings.Contains(body, tt.want) {
			t.Errorf("%s: %d\n%s", tt.query, code, body)
		}
	}
	if _, body := send(t, h, "GET", sites+"?fieldSelector=metadata.name!%3Dfra-1", ""); strings.Contains(body, "fra-1") {
		t.Errorf("got %s", body)
	}
}
