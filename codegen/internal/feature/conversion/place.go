package conversion

import (
	"go/types"
	"slices"
	"strings"

	"github.com/askind/askind/codegen/internal/model"
	"github.com/askind/askind/schema"
)

// place is a field below a struct: its Go selectors and its JSON path.
type place struct {
	// fields are the Go selectors, embedded fields included; the last one is the field itself.
	fields []*model.Field
	// names is the JSON path. An embedded field adds nothing to it, and a field without a JSON name
	// adds its Go name.
	names []string
	// key is the name by which the field is matched. The keys of fields without a JSON name never
	// equal a JSON name.
	key string
	// whole means that the place is the embedded struct itself.
	whole bool
}

func (p place) last() *model.Field { return p.fields[len(p.fields)-1] }

func (p place) typ() types.Type { return p.last().Type }

// path returns the JSON path for messages and markers; that of an embedded struct is its Go name.
func (p place) path() string { return strings.Join(p.steps(), ".") }

// printed returns the same path for losses, as package schema prints it: names with dots have
// quotes.
func (p place) printed() string { return schema.NewPath(p.steps()...).String() }

// steps returns the elements of the path, which may have dots.
func (p place) steps() []string {
	if p.whole {
		return append(slices.Clone(p.names), p.last().Name)
	}
	return p.names
}

// id returns a string that no other path has, unlike the text of the path: names may have dots. It
// begins with that of every place around it and [step].
func (p place) id() string { return strings.Join(p.steps(), step) }

// step separates the names in an id.
const step = "\x00"

// within reports whether the path of p is that of q or lies below it.
func (p place) within(q place) bool {
	inner, outer := p.steps(), q.steps()
	return len(inner) >= len(outer) && slices.Equal(inner[:len(outer)], outer)
}

// selector returns the Go expression of the place below the variable root.
func (p place) selector(root string) string { return p.upTo(root, len(p.fields)) }

// upTo returns the Go expression of the first n steps. Unexported embedded structs are omitted,
// because other packages can reach their fields only by promotion.
func (p place) upTo(root string, n int) string {
	var b strings.Builder
	b.WriteString(root)
	for i, f := range p.fields[:n] {
		if f.Embedded && !f.Exported() && !isPointer(f.Type) && i < n-1 {
			continue
		}
		b.WriteByte('.')
		b.WriteString(f.Name)
	}
	return b.String()
}

// below puts q, a place below the type of p, under p.
func (p place) below(q place) place {
	return place{
		fields: slices.Concat(p.fields, q.fields),
		names:  slices.Concat(p.names, q.names),
		key:    q.key,
		whole:  q.whole,
	}
}

// under reports whether the Go selectors of p begin with those of q, and p is another place.
func (p place) under(q place) bool {
	n := len(q.fields)
	return len(p.fields) > n && comparePlaces(place{fields: p.fields[:n]}, q) == 0
}

// startsWith reports whether the JSON path of p lies strictly below that of q.
func (p place) startsWith(q place) bool {
	return len(p.names) > len(q.names) && slices.Equal(p.names[:len(q.names)], q.names)
}

// pointers yields the number of steps after which a pointer must be followed to reach the field.
func (p place) pointers() []int {
	var out []int
	for i, f := range p.fields[:len(p.fields)-1] {
		if isPointer(f.Type) {
			out = append(out, i+1)
		}
	}
	return out
}

func isPointer(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}

// members lists the fields of a struct as places, in order of declaration: those with a JSON name,
// flattened as in JSON, and then the others, in embedded structs too. The latter, such as fields
// without a JSON form and fields that hide each other, are matched by the Go names of all steps.
func members(u *model.Universe, st *types.Struct) []place {
	var out []place
	known := map[string]bool{}
	for _, f := range u.JSONFields(st) {
		known[f.Selector()] = true
		out = append(out, place{fields: f.Path, names: []string{f.Key}, key: f.Key})
	}
	var rest func(st *types.Struct, fields []*model.Field, names []string, above []*types.Struct)
	rest = func(st *types.Struct, fields []*model.Field, names []string, above []*types.Struct) {
		above = append(slices.Clone(above), st)
		for _, f := range u.Fields(st) {
			fields, names := append(slices.Clone(fields), f), append(slices.Clone(names), f.Name)
			if inlined(f) {
				if _, inner := model.StructOf(f.Type); !slices.Contains(above, inner) {
					rest(inner, fields, names, above)
				}
				continue
			}
			if selector := strings.Join(names, "."); !known[selector] && f.Name != "_" {
				out = append(out, place{fields: fields, names: names, key: "go:" + selector})
			}
		}
	}
	rest(st, nil, nil, nil)
	return out
}

// inlined reports whether JSON flattens an embedded field.
func inlined(f *model.Field) bool {
	if !f.Embedded || f.JSON.Skip || f.JSON.Name != "" {
		return false
	}
	_, st := model.StructOf(f.Type)
	return st != nil
}

// resolve finds the place with a JSON path below a struct. Paths lead through structs and pointers
// to structs; below any other type there is no single place. On failure at is nil, and resolve
// returns the unknown name, which is empty where the path ends with a dot, and the known ones.
func resolve(u *model.Universe, st *types.Struct, path string) (at *place, missing string, known []string) {
	var to place
	for {
		name, _, _ := strings.Cut(path, ".")
		if st == nil {
			return nil, name, nil
		}
		all := members(u, st)
		i := -1
		for j, m := range all { // names may have dots: the longest one counts
			if (path == m.key || strings.HasPrefix(path, m.key+".")) && (i < 0 || len(m.key) > len(all[i].key)) {
				i = j
			}
		}
		if i < 0 {
			// A field without a JSON name is named as in Go.
			i = slices.IndexFunc(all, func(m place) bool { return m.last().JSON.Skip && m.key == "go:"+name })
		} else {
			name = all[i].key
		}
		if i < 0 {
			for _, m := range all {
				if !strings.HasPrefix(m.key, "go:") {
					known = append(known, m.key)
				}
			}
			return nil, name, known
		}
		to = to.below(all[i])
		more := false
		if path, more = strings.CutPrefix(path[len(name):], "."); !more {
			return &to, "", nil
		}
		_, st = model.StructOf(to.typ())
	}
}
