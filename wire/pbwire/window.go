package pbwire

const (
	// windowSize is how much of the input is copied at once, in bytes. A string kept alone keeps
	// that much memory at most.
	windowSize = 1 << 10
	// sharedLimit is the longest string that is cut from a window; longer ones stand alone.
	sharedLimit = 1 << 7
)

// window is a copy of a part of the input, from which strings are cut. So an object costs an
// allocation for each windowSize bytes of its message and not for each of its strings, and no byte
// is copied one string at a time. What lies between the strings is copied with them; as windows do
// not overlap, that is never more than the input.
//
//	data: ......|tag|len| string |tag|len| string |tag|len|....
//	window:             | string |tag|len| string |
//	                    ^from
type window struct {
	text string
	from int
	// limit is where the current item of a list ends. A window that begins in front of it does not
	// go beyond.
	limit int
	// off gives each string memory of its own.
	off bool
}

// slice returns the bytes of the input from i to j as a string, if it has been copied.
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
