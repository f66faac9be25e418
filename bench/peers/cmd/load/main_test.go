package main

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"
)

// TestRun measures one row for a moment.
func TestRun(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	args := []string{"-rate", "200", "-time", "50ms", "-live", "10", "-rows", "^negotiate/seen/plain$"}
	if err := run(args, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) < 3 || !strings.Contains(lines[1], "askind") || !strings.Contains(out.String(), "goautoneg") {
		t.Errorf("got\n%s", &out)
	}
	for _, bad := range [][]string{{"-rate", "0"}, {"-rows", "("}, {"-rows", "nothing"}, {"words"}, {"-live", "-1"}} {
		if err := run(bad, io.Discard, io.Discard); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

func TestBelow(t *testing.T) {
	t.Parallel()
	var latencies []time.Duration
	for i := range 1000 {
		latencies = append(latencies, time.Duration(i+1)*time.Millisecond)
	}
	for part, want := range map[float64]time.Duration{
		0: time.Millisecond, 0.5: 500 * time.Millisecond, 0.99: 990 * time.Millisecond,
		0.999: 999 * time.Millisecond, 1: time.Second,
	} {
		if got := below(latencies, part); got != want {
			t.Errorf("below(%v) = %v, want %v", part, got, want)
		}
	}
	if got := below(latencies[:1], 0.999); got != time.Millisecond {
		t.Errorf("below of one is %v", got)
	}
}
