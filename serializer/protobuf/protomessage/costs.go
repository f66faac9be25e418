package protomessage

import (
	"math"
	"reflect"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/askind/askind/wire/pbwire"
)

// costs has the sizes of the Go structs of messages, by name, so that the memory of what is read
// counts toward schema.Limits.Memory. The protobuf library does not count it.
type costs map[protoreflect.FullName]int

// costsOf returns the sizes of a message and of all messages that it may contain.
func costsOf(m protoreflect.Message) costs {
	c := costs{}
	c.add(m)
	return c
}

func (c costs) add(m protoreflect.Message) {
	d := m.Descriptor()
	if _, known := c[d.FullName()]; known {
		return
	}
	// the value of a oneof, or of a scalar with presence, is behind a pointer
	c[d.FullName()] = int(reflect.TypeOf(m.Interface()).Elem().Size()) + 24*d.Oneofs().Len()
	for i := range d.Fields().Len() {
		switch f := d.Fields().Get(i); {
		case f.IsMap():
			if f.MapValue().Message() != nil {
				c.add(m.NewField(f).Map().NewValue().Message())
			}
		case f.Message() == nil:
		case f.IsList():
			c.add(m.NewField(f).List().NewElement().Message())
		default:
			c.add(m.NewField(f).Message())
		}
	}
}

// of returns the bytes that one more value of a field takes, apart from its text. Lists and maps
// have room for up to twice their values.
func (c costs) of(f protoreflect.FieldDescriptor) int {
	const word = 8
	switch {
	case f.IsMap():
		n := 2 * 4 * word
		if v := f.MapValue().Message(); v != nil {
			n += c[v.FullName()]
		}
		return n
	case f.Message() != nil:
		return c[f.Message().FullName()] + 2*word
	case !f.IsList():
		return 0 // a part of the message
	case f.Kind() == protoreflect.StringKind || f.Kind() == protoreflect.BytesKind:
		return 2 * 3 * word
	}
	return 2 * word
}

// ofValues returns the bytes that JSON takes as a message Value, Struct or ListValue.
func (c costs) ofValues(text []byte) int {
	value := c["google.protobuf.Value"] + 16
	n := value
	for i := 0; i < len(text) && n < math.MaxInt/2; i++ {
		switch text[i] {
		case '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case ',':
			n += value
		case '[':
			n += value + c["google.protobuf.ListValue"]
		case '{':
			n += value + c["google.protobuf.Struct"]
		case ':':
			n += 64 // the entry of a map
		}
	}
	return n
}

// check scans a message, reports the fields that its descriptor does not have, and counts the
// memory that the others take.
func (c costs) check(r *pbwire.Reader, m protoreflect.MessageDescriptor) {
	for r.Next() {
		number := protoreflect.FieldNumber(r.Field())
		f := m.Fields().ByNumber(number)
		switch {
		case f == nil && !m.ExtensionRanges().Has(number):
			r.Unknown()
			continue
		case f == nil:
			r.Skip()
			continue
		case !m.IsMapEntry(): // the entry has been counted
			r.Spend(c.of(f))
		}
		if f.Kind() == protoreflect.MessageKind {
			saved := r.Message()
			c.check(r, f.Message())
			r.EndMessage(saved)
			continue
		}
		from := r.Offset()
		r.Skip()
		if width := packed(f.Kind()); width > 0 && f.IsList() {
			r.Spend(min((r.Offset()-from)/width, math.MaxInt/64) * c.of(f))
		}
	}
}

// packed returns how many bytes a number of a packed list takes at least, and 0 for what cannot be
// packed.
func packed(k protoreflect.Kind) int {
	switch k {
	case protoreflect.StringKind, protoreflect.BytesKind, protoreflect.MessageKind, protoreflect.GroupKind:
		return 0
	case protoreflect.Fixed64Kind, protoreflect.Sfixed64Kind, protoreflect.DoubleKind:
		return 8
	case protoreflect.Fixed32Kind, protoreflect.Sfixed32Kind, protoreflect.FloatKind:
		return 4
	}
	return 1
}
