package patches_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	smdschema "sigs.k8s.io/structured-merge-diff/v6/schema"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

	"github.com/askind/askind/patch/apply"
	"github.com/askind/askind/patch/structure"
)

// gadgets is the schema of a kind with a field of each sort, in two versions: %[1]s is a field that
// is called replicas in one and count in the other.
const gadgets = `types:
- name: gadget
  map:
    fields:
    - {name: apiVersion, type: {scalar: string}}
    - {name: kind, type: {scalar: string}}
    - {name: metadata, type: {namedType: meta}, default: {}}
    - {name: spec, type: {namedType: spec}, default: {}}
    - {name: status, type: {namedType: status}, default: {}}
- name: meta
  map:
    fields:
    - {name: name, type: {scalar: string}}
    - {name: namespace, type: {scalar: string}}
    - {name: uid, type: {scalar: string}}
    - {name: resourceVersion, type: {scalar: string}}
    - {name: labels, type: {map: {elementType: {scalar: string}}}}
    - {name: annotations, type: {map: {elementType: {scalar: string}}}}
    - {name: finalizers, type: {list: {elementType: {scalar: string}, elementRelationship: associative}}}
    - {name: managedFields, type: {list: {elementType: {namedType: __untyped_atomic_}, elementRelationship: atomic}}}
- name: spec
  map:
    fields:
    - {name: name, type: {scalar: string}}
    - {name: %[1]s, type: {scalar: numeric}}
    - {name: labels, type: {map: {elementType: {scalar: string}}}}
    - {name: selector, type: {map: {elementType: {scalar: string}, elementRelationship: atomic}}}
    - {name: items, type: {list: {elementType: {namedType: item}, elementRelationship: associative, keys: [name]}}}
    - {name: words, type: {list: {elementType: {scalar: string}, elementRelationship: associative}}}
    - {name: numbers, type: {list: {elementType: {scalar: numeric}, elementRelationship: associative}}}
    - {name: plain, type: {list: {elementType: {namedType: item}, elementRelationship: atomic}}}
    - {name: any, type: {namedType: __untyped_deduced_}}
    - {name: sub, type: {namedType: item}}
    - {name: whole, type: {namedType: item, elementRelationship: atomic}}
    - {name: table, type: {map: {elementType: {namedType: item}}}}
    - {name: owners, type: {list: {elementType: {namedType: owner}, elementRelationship: associative, keys: [name]}}}
    - {name: owned, type: {map: {elementType: {namedType: owner}}}}
    - {name: open, type: {namedType: open}}
- name: status
  map:
    fields:
    - {name: phase, type: {scalar: string}}
    - {name: words, type: {list: {elementType: {scalar: string}, elementRelationship: associative}}}
- name: item
  map:
    fields:
    - {name: name, type: {scalar: string}}
    - {name: value, type: {scalar: numeric}}
    - {name: ports, type: {list: {elementType: {namedType: port}, elementRelationship: associative, keys: [port, protocol]}}}
    - {name: words, type: {list: {elementType: {scalar: string}, elementRelationship: associative}}}
    - {name: labels, type: {map: {elementType: {scalar: string}}}}
    - {name: sub, type: {namedType: item}}
- name: open
  map:
    fields:
    - {name: name, type: {scalar: string}}
    - {name: sub, type: {namedType: item}}
    - {name: any, type: {namedType: __untyped_deduced_}}
    elementType: {namedType: __untyped_deduced_}
- name: owner
  map:
    elementRelationship: atomic
    fields:
    - {name: name, type: {scalar: string}}
    - {name: value, type: {scalar: numeric}}
    - {name: labels, type: {map: {elementType: {scalar: string}}}}
- name: port
  map:
    fields:
    - {name: port, type: {scalar: numeric}}
    - {name: protocol, type: {scalar: string}, default: TCP}
    - {name: name, type: {scalar: string}}
- name: __untyped_atomic_
  scalar: untyped
  list: {elementType: {namedType: __untyped_atomic_}, elementRelationship: atomic}
  map: {elementType: {namedType: __untyped_atomic_}, elementRelationship: atomic}
- name: __untyped_deduced_
  scalar: untyped
  list: {elementType: {namedType: __untyped_atomic_}, elementRelationship: atomic}
  map: {elementType: {namedType: __untyped_deduced_}, elementRelationship: separable}
`

// reshaped are the changes of the schema in the middle of a sequence: each replaces a text by
// another one.
var reshaped = [][2]string{
	{
		"{name: words, type: {list: {elementType: {scalar: string}, elementRelationship: associative}}}",
		"{name: words, type: {list: {elementType: {scalar: string}, elementRelationship: atomic}}}",
	},
	{
		"{name: selector, type: {map: {elementType: {scalar: string}, elementRelationship: atomic}}}",
		"{name: selector, type: {map: {elementType: {scalar: string}}}}",
	},
	{
		"{name: labels, type: {map: {elementType: {scalar: string}}}}",
		"{name: labels, type: {map: {elementType: {scalar: string}, elementRelationship: atomic}}}",
	},
	{"{name: sub, type: {namedType: item}}", "{name: sub, type: {namedType: item, elementRelationship: atomic}}"},
	{"{name: whole, type: {namedType: item, elementRelationship: atomic}}", "{name: whole, type: {namedType: item}}"},
	{"elementRelationship: associative, keys: [name]}}}", "elementRelationship: atomic}}}"},
	{"keys: [name]", "keys: [name, value]"},
	{
		"{name: plain, type: {list: {elementType: {namedType: item}, elementRelationship: atomic}}}",
		"{name: plain, type: {list: {elementType: {namedType: item}, elementRelationship: associative, keys: [name]}}}",
	},
	{"keys: [port, protocol]", "keys: [port]"},
	{"{name: any, type: {namedType: __untyped_deduced_}}", "{name: any, type: {namedType: __untyped_atomic_}}"},
	{"{name: open, type: {namedType: open}}", "{name: open, type: {namedType: __untyped_deduced_}}"},
	{
		"{name: table, type: {map: {elementType: {namedType: item}}}}",
		"{name: table, type: {map: {elementType: {namedType: item}, elementRelationship: atomic}}}",
	},
}

const (
	group = "example.com"
	v1    = group + "/v1"
	v2    = group + "/v2"
)

func parser(replicas string, changes ...int) *typed.Parser {
	text := fmt.Sprintf(gadgets, replicas)
	for _, i := range changes {
		text = strings.ReplaceAll(text, reshaped[i][0], reshaped[i][1])
	}
	p, err := typed.NewParser(typed.YAMLObject(text))
	if err != nil {
		panic(err)
	}
	return p
}

// fromSchema returns our structure of a type of theirs.
func fromSchema(s *smdschema.Schema, ref smdschema.TypeRef, known map[string]*structure.Type) *structure.Type {
	atom, ok := s.Resolve(ref)
	if !ok {
		panic("no such type")
	}
	name := ""
	if ref.NamedType != nil {
		name = *ref.NamedType
		if ref.ElementRelationship != nil {
			name += "/" + string(*ref.ElementRelationship)
		}
	}
	if t := known[name]; t != nil && name != "" {
		return t
	}
	t := &structure.Type{}
	known[name] = t
	switch {
	case atom.Scalar != nil && atom.Map != nil:
		t.Atomic = atom.Map.ElementRelationship == smdschema.Atomic
	case atom.Map != nil && (len(atom.Map.Fields) > 0 || atom.Map.ElementType == smdschema.TypeRef{}):
		t.Kind, t.Atomic = structure.Struct, atom.Map.ElementRelationship == smdschema.Atomic
		for _, f := range atom.Map.Fields {
			field := structure.Field{Name: f.Name, Type: fromSchema(s, f.Type, known)}
			if text, ok := f.Default.(string); ok {
				field.Default = string(encode(text))
			}
			t.Fields = append(t.Fields, field)
		}
		slices.SortFunc(t.Fields, func(a, b structure.Field) int { return strings.Compare(a.Name, b.Name) })
	case atom.Map != nil:
		t.Kind, t.Atomic, t.Elem = structure.Map, atom.Map.ElementRelationship == smdschema.Atomic, fromSchema(s,
			atom.Map.ElementType, known)
	case atom.List != nil:
		t.Kind, t.Elem = structure.List, fromSchema(s, atom.List.ElementType, known)
		if atom.List.ElementRelationship == smdschema.Associative {
			t.Keys, t.Set = atom.List.Keys, len(atom.List.Keys) == 0
		}
	default:
		t.Kind = structure.Scalar
	}
	return t
}

// theirs is what kube-apiserver gives managedfields for a kind, over untyped objects.
type theirs struct {
	parsers map[string]typed.ParseableType
}

func newTheirs() *theirs {
	return &theirs{map[string]typed.ParseableType{
		v1: parser("replicas").Type("gadget"),
		v2: parser("count").Type("gadget"),
	}}
}

func (c *theirs) ObjectToTyped(obj runtime.Object, o ...typed.ValidationOptions) (*typed.TypedValue, error) {
	u := obj.(*unstructured.Unstructured)
	return c.parsers[u.GetAPIVersion()].FromUnstructured(u.Object, o...)
}

func (c *theirs) TypedToObject(v *typed.TypedValue) (runtime.Object, error) {
	return &unstructured.Unstructured{Object: v.AsValue().Unstructured().(map[string]any)}, nil
}

func (c *theirs) Convert(in, out, context any) error { return errors.New("not used") }

func (c *theirs) ConvertFieldLabel(schema.GroupVersionKind, string, string) (string, string, error) {
	return "", "", errors.New("not used")
}

func (c *theirs) ConvertToVersion(in runtime.Object, gv runtime.GroupVersioner) (runtime.Object, error) {
	u := in.(*unstructured.Unstructured)
	version := gv.(schema.GroupVersion).String()
	if c.parsers[version].Schema == nil {
		return nil, runtime.NewNotRegisteredErrForKind("test", schema.FromAPIVersionAndKind(version, "Gadget"))
	}
	out := u.DeepCopy()
	inVersion(out.Object, version)
	return out, nil
}

func (c *theirs) Default(runtime.Object) {}

func (c *theirs) New(gvk schema.GroupVersionKind) (runtime.Object, error) {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": gvk.GroupVersion().String(),
		"kind":       gvk.Kind,
	}}, nil
}

// inVersion brings an object into a version.
func inVersion(m map[string]any, version string) {
	if m["apiVersion"] == version {
		return
	}
	m["apiVersion"] = version
	spec, _ := m["spec"].(map[string]any)
	from, to := "replicas", "count"
	if version == v1 {
		from, to = to, from
	}
	if x, ok := spec[from]; ok {
		delete(spec, from)
		spec[to] = x
	}
}

// fields returns a random part of the spec of a gadget.
func (r picker) fields(version string) map[string]any {
	replicas := "replicas"
	if version == v2 {
		replicas = "count"
	}
	free := r.object(2)
	dropNulls(free)
	table, owned := map[string]any{}, map[string]any{}
	for range r.IntN(3) {
		table[pick(r, "x", "y", "z")] = r.gadgetItem("t", 0)
		owned[pick(r, "x", "y", "z")] = r.owner("t")
	}
	owners := []any{}
	for _, i := range r.Perm(3)[:r.IntN(3)] {
		owners = append(owners, r.owner(string(rune('k'+i))))
	}
	open := r.object(2)
	dropNulls(open)
	maps.Copy(open, map[string]any{"name": pick(r, "a", "b"), "sub": r.gadgetItem("o", 0), "any": r.object(1)})
	dropNulls(open)
	r.some(open)
	m := map[string]any{
		"open": open, "numbers": r.numbers(),
		"name": pick(r, "a", "b"), replicas: r.IntN(3), "labels": r.labels(), "selector": r.labels(),
		"items": r.gadgetItems(1), "words": r.words(), "plain": r.gadgetItems(0),
		"any": free, "sub": r.gadgetItem("sub", 1), "whole": r.gadgetItem("whole", 0), "table": table,
		"owners": owners, "owned": owned,
	}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if r.IntN(2) == 0 {
			delete(m, name)
		}
	}
	return m
}

func (r picker) numbers() []any {
	out := []any{}
	for _, i := range r.Perm(4)[:r.IntN(4)] {
		out = append(out, []float64{0, 1, -1, 1.5}[i])
	}
	return out
}

// owner returns an object that is replaced as a whole.
func (r picker) owner(name string) map[string]any {
	m := map[string]any{"name": name}
	if r.IntN(2) == 0 {
		m["value"] = r.IntN(3)
	}
	if r.IntN(2) == 0 {
		m["labels"] = r.labels()
	}
	return m
}

func (r picker) gadgetItem(name string, depth int) map[string]any {
	m := map[string]any{
		"name": name, "value": r.IntN(3), "ports": r.gadgetPorts(), "words": r.words(),
		"labels": r.labels(),
	}
	if depth > 0 {
		m["sub"] = r.gadgetItem(pick(r, "p", "q"), depth-1)
	}
	return r.some(m)
}

func (r picker) gadgetItems(depth int) []any {
	out := []any{}
	for _, i := range r.Perm(4)[:r.IntN(4)] {
		out = append(out, r.gadgetItem(string(rune('k'+i)), depth))
	}
	return out
}

func (r picker) gadgetPorts() []any {
	out := []any{}
	for _, p := range r.Perm(3)[:r.IntN(3)] {
		m := map[string]any{"port": 80 + p}
		if r.IntN(2) == 0 {
			m["protocol"] = pick(r, "TCP", "UDP")
		}
		if r.IntN(2) == 0 {
			m["name"] = pick(r, "http", "web")
		}
		out = append(out, m)
	}
	return out
}

func dropNulls(v any) {
	switch v := v.(type) {
	case map[string]any:
		for name, x := range v {
			if x == nil {
				delete(v, name)
			}
			dropNulls(x)
		}
	case []any:
		for _, x := range v {
			dropNulls(x)
		}
	}
}

// gadget returns a random configuration.
func (r picker) gadget(version string) map[string]any {
	m := map[string]any{"apiVersion": version, "kind": "Gadget", "metadata": map[string]any{"name": "g"}}
	meta := m["metadata"].(map[string]any)
	if r.IntN(3) == 0 {
		meta["labels"] = r.labels()
	}
	if r.IntN(3) == 0 {
		meta["finalizers"] = r.words()
	}
	if r.IntN(6) > 0 {
		m["spec"] = r.fields(version)
	}
	if r.IntN(4) == 0 {
		m["status"] = map[string]any{"phase": pick(r, "on", "off"), "words": r.words()}
	}
	// What JSON makes of Go values is what both sides read.
	var out map[string]any
	if err := json.Unmarshal([]byte(awkward.Replace(string(encode(m)))), &out); err != nil {
		panic(err)
	}
	integers(out)
	return out
}

// awkward replaces names and values by some that have to be escaped.
var awkward = strings.NewReplacer(`"e"`, `"e<\"\\\t\u2028é"`, `"x":`, `"x>/~\"\\:":`, `"n"`, `"n&]=\u007f"`)

// integers makes int64 of the numbers that are, as the decoders of Kubernetes do.
func integers(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, x := range v {
			v[name] = integers(x)
		}
	case []any:
		for i, x := range v {
			v[i] = integers(x)
		}
	case float64:
		if v == float64(int64(v)) {
			return int64(v)
		}
	}
	return v
}

func read(text []byte) *unstructured.Unstructured {
	var m map[string]any
	if err := json.Unmarshal(text, &m); err != nil {
		panic(err)
	}
	return &unstructured.Unstructured{Object: integers(m).(map[string]any)}
}

// step is one write of a sequence.
type step struct {
	apply, force         bool
	manager, version     string
	subresource          string
	object               map[string]any
	ours, theirs         []byte
	oursFail, theirsFail error
}

// TestManagedFieldsAsKubernetes sends sequences of applies and updates by several managers, in two
// versions, to both sides and compares objects, managed fields and conflicts after each of them. In
// the middle of some sequences the schema changes.
func TestManagedFieldsAsKubernetes(t *testing.T) {
	c := newTheirs()
	types := map[string]*structure.Type{}
	shapes := map[string]*theirs{}
	compareManagers(t, c, types, func(changes []int) {
		key := fmt.Sprint(changes)
		if shapes[key] == nil {
			shapes[key] = &theirs{map[string]typed.ParseableType{
				v1: parser("replicas", changes...).Type("gadget"),
				v2: parser("count", changes...).Type("gadget"),
			}}
		}
		maps.Copy(c.parsers, shapes[key].parsers)
		for version, p := range c.parsers {
			types[version] = fromSchema(p.Schema, p.TypeRef, map[string]*structure.Type{})
		}
	})
}

// compareManagers sends sequences of writes to both sides. The schema changes by a function, if it
// is not nil.
func compareManagers(t *testing.T, c *theirs, types map[string]*structure.Type, reshape func(changes []int)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ours := apply.New(apply.Options{
			Structure: func(version string) *structure.Type { return types[version] },
			Convert: func(doc []byte, version string) ([]byte, error) {
				if types[version] == nil {
					return nil, apply.ErrNoVersion
				}
				u := read(doc)
				inVersion(u.Object, version)
				return encode(u.Object), nil
			},
		})
		managers := newManagers(t, c)
		r := newPicker(5)
		var applied, conflicts int
		for range max(*cases/10, 1) {
			live := []byte(nil)
			var history []string
			if reshape != nil {
				reshape(nil)
			}
			steps, applies := 10, 3
			if r.IntN(10) == 0 {
				steps, applies = 40, 1 // for more managers of updates than are recorded
			}
			for range steps {
				if reshape != nil && r.IntN(10) == 0 {
					changes := slices.Sorted(slices.Values(r.Perm(len(reshaped))[:r.IntN(4)]))
					reshape(changes)
					history = append(history, fmt.Sprint("reshaped ", changes))
				}
				s := step{
					apply: r.IntN(5) < applies, force: r.IntN(3) == 0, manager: pick(r, "a", "b", "kubectl", "d", ""),
					version: pick(r, v1, v1, v2),
				}
				if live != nil && r.IntN(5) == 0 {
					s.subresource = "status"
				}
				s.object = r.gadget(s.version)
				if r.IntN(4) == 0 {
					r.empty(s.object["spec"])
				}
				if r.IntN(40) == 0 {
					r.twice(s.object["spec"])
				}
				time.Sleep(time.Duration(r.IntN(3)) * 500 * time.Millisecond)
				current := inVersionText(live, s.version)
				request := apply.Request{
					Manager: s.manager, APIVersion: s.version, Subresource: s.subresource,
					Force: s.force, Time: time.Now(), Reset: []string{"status"},
				}
				if s.subresource != "" {
					request.Reset = []string{"spec", "metadata"}
				}
				manager := managers[[2]string{s.version, s.subresource}]
				liveObject, _ := c.New(schema.FromAPIVersionAndKind(s.version, "Gadget"))
				if current != nil {
					liveObject = read(current)
				}
				change := encode(s.object)
				if s.apply {
					s.ours, s.oursFail = ours.Apply(current, change, request)
					var out runtime.Object
					if out, s.theirsFail = manager.Apply(liveObject, read(change),
						s.manager, s.force); s.theirsFail == nil {
						s.theirs = encode(out.(*unstructured.Unstructured).Object)
					}
				} else {
					if r.IntN(2) == 0 {
						s.manager = fmt.Sprint("m", r.IntN(20))
						request.Manager = s.manager
					}
					change = encode(r.mutated(current, s.object))
					s.ours, s.oursFail = ours.Update(current, change, request)
					var out runtime.Object
					if out, s.theirsFail = manager.Update(liveObject, read(change), s.manager); s.theirsFail == nil {
						s.theirs = encode(out.(*unstructured.Unstructured).Object)
					}
				}
				history = append(history, fmt.Sprintf("apply=%t force=%t manager=%s version=%s subresource=%q: %s",
					s.apply, s.force, s.manager, s.version, s.subresource, change))
				if s.differs(c, current) {
					if s.ours != nil {
						live = inVersionText(withUID(s.ours), v1)
					}
					continue
				}
				if (s.oursFail == nil) != (s.theirsFail == nil) {
					t.Fatalf("%s\nlive %s\n got %v\nwant %v", strings.Join(history, "\n"), current, s.oursFail,
						s.theirsFail)
				}
				if s.oursFail != nil {
					conflicts++
					sameFailure(t, s.oursFail, s.theirsFail, history, current)
					continue
				}
				applied++
				got, want := read(s.ours).Object, read(inVersionText(s.theirs, s.version)).Object
				if withoutEmptied(got, want); !reflect.DeepEqual(got, want) && !(s.apply && anyKeyless(current)) {
					t.Fatalf("%s\nlive %s\n got %s\nwant %s", strings.Join(history, "\n"), current, s.ours, s.theirs)
				}
				live = inVersionText(withUID(s.ours), v1)
			}
		}
		if applied < *cases/4 || conflicts < *cases/100 {
			t.Errorf("%d writes and %d conflicts of %d", applied, conflicts, *cases)
		}
	})
}

// newManagers returns the field managers of kube-apiserver by version and subresource.
func newManagers(t *testing.T, c *theirs) map[[2]string]*managedfields.FieldManager {
	t.Helper()
	reset := map[string][]fieldpath.Path{
		"":       {fieldpath.MakePathOrDie("status")},
		"status": {fieldpath.MakePathOrDie("spec"), fieldpath.MakePathOrDie("metadata")},
	}
	out := map[[2]string]*managedfields.FieldManager{}
	for _, v := range []string{v1, v2} {
		for sub, paths := range reset {
			filter := fieldpath.NewExcludeSetFilter(fieldpath.NewSet(paths...))
			m, err := managedfields.NewDefaultFieldManager(c, c, c, c, schema.FromAPIVersionAndKind(v, "Gadget"),
				schema.GroupVersion{Group: group, Version: "v1"}, sub,
				map[fieldpath.APIVersion]fieldpath.Filter{v1: filter, v2: filter})
			if err != nil {
				t.Fatal(err)
			}
			out[[2]string{v, sub}] = m
		}
	}
	return out
}

// mutated returns an object that differs from the live one in some fields.
func (r picker) mutated(live []byte, other map[string]any) map[string]any {
	u := other
	if live != nil {
		u = read(live).Object
	}
	for _, part := range []string{"spec", "status"} {
		from, _ := other[part].(map[string]any)
		to, _ := u[part].(map[string]any)
		if to == nil && len(from) > 0 {
			to = map[string]any{}
			u[part] = to
		}
		for _, name := range slices.Sorted(maps.Keys(from)) {
			if r.IntN(2) == 0 {
				to[name] = from[name]
			} else if r.IntN(4) == 0 {
				delete(to, name)
			}
		}
	}
	meta := u["metadata"].(map[string]any)
	if r.IntN(4) == 0 {
		meta["annotations"] = map[string]any{apply.LastAppliedAnnotation: string(encode(other))}
	}
	if r.IntN(10) == 0 {
		r.twice(u["spec"])
	}
	if entries, _ := meta["managedFields"].([]any); r.IntN(3) == 0 {
		meta["managedFields"] = r.claimed(entries)
		if meta["managedFields"] == nil {
			delete(meta, "managedFields")
		}
	}
	return u
}

// claimed returns what a client may send as the managed fields of an object, nil for none.
func (r picker) claimed(entries []any) any {
	if len(entries) == 0 {
		return nil
	}
	i := r.IntN(len(entries))
	e, other := maps.Clone(entries[i].(map[string]any)), entries[r.IntN(len(entries))].(map[string]any)
	switch r.IntN(11) {
	case 0:
		return nil
	case 1:
		return []any{}
	case 2:
		return []any{map[string]any{}}
	case 3:
		return slices.Delete(entries, i, i+1)
	case 4:
		e["fieldsV1"] = other["fieldsV1"]
	case 5, 6:
		e["fieldsV1"] = r.thinned(e["fieldsV1"])
	case 7:
		e["apiVersion"] = pick(r, group+"/v0", "", v2)
	case 8:
		e[pick(r, "operation", "fieldsType")] = pick(r, "", "Other")
	case 9:
		e["fieldsV1"] = map[string]any{pick(r, "x", "x:y", "k:{", "v:", "i:x", "k:1", "f:a"): map[string]any{}}
	case 10:
		return append(entries, other)
	}
	entries[i] = e
	return entries
}

// thinned returns a part of a set of fields, with other elements and without some ".".
func (r picker) thinned(set any) any {
	m, _ := set.(map[string]any)
	out := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if r.IntN(4) > 0 {
			out[name] = r.thinned(m[name])
		}
	}
	return out
}

// empty sets a member at some depth to null, to an empty object or to an empty list, if it is none
// that the elements of a list have.
func (r picker) empty(v any) {
	m, _ := v.(map[string]any)
	if len(m) == 0 {
		return
	}
	name := pick(r, slices.Sorted(maps.Keys(m))...)
	switch below := m[name].(type) {
	case map[string]any:
		if r.IntN(2) == 0 {
			r.empty(below)
			return
		}
		m[name] = pick[any](r, nil, map[string]any{})
	case []any:
		m[name] = pick[any](r, nil, []any{})
	default:
		m[name] = nil
	}
}

// twice repeats an element of a list.
func (r picker) twice(v any) {
	m, _ := v.(map[string]any)
	for _, name := range []string{"words", "items", "numbers"} {
		if list, _ := m[name].([]any); len(list) > 0 && r.IntN(2) == 0 {
			e := pick(r, list...)
			if m, ok := e.(map[string]any); ok && r.IntN(2) == 0 {
				m = maps.Clone(m)
				m["value"] = int64(7)
				e = m
			}
			m[name] = slices.Insert(slices.Clone(list), r.IntN(len(list)+1), e)
		}
	}
}

// differs reports whether the results of a step differ, or may, for a reason that docs/patches.md
// lists.
func (s *step) differs(c *theirs, live []byte) bool {
	if s.theirsFail == nil {
		return !s.apply && jointAgain(live)
	}
	if _, conflict := errors.AsType[*apply.ConflictError](s.oursFail); s.oursFail != nil && !conflict {
		return false
	}
	if s.manager == "kubectl" && s.apply && live != nil {
		u := read(live)
		last := u.GetAnnotations()[apply.LastAppliedAnnotation]
		if _, err := c.ObjectToTyped(u); err != nil {
			return true
		} else if last != "" {
			if _, err := c.ObjectToTyped(read([]byte(last))); err != nil {
				return true
			}
		}
	}
	for _, text := range []string{
		"duplicate entries", "may not have a null element", "omits all key fields", "decode managed fields",
	} {
		if strings.Contains(s.theirsFail.Error(), text) {
			return true
		}
	}
	return false
}

// keyless reports whether a manager has an element of a list and not its keys, or keys and not the
// element. Kubernetes then removes keys from elements that it keeps.
func keyless(set any) bool {
	m, _ := set.(map[string]any)
	for name, below := range m {
		kids, _ := below.(map[string]any)
		if key, ok := strings.CutPrefix(name, "k:"); ok {
			var keys map[string]any
			if err := json.Unmarshal([]byte(key), &keys); err != nil {
				panic(err)
			}
			_, self := kids["."]
			for k := range keys {
				if _, has := kids["f:"+k]; has != (self || len(kids) == 0) && k != "protocol" {
					return true
				}
			}
		}
		if keyless(kids) {
			return true
		}
	}
	return false
}

// anyKeyless reports whether [keyless] is true for a manager of an object.
func anyKeyless(live []byte) bool {
	return live != nil && slices.ContainsFunc(read(live).GetManagedFields(), func(e metav1.ManagedFieldsEntry) bool {
		var set any
		return json.Unmarshal(e.FieldsV1.GetRawBytes(), &set) == nil && keyless(set)
	})
}

// jointAgain reports whether an object has a joint manager that is not the oldest one of its
// version.
func jointAgain(live []byte) bool {
	oldest := map[string]metav1.ManagedFieldsEntry{}
	for _, e := range read([]byte(cmp.Or(string(live), "{}"))).GetManagedFields() {
		if e.Operation != metav1.ManagedFieldsOperationUpdate {
			continue
		}
		if old, ok := oldest[e.APIVersion]; ok && (e.Manager == joint || old.Manager == joint) &&
			(e.Manager == joint || !old.Time.Before(e.Time)) {
			return true
		}
		if _, ok := oldest[e.APIVersion]; !ok {
			oldest[e.APIVersion] = e
		}
	}
	return false
}

// joint is the manager of old updates.
const joint = "ancient-changes"

func inVersionText(text []byte, version string) []byte {
	if text == nil {
		return nil
	}
	u := read(text)
	inVersion(u.Object, version)
	return encode(u.Object)
}

func withUID(text []byte) []byte {
	u := read(text)
	u.SetUID("1")
	return encode(u.Object)
}

// withoutEmptied removes from the second value what is null there and missing in the first one:
// what structured-merge-diff leaves of an object or list that it has emptied.
func withoutEmptied(a, b any) any {
	switch b := b.(type) {
	case map[string]any:
		a, _ := a.(map[string]any)
		for name, v := range b {
			if _, ok := a[name]; !ok && v == nil {
				delete(b, name)
				continue
			}
			b[name] = withoutEmptied(a[name], v)
		}
	case []any:
		a, _ := a.([]any)
		if len(a) < len(b) {
			b = slices.DeleteFunc(b, func(v any) bool { return v == nil })
		}
		for i := range min(len(a), len(b)) {
			b[i] = withoutEmptied(a[i], b[i])
		}
		return b
	}
	return b
}

// sameFailure fails unless both sides report the same conflicts, or that the configuration is
// invalid.
func sameFailure(t *testing.T, ours, theirs error, history []string, live []byte) {
	t.Helper()
	status, isStatus := errors.AsType[*apierrors.StatusError](theirs)
	if e, ok := errors.AsType[*apply.Error](ours); ok && e.Config && !isStatus &&
		strings.Contains(theirs.Error(), "failed to create typed patch object") {
		return
	}
	conflict, ok := errors.AsType[*apply.ConflictError](ours)
	if !ok || !isStatus {
		t.Fatalf("%s\nlive %s\n got %v\nwant %v", strings.Join(history, "\n"), live, ours, theirs)
	}
	// Theirs lists managers in any order.
	lines := func(n int, cause func(int) (message, text string)) (out []string) {
		by := map[string][]string{}
		for i := range n {
			message, text := cause(i)
			by[message] = append(by[message], text)
		}
		for _, message := range slices.Sorted(maps.Keys(by)) {
			out = append(out, by[message]...)
		}
		return out
	}
	a, b := conflict.Status().Status.Details.Causes, status.ErrStatus.Details.Causes
	got := lines(len(a), func(i int) (string, string) {
		return a[i].Message, fmt.Sprintf("%s %s %s", a[i].Type, a[i].Message, a[i].Field)
	})
	want := lines(len(b), func(i int) (string, string) {
		return b[i].Message, fmt.Sprintf("%s %s %s", b[i].Type, b[i].Message, b[i].Field)
	})
	if !slices.Equal(got, want) {
		t.Fatalf("%s\nlive %s\n got %s\nwant %s", strings.Join(history, "\n"), live, strings.Join(got, "\n"),
			strings.Join(want, "\n"))
	}
	if ours.Error() != theirs.Error() {
		t.Fatalf("got %s\nwant %s", ours, theirs)
	}
}
