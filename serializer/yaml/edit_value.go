package yaml

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"slices"

	"github.com/askind/askind/schema"
)

// value is a part of the value of a document, as it is or as it should be. Each part has a value of
// its own, so that a pointer identifies its place.
type value struct {
	id       uint64 // a hash; equal parts of one edit have the same
	data     any    // as decoded from JSON
	members  map[string]*value
	elements []*value

	from *entry // the entry in the text whose lines are written for a new value, or nil
}

// shape is hashed for the parts of a value.
type shape struct {
	kind byte
	text string
	id   uint64
}

//go:noinline
func (s shape) hash(seed maphash.Seed) uint64 { return maphash.Comparable(seed, s) }

// valueOf returns a decoded value with the hashes of its parts.
func valueOf(seed maphash.Seed, data any) *value {
	v, s := &value{data: data}, shape{kind: '?'}
	switch data := data.(type) {
	case map[string]any:
		v.members, s.kind = make(map[string]*value, len(data)), '{'
		for name, inner := range data {
			member := valueOf(seed, inner)
			v.members[name] = member
			s.id += shape{':', name, member.id}.hash(seed)
		}
	case []any:
		v.elements, s.kind = make([]*value, len(data)), '['
		for i, inner := range data {
			v.elements[i] = valueOf(seed, inner)
			s.id = shape{',', "", s.id + v.elements[i].id}.hash(seed)
		}
	case string:
		s.kind, s.text = '"', data
	case json.Number:
		s.kind, s.text = '0', data.String()
	default:
		s.text = fmt.Sprint(data)
	}
	v.id = s.hash(seed)
	return v
}

// decodeJSON returns the value of a JSON text, with numbers as they are written. A blank text is
// null.
func decodeJSON(text []byte) (data any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err = d.Decode(&data); err == io.EOF {
		err = nil
	}
	return data, err
}

// parseValue returns the value of a JSON text with the hashes of its parts.
func parseValue(seed maphash.Seed, text []byte) (*value, error) {
	data, err := decodeJSON(text)
	return valueOf(seed, data), err
}

// put makes the change in the decoded value of its document, which it returns.
func (c *Change) put(data any) (any, error) {
	path, err := schema.ParsePath(c.Path)
	if err != nil {
		return nil, &EditError{Path: c.Path, Err: err}
	}
	var to any
	if c.Value != nil {
		if to, err = normal(c.Value); err != nil {
			return nil, &EditError{Path: c.Path, Err: fmt.Errorf("the new value is not JSON: %w", err)}
		}
	}
	if data, err = put(data, path.Steps(), to, c.Value == nil); err != nil {
		return nil, &EditError{Path: path.String(), Err: err}
	}
	return data, nil
}

// normal returns the value of a JSON text as it is decoded from YAML, with numbers in that form.
func normal(text []byte) (any, error) {
	if err := json.Unmarshal(text, new(json.RawMessage)); err != nil {
		return nil, err
	}
	text, err := FromJSON(nil, slices.Concat([]byte(`{"v":`), text, []byte("}")))
	if err == nil {
		text, err = ToJSON(text)
	}
	if err != nil {
		return nil, err
	}
	whole, err := decodeJSON(text)
	if err != nil {
		return nil, err
	}
	return whole.(map[string]any)["v"], nil
}

// put changes a decoded value in place: it sets or removes the value at a path.
func put(in any, steps []schema.Step, to any, remove bool) (_ any, err error) {
	if len(steps) == 0 {
		if remove {
			err = errors.New("the whole document cannot be removed")
		}
		return to, err
	}
	step, last := steps[0], remove && len(steps) == 1
	if step.Kind == schema.StepIndex {
		list, ok := in.([]any)
		i := step.Index
		switch {
		case in != nil && !ok || i < 0 || i > len(list) || i == len(list) && remove:
			return nil, fmt.Errorf("element %d does not exist; the list has %d", i, len(list))
		case last:
			return append(list[:i], list[i+1:]...), nil
		case i == len(list):
			list = append(list, nil)
		}
		list[i], err = put(list[i], steps[1:], to, remove)
		return list, err
	}
	m, ok := in.(map[string]any)
	inner, has := m[step.Name]
	switch {
	case in != nil && !ok:
		return nil, fmt.Errorf("the member %q cannot be set, because its parent is not a mapping", step.Name)
	case !has && remove:
		return nil, fmt.Errorf("the member %q does not exist", step.Name)
	case m == nil:
		m = map[string]any{}
	}
	if last {
		delete(m, step.Name)
		return m, nil
	}
	m[step.Name], err = put(inner, steps[1:], to, remove)
	return m, err
}
