package server

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Check adds a check with a name to the health of the server. It runs for requests of /readyz and
// /healthz and, alone, of /readyz/NAME. It must return before the context ends.
func Check(name string, f func(ctx context.Context) error) Option {
	return optionFunc(func(c *config) {
		if unfitName(name) {
			c.err = append(c.err, fmt.Errorf("server: %q cannot be the name of a check", name))
		}
		c.checks = append(c.checks, namedCheck{name, f})
	})
}

// namedCheck is a check of the health of the server.
type namedCheck struct {
	name  string
	check func(ctx context.Context) error
}

// health answers whether the server is well.
type health struct {
	live, ready []namedCheck
}

// newHealth returns the checks of the server and of its program.
func (s *Server) newHealth() *health {
	ping := namedCheck{"ping", func(context.Context) error { return nil }}
	running := namedCheck{"shutdown", func(context.Context) error {
		if s.ctx.Err() != nil {
			return fmt.Errorf("the server is shutting down")
		}
		return nil
	}}
	// A store that has ended stays so until the program starts again.
	stores := namedCheck{"store", func(context.Context) error {
		for _, st := range s.stores.all {
			if err := st.Err(); err != nil {
				return err
			}
		}
		return nil
	}}
	return &health{
		live:  []namedCheck{ping, stores},
		ready: append([]namedCheck{ping, running, stores}, s.config.checks...),
	}
}

// checkTime is how long all checks together may take.
const checkTime = 10 * time.Second

// serve answers a request for the health as plain text: "ok", or a list of the checks if one fails
// or the parameter verbose is set. The reason of a failure is logged, not told.
func (s *Server) serveHealth(w http.ResponseWriter, r *http.Request, checks []namedCheck, name string) {
	ctx, cancel := context.WithTimeout(r.Context(), checkTime)
	defer cancel()
	excluded := r.URL.Query()["exclude"]
	var lines strings.Builder
	failed, found := false, name == ""
	for _, c := range checks {
		if name != "" && c.name != name {
			continue
		}
		found = true
		switch {
		case slices.Contains(excluded, c.name):
			fmt.Fprintf(&lines, "[+]%s excluded: ok\n", c.name)
			continue
		case s.passes(ctx, c):
			fmt.Fprintf(&lines, "[+]%s ok\n", c.name)
		default:
			failed = true
			fmt.Fprintf(&lines, "[-]%s failed: reason withheld\n", c.name)
		}
	}
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("X-Content-Type-Options", "nosniff")
	_, verbose := r.URL.Query()["verbose"]
	all, _, _ := strings.Cut(strings.TrimLeft(r.URL.Path, "/"), "/")
	switch {
	case !found:
		http.NotFound(w, r)
	case failed:
		w.WriteHeader(http.StatusInternalServerError)
		fmt.Fprintf(w, "%s%s check failed\n", lines.String(), all)
	case verbose:
		fmt.Fprintf(w, "%s%s check passed\n", lines.String(), all)
	default:
		fmt.Fprint(w, "ok")
	}
}

// passes runs a check.
func (s *Server) passes(ctx context.Context, c namedCheck) bool {
	err := c.check(ctx)
	if err != nil {
		s.config.log.WarnContext(ctx, "health check failed", "check", c.name, "error", err)
	}
	return err == nil
}
