package aggregator_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/askind/askind/aggregator"
	"github.com/askind/askind/aggregator/v1alpha1"
	"github.com/askind/askind/client"
	discoveryv1alpha1 "github.com/askind/askind/discovery/v1alpha1"
	fleetv1 "github.com/askind/askind/examples/fleet/api/fleet/v1"
	inventoryv1 "github.com/askind/askind/examples/fleet/api/inventory/v1"
	"github.com/askind/askind/meta"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/server"
	"github.com/askind/askind/server/auth"
	"github.com/askind/askind/store/memory"
)

// serve returns a server in memory for some groups. It is closed when the test ends.
func serve(t *testing.T, groups []func(*runtime.Builder), options ...server.Option) *server.Server {
	t.Helper()
	scheme, err := runtime.NewScheme(append(groups, metav1.AddTo)...)
	if err != nil {
		t.Fatal(err)
	}
	engine := memory.New()
	srv, err := server.New(scheme, engine, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { srv.Close(); engine.Close() })
	return srv
}

// fleet returns a server of the group fleet.example.com.
func fleet(t *testing.T) *server.Server { return serve(t, []func(*runtime.Builder){fleetv1.AddTo}) }

// front is a server for registrations and the inventory that delegates to an aggregator.
type front struct {
	*aggregator.Aggregator
	server *server.Server
	http   *http.Client
}

// newFront returns a front whose aggregator selects transports by the host of the URL.
func newFront(t *testing.T, backends map[string]http.RoundTripper, options ...server.Option) *front {
	t.Helper()
	return newFrontWith(t, aggregator.Config{
		Period: 50 * time.Millisecond, Requests: 2, Transport: byHost(backends),
	}, options...)
}

// byHost selects transports by the host of the URL.
func byHost(backends map[string]http.RoundTripper) func(*v1alpha1.APIServiceSpec) http.RoundTripper {
	return func(s *v1alpha1.APIServiceSpec) http.RoundTripper {
		host, _, _ := strings.Cut(strings.TrimPrefix(s.URL, "http://"), "/")
		return backends[host]
	}
}

// newFrontWith returns a front with an aggregator of some settings.
func newFrontWith(t *testing.T, c aggregator.Config, options ...server.Option) *front {
	t.Helper()
	agg, err := aggregator.New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { agg.Close() })
	srv := serve(t, []func(*runtime.Builder){v1alpha1.AddTo, inventoryv1.AddTo},
		append(options, server.DelegateTo(agg))...)
	return &front{agg, srv, &http.Client{Transport: srv.Transport()}}
}

// service returns a registration.
func service(name, url, group, version string) *v1alpha1.APIService {
	return &v1alpha1.APIService{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       v1alpha1.APIServiceSpec{Group: group, Version: version, URL: url},
	}
}

// fleetService returns the registration of fleet.example.com/v1 at a server.
func fleetService(url string) *v1alpha1.APIService {
	return service("v1.fleet.example.com", url, "fleet.example.com", "v1")
}

// do sends a request and returns the response.
func (f *front) do(t *testing.T, method, path, body string, headers ...string) (int, http.Header, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, "http://front"+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	resp, err := f.http.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, resp.Header, string(text)
}

// eventually waits until a function returns true.
func eventually(t *testing.T, what string, f func() bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !f(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("still waiting until " + what)
		}
	}
}

// condition returns the status and reason of a condition of a registration.
func (f *front) condition(name, kind string) string {
	for _, c := range f.Conditions(name) {
		if c.Type == kind {
			return string(c.Status) + " " + c.Reason
		}
	}
	return ""
}

// waitFor waits until a condition of a registration has a status and a reason.
func (f *front) waitFor(t *testing.T, name, kind, want string) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(5 * time.Millisecond) {
		got := f.condition(name, kind)
		if got == want {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s of %s is %q, want %q", kind, name, got, want)
		}
	}
}

// machine returns a machine in JSON.
func machine(name string) string {
	return `{"kind":"Machine","apiVersion":"fleet.example.com/v1","metadata":{"name":"` + name +
		`","namespace":"default"},"spec":{"zone":"north","hardware":{"cores":4,"memory":"8Gi"},"boot":{"type":"Image","image":{"name":"debian"}}}}`
}

const machines = "/apis/fleet.example.com/v1/namespaces/default/machines"

// TestRequestsArePassedOn creates, reads, watches and deletes objects through the aggregator.
func TestRequestsArePassedOn(t *testing.T) {
	t.Parallel()
	behind := fleet(t)
	f := newFront(t, map[string]http.RoundTripper{"fleet": behind.Transport()})
	f.Set()
	if code, _, body := f.do(t, "GET", machines, ""); code != http.StatusNotFound {
		t.Fatalf("before the registration: %d %s", code, body)
	}
	f.Set(fleetService("http://fleet"))
	f.waitFor(t, "v1.fleet.example.com", v1alpha1.ConditionAvailable, "True Answers")

	if code, _, body := f.do(t, "POST", machines, machine("a")); code != http.StatusCreated {
		t.Fatalf("create: %d %s", code, body)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://front"+machines+"?watch=1", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	watch, err := f.http.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Body.Close()
	events := json.NewDecoder(watch.Body)
	for _, want := range []string{"ADDED", "DELETED"} {
		var event struct {
			Type   string
			Object struct{ Metadata struct{ Name string } }
		}
		if err := events.Decode(&event); err != nil || event.Type != want || event.Object.Metadata.Name != "a" {
			t.Fatalf("got %+v, %v; want %s of a", event, err, want)
		}
		if want == "ADDED" {
			if code, _, body := f.do(t, "DELETE", machines+"/a", ""); code != http.StatusOK {
				t.Fatalf("delete: %d %s", code, body)
			}
		}
	}
	f.Set()
	if code, _, body := f.do(t, "GET", machines, ""); code != http.StatusNotFound {
		t.Errorf("after the registration: %d %s", code, body)
	}
}

// TestClientInProcess checks that typed requests of a client in the process of the front, which
// have no connection, reach the servers behind it, as other requests of the client do.
func TestClientInProcess(t *testing.T) {
	t.Parallel()
	agg, err := aggregator.New(aggregator.Config{
		Transport: byHost(map[string]http.RoundTripper{"fleet": fleet(t).Transport()}),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { agg.Close() })
	f := &front{Aggregator: agg, server: serve(t, []func(*runtime.Builder){fleetv1.AddTo},
		server.Disable(fleetv1.GroupVersion), server.DelegateTo(agg))}
	f.Set(fleetService("http://fleet"))
	f.waitFor(t, "v1.fleet.example.com", v1alpha1.ConditionAvailable, "True Answers")
	pools := client.Of[fleetv1.MachinePool](f.server.Client()).In("default")
	pool := &fleetv1.MachinePool{ObjectMeta: metav1.ObjectMeta{Name: "a"}}
	if _, err := pools.Create(t.Context(), pool); metav1.ReasonOf(err) != metav1.StatusReasonInvalid {
		t.Errorf("a pool without a size: %v", err)
	}
	if list, err := pools.List(t.Context()); err != nil || len(list.Items) > 0 {
		t.Errorf("got %v, %v", list, err)
	}
}

// TestDiscoveryShowsEverything reads the documents of the front server.
func TestDiscoveryShowsEverything(t *testing.T) {
	t.Parallel()
	f := newFront(t, map[string]http.RoundTripper{"fleet": fleet(t).Transport()})
	f.Set(fleetService("http://fleet"))
	f.waitFor(t, "v1.fleet.example.com", v1alpha1.ConditionAvailable, "True Answers")
	aggregated := "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
	for _, tt := range []struct {
		path, accept string
		want         []string
	}{
		{"/apis", "application/json", []string{"fleet.example.com/v1", "inventory.example.com/v1"}},
		{"/apis", aggregated, []string{`"machines"`, `"sites"`, `"freshness":"Current"`}},
		{"/apis/fleet.example.com", "application/json", []string{`"fleet.example.com/v1"`}},
		{"/apis/fleet.example.com/v1", "application/json", []string{`"machines"`, `"machines/status"`}},
		{"/openapi/v3", "application/json", []string{`"apis/fleet.example.com/v1"`, `"apis/inventory.example.com/v1"`}},
		{"/openapi/v3/apis/fleet.example.com/v1", "application/json", []string{"com.example.fleet.v1.Machine"}},
	} {
		code, header, body := f.do(t, "GET", tt.path, "", "Accept", tt.accept)
		if code != http.StatusOK {
			t.Errorf("%s: %d %s", tt.path, code, body)
		}
		for _, want := range tt.want {
			if !strings.Contains(strings.ReplaceAll(body, `": "`, `":"`), want) {
				t.Errorf("%s, %s, does not have %s: %.300s", tt.path, header.Get("Content-Type"), want, body)
			}
		}
	}
}

// TestGroupsShowEverything checks that the Groups of the front server include the resources of
// other servers and follow their changes.
func TestGroupsShowEverything(t *testing.T) {
	t.Parallel()
	child := fleet(t)
	wire := &failing{child.Transport(), make(chan struct{})}
	f := newFront(t, map[string]http.RoundTripper{"fleet": wire})
	groups := client.Of[discoveryv1alpha1.Group](f.server.Client())
	names := func() string {
		list, err := groups.List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, g := range list.Items {
			out = append(out, fmt.Sprint(g.Name, "=", discoveryv1alpha1.VersionNames(g), "/",
				discoveryv1alpha1.ResourceCount(g)))
		}
		return strings.Join(out, " ")
	}
	const (
		own   = "aggregation.askind.dev=v1alpha1/1 discovery.k8s.io=v1alpha1/1 "
		after = "inventory.example.com=v1/2"
	)
	wait := func(what, want string) {
		t.Helper()
		eventually(t, what+": "+want, func() bool { return names() == want })
	}
	f.Set(fleetService("http://fleet"))
	wait("the child is known", own+"fleet.example.com=v1/2 "+after)
	m := f.server.Client().Mapper(client.MapperOptions{})
	machine := schema.GroupKind{Group: "fleet.example.com", Kind: "Machine"}
	if found, err := m.Wait(t.Context(), machine); err != nil || found.Resource.Resource != "machines" {
		t.Errorf("the mapper has %+v, %v", found, err)
	}
	close(wire.dead)
	child.Close() // ends the watch of its Groups
	f.waitFor(t, "v1.fleet.example.com", v1alpha1.ConditionAvailable, "False DoesNotAnswer")
	wait("the child is dead", own+"fleet.example.com=v1/2 "+after)
	f.Set()
	wait("the registration is gone", own+after)
}

// TestGroupsStayUntilRegistrationsAreKnown checks that after a restart of the front server the
// Groups of other servers stay unchanged until their resources are known again.
func TestGroupsStayUntilRegistrationsAreKnown(t *testing.T) {
	t.Parallel()
	engine := memory.New()
	defer engine.Close()
	child := fleet(t)
	scheme, err := runtime.NewScheme(metav1.AddTo, v1alpha1.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	start := func() (*aggregator.Aggregator, *server.Server) {
		agg, err := aggregator.New(aggregator.Config{
			Transport: func(*v1alpha1.APIServiceSpec) http.RoundTripper { return child.Transport() },
		})
		if err != nil {
			t.Fatal(err)
		}
		srv, err := server.New(scheme, engine, server.DelegateTo(agg))
		if err != nil {
			t.Fatal(err)
		}
		return agg, srv
	}
	version := func(srv *server.Server) string {
		g, err := client.Of[discoveryv1alpha1.Group](srv.Client()).Get(t.Context(), "fleet.example.com")
		if err != nil {
			return ""
		}
		return g.ResourceVersion
	}
	agg, srv := start()
	agg.Set(fleetService("http://fleet"))
	eventually(t, "the Group is there", func() bool { return version(srv) != "" })
	before := version(srv)
	srv.Close()
	agg.Close()
	agg, srv = start()
	defer agg.Close()
	defer srv.Close()
	if got := version(srv); got != before {
		t.Errorf("after a restart: the Group has version %q, want %q", got, before)
	}
	changed := agg.Changed()
	agg.Set(fleetService("http://fleet"))
	<-changed
	eventually(t, "the child is known", func() bool {
		conditions := agg.Conditions("v1.fleet.example.com")
		return slices.ContainsFunc(conditions, func(c metav1.Condition) bool {
			return c.Type == v1alpha1.ConditionAvailable && c.Status == metav1.ConditionTrue
		})
	})
	if got := version(srv); got != before {
		t.Errorf("when the child is known: the Group has version %q, want %q", got, before)
	}
	srv.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "http://localhost/apis", nil))
	agg.Set()
	eventually(t, "the Group is gone", func() bool { return version(srv) == "" })
}

// TestRegistrationsThatConflict checks which of several registrations are accepted.
func TestRegistrationsThatConflict(t *testing.T) {
	t.Parallel()
	lying := handler(func(w http.ResponseWriter, r *http.Request) {
		list := `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"fleet.example.com/v2","resources":[` +
			`{"name":"machines","singularName":"","namespaced":true,"kind":"Toaster","verbs":["get"]}]}`
		answerLegacy(w, r, "/apis/fleet.example.com/v2", list)
	})
	renaming := handler(func(w http.ResponseWriter, r *http.Request) {
		list := `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"fleet.example.com/v3","resources":[` +
			`{"name":"computers","singularName":"","namespaced":true,"kind":"Machine","verbs":["get"]}]}`
		answerLegacy(w, r, "/apis/fleet.example.com/v3", list)
	})
	f := newFront(t, map[string]http.RoundTripper{
		"fleet": fleet(t).Transport(), "other": fleet(t).Transport(),
		"lying": lying, "renaming": renaming,
	})
	f.Set(fleetService("http://fleet"))
	f.waitFor(t, "v1.fleet.example.com", v1alpha1.ConditionAvailable, "True Answers")
	older := fleetService("http://fleet")
	older.CreationTimestamp = metav1.NewTime(time.Unix(1_700_000_000, 0))
	newer := service("again", "http://other", "fleet.example.com", "v1") // it precedes the other one by its name
	newer.CreationTimestamp = metav1.NewTime(time.Unix(1_800_000_000, 0))
	toaster := service("v2.fleet.example.com", "http://lying", "fleet.example.com", "v2")
	computer := service("v3.fleet.example.com", "http://renaming", "fleet.example.com", "v3")
	toaster.CreationTimestamp, computer.CreationTimestamp = newer.CreationTimestamp, newer.CreationTimestamp
	f.Set(newer, older, toaster, computer,
		service("v1.inventory.example.com", "http://other", "inventory.example.com", "v1"),
		service("here", "", "inventory.example.com", "v1"),
		service("nothing", "", "nothing.example.com", "v1"),
		service("bad", "ftp://other", "bad.example.com", "v1"),
		service("blank", "http://other", "", ""), service("dots", "http://other", "", ".."),
		service("percent", "http://other", "a%2fb.example.com", "v1"), service("core", "http://other", "core", "v1"),
		service("v1", "http://other", "", "v1"))
	for name, want := range map[string]string{
		"v1.fleet.example.com": "True Accepted", "again": "False DuplicateRegistration",
		"v2.fleet.example.com": "False NamesConflict", "v3.fleet.example.com": "False NamesConflict",
		"v1.inventory.example.com": "False ServedLocally",
		"here":                     "True Accepted", "bad": "False InvalidRegistration", "blank": "False InvalidRegistration",
		"dots": "False InvalidRegistration", "percent": "False InvalidRegistration",
		"core": "False InvalidRegistration", "v1": "True Accepted",
	} {
		f.waitFor(t, name, v1alpha1.ConditionAccepted, want)
		if got := f.condition(name, v1alpha1.ConditionAvailable); want != "True Accepted" && got != want {
			t.Errorf("%s is not accepted, and Available is %q", name, got)
		}
	}
	f.waitFor(t, "here", v1alpha1.ConditionAvailable, "True Answers")
	f.waitFor(t, "nothing", v1alpha1.ConditionAvailable, "False NotServed")
	f.waitFor(t, "v1", v1alpha1.ConditionAvailable, "False NotServed")
	if _, _, body := f.do(t, "GET", "/apis", ""); strings.Contains(body, "fleet.example.com/v2") {
		t.Errorf("a version that is not accepted is shown: %s", body)
	}
}

// TestPriorities checks the order of groups and versions from several registrations: a group counts
// with the highest priority among its registrations, whichever server they are for.
func TestPriorities(t *testing.T) {
	t.Parallel()
	list := func(gv, resource, kind string) http.RoundTripper {
		return handler(func(w http.ResponseWriter, r *http.Request) {
			answerLegacy(w, r, "/apis/"+gv, `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"`+gv+
				`","resources":[{"name":"`+resource+`","singularName":"","namespaced":true,"kind":"`+kind+
				`","verbs":["get"]}]}`)
		})
	}
	host := func(gv string) string { return strings.ReplaceAll(gv, "/", "-") }
	versions := []string{
		"a.example.com/v1", "b.example.com/v1", "b.example.com/v2", "c.example.com/v1", "b.example.com/v1beta1",
	}
	backends := map[string]http.RoundTripper{}
	for _, gv := range versions {
		backends[host(gv)] = list(gv, "things", "Thing")
	}
	f := newFront(t, backends)
	set := func(change func(s *v1alpha1.APIService)) (order string) {
		var all []*v1alpha1.APIService
		for _, gv := range versions {
			group, version, _ := strings.Cut(gv, "/")
			s := service(version+"."+group, "http://"+host(gv), group, version)
			change(s)
			all = append(all, s)
		}
		f.Set(all...)
		for _, s := range all {
			f.waitFor(t, s.Name, v1alpha1.ConditionAvailable, "True Answers")
		}
		for _, gv := range f.GroupVersions() {
			order += strings.Replace(gv.String(), ".example.com", "", 1) + " "
		}
		return strings.TrimSpace(order)
	}
	preferred := func() string {
		_, _, body := f.do(t, "GET", "/apis/b.example.com", "", "Accept", "application/json")
		var g struct{ PreferredVersion struct{ Version string } }
		if err := json.Unmarshal([]byte(body), &g); err != nil {
			t.Fatal(err)
		}
		return g.PreferredVersion.Version
	}
	if got := set(func(*v1alpha1.APIService) {}); got != "a/v1 b/v2 b/v1 b/v1beta1 c/v1" || preferred() != "v2" {
		t.Errorf("without priorities: %s, preferred %s", got, preferred())
	}
	got := set(func(s *v1alpha1.APIService) {
		switch s.Name {
		case "v1beta1.b.example.com":
			s.Spec.GroupPriority, s.Spec.VersionPriority = 10, 5
		case "v2.b.example.com":
			s.Spec.GroupPriority = 1
		case "v1.c.example.com":
			s.Spec.GroupPriority = 5
		}
	})
	if want := "b/v1beta1 b/v2 b/v1 c/v1 a/v1"; got != want || preferred() != "v1beta1" {
		t.Errorf("with priorities: %s, want %s; preferred %s", got, want, preferred())
	}
}

// TestMalformedDescription checks the condition of a server whose resources cannot be shown, and
// that it goes away with the cause.
func TestMalformedDescription(t *testing.T) {
	t.Parallel()
	var subresource atomic.Pointer[string]
	subresource.Store(new("a/b"))
	f := newFront(t, map[string]http.RoundTripper{
		"fleet": fleet(t).Transport(),
		"liar": handler(func(w http.ResponseWriter, r *http.Request) {
			legacy(`{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"lies.example.com/v1","resources":[`+
				`{"name":"lies","singularName":"","namespaced":true,"kind":"Lie","verbs":["get"]},`+
				`{"name":"lies/`+*subresource.Load()+`","namespaced":true,"kind":"Lie","verbs":["get"]}]}`)(w, r)
		}),
	})
	f.Set(fleetService("http://fleet"), service("liar", "http://liar", "lies.example.com", "v1"))
	for range 2 {
		f.waitFor(t, "v1.fleet.example.com", v1alpha1.ConditionAvailable, "True Answers")
		f.waitFor(t, "liar", v1alpha1.ConditionAvailable, "False MalformedDescription")
		for _, c := range f.Conditions("liar") {
			if c.Type == v1alpha1.ConditionAvailable &&
				(!strings.Contains(c.Message, `subresource "a/b`) || len(c.Message) > 1100) {
				t.Errorf("the message: %s", c.Message)
			}
		}
		if got := f.condition("liar", v1alpha1.ConditionAccepted); got != "True Accepted" {
			t.Errorf("Accepted is %s", got)
		}
		if code, _, body := f.do(t, "GET", "/apis/lies.example.com/v1", ""); strings.Contains(body, `"Lie"`) {
			t.Errorf("the resources are shown: %d %s", code, body)
		}
		subresource.Store(new("status"))
		f.waitFor(t, "liar", v1alpha1.ConditionAvailable, "True Answers")
		if code, _, body := f.do(t, "GET", "/apis/lies.example.com/v1", ""); !strings.Contains(body, `"Lie"`) {
			t.Errorf("the mended resources are not shown: %d %s", code, body)
		}
		subresource.Store(new("a/b" + strings.Repeat("x", 5000)))
	}
}

// handler returns a function as a transport in the same process.
func handler(f http.HandlerFunc) http.RoundTripper { return roundTripper(f) }

type roundTripper http.HandlerFunc

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	f(w, r)
	return w.Result(), nil
}

// answerLegacy answers like a server that has only the older documents.
func answerLegacy(w http.ResponseWriter, r *http.Request, path, list string) {
	w.Header().Set("Content-Type", "application/json")
	switch r.URL.Path {
	case "/apis":
		fmt.Fprint(w, `{"kind":"APIGroupList","apiVersion":"v1","groups":[]}`)
	case path:
		fmt.Fprint(w, list)
	default:
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404}`)
	}
}

// TestOtherServers reads the resources of servers without Groups.
func TestOtherServers(t *testing.T) {
	t.Parallel()
	resources := `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"wardle.example.com/v1","resources":[` +
		`{"name":"flunders","singularName":"flunder","namespaced":true,"kind":"Flunder","verbs":["get","list"]}]}`
	aggregated := `{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","metadata":{},"items":[{` +
		`"metadata":{"name":"wardle.example.com"},"versions":[{"version":"v1","freshness":"Current","resources":[{` +
		`"resource":"flunders","responseKind":{"group":"wardle.example.com","version":"v1","kind":"Flunder"},` +
		`"scope":"Namespaced","singularResource":"flunder","verbs":["get"]}]}]}]}`
	for _, tt := range []struct {
		name  string
		serve http.HandlerFunc
		want  string
	}{
		{"older documents", func(w http.ResponseWriter, r *http.Request) {
			answerLegacy(w, r, "/apis/wardle.example.com/v1", resources)
		}, "True Answers"},
		{"aggregated documents", func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/apis" {
				answerLegacy(w, r, "", "")
				return
			}
			w.Header().Set("Content-Type", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList")
			w.Header().Set("Etag", `"1"`)
			if r.Header.Get("If-None-Match") == `"1"` {
				w.WriteHeader(http.StatusNotModified)
				return
			}
			fmt.Fprint(w, aggregated)
		}, "True Answers"},
		{"another group", func(w http.ResponseWriter, r *http.Request) {
			answerLegacy(w, r, "/apis/other.example.com/v1", resources)
		}, "False NotServed"},
		{"garbage", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"kind":"Surprise","items":[[[`)
		}, "False DoesNotAnswer"},
		{"an error page", func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "<h1>502</h1>", http.StatusBadGateway)
		}, "False DoesNotAnswer"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := newFront(t, map[string]http.RoundTripper{"wardle": handler(tt.serve)})
			f.Set(service("w", "http://wardle", "wardle.example.com", "v1"))
			f.waitFor(t, "w", v1alpha1.ConditionAvailable, tt.want)
			code, _, body := f.do(t, "GET", "/apis/wardle.example.com/v1", "")
			if shown := strings.Contains(body, "flunders"); shown != (tt.want == "True Answers") {
				t.Errorf("shown: %t, %d %s", shown, code, body)
			}
			// A version that its server does not serve is not shown. That of a server whose
			// resources are not known is, as stale.
			_, _, body = f.do(t, "GET", "/apis", "", "Accept", "application/json")
			if shown := strings.Contains(body, "wardle.example.com"); shown != (tt.want != "False NotServed") {
				t.Errorf("the group is shown: %t: %s", shown, body)
			}
		})
	}
}

// TestLaterVersions checks that a server without aggregated documents is asked for the document of
// a version as soon as that is registered.
func TestLaterVersions(t *testing.T) {
	t.Parallel()
	const group = "wardle.example.com"
	documents := handler(func(w http.ResponseWriter, r *http.Request) {
		version := path.Base(r.URL.Path)
		answerLegacy(w, r, "/apis/"+group+"/"+version, `{"kind":"APIResourceList","apiVersion":"v1",`+
			`"groupVersion":"`+group+`/`+version+`","resources":[{"name":"flunders-`+version+`",`+
			`"singularName":"","namespaced":true,"kind":"Flunder`+version+`","verbs":["get"]}]}`)
	})
	f := newFrontWith(t, aggregator.Config{
		Period: time.Hour, Transport: func(*v1alpha1.APIServiceSpec) http.RoundTripper { return documents },
	})
	first, second := service("first", "http://wardle", group, "v1"), service("second", "http://wardle", group, "v2")
	f.Set(first)
	f.waitFor(t, "first", v1alpha1.ConditionAvailable, "True Answers")
	f.Set(first, second)
	f.waitFor(t, "second", v1alpha1.ConditionAvailable, "True Answers")
	f.waitFor(t, "first", v1alpha1.ConditionAvailable, "True Answers")
}

// TestServersDoNotSpeakForTheFront checks that redirects, cookies and CORS headers of a server do
// not reach clients.
func TestServersDoNotSpeakForTheFront(t *testing.T) {
	t.Parallel()
	const elsewhere = "http://elsewhere.example.com/"
	server := func(w http.ResponseWriter, r *http.Request) {
		switch path.Base(r.URL.Path) {
		case "moved":
			http.Redirect(w, r, elsewhere, http.StatusMovedPermanently)
		case "temporary":
			http.Redirect(w, r, elsewhere, http.StatusTemporaryRedirect)
		case "inside":
			http.Redirect(w, r, "/apis/wardle.example.com/v1/namespaces/n/secrets/inside", http.StatusFound)
		case "authority":
			w.Header().Set("Location", "//elsewhere.example.com"+r.URL.Path)
			w.WriteHeader(http.StatusFound)
		case "below": // its path is not that of the request to the front
			http.Redirect(w, r, r.URL.Path+"?hash=1", http.StatusFound)
		case "unchanged":
			w.WriteHeader(http.StatusNotModified)
		default:
			h := w.Header()
			h.Set("Set-Cookie", "session=stolen")
			h.Set("Access-Control-Allow-Origin", "*")
			h.Set("Clear-Site-Data", `"*"`)
			h.Set("Strict-Transport-Security", "max-age=31536000")
			h.Set("X-Kept", "yes")
			fmt.Fprint(w, "{}")
		}
	}
	f := newFront(t, map[string]http.RoundTripper{"wardle": handler(server)})
	f.Set(service("w", "http://wardle", "wardle.example.com", "v1"),
		service("b", "http://wardle/base", "below.example.com", "v1"))
	const flunders = "/apis/wardle.example.com/v1/namespaces/n/flunders/"
	for name, want := range map[string]int{
		"moved": http.StatusServiceUnavailable, "temporary": http.StatusServiceUnavailable,
		"inside": http.StatusServiceUnavailable, "authority": http.StatusServiceUnavailable,
		"below": http.StatusServiceUnavailable, "unchanged": http.StatusNotModified, "plain": http.StatusOK,
	} {
		path := flunders + name
		if name == "below" {
			path = strings.Replace(path, "wardle", "below", 1)
		}
		code, header, body := f.do(t, "GET", path, "")
		if code != want || header.Get("Location") != "" || strings.Contains(body, elsewhere) {
			t.Errorf("%s: %d, Location %q, %s", name, code, header.Get("Location"), body)
		}
		for _, forbidden := range []string{
			"Set-Cookie", "Access-Control-Allow-Origin", "Clear-Site-Data", "Strict-Transport-Security",
		} {
			if got := header.Get(forbidden); got != "" {
				t.Errorf("%s: the header %s: %s", name, forbidden, got)
			}
		}
		if name == "plain" && header.Get("X-Kept") != "yes" {
			t.Errorf("other headers are lost: %v", header)
		}
	}
}

// TestUpgrade speaks another protocol with a server through the aggregator, as kubectl exec does.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	echo := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Upgrade") != "echo" || r.Header.Get("X-Remote-User") == "" {
			answerLegacy(w, r, "", "")
			return
		}
		w.Header().Set("Connection", "Upgrade")
		w.Header().Set("Upgrade", "echo")
		w.WriteHeader(http.StatusSwitchingProtocols)
		conn, both, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		_, _ = io.Copy(conn, both)
	}))
	t.Cleanup(echo.Close)
	f := newFront(t, nil)
	f.Set(service("w", echo.URL, "wardle.example.com", "v1"))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- f.server.Serve(ctx, l) }()
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(2 * time.Minute))
	fmt.Fprintf(conn, "GET /apis/wardle.example.com/v1/namespaces/n/flunders/a/proxy/b//c%%20d HTTP/1.1\r\n"+
		"Host: %s\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n", l.Addr())
	lines := bufio.NewReader(conn)
	resp, err := http.ReadResponse(lines, nil)
	if err != nil || resp.StatusCode != http.StatusSwitchingProtocols {
		t.Fatalf("%+v, %v", resp, err)
	}
	for _, text := range []string{"one\n", "two\n"} {
		if _, err := io.WriteString(conn, text); err != nil {
			t.Fatal(err)
		}
		if got, err := lines.ReadString('\n'); got != text || err != nil {
			t.Fatalf("sent %q, got %q, %v", text, got, err)
		}
	}
	conn.Close()
	cancel()
	if err := <-served; err != nil {
		t.Error(err)
	}
}

// TestLyingServers registers servers with invalid resources beside a correct one, which must not be
// affected.
func TestLyingServers(t *testing.T) {
	t.Parallel()
	resource := func(name, kind string) string {
		return `{"name":"` + name + `","singularName":"","namespaced":true,"kind":"` + kind + `","verbs":["get"]}`
	}
	list := func(resources ...string) string {
		return `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"lies.example.com/v1","resources":[` +
			strings.Join(resources, ",") + `]}`
	}
	for _, tt := range []struct {
		name  string
		serve http.HandlerFunc
	}{
		{"a name with a slash below another", legacy(list(resource("a/b/c", "Lie")))},
		{"a resource with dots and slashes", legacy(list(resource("../../machines", "Lie")))},
		{"two resources of one kind", legacy(list(resource("lies", "Lie"), resource("others", "Lie")))},
		{"one resource twice", legacy(list(resource("lies", "Lie"), resource("lies", "Fib")))},
		{"an invalid kind", legacy(list(resource("lies", `Lie\u001b[31m`)))},
		{"a subresource below another", legacy(list(resource("lies", "Lie"), resource("lies/a/b", "Lie")))},
		{"a document that is too large", legacy(list() + strings.Repeat(" ", 65<<20))},
		{"the resources of another group", legacy(strings.ReplaceAll(list(resource("machines", "Lie")),
			"lies.example.com", "fleet.example.com"))},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			backends := map[string]http.RoundTripper{"fleet": fleet(t).Transport(), "liar": handler(tt.serve)}
			f := newFrontWith(t, aggregator.Config{Period: time.Hour, Transport: byHost(backends)})
			f.Set(fleetService("http://fleet"), service("liar", "http://liar", "lies.example.com", "v1"))
			f.waitFor(t, "v1.fleet.example.com", v1alpha1.ConditionAvailable, "True Answers")
			eventually(t, "the liar has been asked", func() bool {
				return !strings.HasSuffix(f.condition("liar", v1alpha1.ConditionAvailable), "NotAskedYet")
			})
			code, _, body := f.do(t, "GET", "/apis/fleet.example.com/v1", "")
			if code != http.StatusOK || strings.Count(body, `"Machine"`) == 0 || strings.Contains(body, `"Lie"`) {
				t.Errorf("the honest group: %d %s", code, body)
			}
			if code, _, body := f.do(t, "POST", machines, machine("a")); code != http.StatusCreated {
				t.Errorf("a write to the honest server: %d %s", code, body)
			}
			_, _, all := f.do(t, "GET", "/apis", "", "Accept",
				"application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList;pretty=0")
			if !strings.Contains(all, `"machines"`) {
				t.Errorf("the aggregated document lacks the honest group: %.2000s", all)
			}
			for _, lie := range []string{"a/b", "../..", `\u001b`, "\x1b"} {
				if strings.Contains(all, lie) {
					t.Errorf("the aggregated document has %s: %.2000s", lie, all)
				}
			}
		})
	}
}

// legacy returns a server that has the older documents alone, with one list of resources.
func legacy(resources string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		answerLegacy(w, r, "/apis/lies.example.com/v1", resources)
	}
}

// failing is a transport that can be turned off.
type failing struct {
	http.RoundTripper
	dead chan struct{}
}

func (f *failing) RoundTrip(r *http.Request) (*http.Response, error) {
	select {
	case <-f.dead:
		return nil, fmt.Errorf("dial tcp: connection refused")
	default:
		return f.RoundTripper.RoundTrip(r)
	}
}

// TestDeadServer checks that the resources of a dead server stay in discovery, marked as stale, and
// that requests for them get 503.
func TestDeadServer(t *testing.T) {
	t.Parallel()
	wire := &failing{
		handler(func(w http.ResponseWriter, r *http.Request) {
			answerLegacy(w, r, "/apis/wardle.example.com/v1",
				`{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"wardle.example.com/v1","resources":[`+
					`{"name":"flunders","singularName":"","namespaced":true,"kind":"Flunder","verbs":["get"]}]}`)
		}),
		make(chan struct{}),
	}
	f := newFront(t, map[string]http.RoundTripper{"wardle": wire})
	f.Set(service("w", "http://wardle", "wardle.example.com", "v1"))
	f.waitFor(t, "w", v1alpha1.ConditionAvailable, "True Answers")
	close(wire.dead)
	f.waitFor(t, "w", v1alpha1.ConditionAvailable, "False DoesNotAnswer")
	code, header, body := f.do(t, "GET", "/apis/wardle.example.com/v1/namespaces/n/flunders/a", "")
	if code != http.StatusServiceUnavailable || header.Get("Retry-After") == "" || strings.Contains(body, "refused") {
		t.Errorf("%d %s %s", code, header, body)
	}
	_, _, body = f.do(t, "GET", "/apis", "", "Accept",
		"application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList;pretty=0")
	if !strings.Contains(body, "flunders") || !strings.Contains(body, "Stale") {
		t.Errorf("discovery: %s", body)
	}
	if code, _, _ := f.do(t, "GET", "/apis/inventory.example.com/v1/sites", ""); code != http.StatusOK {
		t.Errorf("the server's own resources: %d", code)
	}
}

// TestStaleAtTheServer checks that what another server marks as stale, because it has it from a
// third one, is stale at the front too, with the resources that were known before.
func TestStaleAtTheServer(t *testing.T) {
	t.Parallel()
	const resource = `{"resource":"flunders","responseKind":{"group":"","version":"","kind":"Flunder"},` +
		`"scope":"Namespaced","singularResource":"flunder","verbs":["get"]}`
	var version atomic.Pointer[string]
	version.Store(new(`"freshness":"Current","resources":[` + resource + `]`))
	f := newFront(t, map[string]http.RoundTripper{"kube": handler(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/apis" {
			answerLegacy(w, r, "", "")
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","items":[{`+
			`"metadata":{"name":"wardle.example.com"},"versions":[{"version":"v1",%s}]}]}`, *version.Load())
	})})
	f.Set(service("w", "http://kube", "wardle.example.com", "v1"))
	f.waitFor(t, "w", v1alpha1.ConditionAvailable, "True Answers")
	for _, resources := range []string{"", resource} {
		version.Store(new(`"freshness":"Stale","resources":[` + resources + `]`))
		f.waitFor(t, "w", v1alpha1.ConditionAvailable, "False DoesNotAnswer")
		_, _, body := f.do(t, "GET", "/apis", "", "Accept",
			"application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList;pretty=0")
		if !strings.Contains(body, "flunders") || !strings.Contains(body, "Stale") {
			t.Errorf("discovery: %s", body)
		}
		version.Store(new(`"freshness":"Current","resources":[` + resource + `]`))
		f.waitFor(t, "w", v1alpha1.ConditionAvailable, "True Answers")
	}
}

// TestSetAfterClose checks that a closed aggregator connects to no server.
func TestSetAfterClose(t *testing.T) {
	t.Parallel()
	a, err := aggregator.New(aggregator.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	a.Set(fleetService("http://127.0.0.1:1"))
	if found := a.Conditions("v1.fleet.example.com"); found != nil {
		t.Errorf("got %v", found)
	}
}

// TestBeforeRegistrations checks that a new aggregator does not answer 404 for the resources of
// other servers.
func TestBeforeRegistrations(t *testing.T) {
	t.Parallel()
	f := newFront(t, nil)
	const path = "/apis/wardle.example.com/v1/namespaces/n/flunders/a"
	if code, header, body := f.do(t, "GET", path, ""); code != http.StatusServiceUnavailable ||
		header.Get("Retry-After") == "" {
		t.Errorf("before: %d %s", code, body)
	}
	if code, _, body := f.do(t, "GET", "/apis/inventory.example.com/v1/sites", ""); code != http.StatusOK {
		t.Errorf("the server's own resources: %d %s", code, body)
	}
	f.Set()
	if code, _, body := f.do(t, "GET", path, ""); code != http.StatusNotFound {
		t.Errorf("after: %d %s", code, body)
	}
}

// TestWatchesMove moves a group version from one server to another and away. The watches at the
// server that it leaves end, so that clients go to the other one or see that it is gone; those of
// other group versions go on.
func TestWatchesMove(t *testing.T) {
	t.Parallel()
	stream := func() *httptest.Server {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !strings.Contains(r.URL.Path, "/flunders") {
				answerLegacy(w, r, "", "")
				return
			}
			fmt.Fprintln(w, "event")
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}))
		t.Cleanup(s.Close)
		return s
	}
	one, two := stream(), stream()
	f := newFront(t, nil)
	services := func(url string) []*v1alpha1.APIService {
		return []*v1alpha1.APIService{
			service("v1", url, "wardle.example.com", "v1"), service("v2", one.URL, "wardle.example.com", "v2"),
		}
	}
	f.Set(services(one.URL)...)
	watch := func(version string) (ended chan error) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet,
			"http://front/apis/wardle.example.com/"+version+"/flunders?watch=1", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := f.http.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewReader(resp.Body)
		if line, err := lines.ReadString('\n'); line != "event\n" {
			t.Fatalf("%q, %v", line, err)
		}
		ended = make(chan error, 1)
		go func() {
			defer resp.Body.Close()
			_, err := io.Copy(io.Discard, lines)
			ended <- err
		}()
		return ended
	}
	first, other := watch("v1"), watch("v2")
	f.Set(services(one.URL)...) // nothing changes
	f.Set(services(two.URL)...)
	if err := <-first; err != nil {
		t.Errorf("the watch ends with %v", err)
	}
	second := watch("v1")
	f.Set(services(two.URL)[1])
	if err := <-second; err != nil {
		t.Errorf("the watch ends with %v", err)
	}
	select {
	case err := <-other:
		t.Errorf("a watch of another version ended: %v", err)
	default:
	}
	f.Set()
	if err := <-other; err != nil {
		t.Errorf("the watch ends with %v", err)
	}
}

// TestLoop registers a front at itself, by mistake.
func TestLoop(t *testing.T) {
	t.Parallel()
	backends := map[string]http.RoundTripper{}
	f := newFront(t, backends)
	backends["front"] = f.server.Transport()
	f.Set(service("w", "http://front", "wardle.example.com", "v1"))
	code, _, body := f.do(t, "GET", "/apis/wardle.example.com/v1/namespaces/n/flunders/a", "")
	if code != http.StatusLoopDetected || !strings.Contains(body, "leads back to this server") {
		t.Errorf("%d %s", code, body)
	}
	f.waitFor(t, "w", v1alpha1.ConditionAvailable, "False DoesNotAnswer")
}

// TestMovedToItself changes a registration to lead to the front itself, by mistake. The resources
// of its server must go: the front shows them until then, and would find them at itself.
func TestMovedToItself(t *testing.T) {
	t.Parallel()
	backends := map[string]http.RoundTripper{"fleet": fleet(t).Transport()}
	f := newFront(t, backends)
	backends["front"] = f.server.Transport()
	f.Set(fleetService("http://fleet"))
	f.waitFor(t, "v1.fleet.example.com", v1alpha1.ConditionAvailable, "True Answers")
	eventually(t, "the Group shows", func() bool {
		_, _, body := f.do(t, "GET", "/apis/discovery.k8s.io/v1alpha1/groups", "")
		return strings.Contains(body, `"machines"`)
	})
	f.Set(fleetService("http://front"))
	f.waitFor(t, "v1.fleet.example.com", v1alpha1.ConditionAvailable, "False DoesNotAnswer")
	eventually(t, "the resources are gone", func() bool {
		_, _, body := f.do(t, "GET", "/apis/fleet.example.com/v1", "")
		return !strings.Contains(body, `"machines"`)
	})
}

// TestRing registers a group version at fronts in a ring, each at the next one, and at the server
// that has it. When that one is gone, no front keeps what it knows only from the others, and all
// show the group version again when it is back.
func TestRing(t *testing.T) {
	t.Parallel()
	for _, n := range []int{2, 3} {
		t.Run(strconv.Itoa(n), func(t *testing.T) {
			t.Parallel()
			backends := map[string]http.RoundTripper{"fleet": fleet(t).Transport()}
			fronts := make([]*front, n)
			next := make([]*v1alpha1.APIService, n)
			policy, err := auth.NewPolicy(auth.Policy{ // nothing but discovery, and its Groups
				Roles: []auth.Role{{Name: "groups", Rules: []auth.Rule{{
					Verbs:  []string{"get", "list", "watch"},
					Groups: []string{"discovery.k8s.io"}, Resources: []string{"groups"},
				}}}},
				Bindings: []auth.Binding{{Role: "groups", Groups: []string{auth.Authenticated}}},
			})
			if err != nil {
				t.Fatal(err)
			}
			known := server.Authenticate(auth.AuthenticatorFunc(func(r *http.Request) (*auth.User, error) {
				return &auth.User{Name: r.Header.Get("X-Remote-User"), Groups: []string{auth.Authenticated}}, nil
			}))
			for i := range fronts {
				fronts[i] = newFront(t, backends, server.Authorize(policy), known)
				next[i] = service("next", fmt.Sprintf("http://front%d", (i+1)%n), "fleet.example.com", "v1")
				next[i].CreationTimestamp = metav1.NewTime(time.Unix(2, 0))
			}
			for i, f := range fronts {
				backends[fmt.Sprintf("front%d", i)] = f.server.Transport()
			}
			real := fleetService("http://fleet")
			real.CreationTimestamp = metav1.NewTime(time.Unix(1, 0))
			show := func(want bool) {
				t.Helper()
				for i, f := range fronts {
					eventually(t, fmt.Sprintf("front %d shows the group version: %t", i, want), func() bool {
						_, _, body := f.do(t, "GET", "/apis/fleet.example.com/v1", "")
						return strings.Contains(body, `"machines"`) == want
					})
				}
			}
			for range 2 {
				fronts[0].Set(real, next[0])
				for i := 1; i < n; i++ {
					fronts[i].Set(next[i])
				}
				show(true)
				fronts[0].Set(next[0]) // it has known the group version
				show(false)
			}
		})
	}
}

// broken is a transport that fails every request.
type broken struct{ err error }

func (b broken) RoundTrip(*http.Request) (*http.Response, error) { return nil, b.err }

// TestBrokenWrites checks that clients are asked to retry a write only if it cannot have reached
// the server.
func TestBrokenWrites(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		method string
		err    error
		again  bool
	}{
		{"GET", errors.New("connection reset"), true},
		{"POST", errors.New("connection reset"), false},
		{"PUT", context.DeadlineExceeded, false},
		{"DELETE", &net.OpError{Op: "read", Err: errors.New("connection reset")}, false},
		{"POST", &net.OpError{Op: "dial", Err: errors.New("connection refused")}, true},
	} {
		f := newFront(t, map[string]http.RoundTripper{"wardle": broken{tt.err}})
		f.Set(service("w", "http://wardle", "wardle.example.com", "v1"))
		code, header, body := f.do(t, tt.method, "/apis/wardle.example.com/v1/namespaces/n/flunders/a", "{}")
		if code < 500 || (header.Get("Retry-After") != "") != tt.again {
			t.Errorf("%s after %v: %d, Retry-After %q, %s", tt.method, tt.err, code, header.Get("Retry-After"), body)
		}
	}
}

// TestSlowServer checks that the number of requests waiting for a slow server is limited.
func TestSlowServer(t *testing.T) {
	t.Parallel()
	release, waiting := make(chan struct{}), make(chan struct{}, 10)
	slow := handler(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "/flunders/") {
			waiting <- struct{}{}
			<-release
		}
		answerLegacy(w, r, "/apis/wardle.example.com/v1",
			`{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"wardle.example.com/v1","resources":[]}`)
	})
	f := newFront(t, map[string]http.RoundTripper{"wardle": slow})
	f.Set(service("w", "http://wardle", "wardle.example.com", "v1"))
	const path = "/apis/wardle.example.com/v1/namespaces/n/flunders/a"
	done := make(chan int, 2)
	for range 2 {
		go func() { code, _, _ := f.do(t, "GET", path, ""); done <- code }()
		<-waiting
	}
	if code, header, body := f.do(t, "GET", path, ""); code != http.StatusTooManyRequests ||
		header.Get("Retry-After") == "" {
		t.Errorf("%d %s", code, body)
	}
	if code, _, _ := f.do(t, "GET", "/apis/inventory.example.com/v1/sites", ""); code != http.StatusOK {
		t.Errorf("the server's own resources: %d", code)
	}
	close(release)
	for range 2 {
		if code := <-done; code != http.StatusNotFound {
			t.Errorf("a request that was passed on: %d", code)
		}
	}
}

// TestIdentity checks the headers that name the user to the other server.
func TestIdentity(t *testing.T) {
	t.Parallel()
	seen := make(chan http.Header, 10)
	echo := handler(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "/flunders") {
			seen <- r.Header.Clone()
		}
		answerLegacy(w, r, "", "")
	})
	token := auth.AuthenticatorFunc(func(r *http.Request) (*auth.User, error) {
		if r.Header.Get("Authorization") != "Bearer secret" {
			return nil, nil
		}
		return &auth.User{
			Name: "alice", UID: "7", Groups: []string{"system:authenticated", "dev"},
			Extra: map[string][]string{"example.com/scope": {"a", "b"}},
		}, nil
	})
	rule := auth.AuthorizerFunc(func(_ context.Context, a *auth.Attributes) (auth.Decision, string, error) {
		if a.Verb == "delete" {
			return auth.Deny, "deletion is forbidden", nil
		}
		return auth.Allow, "", nil
	})
	f := newFront(t, map[string]http.RoundTripper{"wardle": echo}, server.Authenticate(token), server.Authorize(rule))
	f.Set(service("w", "http://wardle", "wardle.example.com", "v1"))
	const path = "/apis/wardle.example.com/v1/flunders/a"
	if code, _, _ := f.do(t, "GET", path, "", "X-Remote-User", "root"); code != http.StatusUnauthorized {
		t.Errorf("without credentials: %d", code)
	}
	if code, _, _ := f.do(t, "DELETE", path, "", "Authorization", "Bearer secret"); code != http.StatusForbidden {
		t.Errorf("without permission: %d", code)
	}
	f.do(t, "GET", path, "", "Authorization", "Bearer secret", "X-Remote-User", "root", "x-remote-extra-k", "v",
		"X-Remote-Group", "system:masters", "Cookie", "session=secret")
	h := <-seen
	groups := h.Values("X-Remote-Group")
	extra := h.Values("X-Remote-Extra-example.com%2Fscope")
	switch {
	case len(seen) != 0:
		t.Error("a refused request was passed on")
	case h.Get("X-Remote-User") != "alice", h.Get("X-Remote-Uid") != "7",
		h.Get("Authorization") != "", h.Get("Cookie") != "",
		!slices.Equal(groups, []string{"system:authenticated", "dev"}), !slices.Equal(extra, []string{"a", "b"}),
		h.Get("X-Remote-Extra-K") != "":
		t.Errorf("the other server gets %v", h)
	}
}

// TestRun follows registrations in a store and writes their conditions.
func TestRun(t *testing.T) {
	t.Parallel()
	f := newFront(t, map[string]http.RoundTripper{"fleet": fleet(t).Transport()})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- f.Run(ctx, f.server.Client()) }()
	registrations := client.Of[v1alpha1.APIService](f.server.Client())
	if _, err := registrations.Create(t.Context(), fleetService("http://fleet")); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the conditions are written", func() bool {
		s, err := registrations.Get(t.Context(), "v1.fleet.example.com")
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range s.Status.Conditions {
			if c.Type == v1alpha1.ConditionAvailable && c.Status == metav1.ConditionTrue &&
				!c.LastTransitionTime.IsZero() {
				return len(s.Status.Conditions) == 2
			}
		}
		return false
	})
	if code, _, body := f.do(t, "GET", machines, ""); code != http.StatusOK {
		t.Errorf("%d %s", code, body)
	}
	if _, err := registrations.Change(t.Context(), "v1.fleet.example.com", func(s *v1alpha1.APIService) error {
		s.Spec.URL = "ftp://fleet"
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a registration that is no longer accepted is not available", func() bool {
		s, err := registrations.Get(t.Context(), "v1.fleet.example.com")
		if err != nil {
			t.Fatal(err)
		}
		c := meta.FindCondition(s.Status.Conditions, v1alpha1.ConditionAvailable)
		return c.Status == metav1.ConditionFalse && c.Reason == "InvalidRegistration"
	})
	if err := registrations.Delete(t.Context(), "v1.fleet.example.com"); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the group is gone", func() bool {
		code, _, _ := f.do(t, "GET", machines, "")
		return code == http.StatusNotFound
	})
	cancel()
	if err := <-ended; err != context.Canceled {
		t.Errorf("Run ended with %v", err)
	}
}

// TestAggregatorsThatDisagree lets two aggregators write the conditions of one registration, whose
// server only one of them reaches. Each writes at most once per period, not after every event.
func TestAggregatorsThatDisagree(t *testing.T) {
	t.Parallel()
	f := newFront(t, nil)
	c := f.server.Client()
	registrations := client.Of[v1alpha1.APIService](c)
	if _, err := registrations.Create(t.Context(), fleetService("http://fleet")); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	dead := handler(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) })
	for _, transport := range []http.RoundTripper{fleet(t).Transport(), dead} {
		agg, err := aggregator.New(aggregator.Config{
			Transport: func(*v1alpha1.APIServiceSpec) http.RoundTripper { return transport },
			Period:    time.Hour, Log: slog.New(slog.DiscardHandler),
		})
		if err != nil {
			t.Fatal(err)
		}
		defer agg.Close()
		running.Go(func() { _ = agg.Run(ctx, c) })
	}
	written := map[metav1.ConditionStatus]int{}
	watching, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	for change, err := range registrations.Follow(watching) {
		if err != nil {
			t.Fatalf("after %v: %v", written, err)
		}
		if change.Object == nil {
			continue
		}
		for _, c := range change.Object.Status.Conditions {
			if c.Type == v1alpha1.ConditionAvailable {
				written[c.Status]++
			}
		}
		if len(written) == 2 && watching.Err() == nil {
			time.AfterFunc(time.Second, stop) // time for alternating writes
		}
	}
	if n := written[metav1.ConditionTrue] + written[metav1.ConditionFalse]; len(written) != 2 || n > 8 {
		t.Errorf("the conditions were written %v times", written)
	}
}
