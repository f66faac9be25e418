package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/askind/askind/client"
	"github.com/askind/askind/discovery"
	"github.com/askind/askind/discovery/v1alpha1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/server"
	"github.com/askind/askind/store"
	"github.com/askind/askind/store/memory"
)

const groupsPath = "/apis/discovery.k8s.io/v1alpha1/groups"

// networks are the addresses of a server inside and outside.
var networks = server.DiscoverySettings{Addresses: []metav1.ServerAddressByClientCIDR{
	{ClientCIDR: "0.0.0.0/0", ServerAddress: "outside:443"},
	{ClientCIDR: "10.0.0.0/8", ServerAddress: "inside:443"},
	{ClientCIDR: "10.1.0.0/16", ServerAddress: "rack:443"},
}}

// TestAddressesByClient shows each client the addresses of its networks, in documents and Groups.
func TestAddressesByClient(t *testing.T) {
	t.Parallel()
	s := newServer(t, server.Discovery(networks))
	stored, err := client.Of[v1alpha1.Group](s.Client()).Get(t.Context(), "fleet.example.com")
	if err != nil || len(stored.Status.ServerAddressByClientCIDRs) != 3 {
		t.Fatalf("the stored Group has not all addresses: %+v, %v", stored, err)
	}
	const far, near, rack = "192.0.2.1", "10.9.9.9", "10.1.2.3"
	want := map[string][]string{
		far: {"outside:443"}, near: {"inside:443", "outside:443"}, rack: {"rack:443", "inside:443", "outside:443"},
	}
	for _, from := range []struct {
		name, forwarded, real, remote, client string
	}{
		{"the connection", "", "", far + ":1", far},
		{"X-Real-Ip first", "", near, far + ":1", near},
		{"X-Forwarded-For before that", rack + ", " + near, near, far + ":1", rack},
		{"an unreadable header", "unknown", "", near + ":1", near},
	} {
		for _, path := range []string{
			"/apis", "/apis/fleet.example.com", groupsPath, groupsPath + "/fleet.example.com",
			groupsPath + "?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true",
		} {
			body, header := askFrom(t, s, path, from.forwarded, from.real, from.remote)
			found := addressesIn(t, body)
			if len(found) == 0 {
				t.Errorf("%s: %s has no addresses: %s", from.name, path, body)
			}
			for _, got := range found {
				if !slices.Equal(got, want[from.client]) {
					t.Errorf("%s: %s has %q, want %q", from.name, path, got, want[from.client])
				}
			}
			if vary := strings.Join(header.Values("Vary"), ","); !strings.Contains(vary, "X-Forwarded-For") ||
				header.Get("Cache-Control") != "private" {
				t.Errorf("%s: %s: a cache may keep it for others: %v", from.name, path, header)
			}
		}
	}
	tags := map[string]bool{}
	for _, remote := range []string{far, near, rack} {
		_, header := askFrom(t, s, "/apis", "", "", remote+":1")
		tags[header.Get("ETag")] = true
	}
	if len(tags) != 3 {
		t.Errorf("the entity tags do not tell the clients apart: %v", tags)
	}
	w := request(s, "GET", groupsPath, "", "Accept: text/plain", "X-Forwarded-For: 10.1.2.3")
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "fleet.example.com") {
		t.Errorf("as a table: %d %s", w.Code, w.Body)
	}
	plain, header := askFrom(t, newServer(t), groupsPath, rack, "", far+":1")
	if header.Get("Cache-Control") == "private" || strings.Contains(plain, ":443") {
		t.Errorf("without addresses: %v %s", header, plain)
	}
}

// askFrom sends a request from an address. A watch ends after its initial events.
func askFrom(t *testing.T, h http.Handler, path, forwarded, real, remote string) (string, http.Header) {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1"+path, nil)
	r.Header.Set("Accept", "application/json;pretty=0")
	r.RemoteAddr = remote
	if forwarded != "" {
		r.Header.Set("X-Forwarded-For", forwarded)
	}
	if real != "" {
		r.Header.Set("X-Real-Ip", real)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	w := initialEvents{httptest.NewRecorder(), cancel}
	h.ServeHTTP(w, r.WithContext(ctx))
	if w.Code != http.StatusOK {
		t.Fatalf("%s: %d %s", path, w.Code, w.Body)
	}
	return w.Body.String(), w.Header()
}

// initialEvents records an answer and cancels the request when the initial events have been sent.
type initialEvents struct {
	*httptest.ResponseRecorder
	cancel func()
}

func (w initialEvents) Write(data []byte) (int, error) {
	n, err := w.ResponseRecorder.Write(data)
	if bytes.Contains(w.Body.Bytes(), []byte(`"k8s.io/initial-events-end":"true"`)) {
		w.cancel()
	}
	return n, err
}

// addressesIn returns the addresses of each object in JSON documents.
func addressesIn(t *testing.T, text string) [][]string {
	t.Helper()
	var out [][]string
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for name, member := range v {
				if list, ok := member.([]any); ok && name == "serverAddressByClientCIDRs" {
					one := []string{}
					for _, a := range list {
						one = append(one, fmt.Sprint(a.(map[string]any)["serverAddress"]))
					}
					out = append(out, one)
				}
				walk(member)
			}
		case []any:
			for _, element := range v {
				walk(element)
			}
		}
	}
	for dec := json.NewDecoder(strings.NewReader(text)); dec.More(); {
		var v any
		if err := dec.Decode(&v); err != nil {
			t.Fatal(err)
		}
		if m, _ := v.(map[string]any); m["type"] == "BOOKMARK" {
			continue
		}
		walk(v)
	}
	return out
}

func TestAddressesRefused(t *testing.T) {
	t.Parallel()
	scheme, err := runtime.NewScheme()
	if err != nil {
		t.Fatal(err)
	}
	db := memory.New()
	defer db.Close()
	_, err = server.New(scheme, db, server.Discovery(server.DiscoverySettings{
		Addresses: []metav1.ServerAddressByClientCIDR{{ClientCIDR: "inside", ServerAddress: "a"}},
	}))
	if err == nil || !strings.Contains(err.Error(), `"inside"`) {
		t.Errorf("got %v", err)
	}
}

// TestGroupsAreRepaired changes stored Groups behind the back of a server that has no replicas.
func TestGroupsAreRepaired(t *testing.T) {
	t.Parallel()
	s := newServer(t, server.Discovery(server.DiscoverySettings{Period: 20 * time.Millisecond}))
	r, ok := s.Store().Resource(schema.GroupResource{Group: "discovery.k8s.io", Resource: "groups"})
	if !ok {
		t.Fatal("the Groups are not in the store")
	}
	ctx := t.Context()
	state := func() string {
		list, err := r.List(ctx, store.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for obj, err := range list.Objects() {
			if err != nil {
				t.Fatal(err)
			}
			g := obj.(*v1alpha1.Group)
			out = append(out, g.Name+"="+v1alpha1.VersionNames(g)+" "+g.Annotations[discovery.PrefixAnnotation])
		}
		return strings.Join(out, ";")
	}
	want := state()
	if _, err := r.Delete(ctx, store.Key{Name: "fleet.example.com"}, store.WriteOptions{}, nil); err != nil {
		t.Fatal(err)
	}
	ghost := &v1alpha1.Group{ObjectMeta: metav1.ObjectMeta{Name: "ghosts.example.com", UID: "1"}}
	if _, err := r.Create(ctx, ghost, store.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	_, err := r.Update(ctx, store.Key{Name: "inventory.example.com"}, store.WriteOptions{},
		func(_ context.Context, current runtime.Object) (runtime.Object, error) {
			g := current.(*v1alpha1.Group)
			g.Status.Versions[0].Name = "v9"
			g.Annotations = map[string]string{discovery.PrefixAnnotation: "a/b"}
			return g, nil
		})
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(30 * time.Second); state() != want; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("got %s\nwant %s", state(), want)
		}
	}
}

// TestLocalGroups has two servers with different groups over one engine, one of which marks its
// Groups as local: each keeps its own and leaves those of the other alone.
func TestLocalGroups(t *testing.T) {
	t.Parallel()
	db := memory.New()
	t.Cleanup(func() { db.Close() })
	start := func(name string, local bool, kind func(*runtime.Builder)) *server.Server {
		scheme, err := runtime.NewScheme(kind)
		if err != nil {
			t.Fatal(err)
		}
		s, err := server.New(scheme, db, server.Identity(name), server.Replicas(),
			server.Discovery(server.DiscoverySettings{Local: local, Period: 20 * time.Millisecond}))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
	local := start("server", true, plainKind(t, "boats.example.com", "boats", "Boat", "v1"))
	other := start("aggregator", false, plainKind(t, "docks.example.com", "docks", "Dock", "v1"))
	state := func(s *server.Server) (out []string) {
		list, err := client.Of[v1alpha1.Group](s.Client()).List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range list.Items {
			mark := g.Annotations[discovery.LocalAnnotation]
			out = append(out, fmt.Sprintf("%s %s local=%s", g.Name, g.ResourceVersion, mark))
		}
		return out
	}
	before := state(local)
	for i, want := range []string{"boats.example.com true", "discovery.k8s.io true", "docks.example.com "} {
		name, mark, _ := strings.Cut(want, " ")
		if len(before) != 3 || !strings.HasPrefix(before[i], name) || !strings.HasSuffix(before[i], "local="+mark) {
			t.Fatalf("got %q", before)
		}
	}
	time.Sleep(200 * time.Millisecond) // several periods of both
	if after := state(other); !slices.Equal(after, before) {
		t.Errorf("they write against each other: %q, then %q", before, after)
	}
}
