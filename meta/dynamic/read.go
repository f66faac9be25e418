package dynamic

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strconv"
	"strings"

	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire/jsonwire"
)

// nodes are the schemas in the versions of a definition. Schemas that are equal but for their
// descriptions and titles are one node: those of pods, selectors and conditions recur within a
// version, and most of a version in the others.
type nodes struct {
	known map[string]*node  // by their text, which has numbers in place of the schemas in it
	names map[string]string // of members and keywords
	text  []byte            // of the schemas that are being read, each inside of the one before
	spare *uncommon         // an empty one
}

// read reads the schema of an object.
func (s *nodes) read(text []byte) (*node, error) {
	if s.known == nil {
		s.known, s.names, s.spare = map[string]*node{}, map[string]string{}, new(uncommon)
	}
	s.text = s.text[:0]
	r := jsonwire.NewReader(text, jsonwire.Options{Room: math.MaxInt})
	n, err := s.node(r)
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
		n = newNode()
	}
	return n, err
}

// wrongType is the error for a value of another type than the keyword has.
type wrongType struct{ found string }

func (e *wrongType) Error() string { return "cannot be " + article(e.found) }

// typeNames has the names of the types of JSON values, by what [jsonwire.Reader.Kind] returns.
var typeNames = map[byte]string{'{': "object", '[': "array", '"': "string", '0': "number", 't': "bool"}

// node reads a schema, nil for null. Package encoding/json reads the members that contain no
// schemas, and nothing twice, so that the time is proportional to the text, however deep schemas
// are nested.
func (s *nodes) node(r *jsonwire.Reader) (*node, error) {
	switch kind := r.Kind(); kind {
	case '{':
	case 'n':
		r.Skip()
		return nil, nil
	default:
		r.Skip()
		return nil, &wrongType{typeNames[kind]}
	}
	n := newNode()
	start := len(s.text)
	defer func() { s.text = s.text[:start] }()
	s.text = append(s.text, '{')
	for key := r.Object(); key != nil; key = r.NextKey() {
		name := s.name(key)
		if err := s.member(r, n, name, start); err != nil {
			return nil, schema.AtField(err, name)
		}
	}
	s.text = append(s.text, '}')
	end := len(s.text)
	s.text = strconv.AppendBool(strconv.AppendBool(s.text, n.Titled), n.Described)
	key := s.text[start:]
	if same := s.known[string(key)]; same != nil {
		return same, nil
	}
	if err := s.finish(n, s.text[start:end]); err != nil {
		return nil, err
	}
	n.number = uint32(len(s.known) + 1)
	s.known[string(key)] = n
	return n, nil
}

// finish reads the members of a schema that contain no schemas.
func (s *nodes) finish(n *node, text []byte) error {
	if n.uncommon == &common {
		n.uncommon = s.spare
	}
	err := json.Unmarshal(text, n)
	if n.uncommon == s.spare && !reflect.ValueOf(s.spare).Elem().IsZero() {
		s.spare = new(uncommon)
	} else if n.uncommon == s.spare {
		n.uncommon = &common
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok { // it names Go types
		return schema.AtField(&wrongType{wrong.Value}, keyword(wrong.Field))
	}
	if err != nil {
		return err
	}
	n.Type, n.Format = s.name([]byte(n.Type)), s.name([]byte(n.Format))
	for i, name := range n.Required {
		n.Required[i] = s.name([]byte(name))
	}
	return nil
}

// keyword returns the keyword in a path of package encoding/json, which may have structs before it
// and, as of Go 1.27, indexes after it.
func keyword(field string) string {
	field = strings.TrimPrefix(strings.TrimPrefix(field, "uncommon."), "unsupported.")
	field, _, _ = strings.Cut(field, ".")
	return field
}

// name returns a name as a string that all schemas share.
func (s *nodes) name(text []byte) string {
	name, ok := s.names[string(text)]
	if !ok {
		name = string(text)
		s.names[name] = name
	}
	return name
}

// member reads a member of the schema whose text begins at start, and adds it to that text. The
// schemas in it are numbers there, and descriptions, which are most of the text of many schemas,
// are left out.
func (s *nodes) member(r *jsonwire.Reader, n *node, name string, start int) (err error) {
	switch {
	case name == "description" && r.Kind() == '"':
		n.Described = len(r.Text()) > 0
		return nil
	case name == "title" && r.Kind() == '"':
		n.Titled = len(r.Text()) > 0
		return nil
	}
	if len(s.text) > start+1 {
		s.text = append(s.text, ',')
	}
	s.text = append(jsonwire.AppendString(s.text, name), ':')
	switch name {
	case "properties":
		n.Properties, err = s.byName(r)
	case "additionalProperties":
		err = s.additional(r, n)
	case "items":
		n.Items, err = s.numbered(r)
	case "not":
		n.own().Not, err = s.numbered(r)
	case "allOf":
		n.own().AllOf, err = s.all(r)
	case "anyOf":
		n.own().AnyOf, err = s.all(r)
	case "oneOf":
		n.own().OneOf, err = s.all(r)
	default:
		if value := r.Raw(); value != nil {
			s.text = append(s.text, value...)
		} else {
			s.text = append(s.text, "null"...)
		}
	}
	return err
}

// own returns the uncommon part of a schema, which belongs to it alone.
func (n *node) own() *uncommon {
	if n.uncommon == &common {
		n.uncommon = new(uncommon)
	}
	return n.uncommon
}

// numbered reads a schema and adds its number to the text, 0 for null.
func (s *nodes) numbered(r *jsonwire.Reader) (*node, error) {
	n, err := s.node(r)
	number := uint32(0)
	if n != nil {
		number = n.number
	}
	s.text = strconv.AppendUint(s.text, uint64(number), 10)
	return n, err
}

// additional reads the value of additionalProperties.
func (s *nodes) additional(r *jsonwire.Reader, n *node) (err error) {
	if r.Kind() == '{' {
		n.Additional = additionalSchema
		n.additional, err = s.numbered(r)
		return err
	}
	value := r.Raw()
	switch string(value) {
	case "", "null":
		value, n.Additional = []byte("null"), additionalNone
	case "true":
		n.Additional = additionalTrue
	case "false":
		n.Additional = additionalFalse
	default:
		n.Additional = additionalWrong
	}
	s.text = append(s.text, value...)
	return nil
}

// byName reads an object of schemas.
func (s *nodes) byName(r *jsonwire.Reader) (map[string]*node, error) {
	if kind := r.Kind(); kind != '{' && kind != 'n' {
		r.Skip()
		return nil, &wrongType{typeNames[kind]}
	}
	var out map[string]*node
	s.text = append(s.text, '{')
	for key := r.Object(); key != nil; key = r.NextKey() {
		name := s.name(key)
		if out == nil {
			out = map[string]*node{}
		} else {
			s.text = append(s.text, ',')
		}
		s.text = append(jsonwire.AppendString(s.text, name), ':')
		n, err := s.numbered(r)
		if err != nil {
			return nil, schema.AtKey(err, name)
		}
		out[name] = n
	}
	s.text = append(s.text, '}')
	return out, nil
}

// all reads an array of schemas.
func (s *nodes) all(r *jsonwire.Reader) ([]*node, error) {
	if kind := r.Kind(); kind != '[' && kind != 'n' {
		r.Skip()
		return nil, &wrongType{typeNames[kind]}
	}
	var out []*node
	s.text = append(s.text, '[')
	for more := r.Array(); more; more = r.NextElem() {
		if len(out) > 0 {
			s.text = append(s.text, ',')
		}
		n, err := s.numbered(r)
		if err != nil {
			return nil, schema.AtIndex(err, len(out))
		}
		out = append(out, n)
	}
	s.text = append(s.text, ']')
	return out, nil
}
