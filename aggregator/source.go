package aggregator

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
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

// mostGroups limits the Groups of one server, and maxDescription their size. A server that sends
// more is asked for its documents, whose size is limited.
const mostGroups = 10_000

// often is the least time between two changes of the Groups of a server that are taken in
// separately.
const often = 100 * time.Millisecond

// errNoGroups reports that a server has no objects of discovery.k8s.io to watch.
var errNoGroups = errors.New("the server has no Groups")

// firstRetry is how long after a failure the server is asked again. The time doubles with each
// further failure, up to a period.
const firstRetry = 100 * time.Millisecond

// run keeps the knowledge of the server up to date until the context is done.
func (b *backend) run(ctx context.Context) {
	period := b.aggregator.config.Period
	probe := prober{backend: b}
	retry := firstRetry
	for ctx.Err() == nil {
		begin := time.Now()
		err := b.watchGroups(ctx, &probe)
		if errors.Is(err, errNoGroups) {
			err = probe.tell(ctx)
		}
		if err == nil {
			retry = firstRetry
			pause(ctx, period, b.registrations)
			continue
		}
		if time.Since(begin) > period { // a watch that lasted
			retry = firstRetry
		}
		pause(ctx, min(retry, period), b.registrations)
		retry = min(2*retry, period)
	}
}

// pause waits for about some time, so that several aggregators do not stay in step, or until there
// is a token.
func pause(ctx context.Context, d time.Duration, tokens <-chan struct{}) {
	select {
	case <-ctx.Done():
	case <-tokens:
	case <-time.After(d*3/4 + rand.N(d/2+1)):
	}
}

// watchGroups follows the Groups of the server until the watch breaks. The caller then starts over,
// because only a new list shows that the server has not changed meanwhile. It returns errNoGroups
// if the server has none or does not list them in time; the caller then requests the documents.
func (b *backend) watchGroups(whole context.Context, probe *prober) error {
	ctx, cancel := context.WithCancel(whole)
	defer cancel()
	listing := time.AfterFunc(b.aggregator.config.ProbeTime, cancel)
	defer listing.Stop()
	all := groupSet{backend: b, groups: map[string]sizedGroup{}}
	defer all.end()
	synced := false
	for change, err := range client.Of[discoveryv1alpha1.Group](b.client).Follow(ctx) {
		switch {
		case err != nil && !synced:
			return errNoGroups
		case err != nil:
			return err
		case change.Type == client.Synced && !synced:
			listing.Stop()
			synced = true
			probe.forget()
			b.aggregator.running.Go(func() { probe.watch(ctx) })
		}
		if !all.take(change) {
			return errNoGroups
		}
		if synced {
			all.publish()
		}
	}
	if !synced && whole.Err() == nil {
		return errNoGroups
	}
	return whole.Err()
}

// groupSet is the Groups of a server that are known.
type groupSet struct {
	backend *backend

	mu     sync.Mutex
	groups map[string]sizedGroup
	size   int         // of all
	last   time.Time   // of the last publication
	later  *time.Timer // the next one, if it is due
	ended  bool
}

// sizedGroup is a Group with its approximate size in bytes.
type sizedGroup struct {
	group *discoveryv1alpha1.Group
	size  int
}

// take notes a change. It returns false if the Groups are too many or too large.
func (s *groupSet) take(change client.Change[discoveryv1alpha1.Group]) bool {
	if change.Type == client.Synced {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	name := change.Key.Name
	s.size -= s.groups[name].size
	delete(s.groups, name)
	if change.Type != client.Deleted {
		text, err := discoveryv1alpha1.AppendJSONGroup(nil, change.Object)
		if err != nil {
			return false
		}
		s.size += len(text)
		s.groups[name] = sizedGroup{change.Object, len(text)}
	}
	return len(s.groups) <= mostGroups && s.size <= maxDescription
}

// publish lets the aggregator learn the resources, at once if it has not just done so.
func (s *groupSet) publish() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.later != nil {
		return
	}
	if wait := often - time.Since(s.last); wait > 0 {
		s.later = time.AfterFunc(wait, func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.tell()
		})
		return
	}
	s.tell()
}

// tell lets the aggregator learn the resources. The caller holds the lock.
func (s *groupSet) tell() {
	s.later, s.last = nil, time.Now()
	if s.ended {
		return
	}
	var all discovery.Config
	for _, g := range s.groups {
		all.Resources = append(all.Resources, discovery.FromGroup(g.group).Resources...)
	}
	s.backend.learn(&all, nil)
}

// end keeps a publication that is due from happening.
func (s *groupSet) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
}

// prober requests the resources of a server without Groups.
type prober struct {
	backend *backend
	known   map[string]described // the last aggregated documents, by path
}

// described is an aggregated document that has been read.
type described struct {
	etag   string
	config discovery.Config
}

// forget makes the next requests unconditional.
func (p *prober) forget() { p.known = nil }

// watch asks the server once in a period whether it answers, until the context is done. An open
// watch of Groups does not tell, because a server that hangs may keep it open.
func (p *prober) watch(ctx context.Context) {
	etag := ""
	period := p.backend.aggregator.config.Period
	for pause(ctx, period, nil); ctx.Err() == nil; pause(ctx, period, nil) {
		limited, cancel := context.WithTimeout(ctx, p.backend.aggregator.config.ProbeTime)
		doc, err := p.get(limited, &client.DocumentRequest{Path: "/apis", ETag: etag})
		cancel()
		if doc != nil {
			etag = doc.ETag
		}
		if e, ok := errors.AsType[*metav1.StatusError](err); ok && e.Status.Code < 500 {
			err = nil // it answers
		}
		if ctx.Err() == nil {
			p.backend.hear(err)
			p.backend.findLoops(ctx)
		}
	}
}

// findLoops finds the group versions that the server shows although it knows them only from this
// aggregator: fronts that are registered at each other, or in a ring, would keep what they once
// learned from a server that is gone. The OpenAPI document of a group version is the path that
// fronts pass on without permission for its resources; the method OPTIONS does not make anybody
// encode it. After an error it is not known whether there are other loops than before.
func (b *backend) findLoops(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, b.aggregator.config.ProbeTime)
	defer cancel()
	before := b.known()
	loops := map[schema.GroupVersion]bool{}
	for _, gv := range b.registered() {
		if len(before.resources[gv]) == 0 {
			continue
		}
		path := b.url.JoinPath(openAPIv3, pathOf(gv))
		r, err := http.NewRequestWithContext(ctx, http.MethodOptions, path.String(), http.NoBody)
		if err != nil {
			return
		}
		resp, err := b.own.RoundTrip(r)
		if err != nil {
			return
		}
		_, _ = io.CopyN(io.Discard, resp.Body, 4<<10) // so that the connection is used again
		_ = resp.Body.Close()
		if resp.StatusCode == http.StatusLoopDetected {
			loops[gv] = true
		}
	}
	if !maps.Equal(before.loops, loops) {
		b.note(true, func(k *knowledge) { k.loops = loops })
	}
}

// tell requests the resources once, and lets the backend learn them or why they cannot be read,
// which it also returns.
func (p *prober) tell(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, p.backend.aggregator.config.ProbeTime)
	defer cancel()
	versions := p.backend.registered()
	var all discovery.Config
	news := false
	for _, prefix := range []string{discovery.CorePrefix, discovery.GroupPrefix} {
		below := func(gv schema.GroupVersion) bool { return discovery.PrefixOf(gv.Group) == prefix }
		if !slices.ContainsFunc(versions, below) {
			continue
		}
		found, changed, err := p.ask(ctx, prefix, versions)
		if err != nil {
			p.forget() // what has been found below another prefix is not learned
			p.backend.learn(nil, err)
			return err
		}
		news = news || changed
		all.Resources = append(all.Resources, found.Resources...)
		all.Versions = append(all.Versions, found.Versions...)
	}
	if news {
		p.backend.learn(&all, nil)
	} else {
		p.backend.learn(nil, nil)
	}
	p.backend.findLoops(ctx)
	return nil
}

// ask requests the resources below a prefix. It reports whether they may have changed.
func (p *prober) ask(ctx context.Context, prefix string, versions []schema.GroupVersion) (
	config discovery.Config, news bool, err error,
) {
	path := "/" + prefix
	known := p.known[path]
	doc, err := p.get(ctx, &client.DocumentRequest{Path: path, Accept: acceptAggregated, ETag: known.etag})
	if metav1.ReasonOf(err) == metav1.StatusReasonNotFound { // it has the documents of versions alone
		config, err = p.askEach(ctx, prefix, versions)
		return config, true, err
	}
	if err != nil {
		return config, false, err
	}
	if doc.NotModified {
		return known.config, false, nil
	}
	obj, err := p.decode(doc)
	if err != nil {
		return config, false, fmt.Errorf("%s: %w", path, err)
	}
	delete(p.known, path)
	if list, ok := obj.(*v2.APIGroupDiscoveryList); ok {
		known = described{doc.ETag, discovery.FromAggregated(prefix, list)}
		if p.known == nil {
			p.known = map[string]described{}
		}
		if doc.ETag != "" {
			p.known[path] = known
		}
		return known.config, true, nil
	}
	config, err = p.askEach(ctx, prefix, versions)
	return config, true, err
}

// askEach requests the older document of each registered group version below a prefix.
func (p *prober) askEach(ctx context.Context, prefix string, versions []schema.GroupVersion) (
	config discovery.Config, err error,
) {
	for _, gv := range versions {
		if discovery.PrefixOf(gv.Group) != prefix {
			continue
		}
		path := "/" + pathOf(gv)
		doc, err := p.get(ctx, &client.DocumentRequest{Path: path})
		if metav1.ReasonOf(err) == metav1.StatusReasonNotFound {
			continue
		}
		if err != nil {
			return config, err
		}
		obj, err := p.decode(doc)
		if err != nil {
			return config, fmt.Errorf("%s: %w", path, err)
		}
		list, ok := obj.(*metav1.APIResourceList)
		if !ok {
			return config, fmt.Errorf("%s: the answer is a %T, not an APIResourceList", path, obj)
		}
		resources, err := discovery.FromResourceList(prefix, list)
		if err != nil {
			return config, fmt.Errorf("%s: %w", path, err)
		}
		config.Resources = append(config.Resources, resources...)
	}
	return config, nil
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
