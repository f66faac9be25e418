package structure

import (
	"strings"

	"github.com/askind/askind/runtime"
)

// Of returns the structure of the objects of a kind, nil if the kind is nil or has no generated
// schema. Each call creates a new graph, so keep the result.
func Of(k *runtime.Kind) *Type {
	if k == nil {
		return nil
	}
	info := k.Info()
	if info.Schemas == nil || info.Schemas.MergeType(info.SchemaName) == nil {
		return nil
	}
	b := builder{schemas: info.Schemas, types: map[string]*Type{}}
	return b.named(info.SchemaName)
}

// builder makes types of generated tables.
type builder struct {
	schemas *runtime.Schemas
	types   map[string]*Type // by name; types may contain themselves
}

// named returns a struct type.
func (b *builder) named(name string) *Type {
	if t := b.types[name]; t != nil {
		return t
	}
	t := &Type{Kind: Struct}
	b.types[name] = t
	if m := b.schemas.MergeType(name); m != nil {
		t.Atomic = m.Atomic
		t.Fields = make([]Field, len(m.Fields))
		for i := range m.Fields {
			t.Fields[i] = b.field(&m.Fields[i])
		}
	}
	return t
}

func (b *builder) field(m *runtime.MergeField) Field {
	f := Field{Name: m.Name, Type: b.typeOf(m), Default: m.Default, MergeKey: m.MergeKey}
	for s := range strings.SplitSeq(m.Strategy, ",") {
		switch s {
		case "merge":
			f.Merge = true
		case "replace":
			f.Replace = true
		case "retainKeys":
			f.RetainKeys = true
		}
	}
	return f
}

// typeOf returns the type of a field. A field that is neither list nor map nor struct, but merges
// in a strategic merge patch, is a list that server-side apply replaces.
func (b *builder) typeOf(m *runtime.MergeField) *Type {
	elem := Deduced
	if m.Type != "" {
		elem = b.named(m.Type)
	}
	switch {
	case m.Unknown:
		return &Type{Atomic: true}
	case m.Map:
		return &Type{Kind: Map, Elem: elem, Atomic: m.Atomic}
	case m.List == runtime.ListMap:
		return &Type{Kind: List, Elem: elem, Keys: m.Keys}
	case m.List == runtime.ListSet:
		return &Type{Kind: List, Elem: elem, Set: true}
	case m.List != "", m.MergeKey != "", strings.Contains(m.Strategy, "merge"):
		return &Type{Kind: List, Elem: elem}
	case m.Type == "" && m.Default == "" && m.Strategy == "":
		return elem // only the name is known
	case m.Type == "":
		return &Type{Kind: Scalar}
	case m.Atomic:
		atomic := *elem
		atomic.Atomic = true
		return &atomic
	}
	return elem
}
