package conformance

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	peerv1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	peerduration "k8s.io/apimachinery/pkg/util/duration"
	peerintstr "k8s.io/apimachinery/pkg/util/intstr"

	"github.com/askind/askind/meta/intstr"
	v1 "github.com/askind/askind/meta/v1"
)

var timeTexts = []string{
	`null`, `"2020-01-02T03:04:05Z"`, `"2020-01-02T03:04:05.123456Z"`, `"2020-01-02T03:04:05.1234567Z"`,
	`"2020-01-02T03:04:05.12345Z"`, `"2020-01-02T03:04:05.123456789Z"`,
	`"2020-01-02T03:04:05,123456Z"`, `"2020-01-02T3:04:05Z"`, `"2020-01-02T03:04:05+01:00"`,
	`"2020-01-02T03:04:05.123456-23:59"`, `"2020-01-02T03:04:05.123456+24:00"`,
	`"2020-02-29T00:00:00Z"`, `"2021-02-29T00:00:00Z"`, `"2021-04-31T00:00:00Z"`, `"2021-04-30T00:00:00Z"`,
	`"2021-12-31T23:59:59Z"`, `"2021-12-31T23:59:60Z"`, `"2021-12-31T24:00:00Z"`,
	`"2021-13-01T00:00:00Z"`, `"2021-00-01T00:00:00Z"`, `"2021-01-00T00:00:00Z"`, `"2021-01-32T00:00:00Z"`,
	`"0000-01-01T00:00:00Z"`, `"0001-01-01T00:00:00Z"`, `"9999-12-31T23:59:59Z"`, `"10000-01-01T00:00:00Z"`,
	`"2020-01-02 03:04:05Z"`, `"2020-01-02t03:04:05z"`, `"2020-01-02T03:04:05"`, `""`, `" 2020-01-02T03:04:05Z"`,
	`"2020-01-02T03:04:05Z "`, `"20a0-01-02T03:04:05Z"`, `"2020/01/02T03:04:05Z"`,
	`"\u0032020-01-02T03:04:05Z"`, `"2020-01-02T03:04:05.12345aZ"`, `"2020-01-02T03:04:05.+12345Z"`, `5`, `{}`,
	`[]`, `true`,
}

func TestTimeTexts(t *testing.T) {
	t.Parallel()
	for _, text := range timeTexts {
		var ours v1.Time
		var theirs peerv1.Time
		err, theirErr := json.Unmarshal([]byte(text), &ours), json.Unmarshal([]byte(text), &theirs)
		if (err == nil) != (theirErr == nil) || !reflect.DeepEqual(ours.Time, theirs.Time) {
			t.Errorf("Time of %s = %v, %v, peer's %v, %v", text, ours, err, theirs, theirErr)
		}
		var micro v1.MicroTime
		var theirMicro peerv1.MicroTime
		err, theirErr = json.Unmarshal([]byte(text), &micro), json.Unmarshal([]byte(text), &theirMicro)
		if (err == nil) != (theirErr == nil) || !reflect.DeepEqual(micro.Time, theirMicro.Time) {
			t.Errorf("MicroTime of %s = %v, %v, peer's %v, %v", text, micro, err, theirMicro, theirErr)
		}
	}
}

func TestTimesWritten(t *testing.T) {
	t.Parallel()
	times := []time.Time{
		{}, time.Unix(0, 0), time.Date(10000, 1, 2, 3, 4, 5, 6, time.UTC), time.Date(-1, 1, 2, 3, 4, 5, 6,
			time.UTC), time.Date(2020, 1, 2, 3, 4, 5, 999_999_999, time.FixedZone("", 3600+30)),
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	f := filler{rand.New(rand.NewPCG(seed, 0))}
	for range 5000 {
		times = append(times, f.time())
	}
	for _, at := range times {
		for _, c := range []struct{ ours, theirs any }{
			{v1.NewTime(at), peerv1.NewTime(at)},
			{v1.NewMicroTime(at), peerv1.NewMicroTime(at)},
		} {
			got, err := json.Marshal(c.ours)
			want, theirErr := json.Marshal(c.theirs)
			if err != nil || theirErr != nil || string(got) != string(want) {
				t.Errorf("%T of %v = %s, %v, peer's %s, %v", c.ours, at, got, err, want, theirErr)
			}
		}
	}
}

func TestDurationTexts(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`"1m30s"`, `"0s"`, `"0"`, `"-1.5h"`, `"1us"`, `"1µs"`, `"100ns"`,
		`"2562047h47m16.854775807s"`, `"1d"`, `""`, `5`, `{}`,
	} {
		var ours v1.Duration
		var theirs peerv1.Duration
		err, theirErr := json.Unmarshal([]byte(text), &ours), json.Unmarshal([]byte(text), &theirs)
		if (err == nil) != (theirErr == nil) || ours.Duration != theirs.Duration {
			t.Errorf("Duration of %s = %v, %v, peer's %v, %v", text, ours, err, theirs, theirErr)
		}
		got, err := json.Marshal(ours)
		want, theirErr := json.Marshal(theirs)
		if err != nil || theirErr != nil || string(got) != string(want) {
			t.Errorf("Duration %v = %s, %v, peer's %s, %v", ours, got, err, want, theirErr)
		}
	}
}

func TestHumanDuration(t *testing.T) {
	t.Parallel()
	check := func(d time.Duration) {
		if got, want := v1.HumanDuration(d), peerduration.HumanDuration(d); got != want {
			t.Errorf("HumanDuration(%d) = %q, peer's %q", d, got, want)
		}
	}
	const day = 24 * time.Hour
	for _, edge := range []time.Duration{
		0, time.Second, time.Minute, 2 * time.Minute, 10 * time.Minute, time.Hour, 3 * time.Hour, 8 * time.Hour, day,
		2 * day, 8 * day, 365 * day, 2 * 365 * day, 8 * 365 * day, 1<<63 - 1, -1 << 63,
	} {
		for _, off := range []time.Duration{
			0, 1, -1, time.Millisecond, -time.Millisecond, time.Second, -time.Second,
			2 * time.Second, -2 * time.Second, time.Minute, time.Hour, day, -day,
		} {
			check(edge + off)
			check(-edge + off)
		}
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for range 50_000 {
		check(time.Duration(r.Uint64() >> r.IntN(64)))
	}
}

func TestIntOrString(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`80`, `"80"`, `"25%"`, `""`, `"a<b"`, `-1`, `2147483647`, `2147483648`, `1.5`, `1.0`,
		`1e2`, `null`, `true`, `{}`, `[]`,
	} {
		var ours intstr.IntOrString
		var theirs peerintstr.IntOrString
		err, theirErr := json.Unmarshal([]byte(text), &ours), json.Unmarshal([]byte(text), &theirs)
		if (err == nil) != (theirErr == nil) {
			t.Errorf("IntOrString of %s: error %v, peer's %v", text, err, theirErr)
			continue
		}
		got, err := json.Marshal(ours)
		want, theirErr := json.Marshal(theirs)
		if err != nil || theirErr != nil || string(got) != string(want) || ours.String() != theirs.String() {
			t.Errorf("IntOrString of %s is written %s, %v, peer's %s, %v", text, got, err, want, theirErr)
		}
		for _, total := range []int{0, 1, 7, 100, -13, 1 << 20} {
			for _, up := range []bool{true, false} {
				got, err := ours.Of(total, up)
				want, theirErr := peerintstr.GetScaledValueFromIntOrPercent(&theirs, total, up)
				if got != want || (err == nil) != (theirErr == nil) {
					t.Errorf("%v of %d = %d, %v, peer's %d, %v", text, total, got, err, want, theirErr)
				}
			}
		}
	}
}
