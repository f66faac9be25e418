package aggregator

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/askind/askind/client"
	"github.com/askind/askind/discovery"
	v2 "github.com/askind/askind/discovery/apidiscovery/v2"
	discoveryv1alpha1 "github.com/askind/askind/discovery/v1alpha1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
)

// acceptAggregated prefers the aggregated document and accepts the plain one.
const acceptAggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json"

// mostGroups limits the Groups of one server. A server that sends more is asked for its documents,
// whose size is limited.
const mostGroups = 10_000

// errNoGroups reports that a server has no objects of discovery.k8s.io to watch.
var errNoGroups = errors.New("the server has no Groups")

// run keeps the knowledge of the server up to date until the context is done.
func (b *backend) run(ctx context.Context) {
	probe := prober{backend: b}
	for ctx.Err() == nil {
		if err := b.watchGroups(ctx, &probe); ctx.Err() != nil || !errors.Is(err, errNoGroups) {
			continue
		}
		if err := probe.ask(ctx); err != nil {
			b.learn(nil, err)
		}
		b.pause(ctx)
	}
}

// pause waits for about one period.
func (b *backend) pause(ctx context.Context) {
	period := b.aggregator.config.Period
	select {
	case <-ctx.Done():
	case <-time.After(period*3/4 + rand.N(period/2+1)):
	}
}

// watchGroups follows the Groups of the server. It returns errNoGroups if the server has none or
// does not answer; the caller then requests the documents.
func (b *backend) watchGroups(ctx context.Context, probe *prober) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	groups := map[string]*discoveryv1alpha1.Group{}
	synced := false
	for change, err := range client.Of[discoveryv1alpha1.Group](b.client).Follow(ctx) {
		switch {
		case err != nil && !synced:
			return errNoGroups
		case err != nil:
			// The watch broke and is retried; until then the server counts as unavailable.
			b.learn(nil, err)
			continue
		case change.Type == client.Synced:
			synced = true
		case change.Type == client.Deleted:
			delete(groups, change.Key.Name)
		default:
			groups[change.Key.Name] = change.Object
		}
		if len(groups) > mostGroups {
			return errNoGroups
		}
		if synced {
			b.learn(configOf(groups), nil)
			probe.forget()
		}
	}
	return ctx.Err()
}

// configOf returns the resources of Groups.
func configOf(groups map[string]*discoveryv1alpha1.Group) *discovery.Config {
	var all discovery.Config
	for _, g := range groups {
		one := discovery.FromGroup(g)
		all.Resources = append(all.Resources, one.Resources...)
		all.Versions = append(all.Versions, one.Versions...)
	}
	return &all
}

// prober requests the resources of a server without Groups.
type prober struct {
	backend *backend
	etag    string
}

// forget makes the next request unconditional.
func (p *prober) forget() { p.etag = "" }

// ask requests the resources once.
func (p *prober) ask(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, p.backend.aggregator.config.ProbeTime)
	defer cancel()
	doc, err := p.get(ctx, &client.DocumentRequest{Path: "/apis", Accept: acceptAggregated, ETag: p.etag})
	if err != nil {
		return err
	}
	if doc.NotModified {
		p.backend.learn(nil, nil)
		return nil
	}
	obj, err := p.decode(doc)
	if err != nil {
		return fmt.Errorf("/apis: %w", err)
	}
	p.etag = ""
	if list, ok := obj.(*v2.APIGroupDiscoveryList); ok {
		config := discovery.FromAggregated("apis", list)
		p.backend.learn(&config, nil)
		p.etag = doc.ETag
		return nil
	}
	return p.askEach(ctx)
}

// askEach requests the older document of each registered group version.
func (p *prober) askEach(ctx context.Context) error {
	var config discovery.Config
	for _, gv := range p.backend.registered() {
		doc, err := p.get(ctx, &client.DocumentRequest{Path: "/apis/" + gv.Group + "/" + gv.Version})
		if metav1.ReasonOf(err) == metav1.StatusReasonNotFound {
			continue
		}
		if err != nil {
			return err
		}
		obj, err := p.decode(doc)
		if err != nil {
			return fmt.Errorf("/apis/%s: %w", gv, err)
		}
		list, ok := obj.(*metav1.APIResourceList)
		if !ok {
			return fmt.Errorf("/apis/%s: the answer is a %T, not an APIResourceList", gv, obj)
		}
		resources, err := discovery.FromResourceList("apis", list)
		if err != nil {
			return fmt.Errorf("/apis/%s: %w", gv, err)
		}
		config.Resources = append(config.Resources, resources...)
		config.Versions = append(config.Versions, discovery.Version{GroupVersion: gv})
	}
	p.backend.learn(&config, nil)
	return nil
}

func (p *prober) get(ctx context.Context, r *client.DocumentRequest) (*client.Document, error) {
	return p.backend.client.Backend().Document(ctx, r)
}

// decode decodes a document.
func (p *prober) decode(doc *client.Document) (runtime.Object, error) {
	return p.backend.aggregator.factory.Decode(doc.Bytes, serializer.DecodeOptions{
		MediaType: doc.MediaType, DefaultKind: schema.GroupVersionKind{Version: "v1"}, // some state only a kind
	})
}
