package scale

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/askind/askind/client"
	fleetv1 "github.com/askind/askind/examples/fleet/api/fleet/v1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/server"
	"github.com/askind/askind/store/memory"
)

var watchers = flag.String("watchers", "", "`SETTINGS` as JSON: be the process that has watches; see BenchmarkHTTPWatches")

// watching are the settings of the process that watches.
type watching struct {
	Address string
	Watches int
	Shards  int  // into which the watches divide the objects
	HTTP2   bool // one connection for many watches
}

// TestMain runs the benchmarks, or the other end of one of them.
func TestMain(m *testing.M) {
	flag.Parse()
	if *watchers == "" {
		os.Exit(m.Run())
	}
	var w watching
	err := json.Unmarshal([]byte(*watchers), &w)
	if err == nil {
		err = w.run(os.Stdout)
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// pause is the time between two events. Without it both processors are busy all the time, and the
// latest events are those for which the system let something else run.
const pause = 10 * time.Millisecond

// BenchmarkHTTPWatches has another process watch machines n times, and reports the processor time
// and the memory of the server for each watch, and when the last of them has an event. Over
// HTTP/1.1 each watch takes a connection, and so a file in either process.
func BenchmarkHTTPWatches(b *testing.B) {
	for _, n := range []int{1, 100, 1000, 5000, 10_000, 19_500} {
		b.Run(fmt.Sprint(n), func(b *testing.B) { benchmarkWatches(b, watching{Watches: n, Shards: 1}) })
	}
}

// BenchmarkHTTP2Watches is BenchmarkHTTPWatches with HTTP/2 without TLS: 250 watches share a
// connection.
func BenchmarkHTTP2Watches(b *testing.B) {
	for _, n := range []int{1, 100, 1000, 5000, 10_000, 20_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) { benchmarkWatches(b, watching{Watches: n, Shards: 1, HTTP2: true}) })
	}
}

// BenchmarkShards has 1,000 watches divide the objects among them with selectors of shards, as in
// KEP-5866, so that one in so many gets each event.
func BenchmarkShards(b *testing.B) {
	for _, shards := range []int{1, 10, 100, 1000} {
		b.Run(fmt.Sprint(shards), func(b *testing.B) {
			benchmarkWatches(b, watching{Watches: 1000, Shards: shards, HTTP2: true})
		})
	}
}

func benchmarkWatches(b *testing.B, w watching) {
	scheme, err := runtime.NewScheme(fleetv1.AddTo, metav1.AddTo)
	if err != nil {
		b.Fatal(err)
	}
	engine := memory.New()
	srv, err := server.New(scheme, engine, server.Log(slog.New(slog.DiscardHandler)),
		server.Limits(server.LimitSettings{Watches: -1, UserWatches: -1}))
	if err != nil {
		b.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	served := make(chan error, 1)
	over := &http.Server{Handler: srv, Protocols: new(http.Protocols)}
	over.Protocols.SetHTTP1(true)
	over.Protocols.SetUnencryptedHTTP2(true)
	go func() { served <- over.Serve(l) }()
	machines := client.Of[fleetv1.Machine](srv.Client()).In("default")
	m, err := machines.Create(b.Context(), newMachine(0))
	if err != nil {
		b.Fatal(err)
	}
	before := heap()
	w.Address = l.Addr().String()
	counted := startWatchers(b, w)
	seen := func(want string) {
		for line := ""; line != want+"\n"; {
			if line, err = counted.ReadString('\n'); err != nil {
				b.Fatal(err)
			}
		}
	}
	seen("ready")
	perWatch := float64(heap()-before) / float64(w.Watches)
	var last []time.Duration
	begin := cpu(b)
	for i := range b.N {
		time.Sleep(pause)
		m.Labels = map[string]string{"n": fmt.Sprint(i)}
		at := time.Now()
		if m, err = machines.Update(b.Context(), m); err != nil {
			b.Fatal(err)
		}
		seen(fmt.Sprint(w.Watches / w.Shards * (i + 1)))
		last = append(last, time.Since(at))
	}
	spent := cpu(b) - begin
	slices.Sort(last)
	b.ReportMetric(perWatch/1024, "KiB-heap/watch")
	b.ReportMetric(float64(spent)/1e3/float64(b.N), "cpu-µs/event")
	b.ReportMetric(float64(spent)/1e3/float64(b.N)/float64(w.Watches), "cpu-µs/event/watch")
	b.ReportMetric(float64(last[len(last)/2].Microseconds())/1e3, "ms-last-p50")
	b.ReportMetric(float64(last[len(last)*99/100].Microseconds())/1e3, "ms-last-p99")
	if err := errors.Join(srv.Close(), engine.Close(), over.Close()); err != nil {
		b.Error(err)
	}
	<-served // the error of the listener
}

// BenchmarkHTTPWatchesFloor is BenchmarkHTTPWatches with a handler of net/http in the place of the
// server: one goroutine for each connection, which writes the bytes of an event and flushes them.
// It does nothing else, so no server of net/http takes less processor time.
func BenchmarkHTTPWatchesFloor(b *testing.B) {
	m := newMachine(0)
	m.Kind, m.APIVersion, m.Labels = "Machine", fleetv1.GroupVersion.String(), map[string]string{"n": "100"}
	m.UID, m.ResourceVersion, m.Generation = "ef32d938-ac5d-4504-9626-69588134cf94", "1795444676818836", 1
	m.CreationTimestamp = metav1.NewTime(time.Now())
	machine, err := fleetv1.AppendJSONMachine([]byte(`{"type":"MODIFIED","object":`), m)
	if err != nil {
		b.Fatal(err)
	}
	event := append(machine, "}\n"...)
	for _, n := range []int{1, 100, 1000, 5000, 10_000, 19_500} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var mu sync.Mutex
			next := make(chan struct{}) // closed for each event
			s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				c := http.NewResponseController(w)
				_, _ = io.WriteString(w, initialEnd)
				for {
					mu.Lock()
					wait := next
					mu.Unlock()
					if c.Flush() != nil {
						return
					}
					<-wait
					if _, err := w.Write(event); err != nil {
						return
					}
				}
			})}
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				b.Fatal(err)
			}
			served := make(chan error, 1)
			go func() { served <- s.Serve(l) }()
			counted := startWatchers(b, watching{Address: l.Addr().String(), Watches: n, Shards: 1})
			seen := func(want string) {
				for line := ""; line != want+"\n"; {
					if line, err = counted.ReadString('\n'); err != nil {
						b.Fatal(err)
					}
				}
			}
			seen("ready")
			begin := cpu(b)
			for i := range b.N {
				time.Sleep(pause)
				mu.Lock()
				close(next)
				next = make(chan struct{})
				mu.Unlock()
				seen(fmt.Sprint(n * (i + 1)))
			}
			b.ReportMetric(float64(cpu(b)-begin)/1e3/float64(b.N)/float64(n), "cpu-µs/event/watch")
			close(next)
			if err := s.Close(); err != nil {
				b.Error(err)
			}
			<-served // the error of the listener
		})
	}
}

// initialEnd begins the bookmark with which a watch ends the initial events.
const initialEnd = `{"type":"BOOKMARK","object":{"metadata":{"annotations":{"k8s.io/initial-events-end":"true"}}}}` + "\n"

// startWatchers starts the process that watches, and returns what it prints.
func startWatchers(b *testing.B, w watching) *bufio.Reader {
	b.Helper()
	settings, err := json.Marshal(w)
	if err != nil {
		b.Fatal(err)
	}
	c := exec.CommandContext(b.Context(), os.Args[0], "-watchers", string(settings))
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := c.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
	return bufio.NewReader(out)
}

// run begins the watches and prints "ready" when all have had their initial events, and from then
// on how many events they have had whenever that is the number of an event in all of a shard.
func (w *watching) run(out io.Writer) error {
	var mu sync.Mutex
	ready, events := 0, 0
	note := func(line []byte) {
		mu.Lock()
		defer mu.Unlock()
		switch {
		case bytes.HasPrefix(line, []byte(`{"type":"MODIFIED"`)):
			if events++; events%(w.Watches/w.Shards) == 0 {
				fmt.Fprintln(out, events)
			}
		case bytes.Contains(line, []byte("initial-events-end")):
			if ready++; ready == w.Watches {
				fmt.Fprintln(out, "ready")
			}
		}
	}
	t := &http.Transport{Protocols: new(http.Protocols)}
	t.Protocols.SetHTTP1(!w.HTTP2)
	t.Protocols.SetUnencryptedHTTP2(w.HTTP2)
	ended := make(chan error, w.Watches)
	for i := range w.Watches {
		query := url.Values{
			"watch": {"1"}, "sendInitialEvents": {"true"}, "allowWatchBookmarks": {"true"},
			"resourceVersionMatch": {"NotOlderThan"},
		}
		if w.Shards > 1 {
			query.Set("shardSelector", shard(i%w.Shards, w.Shards))
		}
		resp, err := (&http.Client{Transport: t}).Get("http://" + w.Address + "/apis/fleet.example.com/v1/machines?" +
			query.Encode())
		if err != nil {
			return err
		}
		if resp.StatusCode != http.StatusOK {
			return errors.New(resp.Status)
		}
		go func() {
			for lines := bufio.NewReaderSize(resp.Body, 4<<10); ; {
				line, err := lines.ReadSlice('\n')
				if err != nil {
					ended <- err
					return
				}
				note(line)
			}
		}()
	}
	return <-ended
}

// shard returns the selector of one of so many equal parts of the objects.
func shard(i, of int) string {
	bound := func(i int) string {
		if i == of {
			return "0x10000000000000000"
		}
		return fmt.Sprintf("0x%016x", uint64(i)*(math.MaxUint64/uint64(of)))
	}
	return fmt.Sprintf("shardRange(object.metadata.uid, '%s', '%s')", bound(i), bound(i+1))
}
