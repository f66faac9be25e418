package v1_test

import (
	"encoding/hex"
	"math"
	"testing"
	"time"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/wire/pbwire"
)

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	data, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestTimeProto(t *testing.T) {
	t.Parallel()
	at := time.Date(2020, 1, 2, 3, 4, 5, 123456789, time.UTC)
	for _, c := range []struct {
		name        string
		in          time.Time
		time, micro string
	}{
		{"zero", time.Time{}, "", ""},
		{"seconds", at.Truncate(time.Second), "08a5bbb5f0051000", "08a5bbb5f0051000"},
		{"nanoseconds", at, "08a5bbb5f0051000", "08a5bbb5f005108094ef3a"},
		{"another zone", at.In(time.FixedZone("", 3600)), "08a5bbb5f0051000", "08a5bbb5f005108094ef3a"},
		{"the start of the count", time.Unix(0, 0), "08001000", "08001000"},
		{"before it", time.Unix(-1, 0), "08ffffffffffffffffff011000", "08ffffffffffffffffff011000"},
	} {
		w := pbwire.NewWriter(nil)
		metav1.PrependProtoTime(w, &metav1.Time{Time: c.in})
		if got := hex.EncodeToString(w.Bytes()); got != c.time {
			t.Errorf("%s: Time is written %s, want %s", c.name, got, c.time)
		}
		var got metav1.Time
		metav1.DecodeProtoTime(pbwire.NewReader(w.Bytes(), pbwire.Options{}), &got)
		if want := c.in.Truncate(time.Second); !got.Time.Equal(want) || got.IsZero() != c.in.IsZero() ||
			!c.in.IsZero() && got.Location() != time.Local {
			t.Errorf("%s: Time is read as %v, want %v", c.name, got, want)
		}

		w = pbwire.NewWriter(nil)
		metav1.PrependProtoMicroTime(w, &metav1.MicroTime{Time: c.in})
		if got := hex.EncodeToString(w.Bytes()); got != c.micro {
			t.Errorf("%s: MicroTime is written %s, want %s", c.name, got, c.micro)
		}
		var micro metav1.MicroTime
		metav1.DecodeProtoMicroTime(pbwire.NewReader(w.Bytes(), pbwire.Options{}), &micro)
		if want := c.in.Truncate(time.Microsecond); !micro.Time.Equal(want) || micro.IsZero() != c.in.IsZero() ||
			!c.in.IsZero() && micro.Location() != time.Local {
			t.Errorf("%s: MicroTime is read as %v, want %v", c.name, micro, want)
		}
	}
}

func TestTimeProtoRead(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, data  string
		time, micro time.Time
		problems    int
	}{
		{name: "nothing replaces what was there", data: ""},
		{name: "nanoseconds", data: "080110959aef3a", time: time.Unix(1, 0), micro: time.Unix(1, 123456000)},
		{name: "no seconds", data: "10959aef3a", time: time.Unix(0, 0), micro: time.Unix(0, 123456000)},
		{name: "unknown field", data: "08011801", time: time.Unix(1, 0), micro: time.Unix(1, 0), problems: 1},
	} {
		got, micro := metav1.Now(), metav1.NowMicro()
		r := pbwire.NewReader(unhex(t, c.data), pbwire.Options{Strict: true})
		if metav1.DecodeProtoTime(r, &got); !got.Time.Equal(c.time) || len(r.Problems()) != c.problems {
			t.Errorf("%s: Time is read as %v, %v, want %v", c.name, got, r.Problems(), c.time)
		}
		r.Reset(unhex(t, c.data), pbwire.Options{Strict: true})
		if metav1.DecodeProtoMicroTime(r, &micro); !micro.Time.Equal(c.micro) || len(r.Problems()) != c.problems {
			t.Errorf("%s: MicroTime is read as %v, %v, want %v", c.name, micro, r.Problems(), c.micro)
		}
	}
}

func TestTimeProtoAllocations(t *testing.T) {
	at := metav1.Unix(1577934245, 0)
	w := pbwire.NewWriter(make([]byte, 64))
	var r pbwire.Reader
	if n := testing.AllocsPerRun(100, func() {
		w.Reset(nil)
		metav1.PrependProtoTime(w, &at)
		r.Reset(w.Bytes(), pbwire.Options{})
		metav1.DecodeProtoTime(&r, &at)
	}); n != 0 {
		t.Errorf("writing and reading a time allocates %v times", n)
	}
}

// TestYearsInProtobuf checks that times are refused whose text in other formats could not be read
// again.
func TestYearsInProtobuf(t *testing.T) {
	t.Parallel()
	const first, last = -62_167_219_200, 253_402_300_799
	for _, c := range []struct {
		seconds, nanos int64
		time, micro    bool
	}{
		{first, 0, true, true},
		{last, 999_999_000, true, true},
		{last, 1_000_000_000, true, false},
		{first - 1, 0, false, false},
		{last + 1, 0, false, false},
		{math.MinInt64, 0, false, false},
		{math.MaxInt64, 0, false, false},
	} {
		w := pbwire.NewWriter(nil)
		w.Int64(2, c.nanos)
		w.Int64(1, c.seconds)
		at, micro := metav1.Now(), metav1.NowMicro()
		r := pbwire.NewReader(w.Bytes(), pbwire.Options{})
		if metav1.DecodeProtoTime(r, &at); (len(r.Problems()) == 0) != c.time || at.IsZero() == c.time {
			t.Errorf("%d: Time is read as %v, %v", c.seconds, at, r.Problems())
		}
		r = pbwire.NewReader(w.Bytes(), pbwire.Options{})
		if metav1.DecodeProtoMicroTime(r, &micro); (len(r.Problems()) == 0) != c.micro || micro.IsZero() == c.micro {
			t.Errorf("%d and %d: MicroTime is read as %v, %v", c.seconds, c.nanos, micro, r.Problems())
		}
	}
}
