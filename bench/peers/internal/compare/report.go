package compare

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// Report has the results of a run and a description of its machine.
type Report struct {
	Started           time.Time
	Took              string
	Go, OS, Arch, CPU string
	Processors        int
	Modules           map[string]string
	Quick             bool
	Results           []*Result
}

// NewReport fills in the properties of the machine and the program.
func NewReport(quick bool) *Report {
	r := &Report{
		Started: time.Now().UTC().Truncate(time.Second), Go: runtime.Version(), OS: runtime.GOOS,
		Arch: runtime.GOARCH, CPU: cpu(), Processors: runtime.NumCPU(), Quick: quick, Modules: map[string]string{},
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if m.Replace == nil {
				r.Modules[m.Path] = m.Version
			}
		}
	}
	return r
}

// cpu returns the name of the processor where the system tells it.
func cpu() string {
	data, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "unknown"
	}
	for line := range strings.Lines(string(data)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown"
}

// Refused returns the excluded subjects, as lines.
func (r *Report) Refused() []string {
	var out []string
	for _, row := range r.Results {
		for _, m := range row.Subjects {
			if m.Refused != "" {
				out = append(out, m.Refused)
			}
		}
	}
	return out
}

// notes returns the notes of all subjects without duplicates, in the order of the table, and their
// numbers.
func (r *Report) notes() ([]string, map[string]int) {
	var notes []string
	number := map[string]int{}
	for _, row := range r.Results {
		for _, m := range row.Subjects {
			text := m.Name + ": " + m.Note
			if m.Note != "" && number[text] == 0 {
				notes = append(notes, text)
				number[text] = len(notes)
			}
		}
	}
	return notes, number
}

// JSON writes all results, including the times of all rounds.
func (r *Report) JSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "\t")
	return e.Encode(r)
}

// Text writes the table for a terminal.
func (r *Report) Text(w io.Writer) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tw, "operation\tlibrary\ttime\tratio\tmin..max\tallocs\tbytes\theap\t")
	notes, number := r.notes()
	for _, row := range r.Results {
		name := row.Name
		for i, c := range r.cells(row, number) {
			fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", name, c.peer, c.time, c.ratio, c.spread,
				c.allocs, c.bytes, c.heap)
			if i == 0 {
				name = ""
			}
		}
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	for i, n := range notes {
		fmt.Fprintf(w, "[%d] %s\n", i+1, n)
	}
	_, err := fmt.Fprintf(w, "%s\n", r.machine())
	return err
}

// Markdown writes the table for a document.
func (r *Report) Markdown(w io.Writer) error {
	fmt.Fprint(w, "| operation | library | time | ratio | min..max | allocs | bytes | heap |\n"+
		"|---|---|--:|--:|--:|--:|--:|--:|\n")
	notes, number := r.notes()
	for _, row := range r.Results {
		name := "`" + row.Name + "`"
		for _, c := range r.cells(row, number) {
			ratio := c.ratio
			if c.faster {
				ratio = "**" + ratio + "**"
			}
			fmt.Fprintf(w, "| %s | %s | %s | %s | %s | %s | %s | %s |\n", name, c.peer, c.time, ratio, c.spread,
				c.allocs, c.bytes, c.heap)
			name = ""
		}
	}
	fmt.Fprintln(w)
	for i, n := range notes {
		fmt.Fprintf(w, "%d. %s\n", i+1, n)
	}
	_, err := fmt.Fprintf(w, "\n%s\n", r.machine())
	return err
}

func (r *Report) machine() string {
	form := "full"
	if r.Quick {
		form = "quick"
	}
	rounds := ""
	if len(r.Results) > 0 {
		lo, hi := math.MaxInt, 0
		for _, row := range r.Results {
			lo, hi = min(lo, row.Rounds), max(hi, row.Rounds)
		}
		if rounds = fmt.Sprintf(", %d rounds a row", hi); lo < hi {
			rounds = fmt.Sprintf(", %d to %d rounds a row", lo, hi)
		}
	}
	return fmt.Sprintf(
		"%s, %s/%s, %d processors (%s), %s run of %s%s. Ratios are medians of rounds, times as long as ours.", r.Go,
		r.OS, r.Arch, r.Processors, r.CPU, form, r.Took, rounds,
	)
}

type cells struct {
	peer, time, ratio, spread, allocs, bytes, heap string
	faster                                         bool
}

func (r *Report) cells(row *Result, number map[string]int) []cells {
	out := make([]cells, len(row.Subjects))
	for i, m := range row.Subjects {
		c := cells{peer: m.Name}
		if n := number[m.Name+": "+m.Note]; n > 0 {
			c.peer += fmt.Sprintf(" [%d]", n)
		}
		switch {
		case m.Refused != "":
			c.time = "refused"
		default:
			c.time, c.allocs, c.bytes = duration(m.Nanoseconds), count(m.Allocations), count(m.Bytes)
			if m.Heap > 0 {
				c.heap = count(m.Heap)
			}
			if i > 0 {
				c.ratio, c.spread = ratio(m.Ratio.Median), ratio(m.Ratio.Min)+".."+ratio(m.Ratio.Max)
				c.faster = m.Ratio.Median < 1
			}
		}
		out[i] = c
	}
	return out
}

func duration(ns float64) string {
	for _, u := range []struct {
		name string
		of   float64
	}{{"s", 1e9}, {"ms", 1e6}, {"µs", 1e3}} {
		if ns >= u.of {
			return three(ns/u.of) + " " + u.name
		}
	}
	return three(ns) + " ns"
}

func ratio(x float64) string { return three(x) + "×" }

// three formats a number with about three digits.
func three(x float64) string {
	switch {
	case x >= 100:
		return fmt.Sprintf("%.0f", x)
	case x >= 10:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.2f", x)
}

// count formats a number of allocations or bytes with separators.
func count(x float64) string {
	digits := fmt.Sprintf("%.0f", x)
	var groups []string
	for len(digits) > 3 {
		groups = append(groups, digits[len(digits)-3:])
		digits = digits[:len(digits)-3]
	}
	groups = append(groups, digits)
	slices.Reverse(groups)
	return strings.Join(groups, ",")
}
