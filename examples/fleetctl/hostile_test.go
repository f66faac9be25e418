package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
	"unicode"
)

// TestHostileServer runs commands against a server that answers with escape sequences and with
// tables whose rows have no cells.
func TestHostileServer(t *testing.T) {
	t.Parallel()
	const (
		red    = "\x1b[31m"
		column = `{"name":"Name\u001b[31m","type":"string"}`
		object = `{"kind":"Table","apiVersion":"meta.k8s.io/v1","columnDefinitions":[` + column + `],"rows":`
		table  = object + `[{"cells":[]},{"cells":["a\u001b[31m",{"b":["\u009b"]}]}]}`
	)
	answers := map[string]string{
		"/api": `{"kind":"APIVersions","versions":["v1"]}`,
		"/api/v1": `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"v1","resources":[{"name":"cars","kind":"Car",` +
			`"singularName":"","namespaced":false,"verbs":["get\u001b[31m"],"shortNames":["c\u001b[31m"]}]}`,
		"/openapi/v3/api/v1": `{"components":{"schemas":{"Car":{"description":"\u001b[31m","x-kubernetes-group-version-kind":` +
			`[{"version":"v1","kind":"Car"}],"properties":{"a\u001b[31m":null}}}}}`,
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Warning", `299 - "a\x1b[31m"`)
		answer, ok := answers[r.URL.Path]
		switch accept := r.Header.Get("Accept"); {
		case ok:
		case r.URL.Path != "/api/v1/cars":
			w.WriteHeader(http.StatusNotFound)
			answer = "there is no\r" + red
		case r.URL.Query().Get("watch") != "":
			answer = strings.Repeat(`{"type":"ADDED","object":`+table+"}\n", 3)
		case strings.Contains(accept, "as=Table") && strings.Contains(accept, "json"):
			answer = table
		default:
			answer = red + "\u009b\n"
		}
		_, _ = io.WriteString(w, answer)
	}))
	t.Cleanup(s.Close)
	for args, want := range map[string]string{
		"get cars":         `\u001b[31m\u009b`,
		"get cars -o name": "cars/\ncars/a\\u001b[31m\n",
		"get cars -o json": `\u001b[31m\u009b`,
		"describe cars":    `\u001b[31m\u009b`,
		"watch cars":       "",
		"api-resources":    `get\u001b[31m`,
		"explain cars":     `a\u001b[31m`,
		"get cars/none":    "",
	} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		var out bytes.Buffer
		c := &command{in: strings.NewReader(""), out: &out, warn: &out}
		err := c.run(ctx, append(strings.Fields(args), "-server", s.URL))
		cancel()
		if err != nil && args != "get cars/none" {
			t.Errorf("%s: %v", args, err)
		}
		got := out.String()
		if i := strings.IndexFunc(strings.NewReplacer("\n", "", "\t", "").Replace(got), unicode.IsControl); i >= 0 {
			t.Errorf("%s: a control character in %q", args, got)
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s: %q lacks %q", args, got, want)
		}
		if args == "watch cars" && strings.Count(got, "NAME") != 1 {
			t.Errorf("the names of columns are repeated: %q", got)
		}
	}
}
