package etcd_test

import (
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
)

// proxy passes connections on to one address until it is cut.
type proxy struct {
	listener net.Listener
	target   string

	mu    sync.Mutex
	cut   bool
	conns map[net.Conn]struct{}

	refused atomic.Int64 // connections while it was cut

	stalled sync.RWMutex // held to let nothing through, without closing connections
}

func startProxy(t testing.TB, target string) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{listener: l, target: target, conns: map[net.Conn]struct{}{}}
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			serving.Go(func() { p.serve(c) })
		}
	})
	t.Cleanup(func() {
		l.Close()
		p.setCut(true)
		serving.Wait()
	})
	return p
}

func (p *proxy) url() string { return "http://" + p.listener.Addr().String() }

// setCut closes all connections and refuses new ones, or lets them through again.
func (p *proxy) setCut(cut bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut = cut
	if cut {
		for c := range p.conns {
			c.Close()
		}
	}
}

func (p *proxy) track(c net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cut {
		p.refused.Add(1)
		return false
	}
	p.conns[c] = struct{}{}
	return true
}

func (p *proxy) forget(c net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, c)
}

func (p *proxy) serve(client net.Conn) {
	defer client.Close()
	if !p.track(client) {
		return
	}
	defer p.forget(client)
	server, err := net.Dial("tcp", p.target)
	if err != nil {
		return
	}
	defer server.Close()
	if !p.track(server) {
		return
	}
	defer p.forget(server)
	var both sync.WaitGroup
	both.Go(func() { _, _ = io.Copy(server, p.slowed(client)); server.Close() })
	both.Go(func() { _, _ = io.Copy(client, p.slowed(server)); client.Close() })
	both.Wait()
}

// slowed reads from a connection, and nothing while the proxy is stalled.
func (p *proxy) slowed(r io.Reader) io.Reader { return slowed{p, r} }

type slowed struct {
	proxy *proxy
	from  io.Reader
}

func (s slowed) Read(data []byte) (int, error) {
	n, err := s.from.Read(data)
	s.proxy.stalled.RLock()
	defer s.proxy.stalled.RUnlock()
	return n, err
}
