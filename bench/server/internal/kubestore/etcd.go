package kubestore

import (
	"errors"
	"net"
	"net/url"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
)

// Etcd is an etcd server in this process, which syncs its writes as etcd does by default.
type Etcd struct {
	server *embed.Etcd
	// URL is where clients reach it.
	URL string
}

// StartEtcd starts an etcd server whose data is in a directory.
func StartEtcd(dir string) (*Etcd, error) {
	client, err := freeURL()
	if err != nil {
		return nil, err
	}
	peer, err := freeURL()
	if err != nil {
		return nil, err
	}
	c := embed.NewConfig()
	c.Dir = dir
	c.ListenClientUrls, c.AdvertiseClientUrls = []url.URL{client}, []url.URL{client}
	c.ListenPeerUrls, c.AdvertisePeerUrls = []url.URL{peer}, []url.URL{peer}
	c.InitialCluster = c.InitialClusterFromName(c.Name)
	c.LogLevel = "panic"
	c.LogOutputs = []string{"/dev/null"}
	c.QuotaBackendBytes = 16 << 30
	server, err := embed.StartEtcd(c)
	if err != nil {
		return nil, err
	}
	select {
	case <-server.Server.ReadyNotify():
		return &Etcd{server, client.String()}, nil
	case <-time.After(time.Minute):
		server.Close()
		return nil, errors.New("etcd has no leader after a minute")
	}
}

// Close stops the server.
func (e *Etcd) Close() { e.server.Close() }

// freeURL returns a URL of the loopback interface that nobody listens on.
func freeURL() (url.URL, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return url.URL{}, err
	}
	return url.URL{Scheme: "http", Host: l.Addr().String()}, l.Close()
}
