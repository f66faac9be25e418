package compare

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"time"
)

// subject makes a subject that spins for a number of rounds and results in a text.
func subject(name, result string, spin int) Subject {
	return Subject{Name: name, Prepare: func() (Work, error) {
		sum := 0
		return Work{
			Run: func() error {
				for i := range spin {
					sum += i
				}
				return nil
			},
			Result: func() ([]byte, error) { return []byte(result), nil },
		}, nil
	}}
}

var effort = Effort{Sample: time.Millisecond, Row: 30 * time.Millisecond, Passes: 3, MaxRounds: 6}

func measured(t *testing.T, subjects ...Subject) *Result {
	t.Helper()
	r, err := Measure(&Row{Group: "Spinning <tops>", Name: "spin/a", Subjects: subjects}, effort)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestMeasure(t *testing.T) {
	t.Parallel()
	r := measured(t, subject("ours", "x", 1_000), subject("slow", "x", 20_000), subject("wrong", "y", 1))
	slow, wrong := r.Subjects[1], r.Subjects[2]
	if slow.Ratio.Median < 3 || slow.Ratio.Min > slow.Ratio.Median || slow.Ratio.Max < slow.Ratio.Median {
		t.Errorf("twenty times the work has the ratio %+v", slow.Ratio)
	}
	if len(slow.Samples) != r.Rounds || r.Rounds < 3 || r.Rounds > 6 {
		t.Errorf("%d rounds and %d samples", r.Rounds, len(slow.Samples))
	}
	if wrong.Refused == "" || len(wrong.Samples) > 0 {
		t.Errorf("a subject with another result was compared: %+v", wrong)
	}
}

func TestOursMustWork(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	_, err := Measure(&Row{
		Name:     "a",
		Subjects: []Subject{{Name: "ours", Prepare: func() (Work, error) { return Work{}, broken }}},
	}, effort)
	if !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

// TestPasses checks that everything is prepared anew for each pass, but nothing that was refused,
// and that a peer which fails later is an error.
func TestPasses(t *testing.T) {
	t.Parallel()
	prepared := map[string]int{}
	failsAt := 0
	counting := func(name, result string) Subject {
		s := subject(name, result, 100)
		prepare := s.Prepare
		s.Prepare = func() (Work, error) {
			if prepared[name]++; name == "peer" && prepared[name] == failsAt {
				return Work{}, errors.New("broken")
			}
			return prepare()
		}
		return s
	}
	row := &Row{Name: "a", Subjects: []Subject{counting("ours", "x"), counting("peer", "x"), counting("wrong", "y")}}
	r, err := Measure(row, Effort{Passes: 3, MaxRounds: 3})
	if err != nil {
		t.Fatal(err)
	}
	if prepared["ours"] != 3 || prepared["peer"] != 3 || prepared["wrong"] != 1 {
		t.Errorf("prepared %v", prepared)
	}
	if r.Rounds != 3 || len(r.Subjects[0].Samples) != 3 || len(r.Subjects[1].Samples) != 3 ||
		len(r.Subjects[2].Samples) != 0 {
		t.Errorf("got %+v", r)
	}
	failsAt = prepared["peer"] + 2
	if _, err := Measure(row, Effort{Passes: 3, MaxRounds: 3}); err == nil ||
		!strings.Contains(err.Error(), "a: peer: broken") {
		t.Errorf("got %v", err)
	}
}

// TestCalibrate checks that a run which is slow once, as the first one of many libraries is, does
// not make the samples short.
func TestCalibrate(t *testing.T) {
	for _, slow := range []int{1, 10} {
		calls := 0
		n, _, err := calibrate(func() error {
			if calls++; calls == slow {
				start, err := processorTime()
				for end := start; err == nil && end < start+50*time.Millisecond; {
					end, err = processorTime()
				}
				return err
			}
			return nil
		}, time.Millisecond)
		if err != nil || n < 100 {
			t.Errorf("call %d was slow: %d runs fill a millisecond, %v", slow, n, err)
		}
	}
}

func TestSpread(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in   []float64
		want Spread
	}{
		{nil, Spread{}},
		{[]float64{3}, Spread{3, 3, 3}},
		{[]float64{9, 1, 2}, Spread{2, 1, 9}},
		{[]float64{4, 1, 2, 9}, Spread{3, 1, 9}},
	} {
		if got := spreadOf(c.in); got != c.want {
			t.Errorf("%v: got %v, want %v", c.in, got, c.want)
		}
	}
}

func TestReports(t *testing.T) {
	t.Parallel()
	r := NewReport(true)
	r.Results = []*Result{measured(t, subject("ours", "x", 1_000), subject("slow", "x", 20_000),
		subject("wrong", "y", 1))}
	var text, markdown, object, chart bytes.Buffer
	if err := errors.Join(r.Text(&text), r.Markdown(&markdown), r.JSON(&object),
		r.SVG(&chart, r.Groups()[0])); err != nil {
		t.Fatal(err)
	}
	for name, out := range map[string]string{"text": text.String(), "markdown": markdown.String()} {
		if !strings.Contains(out, "spin/a") || !strings.Contains(out, "slow") || !strings.Contains(out, "refused") {
			t.Errorf("%s:\n%s", name, out)
		}
	}
	if !json.Valid(object.Bytes()) {
		t.Errorf("broken JSON: %s", &object)
	}
	for d := xml.NewDecoder(&chart); ; {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("broken SVG: %v", err)
		}
	}
	if got := FileName(r.Groups()[0]); got != "spinning--tops-.svg" {
		t.Errorf("the chart is in %s", got)
	}
}

func TestNumbers(t *testing.T) {
	t.Parallel()
	for got, want := range map[string]string{
		duration(12.34): "12.3 ns", duration(1500): "1.50 µs", duration(2.5e9): "2.50 s", count(0): "0",
		count(1234567): "1,234,567", ratio(123.4): "123×",
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
