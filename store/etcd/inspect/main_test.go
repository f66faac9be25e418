package main

import (
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.etcd.io/etcd/server/v3/embed"

	"github.com/askind/askind/store/file"
)

// startEtcd starts etcd until the test ends, and returns its URL.
func startEtcd(t *testing.T) string {
	t.Helper()
	var listeners [2]net.Listener // open at the same time, so that their ports differ
	for i := range listeners {
		var err error
		if listeners[i], err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
			t.Fatal(err)
		}
	}
	free := func(l net.Listener) url.URL {
		l.Close()
		return url.URL{Scheme: "http", Host: l.Addr().String()}
	}
	client, peer := free(listeners[0]), free(listeners[1])
	c := embed.NewConfig()
	c.Dir, c.LogLevel, c.UnsafeNoFsync = t.TempDir(), "panic", true
	c.ListenClientUrls, c.AdvertiseClientUrls = []url.URL{client}, []url.URL{client}
	c.ListenPeerUrls, c.AdvertisePeerUrls = []url.URL{peer}, []url.URL{peer}
	c.InitialCluster = c.Name + "=" + peer.String()
	server, err := embed.StartEtcd(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	select {
	case <-server.Server.ReadyNotify():
	case <-time.After(time.Minute):
		t.Fatal("etcd does not start")
	}
	return client.String()
}

// TestMove copies a file to etcd and from there to another file, and holds that both files have the
// same.
func TestMove(t *testing.T) {
	t.Parallel()
	address, dir := startEtcd(t), t.TempDir()
	first, second := filepath.Join(dir, "first.db"), filepath.Join(dir, "second.db")
	db, err := file.Open(first)
	if err != nil {
		t.Fatal(err)
	}
	const n = 20
	for i := range n {
		if _, err := db.Put(t.Context(), fmt.Sprint("k", i), fmt.Append(nil, "value ", i), 0); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args string
		want string
	}{
		{"", "0 objects"},
		{"from-file " + first, "20 objects were copied, 0 were there"},
		{"from-file " + first, "0 objects were copied, 20 were there"},
		{"to-file " + second, "20 objects were copied, 0 were there"},
		{"", "20 objects"},
		{"-prefix /other/", "0 objects"},
	} {
		var out strings.Builder
		args := append([]string{"-etcd", address}, strings.Fields(tt.args)...)
		if err := run(t.Context(), args, &out); err != nil || !strings.HasPrefix(out.String(), tt.want) {
			t.Errorf("%v: %q, %v", tt.args, out.String(), err)
		}
	}
	if db, err = file.Open(second, file.ReadOnly()); err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for i := range n {
		got, err := db.Get(t.Context(), fmt.Sprint("k", i))
		if err != nil || string(got.Value) != fmt.Sprint("value ", i) {
			t.Errorf("k%d holds %q: %v", i, got.Value, err)
		}
	}
	for _, args := range [][]string{
		{"to-file"},
		{"to-nothing", first},
		{"-etcd", address, "from-file", filepath.Join(dir, "missing.db")},
		{"-ca", filepath.Join(dir, "missing.pem")},
	} {
		if err := run(t.Context(), args, new(strings.Builder)); err == nil {
			t.Errorf("%v: no error", args)
		}
	}
}

// TestHelp checks that the help has the commands beside the flags.
func TestHelp(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if err := run(t.Context(), []string{"-help"}, &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"usage: inspect", "  from-file ", "  to-file ", "  -prefix prefix\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
}
