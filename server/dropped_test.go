package server_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/askind/askind/conversion/carry"
	"github.com/askind/askind/examples/fleet/api/fleet/v1"
	"github.com/askind/askind/examples/fleet/api/fleet/v1alpha1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/server"
)

// TestDroppedByHook checks that a client learns of a carried value that a hook of another version
// drops, once.
func TestDroppedByHook(t *testing.T) {
	t.Parallel()
	s := newServer(t, server.For[v1alpha1.MachinePool](server.Hooks[v1alpha1.MachinePool]{
		Prepare: func(_ context.Context, _ *server.Request, _, p *v1alpha1.MachinePool) error {
			if p.Name == "edited" {
				carried := p.Annotations[carry.Annotation]
				p.Annotations[carry.Annotation] = strings.Replace(carried, `"30s"`, `"soon"`, 1)
			}
			return nil
		},
	}))
	for name, want := range map[string]int{"edited": 1, "same": 0} {
		body := strings.Replace(pool(name, 1), `"replicas"`, `"cooldown":"30s","replicas"`, 1)
		w := request(s, "POST", pools, body)
		if w.Code != http.StatusCreated {
			t.Fatalf("%s: %d %s", name, w.Code, w.Body)
		}
		warnings := w.Header().Values("Warning")
		if len(warnings) != want {
			t.Fatalf("%s: warnings %q, want %d", name, warnings, want)
		}
		for _, text := range warnings {
			if !strings.Contains(text, "spec.cooldown: the value carried for fleet.example.com/v1/MachinePool is dropped") {
				t.Errorf("%s: %s", name, text)
			}
		}
		if kept := strings.Contains(w.Body.String(), `"cooldown":"30s"`); kept != (want == 0) {
			t.Errorf("%s: %s", name, w.Body)
		}
	}
}

// TestManyWarnings checks that the warnings of one answer are bounded, and none is sent twice.
func TestManyWarnings(t *testing.T) {
	t.Parallel()
	s := newServer(t, server.For[v1alpha1.MachinePool](server.Hooks[v1alpha1.MachinePool]{
		Prepare: func(_ context.Context, r *server.Request, _, _ *v1alpha1.MachinePool) error {
			for range 2 {
				for i := range 30 {
					r.Warn(strings.Repeat("x", i))
				}
			}
			return nil
		},
	}))
	w := request(s, "POST", pools, pool("a", 1))
	got := w.Header().Values("Warning")
	if len(got) != 21 || got[19] != `299 - "`+strings.Repeat("x", 19)+`"` || got[20] != `299 - "20 more warnings are not shown"` {
		t.Errorf("%d %d %q", w.Code, len(got), got)
	}
}

// TestDroppedLosses checks that a client learns of each value that its version or that of storage
// cannot express, unless the write leaves the value in place.
func TestDroppedLosses(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	old := strings.Replace(machines, "/v1/", "/v1alpha1/", 1)
	const (
		rack = `299 - "spec.rack: the value is dropped in fleet.example.com/v1/Machine: since v1 the provider knows the racks"`
		arch = `299 - "spec.hardware.architecture: the value is dropped in fleet.example.com/v1alpha1/Machine: ` +
			`all machines of v1alpha1 were amd64"`
		asset = `299 - "spec.asset: the value is dropped in fleet.example.com/v1alpha1/Machine: ` +
			`v1alpha1 had no inventory records"`
		alpha = `{"apiVersion":"fleet.example.com/v1alpha1","kind":"Machine","metadata":{"name":"%s"},` +
			`"spec":{"zone":"fra-1","cpu":"4","memory":"8Gi","image":"debian-13"%s}}`
	)
	plain, special := machine(`"name":"plain"`), strings.Replace(machine(`"name":"special"`), `"cores":4`,
		`"cores":4,"architecture":"arm64"`, 1)
	special = strings.Replace(special, `"zone":`, `"asset":{"owner":"ops"},"zone":`, 1)
	for _, c := range []struct {
		name, method, path, body, contentType string
		code                                  int
		want                                  []string
	}{
		{
			name: "create", method: "POST", path: old, body: fmt.Sprintf(alpha, "a", `,"rack":"r7"`), code: 201,
			want: []string{rack},
		},
		{name: "create without", method: "POST", path: old, body: fmt.Sprintf(alpha, "b", ""), code: 201},
		{
			name: "update", method: "PUT", path: old + "/b", body: fmt.Sprintf(alpha, "b", `,"rack":"r7"`), code: 200,
			want: []string{rack},
		},
		{name: "what defaults set", method: "POST", path: machines, body: plain, code: 201},
		{
			name: "a patch that defaults mend", method: "PATCH", path: old + "/plain", body: `{"spec":{"zone":"fra-2"}}`,
			contentType: "application/merge-patch+json", code: 200,
		},
		{name: "what v1 has", method: "POST", path: machines, body: special, code: 201},
		{
			name: "a patch in v1", method: "PATCH", path: machines + "/special", body: `{"spec":{"zone":"fra-2"}}`,
			contentType: "application/merge-patch+json", code: 200,
		},
		{
			name: "a dry run", method: "PATCH", path: old + "/special?dryRun=All", body: `{"spec":{"zone":"fra-3"}}`,
			contentType: "application/merge-patch+json", code: 200, want: []string{asset, arch},
		},
		{
			name: "apply", method: "PATCH", path: old + "/special?dryRun=All&fieldManager=m&force=true",
			body:        fmt.Sprintf(alpha, "special", ""),
			contentType: "application/apply-patch+yaml", code: 200, want: []string{asset, arch},
		},
		{
			name: "a patch", method: "PATCH", path: old + "/special", body: `{"spec":{"zone":"fra-3"}}`,
			contentType: "application/merge-patch+json", code: 200, want: []string{asset, arch},
		},
		{
			name: "the next patch", method: "PATCH", path: old + "/special", body: `{"spec":{"zone":"fra-4"}}`,
			contentType: "application/merge-patch+json", code: 200,
		},
	} {
		var headers []string
		if c.contentType != "" {
			headers = append(headers, "Content-Type: "+c.contentType)
		}
		w := request(s, c.method, c.path, c.body, headers...)
		if got := w.Header().Values("Warning"); w.Code != c.code || !slices.Equal(got, c.want) {
			t.Errorf("%s: %d, warnings\n got %q\nwant %q\n%s", c.name, w.Code, got, c.want, w.Body)
		}
	}
}

// TestDroppedLossesOfHooks checks that a client learns of values that are lost because a hook
// prepares the object in another version.
func TestDroppedLossesOfHooks(t *testing.T) {
	t.Parallel()
	s := newServer(t, server.For[v1alpha1.Machine](server.Hooks[v1alpha1.Machine]{
		Prepare: func(context.Context, *server.Request, *v1alpha1.Machine, *v1alpha1.Machine) error { return nil },
	}))
	body := strings.Replace(machine(`"name":"m"`), `"cores":4`, `"cores":4,"architecture":"arm64"`, 1)
	w := request(s, "POST", machines, body)
	got := w.Header().Values("Warning")
	if w.Code != http.StatusCreated || len(got) != 1 || !strings.Contains(got[0], "spec.hardware.architecture: ") {
		t.Errorf("%d, warnings %q\n%s", w.Code, got, w.Body)
	}
}

// TestDroppedLossesOfActions checks that a client learns of values that are lost because an action
// takes the object in another version, and of no value that an action changes.
func TestDroppedLossesOfActions(t *testing.T) {
	t.Parallel()
	s := newServer(t,
		server.Subresource[v1.Machine, metav1.Scale]("emulate",
			func(_ context.Context, _ *server.Request, m *v1.Machine, in *metav1.Scale) (*metav1.Scale, error) {
				m.Spec.Hardware.Architecture = v1.ArchitectureAMD64
				return in, nil
			}),
		server.Subresource[v1alpha1.Machine, metav1.Scale]("move",
			func(_ context.Context, _ *server.Request, m *v1alpha1.Machine, in *metav1.Scale) (*metav1.Scale, error) {
				m.Spec.Zone = "fra-2"
				return in, nil
			}))
	old := strings.Replace(machines, "/v1/", "/v1alpha1/", 1)
	for _, c := range []struct {
		path string
		want int
	}{{old + "/emulated/emulate", 0}, {machines + "/moved/move", 1}, {old + "/moved-too/move", 1}} {
		name := strings.Split(c.path, "/")[7]
		body := strings.Replace(machine(fmt.Sprintf(`"name":%q`, name)), `"cores":4`, `"cores":4,"architecture":"arm64"`, 1)
		if w := request(s, "POST", machines, body); w.Code != http.StatusCreated {
			t.Fatal(w.Body)
		}
		w := request(s, "POST", c.path, `{"spec":{"replicas":1}}`)
		got := w.Header().Values("Warning")
		if w.Code != http.StatusCreated || len(got) != c.want ||
			c.want > 0 && !strings.Contains(got[0], "spec.hardware.architecture: ") {
			t.Errorf("%s: %d, warnings %q\n%s", c.path, w.Code, got, w.Body)
		}
	}
}
