package protomessage

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire/jsonwire"
)

// decodeJSON fills a message from the next value. The value is first read as described by the
// descriptor. Valid parts are written as unambiguous JSON for protojson; problems are recorded with
// their positions and the values omitted.
func (c *codec) decodeJSON(r *jsonwire.Reader, m proto.Message) {
	f := refiner{r: r, costs: c.costs()}
	f.message(c.message, func(key []byte) bool { return !c.typed && c.isType(key) })
	if r.Err() != nil {
		return // the text ended early, so the refined text is incomplete
	}
	r.Invalid(protojson.UnmarshalOptions{RecursionLimit: recursionLimit}.Unmarshal(f.out, m))
}

// refiner writes the valid part of a message.
type refiner struct {
	r     *jsonwire.Reader
	costs costs
	out   []byte
}

// member is the range of a written member.
type member struct{ from, to int }

// message refines an object of fields. Members for which ignore returns true are not fields.
func (f *refiner) message(m protoreflect.MessageDescriptor, ignore func(key []byte) bool) {
	seen := map[protoreflect.FieldNumber]member{}
	chosen := map[protoreflect.Name]protoreflect.FieldNumber{} // of each oneof
	start := len(f.out)
	f.out = append(f.out, '{')
	for key := f.r.Object(); key != nil; key = f.r.NextKey() {
		field := fieldOf(m, key)
		switch {
		case field == nil && ignore != nil && ignore(key):
			f.r.Skip()
			continue
		case field == nil:
			f.unknown(key, m)
			continue
		}
		earlier, twice := seen[field.Number()]
		if twice {
			f.r.Duplicate(key)
		}
		if !isValue(field) && f.r.Null() {
			if twice {
				f.blank(earlier)
				delete(seen, field.Number())
			}
			continue
		}
		if one := field.ContainingOneof(); one != nil && !one.IsSynthetic() {
			if other, ok := chosen[one.Name()]; ok && other != field.Number() {
				f.r.Skip()
				f.r.Invalid(fmt.Errorf("only one of the fields of %s can be set, and %s is set already", one.Name(),
					m.Fields().ByNumber(other).JSONName()))
				continue
			}
			chosen[one.Name()] = field.Number()
		}
		from := len(f.out)
		f.out = append(jsonwire.AppendString(f.out, field.JSONName()), ':')
		if !f.field(field) {
			f.out = f.out[:from]
			continue
		}
		f.out = append(f.out, ',')
		if twice {
			f.blank(earlier)
		}
		seen[field.Number()] = member{from, len(f.out)}
	}
	f.end(start, '}')
}

// blank overwrites a member that a later member of the same name replaces.
func (f *refiner) blank(m member) {
	for i := m.from; i < m.to; i++ {
		f.out[i] = ' '
	}
}

// end closes the object or the array that began at start. Each member has written a comma.
func (f *refiner) end(start int, mark byte) {
	last := len(f.out) - 1
	for last > start && f.out[last] == ' ' {
		last--
	}
	if last > start && f.out[last] == ',' {
		f.out = f.out[:last]
	}
	f.out = append(f.out, mark)
}

// fieldOf finds a field by its name in JSON or in the .proto file.
func fieldOf(m protoreflect.MessageDescriptor, key []byte) protoreflect.FieldDescriptor {
	if f := m.Fields().ByJSONName(string(key)); f != nil {
		return f
	}
	return m.Fields().ByTextName(string(key))
}

// unknown skips a member that is not a field, and records it in strict mode.
func (f *refiner) unknown(key []byte, m protoreflect.MessageDescriptor) {
	var names []string
	if f.r.Strict() {
		names = make([]string, m.Fields().Len())
		for i := range names {
			names[i] = m.Fields().Get(i).JSONName()
		}
	}
	f.r.Unknown(key, names)
}

// field refines the value of a field. It returns false if there is nothing to write.
func (f *refiner) field(d protoreflect.FieldDescriptor) bool {
	switch {
	case d.IsList():
		return f.list(d)
	case d.IsMap():
		return f.dict(d)
	}
	f.r.Spend(f.costs.of(d))
	return f.value(d)
}

func (f *refiner) list(d protoreflect.FieldDescriptor) bool {
	if f.r.Kind() != '[' {
		f.r.Array() // records the problem
		return false
	}
	start := len(f.out)
	f.out = append(f.out, '[')
	for more := f.r.Array(); more; more = f.r.NextElem() {
		f.r.Spend(f.costs.of(d))
		from := len(f.out)
		switch {
		case !isValue(d) && f.r.Null():
			f.r.Invalid(errors.New("a list of a message has no null elements"))
		case f.value(d):
			f.out = append(f.out, ',')
		default:
			f.out = f.out[:from]
		}
	}
	f.end(start, ']')
	return true
}

func (f *refiner) dict(d protoreflect.FieldDescriptor) bool {
	if f.r.Kind() != '{' {
		f.r.Object() // records the problem
		return false
	}
	seen := map[string]member{}
	start := len(f.out)
	f.out = append(f.out, '{')
	for key := f.r.Object(); key != nil; key = f.r.NextKey() {
		f.r.Spend(f.costs.of(d))
		name := string(key)
		earlier, twice := seen[name]
		if twice {
			f.r.Duplicate(key)
		}
		from := len(f.out)
		f.out = append(jsonwire.AppendString(f.out, name), ':')
		switch {
		case !isValue(d.MapValue()) && f.r.Null():
			f.r.Invalid(errors.New("a map of a message has no null values"))
			f.out = f.out[:from]
			continue
		case !f.value(d.MapValue()):
			f.out = f.out[:from]
			continue
		}
		if err := keyError(d.MapKey(), name); err != nil {
			f.r.Invalid(err)
			f.out = f.out[:from]
			continue
		}
		f.out = append(f.out, ',')
		if twice {
			f.blank(earlier)
		}
		seen[name] = member{from, len(f.out)}
	}
	f.end(start, '}')
	return true
}

// keyError returns the reason why a name is not a valid key of a map.
func keyError(d protoreflect.FieldDescriptor, name string) error {
	switch d.Kind() {
	case protoreflect.StringKind:
		return nil
	case protoreflect.BoolKind:
		if name != "true" && name != "false" {
			return fmt.Errorf("the map key %q is neither true nor false", name)
		}
		return nil
	}
	if err := probe(d, jsonwire.AppendString(nil, name)); err != nil {
		return fmt.Errorf("the map key %q is not a valid %s", name, d.Kind())
	}
	return nil
}

// value refines one value.
func (f *refiner) value(d protoreflect.FieldDescriptor) bool {
	switch d.Kind() {
	case protoreflect.MessageKind, protoreflect.GroupKind:
		return f.nested(d.Message())
	case protoreflect.StringKind:
		text := f.r.Text()
		if text == nil {
			return false
		}
		f.out = jsonwire.AppendString(f.out, string(text))
		return true
	case protoreflect.BoolKind:
		f.out = jsonwire.AppendBool(f.out, f.r.Bool(false))
		return true
	case protoreflect.EnumKind:
		return f.enum(d.Enum())
	case protoreflect.BytesKind:
		text := f.r.Text()
		return text != nil && f.leaf(d, jsonwire.AppendString(nil, string(text)))
	}
	if f.r.Kind() == '"' {
		text := f.r.Text()
		return text != nil && f.leaf(d, jsonwire.AppendString(nil, string(text)))
	}
	text := f.r.Number()
	return text != nil && f.leaf(d, text)
}

// leaf writes a number or bytes if protojson accepts them.
func (f *refiner) leaf(d protoreflect.FieldDescriptor, text []byte) bool {
	if err := probe(d, text); err != nil {
		f.r.Invalid(fmt.Errorf("not a value of type %s", d.Kind()))
		return false
	}
	f.out = append(f.out, text...)
	return true
}

// probe lets protojson read a text as a value of a kind.
func probe(d protoreflect.FieldDescriptor, text []byte) error {
	var m proto.Message
	switch d.Kind() {
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		m = &wrapperspb.Int32Value{}
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		m = &wrapperspb.Int64Value{}
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		m = &wrapperspb.UInt32Value{}
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		m = &wrapperspb.UInt64Value{}
	case protoreflect.FloatKind:
		m = &wrapperspb.FloatValue{}
	case protoreflect.DoubleKind:
		m = &wrapperspb.DoubleValue{}
	default:
		m = &wrapperspb.BytesValue{}
	}
	return protojson.Unmarshal(text, m)
}

// enum refines a value of an enumeration, by name or by number.
func (f *refiner) enum(d protoreflect.EnumDescriptor) bool {
	if f.r.Kind() == '0' {
		f.out = jsonwire.AppendInt(f.out, int64(f.r.Int32(0)))
		return true
	}
	text := f.r.Text()
	if text == nil {
		return false
	}
	if d.Values().ByName(protoreflect.Name(text)) == nil {
		known := make([]string, d.Values().Len())
		for i := range known {
			known[i] = string(d.Values().Get(i).Name())
		}
		err := fmt.Errorf("the enumeration %s has no value %q", d.Name(), text)
		if nearest, ok := schema.Nearest(string(text), known); ok {
			err = fmt.Errorf("%w (did you mean %q?)", err, nearest)
		}
		f.r.Invalid(err)
		return false
	}
	f.out = jsonwire.AppendString(f.out, string(text))
	return true
}

// isValue reports whether null is a value of the field rather than its absence.
func isValue(d protoreflect.FieldDescriptor) bool {
	switch {
	case d.IsMap():
		return false
	case d.Kind() == protoreflect.EnumKind:
		return d.Enum().FullName() == "google.protobuf.NullValue"
	}
	return d.Message() != nil && d.Message().FullName() == "google.protobuf.Value"
}

// nested refines a message inside another. Well-known types with a form of their own are left to
// protojson.
func (f *refiner) nested(m protoreflect.MessageDescriptor) bool {
	if m.ParentFile().Package() != "google.protobuf" || m.Name() == "Empty" {
		if f.r.Kind() != '{' {
			f.r.Object() // records the problem
			return false
		}
		f.message(m, nil)
		return true
	}
	var text []byte
	switch m.Name() {
	case "Timestamp", "Duration", "FieldMask", "StringValue", "BytesValue": // a YAML scalar is a string here
		if text = f.r.Text(); text != nil {
			text = jsonwire.AppendString(nil, string(text))
		}
	default:
		if f.r.Null() {
			text = []byte("null")
		} else {
			text = f.r.Raw()
			f.r.Spend(f.costs.ofValues(text))
		}
	}
	if text == nil || f.r.Err() != nil {
		return false
	}
	if err := protojson.Unmarshal(text, dynamicpb.NewMessage(m)); err != nil {
		f.r.Invalid(fmt.Errorf("not a %s", m.FullName()))
		return false
	}
	f.out = append(f.out, text...)
	return true
}
