package httpapi

import (
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/askind/askind/conversion"
)

// Each warning is a header. Clients and proxies limit the size of all headers, and some their
// number, often to 100.
const (
	maxWarning  = 256  // bytes of one text
	maxWarnings = 4096 // bytes of all texts, as they are written
	maxTexts    = 50
)

// warnings collects messages for the client about a request that succeeds nevertheless.
type warnings struct {
	texts []string
	bytes int
	more  int // number of omitted texts
}

// add adds a text.
func (w *warnings) add(text string) {
	text = printable(text)
	if w.bytes += len(quoted(text)); w.bytes > maxWarnings || len(w.texts) == maxTexts {
		w.more++
		return
	}
	w.texts = append(w.texts, text)
}

// dropped returns a function that adds warnings about values that a conversion drops, and calls
// next with them unless it is nil.
func (w *warnings) dropped(next func(conversion.DroppedValue)) func(conversion.DroppedValue) {
	return func(d conversion.DroppedValue) {
		if w.add(d.String()); next != nil {
			next(d)
		}
	}
}

// writeTo writes Warning headers (RFC 7234, section 5.5) with the code for miscellaneous warnings.
func (w *warnings) writeTo(h http.Header) {
	for _, text := range w.texts {
		h.Add("Warning", "299 - "+quoted(text))
	}
	if w.more > 0 {
		h.Add("Warning", "299 - "+quoted(fmt.Sprintf("%d more warnings are not shown", w.more)))
	}
}

// printable shortens a text and replaces characters that are not allowed in a header.
func printable(text string) string {
	if len(text) > maxWarning {
		cut := maxWarning - len("…")
		for cut > 0 && !utf8.RuneStart(text[cut]) {
			cut--
		}
		text = text[:cut] + "…"
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, text)
}

// quoted writes a text as a quoted string.
func quoted(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}
