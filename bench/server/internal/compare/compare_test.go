package compare

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
)

// The sides are processes of the test binary.
func TestMain(m *testing.M) {
	child, err := Child()
	if !child {
		os.Exit(m.Run())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// All sides answer the same, and every row can be measured.
func TestRun(t *testing.T) {
	t.Parallel()
	c := Config{Rounds: 1, Sample: time.Millisecond, Divisor: 100, Progress: t.Output()}
	if testing.Short() {
		c.Filter = regexp.MustCompile("^(Reads, with 10,000|Growth: 1,000) ")
	}
	measured := map[string]bool{}
	err := Run(t.Context(), c, func(r Result) error {
		for _, row := range r.Rows {
			measured[row.Name] = true
			for side, samples := range row.Samples {
				if s := samples[0]; s.Time <= 0 && s.Bytes == 0 {
					t.Errorf("%s: %s: %s: %+v", r.Title, row.Name, side, s)
				}
			}
		}
		var out strings.Builder
		if err := Write(&out, r); err != nil || strings.Count(out.String(), "\n| ") <= len(r.Rows) {
			t.Errorf("%v\n%s", err, out.String())
		}
		t.Log(out.String())
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if !measured[r.name] && !testing.Short() {
			t.Errorf("the row %q is not part of any group", r.name)
		}
	}
}
