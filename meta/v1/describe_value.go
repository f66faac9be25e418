package v1

import (
	"encoding/base64"
	"math"
	"strconv"
	"strings"
	"time"
)

// redacted is shown instead of secrets.
const redacted = "<redacted>"

// value describes the next value, which is a text, a number or a boolean. The text is blank if
// nothing is to be shown.
func (d *describer) value(f *DescribedField) (DescriptionType, string) {
	kind := d.r.Kind()
	if f.As == DescriptionRedacted {
		if kind == '"' && d.r.String("") == "" {
			return f.As, ""
		} else if kind != '"' {
			d.r.Skip()
		}
		return f.As, redacted
	}
	var text string
	plain := DescriptionText
	switch kind {
	case '"':
		text = d.r.String("")
	case '0':
		text, plain = string(d.r.Raw()), DescriptionNumber
	case 't':
		return DescriptionBoolean, strconv.FormatBool(d.r.Bool(false))
	default:
		d.r.Skip()
	}
	if text == "" {
		return DescriptionText, ""
	}
	// Numbers may be in quotes.
	switch f.As {
	case DescriptionDate:
		if t, err := time.Parse(time.RFC3339, text); err == nil {
			return f.As, dateText(text, t, d.now)
		}
	case DescriptionDuration:
		if n, err := strconv.ParseFloat(text, 64); err == nil {
			if f.Unit > 0 && math.Abs(n) < math.MaxInt64/2/float64(f.Unit) {
				return f.As, durationText(time.Duration(math.Round(n*float64(f.Unit))), text+unitName(f.Unit))
			}
		} else if duration, err := time.ParseDuration(text); err == nil {
			return f.As, durationText(duration, "")
		}
	case DescriptionSize:
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return f.As, sizeText(n)
		}
	case DescriptionBytes:
		if kind == '"' {
			return f.As, strconv.Itoa(decodedLen(text)) + " bytes"
		}
	}
	return plain, text
}

// decodedLen returns the number of bytes that a base64 text encodes.
func decodedLen(text string) int {
	return base64.RawStdEncoding.DecodedLen(len(strings.TrimRight(text, "=")))
}

// dateText returns a time, written as text, with its distance from now.
func dateText(text string, t, now time.Time) string {
	if d := now.Sub(t); d >= 0 {
		return text + " (" + HumanDuration(d) + " ago)"
	}
	return text + " (in " + HumanDuration(t.Sub(now)) + ")"
}

// durationText formats a duration as time.Duration does, without zero parts. The original value
// follows if it looks different, and the number of days from two days on.
func durationText(d time.Duration, counted string) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	if counted == text {
		counted = ""
	}
	if days := d.Hours() / 24; counted == "" && math.Abs(days) >= 2 {
		counted = strconv.FormatFloat(math.Round(days*10)/10, 'f', -1, 64) + "d"
	}
	if counted != "" {
		text += " (" + counted + ")"
	}
	return text
}

// unitName returns the abbreviation of a unit.
func unitName(unit time.Duration) string {
	switch unit {
	case time.Hour:
		return "h"
	case time.Minute:
		return "m"
	}
	return strings.TrimPrefix(unit.String(), "1")
}

// sizeText formats a number of bytes in the largest binary unit that it reaches.
func sizeText(n int64) string {
	bytes := strconv.FormatInt(n, 10) + " bytes"
	size, unit := math.Abs(float64(n)), -1
	for size >= 1024 && unit < len("KMGTPE")-1 {
		size /= 1024
		unit++
	}
	if unit < 0 {
		return bytes
	}
	text := strconv.FormatFloat(math.Round(size*10)/10, 'f', -1, 64) + "KMGTPE"[unit:unit+1] + "i"
	if n < 0 {
		text = "-" + text
	}
	return text + " (" + bytes + ")"
}
