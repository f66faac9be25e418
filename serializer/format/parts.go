package format

import (
	"bytes"
	"cmp"
	"fmt"
	"reflect"
	"strings"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire/jsonwire"
)

// WithoutItems returns a copy of the list with an empty slice in place of its items. It shares
// memory with the list, which is not modified. It returns false unless k is a list kind whose items
// are in a slice of the object, or that of a [runtime.UntypedList].
func WithoutItems(k *runtime.Kind, list runtime.Object) (runtime.Object, bool) {
	if !k.IsList() || k.Check(list) != nil {
		return nil, false
	}
	if u, ok := list.(runtime.UntypedList); ok {
		return u.WithoutItems(), true
	}
	field, ok := itemsField(k)
	if !ok {
		return nil, false
	}
	return withEmpty(list, field), true
}

// withEmpty returns a shallow copy of an object in which a slice field is empty but not nil.
func withEmpty(obj runtime.Object, field int) runtime.Object {
	out := reflect.New(reflect.TypeOf(obj).Elem())
	out.Elem().Set(reflect.ValueOf(obj).Elem())
	f := out.Elem().Field(field)
	f.Set(reflect.MakeSlice(f.Type(), 0, 0))
	return out.Interface()
}

// WithItems returns a copy of the list with other items, which are copied into it one level deep.
// It shares memory with both arguments. The list is not modified.
func WithItems(k *runtime.Kind, list runtime.Object, items []runtime.Object) (runtime.Object, error) {
	out, ok := WithoutItems(k, list)
	if !ok {
		if err := k.Check(list); err != nil {
			return nil, err
		}
		if !k.IsList() {
			return nil, &runtime.NoFunctionError{Kind: k.GroupVersionKind(), Function: "Items"}
		}
		var err error
		if out, err = k.DeepCopy(list); err != nil {
			return nil, err
		}
	}
	to := k.Items(out)
	to.Resize(len(items))
	for i, item := range items {
		at, from := reflect.ValueOf(to.At(i)), reflect.ValueOf(item)
		if at.Type() != reflect.TypeOf(item) || from.IsNil() {
			return nil, &runtime.ObjectError{
				Object: fmt.Sprintf("%T", item),
				Reason: fmt.Sprintf("the items of %s are of type %s", k.GroupVersionKind(), at.Type()),
			}
		}
		at.Elem().Set(from.Elem())
	}
	return out, nil
}

// itemsField returns the index of the field that holds the items in a list kind's struct.
func itemsField(k *runtime.Kind) (int, bool) {
	obj := k.New()
	items := reflect.ValueOf(k.Items(obj))
	if items.Kind() != reflect.Pointer || items.IsNil() || items.Type().Elem().Kind() != reflect.Slice {
		return 0, false
	}
	v := reflect.ValueOf(obj).Elem()
	for i := range v.NumField() {
		f := v.Field(i)
		if f.CanSet() && f.Kind() == reflect.Slice && f.Addr().Pointer() == items.Pointer() {
			return i, true
		}
	}
	return 0, false
}

// Window is a list that holds one item, or some items of a larger list. It lets functions that work
// on whole lists work on a part of one. It is not safe for concurrent use.
type Window struct {
	kind  *runtime.Kind
	list  runtime.Object
	items holder // of list
}

// NewWindow returns a new window on lists of the kind that have the metadata of head. It returns
// false if [WithoutItems] does.
func NewWindow(k *runtime.Kind, head runtime.Object) (*Window, bool) {
	list, ok := WithoutItems(k, head)
	if !ok {
		return nil, false
	}
	if _, ok := list.(runtime.UntypedList); ok {
		return &Window{k, list, viewHolder(k, list)}, true
	}
	field, _ := itemsField(k)
	return &Window{k, list, fieldHolder(list, field)}, true
}

// Holds reports whether the item has the type of the items, so that [Window.Show] takes it
// unchanged.
func (w *Window) Holds(item runtime.Object) bool {
	v := reflect.ValueOf(item)
	return v.Kind() == reflect.Pointer && !v.IsNil() && v.Type().Elem() == w.items.typ
}

// Embeds reports whether the items are [runtime.RawExtension]s, which hold objects of any kind.
func (w *Window) Embeds() bool { return w.items.typ == reflect.TypeFor[runtime.RawExtension]() }

// Show returns the list with only that item, which is copied into it one level deep. The result is
// the same list each time and is valid until the next call.
func (w *Window) Show(item runtime.Object) (runtime.Object, error) {
	if !w.Holds(item) {
		return nil, &runtime.ObjectError{
			Object: fmt.Sprintf("%T", item),
			Reason: fmt.Sprintf("the items of %s are of type %s",
				w.kind.GroupVersionKind(), w.items.typ),
		}
	}
	w.items.takeOne(reflect.ValueOf(item).Elem())
	return w.list, nil
}

// Range returns a list that holds the items [from, to) of another list of the kind. The items are
// not copied, or one level deep. The result is the same list each time, valid until the next call.
func (w *Window) Range(list runtime.Object, from, to int) (runtime.Object, error) {
	if err := takeRange(w.kind, &w.items, list, from, to); err != nil {
		return nil, err
	}
	return w.list, nil
}

// Clear discards the items.
func (w *Window) Clear() { w.items.clear() }

// takeRange lets items hold those of the object from index from up to but not including to.
func takeRange(k *runtime.Kind, items *holder, obj runtime.Object, from, to int) error {
	if err := k.Check(obj); err != nil {
		return err
	}
	if n := items.len(obj); from < 0 || from > to || to > n {
		return fmt.Errorf("format: there are %d items, so the items from %d up to %d cannot be taken", n, from, to)
	}
	items.take(obj, from, to)
	return nil
}

// Parts is an object that grows with each item, such as a list or a table, split so that it can be
// written without being in memory as a whole: first the shell, which is everything around the
// items, then the items as they arrive. It is not safe for concurrent use.
type Parts struct {
	kind   *runtime.Kind
	name   string
	field  int // of the items in the struct, -1 for untyped lists
	shell  runtime.Object
	bare   runtime.Object // an object with only the items to be written next
	items  holder         // of bare
	before []byte         // the JSON of bare before its items
	after  []byte
	memo   any
}

// NewParts splits an object. The shell is the object without items, and grown is the result of the
// same functions for one item or more: the field that is longer in it holds the items. It returns
// false unless there is exactly one such field and JSON includes it even if it is empty.
func NewParts(k *runtime.Kind, shell, grown runtime.Object) (*Parts, bool) {
	if k.Check(shell) != nil || k.Check(grown) != nil {
		return nil, false
	}
	if u, ok := shell.(runtime.UntypedList); ok && k.IsList() {
		bare, _ := k.New().(runtime.UntypedList)
		if k.Items(shell).Len() > 0 || k.Items(grown).Len() == 0 || bare == nil {
			return nil, false
		}
		p := &Parts{kind: k, name: "items", field: -1, shell: u.WithoutItems(), bare: bare.WithoutItems()}
		p.items = viewHolder(k, p.bare)
		return p, p.probe()
	}
	field, ok := grownField(reflect.ValueOf(shell).Elem(), reflect.ValueOf(grown).Elem())
	if !ok {
		return nil, false
	}
	f := reflect.TypeOf(shell).Elem().Field(field)
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	p := &Parts{
		kind: k, name: cmp.Or(name, f.Name), field: field,
		shell: withEmpty(shell, field), bare: withEmpty(k.New(), field),
	}
	p.items = fieldHolder(p.bare, field)
	return p, p.probe()
}

// grownField returns the index of the only slice that is longer in b, and empty in a.
func grownField(a, b reflect.Value) (int, bool) {
	field := -1
	for i := range a.NumField() {
		f := a.Type().Field(i)
		if f.Type.Kind() != reflect.Slice || !f.IsExported() || b.Field(i).Len() <= a.Field(i).Len() {
			continue
		}
		if field >= 0 || a.Field(i).Len() > 0 {
			return 0, false
		}
		field = i
	}
	return field, field >= 0
}

// probe determines the JSON around the items of bare.
func (p *Parts) probe() bool {
	text, err := p.kind.AppendJSON(nil, p.bare)
	if err != nil || len(text) == 0 {
		return false
	}
	start, end, ok := jsonwire.OffsetOf(text, schema.NewPath(p.name))
	if !ok || string(text[start:end]) != "[]" {
		return false
	}
	p.before, p.after = text[:start+1:start+1], text[end-1:]
	return true
}

// Kind returns the kind of the object.
func (p *Parts) Kind() *runtime.Kind { return p.kind }

// Name returns the JSON name of the field of the items, such as "items" or "rows".
func (p *Parts) Name() string { return p.name }

// Shell returns the object with an empty slice in place of its items. The caller must not modify
// it.
func (p *Parts) Shell() runtime.Object { return p.shell }

// Memo returns a pointer to a value in which the format that writes the parts can store its own
// state about them.
func (p *Parts) Memo() *any { return &p.memo }

// Take selects the items of an object of the same kind as those to write next, and returns their
// number. They are not copied, or one level deep.
func (p *Parts) Take(obj runtime.Object) (int, error) {
	if err := p.kind.Check(obj); err != nil {
		return 0, err
	}
	n := p.items.len(obj)
	p.items.take(obj, 0, n)
	return n, nil
}

// TakeRange is [Parts.Take] for the items from index from up to but not including to.
func (p *Parts) TakeRange(obj runtime.Object, from, to int) error {
	return takeRange(p.kind, &p.items, obj, from, to)
}

// Around reports whether another object of the kind equals the shell except for its items. It is
// false for untyped lists.
func (p *Parts) Around(obj runtime.Object) bool {
	if p.field < 0 || p.kind.Check(obj) != nil {
		return false
	}
	a, b := reflect.ValueOf(p.shell).Elem(), reflect.ValueOf(obj).Elem()
	for i := range a.NumField() {
		if i != p.field && a.Type().Field(i).IsExported() &&
			!reflect.DeepEqual(a.Field(i).Interface(), b.Field(i).Interface()) {
			return false
		}
	}
	return true
}

// Bare returns an object of the kind that holds only the items taken last. The caller must not
// modify it.
func (p *Parts) Bare() runtime.Object { return p.bare }

// AppendJSON appends the items taken last to dst as compact JSON, separated by commas, as in the
// list of the whole object. On error it returns dst unchanged.
func (p *Parts) AppendJSON(dst []byte) ([]byte, error) {
	start := len(dst)
	dst, err := p.kind.AppendJSON(dst, p.bare)
	if err != nil {
		return dst[:start], err
	}
	text := dst[start:]
	if len(text) < len(p.before)+len(p.after) || !bytes.HasPrefix(text, p.before) || !bytes.HasSuffix(text, p.after) {
		return dst[:start], fmt.Errorf(
			"format: the functions of %s encode the parts around its items inconsistently, so the items cannot be "+
				"written one by one", p.kind.GroupVersionKind(),
		)
	}
	n := copy(text, text[len(p.before):len(text)-len(p.after)])
	return dst[:start+n], nil
}
