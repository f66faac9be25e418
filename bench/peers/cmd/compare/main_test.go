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
		"no row": {"-filter", "nothing-like-it"}, "bad expression": {"-filter", "("}, "two forms": {"-json", "-markdown"}, "a word": {"decode"},
	} {
		if err := run(args, io.Discard, io.Discard); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

func TestWithin(t *testing.T) {
	t.Parallel()
	if got := within(compare.Full, false, time.Hour, 1); got != compare.Full {
		t.Errorf("a full run is cut short: %+v", got)
	}
	if got := within(compare.Quick, true, time.Second, 40); got != compare.Quick {
		t.Errorf("a quick run that is in time is cut short: %+v", got)
	}
	late, later := within(compare.Quick, true, 50*time.Second, 40), within(compare.Quick, true, 100*time.Second, 40)
	if late.Row >= compare.Quick.Row || late.MinRounds != 3 || late.Garbage >= compare.Quick.Garbage || late.Sample != compare.Quick.Sample {
		t.Errorf("a quick run that is late goes on as before: %+v", late)
	}
	if later.Garbage >= late.Garbage || later.Sample >= late.Sample || later.MinRounds < 3 {
		t.Errorf("a quick run that is very late goes on as one that is late: %+v", later)
	}
}
