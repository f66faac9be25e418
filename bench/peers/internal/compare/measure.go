package compare

import (
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"slices"
	"syscall"
	"time"
)

// Effort determines the measuring time of a row.
type Effort struct {
	// Sample is the minimum processor time for which a subject runs without interruption. Samples
	// are up to twice as long, see stretch.
	Sample time.Duration
	// Garbage is the least number of bytes that a subject allocates at a stretch, if it allocates
	// more than a little. Samples that are too short for the collector to run a few times would
	// tell those that leave it much work from those that leave it none by chance only.
	Garbage float64
	// Passes is in how many passes the rounds of a row are done, one round in each at least.
	Passes int
	// Row is about what all rounds of a row may take together, if that is more than one in each
	// pass.
	Row time.Duration
	// MaxRounds bounds the number of rounds.
	MaxRounds int
}

// The efforts of a quick and a full run.
var (
	Full  = Effort{Sample: 25 * time.Millisecond, Garbage: 64 << 20, Passes: 9, Row: 10 * time.Second, MaxRounds: 45}
	Quick = Effort{Sample: 3 * time.Millisecond, Garbage: 4 << 20, Passes: 9, MaxRounds: 9}
)

// Result is a row with its measurements.
type Result struct {
	Group    string
	Name     string
	Rounds   int
	Subjects []Measured
}

// Measured has the figures of one subject. A subject with Refused has none.
type Measured struct {
	Name string
	Note string `json:",omitempty"`
	// Refused is the reason why the subject is excluded.
	Refused string `json:",omitempty"`
	// Nanoseconds is the median processor time of one operation.
	Nanoseconds float64 `json:",omitempty"`
	// Ratio is the time relative to ours, whose ratio is 1.
	Ratio Spread
	// Allocations and Bytes are those of one operation.
	Allocations, Bytes float64
	// Heap is the maximum heap size during one operation, see [Work.Heap]; 0 if not measured.
	Heap float64 `json:",omitempty"`
	// Size is the number of encoded bytes.
	Size int `json:",omitempty"`
	// Samples are the times of all rounds, in nanoseconds.
	Samples []float64 `json:",omitempty"`
}

// Spread is a median with the minimum and the maximum.
type Spread struct{ Median, Min, Max float64 }

func spreadOf(values []float64) Spread {
	v := slices.Sorted(slices.Values(values))
	if len(v) == 0 {
		return Spread{}
	}
	return Spread{Median: (v[(len(v)-1)/2] + v[len(v)/2]) / 2, Min: v[0], Max: v[len(v)-1]}
}

// slow is the time of one run from which its allocations are counted once if need be. Of faster
// ones several are counted, however few fit into a sample, so that what the runtime allocates now
// and then is not taken for a part of each.
const slow = 10 * time.Millisecond

// Measure does all passes of a row in sequence. An error means that ours failed.
func Measure(r *Row, e Effort) (*Result, error) {
	m := NewMeasurement(r, e)
	for range e.Passes {
		if err := m.Pass(); err != nil {
			return nil, err
		}
	}
	return m.Result(), nil
}

// Measurement is a row that is measured in passes. Everything is prepared anew for each pass, and
// only figures are kept in between. So passes can be far apart, with those of other rows between
// them, and their spread includes the effects of time and of the location of data in memory.
type Measurement struct {
	row    *Row
	effort Effort
	runs   []int // of each subject in a sample, 0 if it is refused
	rounds int   // in a pass
	result Result
}

// NewMeasurement returns the measurement of a row before its first pass.
func NewMeasurement(r *Row, e Effort) *Measurement { return &Measurement{row: r, effort: e} }

// Pass does one pass. The first one compares the results of all subjects, counts their allocations
// and finds out how often they must run. An error means that ours failed, or a peer that did not
// fail before.
func (m *Measurement) Pass() error {
	var subjects []prepared
	var err error
	if m.runs == nil {
		if subjects, err = m.row.prepare(); err == nil {
			err = m.begin(subjects)
		}
	} else {
		subjects, err = m.row.again(m.runs)
	}
	if err != nil {
		return err
	}
	var live []int
	for i, n := range m.runs {
		if n > 0 {
			live = append(live, i)
		}
	}
	for range m.rounds {
		for k := range live {
			i := live[(k+m.result.Rounds)%len(live)]
			runs := int(float64(m.runs[i]) * stretch(m.result.Rounds))
			runtime.GC() // what others left behind is not this subject's to clean up
			took, err := timed(subjects[i].Run, runs)
			if err != nil {
				return err
			}
			subjects[i].forget()
			to := &m.result.Subjects[i]
			to.Samples = append(to.Samples, float64(took)/float64(runs))
		}
		m.result.Rounds++
	}
	return nil
}

// stretch is by how much the samples of a round are longer than the shortest, less than twice. If
// all were of one length, the collector would run once more in those of one library and not in
// those of another, by a hair and in every round.
func stretch(round int) float64 {
	_, part := math.Modf(float64(round) * (math.Phi - 1))
	return 1 + part
}

// begin fills in all that does not come from rounds.
func (m *Measurement) begin(subjects []prepared) error {
	e, r := m.effort, m.row
	m.result = Result{Group: r.Group, Name: r.Name, Subjects: make([]Measured, len(subjects))}
	m.runs = make([]int, len(subjects))
	var round time.Duration
	for i := range subjects {
		p, to := &subjects[i], &m.result.Subjects[i]
		*to = Measured{Name: p.subject.Name, Note: p.subject.Note, Size: p.Size}
		if p.refused != nil {
			to.Refused = p.refused.Error()
			continue
		}
		runs, took, err := calibrate(p.Run, e.Sample)
		if err != nil {
			return err
		}
		counted := min(max(runs/4, 1), 100)
		if took/time.Duration(runs) < slow {
			counted = max(counted, 8)
		}
		if to.Allocations, to.Bytes, err = memory(p.Run, max(counted, p.Cycle), max(p.Cycle, 1)); err != nil {
			return err
		}
		if p.Heap != nil {
			if to.Heap, err = p.Heap(); err != nil {
				return err
			}
		}
		if n := e.garbageRuns(to, runs, took); n > runs {
			took, runs = took*time.Duration(n)/time.Duration(runs), n
		}
		m.runs[i] = runs
		round += took
		p.forget()
	}
	m.rounds = max(1, min(e.MaxRounds, int(e.Row/max(round, 1)))/e.Passes)
	return nil
}

// Result returns the results of all passes so far.
func (m *Measurement) Result() *Result {
	out := m.result
	out.Subjects = slices.Clone(out.Subjects)
	for i := range out.Subjects {
		to := &out.Subjects[i]
		ratios := make([]float64, len(to.Samples))
		for n := range ratios {
			ratios[n] = to.Samples[n] / out.Subjects[0].Samples[n]
		}
		to.Nanoseconds, to.Ratio = spreadOf(to.Samples).Median, spreadOf(ratios)
	}
	return &out
}

// garbageRuns returns how many runs allocate as much as a sample is to, 0 for a subject that
// allocates so little that it need not: less than once in a run, as one does that fills its pools a
// little more now and then, or so slowly that a collection takes less than 1 % of the time
// between two of them. The runs of a sample took the given time.
func (e Effort) garbageRuns(m *Measured, runs int, took time.Duration) int {
	enough := e.Garbage / 20 / float64(max(e.Sample, 1)) // bytes a nanosecond
	if m.Allocations < 1 || m.Bytes*float64(runs) < enough*float64(took) {
		return 0
	}
	return int(e.Garbage / m.Bytes)
}

// timed returns the processor time of n runs. It includes that of the collector, on whichever
// processor it runs, and not the time in which the process waits for other processes.
func timed(run func() error, n int) (time.Duration, error) {
	start, err := processorTime()
	if err != nil {
		return 0, err
	}
	for range n {
		if err := run(); err != nil {
			return 0, err
		}
	}
	end, err := processorTime()
	return end - start, err
}

// processorTime returns the processor time of this process.
func processorTime() (time.Duration, error) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0, fmt.Errorf("processor time: %w", err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), nil
}

// calibrate finds out how many runs fill a sample, and how long they take. The runs before that
// warm the caches, the compilers of libraries that have one, and the pools. Runs that were slow
// once, because they did so or because the machine was busy, are timed again: samples of too few
// runs would tell little but how long the first one takes after a collection.
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
		// Aim a little above the sample, but do not believe a first run that was slow or fast for
		// its own reasons.
		n = min(20*n, max(n+1, int(1.2*float64(n)*float64(sample)/float64(took+1))))
	}
}

// memory counts allocations and bytes of one run, by n of them, without collections and on one
// processor: collections empty the pools that libraries keep, and each processor has its own. The
// runs of warm fill the pools before.
func memory(run func() error, n, warm int) (allocations, bytes float64, err error) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if _, err := timed(run, warm); err != nil {
		return 0, 0, err
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := timed(run, n); err != nil {
		return 0, 0, err
	}
	runtime.ReadMemStats(&after)
	return float64(after.Mallocs-before.Mallocs) / float64(n), float64(after.TotalAlloc-before.TotalAlloc) / float64(n),
		nil
}
