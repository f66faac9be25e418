package apiextensions_test

import (
	"context"
	_ "embed"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/askind/askind/client"
	"github.com/askind/askind/meta"
	"github.com/askind/askind/meta/dynamic"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/restmapper"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/json"
	"github.com/askind/askind/server"
	"github.com/askind/askind/server/apiextensions"
	"github.com/askind/askind/server/apiextensions/v1"
	"github.com/askind/askind/store"
	"github.com/askind/askind/store/memory"
)

//go:embed testdata/crontabs.yaml
var cronTabs string

const (
	cronTabsName  = "crontabs.stable.example.com"
	cronTabsPath  = "/apis/stable.example.com/v1/namespaces/default/crontabs"
	cronTabObject = `{"metadata":{"name":"hourly"},"spec":{"schedule":"0 * * * *"}}`
)

// site is a server of definitions and what tests do with it.
type site struct {
	*server.Server
	t           *testing.T
	ctx         context.Context
	definitions *client.Resource[v1.CustomResourceDefinition]
}

// newSite starts a server of definitions on an engine.
func newSite(t *testing.T, engine store.Engine, o ...server.Option) *site {
	t.Helper()
	return newSiteOf(t, engine, nil, o...)
}

// newSiteOf is newSite for a program with kinds of its own.
func newSiteOf(t *testing.T, engine store.Engine, kinds []func(*runtime.Builder), o ...server.Option) *site {
	t.Helper()
	scheme, err := runtime.NewScheme(append(kinds, v1.AddTo)...)
	if err != nil {
		t.Fatal(err)
	}
	log := server.Log(slog.New(slog.NewTextHandler(t.Output(), nil)))
	srv, err := server.New(scheme, engine, append([]server.Option{log}, o...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = srv.Close() })
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	if err := apiextensions.Serve(ctx, srv); err != nil {
		t.Fatal(err)
	}
	return &site{srv, t, ctx, client.Of[v1.CustomResourceDefinition](srv.Client())}
}

// definition returns the definition of the CronTabs with texts replaced.
func (s *site) definition(oldnew ...string) *v1.CustomResourceDefinition {
	s.t.Helper()
	text := strings.NewReplacer(oldnew...).Replace(cronTabs)
	d, err := serializer.Decode[v1.CustomResourceDefinition](s.Factory(), []byte(text), serializer.DecodeOptions{
		Strictness: serializer.FailOnProblems,
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return d
}

func (s *site) create(d *v1.CustomResourceDefinition) {
	s.t.Helper()
	if _, err := s.definitions.Create(s.ctx, d); err != nil {
		s.t.Fatal(err)
	}
}

// change changes a definition.
func (s *site) change(name string, change func(*v1.CustomResourceDefinition)) *v1.CustomResourceDefinition {
	s.t.Helper()
	d, err := s.definitions.Change(s.ctx, name, func(d *v1.CustomResourceDefinition) error { change(d); return nil })
	if err != nil {
		s.t.Fatal(err)
	}
	return d
}

// until waits until a definition is as wanted.
func (s *site) until(name string, wanted func(*v1.CustomResourceDefinition) bool) *v1.CustomResourceDefinition {
	s.t.Helper()
	for {
		d, err := s.definitions.Get(s.ctx, name)
		switch {
		case err == nil && wanted(d):
			return d
		case s.ctx.Err() != nil:
			s.t.Fatalf("got %+v, %v", d, err)
		}
		time.Sleep(time.Millisecond)
	}
}

// established waits until the current generation of a definition is served.
func (s *site) established(name string) *v1.CustomResourceDefinition {
	s.t.Helper()
	return s.until(name, func(d *v1.CustomResourceDefinition) bool {
		c := meta.FindCondition(d.Status.Conditions, v1.Established)
		return c != nil && c.Status == metav1.ConditionTrue && c.ObservedGeneration == d.Generation
	})
}

// gone waits until a definition does not exist.
func (s *site) gone(name string) {
	s.t.Helper()
	for {
		_, err := s.definitions.Get(s.ctx, name)
		switch {
		case metav1.ReasonOf(err) == metav1.StatusReasonNotFound:
			return
		case s.ctx.Err() != nil:
			s.t.Fatal(err)
		}
		time.Sleep(time.Millisecond)
	}
}

// ask sends a request in JSON and checks the code and a text of the answer.
func (s *site) ask(method, path, body string, code int, want string) {
	s.t.Helper()
	r := httptest.NewRequest(method, "http://localhost"+path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	if method == http.MethodPatch {
		r.Header.Set("Content-Type", "application/merge-patch+json")
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	if w.Code != code || !strings.Contains(w.Body.String(), want) {
		s.t.Errorf("%s %s: code %d, want %d with %q\n%s", method, path, w.Code, code, want, w.Body)
	}
}

func newEngine(t *testing.T) store.Engine {
	db := memory.New()
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func TestServe(t *testing.T) {
	t.Parallel()
	s := newSite(t, newEngine(t))
	s.ask("GET", cronTabsPath, "", http.StatusNotFound, "")
	s.create(s.definition())
	d := s.established(cronTabsName)
	if names := d.Status.AcceptedNames; names.Plural != "crontabs" || names.Singular != "crontab" ||
		names.ListKind != "CronTabList" {
		t.Errorf("accepted names %+v", names)
	}
	if !meta.IsConditionTrue(d.Status.Conditions, v1.NamesAccepted) || len(d.Status.StoredVersions) != 1 {
		t.Errorf("status %+v", d.Status)
	}
	s.ask("POST", cronTabsPath, cronTabObject, http.StatusCreated, `"replicas":1`)
	s.ask("POST", cronTabsPath, `{"metadata":{"name":"bad"},"spec":{"replicas":0}}`, http.StatusUnprocessableEntity,
		"spec.schedule: Required value")
	s.ask("GET", "/apis/stable.example.com/v1", "", http.StatusOK, `"shortNames":["ct"]`)
	s.ask("GET", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", "", http.StatusOK, cronTabsName)
}

// TestApplyNothing checks that a manager which gives up all its fields, and is the only one, is not
// recorded any more.
func TestApplyNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t, newEngine(t))
	s.create(s.definition("required: [spec]", "", "required: [schedule]", ""))
	s.established(cronTabsName)
	apply := func(manager, rest string) string {
		t.Helper()
		r := httptest.NewRequest("PATCH", "http://localhost"+cronTabsPath+"/a?fieldManager="+manager, strings.NewReader(
			`{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"name":"a"}`+rest+`}`))
		r.Header.Set("Content-Type", "application/apply-patch+yaml")
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code/100 != 2 {
			t.Errorf("%s applies %s: code %d\n%s", manager, rest, w.Code, w.Body)
		}
		return w.Body.String()
	}
	if got := apply("one", `,"spec":{"schedule":"x"}`); !strings.Contains(got, `"manager":"one"`) {
		t.Errorf("one is not recorded: %s", got)
	}
	if got := apply("one", ""); strings.Contains(got, "managedFields") || strings.Contains(got, "schedule") {
		t.Errorf("one has no fields: %s", got)
	}
	if got := apply("two", `,"spec":{"schedule":"y"}`); !strings.Contains(got, `"schedule":"y"`) {
		t.Errorf("no other manager has the field: %s", got)
	}
}

// TestColumns holds that a table of definitions has the columns of Kubernetes.
func TestColumns(t *testing.T) {
	t.Parallel()
	table, err := client.ShowAll[metav1.Table](t.Context(), client.Of[v1.CustomResourceDefinition](
		newSite(t, newEngine(t)).Client()))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range table.ColumnDefinitions {
		names = append(names, c.Name)
	}
	if got := strings.Join(names, ", "); got != "Name, Created At" {
		t.Errorf("got %s", got)
	}
}

// TestRefused checks what is refused when a definition is written.
func TestRefused(t *testing.T) {
	t.Parallel()
	s := newSite(t, newEngine(t))
	for name, tt := range map[string]struct {
		replace []string
		want    string
	}{
		"name":    {[]string{"name: crontabs.", "name: tabs."}, `metadata.name: Invalid value: "tabs.stable.example.com"`},
		"schema":  {[]string{"replicas: {type: integer,", "replicas: {type: int,"}, "spec.versions[0].schema"},
		"storage": {[]string{"storage: true", "storage: false"}, "must be the storage version"},
		"scope":   {[]string{"scope: Namespaced", "scope: Everywhere"}, `spec.scope: Unsupported value: "Everywhere"`},
		"webhook": {
			[]string{"scope: Namespaced", "scope: Namespaced\n  conversion: {strategy: Webhook, webhook: {}}"},
			`spec.conversion.strategy: Unsupported value: "Webhook"`,
		},
		"pruning": {
			[]string{"scope: Namespaced", "scope: Namespaced\n  preserveUnknownFields: true"},
			"spec.preserveUnknownFields: Invalid value: true",
		},
	} {
		_, err := s.definitions.Create(s.ctx, s.definition(tt.replace...))
		if metav1.ReasonOf(err) != metav1.StatusReasonInvalid || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %s", name, err, tt.want)
		}
	}
	d := s.definition()
	d.Spec.Versions[0].Schema = nil
	if _, err := s.definitions.Create(s.ctx, d); !strings.Contains(err.Error(), "schemas are required") {
		t.Errorf("got %v", err)
	}
	d = s.definition("scope: Namespaced", "scope: Everywhere", "replicas: {type: integer,", "replicas: {type: int,")
	_, err := s.definitions.Create(s.ctx, d)
	if text := fmt.Sprint(err); strings.Count(text, "spec.scope") != 1 || !strings.Contains(text, `"int"`) {
		t.Errorf("several mistakes: %v", err)
	}
}

// TestKeywords checks that a keyword which schemas do not have is an unknown field: it is refused
// with its place where the client wants that, and removed otherwise.
func TestKeywords(t *testing.T) {
	t.Parallel()
	s := newSite(t, newEngine(t))
	text := strings.Replace(cronTabs, "description: When it runs.", "descriptoin: x, maxLength: 9", 1)
	const path = "http://localhost/apis/apiextensions.k8s.io/v1/customresourcedefinitions?fieldManager=x&fieldValidation="
	for validation, want := range map[string]struct {
		code int
		text string
	}{
		"Strict": {
			http.StatusBadRequest, `unknown field \"spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.schedule.` +
				`descriptoin\" (line 24, column `,
		},
		"Ignore": {http.StatusCreated, `"schedule":{"maxLength":9,"type":"string"}`},
	} {
		r := httptest.NewRequest(http.MethodPost, path+validation, strings.NewReader(text))
		r.Header.Set("Content-Type", "application/yaml")
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code != want.code || !strings.Contains(w.Body.String(), want.text) {
			t.Errorf("%s: %d %s", validation, w.Code, w.Body)
		}
	}
}

// TestRefusedVersions checks what is refused in a version besides its schema.
func TestRefusedVersions(t *testing.T) {
	t.Parallel()
	s := newSite(t, newEngine(t))
	warning := func(deprecated bool, text string) func(*v1.CustomResourceDefinitionVersion) {
		return func(v *v1.CustomResourceDefinitionVersion) { v.Deprecated, v.DeprecationWarning = deprecated, &text }
	}
	column := func(format, path string) func(*v1.CustomResourceDefinitionVersion) {
		return func(v *v1.CustomResourceDefinitionVersion) {
			v.AdditionalPrinterColumns[0].Format, v.AdditionalPrinterColumns[0].JSONPath = format, path
		}
	}
	for want, change := range map[string]func(*v1.CustomResourceDefinitionVersion){
		"only a deprecated version":      warning(false, "x"),
		"deprecationWarning: Invalid":    warning(true, ""),
		"must not have more than 256":    warning(true, strings.Repeat("x", 257)),
		"must consist of printable":      warning(true, "a\nb"),
		"Columns[0].format: Unsupported": column("x", ".spec"),
		"must begin with a dot":          column("", "{.spec}"),
	} {
		d := s.definition()
		change(&d.Spec.Versions[0])
		if _, err := s.definitions.Create(s.ctx, d); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	d := s.definition("stable.example.com", "stable")
	if _, err := s.definitions.Create(s.ctx, d); err == nil || !strings.Contains(err.Error(), "at least one dot") {
		t.Errorf("got %v", err)
	}
}

// TestRefusedChanges checks which changes of a definition are refused.
func TestRefusedChanges(t *testing.T) {
	t.Parallel()
	s := newSite(t, newEngine(t))
	s.create(s.definition())
	s.established(cronTabsName)
	for want, change := range map[string]func(*v1.CustomResourceDefinition){
		"spec.scope: Invalid value":      func(d *v1.CustomResourceDefinition) { d.Spec.Scope = v1.ClusterScoped },
		"spec.names.kind: Invalid value": func(d *v1.CustomResourceDefinition) { d.Spec.Names.Kind = "Tab" },
		"spec.group: Invalid value":      func(d *v1.CustomResourceDefinition) { d.Spec.Group = "example.com" },
		"status.storedVersions[0]: Invalid value": func(d *v1.CustomResourceDefinition) {
			d.Spec.Versions[0].Name = "v2"
		},
	} {
		_, err := s.definitions.Change(s.ctx, cronTabsName, func(d *v1.CustomResourceDefinition) error {
			change(d)
			return nil
		})
		if metav1.ReasonOf(err) != metav1.StatusReasonInvalid || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestNewVersion checks that a definition can get another storage version, and lose the first one
// when nothing is stored in it any more.
func TestNewVersion(t *testing.T) {
	t.Parallel()
	s := newSite(t, newEngine(t))
	s.create(s.definition())
	s.established(cronTabsName)
	s.ask("POST", cronTabsPath, cronTabObject, http.StatusCreated, "")
	s.change(cronTabsName, func(d *v1.CustomResourceDefinition) {
		next := d.Spec.Versions[0]
		next.Name, d.Spec.Versions[0].Storage = "v2", false
		d.Spec.Versions = append(d.Spec.Versions, next)
	})
	if d := s.established(cronTabsName); len(d.Status.StoredVersions) != 2 || d.Status.StoredVersions[1] != "v2" {
		t.Errorf("stored versions %v", d.Status.StoredVersions)
	}
	s.ask("GET", strings.Replace(cronTabsPath, "v1", "v2", 1)+"/hourly", "", http.StatusOK,
		`"apiVersion":"stable.example.com/v2"`)
	s.ask("PATCH", cronTabsPath+"/hourly", `{"spec":{"replicas":3}}`, http.StatusOK, `"replicas":3`)
	d, err := s.definitions.Get(s.ctx, cronTabsName)
	if err != nil {
		t.Fatal(err)
	}
	d.Status.StoredVersions = []string{"v1"}
	if _, err := s.definitions.UpdateStatus(s.ctx, d); metav1.ReasonOf(err) != metav1.StatusReasonInvalid {
		t.Errorf("the storage version is not stored: got %v", err)
	}
	d.Status.StoredVersions = []string{"v2"}
	if _, err := s.definitions.UpdateStatus(s.ctx, d); err != nil {
		t.Fatal(err)
	}
	s.change(cronTabsName, func(d *v1.CustomResourceDefinition) { d.Spec.Versions = d.Spec.Versions[1:] })
	s.established(cronTabsName)
	s.ask("GET", cronTabsPath, "", http.StatusNotFound, "")
	s.ask("GET", strings.Replace(cronTabsPath, "v1", "v2", 1), "", http.StatusOK, `"replicas":3`)
}

// TestNames checks that a definition waits until its names are free, and that one that is served
// keeps them when the server starts again.
func TestNames(t *testing.T) {
	t.Parallel()
	engine := newEngine(t)
	s := newSite(t, engine)
	s.create(s.definition())
	s.established(cronTabsName)
	const other = "actabs.stable.example.com"
	s.create(s.definition("crontabs", "actabs", "CronTab", "AcTab"))
	rejected := func(d *v1.CustomResourceDefinition) bool {
		c := meta.FindCondition(d.Status.Conditions, v1.NamesAccepted)
		return c != nil && c.Status == metav1.ConditionFalse && c.Reason == "ShortNamesConflict" &&
			c.Message == `"ct" is already in use by CronTab.stable.example.com`
	}
	s.until(other, rejected)
	s.ask("GET", "/apis/stable.example.com/v1/actabs", "", http.StatusNotFound, "")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = newSite(t, engine)
	s.ask("GET", cronTabsPath, "", http.StatusOK, "")
	s.ask("GET", "/apis/stable.example.com/v1/actabs", "", http.StatusNotFound, "")
	s.change(cronTabsName, func(d *v1.CustomResourceDefinition) { d.Spec.Names.ShortNames = nil })
	s.established(other)
	s.ask("GET", "/apis/stable.example.com/v1/actabs", "", http.StatusOK, "")
	s.ask("GET", cronTabsPath, "", http.StatusOK, "")
}

// TestChangeWhileAccepted checks that a definition is in force as it is last, if it is changed at
// the moment in which it is served for the first time.
func TestChangeWhileAccepted(t *testing.T) {
	t.Parallel()
	s := newSite(t, newEngine(t))
	for i := range 50 {
		d := s.definition("crontabs", fmt.Sprint("tabs", i), "CronTab", fmt.Sprint("Tab", i),
			"crontab", fmt.Sprint("tab", i))
		d.Spec.Names.ShortNames = nil
		s.create(d)
		s.change(d.Name, func(d *v1.CustomResourceDefinition) {
			next := d.Spec.Versions[0]
			next.Name, next.Storage = "v2", false
			d.Spec.Versions = append(d.Spec.Versions, next)
		})
		s.established(d.Name)
		s.ask("GET", fmt.Sprint("/apis/stable.example.com/v2/tabs", i), "", http.StatusOK, "")
	}
}

// TestOtherKind checks that the kind and the scope of a definition can change until it is served,
// also if the server installs the one before at that moment.
func TestOtherKind(t *testing.T) {
	t.Parallel()
	s := newSite(t, newEngine(t))
	s.create(s.definition())
	s.established(cronTabsName)
	const other, path = "actabs.stable.example.com", "/apis/stable.example.com/v1/actabs"
	s.create(s.definition("crontabs", "actabs"))
	s.until(other, func(d *v1.CustomResourceDefinition) bool {
		return meta.IsConditionFalse(d.Status.Conditions, v1.NamesAccepted)
	})
	s.change(other, func(d *v1.CustomResourceDefinition) {
		d.Spec.Names = v1.CustomResourceDefinitionNames{Plural: "actabs", Kind: "AcTab"}
		d.Spec.Scope = v1.ClusterScoped
	})
	s.established(other)
	s.ask("POST", path, `{"apiVersion":"stable.example.com/v1","kind":"AcTab","metadata":{"name":"x"},
		"spec":{"schedule":"0 * * * *"}}`, http.StatusCreated, "")
	for i := range 50 {
		d := s.definition("crontabs", fmt.Sprint("tabs", i), "CronTab", fmt.Sprint("First", i),
			"crontab", fmt.Sprint("first", i))
		d.Spec.Names.ShortNames = nil
		s.create(d)
		_, err := s.definitions.Change(s.ctx, d.Name, func(d *v1.CustomResourceDefinition) error {
			d.Spec.Names.Kind, d.Spec.Names.ListKind, d.Spec.Names.Singular = fmt.Sprint("Second", i), "", ""
			d.Spec.Scope = v1.ClusterScoped
			return nil
		})
		want := "Second"
		switch {
		case metav1.ReasonOf(err) == metav1.StatusReasonInvalid:
			want = "First"
		case err != nil:
			t.Fatal(err)
		}
		s.established(d.Name)
		s.ask("GET", fmt.Sprint("/apis/stable.example.com/v1/tabs", i), "", http.StatusOK,
			fmt.Sprintf(`"kind":"%s%dList"`, want, i))
	}
}

// TestKindsOfTheProgram checks that a definition does not take a kind of the program.
func TestKindsOfTheProgram(t *testing.T) {
	t.Parallel()
	s := newSite(t, newEngine(t))
	s.create(s.definition("crontabs.stable.example.com", "groups.discovery.k8s.io", "stable.example.com",
		"discovery.k8s.io", "crontabs", "groups", "CronTab", "Group"))
	s.until("groups.discovery.k8s.io", func(d *v1.CustomResourceDefinition) bool {
		c := meta.FindCondition(d.Status.Conditions, v1.NamesAccepted)
		return c != nil && c.Reason == "PluralConflict" && meta.IsConditionFalse(d.Status.Conditions, v1.Established)
	})
	if err := s.definitions.Delete(s.ctx, "groups.discovery.k8s.io"); err != nil {
		t.Fatal(err)
	}
	s.gone("groups.discovery.k8s.io")
	s.ask("GET", "/apis/discovery.k8s.io/v1alpha1/groups", "", http.StatusOK, "apiextensions.k8s.io")
}

// TestDelete checks that a definition stays until its objects have been deleted, even if the server
// starts again meanwhile.
func TestDelete(t *testing.T) {
	t.Parallel()
	engine := newEngine(t)
	s := newSite(t, engine)
	s.create(s.definition())
	s.established(cronTabsName)
	s.ask("POST", cronTabsPath, strings.Replace(cronTabObject, `"name":"hourly"`,
		`"name":"kept","finalizers":["example.com/kept"]`, 1), http.StatusCreated, "")
	s.ask("POST", cronTabsPath, cronTabObject, http.StatusCreated, "")
	if err := s.definitions.Delete(s.ctx, cronTabsName); err != nil {
		t.Fatal(err)
	}
	terminating := func(d *v1.CustomResourceDefinition) bool {
		return meta.IsConditionTrue(d.Status.Conditions, v1.Terminating)
	}
	s.until(cronTabsName, terminating)
	for { // the condition comes first
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://localhost"+cronTabsPath, nil))
		if !strings.Contains(w.Body.String(), "hourly") {
			break
		}
		if s.ctx.Err() != nil {
			t.Fatal("the objects are not deleted")
		}
	}
	s.ask("POST", cronTabsPath, cronTabObject, http.StatusMethodNotAllowed, "being deleted")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = newSite(t, engine)
	s.until(cronTabsName, terminating)
	s.ask("PATCH", cronTabsPath+"/kept", `{"metadata":{"finalizers":null}}`, http.StatusOK, "")
	s.gone(cronTabsName)
	s.create(s.definition())
	s.established(cronTabsName)
	s.ask("GET", cronTabsPath, "", http.StatusOK, `"items":[]`)
}

// TestDeleteUnserved checks that the objects of a definition are deleted with it even if it serves
// no version any more, by the same process and by the next one.
func TestDeleteUnserved(t *testing.T) {
	t.Parallel()
	for _, restart := range []bool{false, true} {
		engine := newEngine(t)
		s := newSite(t, engine)
		s.create(s.definition())
		s.established(cronTabsName)
		s.ask("POST", cronTabsPath, cronTabObject, http.StatusCreated, "")
		s.change(cronTabsName, func(d *v1.CustomResourceDefinition) {
			for i := range d.Spec.Versions {
				d.Spec.Versions[i].Served = false
			}
		})
		s.established(cronTabsName)
		s.ask("GET", cronTabsPath, "", http.StatusNotFound, "")
		if restart {
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			s = newSite(t, engine)
		}
		if err := s.definitions.Delete(s.ctx, cronTabsName); err != nil {
			t.Fatal(err)
		}
		s.gone(cronTabsName)
		s.create(s.definition())
		s.established(cronTabsName)
		s.ask("GET", cronTabsPath, "", http.StatusOK, `"items":[]`)
	}
}

// ofProgram returns a kind in the group of the CronTabs that a program has without a definition.
func ofProgram(t *testing.T, kind, plural string, shortNames ...string) []func(*runtime.Builder) {
	t.Helper()
	r, err := dynamic.New(dynamic.Definition{
		Group: "stable.example.com", Kind: kind, Resource: plural, ShortNames: shortNames,
		Versions: []dynamic.Version{{Name: "v1", Storage: true}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return []func(*runtime.Builder){r.AddTo}
}

// TestDeleteWithoutNames deletes a definition that has lost a name to a kind of the program when
// the server started again. Its objects are deleted, too, except where they are those of the
// program.
func TestDeleteWithoutNames(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		kinds   []func(*runtime.Builder)
		waits   bool // the deletion waits until the name is free
		objects string
	}{
		{"a short name", ofProgram(t, "Ticket", "tickets", "ct"), false, `"items":[]`},
		{"the kind", ofProgram(t, "CronTab", "tickets"), true, `"items":[]`},
		{"the resource", ofProgram(t, "Ticket", "crontabs"), false, `"name":"hourly"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			engine := newEngine(t)
			s := newSite(t, engine)
			s.create(s.definition())
			s.established(cronTabsName)
			s.ask("POST", cronTabsPath, cronTabObject, http.StatusCreated, "")
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			s = newSiteOf(t, engine, tt.kinds)
			s.until(cronTabsName, func(d *v1.CustomResourceDefinition) bool {
				return meta.IsConditionFalse(d.Status.Conditions, v1.NamesAccepted)
			})
			if err := s.definitions.Delete(s.ctx, cronTabsName); err != nil {
				t.Fatal(err)
			}
			if tt.waits {
				s.until(cronTabsName, func(d *v1.CustomResourceDefinition) bool {
					c := meta.FindCondition(d.Status.Conditions, v1.Terminating)
					return c != nil && c.Reason == "InstanceDeletionFailed" &&
						strings.Contains(c.Message, "already in use")
				})
			} else {
				s.gone(cronTabsName)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			s = newSite(t, engine)
			s.gone(cronTabsName)
			s.create(s.definition())
			s.established(cronTabsName)
			s.ask("GET", cronTabsPath, "", http.StatusOK, tt.objects)
		})
	}
}

// TestRulesOfStoredDefinitions starts a server that refuses a rule of a definition which was stored
// when no rules were checked: the definition says so, and can be mended.
func TestRulesOfStoredDefinitions(t *testing.T) {
	t.Parallel()
	engine := newEngine(t)
	s := newSite(t, engine)
	const rule = "x-kubernetes-validations: [{rule: self}]"
	s.create(s.definition("required: [schedule]", "required: [schedule]\n              "+rule))
	s.established(cronTabsName)
	s.ask("POST", cronTabsPath, cronTabObject, http.StatusCreated, "")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = newSite(t, engine, server.Rules(func([]byte) (dynamic.Rules, runtime.FieldErrors) {
		return nil, runtime.FieldErrors{runtime.Invalid(schema.NewPath("properties"), nil, "no such rule")}
	}))
	s.until(cronTabsName, func(d *v1.CustomResourceDefinition) bool {
		c := meta.FindCondition(d.Status.Conditions, v1.Established)
		return c != nil && c.Reason == "Withdrawn" && strings.Contains(c.Message, "no such rule")
	})
	s.ask("PATCH", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/"+cronTabsName, `{"metadata":{"labels":{"a":"b"}}}`,
		http.StatusUnprocessableEntity, "no such rule")
	s.change(cronTabsName, func(d *v1.CustomResourceDefinition) {
		d.Spec.Versions[0].Schema = s.definition().Spec.Versions[0].Schema
	})
	s.established(cronTabsName)
	s.ask("GET", cronTabsPath, "", http.StatusOK, "hourly")
}

// alter changes the stored definition of the CronTabs without any check, as a program with other
// rules would.
func alter(t *testing.T, engine store.Engine, change func(*v1.CustomResourceDefinition)) {
	t.Helper()
	scheme, err := runtime.NewScheme(v1.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	f, err := serializer.NewFactory(scheme, json.Format())
	if err != nil {
		t.Fatal(err)
	}
	st, err := store.Open(t.Context(), engine, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	r, err := st.Add(store.ResourceOptions{Factory: f, Kind: v1.GroupVersion.WithKind("CustomResourceDefinition")})
	if err != nil {
		t.Fatal(err)
	}
	_, err = r.Update(t.Context(), store.Key{Name: cronTabsName}, store.WriteOptions{},
		func(_ context.Context, obj runtime.Object) (runtime.Object, error) {
			d := v1.DeepCopyCustomResourceDefinition(obj.(*v1.CustomResourceDefinition))
			change(d)
			return d, nil
		})
	if err != nil {
		t.Fatal(err)
	}
}

// TestUnchangedSpecs checks that a write that keeps a spec that is in force does not compile it:
// the program would refuse the spec, which another one has altered.
func TestUnchangedSpecs(t *testing.T) {
	t.Parallel()
	engine := newEngine(t)
	s := newSite(t, engine)
	s.create(s.definition())
	s.established(cronTabsName)
	alter(t, engine, func(d *v1.CustomResourceDefinition) {
		d.Spec.Versions[0].Schema.OpenAPIV3Schema = []byte(`{"type":"object","properties":{"spec":{"type":"text"}}}`)
	})
	s.until(cronTabsName, func(d *v1.CustomResourceDefinition) bool {
		return strings.Contains(string(d.Spec.Versions[0].Schema.OpenAPIV3Schema), "text")
	})
	const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/" + cronTabsName
	s.ask("PATCH", path, `{"metadata":{"labels":{"a":"b"}}}`, http.StatusOK, `"a":"b"`)
	s.ask("PATCH", path+"/status", `{"status":{"acceptedNames":{"shortNames":["x"]}}}`, http.StatusOK, `"x"`)
	s.ask("PATCH", path, `{"spec":{"names":{"shortNames":["x"]}}}`, http.StatusUnprocessableEntity, "Unsupported value")
}

// TestDeleteRefusedDefinitions deletes a definition that the program refuses since it has started
// again. It says so before, and its objects are deleted, too.
func TestDeleteRefusedDefinitions(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		schema  string
		options []server.Option
		message string
	}{
		{"a schema", `{"type":"object","properties":{"spec":{"type":"objekt"}}}`, nil, "objekt"},
		{
			"a rule", `{"type":"object","x-kubernetes-validations":[{"rule":"self"}]}`,
			[]server.Option{server.Rules(func([]byte) (dynamic.Rules, runtime.FieldErrors) {
				return nil, runtime.FieldErrors{runtime.Invalid(schema.NewPath("properties"), nil, "no such rule")}
			})},
			"no such rule",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			engine := newEngine(t)
			s := newSite(t, engine)
			s.create(s.definition())
			s.established(cronTabsName)
			s.ask("POST", cronTabsPath, strings.Replace(cronTabObject, `"name":"hourly"`,
				`"name":"hourly","finalizers":["example.com/kept"]`, 1), http.StatusCreated, "")
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			alter(t, engine, func(d *v1.CustomResourceDefinition) {
				d.Spec.Versions[0].Schema.OpenAPIV3Schema = []byte(tt.schema)
			})
			s = newSite(t, engine, tt.options...)
			s.until(cronTabsName, func(d *v1.CustomResourceDefinition) bool {
				c := meta.FindCondition(d.Status.Conditions, v1.Established)
				return c != nil && c.Reason == "Withdrawn" && strings.Contains(c.Message, tt.message)
			})
			if err := s.definitions.Delete(s.ctx, cronTabsName); err != nil {
				t.Fatal(err)
			}
			s.until(cronTabsName, func(d *v1.CustomResourceDefinition) bool {
				return meta.IsConditionTrue(d.Status.Conditions, v1.Terminating)
			})
			s.ask("PATCH", cronTabsPath+"/hourly", `{"metadata":{"finalizers":null}}`, http.StatusOK, `"schedule":"0 * * * *"`)
			s.gone(cronTabsName)
			s.create(s.definition())
			s.established(cronTabsName)
			s.ask("GET", cronTabsPath, "", http.StatusOK, `"items":[]`)
		})
	}
}

// TestFinalizer checks that a definition whose finalizers somebody replaces cannot go before its
// objects.
func TestFinalizer(t *testing.T) {
	t.Parallel()
	s := newSite(t, newEngine(t))
	s.create(s.definition())
	s.established(cronTabsName)
	s.ask("POST", cronTabsPath, cronTabObject, http.StatusCreated, "")
	d := s.change(cronTabsName, func(d *v1.CustomResourceDefinition) { d.Finalizers = nil })
	if !slices.Contains(d.Finalizers, v1.Finalizer) {
		t.Errorf("finalizers %v", d.Finalizers)
	}
	if err := s.definitions.Delete(s.ctx, cronTabsName); err != nil {
		t.Fatal(err)
	}
	s.gone(cronTabsName)
	s.create(s.definition())
	s.established(cronTabsName)
	s.ask("GET", cronTabsPath, "", http.StatusOK, `"items":[]`)
}

// TestSuccessor checks a definition that takes the name of another one, with another kind, before
// the server has seen that that one is gone.
func TestSuccessor(t *testing.T) {
	t.Parallel()
	const slow = "actabs.stable.example.com"
	busy, gate := make(chan bool, 1), make(chan bool)
	s := newSite(t, newEngine(t), server.Admit(func(ctx context.Context, r *server.Request, _, _ runtime.Object) error {
		if r.Name == slow && r.Subresource == "status" {
			select {
			case busy <- true:
			default:
			}
			select {
			case <-gate:
			case <-ctx.Done():
			}
		}
		return nil
	}))
	s.create(s.definition())
	s.established(cronTabsName)
	s.create(s.definition("crontabs", "actabs", "CronTab", "AcTab", "[ct]", "[at]"))
	<-busy
	if err := s.definitions.Delete(s.ctx, cronTabsName); err != nil {
		t.Fatal(err)
	}
	s.change(cronTabsName, func(d *v1.CustomResourceDefinition) { d.Finalizers = nil })
	s.gone(cronTabsName)
	s.create(s.definition("CronTab", "Tab", "scope: Namespaced", "scope: Cluster"))
	close(gate)
	s.established(cronTabsName)
	s.established(slow)
	s.ask("GET", cronTabsPath, "", http.StatusNotFound, "")
	s.ask("GET", "/apis/stable.example.com/v1/crontabs", "", http.StatusOK, `"kind":"TabList"`)
}

// TestReplicas checks that all servers on a store serve its definitions.
func TestReplicas(t *testing.T) {
	t.Parallel()
	engine := newEngine(t)
	one := newSite(t, engine, server.Replicas(), server.Identity("one"))
	two := newSite(t, engine, server.Replicas(), server.Identity("two"))
	one.create(one.definition())
	kind := schema.GroupKind{Group: "stable.example.com", Kind: "CronTab"}
	var tabs restmapper.Mapping
	for _, s := range []*site{one, two} {
		var err error
		if tabs, err = s.Client().Mapper(client.MapperOptions{}).Wait(s.ctx, kind); err != nil {
			t.Fatal(err)
		}
		for { // the Groups are shared, so the other replica may have told the mapper
			_, err := s.Client().Untyped(tabs).List(s.ctx)
			if err == nil {
				break
			}
			if s.ctx.Err() != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Millisecond)
		}
	}
	two.ask("POST", cronTabsPath, cronTabObject, http.StatusCreated, "")
	one.ask("GET", cronTabsPath+"/hourly", "", http.StatusOK, "")
	if err := two.definitions.Delete(two.ctx, cronTabsName); err != nil {
		t.Fatal(err)
	}
	one.gone(cronTabsName)
	for _, s := range []*site{one, two} {
		for {
			_, err := s.Client().Untyped(tabs).List(s.ctx)
			if metav1.ReasonOf(err) == metav1.StatusReasonNotFound {
				break
			}
			if s.ctx.Err() != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Millisecond)
		}
	}
}
