package pbwire

const (
	// windowSize is the number of bytes of the input that are copied at once. A retained string
	// keeps at most that much memory.
	windowSize = 1 << 10
	// sharedLimit is the maximum length of strings that are cut from a window; longer ones are
	// allocated separately.
	sharedLimit = 1 << 7
)

// window is a copy of a part of the input, from which strings are cut. So an object costs one
// allocation for each windowSize bytes of its message, instead of one for each string, and few
// copies. The bytes between the strings are copied as well; because windows do not overlap, no more
// than the input is copied.
//
//	data: ......|tag|len| string |tag|len| string |tag|len|....
//	window:             | string |tag|len| string |
//	                    ^from
type window struct {
	text string
	from int
	// limit is the end of the current list item. A window that begins before it does not extend
	// beyond it.
	limit int
	// off allocates each string separately.
	off bool
}

// slice returns the bytes of the input from i to j as a string, if the window contains them.
func (w *window) slice(i, j int) (string, bool) {
	i, j = i-w.from, j-w.from
	if i < 0 || j > len(w.text) {
		return "", false
	}
	return w.text[i:j], true
}

// keep returns the bytes of the input from i to j as a string.
func (w *window) keep(data []byte, i, j int) string {
	switch {
	case i == j: // would keep the window
		return ""
	case w.off || j-i > sharedLimit:
		return string(data[i:j])
	}
	if s, ok := w.slice(i, j); ok {
		return s
	}
	end := len(data)
	if i < w.limit {
		end = w.limit
	}
	end = max(j, min(i+windowSize, end))
	w.text, w.from = string(data[i:end]), i
	return w.text[:j-i]
}

// item closes the window and bounds the next ones by the end of an item.
func (w *window) item(end int) { w.text, w.limit = "", end }
