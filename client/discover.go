package client

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/askind/askind/discovery"
	"github.com/askind/askind/discovery/apidiscovery/v2"
	"github.com/askind/askind/discovery/apidiscovery/v2beta1"
	"github.com/askind/askind/discovery/v1alpha1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/restmapper"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
)

// documentFactory decodes discovery documents independently of the client's scheme.
var documentFactory = sync.OnceValues(func() (*serializer.Factory, error) {
	return newFactory(metav1.AddTo, metav1.AddCoreTo, discovery.AddTo)
})

// Accept headers of discovery.
const (
	acceptAggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList," +
		"application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList;q=0.9,application/json;q=0.8"
	groupsPath = "/apis/discovery.k8s.io/v1alpha1/groups"
)

// discoverer requests the resources of a server. It is not safe for concurrent use.
type discoverer struct {
	backend  Backend
	prefixes []string // in addition to those of the Groups
	tags     map[string]string
	kept     map[string]discovery.Config // by prefix, as the entity tags
	size     atomic.Int64                // of the documents of one discovery
}

// Discover returns the resources of the server: from its Groups if it has them, else from the
// aggregated documents of the prefixes, else from their older documents. Groups whose resources the
// server could not report are returned as problems. For servers without Groups, prefixes are
// searched in addition to "api" and "apis"; Groups state their prefixes. The documents of a server
// may have 64 MiB and 100,000 resources together, and those of a server without Groups 10,000
// versions.
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
	d.size.Store(0)
	if c, err := d.groups(ctx); err == nil {
		return c, nil, checkResources(c.Resources)
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
		return all, nil, fmt.Errorf("client: the server has none of the paths /%s; check that it serves a Kubernetes-style API",
			strings.Join(d.prefixes, ", /"))
	}
	if n := len(all.Versions); n > maxVersions {
		return all, nil, fmt.Errorf("client: the server lists %d versions, more than %d", n, maxVersions)
	}
	return all, append(problems, stale(all.Versions)...), checkResources(all.Resources)
}

// stale returns the versions whose resources the server states to be out of date, or omits, because
// another server that has them does not answer.
func stale(versions []discovery.Version) []restmapper.GroupProblem {
	var out []restmapper.GroupProblem
	for _, v := range versions {
		if v.Stale {
			out = append(out, restmapper.GroupProblem{
				Group: v.Group,
				Err:   fmt.Errorf("the resources of %s may be out of date", schema.Quote(v.GroupVersion.String())),
			})
		}
	}
	return out
}

// maxResources bounds the resources of a server. A mapper takes a kilobyte for each of them.
const maxResources = 100_000

func checkResources(in []discovery.Resource) error {
	if len(in) > maxResources {
		return fmt.Errorf("client: the server lists %d resources, more than %d", len(in), maxResources)
	}
	return nil
}

// document requests a document, unless the documents of this discovery are too large together.
func (d *discoverer) document(ctx context.Context, r *DocumentRequest) (*Document, error) {
	doc, err := d.backend.Document(ctx, r)
	if err == nil && d.size.Add(int64(len(doc.Bytes))) > maxDocument {
		err = errDocuments
	}
	return doc, err
}

// groups lists the Groups.
func (d *discoverer) groups(ctx context.Context) (discovery.Config, error) {
	doc, err := d.document(ctx, &DocumentRequest{Path: groupsPath})
	if err != nil {
		return discovery.Config{}, err
	}
	list, err := decodeDocument[v1alpha1.GroupList](doc)
	if err != nil {
		return discovery.Config{}, err
	}
	groups := make([]*v1alpha1.Group, len(list.Items))
	for i := range list.Items {
		groups[i] = &list.Items[i]
	}
	return configOf(groups), nil
}

// configOf converts Groups. The resources of a group under its default prefix come first, so that
// its versions there are preferred to those under other prefixes.
func configOf(groups []*v1alpha1.Group) discovery.Config {
	var usual, others discovery.Config
	for _, g := range groups {
		one, to := discovery.FromGroup(g), &usual
		if g.Annotations[discovery.PrefixAnnotation] != "" {
			to = &others
		}
		to.Resources, to.Versions = append(to.Resources, one.Resources...), append(to.Versions, one.Versions...)
	}
	usual.Resources = append(usual.Resources, others.Resources...)
	usual.Versions = append(usual.Versions, others.Versions...)
	return usual
}

// prefix requests the resources under a prefix: the aggregated document, or else each document.
func (d *discoverer) prefix(ctx context.Context, prefix string) (discovery.Config, []restmapper.GroupProblem, error) {
	doc, err := d.document(ctx, &DocumentRequest{
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
	obj, err := f.Decode(doc.Bytes, documentOptions(doc))
	if err != nil {
		return discovery.Config{}, nil, fmt.Errorf("the answer, %d bytes of the type %s, is not a document of an API "+
			"server; check the address: %w", len(doc.Bytes), schema.Quote(doc.MediaType), err)
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
	return discovery.Config{}, nil, fmt.Errorf("the answer is a %s", describe(obj))
}

// keep caches the result for the next request with its entity tag.
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

// atOnce limits concurrent requests for documents, and maxVersions their number.
const (
	atOnce      = 8
	maxVersions = 10_000
)

// lists requests the resources of each group version.
func (d *discoverer) lists(ctx context.Context, prefix string, versions []string) (discovery.Config,
	[]restmapper.GroupProblem, error,
) {
	if len(versions) > maxVersions {
		return discovery.Config{}, nil, fmt.Errorf("the server lists %d versions, more than %d", len(versions), maxVersions)
	}
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

// resources requests the resources of a group version.
func (d *discoverer) resources(ctx context.Context, prefix, text string) ([]discovery.Resource, error) {
	gv, err := schema.ParseGroupVersion(text)
	if err != nil {
		return nil, err
	}
	root := Request{Prefix: prefix, Resource: gv.WithResource("any")}
	if err := root.Check(); err != nil {
		return nil, err
	}
	root.Resource.Resource = ""
	doc, err := d.document(ctx, &DocumentRequest{Path: root.Path()})
	if err != nil {
		return nil, err
	}
	list, err := decodeDocument[metav1.APIResourceList](doc)
	if err != nil {
		return nil, err
	}
	if list.GroupVersion != text {
		// A server behind an aggregator has no say in the resources of other groups.
		return nil, fmt.Errorf("the document of %s lists the resources of %s", text, schema.Quote(list.GroupVersion))
	}
	return discovery.FromResourceList(prefix, list)
}

func decodeDocument[T any](doc *Document) (*T, error) {
	f, err := documentFactory()
	if err != nil {
		return nil, err
	}
	return serializer.Decode[T](f, doc.Bytes, documentOptions(doc))
}

// documentOptions returns the options to decode a document. Kubernetes writes APIVersions and the
// APIResourceList of the core group without apiVersion.
func documentOptions(doc *Document) serializer.DecodeOptions {
	return serializer.DecodeOptions{
		MediaType: doc.MediaType, DefaultKind: schema.GroupVersionKind{Version: "v1"},
		Limits: schema.Limits{Memory: 16}, // real documents take less than ten bytes for each of their own
	}
}

// mappings returns resources for a mapper. It omits a second resource with the same name or kind in
// one version, so that one inconsistent group does not hide the others.
func mappings(in []discovery.Resource) []restmapper.Resource {
	var out []restmapper.Resource
	resources, kinds := map[schema.GroupVersionResource]bool{}, map[schema.GroupVersionKind]bool{}
	for i := range in {
		r := &in[i]
		kind := r.GroupVersion().WithKind(r.Kind.Kind)
		resource := r.GroupVersion().WithResource(strings.ToLower(r.Resource))
		if resources[resource] || kinds[kind] {
			continue
		}
		resources[resource], kinds[kind] = true, true
		m := restmapper.Resource{
			Mapping: restmapper.Mapping{
				Kind: kind, Resource: resource, Singular: strings.ToLower(r.Singular), Scope: r.Scope,
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
