package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// TestOpenAPI asks for everything that the documents say can be had by GET.
func TestOpenAPI(t *testing.T) {
	t.Parallel()
	h, _ := mustServe(t)
	forms, streams := 0, 0
	for _, path := range []string{"/openapi/v3/apis/fleet.example.com/v1", "/openapi/v3/apis/fleet.example.com/v1alpha1", "/openapi/v3/apis/inventory.example.com/v1"} {
		resp, body := ask(t, h, http.MethodGet, path)
		var doc apiDocument
		if err := json.Unmarshal([]byte(body), &doc); err != nil || resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "application/json" {
			t.Fatalf("%s: %s %v", path, resp.Status, err)
		}
		if len(doc.Paths) < 3 {
			t.Errorf("%s has %d paths", path, len(doc.Paths))
		}
		for path, item := range doc.Paths {
			object := "fra-1"
			switch {
			case strings.Contains(path, "/machinepools/"):
				object = "web"
			case strings.HasPrefix(path, "/apis/inventory.example.com/") && strings.Contains(path, "/machines/"):
				object = "spare-1"
			case strings.Contains(path, "/machines/"):
				object = "web-1"
			}
			path = strings.NewReplacer("{namespace}", "default", "{name}", object).Replace(path)
			for accept, media := range item.Get.Responses["200"].Content {
				if strings.Contains(accept, "stream=watch") {
					streams++
					continue
				}
				forms++
				resp, body := ask(t, h, http.MethodGet, path, accept)
				if resp.StatusCode != http.StatusOK {
					t.Fatalf("GET %s as %s: %s\n%s", path, accept, resp.Status, body)
				}
				if kind := media.Schema.Kinds[0]; strings.HasPrefix(resp.Header.Get("Content-Type"), "application/json") && !strings.Contains(body, `"kind": "`+kind.Kind+`"`) {
					t.Errorf("GET %s as %s has no %s:\n%s", path, accept, kind.Kind, body)
				}
			}
			if item.Post != nil && len(item.Post.Responses["201"].Content) == 0 || item.Put != nil && len(item.Put.Responses["200"].Content) == 0 {
				t.Errorf("%s has no forms of what is written", path)
			}
		}
	}
	if forms < 300 || streams < 50 {
		t.Errorf("%d forms and %d streams", forms, streams)
	}
	if resp, body := ask(t, h, http.MethodGet, "/openapi/v3/apis/fleet.example.com/v7"); resp.StatusCode != http.StatusNotFound || !strings.Contains(body, "it has v1") {
		t.Errorf("an unknown version: %s\n%s", resp.Status, body)
	}
}
