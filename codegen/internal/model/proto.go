package model

import (
	"cmp"
	"go/types"
	"reflect"
	"slices"
	"strings"

	"github.com/askind/askind/codegen/internal/load"
	"github.com/askind/askind/codegen/internal/marker"
)

// MarshalsProto reports whether a type itself declares the protobuf methods of other generators:
// Size, MarshalToSizedBuffer, which fills a buffer from its end, and Unmarshal.
func MarshalsProto(n *types.Named) bool {
	for name, shape := range protoMethods {
		if !HasMethod(n, name, shape) {
			return false
		}
	}
	return true
}

var protoMethods = map[string]*Shape{
	"Size": ShapeOf("func() int"), "MarshalToSizedBuffer": ShapeOf("func([]byte) (int, error)"),
	"Unmarshal": ShapeOf("func([]byte) error"),
}

// protoSwitch is the setting of protobuf by a marker. Markers with arguments have other meanings.
type protoSwitch uint8

const (
	unsaid protoSwitch = iota
	on
	off
)

func protoOf(list marker.List) protoSwitch {
	for _, m := range list {
		switch {
		case m.Name == "askind:protobuf" && len(m.Args) == 0 && m.Value == "false",
			m.Name == "protobuf" && m.Raw == "=false":
			return off
		case m.Name == "askind:protobuf" && len(m.Args) == 0,
			m.Name == "k8s:protobuf-gen" && m.Value == "package",
			m.Name == "protobuf" && m.Raw == "=true":
			return on
		}
	}
	return unsaid
}

// NoProto reports whether a marker disables protobuf for a type.
func (t *Type) NoProto() bool { return protoOf(t.Markers) == off }

// ProtoMessage reports whether a marker makes a named slice or map a message, so that it can be an
// element, and nil differs from empty.
func (t *Type) ProtoMessage() bool {
	if m := t.Markers.Get("protobuf.nullable"); m != nil && m.Value != "false" {
		return true
	}
	return slices.ContainsFunc(t.Markers.All("askind:protobuf"), func(m *marker.Marker) bool {
		return m.ArgAt("message") != nil
	})
}

// InProto reports whether a field is part of the message of its struct: all fields in JSON are,
// except type meta, which is in the envelope.
func (f *Field) InProto() bool {
	tag, tagged := reflect.StructTag(f.Tag).Lookup("protobuf")
	switch {
	case f.Name == "_", IsTypeMeta(f), tag == "-", protoOf(f.Markers) == off:
		return false
	case f.Embedded:
		return !f.JSON.Skip || tagged
	}
	return f.Exported() && (!f.JSON.Skip || tagged)
}

// ProtoTypes returns the types that have a protobuf message in the package, in order of name. They
// are the types that take part and enable protobuf, by their own marker or that of the package, the
// types of the package that these reach, and every type with hand-written functions. Types of a
// foreign package with protobuf code from another generator enable it too, unless the package that
// serves them disables it.
func (p *Package) ProtoTypes() []*Type {
	if p.Std {
		return nil
	}
	if !p.protoDone {
		p.protoDone = true
		p.findProto()
	}
	return p.proto
}

func (p *Package) findProto() {
	done := map[*types.TypeName]bool{}
	var visit func(t *Type)
	var walk func(t types.Type)
	walk = func(t types.Type) {
		switch t := types.Unalias(t).(type) {
		case *types.Pointer, *types.Slice, *types.Map:
			walk(Elem(t))
		case *types.Named:
			if p.Owns(t.Obj()) && t.TypeArgs().Len() == 0 {
				visit(p.universe.Type(t))
			}
		}
	}
	visit = func(t *Type) {
		if done[t.Named.Obj()] || t.NoProto() || p.IsForeign(t) && !t.Exported() {
			return
		}
		done[t.Named.Obj()] = true
		if p.handWrittenProto(t) {
			p.proto = append(p.proto, t)
			return
		}
		switch {
		case t.Struct != nil:
			p.proto = append(p.proto, t)
			for _, f := range t.Fields {
				if f.InProto() {
					walk(f.Type)
				}
			}
		case composite(t.Named.Underlying()):
			if t.ProtoMessage() {
				p.proto = append(p.proto, t)
			}
			walk(t.Named.Underlying())
		}
	}
	start := func(t *Type, asks bool) {
		if t.Named.TypeParams().Len() > 0 {
			return
		}
		switch protoOf(t.Markers) {
		case on:
			visit(t)
		case unsaid:
			if asks && (p.starts(t) || p.handWrittenProto(t)) {
				visit(t)
			}
		}
	}
	for _, t := range p.Declared() {
		start(t, protoOf(p.Markers) == on)
	}
	for _, t := range p.foreignTypes() {
		asks := protoOf(p.Markers)
		if asks == unsaid {
			asks = protoOf(t.Package.Markers)
		}
		start(t, asks == on)
	}
	slices.SortFunc(p.proto, func(a, b *Type) int { return cmp.Compare(a.Name, b.Name) })
}

func (p *Package) handWrittenProto(t *Type) bool {
	return p.declares(PrependProto, t.Named) && p.declares(DecodeProto, t.Named)
}

func (p *Package) hasProto(t *Type) bool {
	i, ok := slices.BinarySearchFunc(p.ProtoTypes(),
		t.Name, func(o *Type, name string) int { return cmp.Compare(o.Name, name) })
	return ok && p.proto[i].Named.Obj() == t.Named.Obj()
}

// AsksProto reports whether a marker on the package enables protobuf.
func (p *Package) AsksProto() bool { return protoOf(p.Markers) == on }

// Shorten returns a file name in the form for diagnostics.
func (u *Universe) Shorten(name string) string { return load.Short(u.dir, name) }

// ProtoName returns the protobuf package name of a Go package: github.com.example.api.v1.
func ProtoName(path string) string {
	parts := strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r == '.' })
	for i, part := range parts {
		part = strings.Map(func(r rune) rune {
			if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' {
				return r
			}
			return '_'
		}, part)
		if part[0] >= '0' && part[0] <= '9' {
			part = "_" + part
		}
		parts[i] = part
	}
	return strings.Join(parts, ".")
}
