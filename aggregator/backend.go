package aggregator

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/askind/askind/aggregator/v1alpha1"
	"github.com/askind/askind/client"
	"github.com/askind/askind/discovery"
	"github.com/askind/askind/schema"
)

// backendKey identifies a server: registrations with the same key share connections and limits.
type backendKey struct {
	url, serverName string
	authority       [sha256.Size]byte
}

func keyOf(s *v1alpha1.APIServiceSpec) backendKey {
	return backendKey{url: s.URL, serverName: s.ServerName, authority: sha256.Sum256(s.CABundle)}
}

// backend is one other server.
type backend struct {
	aggregator *Aggregator
	url        *url.URL
	transport  http.RoundTripper
	own        http.RoundTripper // for the aggregator's own requests
	upgrades   http.RoundTripper // of requests that upgrade their connection
	idle       []*http.Transport // to be closed; none for transports of the program
	client     *client.Client
	proxy      http.Handler
	requests   chan struct{} // a token for each request in flight
	watches    chan struct{} // the same for watches
	end        context.CancelFunc
	documents  map[string]*remote // the OpenAPI documents, by path

	registrations chan struct{} // has a token after the registered versions have changed

	mu       sync.Mutex
	versions []schema.GroupVersion // the registered ones
	now      *knowledge
}

// knowledge is the last report of a server about its resources. It is immutable.
type knowledge struct {
	resources map[schema.GroupVersion][]discovery.Resource
	stale     map[schema.GroupVersion]bool // those that the server itself marks as stale
	loops     map[schema.GroupVersion]bool // those whose requests come back to this aggregator
	asked     bool                         // the server has answered or failed to
	err       error                        // why its resources could not be read the last time
	silent    error                        // why it does not answer although its Groups are watched
}

// problem returns why the server counts as unavailable, or nil.
func (k *knowledge) problem() error { return cmp.Or(k.err, k.silent) }

// fresh reports whether the resources are those that the server has now.
func (k *knowledge) fresh() bool { return k.asked && k.problem() == nil }

// take replaces the resources of each group version. Those of a version that the server marks as
// stale and lists without resources stay.
func (k *knowledge) take(c *discovery.Config) {
	before := k.resources
	k.resources, k.stale = map[schema.GroupVersion][]discovery.Resource{}, map[schema.GroupVersion]bool{}
	for _, r := range c.Resources {
		if r.Prefix == "" || r.Prefix == discovery.PrefixOf(r.Group) {
			k.resources[r.GroupVersion()] = append(k.resources[r.GroupVersion()], r)
		}
	}
	for _, v := range c.Versions {
		if v.Stale {
			k.stale[v.GroupVersion] = true
			if k.resources[v.GroupVersion] == nil {
				k.resources[v.GroupVersion] = before[v.GroupVersion]
			}
		}
	}
}

// maxDescription limits the size of a server's description of its resources in bytes. 20,000
// resources take about 8 MiB.
const maxDescription = 64 << 20

// newBackend connects to the server of a registration, which has some registered versions. It
// returns nil if the registration is unusable.
func (a *Aggregator) newBackend(s *v1alpha1.APIServiceSpec, versions []schema.GroupVersion) *backend {
	u, err := url.Parse(s.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		a.config.Log.Warn("aggregator: unusable URL", "url", s.URL, "error", err)
		return nil
	}
	b := &backend{
		aggregator: a, url: u, now: &knowledge{}, versions: versions, registrations: make(chan struct{}, 1),
		requests: make(chan struct{}, a.config.Requests), watches: make(chan struct{}, a.config.Watches),
		documents: map[string]*remote{openAPIv2: {}, openAPIv3: {}},
	}
	if err := b.dial(s); err != nil {
		a.config.Log.Warn("aggregator: unusable registration", "url", s.URL, "error", err)
		return nil
	}
	b.own = asSelf{b.transport, a.via, newAllowance(2*maxDescription, a.config.Period)}
	carrier, err := client.HTTP(s.URL, a.factory, client.RoundTripper(b.own), client.Retries(0),
		client.MaxBody(maxDescription))
	if err != nil {
		a.config.Log.Warn("aggregator: unusable URL", "url", s.URL, "error", err)
		return nil
	}
	b.client = client.New(carrier, a.factory.Scheme())
	b.proxy = b.newProxy()
	ctx, cancel := context.WithCancel(a.life)
	b.end = cancel
	a.running.Go(func() { b.run(ctx) })
	return b
}

// dial prepares the transports.
func (b *backend) dial(s *v1alpha1.APIServiceSpec) error {
	config := &b.aggregator.config
	if config.Transport != nil {
		if b.transport = config.Transport(s); b.transport != nil {
			b.upgrades = b.transport
			return nil
		}
	}
	secure := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: s.ServerName}
	if len(s.CABundle) > 0 {
		secure.RootCAs = x509.NewCertPool()
		if !secure.RootCAs.AppendCertsFromPEM(s.CABundle) {
			return errors.New("the CA bundle has no certificate in PEM")
		}
	}
	if config.Certificate != nil {
		secure.Certificates = []tls.Certificate{*config.Certificate}
	}
	both, one := new(http.Protocols), new(http.Protocols)
	both.SetHTTP1(true)
	both.SetHTTP2(true)
	one.SetHTTP1(true) // a connection of HTTP/2 cannot be upgraded
	for _, protocols := range []*http.Protocols{both, one} {
		b.idle = append(b.idle, &http.Transport{
			TLSClientConfig: secure.Clone(), Protocols: protocols,
			DialContext:         (&net.Dialer{Timeout: 5 * time.Second, KeepAlive: 15 * time.Second}).DialContext,
			TLSHandshakeTimeout: 10 * time.Second, ResponseHeaderTimeout: config.ResponseTime,
			MaxIdleConnsPerHost: 32, IdleConnTimeout: 90 * time.Second, MaxResponseHeaderBytes: 64 << 10,
			// All requests to a server share an HTTP/2 connection. Without pings they would wait
			// for a dead machine until TCP times out.
			HTTP2: &http.HTTP2Config{SendPingTimeout: 15 * time.Second, PingTimeout: 10 * time.Second},
		})
	}
	b.transport, b.upgrades = b.idle[0], b.idle[1]
	return nil
}

func (b *backend) close() {
	b.end()
	for _, t := range b.idle {
		t.CloseIdleConnections()
	}
}

// setVersions replaces the registered versions. Other ones than before are asked for at once.
func (b *backend) setVersions(versions []schema.GroupVersion) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if slices.Equal(b.versions, versions) {
		return
	}
	b.versions = versions
	select {
	case b.registrations <- struct{}{}:
	default: // it has one
	}
}

func (b *backend) registered() []schema.GroupVersion {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.versions
}

func (b *backend) known() *knowledge {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.now
}

// learn stores the server's resources, or the error of a failed request, and refreshes the view if
// this changes anything.
func (b *backend) learn(config *discovery.Config, err error) {
	b.note(config != nil, func(k *knowledge) {
		if k.err = err; err == nil {
			k.silent = nil
		}
		if config != nil {
			k.take(config)
		}
	})
}

// hear stores whether the server answers while its Groups are watched.
func (b *backend) hear(err error) { b.note(false, func(k *knowledge) { k.silent = err }) }

// note changes what is known of the server, and refreshes the view if there is news.
func (b *backend) note(news bool, change func(*knowledge)) {
	b.mu.Lock()
	before := b.now
	next := *before
	next.asked = true
	change(&next)
	b.now = &next
	b.mu.Unlock()
	was, now := before.problem(), next.problem()
	if now != nil && (was == nil || was.Error() != now.Error()) {
		b.aggregator.config.Log.Warn("aggregator: a server does not answer", "url", b.url.Redacted(), "error", now)
	}
	if news || before.fresh() != next.fresh() || (was == nil) != (now == nil) {
		b.aggregator.refresh()
	}
}

// String returns the server's URL for messages.
func (b *backend) String() string { return fmt.Sprintf("server %s", b.url.Redacted()) }
