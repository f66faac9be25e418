package pbwire

// Extend makes a list of messages one zero element longer, for the value of the current field. A nil list gets room for all
// elements that follow. Decoders call it before they enter the message.
func Extend[T any](r *Reader, list []T) []T {
	if list == nil {
		list = make([]T, 0, r.Count())
	}
	n := len(list)
	if n == cap(list) {
		var zero T
		return append(list, zero)
	}
	list = list[:n+1]
	clear(list[n:])
	return list
}
