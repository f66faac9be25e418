package scale

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
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

var watchers = flag.String("watchers", "", "`ADDRESS,NUMBER`: be the process that has watches; see BenchmarkHTTPWatches")

// TestMain runs the benchmarks, or the other end of one of them.
func TestMain(m *testing.M) {
	flag.Parse()
	if *watchers == "" {
		os.Exit(m.Run())
	}
	if err := watchAll(*watchers, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// pause is the time between two events. Without it both processors are busy all the time, and the
// latest events are those for which the system let something else run.
const pause = 10 * time.Millisecond

// BenchmarkHTTPWatches has another process watch machines over n connections, and reports the
// processor time and the memory of the server for each of them, and when the last of them has an
// event. It takes a file for each connection in either process.
func BenchmarkHTTPWatches(b *testing.B) {
	for _, n := range []int{1, 100, 1000, 5000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			scheme, err := runtime.NewScheme(fleetv1.AddTo, metav1.AddTo)
			if err != nil {
				b.Fatal(err)
			}
			engine := memory.New()
			srv, err := server.New(scheme, engine, server.Log(slog.New(slog.DiscardHandler)))
			if err != nil {
				b.Fatal(err)
			}
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				b.Fatal(err)
			}
			served := make(chan error, 1)
			go func() { served <- srv.Serve(b.Context(), l) }()
			machines := client.Of[fleetv1.Machine](srv.Client()).In("default")
			m, err := machines.Create(b.Context(), newMachine(0))
			if err != nil {
				b.Fatal(err)
			}
			before := heap()
			counted := startWatchers(b, l.Addr().String(), n)
			seen := func(want int) {
				for line := ""; line != fmt.Sprintln(want); {
					if line, err = counted.ReadString('\n'); err != nil {
						b.Fatal(err)
					}
				}
			}
			seen(n) // the first event of each
			perWatch := float64(heap()-before) / float64(n)
			var last []time.Duration
			begin := cpu(b)
			for i := range b.N {
				time.Sleep(pause)
				m.Labels = map[string]string{"n": fmt.Sprint(i)}
				at := time.Now()
				if m, err = machines.Update(b.Context(), m); err != nil {
					b.Fatal(err)
				}
				seen(n * (i + 2))
				last = append(last, time.Since(at))
			}
			spent := cpu(b) - begin
			slices.Sort(last)
			b.ReportMetric(perWatch/1024, "KiB-heap/watch")
			b.ReportMetric(float64(spent)/1e3/float64(b.N)/float64(n), "cpu-µs/event/watch")
			b.ReportMetric(float64(last[len(last)/2].Microseconds())/1e3, "ms-last-p50")
			b.ReportMetric(float64(last[len(last)*99/100].Microseconds())/1e3, "ms-last-p99")
			if err := errors.Join(srv.Close(), engine.Close()); err != nil {
				b.Error(err)
			}
			l.Close()
			<-served // the error of the listener
		})
	}
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
	for _, n := range []int{1, 100, 1000, 5000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var mu sync.Mutex
			next := make(chan struct{}) // closed for each event
			s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				c := http.NewResponseController(w)
				for {
					mu.Lock()
					wait := next
					mu.Unlock()
					if _, err := w.Write(event); err != nil || c.Flush() != nil {
						return
					}
					<-wait
				}
			})}
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				b.Fatal(err)
			}
			served := make(chan error, 1)
			go func() { served <- s.Serve(l) }()
			counted := startWatchers(b, l.Addr().String(), n)
			seen := func(want int) {
				for line := ""; line != fmt.Sprintln(want); {
					if line, err = counted.ReadString('\n'); err != nil {
						b.Fatal(err)
					}
				}
			}
			seen(n)
			begin := cpu(b)
			for i := range b.N {
				time.Sleep(pause)
				mu.Lock()
				close(next)
				next = make(chan struct{})
				mu.Unlock()
				seen(n * (i + 2))
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

// startWatchers starts the process that watches, and returns what it prints.
func startWatchers(b *testing.B, address string, n int) *bufio.Reader {
	b.Helper()
	c := exec.CommandContext(b.Context(), os.Args[0], "-watchers", fmt.Sprintf("%s,%d", address, n))
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

// watchAll opens connections that watch, and prints how many events all of them have had whenever
// that is a multiple of their number.
func watchAll(what string, out io.Writer) error {
	address, number, _ := strings.Cut(what, ",")
	var n int
	if _, err := fmt.Sscan(number, &n); err != nil {
		return err
	}
	var mu sync.Mutex
	events := 0
	ended := make(chan error, n)
	for range n {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			return err
		}
		defer conn.Close()
		_, err = fmt.Fprintf(conn, "GET /apis/fleet.example.com/v1/machines?watch=1 HTTP/1.1\r\nHost: %s\r\n"+
			"Accept: application/json\r\n\r\n", address)
		if err != nil {
			return err
		}
		go func() {
			for lines := bufio.NewReaderSize(conn, 4<<10); ; {
				line, err := lines.ReadString('\n')
				if err != nil {
					ended <- err
					return
				}
				if !strings.HasPrefix(line, `{"type"`) {
					continue
				}
				mu.Lock()
				if events++; events%n == 0 {
					fmt.Fprintln(out, events)
				}
				mu.Unlock()
			}
		}()
	}
	return <-ended
}
