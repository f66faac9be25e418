package v1_test

import (
	"testing"
	"time"

	metav1 "github.com/askind/askind/meta/v1"
)

func TestHumanDuration(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for d, want := range map[time.Duration]string{
		-2 * time.Second:                "<invalid>",
		-1500 * time.Millisecond:        "0s",
		0:                               "0s",
		5 * time.Second:                 "5s",
		119 * time.Second:               "119s",
		2 * time.Minute:                 "2m",
		3*time.Minute + 20*time.Second:  "3m20s",
		10*time.Minute + 59*time.Second: "10m",
		179 * time.Minute:               "179m",
		3 * time.Hour:                   "3h",
		4*time.Hour + 5*time.Minute:     "4h5m",
		47 * time.Hour:                  "47h",
		2 * day:                         "2d",
		2*day + 3*time.Hour:             "2d3h",
		8*day + 3*time.Hour:             "8d",
		45 * day:                        "45d",
		729 * day:                       "729d",
		730 * day:                       "2y",
		830 * day:                       "2y100d",
		8*365*day + 5*day:               "8y",
		1<<63 - 1:                       "292y",
	} {
		if got := metav1.HumanDuration(d); got != want {
			t.Errorf("HumanDuration(%v) = %q, want %q", d, got, want)
		}
	}
}

func TestHumanAge(t *testing.T) {
	t.Parallel()
	now := time.Unix(1000, 0)
	if got := metav1.HumanAge(metav1.Unix(790, 0), now); got != "3m30s" {
		t.Errorf("got %s, want 3m30s", got)
	}
	if got := metav1.HumanAge(metav1.Time{}, now); got != metav1.UnknownAge {
		t.Errorf("got %s, want %s", got, metav1.UnknownAge)
	}
}
