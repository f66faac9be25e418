package server_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	inventoryv1 "github.com/askind/askind/examples/fleet/api/inventory/v1"
	"github.com/askind/askind/meta/dynamic"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/patch/apply"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/server"
)

// TestResetManagers removes all managers of an object by an empty list, and by one empty entry.
func TestResetManagers(t *testing.T) {
	t.Parallel()
	const media = "Content-Type: application/apply-patch+yaml"
	withBoats, _ := withBoats(t, server.ManagedFields(apply.Always))
	for _, tt := range []struct {
		name, base, body string
		s                *server.Server
	}{
		{"always", sites, site("a"), newServer(t, server.ManagedFields(apply.Always))},
		{"from the first apply", sites, site("a"), newServer(t)},
		{"without a Go type", boats, boat("a"), withBoats},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			first := step{
				name: "apply", method: "PATCH", path: "a?fieldManager=one&force=true", headers: []string{media},
				body: tt.body, code: http.StatusCreated, want: []string{`"manager":"one"`},
			}
			for _, list := range []string{"[]", "[{}]"} {
				put := strings.Replace(tt.body, `"name":"a"`, `"name":"a","managedFields":`+list, 1)
				for mediaType, body := range map[string]string{
					"application/json":             put,
					"application/merge-patch+json": `{"metadata":{"managedFields":` + list + `}}`,
					"application/json-patch+json": `[{"op":"replace","path":"/metadata/managedFields","value":` +
						list + `}]`,
				} {
					reset := step{
						name: mediaType + " " + list, method: "PATCH", path: "a",
						headers: []string{"Content-Type: " + mediaType}, body: body,
						code: http.StatusOK, not: []string{"managedFields"},
					}
					if mediaType == "application/json" {
						reset.method = "PUT"
					}
					run(t, tt.s, tt.base, []step{first, reset})
					first.code = http.StatusOK
				}
			}
		})
	}
}

// TestUnreadableManagers checks that managed fields that were stored by a hook, or outside of the
// server, and that cannot be read, are reported and can be removed.
func TestUnreadableManagers(t *testing.T) {
	t.Parallel()
	const media = "Content-Type: application/apply-patch+yaml"
	s := newServer(t, server.For[inventoryv1.Site](server.Hooks[inventoryv1.Site]{
		Prepare: func(_ context.Context, _ *server.Request, old, new *inventoryv1.Site) error {
			if old == nil {
				new.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "m", Operation: "Update", APIVersion: "v1"}}
			}
			return nil
		},
	}))
	run(t, s, sites, []step{
		{name: "create", method: "POST", body: site("a"), code: http.StatusCreated, want: []string{`"manager":"m"`}},
		{
			name: "apply", method: "PATCH", path: "a?fieldManager=one", headers: []string{media}, body: site("a"),
			code: http.StatusUnprocessableEntity, want: []string{`"reason":"Invalid"`, "[{}]"},
		},
		{
			name: "update", method: "PUT", path: "a", body: site("a"), code: http.StatusOK,
			want: []string{`"manager":"m"`},
		},
		{
			name: "remove", method: "PATCH", path: "a", headers: []string{"Content-Type: application/merge-patch+json"},
			body: `{"metadata":{"managedFields":[{}]}}`, code: http.StatusOK, not: []string{"managedFields"},
		},
		{
			name: "apply again", method: "PATCH", path: "a?fieldManager=one", headers: []string{media}, body: site("a"),
			code: http.StatusOK, want: []string{`"manager":"one"`},
		},
	})
}

// TestManagersOfOtherGroups checks that a manager in a version of another group, which has a kind
// of the same name, is dropped like one in an unknown version, and that the write is recorded.
func TestManagersOfOtherGroups(t *testing.T) {
	t.Parallel()
	const media = "Content-Type: application/apply-patch+yaml"
	s, _ := withBoats(t, server.ManagedFields(apply.Always))
	other, err := dynamic.New(dynamic.Definition{
		Group: "other.example.com", Kind: "Boat", Resource: "boats", Scope: runtime.Namespaced,
		Versions: []dynamic.Version{{Name: "v1", Storage: true, Schema: []byte(`{"type":"object"}`)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Install(other.AddTo); err != nil {
		t.Fatal(err)
	}
	claim := `"managedFields":[{"manager":"x","operation":"Apply","apiVersion":"other.example.com/v1",` +
		`"fieldsType":"FieldsV1","fieldsV1":{"f:spec":{}}}],`
	run(t, s, boats, []step{
		{
			name: "apply", method: "PATCH", path: "a?fieldManager=one", headers: []string{media}, body: boat("a"),
			code: http.StatusCreated,
		},
		{
			name: "update", method: "PUT", path: "a?fieldManager=two", code: http.StatusOK,
			body: strings.NewReplacer(`"name"`, claim+`"name"`, `"crew":3`, `"crew":4`).Replace(boat("a")),
			want: []string{`"manager":"two"`}, not: []string{"other.example.com"},
		},
	})
}
