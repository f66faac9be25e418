package json

import (
	"github.com/askind/askind/codegen/internal/emit"
	"github.com/askind/askind/codegen/internal/feature"
	"github.com/askind/askind/codegen/internal/model"
)

// encoded registers the parts of a kind that can be read from encoded JSON alone. Kinds with
// hand-written functions or methods are skipped.
func encoded(c *feature.Context, k *model.Kind) {
	u := c.Universe
	if u.Func(model.DecodeJSON, k.Named).State != model.Generated || k.Struct == nil || model.ReadsItself(k.Named) {
		return
	}
	if fn, ok := u.MetadataFunc(model.DecodeJSON, k); ok {
		c.Registrations.KindField(k, feature.Encoded+"DecodeJSONMetadata", func(f *emit.File) string {
			return f.Sf("func(r *%s, out *%s) { %s(r, &out.%s) }", wire("Reader"), k.Named, fn.Ident, k.Metadata.Name)
		})
	}
	if !k.IsList || k.ItemKind == nil || k.ItemPointer {
		return
	}
	for _, f := range u.JSONFields(k.Struct) {
		if f.Key == "items" && f.Var == k.Items.Var && u.Func(model.DecodeJSON, k.Item).Exists() {
			c.Registrations.KindField(k, feature.Encoded+"JSONItems", func(*emit.File) string { return "true" })
		}
	}
}
