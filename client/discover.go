package client

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/askind/askind/discovery"
	"github.com/askind/askind/discovery/apidiscovery/v2"
	"github.com/askind/askind/discovery/apidiscovery/v2beta1"
	"github.com/askind/askind/discovery/v1alpha1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/restmapper"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/json"
)

// documentFactory reads the documents of discovery, whatever the scheme of the client has.
var documentFactory = sync.OnceValues(func() (*serializer.Factory, error) {
	s, err := runtime.NewScheme(metav1.AddTo, metav1.AddCoreTo, discovery.AddTo)
	if err != nil {
		return nil, err
	}
	return serializer.NewFactory(s, json.Format())
})

// Accept headers of discovery.
const (
	acceptAggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList," +
		"application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList;q=0.9,application/json;q=0.8"
	groupsPath = "/apis/discovery.k8s.io/v1alpha1/groups"
)

// discoverer finds out what a server offers. It is for one question at a time.
type discoverer struct {
	backend  Backend
	prefixes []string // to look under beside those that Groups name
	tags     map[string]string
	kept     map[string]discovery.Config // of what the entity tag was
}

// Discover asks the server what it offers: its Groups if it has them, else the aggregated documents
// of the prefixes, else their older documents. Groups of which the server could not say anything
// are the problems of the answer. The prefixes are those to look under beside "api" and "apis", for
// servers without Groups; Groups name theirs.
func (c *Client) Discover(ctx context.Context, prefixes ...string) (discovery.Config,
	[]restmapper.GroupProblem, error,
) {
	return newDiscoverer(c.backend, prefixes).discover(ctx)
}

func newDiscoverer(b Backend, prefixes []string) *discoverer {
	all := append([]string{discovery.CorePrefix, discovery.GroupPrefix}, prefixes...)
	return &discoverer{backend: b, prefixes: all, tags: map[string]string{}, kept: map[string]discovery.Config{}}
}

func (d *discoverer) discover(ctx context.Context) (discovery.Config, []restmapper.GroupProblem, error) {
	if c, err := d.groups(ctx); err == nil {
		return c, nil, nil
	}
	var all discovery.Config
	var problems []restmapper.GroupProblem
	missing := 0
	for _, prefix := range d.prefixes {
		c, p, err := d.prefix(ctx, prefix)
		if metav1.ReasonOf(err) == metav1.StatusReasonNotFound {
			missing++
			continue
		}
		if err != nil {
			return discovery.Config{}, nil, fmt.Errorf("client: discovery under /%s: %w", prefix, err)
		}
		all.Resources, all.Versions = append(all.Resources, c.Resources...), append(all.Versions, c.Versions...)
		problems = append(problems, p...)
	}
	if missing == len(d.prefixes) {
		return all, nil, fmt.Errorf("client: the server has none of the paths /%s: is it a server of this kind of API?",
			strings.Join(d.prefixes, ", /"))
	}
	return all, problems, nil
}

// groups asks for the Groups.
func (d *discoverer) groups(ctx context.Context) (discovery.Config, error) {
	doc, err := d.backend.Document(ctx, &DocumentRequest{Path: groupsPath})
	if err != nil {
		return discovery.Config{}, err
	}
	list, err := decodeDocument[v1alpha1.GroupList](doc)
	if err != nil {
		return discovery.Config{}, err
	}
	var out discovery.Config
	for i := range list.Items {
		addGroup(&out, &list.Items[i])
	}
	return out, nil
}

// addGroup adds what a Group describes.
func addGroup(c *discovery.Config, g *v1alpha1.Group) {
	one := discovery.FromGroup(g)
	c.Resources, c.Versions = append(c.Resources, one.Resources...), append(c.Versions, one.Versions...)
}

// prefix asks for what is under a prefix: all at once, else document by document.
func (d *discoverer) prefix(ctx context.Context, prefix string) (discovery.Config, []restmapper.GroupProblem, error) {
	doc, err := d.backend.Document(ctx, &DocumentRequest{
		Path: "/" + prefix, Accept: acceptAggregated,
		ETag: d.tags[prefix],
	})
	if err != nil {
		return discovery.Config{}, nil, err
	}
	if doc.NotModified {
		return d.kept[prefix], nil, nil
	}
	f, err := documentFactory()
	if err != nil {
		return discovery.Config{}, nil, err
	}
	// Servers of Kubernetes write an APIVersions without apiVersion.
	obj, err := f.Decode(doc.Bytes, serializer.DecodeOptions{
		MediaType: doc.MediaType, DefaultKind: schema.GroupVersionKind{Version: "v1"},
	})
	if err != nil {
		return discovery.Config{}, nil, err
	}
	switch o := obj.(type) {
	case *v2.APIGroupDiscoveryList:
		return d.keep(prefix, doc.ETag, discovery.FromAggregated(prefix, o)), nil, nil
	case *v2beta1.APIGroupDiscoveryList:
		list, err := runtime.ConvertTo[v2.APIGroupDiscoveryList](f.Scheme(), o)
		if err != nil {
			return discovery.Config{}, nil, err
		}
		return d.keep(prefix, doc.ETag, discovery.FromAggregated(prefix, list)), nil, nil
	case *metav1.APIVersions:
		return d.lists(ctx, prefix, o.Versions)
	case *metav1.APIGroupList:
		return d.lists(ctx, prefix, versionsOf(o))
	}
	return discovery.Config{}, nil, fmt.Errorf("it answered with a %s", describe(obj))
}

// keep remembers what was found for the next question.
func (d *discoverer) keep(prefix, tag string, c discovery.Config) discovery.Config {
	if tag != "" {
		d.tags[prefix], d.kept[prefix] = tag, c
	}
	return c
}

// versionsOf returns the group versions of a list of groups, the preferred version of each group
// first.
func versionsOf(list *metav1.APIGroupList) []string {
	var out []string
	for _, g := range list.Groups {
		if g.PreferredVersion.GroupVersion != "" {
			out = append(out, g.PreferredVersion.GroupVersion)
		}
		for _, v := range g.Versions {
			if v.GroupVersion != g.PreferredVersion.GroupVersion {
				out = append(out, v.GroupVersion)
			}
		}
	}
	return out
}

// atOnce is how many documents are asked for at a time.
const atOnce = 8

// lists asks for the resources of each group version.
func (d *discoverer) lists(ctx context.Context, prefix string, versions []string) (discovery.Config,
	[]restmapper.GroupProblem, error,
) {
	found := make([][]discovery.Resource, len(versions))
	failed := make([]error, len(versions))
	limit := make(chan struct{}, atOnce)
	var wg sync.WaitGroup
	for i, gv := range versions {
		limit <- struct{}{}
		wg.Go(func() {
			defer func() { <-limit }()
			found[i], failed[i] = d.resources(ctx, prefix, gv)
		})
	}
	wg.Wait()
	var out discovery.Config
	var problems []restmapper.GroupProblem
	for i, text := range versions {
		if failed[i] != nil {
			gv, _ := schema.ParseGroupVersion(text) // a malformed text has no group to name
			problems = append(problems, restmapper.GroupProblem{Group: gv.Group, Err: failed[i]})
			continue
		}
		out.Resources = append(out.Resources, found[i]...)
	}
	return out, problems, nil
}

// resources asks for the resources of a group version.
func (d *discoverer) resources(ctx context.Context, prefix, gv string) ([]discovery.Resource, error) {
	doc, err := d.backend.Document(ctx, &DocumentRequest{Path: "/" + prefix + "/" + gv})
	if err != nil {
		return nil, err
	}
	list, err := decodeDocument[metav1.APIResourceList](doc)
	if err != nil {
		return nil, err
	}
	return discovery.FromResourceList(prefix, list)
}

func decodeDocument[T any](doc *Document) (*T, error) {
	f, err := documentFactory()
	if err != nil {
		return nil, err
	}
	return serializer.Decode[T](f, doc.Bytes, serializer.DecodeOptions{MediaType: doc.MediaType})
}

// mappings returns resources as a mapper has them. A second resource of one name, or of one kind,
// in a version is left out, so that one odd group does not keep the others from being known.
func mappings(in []discovery.Resource) []restmapper.Resource {
	var out []restmapper.Resource
	resources, kinds := map[schema.GroupVersionResource]bool{}, map[schema.GroupVersionKind]bool{}
	for i := range in {
		r := &in[i]
		kind := r.GroupVersion().WithKind(r.Kind.Kind)
		if resources[r.GroupVersionResource] || kinds[kind] {
			continue
		}
		resources[r.GroupVersionResource], kinds[kind] = true, true
		m := restmapper.Resource{
			Mapping: restmapper.Mapping{
				Kind: kind, Resource: r.GroupVersionResource, Singular: strings.ToLower(r.Singular), Scope: r.Scope,
			},
			ShortNames: r.ShortNames, Categories: r.Categories,
		}
		if r.Prefix != discovery.PrefixOf(r.Group) {
			m.Prefix = r.Prefix
		}
		out = append(out, m)
	}
	return out
}
