package located

import (
	"errors"
	"iter"
	"slices"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/format"
	"github.com/askind/askind/wire/jsonwire"
)

// object is an object of any kind as JSON.
type object struct{ text []byte }

// objectKind returns the kind of object. It is a function so that programs without transcoding do
// not link it.
func objectKind() *runtime.Kind {
	return runtime.NewKind(schema.GroupVersionKind{},
		&runtime.KindSpec[object]{DecodeJSON: func(r *jsonwire.Reader, out *object) {
			if r.Kind() == '{' {
				out.text = r.Raw()
				return
			}
			r.Object() // null, or recorded
		}})
}

// The errors for bytes that do not contain exactly one object.
var (
	errNoObject    = errors.New("no object found")
	errManyObjects = errors.New("more than one object found")
)

// Object returns the only object among documents, as JSON, for formats that have a
// [runtime.Scheme.Transcoding]. Duplicate members are an error that accompanies the result.
func Object(documents iter.Seq2[format.Document, error], l schema.Limits) ([]byte, error) {
	var obj *object
	var problems []runtime.Problem
	for doc, err := range documents {
		if err != nil {
			return nil, err
		}
		if obj != nil {
			return nil, errManyObjects
		}
		obj = new(object)
		problems = doc.Decode(objectKind(), obj, runtime.ReadOptions{Strict: true, Limits: l})
	}
	repeats := func(p runtime.Problem) bool { return p.Cause == runtime.ErrDuplicateField }
	switch wrong := slices.DeleteFunc(slices.Clone(problems), repeats); {
	case len(wrong) > 0:
		return nil, &runtime.DecodeError{Problems: wrong}
	case obj == nil || obj.text == nil:
		return nil, errNoObject
	case len(problems) > 0:
		return obj.text, &runtime.DecodeError{Problems: problems}
	}
	return obj.text, nil
}
