package aggregator_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/askind/askind/aggregator/v1alpha1"
	"github.com/askind/askind/client"
	discoveryv1alpha1 "github.com/askind/askind/discovery/v1alpha1"
)

// kubernetesDocument has the shape of what kube-apiserver 1.37 answers at /apis, in one version.
const kubernetesDocument = `{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/%s","metadata":{},"items":[
{"metadata":{"name":"apps","creationTimestamp":null},"versions":[{"version":"v1","resources":[
 {"resource":"controllerrevisions","responseKind":{"group":"","version":"","kind":"ControllerRevision"},
  "scope":"Namespaced","singularResource":"controllerrevision","verbs":["create","delete","get","list","watch"]},
 {"resource":"deployments","responseKind":{"group":"","version":"","kind":"Deployment"},"scope":"Namespaced",
  "singularResource":"deployment","verbs":["create","delete","get","list","watch"],"shortNames":["deploy"],
  "categories":["all"],"subresources":[
   {"subresource":"scale","responseKind":{"group":"autoscaling","version":"v1","kind":"Scale"},
    "verbs":["get","patch","update"]},
   {"subresource":"status","responseKind":{"group":"","version":"","kind":"Deployment"},"verbs":["get"]}]}],
 "freshness":"Current"}]},
{"metadata":{"name":"discovery.k8s.io","creationTimestamp":null},"versions":[{"version":"v1","resources":[
 {"resource":"endpointslices","responseKind":{"group":"","version":"","kind":"EndpointSlice"},
  "scope":"Namespaced","singularResource":"endpointslice","verbs":["get","list","watch"]}],"freshness":"Current"}]},
{"metadata":{"name":"authentication.k8s.io","creationTimestamp":null},"versions":[{"version":"v1","resources":[
 {"resource":"tokenreviews","responseKind":{"group":"","version":"","kind":"TokenReview"},"scope":"Cluster",
  "singularResource":"tokenreview","verbs":["create"]}],"freshness":"Current"}]}]}`

// kubernetes answers like kube-apiserver. It has another group with the name of that of Groups, and
// refuses requests for Groups, for which the aggregator has no permission. With v2 it has the
// aggregated document in that version, without only in v2beta1, as before Kubernetes 1.30.
func kubernetes(v2 bool) http.HandlerFunc {
	legacy := map[string]string{
		"apps/v1": `{"name":"controllerrevisions","singularName":"controllerrevision","namespaced":true,` +
			`"kind":"ControllerRevision","verbs":["get"]},{"name":"deployments","singularName":"deployment",` +
			`"namespaced":true,"kind":"Deployment","verbs":["get"],"shortNames":["deploy"],"categories":["all"],` +
			`"storageVersionHash":"8aSe+NMegvE="},{"name":"deployments/scale","singularName":"","namespaced":true,` +
			`"group":"autoscaling","version":"v1","kind":"Scale","verbs":["get","patch","update"]},` +
			`{"name":"deployments/status","singularName":"","namespaced":true,"kind":"Deployment","verbs":["get"]}`,
		"discovery.k8s.io/v1": `{"name":"endpointslices","singularName":"endpointslice","namespaced":true,` +
			`"kind":"EndpointSlice","verbs":["get"]}`,
	}
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("X-Kubernetes-Pf-Flowschema-Uid", "f")
		w.Header().Set("Vary", "Accept")
		accept := r.Header.Get("Accept")
		gv := strings.TrimPrefix(r.URL.Path, "/apis/")
		version := "v2"
		if !v2 {
			version = "v2beta1"
		}
		media := "application/json;g=apidiscovery.k8s.io;v=" + version + ";as=APIGroupDiscoveryList"
		switch {
		case r.Header.Get("X-Remote-User") == "":
			w.WriteHeader(http.StatusUnauthorized)
		case strings.HasPrefix(gv, "discovery.k8s.io/v1alpha1"):
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprintf(w, `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":`+
				`"groups.discovery.k8s.io is forbidden: User \"system:aggregator\" cannot list resource",`+
				`"reason":"Forbidden","details":{"group":"discovery.k8s.io","kind":"groups"},"code":403}`)
		case r.URL.Path == "/apis" && strings.Contains(accept, media):
			w.Header().Set("Content-Type", media)
			w.Header().Set("Etag", `"e"`)
			if r.Header.Get("If-None-Match") == `"e"` {
				w.WriteHeader(http.StatusNotModified)
				return
			}
			fmt.Fprintf(w, kubernetesDocument, version)
		case r.URL.Path == "/apis":
			fmt.Fprint(w, `{"kind":"APIGroupList","apiVersion":"v1","groups":[{"name":"apps","versions":[`+
				`{"groupVersion":"apps/v1","version":"v1"}],"preferredVersion":{"groupVersion":"apps/v1","version":"v1"}}]}`)
		case legacy[gv] != "":
			fmt.Fprintf(w, `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":%q,"resources":[%s]}`, gv, legacy[gv])
		case gv == "apps/v1/namespaces/default/deployments":
			w.Header().Set("Warning", `299 - "a warning"`)
			fmt.Fprintf(w, `{"kind":"Table","apiVersion":"meta.k8s.io/v1","user":%q}`, r.Header.Get("X-Remote-User"))
		default:
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, "404 page not found\n")
		}
	}
}

// TestKubernetes registers kube-apiserver at an aggregator, with the aggregated document and, as
// before 1.30, without one that the aggregator reads.
func TestKubernetes(t *testing.T) {
	t.Parallel()
	for _, v2 := range []bool{true, false} {
		t.Run(fmt.Sprintf("v2=%t", v2), func(t *testing.T) {
			t.Parallel()
			f := newFront(t, map[string]http.RoundTripper{"kube": handler(kubernetes(v2))})
			f.Set(service("apps", "http://kube", "apps", "v1"),
				service("slices", "http://kube", "discovery.k8s.io", "v1"))
			for _, name := range []string{"apps", "slices"} {
				f.waitFor(t, name, v1alpha1.ConditionAvailable, "True Answers")
			}
			for path, want := range map[string][]string{
				"/apis/apps/v1": {
					`"name":"deployments","singularName":"deployment","namespaced":true,"kind":"Deployment"`,
					`"name":"deployments/scale","singularName":"","namespaced":true,"group":"autoscaling","version":"v1",` +
						`"kind":"Scale"`, `"shortNames":["deploy"]`, `"name":"controllerrevisions"`,
				},
				"/apis":                           {`"name":"apps"`, `"discovery.k8s.io/v1"`, `"discovery.k8s.io/v1alpha1"`},
				"/apis/discovery.k8s.io/v1":       {`"endpointslices"`},
				"/apis/discovery.k8s.io/v1alpha1": {`"groups"`},
			} {
				code, _, body := f.do(t, "GET", path+"?pretty=0", "")
				for _, text := range want {
					if !strings.Contains(body, text) {
						t.Errorf("%s: %d, there is no %s in %s", path, code, text, body)
					}
				}
				if strings.Contains(body, "tokenreviews") || strings.Contains(body, "authentication.k8s.io") {
					t.Errorf("%s shows what is not registered: %s", path, body)
				}
			}
			code, header, body := f.do(t, "GET", "/apis/apps/v1/namespaces/default/deployments", "")
			if code != http.StatusOK || header.Get("Warning") != `299 - "a warning"` ||
				!strings.Contains(body, "system:anonymous") {
				t.Errorf("a request that is passed on: %d %v %s", code, header, body)
			}
			if code, _, body := f.do(t, "GET", "/apis/authentication.k8s.io/v1/tokenreviews", ""); code != http.StatusNotFound {
				t.Errorf("what is not registered: %d %s", code, body)
			}
			groups := client.Of[discoveryv1alpha1.Group](f.server.Client())
			eventually(t, "the Groups have both versions", func() bool {
				g, err := groups.Get(t.Context(), "discovery.k8s.io")
				return err == nil && discoveryv1alpha1.VersionNames(g) == "v1,v1alpha1"
			})
		})
	}
}
