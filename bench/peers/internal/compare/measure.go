package compare

import (
	"runtime"
	"runtime/debug"
	"slices"
	"time"
)

// Effort says how much time goes into a row.
type Effort struct {
	// Sample is the least time for which a subject runs at a stretch.
	Sample time.Duration
	// Garbage is the least number of bytes that a subject allocates at a stretch, if it allocates more than a little. Samples that are too short for
	// the collector to run a few times would tell those that leave it much work from those that leave it none by chance only.
	Garbage float64
	// Row is about what all rounds of a row may take together.
	Row time.Duration
	// MinRounds and MaxRounds bound the number of rounds.
	MinRounds, MaxRounds int
}

// The two efforts of the command.
var (
	Full  = Effort{Sample: 25 * time.Millisecond, Garbage: 64 << 20, Row: 12 * time.Second, MinRounds: 7, MaxRounds: 41}
	Quick = Effort{Sample: 5 * time.Millisecond, Garbage: 12 << 20, Row: 900 * time.Millisecond, MinRounds: 5, MaxRounds: 21}
)

// Result is a row with what was measured.
type Result struct {
	Group    string
	Name     string
	Rounds   int
	Subjects []Measured
}

// Measured is what one subject took. A subject with Refused has no figures.
type Measured struct {
	Name string
	Note string `json:",omitempty"`
	// Refused says why the subject is not compared.
	Refused string `json:",omitempty"`
	// Nanoseconds is the median time of one operation.
	Nanoseconds float64 `json:",omitempty"`
	// Ratio is how many times as long as ours it took. Ours has the ratio 1.
	Ratio Spread
	// Allocations and Bytes are those of one operation.
	Allocations, Bytes float64
	// Size is the number of encoded bytes.
	Size int `json:",omitempty"`
	// Samples are the times of all rounds, in nanoseconds.
	Samples []float64 `json:",omitempty"`
}

// Spread is a median with the least and the greatest value.
type Spread struct{ Median, Min, Max float64 }

func spreadOf(values []float64) Spread {
	v := slices.Sorted(slices.Values(values))
	if len(v) == 0 {
		return Spread{}
	}
	return Spread{Median: (v[(len(v)-1)/2] + v[len(v)/2]) / 2, Min: v[0], Max: v[len(v)-1]}
}

// First reports whether no subject that could be compared was faster than ours, by the median.
func (r *Result) First() bool {
	return !slices.ContainsFunc(r.Subjects[1:], func(m Measured) bool { return m.Refused == "" && m.Ratio.Median < 1 })
}

// slow is the time of one run from which its allocations are counted once if need be. Of faster ones several are counted, however few fit into a sample, so
// that what the runtime allocates now and then is not taken for a part of each.
const slow = 10 * time.Millisecond

// Measure does all rounds of a row. An error means that ours failed.
func Measure(r *Row, e Effort) (*Result, error) {
	subjects, err := r.prepare()
	if err != nil {
		return nil, err
	}
	out := &Result{Group: r.Group, Name: r.Name, Subjects: make([]Measured, len(subjects))}
	runs := make([]int, len(subjects))
	var round time.Duration
	var live []int
	for i := range subjects {
		p, m := &subjects[i], &out.Subjects[i]
		*m = Measured{Name: p.subject.Name, Note: p.subject.Note, Size: p.Size}
		if p.refused != nil {
			m.Refused = p.refused.Error()
			continue
		}
		live = append(live, i)
		took := time.Duration(0)
		if runs[i], took, err = calibrate(p.Run, e.Sample); err != nil {
			return nil, err
		}
		counted := min(max(runs[i]/4, 1), 100)
		if took/time.Duration(runs[i]) < slow {
			counted = max(counted, 8)
		}
		if m.Allocations, m.Bytes, err = memory(p.Run, counted); err != nil {
			return nil, err
		}
		if n := e.garbageRuns(m, runs[i]); n > runs[i] {
			took, runs[i] = took*time.Duration(n)/time.Duration(runs[i]), n
		}
		round += took
		p.forget()
	}
	out.Rounds = min(e.MaxRounds, max(e.MinRounds, int(e.Row/round)))
	for n := range out.Rounds {
		for k := range live {
			i := live[(k+n)%len(live)]
			runtime.GC() // what others left behind is not this subject's to clean up
			took, err := timed(subjects[i].Run, runs[i])
			if err != nil {
				return nil, err
			}
			subjects[i].forget()
			out.Subjects[i].Samples = append(out.Subjects[i].Samples, float64(took)/float64(runs[i]))
		}
	}
	for _, i := range live {
		m := &out.Subjects[i]
		ratios := make([]float64, out.Rounds)
		for n := range ratios {
			ratios[n] = m.Samples[n] / out.Subjects[0].Samples[n]
		}
		m.Nanoseconds, m.Ratio = spreadOf(m.Samples).Median, spreadOf(ratios)
	}
	return out, nil
}

// garbageRuns returns how many runs allocate as much as a sample is to, 0 for a subject that allocates so little that it need not: less than once in a run, as one
// does that fills its pools a little more now and then, or so slowly that a collection takes less than a hundredth of the time between two of them.
func (e Effort) garbageRuns(m *Measured, runs int) int {
	if m.Allocations < 1 || m.Bytes*float64(runs) < e.Garbage/200 {
		return 0
	}
	return int(e.Garbage / m.Bytes)
}

func timed(run func() error, n int) (time.Duration, error) {
	start := time.Now()
	for range n {
		if err := run(); err != nil {
			return 0, err
		}
	}
	return time.Since(start), nil
}

// calibrate finds out how many runs fill a sample, and how long they take. The runs before that warm the caches, the compilers of libraries that have one, and the
// pools. Runs that were slow once, because they did so or because the machine was busy, are timed again: samples of too few runs would tell little but how
// long the first one takes after a collection.
func calibrate(run func() error, sample time.Duration) (int, time.Duration, error) {
	for n := 1; ; {
		took, err := timed(run, n)
		if err != nil {
			return 0, 0, err
		}
		if took >= sample && took < time.Second {
			again, err := timed(run, n)
			if err != nil {
				return 0, 0, err
			}
			took = min(took, again)
		}
		if took >= sample || n >= 1<<24 {
			return n, took, nil
		}
		// Aim a little above the sample, but do not believe a first run that was slow or fast for its own reasons.
		n = min(20*n, max(n+1, int(1.2*float64(n)*float64(sample)/float64(took+1))))
	}
}

// memory counts allocations and bytes of one run, without collections and on one processor: collections empty the pools that libraries keep, and each
// processor has its own.
func memory(run func() error, n int) (allocations, bytes float64, err error) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if err := run(); err != nil { // fills the pools
		return 0, 0, err
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := timed(run, n); err != nil {
		return 0, 0, err
	}
	runtime.ReadMemStats(&after)
	return float64(after.Mallocs-before.Mallocs) / float64(n), float64(after.TotalAlloc-before.TotalAlloc) / float64(n), nil
}
