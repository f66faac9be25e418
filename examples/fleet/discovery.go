package main

import (
	"fmt"
	"iter"
	"net/http"
	"slices"
	"strings"

	"github.com/askind/askind/httpapi"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

// coreVersion is the apiVersion under which clients of the Kubernetes API expect the answers of discovery.
var coreVersion = schema.GroupVersion{Version: "v1"}

// groups answers with all groups.
func (s *server) groups(w http.ResponseWriter, r *http.Request) error {
	out := &metav1.APIGroupList{Groups: []metav1.APIGroup{}}
	for _, name := range groups {
		if g, ok := s.describeGroup(name); ok {
			out.Groups = append(out.Groups, g)
		}
	}
	return s.discover(w, r, coreVersion.WithKind("APIGroupList"), out)
}

// group answers with one group.
func (s *server) group(w http.ResponseWriter, r *http.Request) error {
	name := r.PathValue("group")
	g, ok := s.describeGroup(name)
	if !ok {
		return noSuchGroup(schema.GroupResource{Group: name})
	}
	return s.discover(w, r, coreVersion.WithKind("APIGroup"), &g)
}

// resources answers with the resources of a version of a group.
func (s *server) resources(w http.ResponseWriter, r *http.Request) error {
	gv := schema.GroupVersion{Group: r.PathValue("group"), Version: r.PathValue("version")}
	if err := s.checkVersion(gv.WithResource("")); err != nil {
		return err
	}
	out := &metav1.APIResourceList{GroupVersion: gv.String(), APIResources: []metav1.APIResource{}}
	for k := range s.scheme.KindsIn(gv) {
		if !served(k) {
			continue
		}
		out.APIResources = append(out.APIResources, metav1.APIResource{
			Name: k.Resource(), SingularName: k.Singular(), Kind: k.Name(), Namespaced: k.Scope() == runtime.Namespaced,
			Verbs: metav1.Verbs{"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"}, ShortNames: k.ShortNames(), Categories: k.Categories(),
		})
		if _, ok := s.scheme.CanAs(k.GroupVersionKind(), scaleKind); ok && k.Scope() == runtime.Namespaced {
			out.APIResources = append(out.APIResources, metav1.APIResource{
				Name: k.Resource() + "/scale", Namespaced: true, Group: scaleKind.Group, Version: scaleKind.Version, Kind: scaleKind.Kind, Verbs: metav1.Verbs{"get", "update"},
			})
		}
	}
	return s.discover(w, r, coreVersion.WithKind("APIResourceList"), out)
}

// discover answers with an object of discovery.
func (s *server) discover(w http.ResponseWriter, r *http.Request, gvk schema.GroupVersionKind, obj runtime.Object) error {
	x, err := s.api.Begin(w, r, httpapi.Endpoint{Kind: gvk})
	if err != nil {
		return err
	}
	kind, err := s.scheme.Kind(gvk)
	if err != nil {
		return err
	}
	if err := kind.SetType(obj); err != nil {
		return err
	}
	return x.Respond(http.StatusOK, obj)
}

// describeGroup says which versions of a group there are. ok is false for a group that is not served.
func (s *server) describeGroup(name string) (out metav1.APIGroup, ok bool) {
	versions := s.versions(name)
	if len(versions) == 0 {
		return out, false
	}
	out.Name = name
	for _, gv := range versions {
		out.Versions = append(out.Versions, metav1.GroupVersionForDiscovery{GroupVersion: gv.String(), Version: gv.Version})
	}
	out.PreferredVersion = out.Versions[0]
	return out, true
}

// versions returns the versions of a group, preferred first; none for a group that is not served.
func (s *server) versions(group string) []schema.GroupVersion {
	if !slices.Contains(groups, group) {
		return nil
	}
	return s.scheme.Versions(group)
}

// checkVersion returns an error about a resource unless its group version is served.
func (s *server) checkVersion(gvr schema.GroupVersionResource) error {
	versions := s.versions(gvr.Group)
	switch {
	case len(versions) == 0:
		return noSuchGroup(gvr.GroupResource())
	case slices.Contains(versions, gvr.GroupVersion()):
		return nil
	}
	names := make([]string, len(versions))
	for i, gv := range versions {
		names[i] = gv.Version
	}
	message := fmt.Sprintf("the group %s has no version %q; it has %s", gvr.Group, gvr.Version, strings.Join(names, ", "))
	return noSuchResource(gvr.GroupResource(), message)
}

// noSuchGroup says that the group of a resource is not served.
func noSuchGroup(gr schema.GroupResource) error {
	message := fmt.Sprintf("there is no group %q", gr.Group)
	if near, ok := schema.Nearest(gr.Group, groups); ok {
		message += fmt.Sprintf(" (did you mean %q?)", near)
	}
	return noSuchResource(gr, message)
}

// resourceNames yields the resources of a group version.
func (s *server) resourceNames(gv schema.GroupVersion) iter.Seq[string] {
	return func(yield func(string) bool) {
		for k := range s.scheme.KindsIn(gv) {
			if served(k) && !yield(k.Resource()) {
				return
			}
		}
	}
}
