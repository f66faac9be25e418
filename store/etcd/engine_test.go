package etcd_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/askind/askind/store"
	"github.com/askind/askind/store/etcd"
	"github.com/askind/askind/store/storetest"
)

// TestEngine runs the kit of package storetest. All engines share one etcd, each with a prefix of
// its own, so the revision moves under each case.
func TestEngine(t *testing.T) {
	t.Parallel()
	members := startCluster(t, 1, nil)
	var prefixes, proxies sync.Map // of engines
	var last atomic.Int64
	open := func(t testing.TB, prefix string) store.Engine {
		t.Helper()
		p := startProxy(t, members[0].config.AdvertiseClientUrls[0].Host)
		e, err := etcd.Dial(etcd.Config{
			Endpoints: []string{p.url()}, Prefix: prefix, Compaction: etcd.Compaction{External: true},
			DialTimeout: time.Minute, RequestTimeout: 10 * time.Second, // for a busy machine
		})
		if err != nil {
			t.Fatal(err)
		}
		e.SetChunk(60) // which some lists exceed
		prefixes.Store(store.Engine(e), prefix)
		proxies.Store(store.Engine(e), p)
		return e
	}
	storetest.Kit{
		Shared:  true,
		Compact: compactAs(newClient(t, members)),
		Open: func(t testing.TB) store.Engine {
			t.Helper()
			return open(t, fmt.Sprintf("/kit/%d/", last.Add(1)))
		},
		Reopen: func(t testing.TB, e store.Engine) store.Engine {
			t.Helper()
			if err := e.Close(); err != nil {
				t.Fatal(err)
			}
			prefix, _ := prefixes.Load(e)
			return open(t, prefix.(string))
		},
		Outage: func(_ testing.TB, e store.Engine) (end func()) {
			p, _ := proxies.Load(e)
			p.(*proxy).setCut(true)
			return func() { p.(*proxy).setCut(false) }
		},
	}.Run(t)
}
