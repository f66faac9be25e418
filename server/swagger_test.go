package server_test

import (
	"net/http"
	"testing"
)

// TestSwaggerPaths serves the documents of group versions where the proposal for API groups has
// them: /swaggerapi/SWAGGERVERSION/PREFIX/GROUP/VERSION.
func TestSwaggerPaths(t *testing.T) {
	t.Parallel()
	run(t, newServer(t), "/swaggerapi", []step{
		{
			name: "2.0", method: "GET", path: "2.0/apis/fleet.example.com/v1", code: http.StatusOK,
			want: []string{`"swagger":"2.0"`, "/apis/fleet.example.com/v1/"}, not: []string{`"/apis/inventory.example.com`},
		},
		{name: "no such version", method: "GET", path: "9.9/apis/fleet.example.com/v1", code: http.StatusNotFound},
		{name: "no such group", method: "GET", path: "2.0/apis/nothing.example.com/v1", code: http.StatusNotFound},
	})
}
