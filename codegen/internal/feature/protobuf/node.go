package protobuf

import (
	"go/types"
	"os"
	"path/filepath"
	"slices"

	"github.com/askind/askind/codegen/internal/model"
)

// op is the form of a value in protobuf.
type op uint8

const (
	scalar  op = iota // a string, number or boolean
	octets            // []byte
	nested            // a message with its own functions
	pointer           // to a scalar or a message
	list              // of scalars, bytes or messages
	mapping           // from scalars to scalars, bytes or messages
	unusable
)

// node is the form of one type.
type node struct {
	op  op
	typ types.Type
	// For scalars: the type in .proto files, the method of Writer and Reader, its Go type, and
	// whether the Go type of the value has a smaller range.
	proto, method, basic string
	narrow               bool
	// For nested messages: the functions; none if methods is set, because the type has methods.
	write, read model.Func
	methods     bool
	nilable     bool // a slice or map, which is omitted if nil
	elem, key   *node
}

// scalars are the forms of the basic types.
var scalars = map[types.BasicKind]node{
	types.String:  {proto: "string", method: "String", basic: "string"},
	types.Bool:    {proto: "bool", method: "Bool", basic: "bool"},
	types.Int:     {proto: "int64", method: "Int64", basic: "int64", narrow: true},
	types.Int8:    {proto: "int32", method: "Int32", basic: "int32", narrow: true},
	types.Int16:   {proto: "int32", method: "Int32", basic: "int32", narrow: true},
	types.Int32:   {proto: "int32", method: "Int32", basic: "int32"},
	types.Int64:   {proto: "int64", method: "Int64", basic: "int64"},
	types.Uint:    {proto: "uint64", method: "Uint64", basic: "uint64", narrow: true},
	types.Uint8:   {proto: "uint32", method: "Uint32", basic: "uint32", narrow: true},
	types.Uint16:  {proto: "uint32", method: "Uint32", basic: "uint32", narrow: true},
	types.Uint32:  {proto: "uint32", method: "Uint32", basic: "uint32"},
	types.Uint64:  {proto: "uint64", method: "Uint64", basic: "uint64"},
	types.Float32: {proto: "float", method: "Float32", basic: "float32"},
	types.Float64: {proto: "double", method: "Float64", basic: "float64"},
}

// scalarNamed returns the form with a name in .proto files, or nil.
func scalarNamed(name string) *node {
	for _, n := range scalars {
		if n.proto == name {
			return &n
		}
	}
	return nil
}

func (p *planner) unusable(t types.Type) *node { return &node{op: unusable, typ: t} }

// without describes how to omit a field or type from protobuf, for messages.
func without(name string) string {
	return "omit the field with +askind:protobuf=false, or " + name + " as a whole with that marker on the type"
}

// node returns the form of a type as a field or element.
func (p *planner) node(t types.Type) *node {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok {
		return p.under(t)
	}
	u := p.c.Universe
	write, read := u.Func(model.PrependProto, n), u.Func(model.DecodeProto, n)
	exists := write.Exists() && read.Exists()
	if exists || write.State != model.Mistyped && read.State != model.Mistyped && model.MarshalsProto(n) &&
		!u.Type(n).NoProto() {
		if model.Hidden(n, p.c.Package.Go) {
			p.errorf("protobuf-hidden", "%s is not exported, so it cannot be written here", p.typeName(n))
			return p.unusable(t)
		}
		out := &node{op: nested, typ: t, write: write, read: read, methods: !exists}
		if !p.described(out) {
			return p.unusable(t)
		}
		switch n.Underlying().(type) {
		case *types.Slice, *types.Map:
			out.nilable = true
		}
		return out
	}
	switch n.Underlying().(type) {
	case *types.Slice, *types.Map:
		if p.c.Package.Owns(n.Obj()) && u.Type(n).NoProto() {
			return p.switchedOff(t)
		}
		return p.under(t)
	case *types.Struct:
		return p.missing(n)
	case *types.Pointer:
		p.errorf("protobuf-type", "%s is a pointer type",
			p.typeName(t)).Suggest("use the pointer type without the name")
		return p.unusable(t)
	}
	return p.under(t)
}

func (p *planner) switchedOff(t types.Type) *node {
	p.errorf("protobuf-off", "protobuf is disabled for %s", p.typeName(t)).Suggest("%s", without(p.owner.Name))
	return p.unusable(t)
}

// missing reports a struct without functions.
func (p *planner) missing(n *types.Named) *node {
	name := p.typeName(n)
	switch pkg := n.Obj().Pkg(); {
	case n.TypeArgs().Len() > 0:
		p.errorf("protobuf-generic", "%s is an instance of a generic type, which has no message",
			name).Suggest("declare a struct with concrete types instead")
	case p.c.Package.Owns(n.Obj()):
		if p.c.Universe.Type(n).NoProto() {
			return p.switchedOff(n)
		}
		p.errorf("protobuf-missing", "%s has no protobuf functions", name)
	case pkg.Path() == "time" && n.Obj().Name() == "Time":
		p.errorf("protobuf-missing", "%s has no form in protobuf", name).Suggest("metav1.Time")
	default:
		p.errorf("protobuf-missing", "%s has no functions %s and %s", name, model.PrependProto.Name(n.Obj().Name()),
			model.DecodeProto.Name(n.Obj().Name())).
			Suggest("%s", p.howToServe(pkg.Path()))
	}
	return p.unusable(n)
}

// howToServe describes how to get protobuf functions for the types of another package.
func (p *planner) howToServe(path string) string {
	pkg := p.c.Universe.Package(path)
	if pkg == nil || pkg.Main() {
		return "add +askind:protobuf to the package comment of " + path + " and generate for it"
	}
	return "add +askind:foreign=" + path +
		" and +askind:protobuf to the comment of a package of this module and generate for it"
}

// home returns the path of the package that describes a nested message.
func (n *node) home() string {
	if n.methods {
		return types.Unalias(n.typ).(*types.Named).Obj().Pkg().Path()
	}
	return n.write.Path
}

// describedBy returns the type that describes the message of a named type: itself, except for an
// instance of a generic struct whose only field is an embedded type, which is encoded as that type.
func describedBy(n *types.Named) *types.TypeName {
	st, ok := n.Underlying().(*types.Struct)
	if n.TypeArgs().Len() == 0 || !ok || st.NumFields() != 1 || !st.Field(0).Embedded() {
		return n.Obj()
	}
	if inner, ok := types.Unalias(st.Field(0).Type()).(*types.Named); ok && inner.Obj().Pkg() == n.Obj().Pkg() {
		return inner.Obj()
	}
	return n.Obj()
}

// described reports whether the message of a type of another package is described there, and
// records that it is needed.
func (p *planner) described(n *node) bool {
	obj, path := describedBy(types.Unalias(n.typ).(*types.Named)), n.home()
	if path == p.c.Package.Path {
		return true
	}
	pkg := p.c.Universe.Package(path)
	described := false
	switch {
	case pkg == nil:
	case pkg.Output:
		described = slices.ContainsFunc(pkg.ProtoTypes(), func(t *model.Type) bool { return t.Named.Obj() == obj })
	default:
		src, err := os.ReadFile(filepath.Join(pkg.Dir, LedgerName))
		if err == nil {
			l, problem := parseLedger(LedgerName, string(src))
			// The file of another tool may use syntax that this parser does not support. Then the
			// messages are assumed to exist.
			described = problem != nil || l.message(obj.Name()) != nil
		}
	}
	if !described {
		what := "functions"
		if n.methods {
			what = "methods"
		}
		p.errorf("protobuf-missing", "%s has %s for protobuf, but %s of its package does not describe it",
			p.typeName(n.typ), what, LedgerName).
			Suggest("%s", p.howToServe(path))
		return false
	}
	p.imports[path] = true
	return true
}

// under returns the form of a type by its structure.
func (p *planner) under(t types.Type) *node {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		out, ok := scalars[u.Kind()]
		if !ok {
			if u.Kind() != types.Invalid {
				p.errorf("protobuf-type", "%s has no form in protobuf", p.typeName(t)).Suggest("%s",
					without(p.owner.Name))
			}
			return p.unusable(t)
		}
		out.op, out.typ = scalar, t
		return &out
	case *types.Pointer:
		elem := p.node(u.Elem())
		switch elem.op {
		case scalar, nested:
			return &node{op: pointer, typ: t, elem: elem}
		case unusable:
			return elem
		}
		p.errorf("protobuf-null", "protobuf cannot distinguish a nil %s from one that points to an empty value",
			p.typeName(t)).Suggest("%s", p.typeName(u.Elem()))
		return p.unusable(t)
	case *types.Slice:
		if b, ok := u.Elem().Underlying().(*types.Basic); ok && b.Kind() == types.Uint8 {
			if types.Unalias(u.Elem()) != b {
				p.errorf("protobuf-type", "a slice of %s would be written as bytes",
					p.typeName(u.Elem())).Suggest("[]byte")
				return p.unusable(t)
			}
			return &node{op: octets, typ: t}
		}
		return node{op: list, typ: t}.of(p.element(t, u.Elem()))
	case *types.Map:
		key := p.key(u.Key())
		elem := p.element(t, u.Elem())
		if key.op == unusable {
			elem = key
		}
		n := node{op: mapping, typ: t, key: key}
		return n.of(elem)
	case *types.Struct:
		p.errorf("protobuf-anonymous",
			"a struct without a name has no message").Suggest("declare the struct as a type of its own")
	case *types.Array:
		p.errorf("protobuf-type", "protobuf has no arrays of fixed length").Suggest("[]%s", p.typeName(u.Elem()))
	case *types.Interface:
		p.errorf("protobuf-type", "protobuf cannot hold a value of type %s",
			p.typeName(t)).Suggest("use runtime.RawExtension, or %s", without(p.owner.Name))
	default:
		p.errorf("protobuf-type", "%s has no form in protobuf", p.typeName(t)).Suggest("%s", without(p.owner.Name))
	}
	return p.unusable(t)
}

// of sets the element.
func (n node) of(elem *node) *node {
	n.elem = elem
	if elem.op == unusable {
		n.op = unusable
	}
	return &n
}

// element returns the form of the elements of a slice or map.
func (p *planner) element(outer, t types.Type) *node {
	if ptr, ok := types.Unalias(t).(*types.Pointer); ok {
		p.errorf("protobuf-null", "the elements of %s may be nil, which protobuf cannot express",
			p.typeName(outer)).Suggest("make the elements %s", p.typeName(ptr.Elem()))
		return p.unusable(t)
	}
	if n, ok := types.Unalias(t).(*types.Named); ok && p.inlining(n) {
		p.errorf("protobuf-nested", "%s contains itself and is not a message",
			p.typeName(n)).Suggest("put +askind:protobuf:message above type %s", n.Obj().Name())
		return p.unusable(t)
	}
	n := p.node(t)
	if n.op != list && n.op != mapping {
		return n
	}
	d := p.errorf("protobuf-nested", "protobuf has no lists or maps inside of %s", p.typeName(outer))
	switch named, ok := types.Unalias(t).(*types.Named); {
	case ok && named.Obj().Pkg() == p.c.Package.Go:
		d.Suggest("put +askind:protobuf:message above type %s", named.Obj().Name())
	case ok && p.c.Package.Owns(named.Obj()):
		d.Suggest("// +askind:protobuf:message\ntype _ = %s", p.typeName(named))
	default:
		d.Suggest("declare type Name %s with the marker +askind:protobuf:message", p.typeName(t))
	}
	return p.unusable(t)
}

// inlining reports whether a named slice or map contains itself without a message in between.
func (p *planner) inlining(n *types.Named) bool {
	if p.c.Universe.Func(model.PrependProto, n).Exists() {
		return false
	}
	var reaches func(t types.Type, depth int) bool
	reaches = func(t types.Type, depth int) bool {
		if depth > 20 {
			return true
		}
		switch u := t.Underlying().(type) {
		case *types.Slice, *types.Map:
			return types.Identical(model.Elem(u), n) || reaches(model.Elem(u), depth+1)
		}
		return false
	}
	return reaches(n, 0)
}

// key returns the form of a map key.
func (p *planner) key(t types.Type) *node {
	if b, ok := t.Underlying().(*types.Basic); ok && b.Info()&(types.IsString|types.IsInteger) != 0 {
		if n, ok := scalars[b.Kind()]; ok {
			n.op, n.typ = scalar, t
			return &n
		}
	}
	p.errorf("protobuf-key", "protobuf has no maps with keys of type %s",
		p.typeName(t)).Suggest("use a string or an integer")
	return p.unusable(t)
}

// declaration returns the declaration of a field of this form in a .proto file.
func (p *planner) declaration(n *node) (label, typ string) {
	switch n.op {
	case pointer:
		return p.declaration(n.elem)
	case list:
		_, typ = p.declaration(n.elem)
		return "repeated", typ
	case mapping:
		_, key := p.declaration(n.key)
		_, value := p.declaration(n.elem)
		return "", "map<" + key + ", " + value + ">"
	case scalar:
		return "optional", n.proto
	case octets:
		return "optional", "bytes"
	case nested:
		name := describedBy(types.Unalias(n.typ).(*types.Named)).Name()
		if home := n.home(); home != p.c.Package.Path {
			name = "." + model.ProtoName(home) + "." + name
		}
		return "optional", name
	}
	return "", ""
}
