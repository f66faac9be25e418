package server_test

import (
	"io"
	"strings"
	"testing"

	"github.com/askind/askind/server"
)

// TestMetrics checks that the metrics of a program follow those of the server.
func TestMetrics(t *testing.T) {
	t.Parallel()
	const own = "# HELP cars_sold Cars.\n# TYPE cars_sold counter\ncars_sold 3\n"
	s := newServer(t, server.Metrics(func(w io.Writer) { _, _ = io.WriteString(w, own) }))
	request(s, "GET", machines, "")
	body := request(s, "GET", "/metrics", "").Body.String()
	if !strings.HasSuffix(body, own) || !strings.Contains(body, "\naskind_requests_total{verb=\"list\"") {
		t.Errorf("metrics:\n%s", body)
	}
	for _, want := range []string{`{request_kind="readOnly"} 1`, `{request_kind="mutating"} 0`} { // this request
		if !strings.Contains(body, "\naskind_requests_in_flight"+want+"\n") {
			t.Errorf("there is no %s in\n%s", want, body)
		}
	}
}
