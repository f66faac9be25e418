package model

import (
	"cmp"
	"go/types"
	"reflect"
	"slices"
	"strings"
	"unicode"
)

// JSONField is a field of a struct according to encoding/json, with embedded structs flattened and
// conflicts between equal names resolved.
type JSONField struct {
	*Field
	// Key is the name in JSON.
	Key string
	// Path leads from the outer struct through embedded fields to the field, which is its last
	// element. Of more than one element all but the last are embedded.
	Path []*Field
	// Quoted reports that the string option applies: a string, number or boolean, or a pointer to
	// one.
	Quoted bool
}

// Selector returns the Go selector of the field below the outer struct: "ObjectMeta.Name" or, in
// full, every embedded step.
func (f *JSONField) Selector() string {
	names := make([]string, len(f.Path))
	for i, p := range f.Path {
		names[i] = p.Name
	}
	return strings.Join(names, ".")
}

// JSONFields returns the fields that encoding/json reads and writes, in its order: that of
// declaration, with the fields of an embedded struct in its place.
func (u *Universe) JSONFields(st *types.Struct) []*JSONField {
	kept, _ := u.jsonFields(st)
	return kept
}

// Clashes returns the pairs of fields with one name. encoding/json ignores both of a pair. The two
// are the same field if a struct is embedded more than once at one depth.
func (u *Universe) Clashes(st *types.Struct) [][2]*JSONField {
	_, clashes := u.jsonFields(st)
	return clashes
}

// candidate is a field that may become a member, before conflicts between names are resolved.
type candidate struct {
	f      *JSONField
	index  []int
	tagged bool
}

func (u *Universe) jsonFields(st *types.Struct) (fields []*JSONField, clashes [][2]*JSONField) {
	found := u.candidates(st)
	slices.SortStableFunc(found, func(a, b candidate) int {
		return cmp.Or(strings.Compare(a.f.Key, b.f.Key), comparePrecedence(a, b), slices.Compare(a.index, b.index))
	})
	var kept []candidate
	for i := 0; i < len(found); {
		j := i + 1
		for j < len(found) && found[j].f.Key == found[i].f.Key {
			j++
		}
		// The first one wins unless a second one has the same depth and precedence.
		if j == i+1 || comparePrecedence(found[i], found[i+1]) != 0 {
			kept = append(kept, found[i])
		} else {
			clashes = append(clashes, [2]*JSONField{found[i].f, found[i+1].f})
		}
		i = j
	}
	slices.SortFunc(kept, func(a, b candidate) int { return slices.Compare(a.index, b.index) })
	fields = make([]*JSONField, len(kept))
	for i, c := range kept {
		fields[i] = c.f
	}
	return fields, clashes
}

// comparePrecedence orders candidates of one name: the least deeply embedded first, and among these
// the ones with a name in their tag.
func comparePrecedence(a, b candidate) int {
	switch depth := cmp.Compare(len(a.index), len(b.index)); {
	case depth != 0 || a.tagged == b.tagged:
		return depth
	case a.tagged:
		return -1
	}
	return 1
}

// embedding is a struct type in a struct: the fields that lead to it, and their indexes. named is
// nil for the outermost struct and for types without a name.
type embedding struct {
	st    *types.Struct
	named *types.Named
	path  []*Field
	index []int
}

// candidates returns the candidates of a struct and of the structs embedded in it, level by level.
// A type that was visited at a lower depth adds nothing, because its fields hide the deeper ones.
func (u *Universe) candidates(st *types.Struct) (found []candidate) {
	visited := map[*types.Named]bool{}
	for level := []embedding{{st: st}}; len(level) > 0; {
		// The fields of a struct type that is embedded several times at one depth hide each other,
		// so it is enough to visit it once and to add its fields twice.
		count := map[*types.Named]int{}
		var visit, next []embedding
		for _, e := range level {
			if e.named != nil && visited[e.named] {
				continue
			}
			if count[e.named]++; e.named == nil || count[e.named] == 1 {
				visit = append(visit, e)
			}
		}
		for _, e := range visit {
			direct, embedded := u.split(e)
			next = append(next, embedded...)
			for _, c := range direct {
				if found = append(found, c); e.named != nil && count[e.named] > 1 {
					found = append(found, c)
				}
			}
			visited[e.named] = true
		}
		level = next
	}
	return found
}

// split returns the fields of a struct that may become members, and the structs embedded in it
// whose fields may.
func (u *Universe) split(e embedding) (direct []candidate, embedded []embedding) {
	for i, f := range u.Fields(e.st) {
		t := types.Unalias(f.Type)
		if p, ok := t.(*types.Pointer); ok && f.Embedded {
			t = types.Unalias(p.Elem())
		}
		st, isStruct := t.Underlying().(*types.Struct)
		if f.JSON.Skip || !f.Var.Exported() && !(f.Embedded && isStruct) {
			continue
		}
		path, index := append(slices.Clone(e.path), f), append(slices.Clone(e.index), i)
		if f.Embedded && isStruct && f.JSON.Name == "" {
			named, _ := t.(*types.Named)
			embedded = append(embedded, embedding{st: st, named: named, path: path, index: index})
			continue
		}
		direct = append(direct, candidate{index: index, tagged: f.JSON.Name != "", f: &JSONField{
			Field: f, Key: cmp.Or(f.JSON.Name, f.Name), Path: path, Quoted: f.JSON.String && quotable(f.Type),
		}})
	}
	return direct, embedded
}

// quotable reports whether the string option of encoding/json applies to a type. It does not apply
// to values that a method writes or reads.
func quotable(t types.Type) bool {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	if n, ok := t.(*types.Named); ok {
		for _, name := range []string{"MarshalJSON", "UnmarshalJSON", "MarshalText", "UnmarshalText"} {
			if Method(n, name) != nil {
				return false
			}
		}
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&(types.IsBoolean|types.IsInteger|types.IsFloat|types.IsString) != 0
}

// HasIsZero reports whether encoding/json would call the method IsZero of a type, which may be
// promoted.
func HasIsZero(t types.Type) bool {
	obj, _, _ := types.LookupFieldOrMethod(t, true, nil, "IsZero")
	fn, ok := obj.(*types.Func)
	return ok && isZero.Fits(fn.Signature(), nil)
}

var isZero = ShapeOf("func() bool")

// IsBytes reports whether JSON shows values of a type as base64 text.
func IsBytes(t types.Type) bool {
	s, ok := t.Underlying().(*types.Slice)
	if !ok {
		return false
	}
	b, ok := s.Elem().Underlying().(*types.Basic)
	return ok && b.Kind() == types.Uint8 && !WritesItself(s.Elem())
}

// WritesItself reports whether a method of a type, declared or promoted, writes its JSON form.
func WritesItself(t types.Type) bool {
	return AnyMethod(t, "MarshalJSON") != nil || AnyMethod(t, "MarshalText") != nil
}

// ReadsItself reports whether a type has a method that reads its JSON form.
func ReadsItself(n *types.Named) bool {
	return Method(n, "UnmarshalJSON") != nil || Method(n, "UnmarshalText") != nil
}

func parseTag(tag string) Tag {
	value, ok := reflect.StructTag(tag).Lookup("json")
	t := Tag{Present: ok}
	if value == "-" {
		t.Skip = true
		return t
	}
	name, options, _ := strings.Cut(value, ",")
	if validName(name) {
		t.Name = name
	}
	for o := range strings.SplitSeq(options, ",") {
		switch o {
		case "omitempty":
			t.OmitEmpty = true
		case "omitzero":
			t.OmitZero = true
		case "inline":
			t.Inline = true
		case "string":
			t.String = true
		}
	}
	return t
}

// validName reports whether encoding/json accepts a name in a tag. It ignores other names.
func validName(s string) bool {
	for _, c := range s {
		if !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", c) && !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			return false
		}
	}
	return s != ""
}
