package main

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/askind/askind/bench/peers/internal/compare"
)

func TestList(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := run([]string{"-list", "-quick", "-filter", "^lookup/"}, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "lookup/"); n < 4 || n != strings.Count(out.String(), "\n") {
		t.Errorf("got %q", &out)
	}
}

func TestArguments(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{
		"no row": {"-filter", "nothing-like-it"}, "bad expression": {"-filter", "("}, "two forms": {
			"-json",
			"-markdown",
		}, "a word": {"decode"},
	} {
		if err := run(args, io.Discard, io.Discard); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

// TestMeasure checks that each pass goes over all rows, that results are those of all passes, and
// that a limit leaves out passes but not the second.
func TestMeasure(t *testing.T) {
	t.Parallel()
	effort := compare.Effort{Passes: 4, MaxRounds: 4}
	for limit, want := range map[time.Duration]int{0: fewest, time.Hour: 4} {
		var order []string
		row := func(name string) *compare.Row {
			return &compare.Row{
				Name: name,
				Subjects: []compare.Subject{{Name: "ours", Prepare: func() (compare.Work, error) {
					order = append(order, name)
					return compare.Work{Run: func() error { return nil }, Result: func() ([]byte, error) {
						return nil,
							nil
					}}, nil
				}}},
			}
		}
		results, err := measure([]*compare.Row{row("a"), row("b")}, effort, limit, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(order, ""); got != strings.Repeat("ab", want) {
			t.Errorf("limit %s: the rows were prepared in the order %s", limit, got)
		}
		for _, r := range results {
			if r.Rounds != want {
				t.Errorf("limit %s: %d rounds of %s", limit, r.Rounds, r.Name)
			}
		}
	}
}
