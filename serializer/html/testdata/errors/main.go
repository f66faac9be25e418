// Command errors serves the pages of errors at paths that a browser can open: /401, /403, /404,
// /406 and /422.
package main

import (
	"context"
	"fmt"
	"log"
	"net"
	"net/http"
	"strings"

	"github.com/askind/askind/examples/fleet/api/fleet/v1"
	"github.com/askind/askind/examples/fleet/api/fleet/v1beta1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer/html"
	"github.com/askind/askind/server"
	"github.com/askind/askind/server/auth"
	"github.com/askind/askind/store/memory"
)

const (
	machines = "/apis/fleet.example.com/v1/namespaces/default/machines"
	invalid  = `{"metadata": {"name": "web-1"}, "spec": {"hardware": {"architecture": "pdp11"},
		"disks": [{"name": "Root Disk"}, {"name": "Root Disk", "size": "1Gi"}]}}`
)

func main() {
	users := auth.Tokens(map[string]auth.User{"secret": {Name: "eve"}})
	open, closed := serve(), serve(server.Authenticate(users), server.Authorize(auth.MastersAllowed()))
	pages := http.NewServeMux()
	for _, p := range []struct {
		at             string
		srv            http.Handler
		method, target string
		token, body    string
	}{
		{at: "/401", srv: closed, method: "GET", target: machines},
		{at: "/403", srv: closed, method: "GET", target: machines, token: "secret"},
		{at: "/404", srv: open, method: "GET", target: machines + "/web-1"},
		{at: "/406", srv: open, method: "GET", target: machines + "?accept=image/png"},
		{at: "/422", srv: open, method: "POST", target: machines, body: invalid},
	} {
		pages.HandleFunc(p.at, func(w http.ResponseWriter, _ *http.Request) {
			r, err := http.NewRequestWithContext(context.Background(), p.method, p.target, strings.NewReader(p.body))
			check(err)
			r.Host, r.RemoteAddr = "localhost", "127.0.0.1:1"
			r.Header = http.Header{"Accept": {"text/html"}, "Content-Type": {"application/json"}}
			if p.token != "" {
				r.Header.Set("Authorization", "Bearer "+p.token)
			}
			p.srv.ServeHTTP(w, r)
		})
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	fmt.Println("http://" + l.Addr().String())
	check(http.Serve(l, pages))
}

// serve returns a server with pages for browsers.
func serve(options ...server.Option) http.Handler {
	scheme, err := runtime.NewScheme(v1.AddTo, v1beta1.AddTo)
	check(err)
	srv, err := server.NewWithFormats(scheme, memory.New(), append(server.Formats(), html.Format()), options...)
	check(err)
	return srv
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
