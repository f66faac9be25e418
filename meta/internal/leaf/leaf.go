// Package leaf implements the json.Unmarshaler methods of the leaf values of the meta packages,
// such as times and quantities. Package functions decode these values from a [jsonwire.Reader]; the
// methods are for programs that use encoding/json instead.
package leaf

import (
	"errors"

	"github.com/askind/askind/wire/jsonwire"
)

// Unmarshal decodes data, which must be exactly one JSON value, and returns the first problem.
func Unmarshal[T any](data []byte, out *T, decode func(*jsonwire.Reader, *T)) error {
	r := jsonwire.NewReader(data, jsonwire.Options{})
	decode(r, out)
	r.End()
	if err := r.Err(); err != nil {
		return err
	}
	problems := r.Problems()
	switch {
	case len(problems) == 0:
		return nil
	case problems[0].Err != nil:
		return problems[0].Err
	}
	return errors.New(problems[0].Message)
}
