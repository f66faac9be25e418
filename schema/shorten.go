package schema

import (
	"strconv"
	"unicode/utf8"
)

// Shorten cuts a text from outside for a message: to at most most bytes, between characters, with
// an ellipsis behind it if anything was cut.
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

// quoted is how much of a text [Quote] shows: more than the longest name of an object has.
const quoted = 256

// Quote quotes a text from outside for a message, as Go does, cut to a length that a person reads.
func Quote(text string) string { return strconv.Quote(Shorten(text, quoted)) }
