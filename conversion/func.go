package conversion

// Func converts an object of one type to another type. It never writes to in and fills every field
// of out except apiVersion and kind. The scope may be nil; its methods accept a nil receiver.
type Func[In, Out any] = func(in *In, out *Out, s *Scope) error

// Loss describes data that a conversion cannot convert. It is declared where the conversion is
// registered.
type Loss struct {
	// Path is the field of the source that has no counterpart in the target, as [schema.Path]
	// prints it.
	Path string
	// Reason explains the loss to people.
	Reason string
	// Partial means that the target expresses some values of the field, so that whether a value is
	// lost depends on it. An example is a target that does not distinguish zero from unset.
	Partial bool
}

// String returns "path: reason", or the path alone.
func (l Loss) String() string {
	if l.Reason == "" {
		return l.Path
	}
	return l.Path + ": " + l.Reason
}
