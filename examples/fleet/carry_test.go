package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestOldVersionKeepsData checks that an ordinary edit through an old version, which gets an
// object, changes a field and puts it back, keeps what that version does not know.
func TestOldVersionKeepsData(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(mustServe(t))
	defer srv.Close()
	do := func(method, version string, body any) (out map[string]any) {
		t.Helper()
		path, code := "/namespaces/default/machinepools", http.StatusCreated
		if method != http.MethodPost {
			path, code = path+"/kept", http.StatusOK
		}
		data, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		req, err := http.NewRequestWithContext(t.Context(), method,
			srv.URL+"/apis/fleet.example.com/"+version+path, strings.NewReader(string(data)))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if data, err = io.ReadAll(resp.Body); err != nil {
			t.Fatal(err)
		}
		if resp.StatusCode != code {
			t.Fatalf("%s %s: %s: %s", method, version, resp.Status, data)
		}
		if warnings := resp.Header.Values("Warning"); len(warnings) > 0 {
			t.Errorf("%s %s: warnings %q", method, version, warnings)
		}
		if err := json.Unmarshal(data, &out); err != nil {
			t.Fatal(err)
		}
		return out
	}
	spec := func(pool map[string]any) map[string]any { return pool["spec"].(map[string]any) }

	var pool map[string]any
	if err := json.Unmarshal([]byte(`{"kind": "MachinePool", "apiVersion": "fleet.example.com/v1",
		"metadata": {"name": "kept", "namespace": "default"},
		"spec": {"replicas": 2, "cooldown": "2m0s", "zones": ["a"],
			"template": {"metadata": {"labels": {"pool": "kept"}}, "spec": {"zone": "a",
				"hardware": {"cores": 2, "memory": "4Gi"},
				"boot": {"type": "Network", "network": {"url": "https://boot.example.net/"}}}}}}`), &pool); err != nil {
		t.Fatal(err)
	}
	do(http.MethodPost, "v1", pool)
	for size := 3; size < 5; size++ {
		old := do(http.MethodGet, "v1alpha1", nil)
		spec(old)["size"], spec(old)["zones"] = size, fmt.Sprint("a,b", size)
		do(http.MethodPut, "v1alpha1", old)
		now := do(http.MethodGet, "v1", nil)
		if got := spec(now); got["replicas"] != float64(size) || got["cooldown"] != "2m0s" {
			t.Errorf("after the edit through v1alpha1 the spec is %v", got)
		}
		if text := fmt.Sprint(now["metadata"]); strings.Contains(text, "conversion.askind.dev/") {
			t.Errorf("v1 keeps what was carried: %s", text)
		}
	}
}
