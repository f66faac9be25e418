package patch

import (
	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire"
	"github.com/askind/askind/wire/jsonwire"
)

// Duplicates returns an error for each member that occurs more than once in an object of a patch,
// at any depth, at most as many as Limits.Problems says. Parse uses the last of them; a server
// reports the others according to the fieldValidation of the request. A text that is not JSON has
// none.
func Duplicates(t Type, data []byte, l Limits) []*Error {
	l = l.orDefaults()
	r := jsonwire.NewReader(data, jsonwire.Options{Strict: true, Limits: l.Limits})
	r.Raw()
	r.End()
	if r.Err() != nil {
		return nil
	}
	var out []*Error
	for _, p := range r.Problems() {
		if p.Code != wire.DuplicateField {
			continue
		}
		out = append(out, &Error{
			Type: t, Operation: -1, Path: jsonwire.PathAt(data, p.Offset).String(), Err: ErrSyntax, Message: p.Message,
			Position: schema.PositionOf(data, p.Offset),
		})
	}
	return out
}
