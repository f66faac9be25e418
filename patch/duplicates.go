package patch

import (
	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire"
	"github.com/askind/askind/wire/jsonwire"
)

// Duplicates returns an error for each member that occurs more than once in an object of a patch,
// at any depth, at most as many as Limits.Problems says. Parse uses the last of them; a server
// reports the others according to the fieldValidation of the request. A text that is not JSON has
// none. Where the paths of many are long, the last ones have none.
func Duplicates(t Type, data []byte, l Limits) []*Error {
	l = l.orDefaults()
	r := jsonwire.NewReader(data, jsonwire.Options{Strict: true, Limits: l.Limits})
	r.Raw()
	r.End()
	if r.Err() != nil {
		return nil
	}
	var out []*Error
	levels := 0
	for _, p := range r.Problems() {
		if p.Code != wire.DuplicateField {
			continue
		}
		path := ""
		if levels += jsonwire.Levels(data, p.Offset); levels <= mostLevels {
			path = jsonwire.PathAt(data, p.Offset).String()
			levels += len(path) / stepBytes
		}
		out = append(out, &Error{
			Type: t, Operation: -1, Path: path, Err: ErrSyntax, Message: p.Message,
			Position: schema.PositionOf(data, p.Offset),
		})
	}
	return out
}

const (
	// mostLevels bounds the steps of all paths of duplicates. In a patch that is nested deeply they
	// are thousands of times as long as the patch.
	mostLevels = 10_000
	// stepBytes is how many bytes of a path take the memory of a step, so that long names count as
	// several.
	stepBytes = 50
)
