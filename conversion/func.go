package conversion

// Func converts an object of one type to another type. It never writes to in and fills every field
// of out except apiVersion and kind. The scope may be nil; its methods work then.
type Func[In, Out any] = func(in *In, out *Out, s *Scope) error

// Loss is something that a conversion cannot carry over, declared where the conversion is
// registered.
type Loss struct {
	// Path is the field of the source that the target has no place for, as [schema.Path] prints it.
	Path string
	// Reason says why, for people.
	Reason string
}

// String returns "path: reason", or the path alone.
func (l Loss) String() string {
	if l.Reason == "" {
		return l.Path
	}
	return l.Path + ": " + l.Reason
}
