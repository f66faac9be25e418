package server

import (
	"fmt"
	"io"
	"net/http"
	runtimemetrics "runtime/metrics"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/askind/askind/internal/sorted"
)

// Collector adds lines to the metrics of the server, in the text format of Prometheus: complete
// lines with their HELP and TYPE. It is called for each request of /metrics, by any goroutine.
type Collector func(w io.Writer)

// Metrics adds metrics of the program to those at /metrics.
func Metrics(f Collector) Option {
	return optionFunc(func(c *config) { c.collectors = append(c.collectors, f) })
}

// bounds are those of the histogram of request times, in seconds.
var bounds = []float64{0.001, 0.005, 0.025, 0.1, 0.5, 1, 5, 30}

// metrics counts requests. Its labels are names that the server knows, never what clients send, so
// that their number is bounded.
type metrics struct {
	mu     sync.Mutex
	counts map[series]int64
	times  map[timed]*histogram
}

// series has the labels of a counter of requests.
type series struct {
	verb, group, version, resource, subresource string
	code                                        int
}

// timed has the labels of a histogram of times.
type timed struct{ verb, group, resource string }

type histogram struct {
	buckets [9]int64 // one more than bounds
	sum     float64
	count   int64
}

// observe counts a request that has been answered.
func (m *metrics) observe(s series, took time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.counts == nil {
		m.counts, m.times = map[series]int64{}, map[timed]*histogram{}
	}
	m.counts[s]++
	if s.verb == verbWatch {
		return // it takes as long as the client wants
	}
	key := timed{s.verb, s.group, s.resource}
	h := m.times[key]
	if h == nil {
		h = &histogram{}
		m.times[key] = h
	}
	i, _ := slices.BinarySearch(bounds, took.Seconds())
	h.buckets[i]++
	h.sum += took.Seconds()
	h.count++
}

// serveMetrics answers a request for the metrics.
func (s *Server) serveMetrics(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	var b strings.Builder
	s.metrics.write(&b)
	s.writeGauges(&b)
	for _, f := range s.config.collectors {
		f(&b)
	}
	_, _ = io.WriteString(w, b.String()) // the client may be gone
}

// write writes the counters and histograms.
func (m *metrics) write(w io.Writer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	fmt.Fprint(w, "# HELP askind_requests_total Requests that were answered.\n# TYPE askind_requests_total counter\n")
	for _, s := range sortedKeys(m.counts) {
		fmt.Fprintf(w, "askind_requests_total{verb=%s,group=%s,version=%s,resource=%s,subresource=%s,code=\"%d\"} %d\n",
			label(s.verb), label(s.group), label(s.version), label(s.resource), label(s.subresource), s.code,
			m.counts[s])
	}
	fmt.Fprint(w, "# HELP askind_request_duration_seconds Time to answer requests, without watches.\n"+
		"# TYPE askind_request_duration_seconds histogram\n")
	for _, k := range sortedKeys(m.times) {
		m.times[k].write(w, fmt.Sprintf("verb=%s,group=%s,resource=%s", label(k.verb), label(k.group),
			label(k.resource)))
	}
}

func (h *histogram) write(w io.Writer, labels string) {
	total := int64(0)
	for i, n := range h.buckets {
		total += n
		le := "+Inf"
		if i < len(bounds) {
			le = strconv.FormatFloat(bounds[i], 'g', -1, 64)
		}
		fmt.Fprintf(w, "askind_request_duration_seconds_bucket{%s,le=%q} %d\n", labels, le, total)
	}
	fmt.Fprintf(w, "askind_request_duration_seconds_sum{%s} %g\n", labels, h.sum)
	fmt.Fprintf(w, "askind_request_duration_seconds_count{%s} %d\n", labels, h.count)
}

// writeGauges writes the current values.
func (s *Server) writeGauges(w io.Writer) {
	process := []runtimemetrics.Sample{
		{Name: "/sched/goroutines:goroutines"},
		{Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/gc/cycles/total:gc-cycles"},
	}
	runtimemetrics.Read(process)
	for _, g := range []struct {
		name, help, kind string
		value            float64
	}{
		{"askind_watches", "Watches that are open.", "gauge", float64(s.limiter.watching())},
		{
			"process_start_time_seconds", "Start of the server since the epoch.", "gauge",
			float64(s.started.UnixMilli()) / 1000,
		},
		{"go_goroutines", "Goroutines.", "gauge", float64(process[0].Value.Uint64())},
		{"go_memstats_heap_alloc_bytes", "Bytes of the heap in use.", "gauge", float64(process[1].Value.Uint64())},
		{
			"askind_undecodable_objects_total", "How often a stored object could not be decoded.", "counter",
			float64(s.stores.undecodable.Load()),
		},
		{"go_gc_cycles_total", "Garbage collections.", "counter", float64(process[2].Value.Uint64())},
	} {
		fmt.Fprintf(w, "# HELP %s %s\n# TYPE %s %s\n%s %s\n", g.name, g.help, g.name, g.kind, g.name,
			strconv.FormatFloat(g.value, 'g', -1, 64))
	}
	fmt.Fprintf(w, "# HELP askind_requests_in_flight Requests under way, without watches, as the limits count them.\n"+
		"# TYPE askind_requests_in_flight gauge\naskind_requests_in_flight{request_kind=\"readOnly\"} %d\n"+
		"askind_requests_in_flight{request_kind=\"mutating\"} %d\n", s.limiter.reads.Load(), s.limiter.writes.Load())
	fmt.Fprint(w, "# HELP askind_store_revision Revision of each store, that of New first.\n"+
		"# TYPE askind_store_revision gauge\n")
	for i, st := range s.stores.all {
		fmt.Fprintf(w, "askind_store_revision{store=\"%d\"} %d\n", i, st.Revision())
	}
	fmt.Fprint(w, "# HELP askind_objects Objects in the store.\n# TYPE askind_objects gauge\n")
	for _, r := range s.state.Load().ordered {
		if r.stored != nil && r.served.GroupVersionKind() == r.kind.GroupVersionKind() {
			fmt.Fprintf(w, "askind_objects{group=%s,resource=%s} %d\n", label(r.gvr.Group), label(r.gvr.Resource),
				r.stored.Count(""))
		}
	}
}

// label quotes the value of a label.
func label(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}

// sortedKeys returns the keys of a map in a stable order.
func sortedKeys[K comparable, V any](m map[K]V) []K {
	keys, texts := make([]K, 0, len(m)), make(map[K]string, len(m))
	for k := range m {
		keys, texts[k] = append(keys, k), fmt.Sprint(k)
	}
	sorted.Func(keys, func(a, b K) int { return strings.Compare(texts[a], texts[b]) })
	return keys
}
