package v1

import (
	"testing"
	"time"
)

// TestCivil compares both directions with package time, for every day of 400 years and for the
// bounds.
func TestCivil(t *testing.T) {
	t.Parallel()
	check := func(at time.Time) {
		t.Helper()
		year, month, day := at.Date()
		number := (at.Unix() + epochDay*secondsPerDay) / secondsPerDay
		if got := dayOf(year, int(month), day); got != number {
			t.Fatalf("%v is day %d, want %d", at, got, number)
		}
		if y, m, d := civil(uint32(number)); int(y) != year || int(m) != int(month) || int(d) != day {
			t.Fatalf("day %d is %d-%d-%d, want %v", number, y, m, d, at)
		}
		if got, want := string(appendSeconds([]byte("x"), at)), at.Format("x"+time.RFC3339); got != want {
			t.Fatalf("%s is written, want %s", got, want)
		}
	}
	for at := time.Date(1890, 1, 1, 0, 0, 0, 0, time.UTC); at.Year() <= 2300; at = at.Add(24*time.Hour +
		61*time.Second) {
		check(at)
	}
	for _, year := range []int{1, 4, 99, 100, 101, 399, 400, 401, 1582, 1600, 9999} {
		for _, day := range []int{0, 1, 58, 59, 60, 61, 364} {
			check(time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, day))
			check(time.Date(year, 12, 31, 23, 59, 59, 999_999_999, time.UTC))
		}
	}
	for day, date := range map[int64][3]int{-60: {0, 1, 1}, -1: {0, 2, 29}, 0: {0, 3, 1}, 305: {0, 12, 31}} {
		if got := dayOf(date[0], date[1], date[2]); got != day {
			t.Errorf("%v is day %d, want %d", date, got, day)
		}
	}
	for _, at := range []time.Time{
		time.Date(0, 12, 31, 23, 59, 59, 0, time.UTC), time.Date(-5, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(10000, 1, 1,
			0, 0, 0, 0, time.UTC),
		time.Date(2026, 1, 1, 0, 30, 0, 0, time.FixedZone("", 3600)), time.Date(10000, 1, 1, 0, 30, 0, 0,
			time.FixedZone("", 3600)),
	} {
		if got, want := string(appendSeconds(nil, at)), at.UTC().Format(time.RFC3339); got != want {
			t.Errorf("%s is written, want %s", got, want)
		}
	}
}
