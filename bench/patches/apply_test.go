package patches_test

import (
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
    - {name: plain, type: {list: {elementType: {namedType: item}, elementRelationship: atomic}}}
    - {name: any, type: {namedType: __untyped_deduced_}}
    - {name: sub, type: {namedType: item}}
    - {name: whole, type: {namedType: item, elementRelationship: atomic}}
    - {name: table, type: {map: {elementType: {namedType: item}}}}
    - {name: owners, type: {list: {elementType: {namedType: owner}, elementRelationship: associative, keys: [name]}}}
    - {name: owned, type: {map: {elementType: {namedType: owner}}}}
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

const (
	group = "example.com"
	v1    = group + "/v1"
	v2    = group + "/v2"
)

func parser(replicas string) *typed.Parser {
	p, err := typed.NewParser(typed.YAMLObject(fmt.Sprintf(gadgets, replicas)))
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
	m := map[string]any{
		"name": pick(r, "a", "b"), replicas: r.IntN(3), "labels": r.labels(), "selector": r.labels(),
		"items": r.gadgetItems(1), "words": r.words(), "plain": r.gadgetItems(0),
		"any": free, "sub": r.gadgetItem("sub", 1), "whole": r.gadgetItem("whole", 0), "table": table,
		"owners": owners, "owned": owned,
	}
	for name := range m {
		if r.IntN(2) == 0 {
			delete(m, name)
		}
	}
	return m
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
	for name := range m {
		if name != "name" && r.IntN(2) == 0 {
			delete(m, name)
		}
	}
	return m
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
	if err := json.Unmarshal(encode(m), &out); err != nil {
		panic(err)
	}
	integers(out)
	return out
}

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
		return int64(v)
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
	gotten               []byte
	ours, theirs         []byte
	oursFail, theirsFail error
}

// TestManagedFieldsAsKubernetes sends sequences of applies and updates by several managers, in two
// versions, to both sides and compares objects, managed fields and conflicts after each of them.
func TestManagedFieldsAsKubernetes(t *testing.T) {
	c := newTheirs()
	types := map[string]*structure.Type{}
	for version, p := range c.parsers {
		types[version] = fromSchema(p.Schema, p.TypeRef, map[string]*structure.Type{})
	}
	compareManagers(t, c, types)
}

// compareManagers sends sequences of writes to both sides.
func compareManagers(t *testing.T, c *theirs, types map[string]*structure.Type) {
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
		reset := map[fieldpath.APIVersion]fieldpath.Filter{}
		statusReset := map[fieldpath.APIVersion]fieldpath.Filter{}
		for _, v := range []string{v1, v2} {
			reset[fieldpath.APIVersion(v)] = fieldpath.NewExcludeSetFilter(
				fieldpath.NewSet(fieldpath.MakePathOrDie("status")),
			)
			statusReset[fieldpath.APIVersion(v)] = fieldpath.NewExcludeSetFilter(
				fieldpath.NewSet(fieldpath.MakePathOrDie("spec"), fieldpath.MakePathOrDie("metadata")),
			)
		}
		managers := map[[2]string]*managedfields.FieldManager{}
		for _, v := range []string{v1, v2} {
			gvk := schema.FromAPIVersionAndKind(v, "Gadget")
			hub := schema.GroupVersion{Group: group, Version: "v1"}
			for _, sub := range []string{"", "status"} {
				filter := reset
				if sub != "" {
					filter = statusReset
				}
				m, err := managedfields.NewDefaultFieldManager(c, c, c, c, gvk, hub, sub, filter)
				if err != nil {
					t.Fatal(err)
				}
				managers[[2]string{v, sub}] = m
			}
		}
		r := newPicker(5)
		var applied, conflicts int
		for range max(*cases/10, 1) {
			live := []byte(nil)
			var history []string
			for range 10 {
				s := step{
					apply: r.IntN(5) < 3, force: r.IntN(3) == 0, manager: pick(r, "a", "b", "kubectl", "d"),
					version: pick(r, v1, v1, v2),
				}
				if live != nil && r.IntN(5) == 0 {
					s.subresource = "status"
				}
				s.object = r.gadget(s.version)
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
					if out, s.theirsFail = manager.Apply(liveObject, &unstructured.Unstructured{Object: s.object},
						s.manager, s.force); s.theirsFail == nil {
						s.theirs = encode(out.(*unstructured.Unstructured).Object)
					}
				} else {
					next := r.mutated(current, s.object)
					change = encode(next)
					s.ours, s.oursFail = ours.Update(current, change, request)
					out := manager.UpdateNoErrors(liveObject, read(change), s.manager)
					s.theirs = encode(out.(*unstructured.Unstructured).Object)
				}
				history = append(history, fmt.Sprintf("apply=%t force=%t manager=%s version=%s subresource=%q: %s",
					s.apply, s.force, s.manager, s.version, s.subresource, change))
				if (s.oursFail == nil) != (s.theirsFail == nil) {
					t.Fatalf("%s\nlive %s\n got %v\nwant %v", strings.Join(history, "\n"), current, s.oursFail,
						s.theirsFail)
				}
				if s.oursFail != nil {
					conflicts++
					sameConflicts(t, s.oursFail, s.theirsFail, history, current)
					continue
				}
				applied++
				if !reflect.DeepEqual(withoutEmptied(s.ours), withoutEmptied(inVersionText(s.theirs, s.version))) {
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

// mutated returns an object that differs from the live one in some fields.
func (r picker) mutated(live []byte, other map[string]any) map[string]any {
	if live == nil {
		return other
	}
	u := read(live).Object
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
	if r.IntN(10) == 0 {
		delete(u["metadata"].(map[string]any), "managedFields")
	}
	return u
}

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

// withoutEmptied returns an object without members that are null: what structured-merge-diff leaves
// of an object or list that it has emptied.
func withoutEmptied(text []byte) any {
	u := read(text).Object
	dropNulls(u)
	return u
}

func sameConflicts(t *testing.T, ours, theirs error, history []string, live []byte) {
	t.Helper()
	conflict, ok := errors.AsType[*apply.ConflictError](ours)
	status, isStatus := errors.AsType[*apierrors.StatusError](theirs)
	if !ok || !isStatus {
		t.Fatalf("%s\n got %v\nwant %v", strings.Join(history, "\n"), ours, theirs)
	}
	var got, want []string
	for _, c := range conflict.Status().Status.Details.Causes {
		got = append(got, fmt.Sprintf("%s %s %s", c.Type, c.Message, c.Field))
	}
	for _, c := range status.ErrStatus.Details.Causes {
		want = append(want, fmt.Sprintf("%s %s %s", c.Type, c.Message, c.Field))
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Fatalf("%s\nlive %s\n got %s\nwant %s", strings.Join(history, "\n"), live, strings.Join(got, "\n"),
			strings.Join(want, "\n"))
	}
	if len(got) == 1 && ours.Error() != theirs.Error() {
		t.Fatalf("got %s\nwant %s", ours, theirs)
	}
}
