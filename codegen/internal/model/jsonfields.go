package model

import (
	"cmp"
	"go/types"
	"reflect"
	"slices"
	"strconv"
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

func (u *Universe) jsonFields(st *types.Struct) (fields []*JSONField, clashes [][2]*JSONField) {
	type level struct {
		st    *types.Struct
		named *types.Named
		path  []*Field
		index []int
	}
	type candidate struct {
		f      *JSONField
		index  []int
		tagged bool
	}
	var found []candidate
	visited := map[*types.Named]bool{}
	next := []level{{st: st}}
	for len(next) > 0 {
		current := next
		next = nil
		// The fields of a struct type that is embedded several times at one depth hide each other,
		// so it is enough to visit it twice.
		count := map[*types.Named]int{}
		for _, l := range current {
			if l.named != nil {
				count[l.named]++
			}
		}
		done := map[*types.Named]bool{}
		for _, l := range current {
			if l.named != nil {
				if visited[l.named] || done[l.named] {
					continue
				}
				done[l.named] = true
			}
			for i, f := range u.Fields(l.st) {
				if f.JSON.Skip {
					continue
				}
				ft := types.Unalias(f.Type)
				if p, ok := ft.(*types.Pointer); ok && f.Embedded {
					ft = types.Unalias(p.Elem())
				}
				est, isStruct := ft.Underlying().(*types.Struct)
				if f.Embedded {
					if !f.Var.Exported() && !isStruct {
						continue
					}
				} else if !f.Var.Exported() {
					continue
				}
				path := append(slices.Clone(l.path), f)
				index := append(slices.Clone(l.index), i)
				name := f.JSON.Name
				if name != "" || !f.Embedded || !isStruct {
					c := candidate{index: index, tagged: name != "", f: &JSONField{
						Field: f, Key: cmp.Or(name, f.Name),
						Path: path, Quoted: f.JSON.String && quotable(f.Type),
					}}
					found = append(found, c)
					if count[l.named] > 1 {
						found = append(found, c)
					}
					continue
				}
				named, _ := ft.(*types.Named)
				next = append(next, level{st: est, named: named, path: path, index: index})
			}
		}
		for n := range done {
			visited[n] = true
		}
	}

	slices.SortStableFunc(found, func(a, b candidate) int {
		tagged := 0
		if a.tagged != b.tagged {
			tagged = 1
			if a.tagged {
				tagged = -1
			}
		}
		return cmp.Or(strings.Compare(a.f.Key, b.f.Key), cmp.Compare(len(a.index), len(b.index)), tagged,
			slices.Compare(a.index, b.index))
	})
	var kept []candidate
	for i := 0; i < len(found); {
		j := i + 1
		for j < len(found) && found[j].f.Key == found[i].f.Key {
			j++
		}
		// The first one wins unless a second one has the same depth and precedence.
		if j == i+1 || len(found[i].index) != len(found[i+1].index) || found[i].tagged != found[i+1].tagged {
			kept = append(kept, found[i])
		} else {
			clashes = append(clashes, [2]*JSONField{found[i].f, found[i+1].f})
		}
		i = j
	}
	slices.SortFunc(kept, func(a, b candidate) int { return slices.Compare(a.index, b.index) })
	out := make([]*JSONField, len(kept))
	for i, c := range kept {
		out[i] = c.f
	}
	return out, clashes
}

// quotable reports whether the string option of encoding/json applies to a type.
func quotable(t types.Type) bool {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&(types.IsBoolean|types.IsInteger|types.IsFloat|types.IsString) != 0
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

func itoa(n int) string { return strconv.Itoa(n) }
