package discovery_test

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/askind/askind/discovery"
	"github.com/askind/askind/discovery/apidiscovery/v2"
	"github.com/askind/askind/fuzz"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
)

const aggregatedJSON = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

func TestDocumentsByPath(t *testing.T) {
	t.Parallel()
	f, d := factory(t), documents(t, cars())
	for _, c := range []struct{ name, path, accept, want string }{
		{
			"core prefix", "/api", "application/json",
			`{"kind":"APIVersions","versions":["v1"],"serverAddressByClientCIDRs":[],"apiVersions":["v1"]}`,
		},
		{
			"core prefix in YAML", "/api", "application/yaml",
			"apiVersions:\n- v1\nkind: APIVersions\nserverAddressByClientCIDRs: []\nversions:\n- v1",
		},
		{
			"prefix of one's own", "/oapi/v1", "application/json",
			`{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"v1","resources":[{"name":"routes","singularName":"","namespaced":true,"kind":"Route","verbs":["create","delete","deletecollection","get","list","patch","update","watch"]}]}`,
		},
		{
			"groups", "/apis", "application/json",
			`{"kind":"APIGroupList","apiVersion":"v1","groups":[` +
				`{"name":"cars.example.com","versions":[{"groupVersion":"cars.example.com/v1","version":"v1"},{"groupVersion":"cars.example.com/v1beta1","version":"v1beta1"}],"preferredVersion":{"groupVersion":"cars.example.com/v1","version":"v1"}},` +
				`{"name":"boats.example.com","versions":[{"groupVersion":"boats.example.com/v1","version":"v1"}],"preferredVersion":{"groupVersion":"boats.example.com/v1","version":"v1"}}]}`,
		},
		{
			"groups as the proposal has them", "/apis", "application/json;g=meta.k8s.io;v=v1;as=APIVersions",
			`{"kind":"APIVersions","apiVersion":"meta.k8s.io/v1","versions":["cars.example.com/v1","cars.example.com/v1beta1","boats.example.com/v1"],"serverAddressByClientCIDRs":[],"apiVersions":["cars.example.com/v1","cars.example.com/v1beta1","boats.example.com/v1"]}`,
		},
		{
			"group", "/apis/cars.example.com", "application/json",
			`{"kind":"APIGroup","apiVersion":"v1","name":"cars.example.com","versions":[{"groupVersion":"cars.example.com/v1","version":"v1"},{"groupVersion":"cars.example.com/v1beta1","version":"v1beta1"}],"preferredVersion":{"groupVersion":"cars.example.com/v1","version":"v1"}}`,
		},
		{
			"group as its versions", "/apis/boats.example.com", "application/json;g=meta.k8s.io;v=v1;as=APIVersions",
			`{"kind":"APIVersions","apiVersion":"meta.k8s.io/v1","versions":["boats.example.com/v1"],"serverAddressByClientCIDRs":[],"apiVersions":["boats.example.com/v1"]}`,
		},
		{
			"resources", "apis/cars.example.com/v1/", "application/json",
			`{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"cars.example.com/v1","resources":[` +
				`{"name":"cars","singularName":"car","namespaced":true,"kind":"Car","verbs":["create","delete","deletecollection","get","list","patch","update","watch"],"shortNames":["c"],"categories":["all"]},` +
				`{"name":"cars/scale","singularName":"","namespaced":true,"group":"autoscaling","version":"v1","kind":"Scale","verbs":["get","update"]},` +
				`{"name":"cars/status","singularName":"","namespaced":true,"kind":"Car","verbs":["get","patch","update"]},` +
				`{"name":"garages","singularName":"","namespaced":false,"kind":"Garage","verbs":["create","delete","deletecollection","get","list","patch","update","watch"]}]}`,
		},
		{
			"aggregated core", "/api", aggregatedJSON,
			`{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","metadata":{},"items":[{"metadata":{},"versions":[{"version":"v1","resources":[{"resource":"notes","responseKind":{"group":"","version":"v1","kind":"Note"},"scope":"Namespaced","singularResource":"","verbs":["create","delete","deletecollection","get","list","patch","update","watch"]}],"freshness":"Current"}]}]}`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if _, got := answer(t, f, d, c.path, c.accept); strings.TrimSpace(got) != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
	for _, path := range []string{
		"", "/", "/nothing", "/apis/nothing", "/apis/cars.example.com/v2", "/apis/v1",
		"/api/v2", "/api//v1", "/apis//v1", "/apis/cars.example.com/v1/cars",
	} {
		if doc, ok := d.Find(path); ok {
			t.Errorf("there is a %s at %q", doc.Kind(), path)
		}
	}
	want := []string{
		"/api", "/api/v1", "/apis", "/apis/cars.example.com", "/apis/cars.example.com/v1",
		"/apis/cars.example.com/v1beta1", "/apis/boats.example.com", "/apis/boats.example.com/v1", "/oapi", "/oapi/v1",
	}
	if got := slices.Collect(d.Paths()); !slices.Equal(got, want) {
		t.Errorf("got paths %q", got)
	}
}

// TestAggregatedNegotiation sends the Accept headers of existing clients and compares the
// Content-Type with the one that they look for.
func TestAggregatedNegotiation(t *testing.T) {
	t.Parallel()
	f, d := factory(t), documents(t, cars())
	for _, c := range []struct{ name, accept, contentType, contains string }{
		{
			"kubectl", aggregatedJSON + ",application/json",
			"application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
			`"responseKind":{"group":"cars.example.com","version":"v1","kind":"Garage"},"scope":"Cluster"`,
		},
		{
			"with v2beta1", "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json",
			"application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList",
			`"apiVersion":"apidiscovery.k8s.io/v2beta1"`,
		},
		{"old kubectl", "application/json", "application/json", `"kind":"APIGroupList"`},
		{
			"subresources", aggregatedJSON, "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
			`"subresources":[{"subresource":"scale","responseKind":{"group":"autoscaling","version":"v1","kind":"Scale"},"verbs":["get","update"]},{"subresource":"status","responseKind":{"group":"cars.example.com","version":"v1","kind":"Car"},"verbs":["get","patch","update"]}]`,
		},
		{
			"protobuf", "application/vnd.kubernetes.protobuf;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
			"application/vnd.kubernetes.protobuf;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList", "garages",
		},
		{
			"CBOR", "application/cbor;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
			"application/cbor;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList", "garages",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			contentType, body := answer(t, f, d, "/apis", c.accept)
			if contentType != c.contentType || !strings.Contains(body, c.contains) {
				t.Errorf("got %s\n%s", contentType, body)
			}
		})
	}
}

// TestDocumentsReadBack checks that each form of a server's documents is read back as the same
// resources.
func TestDocumentsReadBack(t *testing.T) {
	t.Parallel()
	f, d := factory(t), documents(t, cars())
	for _, mediaType := range []string{
		"application/json", "application/yaml", "application/vnd.kubernetes.protobuf",
		"application/cbor",
	} {
		var lists, aggregated, groups discovery.Config
		for _, prefix := range d.Prefixes() {
			_, body := answer(t, f, d, prefix, mediaType+";g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList")
			list, err := serializer.Decode[v2.APIGroupDiscoveryList](f, []byte(body),
				serializer.DecodeOptions{MediaType: mediaType, Strictness: serializer.FailOnProblems})
			if err != nil {
				t.Fatal(err)
			}
			aggregated.Resources = append(aggregated.Resources, discovery.FromAggregated(prefix, list).Resources...)
		}
		for path := range d.Paths() {
			if doc, _ := d.Find(path); doc.Kind().Kind != "APIResourceList" {
				continue
			}
			_, body := answer(t, f, d, path, mediaType)
			list, err := serializer.Decode[metav1.APIResourceList](f, []byte(body),
				serializer.DecodeOptions{MediaType: mediaType, Strictness: serializer.FailOnProblems})
			if err != nil {
				t.Fatal(err)
			}
			resources, err := discovery.FromResourceList(strings.Split(path, "/")[1], list)
			if err != nil {
				t.Fatal(err)
			}
			lists.Resources = append(lists.Resources, resources...)
		}
		for _, g := range d.Groups() {
			c := discovery.FromGroup(g)
			groups.Resources, groups.Versions = append(groups.Resources, c.Resources...), append(groups.Versions,
				c.Versions...)
		}
		if got := documents(t, groups).Hash(); got != d.Hash() {
			t.Errorf("%s: the Groups describe something else", mediaType)
		}
		for name, c := range map[string]discovery.Config{"resource lists": lists, "aggregated": aggregated} {
			got := documents(t, discovery.Config{Versions: groups.Versions, Resources: c.Resources})
			if got.Hash() != d.Hash() {
				t.Errorf("%s: the %s describe\n%+v\nwant\n%+v", mediaType, name, got.Resources(), d.Resources())
			}
		}
	}
}

func TestConfigErrors(t *testing.T) {
	t.Parallel()
	twice := cars()
	twice.Resources = append(twice.Resources, resource("", "boats.example.com", "v1", "boats", "Ship"))
	for _, c := range []struct {
		name string
		in   discovery.Config
		want string
	}{
		{
			"slash in prefix", one("a/b", "g.example.com", "v1", "as"),
			`discovery: the prefix "a/b" is not a valid path segment: use letters, digits, '-' and '.'`,
		},
		{
			"slash in group", one("", "g/h", "v1", "as"),
			`discovery: the group "g/h" is not a valid path segment: use letters, digits, '-' and '.'`,
		},
		{
			"slash in version", one("", "g.example.com", "v1/x", "as"),
			`discovery: the version "v1/x" of g.example.com is not a valid path segment: use letters and digits, such as v1beta1`,
		},
		{
			"blank version", one("", "g.example.com", "", "as"),
			`discovery: the version "" of g.example.com is not a valid path segment: use letters and digits, such as v1beta1`,
		},
		{
			"slash in resource", one("", "g.example.com", "v1", "as/b"),
			`discovery: the resource "as/b" of g.example.com/v1 is not a valid path segment: use lower-case letters, digits and '-'`,
		},
		{
			"group called core", one("", "core", "v1", "as"),
			`discovery: the group name "core" is taken: it names the Group object of the group with the blank name`,
		},
		{
			"control character in resource", one("", "g.example.com", "v1", "as\x1b[31m"),
			`discovery: the resource "as\x1b[31m" of g.example.com/v1 is not a valid path segment: use lower-case letters, digits and '-'`,
		},
		{
			"control character in kind",
			discovery.Config{Resources: []discovery.Resource{resource("", "g.example.com", "v1", "as", "A\x1b[31m")}},
			`discovery: the kind "A\x1b[31m" of the resource as of g.example.com/v1 is not a name: use letters and digits`,
		},
		{
			"no kind",
			discovery.Config{Resources: []discovery.Resource{resource("", "g.example.com", "v1", "as", "")}},
			`discovery: the resource as of g.example.com/v1 needs a kind`,
		},
		{"two kinds", twice, `discovery: conflicting resources: the resource boats of boats.example.com/v1 would serve both boats.example.com/v1, Kind=Boat and boats.example.com/v1, Kind=Ship`},
		{"a group named like another one below a prefix", discovery.Config{
			Resources: []discovery.Resource{
				resource("", "oapi.g.example.com", "v1", "as", "A"),
				resource("oapi", "g.example.com", "v1", "as", "A"),
			},
		}, `discovery: conflicting resources: the Group "oapi.g.example.com" would describe both oapi.g.example.com and /oapi/g.example.com`},
		{"version like a group", discovery.Config{Resources: []discovery.Resource{
			resource("apis", "", "v1", "as", "A"),
			resource("apis", "v1", "v1", "as",
				"A"),
		}}, `discovery: conflicting resources: /apis/v1 would be both version v1 of the group with the blank name and the group v1`},
		{"network", discovery.Config{
			Addresses: []metav1.ServerAddressByClientCIDR{{ClientCIDR: "10.0.0.0", ServerAddress: "a"}},
		}, `discovery: the client network "10.0.0.0" of the address a is not a CIDR such as 10.0.0.0/8: netip.ParsePrefix("10.0.0.0"): no '/'`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if _, err := discovery.New(c.in); fmt.Sprint(err) != c.want {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
	if _, err := discovery.New(twice); !errors.Is(err, discovery.ErrConflict) {
		t.Errorf("got %v", err)
	}
}

func one(prefix, group, version, name string) discovery.Config {
	return discovery.Config{Resources: []discovery.Resource{resource(prefix, group, version, name, "A")}}
}

// TestGroupsComeAndGo adds and removes groups, and checks what changes and what is shared.
func TestGroupsComeAndGo(t *testing.T) {
	t.Parallel()
	d := documents(t, cars())
	boats, _ := d.Find("/apis/boats.example.com")
	more, err := d.With(
		discovery.Config{Resources: []discovery.Resource{resource("", "planes.example.com", "v1", "planes", "Plane")}},
	)
	if err != nil {
		t.Fatal(err)
	}
	same, _ := more.Find("/apis/boats.example.com")
	if same != boats {
		t.Error("a group that did not change is not shared")
	}
	if _, ok := more.Find("/apis/planes.example.com/v1"); !ok {
		t.Error("the new group is not there")
	}
	if _, ok := d.Find("/apis/planes.example.com/v1"); ok {
		t.Error("documents have changed")
	}
	before, _ := d.Find("/apis")
	after, _ := more.Find("/apis")
	if before.Form(before.Kind()).Version == after.Form(after.Kind()).Version {
		t.Error("the version of /apis is the same")
	}
	back, err := more.Without(schema.GroupVersion{Group: "planes.example.com"})
	if err != nil || back.Hash() != d.Hash() {
		t.Errorf("got %v, or other documents", err)
	}
	less, err := d.Without(schema.GroupVersion{Group: "cars.example.com", Version: "v1"})
	if err != nil {
		t.Fatal(err)
	}
	if doc, _ := less.Find("/apis/cars.example.com"); doc.Object().(*metav1.APIGroup).
		PreferredVersion.Version != "v1beta1" {
		t.Errorf("got %+v", doc.Object())
	}
	again, err := d.With(cars())
	if err != nil || again.Hash() != d.Hash() {
		t.Errorf("got %v, or other documents", err)
	}
	if same, _ = again.Find("/apis/boats.example.com"); same != boats {
		t.Error("an equal group is not shared")
	}
	c := cars()
	c.Resources = c.Resources[3:] // without the cars
	replaced, err := d.Replace(c)
	if err != nil {
		t.Fatal(err)
	}
	if same, _ = replaced.Find("/apis/boats.example.com"); same != boats {
		t.Error("a group of the next config is not shared")
	}
	if _, ok := replaced.Find("/apis/cars.example.com"); ok || replaced.Hash() != documents(t, c).Hash() {
		t.Error("the documents are not those of the next config")
	}
}

func TestHashIsThatOfTheContent(t *testing.T) {
	t.Parallel()
	c := cars()
	other := cars()
	other.Resources[0], other.Resources[1] = other.Resources[1], other.Resources[0]
	other.Resources[3].Verbs = slices.Clone(other.Resources[3].Verbs)
	slices.Reverse(other.Resources[3].Verbs)
	if documents(t, c).Hash() != documents(t, other).Hash() {
		t.Error("the order of resources and verbs matters")
	}
	for name, change := range map[string]func(*discovery.Resource){
		"kind":        func(r *discovery.Resource) { r.Kind.Kind = "Other" },
		"scope":       func(r *discovery.Resource) { r.Scope = runtime.Cluster },
		"singular":    func(r *discovery.Resource) { r.Singular = "other" },
		"verbs":       func(r *discovery.Resource) { r.Verbs = []string{"get"} },
		"short names": func(r *discovery.Resource) { r.ShortNames = nil },
		"categories":  func(r *discovery.Resource) { r.Categories = []string{"some"} },
		"subresource": func(r *discovery.Resource) { r.Subresources = r.Subresources[1:] },
	} {
		other := cars()
		change(&other.Resources[1])
		if documents(t, c).Hash() == documents(t, other).Hash() {
			t.Errorf("%s: the hash is the same", name)
		}
	}
}

func TestAddressesByClient(t *testing.T) {
	t.Parallel()
	c := cars()
	c.Addresses = []metav1.ServerAddressByClientCIDR{
		{ClientCIDR: "0.0.0.0/0", ServerAddress: "cars.example.com:443"},
		{ClientCIDR: "10.1.0.0/16", ServerAddress: "10.1.0.1:6443"},
		{ClientCIDR: "10.0.0.0/8", ServerAddress: "10.0.0.1:6443"},
		{ClientCIDR: "2001:db8::/32", ServerAddress: "[2001:db8::1]:6443"},
	}
	d := documents(t, c)
	for _, row := range []struct{ name, forwarded, real, remote, shown, best string }{
		{"inside", "", "", "10.1.2.3:999", "[10.1.0.0/16 10.0.0.0/8 0.0.0.0/0]", "10.1.0.1:6443"},
		{"outside", "", "", "192.0.2.7:999", "[0.0.0.0/0]", "cars.example.com:443"},
		{"real address before remote", "", "10.2.0.1", "192.0.2.7:999", "[10.0.0.0/8 0.0.0.0/0]", "10.0.0.1:6443"},
		{
			"forwarded before real, the first of them", "10.1.9.9, 192.0.2.1", "10.2.0.1", "192.0.2.7:999",
			"[10.1.0.0/16 10.0.0.0/8 0.0.0.0/0]", "10.1.0.1:6443",
		},
		{"nonsense is passed over", "unknown", "-", "[2001:db8::7%eth0]:999", "[2001:db8::/32]", "[2001:db8::1]:6443"},
		{"IPv4 in IPv6", "", "", "[::ffff:10.2.0.1]:999", "[10.0.0.0/8 0.0.0.0/0]", "10.0.0.1:6443"},
		{"no address", "", "", "@", "[]", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			ip := discovery.ClientIP(row.forwarded, row.real, row.remote)
			doc, _ := d.For(ip).Find("/apis/cars.example.com")
			list := doc.Object().(*metav1.APIGroup).ServerAddressByClientCIDRs
			networks := make([]string, len(list))
			for i, s := range list {
				networks[i] = s.ClientCIDR
			}
			if got := fmt.Sprint(networks); got != row.shown {
				t.Errorf("got networks %s, want %s", got, row.shown)
			}
			if got := discovery.ServerAddress(c.Addresses, ip); got != row.best {
				t.Errorf("got address %s, want %s", got, row.best)
			}
			g := discovery.ForClient(d.Groups()[0], ip)
			if !slices.Equal(g.Status.ServerAddressByClientCIDRs, list) {
				t.Errorf("the Group has %v", g.Status.ServerAddressByClientCIDRs)
			}
			if again, _ := d.For(ip).Find("/apis/cars.example.com"); again != doc {
				t.Error("the document is made again for the next request")
			}
		})
	}
	if plain := documents(t, cars()); plain.For(netip.MustParseAddr("10.0.0.1")) != plain {
		t.Error("without addresses there is more than one view")
	}
}

func TestGroupNames(t *testing.T) {
	t.Parallel()
	var got []string
	for _, g := range documents(t, cars()).Groups() {
		prefix, name := discovery.GroupOf(g)
		got = append(got, fmt.Sprintf("%s=%s/%s", g.Name, prefix, name))
	}
	want := []string{
		"cars.example.com=apis/cars.example.com", "boats.example.com=apis/boats.example.com", "core=api/",
		"oapi.core=oapi/",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestResourcesOfScheme(t *testing.T) {
	t.Parallel()
	s, err := runtime.NewScheme(discovery.AddTo, metav1.AddTo, metav1.AddCoreTo)
	if err != nil {
		t.Fatal(err)
	}
	got := discovery.ResourcesOf(s, []string{"get", "list", "watch"}, "meta.k8s.io", "")
	if len(got) != 1 || got[0].Resource != "groups" || got[0].Scope != runtime.Cluster || got[0].Singular != "group" {
		t.Errorf("got %+v", got)
	}
}

func TestRandomDocuments(t *testing.T) {
	t.Parallel()
	fuzz.RoundTrip(t, factory(t).Scheme(), fuzz.Seed(1), fuzz.Skip(func(k *runtime.Kind) bool {
		return !strings.HasSuffix(k.GroupVersion().Group, "discovery.k8s.io")
	}))
}

// TestNobodyChangesDocuments encodes documents concurrently, as requests do.
func TestNobodyChangesDocuments(t *testing.T) {
	t.Parallel()
	f, d := factory(t), documents(t, cars())
	done := make(chan struct{})
	for range 4 {
		go func() {
			defer func() { done <- struct{}{} }()
			for path := range d.Paths() {
				doc, _ := d.Find(path)
				if rep, err := f.Negotiate([]string{"application/json"},
					serializer.Offer{Kind: doc.Kind()}); err == nil {
					_, _ = rep.Append(nil, doc.Form(rep.Target()).Object)
				}
			}
		}()
	}
	for range 4 {
		<-done
	}
}

// TestSeedMonolithBesideGroups serves a monolithic v1 with a blank group at its own prefix
// alongside new groups, as OpenShift did.
func TestSeedMonolithBesideGroups(t *testing.T) {
	t.Parallel()
	f := factory(t)
	d := documents(t, discovery.Config{Resources: []discovery.Resource{
		resource("api", "", "v1", "pods", "Pod"),
		resource("oapi", "", "v1", "routes", "Route"), resource("oapi", "", "v1", "builds", "Build"),
		resource("", "build.openshift.io", "v1", "builds", "Build"),
	}})
	for path, want := range map[string]string{
		"/oapi": `"versions":["v1"]`, "/oapi/v1": `"name":"routes"`, "/apis": `"name":"build.openshift.io"`,
		"/api/v1": `"name":"pods"`,
	} {
		if _, body := answer(t, f, d, path, "application/json"); !strings.Contains(body, want) {
			t.Errorf("%s: got %s", path, body)
		}
	}
	more, err := d.With(
		discovery.Config{Resources: []discovery.Resource{resource("", "route.openshift.io", "v1", "routes", "Route")}},
	)
	if err != nil {
		t.Fatal(err)
	}
	old, _ := d.Find("/oapi/v1")
	if same, _ := more.Find("/oapi/v1"); same != old {
		t.Error("a new group changes the monolith")
	}
}
