package v1

import (
	"strconv"
	"time"
)

// UnknownAge is the result of [HumanAge] for a time that is not set.
const UnknownAge = "<unknown>"

// HumanAge returns the time elapsed from t to now, in the form of [HumanDuration].
func HumanAge(t Time, now time.Time) string {
	if t.IsZero() {
		return UnknownAge
	}
	return HumanDuration(now.Sub(t.Time))
}

// HumanDuration formats a duration for people, with one unit or, while the next smaller one still
// matters, two.
//
//	below 2 minutes   45s
//	below 10 minutes  3m20s
//	below 3 hours     95m
//	below 8 hours     4h5m
//	below 2 days      31h
//	below 8 days      2d3h
//	below 2 years     45d
//	below 8 years     2y100d
//	beyond            12y
//
// A year has 365 days. A negative duration of up to a second is 0s, because clocks differ; a longer
// one is <invalid>.
func HumanDuration(d time.Duration) string {
	seconds := int64(d / time.Second)
	minutes, hours := seconds/60, seconds/3600
	days := hours / 24
	switch {
	case seconds < -1:
		return "<invalid>"
	case seconds < 0:
		return "0s"
	case minutes < 2:
		return units(seconds, 's', 0, 0)
	case minutes < 10:
		return units(minutes, 'm', seconds%60, 's')
	case hours < 3:
		return units(minutes, 'm', 0, 0)
	case hours < 8:
		return units(hours, 'h', minutes%60, 'm')
	case days < 2:
		return units(hours, 'h', 0, 0)
	case days < 8:
		return units(days, 'd', hours%24, 'h')
	case days < 2*365:
		return units(days, 'd', 0, 0)
	case days < 8*365:
		return units(days/365, 'y', days%365, 'd')
	}
	return units(days/365, 'y', 0, 0)
}

// units returns a in one unit, followed by b in another unless that is zero.
func units(a int64, unitA byte, b int64, unitB byte) string {
	var buf [24]byte
	out := append(strconv.AppendInt(buf[:0], a, 10), unitA)
	if b != 0 {
		out = append(strconv.AppendInt(out, b, 10), unitB)
	}
	return string(out)
}
