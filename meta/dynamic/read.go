package dynamic

import (
	"encoding/json"
	"errors"
	"math"
	"strings"

	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire/jsonwire"
)

// readSchema reads the schema of an object.
func readSchema(text []byte) (*node, error) {
	r := jsonwire.NewReader(text, jsonwire.Options{Room: math.MaxInt})
	n, err := readNode(r)
	if err == nil {
		r.End()
	}
	if r.Err() != nil {
		return nil, r.Err()
	}
	if wrong, ok := errors.AsType[*wrongType](err); ok {
		path := ""
		if at, ok := errors.AsType[*schema.PathError](err); ok {
			path = at.Path.String()
		}
		return nil, errors.New(strings.TrimSpace(path + " " + wrong.Error()))
	}
	if n == nil {
		n = new(node)
	}
	return n, err
}

// wrongType is the error for a value of another type than the keyword has.
type wrongType struct{ found string }

func (e *wrongType) Error() string { return "cannot be " + article(e.found) }

// typeNames has the names of the types of JSON values, by what [jsonwire.Reader.Kind] returns.
var typeNames = map[byte]string{'{': "object", '[': "array", '"': "string", '0': "number", 't': "bool"}

// readNode reads a schema, nil for null. Package encoding/json reads the members that contain no
// schemas, and nothing twice, so that the time is proportional to the text, however deep schemas
// are nested.
func readNode(r *jsonwire.Reader) (*node, error) {
	switch kind := r.Kind(); kind {
	case '{':
	case 'n':
		r.Skip()
		return nil, nil
	default:
		r.Skip()
		return nil, &wrongType{typeNames[kind]}
	}
	n := new(node)
	own := []byte{'{'}
	for key := r.Object(); key != nil; key = r.NextKey() {
		name := string(key)
		if err := n.readMember(r, name, &own); err != nil {
			return nil, schema.AtField(err, name)
		}
	}
	err := json.Unmarshal(append(own, '}'), n)
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok { // it names Go types
		return nil, schema.AtField(&wrongType{wrong.Value}, wrong.Field)
	}
	return n, err
}

// readMember reads a member of a schema that contains schemas, and appends any other to own.
func (n *node) readMember(r *jsonwire.Reader, name string, own *[]byte) (err error) {
	if name == "description" && r.Kind() == '"' { // most of the text of many schemas
		n.Description = r.String("")
		return nil
	}
	switch name {
	case "properties":
		n.Properties, err = readByName(r)
	case "additionalProperties":
		if r.Kind() == '{' {
			n.Additional = json.RawMessage("{}")
			n.additional, err = readNode(r)
		} else {
			n.Additional = r.Raw()
		}
	case "items":
		n.Items, err = readNode(r)
	case "not":
		n.Not, err = readNode(r)
	case "allOf":
		n.AllOf, err = readAll(r)
	case "anyOf":
		n.AnyOf, err = readAll(r)
	case "oneOf":
		n.OneOf, err = readAll(r)
	default:
		if len(*own) > 1 {
			*own = append(*own, ',')
		}
		*own = append(jsonwire.AppendString(*own, name), ':')
		if value := r.Raw(); value != nil {
			*own = append(*own, value...)
		} else {
			*own = append(*own, "null"...)
		}
	}
	return err
}

// readByName reads an object of schemas.
func readByName(r *jsonwire.Reader) (map[string]*node, error) {
	if kind := r.Kind(); kind != '{' && kind != 'n' {
		r.Skip()
		return nil, &wrongType{typeNames[kind]}
	}
	var out map[string]*node
	for key := r.Object(); key != nil; key = r.NextKey() {
		name := string(key)
		n, err := readNode(r)
		if err != nil {
			return nil, schema.AtKey(err, name)
		}
		if out == nil {
			out = map[string]*node{}
		}
		out[name] = n
	}
	return out, nil
}

// readAll reads an array of schemas.
func readAll(r *jsonwire.Reader) ([]*node, error) {
	if kind := r.Kind(); kind != '[' && kind != 'n' {
		r.Skip()
		return nil, &wrongType{typeNames[kind]}
	}
	var out []*node
	for more := r.Array(); more; more = r.NextElem() {
		n, err := readNode(r)
		if err != nil {
			return nil, schema.AtIndex(err, len(out))
		}
		out = append(out, n)
	}
	return out, nil
}
