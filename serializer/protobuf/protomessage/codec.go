package protomessage

import (
	"errors"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire/jsonwire"
	"github.com/askind/askind/wire/pbwire"
)

// codec reads and writes the messages of one kind. It is safe for concurrent use.
type codec struct {
	message protoreflect.MessageDescriptor
	gvk     schema.GroupVersionKind
	typed   bool         // the message itself states its kind and apiVersion
	costs   func() costs // of the message, see costsOf
}

var errNoObject = errors.New("protomessage: the message is not an object in JSON")

// appendJSON appends the members of a message. protojson varies its white space on purpose and does
// not know kinds.
func (c *codec) appendJSON(dst []byte, m proto.Message) ([]byte, error) {
	text, err := protojson.Marshal(m)
	if err != nil {
		return dst, err
	}
	from := len(dst)
	if !c.typed {
		dst = jsonwire.AppendString(append(dst, `,"kind":`...), c.gvk.Kind)
		dst = jsonwire.AppendString(append(dst, `,"apiVersion":`...), c.gvk.APIVersion())
	}
	r := jsonwire.NewReader(text, jsonwire.Options{})
	if r.Kind() != '{' {
		return dst[:from], errNoObject
	}
	for key := r.Object(); key != nil; key = r.NextKey() {
		if c.isType(key) {
			r.Skip()
			continue
		}
		dst = append(jsonwire.AppendString(append(dst, ','), string(key)), ':')
		if dst, err = jsonwire.AppendRaw(dst, r.Raw()); err != nil {
			return dst[:from], err
		}
	}
	if err := r.Err(); err != nil {
		return dst[:from], err
	}
	return dst, nil
}

// isType reports whether a member is the kind or the apiVersion, which package runtime writes and
// sets. A message may have fields with these names but another meaning.
func (c *codec) isType(key []byte) bool {
	name := string(key)
	return (name == kindName || name == apiVersionName) && (typeField(c.message, name) != nil ||
		c.message.Fields().ByJSONName(name) == nil)
}

// prependProto writes a message without its kind and apiVersion, which are in the envelope.
func (c *codec) prependProto(w *pbwire.Writer, m proto.Message) {
	data, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		w.Fail(err)
		return
	}
	if c.typed {
		data = without(data, typeField(c.message, kindName).Number(), typeField(c.message, apiVersionName).Number())
	}
	w.Raw(data)
}

// without removes two fields from an encoded message, in place.
func without(data []byte, a, b protowire.Number) []byte {
	out := data[:0]
	for len(data) > 0 {
		number, _, n := protowire.ConsumeField(data)
		if n < 0 {
			return append(out, data...) // the library has just written it
		}
		if number != a && number != b {
			out = append(out, data[:n]...)
		}
		data = data[n:]
	}
	return out
}

// decodeProto merges the rest of the current message of r. The reader checks it first for unknown
// fields, depth and syntax, to report them with positions.
func (c *codec) decodeProto(r *pbwire.Reader, m proto.Message) {
	data := r.Rest()
	c.costs().check(r, c.message)
	if r.Err() != nil {
		return
	}
	r.Invalid(proto.UnmarshalOptions{Merge: true, RecursionLimit: recursionLimit, NoLazyDecoding: true}.Unmarshal(data,
		m))
}

// recursionLimit is effectively no limit: the readers of this module have bounded the depth before.
const recursionLimit = 1 << 20
