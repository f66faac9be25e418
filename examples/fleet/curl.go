package main

import (
	"fmt"
	"io"
	"strings"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

// request is one of the requests that the program suggests to try.
type request struct {
	what   string // what it shows
	path   string
	accept string // the Accept header, blank for none
}

// suggest returns requests that show what the server can do with the objects that it has.
func suggest(s *store) []request {
	out := []request{{what: "what there is", path: "/apis"}}
	if k, o := pick(s, func(k *runtime.Kind) bool { return len(s.scheme.VersionsOf(k.GroupVersionKind().GroupKind())) > 1 }); k != nil {
		versions := s.scheme.VersionsOf(k.GroupVersionKind().GroupKind())
		oldest := versions[len(versions)-1]
		current, list := objectPath(k, versions[0], o.meta), listPath(k, versions[0], o.meta)
		out = append(out,
			request{what: fmt.Sprintf("one object of the kind %s, in version %s", k.Name(), versions[0].Version), path: current},
			request{what: "the same object as version " + oldest.Version + " had it", path: objectPath(k, oldest, o.meta)},
			request{what: "as YAML", path: current, accept: "application/yaml"},
			request{what: "all of its namespace as a table", path: list + "?includeObject=None", accept: "application/json;as=Table"},
			request{what: "their metadata alone", path: list, accept: "application/json;as=PartialObjectMetadata"},
		)
		if gv, ok := equivalent(s, k); ok {
			out = append(out, request{what: "as its equivalent in " + gv.Group, path: current, accept: fmt.Sprintf("application/yaml;g=%s;v=%s", gv.Group, gv.Version)})
		}
	}
	scale := metav1.GroupVersion.WithKind("Scale")
	if k, o := pick(s, func(k *runtime.Kind) bool { _, ok := s.scheme.CanAs(k.GroupVersionKind(), scale); return ok }); k != nil {
		out = append(out, request{what: "something that has a size", path: objectPath(k, k.GroupVersion(), o.meta), accept: "application/json;as=Scale"})
	}
	return out
}

// pick returns the object that was read first, with its kind, of those whose kind passes a test; nil if there is none.
func pick(s *store, test func(*runtime.Kind) bool) (kind *runtime.Kind, first stored) {
	for k, o := range s.all() {
		if test(k) && (kind == nil || o.version < first.version) {
			kind, first = k, o
		}
	}
	return kind, first
}

// equivalent returns a version of another group that objects of a kind can be converted to.
func equivalent(s *store, k *runtime.Kind) (schema.GroupVersion, bool) {
	for _, group := range groups {
		for _, gv := range s.scheme.Versions(group) {
			if group != k.GroupVersionKind().Group && s.scheme.CanConvert(k.GroupVersionKind(), gv) {
				return gv, true
			}
		}
	}
	return schema.GroupVersion{}, false
}

// listPath is the path of the objects of a kind in the namespace of one of them.
func listPath(k *runtime.Kind, gv schema.GroupVersion, m *metav1.ObjectMeta) string {
	if k.Scope() == runtime.Cluster {
		return "/apis/" + gv.String() + "/" + k.Resource()
	}
	return "/apis/" + gv.String() + "/namespaces/" + m.Namespace + "/" + k.Resource()
}

func objectPath(k *runtime.Kind, gv schema.GroupVersion, m *metav1.ObjectMeta) string {
	return listPath(k, gv, m) + "/" + m.Name
}

// printRequests writes requests as lines for a shell.
func printRequests(w io.Writer, base string, requests []request) {
	for _, r := range requests {
		fmt.Fprintf(w, "# %s\ncurl ", r.what)
		if r.accept != "" {
			fmt.Fprintf(w, "-H 'Accept: %s' ", r.accept)
		}
		url := base + r.path
		if strings.Contains(url, "?") {
			url = "'" + url + "'" // a pattern, for some shells
		}
		fmt.Fprintln(w, url)
	}
}
