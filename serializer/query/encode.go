package query

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire/jsonwire"
)

// ErrNotFlat reports that an object cannot be written as a query because a field holds an object or
// a list of anything but scalars.
var ErrNotFlat = errors.New("the field cannot be represented in a query")

// Encode writes an object as a query, which can be used as url.Values. Fields that JSON omits or
// writes as null are omitted; lists repeat their parameter. The parameters kind and apiVersion are
// written if they differ from assumed, the kind that the reader assumes for a query without them,
// see [KindOf]. Decoding the query yields an equal object. The error is [ErrNotFlat], for
// errors.Is, if a field cannot be represented in a query.
func (c *Codec) Encode(obj runtime.Object, assumed schema.GroupVersionKind) (map[string][]string, error) {
	k, err := c.scheme.KindOf(obj)
	if err != nil {
		return nil, err
	}
	doc, err := k.AppendJSON(nil, obj)
	if err != nil {
		return nil, err
	}
	out := map[string][]string{}
	r := jsonwire.NewReader(doc, jsonwire.Options{})
	for key := r.Object(); key != nil; key = r.NextKey() {
		name := string(key)
		switch {
		case isType(name):
			r.Skip()
		case slices.Contains(nestedFields[k.Name()], name) && r.Kind() == '{':
			for key := r.Object(); key != nil; key = r.NextKey() {
				if err := encodeValue(r, string(key), out); err != nil {
					return nil, err
				}
			}
		default:
			if err := encodeValue(r, name, out); err != nil {
				return nil, err
			}
		}
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	if k.Name() != assumed.Kind {
		out[kindParameter] = []string{k.Name()}
	}
	if k.GroupVersion() != assumed.GroupVersion() {
		out[versionParameter] = []string{k.APIVersion()}
	}
	return out, nil
}

// encodeValue adds the next value.
func encodeValue(r *jsonwire.Reader, name string, out map[string][]string) error {
	if r.Kind() != '[' {
		v, err := scalarText(r, name)
		if err == nil && v != nil {
			out[name] = append(out[name], *v)
		}
		return err
	}
	for more := r.Array(); more; more = r.NextElem() {
		v, err := scalarText(r, name)
		if err != nil {
			return err
		}
		if v == nil {
			return fmt.Errorf("query: %s: null in a list: %w", name, ErrNotFlat)
		}
		out[name] = append(out[name], *v)
	}
	return nil
}

// scalarText returns the next value as the text of a parameter, or nil for null.
func scalarText(r *jsonwire.Reader, name string) (*string, error) {
	var v string
	switch r.Kind() {
	case '"':
		v = r.String("")
	case 't':
		v = strconv.FormatBool(r.Bool(false))
	case '0':
		v = string(r.Number())
	case 'n':
		r.Null()
		return nil, nil
	default:
		return nil, fmt.Errorf("query: %s: %w", name, ErrNotFlat)
	}
	return &v, nil
}
