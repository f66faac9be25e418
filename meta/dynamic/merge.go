package dynamic

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/askind/askind/internal/sorted"
	"github.com/askind/askind/runtime"
)

// objectMeta is the name of the schema of the metadata of an object.
const objectMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"

// merger makes the merge types of the structs in a schema.
type merger struct {
	name  string // of the kind
	types []runtime.MergeType
	named map[merged]string // the names of types
}

// merged is a schema with the keys of the list that it is the element of, if there are any. Equal
// ones merge alike wherever they are.
type merged struct {
	node *node
	keys string
}

// mergeTypes returns how the objects of a schema merge, as API servers take it from the schemas of
// CustomResourceDefinitions. There is a type for each object with properties; that of the whole has
// the name. The types of other members, of lists in maps and of lists in lists are deduced from
// their values.
func mergeTypes(name string, root *node) []runtime.MergeType {
	if root == nil || len(root.Properties) == 0 {
		return nil // nothing is known about any member
	}
	m := merger{name: name, named: map[merged]string{}}
	m.object(root, nil, true)
	sorted.Func(m.types, func(a, b runtime.MergeType) int { return strings.Compare(a.Name, b.Name) })
	return m.types
}

// object lists the type of an object with properties and returns its name. Keys are the fields by
// which the elements of a list are told apart, if it is one of them.
func (m *merger) object(n *node, keys []string, header bool) string {
	as := merged{n, strings.Join(keys, "\x00")}
	if name, ok := m.named[as]; ok {
		return name
	}
	at := len(m.types)
	name := m.name
	if at > 0 {
		name = fmt.Sprintf("%s#%d", m.name, at)
	}
	m.named[as] = name
	m.types = append(m.types, runtime.MergeType{Name: name})
	var fields []runtime.MergeField
	for _, p := range slices.Sorted(maps.Keys(n.Properties)) {
		child := n.Properties[p]
		if child == nil || p == "metadata" && (header || n.Embedded) {
			continue
		}
		f := m.field(p, child)
		if slices.Contains(keys, p) {
			f.Default = string(child.Default)
		}
		if f.Type != "" || f.List != "" || f.Map || f.Unknown || f.Default != "" || child.free() {
			fields = append(fields, f)
		}
	}
	if header || n.Embedded {
		fields = append(fields, runtime.MergeField{Name: "metadata", Type: objectMeta})
		sorted.Func(fields, func(a, b runtime.MergeField) int { return strings.Compare(a.Name, b.Name) })
	}
	m.types[at].Fields = fields
	m.types[at].Atomic = n.MapType == "atomic"
	return name
}

// field returns how a member merges. One that has nothing but a name is a scalar, or deduced.
func (m *merger) field(name string, n *node) runtime.MergeField {
	f := runtime.MergeField{Name: name}
	switch {
	case n.IntOrString:
	case n.Type == "array":
		n.list(&f)
		f.Type = m.element(n.Items, n.ListKeys)
	case n.structure():
		f.Type = m.object(n, nil, false)
	case n.Type == "object" && n.additional != nil:
		f.Map, f.Atomic = true, n.MapType == "atomic"
		f.Type = m.element(n.additional, nil)
	case n.MapType == "atomic":
		f.Unknown = true
	}
	return f
}

// structure reports whether values are objects with members of known names.
func (n *node) structure() bool {
	return n.Type == "object" && (len(n.Properties) > 0 || n.Embedded)
}

// free reports whether values may be objects with members of any names and types.
func (n *node) free() bool { return n.Type == "object" || n.Type == "" && !n.IntOrString }

// element returns the name of the type of the elements of a list or map, blank unless they are
// objects with properties.
func (m *merger) element(n *node, keys []string) string {
	if n == nil || !n.structure() {
		return ""
	}
	return m.object(n, keys, false)
}

// list sets the type of a list.
func (n *node) list(f *runtime.MergeField) {
	switch {
	case n.ListType == "map":
		f.List, f.Keys = runtime.ListMap, n.ListKeys
	case n.ListType == "set" && n.Items.Type != "object" && n.Items.Type != "array":
		f.List = runtime.ListSet
	default: // sets of other values than scalars are replaced, too
		f.List = runtime.ListAtomic
	}
}
