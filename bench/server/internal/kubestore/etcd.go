package kubestore

import (
	"errors"
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
	c := embed.NewConfig()
	c.Dir, c.LogLevel, c.LogOutputs = dir, "panic", []string{"/dev/null"}
	free := []url.URL{{Scheme: "http", Host: "127.0.0.1:0"}}
	c.ListenClientUrls, c.ListenPeerUrls = free, free
	c.QuotaBackendBytes = 16 << 30
	server, err := embed.StartEtcd(c)
	if err != nil {
		return nil, err
	}
	select {
	case <-server.Server.ReadyNotify():
		return &Etcd{server, "http://" + server.Clients[0].Addr().String()}, nil
	case <-time.After(time.Minute):
		server.Close()
		return nil, errors.New("etcd has no leader after a minute")
	}
}

// Close stops the server.
func (e *Etcd) Close() { e.server.Close() }
