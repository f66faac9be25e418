package main

import (
	"net/http"
	"strings"
	"testing"
	"testing/fstest"
)

// TestSuggestedRequestsWork sends every request that the program prints.
func TestSuggestedRequestsWork(t *testing.T) {
	t.Parallel()
	h, s := mustServe(t)
	requests := suggest(s)
	if len(requests) < 8 {
		t.Errorf("only %d requests", len(requests))
	}
	for _, r := range requests {
		var accept []string
		if r.accept != "" {
			accept = append(accept, r.accept)
		}
		if resp, body := ask(t, h, http.MethodGet, r.path, accept...); resp.StatusCode != http.StatusOK {
			t.Errorf("%s: %s\n%s", r.path, resp.Status, body)
		}
	}
	var b strings.Builder
	printRequests(&b, "http://127.0.0.1:8080", requests)
	golden(t, "testdata/responses/curl.txt", b.String())
}

// TestSuggestForOtherData holds that nothing is suggested that is not there.
func TestSuggestForOtherData(t *testing.T) {
	t.Parallel()
	f := mustFactory(t)
	s, err := load(t.Context(), f, fstest.MapFS{"a.yaml": {Data: []byte("apiVersion: inventory.example.com/v1\nkind: Site\nmetadata: {name: here}\nspec: {address: Here 1}\n")}}, "data", clock)
	if err != nil {
		t.Fatal(err)
	}
	if got := suggest(s); len(got) != 1 || got[0].path != "/apis" {
		t.Errorf("got %v", got)
	}
}
