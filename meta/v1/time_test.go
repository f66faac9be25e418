package v1_test

import (
	"encoding/json"
	"testing"
	"time"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/wire/jsonwire"
)

func TestTimeJSON(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text, want string
		nanos            int
	}{
		{"seconds", `"2020-01-02T03:04:05Z"`, `"2020-01-02T03:04:05Z"`, 0},
		{"fraction is kept in memory only", `"2020-01-02T03:04:05.5Z"`, `"2020-01-02T03:04:05Z"`, 500_000_000},
		{"other zone", `"2020-01-02T03:04:05+01:00"`, `"2020-01-02T02:04:05Z"`, 0},
		{"day that not every month has", `"2020-02-29T00:00:00Z"`, `"2020-02-29T00:00:00Z"`, 0},
		{"null", `null`, `null`, 0},
		{"zero", `"0001-01-01T00:00:00Z"`, `null`, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := metav1.Now()
			if err := json.Unmarshal([]byte(c.text), &got); err != nil {
				t.Fatal(err)
			}
			if got.Nanosecond() != c.nanos {
				t.Errorf("%d nanoseconds, want %d", got.Nanosecond(), c.nanos)
			}
			if !got.Time.IsZero() && got.Location() != time.Local {
				t.Errorf("location %v, want the local one", got.Location())
			}
			out, err := json.Marshal(got)
			if err != nil || string(out) != c.want {
				t.Errorf("written %s, %v, want %s", out, err, c.want)
			}
		})
	}
	for _, text := range []string{
		`""`, `5`, `"2020-01-02"`, `"2021-02-29T00:00:00Z"`, `"2021-04-31T00:00:00Z"`,
		`"2020-13-01T00:00:00Z"`, `"2020-00-01T00:00:00Z"`, `"2020-01-00T00:00:00Z"`, `"2020-01-02T24:00:00Z"`,
		`"2020-01-02T03:04:05z"`, `"9999-12-31T23:59:59-00:01"`, `"0000-01-01T00:00:00+00:01"`,
	} {
		var got metav1.Time
		if err := json.Unmarshal([]byte(text), &got); err == nil || !got.IsZero() {
			t.Errorf("%s gives %v, %v, want an error", text, got, err)
		}
	}
}

// TestTimeFast compares the parser of the common forms with the one of package time.
func TestTimeFast(t *testing.T) {
	t.Parallel()
	for at := time.Date(1999, 1, 1, 0, 0, 0, 0, time.UTC); at.Year() < 2005; at = at.Add(23*time.Hour + 59*time.Minute +
		59*time.Second) {
		var got metav1.Time
		if err := got.UnmarshalJSON([]byte(at.Format(`"` + time.RFC3339 + `"`))); err != nil || got.Time != at.Local() {
			t.Fatalf("%v is read as %v, %v", at, got, err)
		}
		at := at.Add(123456 * time.Microsecond)
		var micro metav1.MicroTime
		if err := micro.UnmarshalJSON([]byte(at.Format(`"2006-01-02T15:04:05.000000Z"`))); err != nil ||
			micro.Time != at.Local() {
			t.Fatalf("%v is read as %v, %v", at, micro, err)
		}
	}
}

func TestMicroTimeJSON(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, want string }{
		{"six digits", `"2020-01-02T03:04:05.123456Z"`, `"2020-01-02T03:04:05.123456Z"`},
		{"zeros", `"2020-01-02T03:04:05.000000Z"`, `"2020-01-02T03:04:05.000000Z"`},
		{"other zone", `"2020-01-02T03:04:05.000001-01:00"`, `"2020-01-02T04:04:05.000001Z"`},
		{"null", `null`, `null`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := metav1.NowMicro()
			if err := json.Unmarshal([]byte(c.text), &got); err != nil {
				t.Fatal(err)
			}
			out, err := json.Marshal(got)
			if err != nil || string(out) != c.want {
				t.Errorf("written %s, %v, want %s", out, err, c.want)
			}
		})
	}
	for _, text := range []string{
		`"2020-01-02T03:04:05Z"`, `"2020-01-02T03:04:05.12345Z"`,
		`"2020-01-02T03:04:05.1234567Z"`, `"2020-01-02T03:04:05.12345xZ"`,
	} {
		var got metav1.MicroTime
		if err := json.Unmarshal([]byte(text), &got); err == nil {
			t.Errorf("%s gives %v, want an error", text, got)
		}
	}
}

func TestTimeRelations(t *testing.T) {
	t.Parallel()
	early, late := metav1.Unix(1, 0), metav1.NewTime(time.Unix(2, 0).UTC())
	same := metav1.NewTime(early.UTC())
	var none *metav1.Time
	if !early.Before(&late) || late.Before(&early) || none.Before(&late) || late.Before(none) {
		t.Error("Before is wrong")
	}
	if !early.Equal(&same) || early.Equal(&late) || !none.Equal(nil) || none.Equal(&early) || early.Equal(none) {
		t.Error("Equal is wrong")
	}
	if !none.IsZero() || !(&metav1.Time{}).IsZero() || early.IsZero() {
		t.Error("IsZero is wrong")
	}
	microEarly, microLate := metav1.NewMicroTime(early.Time), metav1.NewMicroTime(late.Time)
	var noMicro *metav1.MicroTime
	if !microEarly.Before(&microLate) || noMicro.Before(&microLate) || microEarly.Equal(&microLate) ||
		!noMicro.Equal(nil) || !noMicro.IsZero() {
		t.Error("a relation of MicroTime is wrong")
	}
}

func TestDurationJSON(t *testing.T) {
	t.Parallel()
	d := metav1.NewDuration(time.Hour)
	for _, c := range []struct{ text, want string }{
		{`"1m30s"`, `"1m30s"`},
		{`null`, `"1m30s"`},
		{`"0"`, `"0s"`},
		{`"1.5us"`, `"1.5µs"`},
	} {
		if err := json.Unmarshal([]byte(c.text), &d); err != nil {
			t.Fatal(err)
		}
		if out, err := json.Marshal(d); err != nil || string(out) != c.want {
			t.Errorf("%s is written %s, %v, want %s", c.text, out, err, c.want)
		}
	}
	for _, text := range []string{`""`, `5`, `"1d"`} {
		if err := json.Unmarshal([]byte(text), &d); err == nil {
			t.Errorf("%s gives %v, want an error", text, d)
		}
	}
}

// TestDurationLikeParseDuration compares the short way of durations of whole hours, minutes and
// seconds with package time, at its edges too.
func TestDurationLikeParseDuration(t *testing.T) {
	t.Parallel()
	units := []string{
		"h", "m", "s", "ms", "", "d", "h1", "m30s", "h0m0s", "m1h", ".5h", "h99999h999h", "h99999h9999h",
		"h99999h99999h",
	}
	for _, number := range []string{
		"", "0", "1", "007", "-2", "+2", "59", "99999", "100000", "2562048",
		"9223372036854775808",
	} {
		for _, unit := range units {
			text := number + unit
			var d metav1.Duration
			r := jsonwire.NewReader([]byte(`"`+text+`"`), jsonwire.Options{})
			metav1.DecodeJSONDuration(r, &d)
			want, err := time.ParseDuration(text)
			if accepted := len(r.Problems()) == 0; accepted != (err == nil) || accepted && d.Duration != want {
				t.Errorf("%q is read as %v, %v; by package time as %v, %v", text, d, r.Problems(), want, err)
			}
		}
	}
}

func TestFieldsV1(t *testing.T) {
	t.Parallel()
	data := []byte(`{ "f:a": {} }`)
	var f metav1.FieldsV1
	if err := json.Unmarshal(data, &f); err != nil || f.String() != string(data) {
		t.Fatalf("read as %s, %v", f, err)
	}
	var c metav1.FieldsV1
	metav1.DeepCopyIntoFieldsV1(&f, &c)
	if !c.Equal(f) || &c.Raw[0] == &f.Raw[0] {
		t.Error("the copy differs or shares memory")
	}
	if out, err := json.Marshal(f); err != nil || string(out) != `{"f:a":{}}` {
		t.Errorf("written %s, %v", out, err)
	}
	if out, err := json.Marshal(metav1.FieldsV1{}); err != nil || string(out) != `null` {
		t.Errorf("the empty set is written %s, %v", out, err)
	}
	if _, err := json.Marshal(metav1.FieldsV1{Raw: []byte(`{`)}); err == nil {
		t.Error("Raw that is not JSON was written")
	}
	if err := json.Unmarshal([]byte(`null`), &f); err != nil || f.Raw == nil {
		t.Errorf("null changed the set to %q, %v", f.Raw, err)
	}
}

func TestTimeAllocations(t *testing.T) {
	data := []byte(`"2020-01-02T03:04:05Z"`)
	buf := make([]byte, 0, 64)
	var r jsonwire.Reader
	var at metav1.Time
	if n := testing.AllocsPerRun(100, func() {
		r.Reset(data, jsonwire.Options{})
		metav1.DecodeJSONTime(&r, &at)
		buf, _ = metav1.AppendJSONTime(buf[:0], &at)
	}); n != 0 {
		t.Errorf("reading and writing a time allocates %v times", n)
	}
}

func BenchmarkTime(b *testing.B) {
	b.Run("decode", func(b *testing.B) {
		b.ReportAllocs()
		data := []byte(`"2020-01-02T03:04:05Z"`)
		var r jsonwire.Reader
		var at metav1.Time
		for b.Loop() {
			r.Reset(data, jsonwire.Options{})
			metav1.DecodeJSONTime(&r, &at)
		}
	})
	b.Run("encode", func(b *testing.B) {
		b.ReportAllocs()
		at := metav1.Unix(1577934245, 0)
		buf := make([]byte, 0, 64)
		for b.Loop() {
			buf, _ = metav1.AppendJSONTime(buf[:0], &at)
		}
	})
}
