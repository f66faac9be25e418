package unstructured

import (
	"slices"
	"strconv"

	"github.com/askind/askind/internal/sorted"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire/jsonwire"
)

// List is an object with items, each an object. It is the same tree as an [Object] with another
// type: [Object.List] and [List.Object] convert between them, and changes to one change the other.
type List Object

var _ runtime.UntypedList = (*List)(nil)

// NewList returns an empty list for objects of a kind. The kind of the list is that name followed
// by List.
func NewList(item schema.GroupVersionKind) *List {
	l := new(List)
	l.SetType(item.APIVersion(), item.Kind+"List")
	l.SetItems()
	return l
}

// IsList reports whether the object is a list: its kind ends in List, it has items, and it has no
// name.
func (o *Object) IsList() bool { return isList(o.view) }

// List returns the object as a list, regardless of the name of its kind. Items that are not objects
// are an [*AccessError].
func (o *Object) List() (*List, error) {
	l := (*List)(o)
	_, err := l.Items()
	return l, err
}

// Object returns the list as an object.
func (l *List) Object() *Object { return (*Object)(l) }

// Clone returns a copy that shares no memory with the list.
func (l *List) Clone() *List { return (*List)(l.Object().Clone()) }

// Equal reports whether two lists are the same, see [Value.Equal].
func (l *List) Equal(other *List) bool { return l.Object().Equal(other.Object()) }

// Items returns the items in place: changing one changes the list. The slice is valid until items
// are added or removed. A list without the member items, or with null, has none. Items that are not
// objects are an [*AccessError].
func (l *List) Items() ([]Object, error) {
	at, found, err := l.lookup([]string{"items"})
	if !found {
		return nil, err
	}
	if at.typ() != TypeArray {
		return nil, wrongType(l.view, []string{"items"}, "an array", at)
	}
	elements := at.elements()
	for i, item := range elements {
		path := []string{"items", strconv.Itoa(i)}
		if item.typ() != TypeObject {
			return nil, wrongType(l.view, path, "an object", item)
		}
		for _, name := range [...]string{"apiVersion", "kind", "metadata"} {
			if v, ok := item.step(name); ok {
				if err := checkMember(l.view, v, []string{name}); err != nil {
					return nil, wrongType(l.view, append(path, name), memberType(name).String(), v)
				}
			}
		}
	}
	objects := objectsOf(elements)
	return objects[:len(objects):len(objects)], nil
}

// SetItems replaces the items. They are not copied: their trees belong to the list afterwards.
// Items that state neither kind nor apiVersion get those that follow from the list, unless its kind
// is List, which can hold any objects.
func (l *List) SetItems(items ...Object) {
	elements := make([]view, len(items))
	for i := range items {
		elements[i] = items[i].tree()
	}
	_ = (*Object)(l).put(arrayView(elements), []string{"items"}) // setting a member of the root cannot fail
	stampItems(l.view)
}

// DropManagedFields removes metadata.managedFields of all items.
func (l *List) DropManagedFields() {
	items, _ := l.Items() // nil if there is an error
	for i := range items {
		items[i].DropManagedFields()
	}
}

// ResourceVersion returns the version of the collection at which the list was read.
func (l *List) ResourceVersion() string { return l.textAt("metadata", "resourceVersion") }

// SetResourceVersion sets the version of the collection; blank removes it.
func (l *List) SetResourceVersion(version string) { l.setText(version, "metadata", "resourceVersion") }

// Continue returns the token for requesting the next part of the list.
func (l *List) Continue() string { return l.textAt("metadata", "continue") }

// SetContinue sets the token; blank removes it.
func (l *List) SetContinue(token string) { l.setText(token, "metadata", "continue") }

// RemainingItemCount returns the number of items after this part of the list, and whether the list
// states it.
func (l *List) RemainingItemCount() (int64, bool) {
	n, found, _ := l.Int64("metadata", "remainingItemCount")
	return n, found
}

// SetRemainingItemCount sets the number of items after this part.
func (l *List) SetRemainingItemCount(n int64) {
	_ = (*Object)(l).put(scalarView(TypeInt64, uint64(n)), []string{"metadata", "remainingItemCount"})
}

// RuntimeKind implements [runtime.Untyped].
func (l *List) RuntimeKind() (*runtime.Kind, error) {
	if l == nil {
		return nil, &runtime.ObjectError{Object: "*unstructured.List", Reason: "the pointer is nil"}
	}
	gvk, err := l.GroupVersionKind()
	if err != nil {
		return nil, err
	}
	return ListKind(gvk), nil
}

// DeepCopyAny implements [runtime.DeepCopier].
func (l List) DeepCopyAny() any { return *l.Clone() }

// DeepCopyIntoList makes out a copy of in that shares no memory with it except for the names of
// members.
func DeepCopyIntoList(in, out *List) { DeepCopyIntoObject(in.Object(), out.Object()) }

// AppendJSONList appends the list to dst.
func AppendJSONList(dst []byte, in *List) ([]byte, error) { return in.AppendJSON(dst) }

// DecodeJSONList fills out from the next value of r, as [DecodeJSONObject] does. Items that are not
// objects are recorded.
func DecodeJSONList(r *jsonwire.Reader, out *List) {
	out.decode(r)
	if r.Err() != nil {
		return
	}
	if _, err := out.Items(); err != nil {
		r.Invalid(err)
	}
}

// WithoutItems implements [runtime.UntypedList].
func (l *List) WithoutItems() runtime.Object { return (*List)(&Object{withoutItems(l.tree())}) }

// WithoutItems implements [runtime.UntypedList].
func (o *Object) WithoutItems() runtime.Object { return &Object{withoutItems(o.tree())} }

// withoutItems returns a list without items. The other members are shared.
func withoutItems(list view) root {
	members := slices.Clone(list.members())
	i, ok := search(members, "items")
	if !ok {
		members = sorted.Insert(members, i, member{key: intern("items")})
	}
	members[i].v = arrayView(nil)
	return root{objectView(members)}
}

// itemsView provides the items of a list to package runtime.
type itemsView struct{ root *root }

func (i itemsView) elements() []view {
	if at, _ := i.root.step("items"); at.typ() == TypeArray {
		return at.elements()
	}
	return nil
}

// Len implements [runtime.Items].
func (i itemsView) Len() int { return len(i.elements()) }

// At implements [runtime.Items].
func (i itemsView) At(n int) runtime.Object { return &objectsOf(i.elements())[n] }

// Resize implements [runtime.Items].
func (i itemsView) Resize(n int) {
	elements := make([]view, n)
	for j := range elements {
		elements[j] = emptyObject
	}
	_ = i.root.put(arrayView(elements), []string{"items"})
}

// IsNil implements [runtime.Items]: it is true only for an explicit null.
func (i itemsView) IsNil() bool {
	at, ok := i.root.step("items")
	return ok && at.typ() == TypeNull
}
