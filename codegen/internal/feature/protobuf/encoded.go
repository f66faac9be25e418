package protobuf

import (
	"strconv"

	"github.com/askind/askind/codegen/internal/emit"
	"github.com/askind/askind/codegen/internal/feature"
	"github.com/askind/askind/codegen/internal/model"
)

// encoded registers the parts of a kind's objects that can be read alone from protobuf. It makes no
// claims about hand-written functions.
func (p *planner) encoded(k *model.Kind) {
	c := p.c
	if c.Universe.Func(model.DecodeProto, k.Named).State != model.Generated {
		return
	}
	set := func(field string, x func(f *emit.File) string) {
		c.Registrations.KindField(k, feature.Encoded+field, x)
	}
	number := func(of *model.Field) func(*emit.File) string {
		return func(*emit.File) string { return strconv.Itoa(p.numberOf(k, of)) }
	}
	if fn, ok := c.Universe.MetadataFunc(model.DecodeProto, k); ok && p.numberOf(k, k.Metadata) > 0 {
		set("DecodeProtoMetadata", func(f *emit.File) string {
			return f.Sf("func(r *%s, out *%s) { %s(r, &out.%s) }", wire("Reader"), k.Named, fn.Ident, k.Metadata.Name)
		})
		set("ProtoMetadata", number(k.Metadata))
	}
	if k.IsList && k.ItemKind != nil && !k.ItemPointer && p.numberOf(k, k.Items) > 0 {
		set("ProtoItems", number(k.Items))
	}
}

// numberOf returns the number of a field in the message of a kind, or 0.
func (p *planner) numberOf(k *model.Kind, of *model.Field) int {
	for _, m := range p.messages {
		if m.t.Named.Obj() != k.Named.Obj() || m.hand {
			continue
		}
		for _, f := range m.fields {
			if f.selector == of.Name && f.node != nil {
				return f.number
			}
		}
	}
	return 0
}
