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
	"github.com/askind/askind/serializer"
)

// acceptAggregated asks for the aggregated document, and takes the plain one.
const acceptAggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json"

// errNoGroups says that a server has no objects of discovery.k8s.io to watch.
var errNoGroups = errors.New("the server has no Groups")

// run keeps what is known of the server up to date until the context is done.
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

// pause waits for about a period.
func (b *backend) pause(ctx context.Context) {
	period := b.aggregator.config.Period
	select {
	case <-ctx.Done():
	case <-time.After(period*3/4 + rand.N(period/2+1)):
	}
}

// watchGroups follows the Groups of the server. It returns errNoGroups if the server has none or
// does not answer, and then the documents are asked for.
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
			// The watch broke off and is tried again; meanwhile the server counts as silent.
			b.learn(nil, err)
			continue
		case change.Type == client.Synced:
			synced = true
		case change.Type == client.Deleted:
			delete(groups, change.Key.Name)
		default:
			groups[change.Key.Name] = change.Object
		}
		if synced {
			b.learn(configOf(groups), nil)
			probe.forget()
		}
	}
	return ctx.Err()
}

// configOf returns what Groups describe.
func configOf(groups map[string]*discoveryv1alpha1.Group) *discovery.Config {
	var all discovery.Config
	for _, g := range groups {
		one := discovery.FromGroup(g)
		all.Resources = append(all.Resources, one.Resources...)
		all.Versions = append(all.Versions, one.Versions...)
	}
	return &all
}

// prober asks a server without Groups what it serves.
type prober struct {
	backend *backend
	etag    string
}

// forget has the next question answered in full.
func (p *prober) forget() { p.etag = "" }

// ask asks once.
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

// askEach asks for the older document of each group version that is registered.
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

// decode reads a document.
func (p *prober) decode(doc *client.Document) (runtime.Object, error) {
	return p.backend.aggregator.factory.Decode(doc.Bytes, serializer.DecodeOptions{MediaType: doc.MediaType})
}
