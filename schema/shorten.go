package schema

import (
	"strconv"
	"unicode/utf8"
)

// Shorten cuts untrusted text for a message to at most most bytes, between characters, and appends
// an ellipsis if anything was cut.
func Shorten(text string, most int) string {
	if len(text) <= most {
		return text
	}
	cut := max(most-len("…"), 0)
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}

// quoted is the maximum number of bytes that [Quote] shows, more than the longest name of an
// object.
const quoted = 256

// Quote quotes untrusted text for a message, as Go does, shortened to a readable length.
func Quote(text string) string { return strconv.Quote(Shorten(text, quoted)) }
