package main

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"sync/atomic"
	"time"

	etcdserver "go.etcd.io/etcd/server/v3/embed"

	"github.com/askind/askind/aggregator"
	"github.com/askind/askind/aggregator/v1alpha1"
	fleetv1 "github.com/askind/askind/examples/fleet/api/fleet/v1"
	fleetv1alpha1 "github.com/askind/askind/examples/fleet/api/fleet/v1alpha1"
	fleetv1beta1 "github.com/askind/askind/examples/fleet/api/fleet/v1beta1"
	inventoryv1 "github.com/askind/askind/examples/fleet/api/inventory/v1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/server"
	"github.com/askind/askind/store"
	"github.com/askind/askind/store/etcd"
	"github.com/askind/askind/store/memory"
)

// part describes one process. The process that starts it passes the description as JSON.
type part struct {
	Kind    string // one of the keys of kinds
	Name    string
	Address string // where it listens

	// Of servers.
	Etcd    []string // the URLs of etcd
	Release string   // of the fleet server

	// Of the aggregator: where the other servers listen.
	Fleet, Inventory []string

	// Of members of etcd.
	Dir, Peer, Initial string
}

// kinds has the kinds of parts. Each function returns when the context is done.
var kinds = map[string]func(*part, context.Context) error{
	"etcd": (*part).etcd, "fleet": (*part).fleet, "inventory": (*part).inventory, "front": (*part).front,
}

// partArgument is the first argument of a process that is a part.
const partArgument = "part"

// runPart returns the main function of a part. It ends with its standard input, so that no part
// outlives the process that started it.
func runPart(ctx context.Context, description string, in io.Reader) error {
	var p part
	if err := json.Unmarshal([]byte(description), &p); err != nil {
		return err
	}
	run := kinds[p.Kind]
	if run == nil {
		return fmt.Errorf("there is no kind of part %q", p.Kind)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		defer cancel()
		_, _ = io.Copy(io.Discard, in)
	}()
	return run(&p, ctx)
}

// etcd returns a member of etcd.
func (p *part) etcd(ctx context.Context) error {
	c := etcdserver.NewConfig()
	c.Name, c.Dir, c.InitialCluster = p.Name, p.Dir, p.Initial
	client, peer := url.URL{Scheme: "http", Host: p.Address}, url.URL{Scheme: "http", Host: p.Peer}
	c.ListenClientUrls, c.AdvertiseClientUrls = []url.URL{client}, []url.URL{client}
	c.ListenPeerUrls, c.AdvertisePeerUrls = []url.URL{peer}, []url.URL{peer}
	c.LogLevel = "warn"
	member, err := etcdserver.StartEtcd(c)
	if err != nil {
		return err
	}
	defer member.Close()
	select {
	case <-ctx.Done():
		return nil
	case err := <-member.Err():
		return err
	}
}

//go:embed testdata/*.yaml
var testdata embed.FS

// fleet returns a replica of the fleet server. Release 1 does not serve the version v1, although it
// stores objects in it; so both releases can run at the same time.
func (p *part) fleet(ctx context.Context) error {
	options := []server.Option{server.ServerVersion(server.Version{GitVersion: "v" + p.Release + ".0.0"})}
	if p.Release == "1" {
		options = append(options, server.Disable(fleetv1.GroupVersion))
	}
	objects, err := fs.Sub(testdata, "testdata")
	if err != nil {
		return err
	}
	options = append(options, server.Seed(objects))
	return p.serve(ctx, "/fleet/", options, fleetv1.AddTo, fleetv1beta1.AddTo, fleetv1alpha1.AddTo,
		fleetv1.AddDescriptionsTo, fleetv1beta1.AddDescriptionsTo, fleetv1alpha1.AddDescriptionsTo)
}

// inventory returns the inventory server. It shares etcd with the fleet servers, but no keys.
func (p *part) inventory(ctx context.Context) error {
	return p.serve(ctx, "/inventory/", nil, inventoryv1.AddTo, inventoryv1.AddDescriptionsTo)
}

// serve is a server on etcd, one of any number of replicas.
func (p *part) serve(ctx context.Context, prefix string, options []server.Option,
	groups ...func(*runtime.Builder),
) error {
	scheme, err := runtime.NewScheme(append(groups, metav1.AddTo, metav1.AddCoreTo)...)
	if err != nil {
		return err
	}
	db, err := etcd.Dial(etcd.Config{Endpoints: p.Etcd, Prefix: prefix, DialTimeout: time.Minute})
	if err != nil {
		return err
	}
	srv, err := server.New(scheme, db, append(options, server.Replicas(), server.Identity(p.Name),
		server.StoreOptions(store.Options{VerifyEvery: 30 * time.Second}))...)
	if err != nil {
		return errors.Join(err, db.Close())
	}
	return errors.Join(srv.ListenAndServe(ctx, p.Address), db.Close())
}

// The hosts of the registrations of the aggregator. They stand for all replicas of a server.
const (
	fleetHost     = "fleet"
	inventoryHost = "inventory"
)

// front returns the aggregator. Its registrations are objects of its own that kubectl can change;
// they are in memory and the same after each start.
func (p *part) front(ctx context.Context) error {
	transports := map[string]http.RoundTripper{
		"http://" + fleetHost: anyOf(p.Fleet), "http://" + inventoryHost: anyOf(p.Inventory),
	}
	agg, err := aggregator.New(aggregator.Config{
		Transport: func(s *v1alpha1.APIServiceSpec) http.RoundTripper { return transports[s.URL] },
		Period:    2 * time.Second, Log: slog.New(slog.NewTextHandler(os.Stderr, nil)),
	})
	if err != nil {
		return err
	}
	defer agg.Close()
	scheme, err := runtime.NewScheme(v1alpha1.AddTo, metav1.AddTo, metav1.AddCoreTo)
	if err != nil {
		return err
	}
	registrations, err := fs.Sub(services, "services")
	if err != nil {
		return err
	}
	db := memory.New()
	defer db.Close()
	srv, err := server.New(scheme, db, server.DelegateTo(agg), server.Seed(registrations))
	if err != nil {
		return err
	}
	go func() { _ = agg.Run(ctx, srv.Client()) }() // ends with the context
	return srv.ListenAndServe(ctx, p.Address)
}

//go:embed services/*.yaml
var services embed.FS

// anyOf carries requests to equal servers: each new connection goes to the next one that accepts
// it. A program that has a load balancer or a DNS name for its replicas needs nothing like it.
func anyOf(addresses []string) http.RoundTripper {
	var last atomic.Uint64
	dial := func(ctx context.Context, network, _ string) (net.Conn, error) {
		var errs []error
		turn := last.Add(1)
		for i := range addresses {
			c, err := new(net.Dialer).DialContext(ctx, network, addresses[(turn+uint64(i))%uint64(len(addresses))])
			if err == nil {
				return c, nil
			}
			errs = append(errs, err)
		}
		return nil, errors.Join(errs...)
	}
	// Replicas know each other by loopback addresses, not by the host of the registration.
	return &toHost{addresses[0], &http.Transport{DialContext: dial, MaxIdleConnsPerHost: 32}}
}

// toHost replaces the host of requests.
type toHost struct {
	host string
	next http.RoundTripper
}

// RoundTrip implements [http.RoundTripper].
func (t *toHost) RoundTrip(r *http.Request) (*http.Response, error) {
	out := r.Clone(r.Context())
	out.Host, out.URL.Host = t.host, t.host
	return t.next.RoundTrip(out)
}
