package patch

import (
	"strconv"
	"strings"
)

// pointer is a JSON Pointer (RFC 6901) to a value in a document.
type pointer struct {
	text  string
	steps []string
}

// parsePointer parses a pointer. The second result says what is wrong; it is blank for a valid one.
func parsePointer(text string) (pointer, string) {
	if text == "" {
		return pointer{}, ""
	}
	if text[0] != '/' {
		return pointer{}, "a path begins with '/', or is blank for the whole document"
	}
	if strings.Count(text, "~") != strings.Count(text, "~0")+strings.Count(text, "~1") {
		return pointer{}, "in a path '~' is followed by 0 or 1"
	}
	p := pointer{text: text, steps: strings.Split(text[1:], "/")}
	if strings.Contains(text, "~") {
		for i, step := range p.steps {
			p.steps[i] = unescape.Replace(step)
		}
	}
	return p, ""
}

// The escapes in the steps of a pointer.
var (
	unescape = strings.NewReplacer("~1", "/", "~0", "~")
	escape   = strings.NewReplacer("/", "~1", "~", "~0")
)

// prefix returns the text of the pointer up to a number of steps.
func (p pointer) prefix(steps int) string {
	text := p.text
	for i := 0; i < len(text); i++ {
		if text[i] == '/' {
			if steps == 0 {
				return text[:i]
			}
			steps--
		}
	}
	return text
}

// within reports whether the pointer leads to a value inside that of another one.
func (p pointer) within(other pointer) bool {
	return len(p.steps) > len(other.steps) && strings.HasPrefix(p.text, other.text) && p.text[len(other.text)] == '/'
}

// appendStep appends a step to the text of a pointer.
func appendStep(dst []byte, step string) []byte {
	return append(append(dst, '/'), escape.Replace(step)...)
}

// index parses a step as the index of an array with n elements; negative ones count from the end.
// It reports false for other texts and for an index out of range.
func index(step string, n int) (int, bool) {
	digits := strings.TrimPrefix(step, "-")
	if digits == "" || len(digits) > 1 && digits[0] == '0' {
		return 0, false
	}
	for i := range len(digits) {
		if digits[i]-'0' > 9 {
			return 0, false
		}
	}
	i, err := strconv.Atoi(step)
	if i < 0 {
		i += n
	}
	return i, err == nil && 0 <= i && i < n
}
