package server_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/askind/askind/examples/fleet/api/fleet/v1"
	"github.com/askind/askind/examples/fleet/api/fleet/v1beta1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/server"
)

// record notes what hooks are called with.
type record struct {
	mu    sync.Mutex
	lines []string
}

func (r *record) add(line string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = append(r.lines, line)
}

// take returns what was noted, and forgets it.
func (r *record) take() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := strings.Join(r.lines, "; ")
	r.lines = nil
	return out
}

// names describes which of the two objects there are.
func names(step string, old, new *v1.Machine) string {
	if old != nil {
		step += " old=" + old.Spec.Zone
	}
	if new != nil {
		step += " new=" + new.Spec.Zone
	}
	return step
}

func TestHooks(t *testing.T) {
	t.Parallel()
	var calls record
	s := newServer(t,
		server.For[v1.Machine](server.Hooks[v1.Machine]{
			Prepare: func(_ context.Context, r *server.Request, old, new *v1.Machine) error {
				calls.add(names("prepare", old, new))
				if new.Labels == nil {
					new.Labels = map[string]string{}
				}
				new.Labels["by"] = "hook"
				r.Warn(`prepared "it"`)
				return nil
			},
			Validate: func(_ context.Context, _ *server.Request, old, new *v1.Machine) runtime.FieldErrors {
				calls.add(names("validate", old, new))
				if new.Spec.Zone == "moon" {
					return runtime.FieldErrors{runtime.Invalid(schema.NewPath("spec", "zone"), new.Spec.Zone,
						"there is no air")}
				}
				return nil
			},
			Admit: func(_ context.Context, r *server.Request, old, new *v1.Machine) error {
				calls.add(names("admit "+r.Verb, old, new))
				if old != nil && new == nil && old.Annotations["keep"] != "" {
					return metav1.Forbidden(schema.GroupResource{Resource: r.Resource.Resource}, r.Name,
						errors.New("it is to be kept"))
				}
				return nil
			},
			AfterCommit: func(_ context.Context, _ *server.Request, old, new *v1.Machine) {
				calls.add(names("after", old, new))
			},
		}),
		server.For[v1beta1.Machine](server.Hooks[v1beta1.Machine]{
			Prepare: func(_ context.Context, _ *server.Request, _, new *v1beta1.Machine) error {
				new.Labels["version"] = new.APIVersion[len("fleet.example.com/"):]
				return nil
			},
		}),
		server.Admit(func(_ context.Context, r *server.Request, old, new runtime.Object) error {
			if r.Name == "boom" {
				panic("a hook panics")
			}
			if r.Name == "broken" {
				return errors.New("the database password is wrong")
			}
			return nil
		}),
	)
	for _, c := range []struct {
		name  string
		step  step
		calls string
	}{
		{
			"create",
			step{
				method: "POST", body: machine(`"name":"a"`), code: http.StatusCreated,
				want: []string{`"by":"hook"`, `"version":"v1beta1"`, `Warning: 299 - "prepared \"it\""`},
			},
			"prepare new=fra-1; validate new=fra-1; admit create new=fra-1; after new=fra-1",
		},
		{"update", step{
			method: "PUT", path: "a", body: strings.Replace(machine(`"name":"a"`), "fra-1", "fra-2", 1),
			code: http.StatusOK,
		}, "prepare old=fra-1 new=fra-2; validate old=fra-1 new=fra-2; admit update old=fra-1 new=fra-2; after old=fra-1 new=fra-2"},
		{"no change", step{
			method: "PUT", path: "a", body: strings.Replace(machine(`"name":"a"`), "fra-1", "fra-2", 1),
			code: http.StatusOK,
		}, "prepare old=fra-2 new=fra-2; validate old=fra-2 new=fra-2; admit update old=fra-2 new=fra-2"},
		{"dry run", step{
			method: "PATCH", path: "a?dryRun=All", headers: []string{"Content-Type: application/merge-patch+json"},
			body: `{"spec":{"zone":"x"}}`, code: http.StatusOK,
		}, "prepare old=fra-2 new=x; validate old=fra-2 new=x; admit patch old=fra-2 new=x"},
		{
			"invalid",
			step{
				method: "POST", body: strings.Replace(machine(`"name":"b"`), "fra-1", "moon", 1),
				code: http.StatusUnprocessableEntity, want: []string{"there is no air", `Warning: 299 - "prepared`},
			},
			"prepare new=moon; validate new=moon",
		},
		{"delete", step{method: "DELETE", path: "a", code: http.StatusOK}, "admit delete old=fra-2; after old=fra-2"},
		{
			"kept",
			step{method: "POST", body: machine(`"name":"k","annotations":{"keep":"1"}`), code: http.StatusCreated},
			"prepare new=fra-1; validate new=fra-1; admit create new=fra-1; after new=fra-1",
		},
		{
			"refused",
			step{method: "DELETE", path: "k", code: http.StatusForbidden, want: []string{"it is to be kept"}},
			"admit delete old=fra-1",
		},
		{
			"with a finalizer", step{
				method: "POST", body: machine(`"name":"f","finalizers":["example.com/f"]`), code: http.StatusCreated,
			}, "prepare new=fra-1; validate new=fra-1; admit create new=fra-1; after new=fra-1",
		},
		{
			"marked for deletion",
			step{method: "DELETE", path: "f", code: http.StatusOK},
			"admit delete old=fra-1; after old=fra-1 new=fra-1",
		},
		{"marked already", step{method: "DELETE", path: "f", code: http.StatusOK}, "admit delete old=fra-1"},
		{"an internal error", step{
			method: "POST", body: machine(`"name":"broken"`),
			code: http.StatusInternalServerError, want: []string{"internal error", "request ID"},
			not: []string{"password"},
		}, "prepare new=fra-1; validate new=fra-1"},
		{"a panic", step{
			method: "POST", body: machine(`"name":"boom"`), code: http.StatusInternalServerError,
			want: []string{"internal error"}, not: []string{"panics"},
		}, "prepare new=fra-1; validate new=fra-1"},
	} {
		c.step.name = c.name
		run(t, s, machines, []step{c.step})
		if got := calls.take(); got != c.calls {
			t.Errorf("%s: the hooks were called as\n%s\nwant\n%s", c.name, got, c.calls)
		}
	}
}
