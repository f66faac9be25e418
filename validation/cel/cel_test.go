package cel_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/askind/askind/client"
	"github.com/askind/askind/meta/dynamic"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/server"
	"github.com/askind/askind/server/apiextensions"
	"github.com/askind/askind/store/memory"
	"github.com/askind/askind/validation/cel"
)

// pools is a definition with rules on the object, on parts of it, and on changes. The placeholder
// is a rule of spec.
const pools = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: pools.example.com}
spec:
  group: example.com
  scope: Cluster
  names: {plural: pools, kind: Pool}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        x-kubernetes-validations:
        - rule: self.metadata.name.startsWith('pool-')
          message: the name must begin with pool-
        properties:
          spec:
            type: object
            x-kubernetes-validations:
            - rule: %s
            properties:
              min: {type: integer}
              max: {type: integer}
              zone:
                type: string
                x-kubernetes-validations:
                - {rule: self == oldSelf, message: the zone is immutable, reason: FieldValueForbidden}
              disks:
                type: array
                maxItems: 10
                items:
                  type: object
                  properties:
                    size: {type: string, maxLength: 20}
                  x-kubernetes-validations:
                  - rule: "quantity(self.size).isGreaterThan(quantity('1Gi'))"
                    messageExpression: "'the disk of ' + self.size + ' is too small'"
`

// serve returns a server that takes definitions and evaluates their rules.
func serve(t testing.TB) *server.Server {
	t.Helper()
	scheme, err := runtime.NewScheme()
	if err != nil {
		t.Fatal(err)
	}
	db := memory.New()
	t.Cleanup(func() { _ = db.Close() })
	srv, err := server.New(scheme, db, server.Rules(cel.Compile))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = srv.Close() })
	if err := apiextensions.Serve(t.Context(), srv); err != nil {
		t.Fatal(err)
	}
	return srv
}

// ask sends a request and returns the code and the text of the answer.
func ask(srv http.Handler, method, path, body string) (int, string) {
	r := httptest.NewRequest(method, "http://localhost/apis/"+path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/yaml")
	if method == http.MethodPatch {
		r.Header.Set("Content-Type", "application/merge-patch+json")
	}
	w := httptest.NewRecorder()
	srv.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

const definitions = "apiextensions.k8s.io/v1/customresourcedefinitions"

func TestRules(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	definition := fmt.Sprintf(pools, "self.min <= self.max")
	if code, text := ask(srv, "POST", definitions, definition); code != http.StatusCreated {
		t.Fatal(text)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	kind := schema.GroupKind{Group: "example.com", Kind: "Pool"}
	if _, err := srv.Client().Mapper(client.MapperOptions{}).Wait(ctx, kind); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, method, path, body string
		code                     int
		want                     string
	}{
		{"valid", "POST", "", `{metadata: {name: pool-a}, spec: {min: 1, max: 2, zone: z, disks: [{size: 2Gi}]}}`, 201, ""},
		{
			"a rule of a part", "POST", "", `{metadata: {name: pool-b}, spec: {min: 3, max: 2}}`, 422,
			`spec: Invalid value: failed rule: self.min`,
		},
		{
			"a rule of the object", "POST", "", `{metadata: {name: b}, spec: {min: 1, max: 2}}`, 422,
			"the name must begin with pool-",
		},
		{
			"an expression as message", "POST", "",
			`{metadata: {name: pool-b}, spec: {min: 1, max: 2, disks: [{size: 2Gi}, {size: 1Mi}]}}`, 422,
			`spec.disks[1]: Invalid value: the disk of 1Mi is too small`,
		},
		{"a change", "PATCH", "/pool-a", `{"spec":{"max":3}}`, 200, ""},
		{
			"a rule of changes", "PATCH", "/pool-a", `{"spec":{"zone":"y"}}`, 422,
			"spec.zone: Forbidden: the zone is immutable",
		},
		{"the schema comes first", "POST", "", `{metadata: {name: pool-c}, spec: {min: one}}`, 422, "must be an integer"},
	} {
		code, text := ask(srv, tt.method, "example.com/v1/pools"+tt.path, tt.body)
		if code != tt.code || !strings.Contains(text, tt.want) {
			t.Errorf("%s: code %d: %s", tt.name, code, text)
		}
	}
}

// TestUnchangedPartsAreNotChecked checks that a rule which is added later lets objects be changed
// that do not follow it, as long as the part with the rule stays as it is.
func TestUnchangedPartsAreNotChecked(t *testing.T) {
	t.Parallel()
	compiled, errs := cel.Compile([]byte(`{"type":"object","properties":{"spec":{"type":"object","properties":{
		"a":{"type":"integer","x-kubernetes-validations":[{"rule":"self > 0"}]},"b":{"type":"integer"}}}}}`))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	object := func(a, b int64) map[string]any {
		return map[string]any{"spec": map[string]any{"a": a, "b": b}}
	}
	if errs := compiled.Validate(t.Context(), object(-1, 2), object(-1, 1)); len(errs) > 0 {
		t.Error(errs)
	}
	if errs := compiled.Validate(t.Context(), object(-2, 1), object(-1, 1)); len(errs) != 1 {
		t.Errorf("got %v", errs)
	}
}

func TestRefusedRules(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	for rule, want := range map[string]string{
		"self.min <= self.most":  "undefined field 'most'",
		"self.min":               "must evaluate to a bool",
		"self.zone.matches('[')": "invalid matches argument",
	} {
		code, text := ask(srv, "POST", definitions, fmt.Sprintf(pools, `"`+rule+`"`))
		if code != http.StatusUnprocessableEntity || !strings.Contains(text, want) ||
			!strings.Contains(text, "spec.versions[0].schema.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule") {
			t.Errorf("%s: code %d: %s", rule, code, text)
		}
	}
}

// TestCost checks that rules which may cost too much are refused.
func TestCost(t *testing.T) {
	t.Parallel()
	_, errs := cel.Compile([]byte(`{"type":"object","properties":{"spec":{"type":"object","properties":{
		"a":{"type":"array","items":{"type":"string"}}},
		"x-kubernetes-validations":[{"rule":"self.a.all(x, self.a.all(y, x == y || x != y))"}]}}}`))
	if len(errs) == 0 || !strings.Contains(errs.Error(), "exceeds budget") {
		t.Errorf("got %v", errs)
	}
}

// TestDefaultsFollowRules checks that a default which breaks a rule is refused, because otherwise
// every object without the member would be.
func TestDefaultsFollowRules(t *testing.T) {
	t.Parallel()
	_, errs := cel.Compile([]byte(`{"type":"object","properties":{"spec":{"type":"object","properties":{
		"a":{"type":"integer","default":-1,"x-kubernetes-validations":[{"rule":"self > 0","message":"too small"}]}}}}}`))
	if len(errs) != 1 || !strings.Contains(errs.Error(), "properties[spec].properties[a].default: Invalid value") ||
		!strings.Contains(errs.Error(), "too small") {
		t.Errorf("got %v", errs)
	}
}

func TestSchemasWithoutRules(t *testing.T) {
	t.Parallel()
	compiled, errs := cel.Compile([]byte(`{"type":"object"}`))
	if compiled != nil || len(errs) > 0 {
		t.Errorf("got %v, %v", compiled, errs)
	}
	if _, errs := cel.Compile([]byte(`{"type":`)); len(errs) == 0 {
		t.Error("half a schema was accepted")
	}
}

var _ dynamic.RuleCompiler = cel.Compile

// TestLargeIntegers checks that rules see integers above the range of int64 as numbers.
func TestLargeIntegers(t *testing.T) {
	t.Parallel()
	const rule = `"x-kubernetes-validations":[{"rule":"self > 1e3"}]`
	rules, errs := cel.Compile([]byte(`{"type":"object","properties":{
		"n":{"type":"number",` + rule + `},
		"l":{"type":"array","maxItems":9,"items":{"type":"number",` + rule + `}}}}`))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	object := func(n any) map[string]any { return map[string]any{"n": n, "l": []any{n}} }
	for n, want := range map[any]int{uint64(1 << 63): 0, int64(5): 2, 5.5: 2} {
		for _, old := range []map[string]any{nil, object(uint64(1<<63 + 1<<20))} {
			if errs := rules.Validate(t.Context(), object(n), old); len(errs) != want {
				t.Errorf("%v: got %v, want %d errors", n, errs, want)
			}
		}
	}
}

// A definition of a program gets its rules evaluated in the same way as those of clients.
func ExampleCompile() {
	boats, err := dynamic.New(dynamic.Definition{
		Group: "harbor.example.com", Kind: "Boat", Resource: "boats", Rules: cel.Compile,
		Versions: []dynamic.Version{{
			Name: "v1", Storage: true,
			Schema: []byte(`{"type":"object","properties":{"spec":{"type":"object",
				"properties":{"crew":{"type":"integer"},"seats":{"type":"integer"}},
				"x-kubernetes-validations":[{"rule":"self.crew <= self.seats","message":"too many people"}]}}}`),
		}},
	})
	if err != nil {
		panic(err)
	}
	scheme, err := runtime.NewScheme(boats.AddTo)
	if err != nil {
		panic(err)
	}
	boat := new(dynamic.Object)
	boat.SetType("harbor.example.com/v1", "Boat")
	boat.ObjectMeta = metav1.ObjectMeta{Name: "dinghy", Namespace: "east"}
	if err := boat.Content.Set(map[string]any{"crew": 5, "seats": 4}, "spec"); err != nil {
		panic(err)
	}
	fmt.Println(scheme.Validate(context.Background(), boat))
	// Output: spec: Invalid value: too many people
}
