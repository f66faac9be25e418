package server_test

import (
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/askind/askind/client"
	inventoryv1 "github.com/askind/askind/examples/fleet/api/inventory/v1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/patch/apply"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/cbor"
	"github.com/askind/askind/serializer/format"
	"github.com/askind/askind/serializer/json"
	"github.com/askind/askind/serializer/yaml"
	"github.com/askind/askind/server"
	"github.com/askind/askind/store/memory"
)

func TestApply(t *testing.T) {
	t.Parallel()
	const media = "Content-Type: application/apply-patch+yaml"
	config := func(fields string) string {
		return `{"apiVersion":"inventory.example.com/v1","kind":"Site","metadata":{"name":"a"},"spec":{` + fields + `}}`
	}
	s := newServer(t)
	run(t, s, sites, []step{
		{
			name: "without a manager", method: "PATCH", path: "a", headers: []string{media},
			body: config(`"address":"here"`),
			code: http.StatusUnprocessableEntity, want: []string{"fieldManager"},
		},
		{
			name: "what has to be there", method: "PATCH", path: "a?fieldManager=one",
			headers: []string{media, "If-Match: *"}, body: config(`"address":"here"`),
			code: http.StatusPreconditionFailed,
		},
		{
			name: "any version", method: "PATCH", path: "a?fieldManager=one&dryRun=All", headers: []string{media},
			body: strings.Replace(site("a"), `"metadata":{`, `"metadata":{"resourceVersion":"0",`, 1),
			code: http.StatusCreated,
		},
		{
			name: "what is not there is created", method: "PATCH", path: "a?fieldManager=one", headers: []string{media},
			body: config(`"address":"here"`), code: http.StatusCreated,
			want: []string{`"manager":"one"`, `"operation":"Apply"`, `"f:address"`, `"uid":"`, `"generation":1`},
		},
		{
			name: "what must not be there", method: "PATCH", path: "a?fieldManager=one",
			headers: []string{media, "If-None-Match: *"}, body: config(`"address":"here"`),
			code: http.StatusPreconditionFailed,
		},
		{
			name: "the same changes nothing", method: "PATCH", path: "a?fieldManager=one", headers: []string{media},
			body: config(`"address":"here"`), code: http.StatusOK, want: []string{`"resourceVersion":"{version}"`},
		},
		{
			name: "in YAML", method: "PATCH", path: "a?fieldManager=one", headers: []string{media},
			body: "apiVersion: inventory.example.com/v1\nkind: Site\nmetadata: {name: a, labels: {x: web}}\nspec: {address: here}\n",
			code: http.StatusOK, want: []string{`"x":"web"`},
		},
		{
			name: "a field of another manager", method: "PATCH", path: "a?fieldManager=two", headers: []string{media},
			body: config(`"address":"there"`), code: http.StatusConflict,
			want: []string{`"reason":"FieldManagerConflict"`, `"field":".spec.address"`, `conflict with \"one\"`},
		},
		{
			name: "by force", method: "PATCH", path: "a?fieldManager=two&force=true", headers: []string{media},
			body: config(`"address":"there"`), code: http.StatusOK, want: []string{
				`"address":"there"`,
				`"manager":"two"`,
			},
		},
		{
			name: "an update is accounted", method: "PUT", path: "a?fieldManager=three",
			body: strings.Replace(site("a"), `"spec"`, `"spec"`, 1),
			code: http.StatusOK, want: []string{`"manager":"three"`, `"operation":"Update"`},
		},
		{
			name: "and a patch, by its program", method: "PATCH", path: "a",
			headers: []string{"Content-Type: application/merge-patch+json", "User-Agent: tool/v1"},
			body:    `{"metadata":{"labels":{"z":"z"}}}`, code: http.StatusOK, want: []string{`"manager":"tool"`},
		},
		{
			name: "an unknown field", method: "PATCH", path: "a?fieldManager=one&fieldValidation=Strict",
			headers: []string{media},
			body:    config(`"adress":"here"`), code: http.StatusBadRequest, want: []string{
				"strict decoding error",
				"adress",
			},
		},
		{
			name: "nor can it be ignored", method: "PATCH", path: "a?fieldManager=one&fieldValidation=Ignore",
			headers: []string{media}, body: config(`"adress":"here"`), code: http.StatusBadRequest,
			want: []string{`unknown field \"spec.adress\"`},
		},
		{
			name: "another name", method: "PATCH", path: "b?fieldManager=one", headers: []string{media},
			body: config(`"address":"here"`), code: http.StatusBadRequest,
		},
		{
			name: "another kind", method: "PATCH", path: "a?fieldManager=one", headers: []string{media},
			body: machine(`"name":"a"`), code: http.StatusBadRequest,
		},
		{
			name: "what is not valid", method: "PATCH", path: "c?fieldManager=one", headers: []string{media},
			body: strings.Replace(config(""), `"name":"a"`, `"name":"c"`, 1), code: http.StatusUnprocessableEntity,
			want: []string{"spec.address"},
		},
		{
			name: "what is meant for an object that is gone", method: "PATCH", path: "c?fieldManager=one",
			headers: []string{media},
			body:    strings.Replace(config(`"address":"x"`), `"name":"a"`, `"name":"c","uid":"1"`, 1),
			code:    http.StatusConflict,
			want:    []string{"uid mismatch: the provided object specified uid 1, and no existing object was found"},
		},
		{
			name: "a dry run", method: "PATCH", path: "d?fieldManager=one&dryRun=All", headers: []string{media},
			body: strings.Replace(config(`"address":"x"`), `"name":"a"`, `"name":"d"`, 1), code: http.StatusCreated,
		},
		{name: "stores nothing", method: "GET", path: "d", code: http.StatusNotFound},
	})
}

func TestApplyStatus(t *testing.T) {
	t.Parallel()
	const media = "Content-Type: application/apply-patch+yaml"
	s := newServer(t)
	run(t, s, machines, []step{
		{name: "an object", method: "POST", body: machine(`"name":"a"`), code: http.StatusCreated},
		{
			name: "its status alone", method: "PATCH", path: "a/status?fieldManager=agent", headers: []string{media},
			body: `{"apiVersion":"fleet.example.com/v1","kind":"Machine","metadata":{"name":"a"},"spec":{"zone":"x"},"status":{"phase":"Running"}}`,
			code: http.StatusOK, want: []string{
				`"phase":"Running"`, `"zone":"fra-1"`, `"manager":"agent"`,
				`"subresource":"status"`,
			},
		},
		{
			name: "of nothing", method: "PATCH", path: "b/status?fieldManager=agent", headers: []string{media},
			body: `{"status":{"phase":"Running"}}`, code: http.StatusNotFound,
		},
	})
}

func TestManagersAlways(t *testing.T) {
	t.Parallel()
	s := newServer(t, server.ManagedFields(apply.Always))
	run(t, s, sites, []step{
		{
			name: "from the beginning", method: "POST", path: "?fieldManager=me", body: site("a"),
			code: http.StatusCreated, want: []string{`"manager":"me"`, `"operation":"Update"`, `"f:address"`},
		},
		{
			name: "a program with a long name", method: "POST", body: site("b"), code: http.StatusCreated,
			headers: []string{"User-Agent: a" + strings.Repeat("é", 100)},
			want:    []string{`"manager":"a` + strings.Repeat("é", 63) + `"`},
		},
		{
			name: "a name that cannot be printed", method: "POST", body: site("c"), code: http.StatusCreated,
			headers: []string{"User-Agent: a\u00a0\u200bb/1"}, want: []string{`"manager":"ab"`},
		},
	})
}

// TestManagerOfAProgram checks that the manager of what a client writes is the program unless an
// option or a header names another one, in process, through the handler and over a transport.
func TestManagerOfAProgram(t *testing.T) {
	t.Parallel()
	s := newServer(t, server.ManagedFields(apply.Always))
	over := func(o ...client.HTTPOption) *client.Client {
		t.Helper()
		transport, err := client.HTTP("http://localhost", s.Factory(), append(o, client.RoundTripper(s.Transport()))...)
		if err != nil {
			t.Fatal(err)
		}
		return client.New(transport, s.Scheme())
	}
	program := filepath.Base(os.Args[0])
	for name, row := range map[string]struct {
		from    *client.Client
		options []client.Option
		want    string
	}{
		"process":   {s.Client(), nil, program},
		"transport": {over(), nil, program},
		"header":    {over(client.Header("User-Agent", "robot/1.0")), nil, "robot"},
		"option":    {over(), []client.Option{client.FieldManager("me")}, "me"},
		"both":      {s.Client(), []client.Option{client.FieldManager("me")}, "me"},
	} {
		made := &inventoryv1.Site{ObjectMeta: metav1.ObjectMeta{Name: name}}
		made.Spec.Address = "Hanauer Landstr. 302"
		made, err := client.Of[inventoryv1.Site](row.from).Create(t.Context(), made, row.options...)
		if err != nil {
			t.Fatal(err)
		}
		if len(made.ManagedFields) != 1 || made.ManagedFields[0].Manager != row.want {
			t.Errorf("%s: %+v, want the manager %s", name, made.ManagedFields, row.want)
		}
		patched, err := client.Of[inventoryv1.Site](row.from).Patch(t.Context(), name,
			client.MergePatch(`{"metadata":{"labels":{"a":"b"}}}`), row.options...)
		if err != nil {
			t.Fatal(err)
		}
		if len(patched.ManagedFields) != 1 || patched.ManagedFields[0].Manager != row.want {
			t.Errorf("%s, patched: %+v, want the manager %s", name, patched.ManagedFields, row.want)
		}
	}
}

func TestManagersByResource(t *testing.T) {
	t.Parallel()
	const media = "Content-Type: application/apply-patch+yaml"
	s := newServer(t, server.ManagedFields(apply.Always), server.ManagedFields(apply.Never, schema.GroupResource{
		Group: "inventory.example.com", Resource: "sites",
	}))
	run(t, s, machines, []step{{
		name: "a resource without a mode of its own", method: "POST", path: "?fieldManager=me",
		body: machine(`"name":"a"`), code: http.StatusCreated, want: []string{`"manager":"me"`},
	}})
	run(t, s, sites, []step{
		{
			name: "one with its own", method: "POST", path: "?fieldManager=me", body: site("a"),
			code: http.StatusCreated, not: []string{"managedFields"},
		},
		{
			name: "applied", method: "PATCH", path: "a?fieldManager=one", headers: []string{media}, body: site("a"),
			code: http.StatusOK, not: []string{"managedFields"},
		},
	})
}

// TestDropManagedFields leaves managed fields out of every answer to a client that asks for that.
func TestDropManagedFields(t *testing.T) {
	t.Parallel()
	s := newServer(t, server.ManagedFields(apply.Always))
	const json = "Accept: application/json;drop=metadata.managedFields"
	without := []string{"f:address"}
	run(t, s, sites, []step{
		{
			name: "create", method: "POST", headers: []string{json}, body: site("a"), code: http.StatusCreated,
			want: []string{"Content-Type: application/json;drop=metadata.managedFields\r\n", `"name":"a"`}, not: without,
		},
		{name: "get", method: "GET", path: "a", headers: []string{json}, code: http.StatusOK, not: without},
		{name: "get in full", method: "GET", path: "a", code: http.StatusOK, want: without},
		{
			name: "list", method: "GET", headers: []string{json}, code: http.StatusOK, want: []string{`"name":"a"`},
			not: without,
		},
		{name: "list in full", method: "GET", code: http.StatusOK, want: without},
		{
			name: "metadata", method: "GET", headers: []string{json + ";as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"},
			code: http.StatusOK, want: []string{`"name":"a"`}, not: without,
		},
		{
			name: "CBOR", method: "GET", headers: []string{"Accept: application/cbor;drop=metadata.managedFields"},
			code: http.StatusOK, not: without,
		},
		{
			name: "watch", method: "GET", path: "?watch=1&timeoutSeconds=3&resourceVersion=0", headers: []string{json},
			code: http.StatusOK, want: []string{`"type":"ADDED"`, `"name":"a"`}, not: without,
		},
		{
			name: "patch", method: "PATCH", path: "a", headers: []string{json, "Content-Type: application/merge-patch+json"},
			body: `{"metadata":{"labels":{"x":"y"}}}`, code: http.StatusOK, want: []string{`"x":"y"`}, not: without,
		},
		{
			name: "an update without them keeps them", method: "PUT", path: "a", body: site("a"), code: http.StatusOK,
			want: without,
		},
	})
}

func TestStrategicPatch(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	strategic := []string{"Content-Type: application/strategic-merge-patch+json"}
	run(t, s, machines, []step{
		{
			name: "an object", method: "POST", body: machine(`"name":"a","finalizers":["example.com/a"]`),
			code: http.StatusCreated,
		},
		{
			name: "lists merge as they are declared to", method: "PATCH", path: "a", headers: strategic,
			body: `{"metadata":{"finalizers":["example.com/b"]},"spec":{"zone":"fra-2"}}`, code: http.StatusOK,
			want: []string{`"example.com/a"`, `"example.com/b"`, `"zone":"fra-2"`},
		},
	})
}

// TestApplyCBORUnserved checks that configurations in CBOR are neither offered nor read by a server
// without the format.
func TestApplyCBORUnserved(t *testing.T) {
	t.Parallel()
	db := memory.New()
	s, err := server.NewWithFormats(fleet(t), db, []*format.Format{json.Format(), yaml.Format()},
		server.Log(slog.New(slog.NewTextHandler(t.Output(), nil))))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	defer s.Close()
	body, err := cbor.FromJSON(nil, []byte(site("a")))
	if err != nil {
		t.Fatal(err)
	}
	const media = "application/apply-patch+cbor"
	run(t, s, sites, []step{
		{
			name: "a configuration in CBOR", method: "PATCH", path: "a?fieldManager=one",
			headers: []string{"Content-Type: " + media}, body: string(body), code: http.StatusUnsupportedMediaType,
			want: []string{"Accept-Patch: application/json-patch+json, ", `"reason":"UnsupportedMediaType"`},
			not:  []string{media},
		},
		{name: "nothing is created", method: "GET", path: "a", code: http.StatusNotFound},
		{
			name: "OpenAPI", method: "GET", path: "/openapi/v3/apis/inventory.example.com/v1", code: http.StatusOK,
			want: []string{applyYAML}, not: []string{media},
		},
	})
}

const applyYAML = "application/apply-patch+yaml"

// TestApplyCBOROffered checks that configurations in CBOR are in the list of media types of
// patches, and in OpenAPI documents.
func TestApplyCBOROffered(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	run(t, s, sites, []step{
		{name: "a site", method: "POST", body: site("a"), code: http.StatusCreated},
		{
			name: "an unknown patch", method: "PATCH", path: "a", headers: []string{"Content-Type: text/x"}, body: `{}`,
			code: http.StatusUnsupportedMediaType, want: []string{applyYAML + ", application/apply-patch+cbor\r\n"},
		},
		{
			name: "OpenAPI 3.0", method: "GET", path: "/openapi/v3/apis/inventory.example.com/v1", code: http.StatusOK,
			want: []string{`"application/apply-patch+cbor":{`},
		},
		{
			name: "OpenAPI 2.0", method: "GET", path: "/openapi/v2", code: http.StatusOK,
			want: []string{`"` + applyYAML + `","application/apply-patch+cbor"]`},
		},
	})
}

// TestApplyCBOR applies a configuration in CBOR.
func TestApplyCBOR(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	body, err := cbor.FromJSON(nil, []byte(site("a")))
	if err != nil {
		t.Fatal(err)
	}
	const media = "Content-Type: application/apply-patch+cbor; charset=x"
	run(t, s, sites, []step{
		{
			name: "created", method: "PATCH", path: "a?fieldManager=one", headers: []string{media}, body: string(body),
			code: http.StatusCreated, want: []string{`"manager":"one"`, `"f:address"`, `"address":"Hanauer`},
		},
		{
			name: "again", method: "PATCH", path: "a?fieldManager=one", headers: []string{media}, body: string(body),
			code: http.StatusOK, want: []string{`"resourceVersion":"{version}"`},
		},
		{
			name: "JSON in its place", method: "PATCH", path: "a?fieldManager=one", headers: []string{media},
			body: site("a"), code: http.StatusBadRequest,
		},
		{
			name: "cut off", method: "PATCH", path: "a?fieldManager=one", headers: []string{media},
			body: string(body[:len(body)-1]), code: http.StatusBadRequest,
		},
	})
}

// TestApplyNotOneObject applies texts that are not one object.
func TestApplyNotOneObject(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	yaml := strings.NewReplacer("{", "{ ", "}", " }").Replace(site("a"))
	for body, want := range map[string]string{
		"": "no object found", "# nothing": "no object found", "null": "no object found", "--- \n---\n": "object found",
		"---\n" + yaml + "\n---\n" + yaml: "more than one object found", "- a": "expected object", "text": "expected object",
		"a: [": "line 1", "7": "expected object",
	} {
		for _, mediaType := range []string{applyYAML, "application/apply-patch+cbor"} {
			if mediaType != applyYAML {
				body, want = "\x01"+body, "BadRequest"
			}
			run(t, s, sites, []step{{
				name: body, method: "PATCH", path: "a?fieldManager=m", body: body,
				headers: []string{"Content-Type: " + mediaType}, code: http.StatusBadRequest, want: []string{want},
			}})
		}
	}
}
