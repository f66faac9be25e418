package server_test

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	vaultv1 "github.com/askind/askind/internal/vault/v1"
	vaultv1beta1 "github.com/askind/askind/internal/vault/v1beta1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer/html"
	"github.com/askind/askind/server"
	"github.com/askind/askind/store"
	"github.com/askind/askind/store/memory"
)

// vaultSpec has a secret in each sensitive field, and in an object inside it.
const vaultSpec = `{"owner":"o","doors":2,"password":"S3CR3Tpassword","pin":1918273645,"key":"UzNDUjNULWtleQ==",` +
	`"tokens":{"a":"S3CR3T-token"},"codes":["S3CR3T-code"],"share":"31415926535","since":"1987-06-05T04:03:02Z",` +
	`"port":"S3CR3T-port","config":{"any":"S3CR3T-config"},"users":[{"name":"u","phrase":"S3CR3T-phrase"}],` +
	`"answer":"S3CR3T-answer",` +
	`"child":{"apiVersion":"vault.example.com/v1","kind":"Vault","spec":{"password":"S3CR3T-child"}},` +
	`"inner":{"apiVersion":"vault.example.com/v1","kind":"Vault","spec":{"password":"S3CR3T-inner"}}}`

// vaultSecrets has a text for each secret, by its name. A number, a time and bytes have another
// form in binary formats.
var vaultSecrets = map[string][]string{
	"password": {"S3CR3Tpassword"},
	"pin": {
		"1918273645", string(binary.AppendUvarint(nil, 1918273645)),
		string(binary.BigEndian.AppendUint32(nil, 1918273645)),
	},
	"key": {"UzNDUjNULWtleQ", "S3CR3T-key"}, "token": {"S3CR3T-token"}, "code": {"S3CR3T-code"},
	"share": {"31415926535"}, "since": {"1987-06-05", string(binary.AppendUvarint(nil, 549864182))},
	"port":   {"S3CR3T-port"},
	"config": {"S3CR3T-config"}, "phrase": {"S3CR3T-phrase"}, "answer": {"S3CR3T-answer"}, "child": {"S3CR3T-child"},
	"inner": {"S3CR3T-inner"}, "recovery": {"S3CR3T-recovery"}, "applied": {"S3CR3T-applied"},
}

// secretsIn returns the names of the secrets in a text.
func secretsIn(text string) string {
	var out []string
	for name, forms := range vaultSecrets {
		if slices.ContainsFunc(forms, func(form string) bool { return strings.Contains(text, form) }) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// lockedBuilder is a strings.Builder for several goroutines.
type lockedBuilder struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *lockedBuilder) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

// take returns the text since the last call.
func (l *lockedBuilder) take() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.b.Reset()
	return l.b.String()
}

// newVaults returns a server with one vault, and what it logs and audits.
func newVaults(t *testing.T, groups ...func(*runtime.Builder)) (s *server.Server, written *lockedBuilder) {
	t.Helper()
	groups = append(groups, vaultv1.AddTo, vaultv1beta1.AddTo, metav1.AddTo, metav1.AddViewsTo)
	scheme, err := runtime.NewScheme(groups...)
	if err != nil {
		t.Fatal(err)
	}
	written = new(lockedBuilder)
	db := memory.New()
	s, err = server.NewWithFormats(scheme, db, append(server.Formats(), html.Format()),
		server.Log(slog.New(slog.NewTextHandler(written, &slog.HandlerOptions{Level: slog.LevelDebug}))),
		server.Audit(func(_ context.Context, e server.AuditEvent) {
			fmt.Fprintf(written, "%+v: %v\n", e.Request, e.Err)
		}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.Close()
		db.Close()
	})
	run(t, s, vaults, []step{
		{name: "create", method: "POST", code: http.StatusCreated, body: `{"metadata":{"name":"a","annotations":{` +
			`"kubectl.kubernetes.io/last-applied-configuration":"{\"a\":\"S3CR3T-applied\"}"}},"spec":` + vaultSpec + `}`},
		{
			name: "status", method: "PATCH", path: "a/status", body: `{"status":{"recovery":"S3CR3T-recovery"}}`,
			headers: []string{"Content-Type: application/merge-patch+json"}, code: http.StatusOK,
		},
	})
	return s, written
}

const (
	vaults    = "/apis/vault.example.com/v1/namespaces/default/vaults"
	oldVaults = "/apis/vault.example.com/v1beta1/namespaces/default/vaults"
)

// TestSecretsInAnswers reads an object with secrets in every representation. Formats for programs
// have them, and what is for people has not; metadata has those that a user wrote into it.
func TestSecretsInAnswers(t *testing.T) {
	t.Parallel()
	const (
		all = "answer applied child code config inner key password phrase pin port recovery share since token"
		// An export has no status.
		exported = "answer applied child code config inner key password phrase pin port share since token"
	)
	descriptions := []func(*runtime.Builder){vaultv1.AddDescriptionsTo, vaultv1beta1.AddDescriptionsTo}
	for _, groups := range [][]func(*runtime.Builder){descriptions, nil} {
		s, written := newVaults(t, groups...)
		var requests sync.WaitGroup
		for accept, want := range map[string]string{
			"application/json": all, "application/yaml": all, "application/vnd.kubernetes.protobuf": all,
			"application/cbor":                               all,
			"application/json;export=1":                      exported,
			"application/json;as=Table;includeObject=Object": all,
			"application/json;as=Table":                      "applied", // in the metadata of a row
			"application/json;as=PartialObjectMetadata":      "applied",
			"application/json;as=Table;includeObject=None":   "",
			"application/json;as=TabularOutput":              "",
			"text/csv":                                       "",
			"text/plain":                                     "",
			"text/plain;as=Table":                            "",
			"text/html":                                      "",
			"text/html;as=Table;includeObject=Object":        "",
			"text/plain;as=Description":                      "inner", // its kind is not known, and it is not marked
			"application/json;as=Description":                "inner",
			"application/cbor;as=PartialObjectMetadata":      "applied",
			"application/yaml;as=Table;includeObject=None":   "",
		} {
			if strings.Contains(accept, "Description") && groups == nil {
				continue
			}
			for _, path := range []string{
				vaults + "/a", oldVaults + "/a", vaults + "/a/status", vaults, oldVaults,
				vaults + "?watch=1&timeoutSeconds=1", oldVaults + "?watch=1&timeoutSeconds=1",
			} {
				if strings.Contains(path, "watch") && strings.HasPrefix(accept, "text/") {
					continue // these formats have no events
				}
				want := want
				if accept == "text/html" && groups != nil && strings.Contains(path, "vaults/a") {
					want = "inner" // as in the description
				}
				requests.Go(func() { // a watch takes a second
					w := request(s, "GET", path, "", "Accept: "+accept)
					if got := secretsIn(w.Body.String()); got != want || w.Code != http.StatusOK {
						t.Errorf("%s as %s: code %d with the secrets %q, want %q", path, accept, w.Code, got, want)
					}
				})
			}
		}
		requests.Wait()
		for _, path := range []string{vaults + "/a/scale", "/openapi/v3/apis/vault.example.com/v1"} {
			w := request(s, "GET", path, "")
			// The values of an enumeration are part of the schema.
			if got := secretsIn(w.Body.String()); w.Code != http.StatusOK || got != "" && got != "answer" {
				t.Errorf("%s: code %d with the secrets %q", path, w.Code, got)
			}
		}
		if got := secretsIn(written.take()); got != "" {
			t.Errorf("logged or audited: %q", got)
		}
	}
}

// TestSecretsInErrors sends requests that are refused because of a secret: in one that the client
// sends, which contains S3CR3T-bad or 1918273645, or in the stored ones. Neither the answer and its
// headers nor log and audit have it.
func TestSecretsInErrors(t *testing.T) {
	t.Parallel()
	s, written := newVaults(t)
	long := "S3CR3T-bad" + strings.Repeat("x", 30)
	check := func(name, method, path, body string, headers ...string) {
		t.Helper()
		w := request(s, method, path, body, headers...)
		var text strings.Builder
		_ = w.Header().Write(&text)
		if w.Code < 400 {
			if w.Header().Get("Warning") == "" {
				t.Errorf("%s: %s: code %d", name, path, w.Code)
			}
		} else {
			text.WriteString(w.Body.String())
		}
		for place, text := range map[string]string{
			"the answer has": text.String(), "log or audit have": written.take(),
		} {
			text = strings.ReplaceAll(text, `supported values: \"S3CR3T-answer\"`, "") // those of the source
			text = strings.ReplaceAll(text, `supported values: "S3CR3T-answer"`, "")
			if secretsIn(text) != "" || strings.Contains(text, "S3CR3T-bad") || strings.Contains(text, "19182736") {
				t.Errorf("%s: %s: %s %s", name, path, place, text)
			}
		}
	}
	const inner = `{"kind":"Vault","apiVersion":"vault.example.com/v1","spec":{"share":"S3CR3T-bad"}}`
	for name, spec := range map[string]string{
		"too long":                      `"password":"` + long + `"`,
		"a list for a string":           `"password":[1918273645]`,
		"an object for a string":        `"password":{"S3CR3T-bad":1}`,
		"not UTF-8":                     "\"password\":\"S3CR3T-bad\xff\"",
		"a string for a number":         `"pin":"S3CR3T-bad"`,
		"a fraction":                    `"pin":1918273645.5`,
		"out of range":                  `"pin":1918273645000000000000000000`,
		"more than the maximum":         `"pin":191827364500`,
		"not base64":                    `"key":"S3CR3T-bad!"`,
		"too many bytes":                `"key":"` + base64.StdEncoding.EncodeToString([]byte(long+long)) + `"`,
		"a value of a map":              `"tokens":{"a":{"S3CR3T-bad":1}}`,
		"a string for a map":            `"tokens":"S3CR3T-bad"`,
		"a key twice":                   `"tokens":{"a":"S3CR3T-bad","a":"x"}`,
		"an element":                    `"codes":["` + long + `"]`,
		"not a quantity":                `"share":"S3CR3T-bad"`,
		"not a time":                    `"since":"S3CR3T-bad"`,
		"neither a number nor a string": `"port":1918273645.5`,
		"not one of an enumeration":     `"answer":"S3CR3T-bad"`,
		"in a list":                     `"users":[{"name":"a","phrase":"` + long + `"}]`,
		"in a list, of another type":    `"users":[{"name":"a","phrase":["S3CR3T-bad"]}]`,
		"in an object":                  `"child":` + inner,
		"in an object of any kind":      `"inner":` + inner,
		"syntax":                        `"password":"S3CR3T-bad" "x"`,
		"an open string":                `"password":"S3CR3T-bad`,
		"no string":                     `"password":S3CR3T-bad`,
		"a name in capitals":            `"Password":"S3CR3T-bad"`,
	} {
		body := `{"metadata":{"name":"b"},"spec":{` + spec + `}}`
		check(name, "POST", vaults+"?dryRun=All&fieldValidation=Strict", body)
		check(name, "POST", oldVaults+"?dryRun=All&fieldValidation=Strict",
			strings.ReplaceAll(body, "password", "passphrase"))
		check(name, "POST", vaults+"?fieldValidation=Warn&dryRun=All", body)
		check(name, "POST", vaults+"?dryRun=All&fieldValidation=Strict", "metadata: {name: b}\nspec: {"+spec+"}",
			"Content-Type: application/yaml")
		check(name, "PATCH", vaults+"/a?dryRun=All&fieldValidation=Strict", `{"spec":{`+spec+`}}`,
			"Content-Type: application/merge-patch+json")
		check(name, "PATCH", vaults+"/a?dryRun=All&fieldValidation=Strict&fieldManager=m&force=true",
			`{"apiVersion":"vault.example.com/v1","kind":"Vault","metadata":{"name":"a"},"spec":{`+spec+`}}`,
			"Content-Type: application/apply-patch+yaml")
	}
	for name, operation := range map[string]string{
		"test of a string":     `{"op":"test","path":"/spec/password","value":"S3CR3T-bad"}`,
		"test of a number":     `{"op":"test","path":"/spec/pin","value":3}`,
		"test of an object":    `{"op":"test","path":"/spec","value":{"password":"S3CR3T-bad"}}`,
		"test of an element":   `{"op":"test","path":"/spec/codes/0","value":"S3CR3T-bad"}`,
		"test in a list":       `{"op":"test","path":"/spec/users/0/phrase","value":"S3CR3T-bad"}`,
		"test of a map":        `{"op":"test","path":"/spec/tokens/a","value":"S3CR3T-bad"}`,
		"test in an object":    `{"op":"test","path":"/spec/child/spec/password","value":"S3CR3T-bad"}`,
		"through a string":     `{"op":"add","path":"/spec/password/x","value":1}`,
		"a string to a number": `{"op":"copy","from":"/spec/password","path":"/spec/doors"}`,
		"to another secret":    `{"op":"copy","from":"/spec/password","path":"/spec/share"}`,
		"to a time":            `{"op":"copy","from":"/spec/password","path":"/spec/since"}`,
	} {
		check(name, "PATCH", vaults+"/a", "["+operation+"]", "Content-Type: application/json-patch+json")
		check(name, "PATCH", oldVaults+"/a", "["+strings.ReplaceAll(operation, "password", "passphrase")+"]",
			"Content-Type: application/json-patch+json")
	}
	check("selected by", "GET", vaults+"?fieldSelector=spec.password%3Dx", "")
	check("sorted by", "GET", vaults+"?sortBy=Password", "", "Accept: application/json;as=Table")
	// The number does not fit the other version.
	run(t, s, vaults, []step{{
		name: "a large number", method: "PATCH", path: "a", body: `{"spec":{"pin":5191827364}}`,
		headers: []string{"Content-Type: application/merge-patch+json"}, code: http.StatusOK,
	}})
	written.take()
	for _, path := range []string{"/a", "", "/a/status"} {
		check("converted", "GET", oldVaults+path, "")
	}
}

// TestSecretsInStoredObjects checks that what is said about stored objects that cannot be decoded
// does not show their secrets: to clients, in the log, and by a migration.
func TestSecretsInStoredObjects(t *testing.T) {
	t.Parallel()
	scheme, err := runtime.NewScheme(vaultv1.AddTo, vaultv1beta1.AddTo, metav1.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	db := memory.New()
	defer db.Close()
	specs := []string{
		`{"password":["S3CR3T-bad"]}`, `{"pin":"S3CR3T-bad"}`, `{"share":"S3CR3T-bad"}`, `{"tokens":{"a":{"S3CR3T-bad":1}}}`,
		`{"codes":["S3CR3T-bad`, `{"since":"S3CR3T-bad"}`,
	}
	for i, spec := range specs {
		name := fmt.Sprint("bad-", i)
		value := `{"kind":"Vault","apiVersion":"vault.example.com/v1","metadata":{"name":"` + name +
			`","namespace":"default","uid":"` + name + `"},"spec":` + spec + `}`
		if _, err := db.Put(t.Context(), "vault.example.com/vaults/default/"+name, []byte(value), 0); err != nil {
			t.Fatal(err)
		}
	}
	written := new(lockedBuilder)
	s, err := server.New(scheme, db, server.Log(slog.New(slog.NewTextHandler(written,
		&slog.HandlerOptions{Level: slog.LevelDebug}))))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var said strings.Builder
	for i := range specs {
		for method, body := range map[string]string{"GET": "", "PATCH": `{"spec":{}}`, "DELETE": ""} {
			w := request(s, method, fmt.Sprint(vaults, "/bad-", i), body, "Content-Type: application/merge-patch+json")
			if w.Code != http.StatusInternalServerError {
				t.Errorf("%s of %s: code %d", method, specs[i], w.Code)
			}
			said.WriteString(w.Body.String())
		}
	}
	resource := vaultv1.GroupVersion.WithResource("vaults").GroupResource()
	stored, ok := s.StoreOf(resource).Resource(resource)
	if !ok {
		t.Fatal("no vaults")
	}
	report, err := stored.Migrate(t.Context(), store.MigrateOptions{})
	if report.Undecodable != len(specs) || err != nil {
		t.Errorf("migrated: %+v, %v", report, err)
	}
	for _, err := range stored.Undecodable(t.Context()) {
		fmt.Fprintf(&said, "%v %+v", err, err)
	}
	if logged := written.take(); !strings.Contains(logged, "bad-") {
		t.Error("nothing is logged")
	} else if said.WriteString(logged); strings.Contains(said.String(), "S3CR3T") {
		t.Errorf("a secret is in\n%s", said.String())
	}
}
