package located

import (
	"iter"
	"slices"

	"github.com/askind/askind/internal/sorted"
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

// CheckJSON returns a [*runtime.DecodeError] unless a text is one valid JSON value.
func CheckJSON(text []byte) error {
	r := jsonwire.NewReader(text, jsonwire.Options{})
	r.Skip()
	r.End()
	problems := r.Problems()
	if len(problems) == 0 {
		return nil
	}
	p := &problems[len(problems)-1]
	return Failure(&runtime.Problem{
		Position: schema.PositionOf(text, p.Offset), Path: jsonwire.PathAt(text, p.Offset).String(),
		Cause: runtime.CauseOf(p.Code), Message: p.Message,
	})
}

// notOne returns the error for bytes that do not contain exactly one object.
func notOne(message string) error {
	return Failure(&runtime.Problem{Cause: runtime.ErrSyntax, Message: message})
}

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
			return nil, notOne("more than one object found")
		}
		obj = new(object)
		problems = doc.Decode(objectKind(), obj, runtime.ReadOptions{Strict: true, Limits: l})
	}
	repeats := func(p runtime.Problem) bool { return p.Cause == runtime.ErrDuplicateField || p.More > 0 }
	switch wrong := sorted.Delete(slices.Clone(problems), repeats); {
	case len(wrong) > 0:
		return nil, &runtime.DecodeError{Problems: wrong}
	case obj == nil || obj.text == nil:
		return nil, notOne("no object found")
	case len(problems) > 0:
		return obj.text, &runtime.DecodeError{Problems: problems}
	}
	return obj.text, nil
}
