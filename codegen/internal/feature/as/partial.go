package as

import (
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/askind/askind/codegen/internal/emit"
	"github.com/askind/askind/codegen/internal/expr"
	"github.com/askind/askind/codegen/internal/feature"
	"github.com/askind/askind/codegen/internal/feature/defaults"
	"github.com/askind/askind/codegen/internal/feature/protobuf"
	"github.com/askind/askind/codegen/internal/model"
	"github.com/askind/askind/codegen/internal/reads"
)

// addReads adds what a route reads to a tree. Maps, arrays, and structs that are tested for zero
// cannot be read in part and are read as a whole.
func addReads(r *reads.Tree, ops []op) {
	for i, o := range ops {
		switch o.kind {
		case opField:
			r = r.Field(o.name)
			if o.absent == ifIsZero || o.absent == ifZero && !(i+1 < len(ops) && implied(ops[i+1:])) {
				r.Whole = true
				return
			}
		case opIndex, opEach:
			if o.bound >= 0 && o.kind == opIndex || o.mapKey != nil || i == 0 || !isSlice(ops[i-1].typ) {
				r.Whole = true
				return
			}
			r = r.Element()
			if o.test != nil {
				addReads(r, o.test.route.ops)
			}
		case opLen:
			if i == 0 || !isSlice(ops[i-1].typ) {
				r.Whole = true
			} else {
				r.Element() // only counted
			}
			return
		case opKey, opEmbedded:
			r.Whole = true
			return
		}
	}
	r.Whole = true
}

// entersEmbedded reports whether a route leads into an object inside the object. Decoding that
// object requires the scheme, and it may have any version.
func (r *route) entersEmbedded() bool {
	return slices.ContainsFunc(r.ops, func(o op) bool {
		return o.kind == opEmbedded || o.test != nil && o.test.route.entersEmbedded()
	})
}

func isSlice(t types.Type) bool {
	_, ok := t.Underlying().(*types.Slice)
	return ok
}

// planReads determines what the columns read. It returns nil if that is unknown: if a hand-written
// function makes the table, or computes a cell without declaring what it reads.
func (p *kindPlan) planReads() *reads.Tree {
	if !p.writeTable {
		return nil
	}
	r := &reads.Tree{}
	var stated, silent *column
	embedded := false
	for _, col := range p.columns {
		routes := col.reads
		switch {
		case col.call == nil:
			routes = []*route{col.route}
			embedded = embedded || col.route.entersEmbedded()
		case routes == nil:
			silent = col
		default:
			stated = col
		}
		for _, route := range routes {
			if len(route.ops) == 0 || p.kind.TypeMeta != nil && route.ops[0].name == p.kind.TypeMeta.Name {
				return nil
			}
			addReads(r, route.ops)
		}
	}
	r.Field(p.meta).Field("ResourceVersion").Whole = true
	switch {
	case silent != nil:
		if stated != nil {
			p.c.Warnf(silent.callPos, "column-reads",
				"the marker does not declare what %s reads, so objects are decoded completely for a table and the paths of "+
					"other columns are useless", silent.call.Name()).
				Relate(p.c.Universe.Position(stated.callPos), "a column that declares it").Suggest("reads=`.spec...`")
		}
		return nil
	case embedded:
		if stated != nil {
			p.c.Warnf(stated.callPos, "column-reads",
				"a path of another column leads into an embedded object, so objects are decoded completely for a table and "+
					"the paths are useless")
		}
		return nil
	case !readable(p.c.Universe, p.kind, r):
		if stated != nil {
			p.c.Warnf(stated.callPos, "column-reads",
				"what the columns of %s read cannot be decoded separately, because a type on the path has its own JSON form "+
					"or %s has no generated decoder, so the paths are useless", p.kind.Name, p.kind.Name)
		}
		return nil
	}
	return r
}

// readable reports whether a partial decoder of a kind can be generated.
func readable(u *model.Universe, k *model.Kind, r *reads.Tree) bool {
	if u.Func(model.DecodeJSON, k.Named).State != model.Generated || model.ReadsItself(k.Named) {
		return false
	}
	if _, ok := u.MetadataFunc(model.DecodeJSON, k); !ok {
		return false
	}
	w := &partialWriter{u: u}
	w.members(k.Struct, r, "out", "")
	return !w.failed
}

// partialWriter writes the decoder of one kind. The code for a value is equivalent to the code that
// the json feature generates.
type partialWriter struct {
	f      *emit.File
	u      *model.Universe
	buf    strings.Builder
	depth  int
	paths  []string
	failed bool
}

func (w *partialWriter) line(parts ...any) {
	if w.f == nil { // a dry run, to find out whether the decoder can be written
		return
	}
	for _, part := range parts {
		w.buf.WriteString(w.f.S(part))
	}
	w.buf.WriteByte('\n')
}

// members writes a case for each member of an object that is read.
func (w *partialWriter) members(st *types.Struct, r *reads.Tree, target, path string) {
	for _, jf := range w.u.JSONFields(st) {
		at, selector := r, target
		for i, step := range jf.Path {
			if !at.Whole {
				if at = at.Fields[step.Name]; at == nil {
					break
				}
			}
			selector += "." + step.Name
			if _, pointer := step.Type.Underlying().(*types.Pointer); pointer && i < len(jf.Path)-1 {
				w.failed = true
			}
		}
		if at == nil {
			continue
		}
		if jf.Quoted {
			w.failed = true
			return
		}
		w.line("case ", strconv.Quote(jf.Key), ":")
		below := strings.TrimPrefix(path+"."+jf.Key, ".")
		if strings.ContainsAny(jf.Key, ".[") { // paths have no quotes, so all of the object is declared
			below = path
			w.paths = append(w.paths, path)
		}
		w.value(jf.Type, at, selector, below)
	}
}

// value writes the statements that read a value into a target.
func (w *partialWriter) value(t types.Type, r *reads.Tree, target, path string) {
	if w.failed {
		return
	}
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		w.line("if r.Null() {\n", target, " = nil\n} else {")
		w.line("if ", target, " == nil {\n", target, " = new(", p.Elem(), ")\n}")
		w.value(p.Elem(), r, "(*"+target+")", path)
		w.line("}")
		return
	}
	n, named := types.Unalias(t).(*types.Named)
	var fn model.Func
	if named {
		fn = w.u.Func(model.DecodeJSON, n)
		if model.ReadsItself(n) {
			r = &reads.Tree{Whole: true} // its method may read other members
		}
	}
	st, isStruct := t.Underlying().(*types.Struct)
	switch {
	case !r.Whole && isStruct && (!named || fn.Exists() && (fn.State == model.Generated || fn.Ours)):
		w.depth++
		key := expr.Numbered("key", w.depth)
		w.line("for ", key, " := r.Object(); ", key, " != nil; ", key, " = r.NextKey() {\nswitch string(", key, ") {")
		w.members(st, r, target, path)
		w.line("default:\nr.Skip()\n}\n}")
		w.depth--
	case fn.Exists():
		w.paths = append(w.paths, path)
		address := "&" + target
		if pointer, ok := strings.CutPrefix(target, "(*"); ok && strings.HasSuffix(pointer, ")") {
			address = strings.TrimSuffix(pointer, ")")
		}
		w.line(fn.Ident, "(r, ", address, ")")
	case named && (model.WritesItself(t) || model.AnyMethod(t, "UnmarshalJSON") != nil ||
		model.AnyMethod(t, "UnmarshalText") != nil):
		w.failed = true
	default:
		w.plain(t, r, target, path)
	}
}

// plain writes the statements for a value whose type has no function.
func (w *partialWriter) plain(t types.Type, r *reads.Tree, target, path string) {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if basic(u) == nil || u.Kind() == types.Uintptr {
			w.failed = true
			return
		}
		method := emit.UpperFirst(types.Typ[u.Kind()].Name())
		w.paths = append(w.paths, path)
		if types.Identical(t, u) {
			w.line(target, " = r.", method, "(", target, ")")
		} else {
			w.line(target, " = ", t, "(r.", method, "(", u.Name(), "(", target, ")))")
		}
	case *types.Slice:
		elem := types.Unalias(u.Elem())
		b, _ := elem.Underlying().(*types.Basic)
		whole := r.Whole || r.Elem != nil && r.Elem.Whole
		switch {
		case b != nil && b.Kind() == types.Uint8:
			w.failed = w.failed || elem != types.Type(b)
			w.paths = append(w.paths, path)
			w.line(target, " = r.Bytes()")
		case whole && elem == types.Typ[types.String]:
			w.paths = append(w.paths, path)
			w.line(target, " = r.Strings()")
		default:
			of := r.Elem
			if r.Whole {
				of = &reads.Tree{Whole: true}
			}
			more := "more" + strconv.Itoa(w.depth)
			w.line("if r.Null() {\n", target, " = nil\n} else {\n", target, " = ", t, "{}")
			w.line("for ", more, " := r.Array(); ", more, "; ", more, " = r.NextElem() {")
			zero := "zero" + strconv.Itoa(w.depth)
			w.line("var ", zero, " ", u.Elem(), "\n", target, " = append(", target, ", ", zero, ")")
			w.depth++
			switch {
			case of.Empty():
				w.paths = append(w.paths, path+"[*]")
				w.line("r.Skip()")
			default:
				w.value(u.Elem(), of, target+"[len("+target+")-1]", path+"[*]")
			}
			w.depth--
			w.line("}\n}")
		}
	case *types.Map:
		if !types.Identical(u.Key(), types.Typ[types.String]) || !types.Identical(u.Elem(), types.Typ[types.String]) {
			w.failed = true
			return
		}
		w.paths = append(w.paths, path)
		w.line(target, " = r.StringMap()")
	default:
		w.failed = true
	}
}

// emitReads writes the decoders and the record that declares them.
func (p *kindPlan) emitReads(f *emit.File) {
	if p.columnReads == nil {
		return
	}
	name := p.kind.Name
	f.P("// partial", name, "Table says what the columns of ", name,
		" read, so that encoded objects need not be decoded for a table.")
	f.P("var partial", name, "Table = ", emit.Ident{Path: emit.Runtime, Name: "Partial"}, "[", p.kind.Named, ", ",
		metav1("Table"), "]{")
	f.P("As: ", name, "AsTable,")
	emitDecoders(f, p.c, p.kind, p.columnReads, name+"Columns")
}

// emitDecoders writes the rest of a record that declares what is read of a kind, and the functions
// that it names.
func emitDecoders(f *emit.File, c *feature.Context, k *model.Kind, tree *reads.Tree, name string) {
	w := &partialWriter{f: f, u: c.Universe}
	w.line("switch string(name) {")
	w.members(k.Struct, tree, "out", "")
	w.line("default:\nr.Skip()\n}")
	slices.Sort(w.paths)
	f.P("Fields: []string{")
	for _, path := range slices.Compact(w.paths) {
		f.P(strconv.Quote(path), ",")
	}
	f.P("},")
	f.P("DecodeJSON: decodeJSON", name, ",")
	proto := protobuf.PartialOf(c, k.Named)
	if proto != nil {
		f.P("DecodeProto: decodeProto", name, ",")
	}
	if defaults.Untouched(c, k, tree) {
		f.P("Undefaulted: true,")
	}
	f.P("}")
	f.P()
	f.P("// decodeJSON", name, " reads what the columns show of a member of ", k.Named, ".")
	f.P("func decodeJSON", name, "(r *", emit.Ident{Path: emit.JSONWire, Name: "Reader"}, ", out *", k.Named,
		", name []byte) {")
	f.P(strings.TrimSuffix(w.buf.String(), "\n"))
	f.P("}")
	f.P()
	if proto != nil {
		f.P("// decodeProto", name, " reads what the columns show of the current field of ", k.Named, ".")
		f.P("func decodeProto", name, "(r *", emit.Ident{Path: emit.PBWire, Name: "Reader"}, ", out *", k.Named, ") {")
		proto.Emit(f, tree)
		f.P("}")
		f.P()
	}
}
