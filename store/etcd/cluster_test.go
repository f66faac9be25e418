package etcd_test

import (
	"fmt"
	"math/rand/v2"
	"net"
	"net/url"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"go.etcd.io/etcd/server/v3/embed"

	"github.com/askind/askind/store/etcd"
)

// member is an etcd server inside the test's process. It can be stopped and started again with what
// is on its disk.
type member struct {
	t      testing.TB
	config *embed.Config
	server *embed.Etcd
}

// lastPort is the last port that [freeURL] has tried.
var lastPort = func() *atomic.Int64 {
	p := new(atomic.Int64)
	p.Store(10_000 + rand.Int64N(20_000))
	return p
}()

// freeURL returns a URL of the loopback interface that nobody listens on, another one at each call.
// Its port is below those that systems give to outgoing connections, one of which could otherwise
// take the port of a member while it is stopped.
func freeURL(t testing.TB) url.URL {
	t.Helper()
	for range 100 {
		address := fmt.Sprintf("127.0.0.1:%d", 10_000+lastPort.Add(1)%20_000)
		if l, err := net.Listen("tcp", address); err == nil {
			l.Close()
			return url.URL{Scheme: "http", Host: address}
		}
	}
	t.Fatal("no port is free")
	return url.URL{}
}

// startCluster starts a cluster of n members, which are stopped when the test ends.
func startCluster(t testing.TB, n int, change func(*embed.Config)) []*member {
	t.Helper()
	members := make([]*member, n)
	initial := ""
	for i := range members {
		c := embed.NewConfig()
		c.Name = fmt.Sprintf("m%d", i)
		c.Dir = filepath.Join(t.TempDir(), c.Name)
		client, peer := freeURL(t), freeURL(t)
		c.ListenClientUrls, c.AdvertiseClientUrls = []url.URL{client}, []url.URL{client}
		c.ListenPeerUrls, c.AdvertisePeerUrls = []url.URL{peer}, []url.URL{peer}
		c.LogLevel = "panic"
		c.LogOutputs = []string{"/dev/null"}
		c.UnsafeNoFsync = true
		if n == 1 { // others would elect a leader again whenever the machine is busy
			c.TickMs, c.ElectionMs = 50, 500
		}
		if i > 0 {
			initial += ","
		}
		initial += c.Name + "=" + peer.String()
		if change != nil {
			change(c)
		}
		members[i] = &member{t: t, config: c}
	}
	ready := make(chan error, n)
	for _, m := range members {
		m.config.InitialCluster = initial
		go func() { ready <- m.start() }()
	}
	for range members {
		if err := <-ready; err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		for _, m := range members {
			m.stop()
		}
	})
	return members
}

// start starts the member and waits until it has a leader.
func (m *member) start() error {
	server, err := embed.StartEtcd(m.config)
	if err != nil {
		return err
	}
	select {
	case <-server.Server.ReadyNotify():
		m.server = server
		return nil
	case <-time.After(time.Minute):
		server.Close()
		return fmt.Errorf("%s was not ready in time", m.config.Name)
	}
}

// stop stops the member and keeps its disk.
func (m *member) stop() {
	if m.server != nil {
		m.server.Close()
		m.server = nil
	}
}

// restart starts a stopped member again.
func (m *member) restart() {
	m.t.Helper()
	m.config.ClusterState = embed.ClusterStateFlagExisting
	deadline := time.Now().Add(time.Minute)
	for {
		err := m.start()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			m.t.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// endpoints returns the URLs of members for clients.
func endpoints(members []*member) []string {
	var urls []string
	for _, m := range members {
		urls = append(urls, m.config.AdvertiseClientUrls[0].String())
	}
	return urls
}

// dial returns an engine on the members, closed when the test ends. It does not compact.
func dial(t testing.TB, members []*member, prefix string) *etcd.Engine {
	t.Helper()
	e, err := etcd.Dial(etcd.Config{
		Endpoints: endpoints(members), Prefix: prefix, Compaction: etcd.Compaction{External: true},
		DialTimeout: time.Minute, RequestTimeout: 20 * time.Second, // for a busy machine
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}
