package runtime

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"

	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/jsonwire"
)

// WithoutItems returns the list without its items, whose place is an empty slice, and with everything else. It shares memory with the list, which is
// not changed. It reports false if the kind is no list, or one whose items are not a slice inside of the object.
func (k *Kind) WithoutItems(list Object) (Object, bool) {
	field, ok := k.itemsField()
	if !ok || !k.table.holds(list) {
		return nil, false
	}
	return withEmpty(list, field), true
}

// withEmpty returns a shallow copy of an object in which a slice field is empty and not nil.
func withEmpty(obj Object, field int) Object {
	out := reflect.New(reflect.TypeOf(obj).Elem())
	out.Elem().Set(reflect.ValueOf(obj).Elem())
	f := out.Elem().Field(field)
	f.Set(reflect.MakeSlice(f.Type(), 0, 0))
	return out.Interface()
}

// WithItems returns the list with other items, which are copied into it one level deep, and with everything else as it is. It shares memory
// with both; the list is not changed.
func (k *Kind) WithItems(list Object, items []Object) (Object, error) {
	out, ok := k.WithoutItems(list)
	if !ok {
		if err := k.Check(list); err != nil {
			return nil, err
		}
		if !k.has.items {
			return nil, &NoFunctionError{Kind: k.gvk, Function: "Items"}
		}
		var err error
		if out, err = k.table.deepCopy(list); err != nil {
			return nil, err
		}
	}
	to := k.table.items(out)
	to.Resize(len(items))
	for i, item := range items {
		at, from := reflect.ValueOf(to.At(i)), reflect.ValueOf(item)
		if at.Type() != reflect.TypeOf(item) || from.IsNil() {
			return nil, &ObjectError{Object: fmt.Sprintf("%T", item), Reason: fmt.Sprintf("the items of %s are of type %s", k.gvk, at.Type())}
		}
		at.Elem().Set(from.Elem())
	}
	return out, nil
}

// itemsField returns which field of a list kind's struct holds the items.
func (k *Kind) itemsField() (int, bool) {
	if !k.has.items {
		return 0, false
	}
	obj := k.table.newObject()
	items := reflect.ValueOf(k.table.items(obj))
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

// Window is a list with room for one item, for work that takes a list item by item through functions that know whole lists. It is
// not safe for concurrent use.
type Window struct {
	kind *Kind
	list Object
	slot reflect.Value // the one item
}

// Window returns a new window on lists of the kind. It reports false where [Kind.WithoutItems] does.
func (k *Kind) Window() (*Window, bool) {
	field, ok := k.itemsField()
	if !ok {
		return nil, false
	}
	list := k.New()
	f := reflect.ValueOf(list).Elem().Field(field)
	f.Set(reflect.MakeSlice(f.Type(), 1, 1))
	return &Window{kind: k, list: list, slot: f.Index(0)}, true
}

// Holds reports whether the item is of the type of the items, so that [Window.Show] takes it as it is.
func (w *Window) Holds(item Object) bool {
	v := reflect.ValueOf(item)
	return v.Kind() == reflect.Pointer && !v.IsNil() && v.Type().Elem() == w.slot.Type()
}

// Embeds reports whether the items are [RawExtension]s, which hold objects of any kind.
func (w *Window) Embeds() bool { return w.slot.Type() == reflect.TypeFor[RawExtension]() }

// Show returns the list with that item alone, which is copied into it one level deep. It is valid until the next call, and the same list
// each time.
func (w *Window) Show(item Object) (Object, error) {
	if !w.Holds(item) {
		return nil, &ObjectError{Object: fmt.Sprintf("%T", item), Reason: fmt.Sprintf("the items of %s are of type %s", w.kind.gvk, w.slot.Type())}
	}
	w.slot.Set(reflect.ValueOf(item).Elem())
	return w.list, nil
}

// Clear lets go of the item.
func (w *Window) Clear() { w.slot.SetZero() }

// Parts is an object that grows with each item that it shows, such as a list or a table, taken apart so that it can be written without ever being
// there as a whole: first what is around the items, the shell, then items, as they come. It is not safe for concurrent use.
type Parts struct {
	kind   *Kind
	name   string
	field  int
	shell  Object
	bare   Object        // nothing but the items to be written next
	items  reflect.Value // their place in bare
	before []byte        // what JSON has around the items of bare
	after  []byte
	memo   any
}

// Parts takes an object apart. The shell is the object as it is without items, and grown is what the same functions made of one item or
// more: the field in which it is longer is where the items are. It reports false if there is not exactly one such field, or if
// JSON does not show an empty one.
func (k *Kind) Parts(shell, grown Object) (*Parts, bool) {
	if !k.table.holds(shell) || !k.table.holds(grown) || !k.has.appendJSON {
		return nil, false
	}
	a, b := reflect.ValueOf(shell).Elem(), reflect.ValueOf(grown).Elem()
	field := -1
	for i := range a.NumField() {
		f := a.Type().Field(i)
		if f.Type.Kind() != reflect.Slice || !f.IsExported() || b.Field(i).Len() <= a.Field(i).Len() {
			continue
		}
		if field >= 0 || a.Field(i).Len() > 0 {
			return nil, false
		}
		field = i
	}
	if field < 0 {
		return nil, false
	}
	name, _, _ := strings.Cut(a.Type().Field(field).Tag.Get("json"), ",")
	if name == "" {
		name = a.Type().Field(field).Name
	}
	p := &Parts{kind: k, name: name, field: field, shell: withEmpty(shell, field), bare: withEmpty(k.New(), field)}
	p.items = reflect.ValueOf(p.bare).Elem().Field(field)
	return p, p.probe()
}

// probe finds out what JSON has around the items of bare.
func (p *Parts) probe() bool {
	text, err := p.kind.table.appendJSONFields(nil, p.bare)
	if err != nil || len(text) == 0 {
		return false
	}
	object := append(bytes.Clone(text), '}')
	object[0] = '{'
	start, end, ok := jsonwire.OffsetOf(object, schema.NewPath(p.name))
	if !ok || string(text[start:end]) != "[]" {
		return false
	}
	p.before, p.after = text[:start+1:start+1], text[end-1:]
	return true
}

// Kind is the kind of the object.
func (p *Parts) Kind() *Kind { return p.kind }

// Name is the name of the field of the items as JSON has it: "items", "rows".
func (p *Parts) Name() string { return p.name }

// Shell is the object with everything but its items, whose place is an empty slice. It is not to be changed.
func (p *Parts) Shell() Object { return p.shell }

// Memo is a place where the format that writes the parts keeps what it has found out about them.
func (p *Parts) Memo() *any { return &p.memo }

// Take makes the items of an object of the same kind those that are written next, and returns their number. They are not copied.
func (p *Parts) Take(obj Object) (int, error) {
	if err := p.kind.Check(obj); err != nil {
		return 0, err
	}
	p.items.Set(reflect.ValueOf(obj).Elem().Field(p.field))
	return p.items.Len(), nil
}

// TakeRange is Take for the items from one index up to another, which is not among them.
func (p *Parts) TakeRange(obj Object, from, to int) error {
	if err := p.kind.Check(obj); err != nil {
		return err
	}
	items := reflect.ValueOf(obj).Elem().Field(p.field)
	if from < 0 || from > to || to > items.Len() {
		return fmt.Errorf("runtime: there are %d items, so the items from %d up to %d cannot be taken", items.Len(), from, to)
	}
	p.items.Set(items.Slice3(from, to, to))
	return nil
}

// Clear lets go of the items that were taken.
func (p *Parts) Clear() { p.items.SetZero() }

// Bare is an object of the kind that holds nothing but the items taken last. It is not to be changed.
func (p *Parts) Bare() Object { return p.bare }

// AppendJSON appends the items taken last as compact JSON, with commas between them, as the list of the whole object would have them. On
// error dst is returned as it was.
func (p *Parts) AppendJSON(dst []byte) ([]byte, error) {
	start := len(dst)
	dst, err := p.kind.table.appendJSONFields(dst, p.bare)
	if err != nil {
		return dst[:start], err
	}
	text := dst[start:]
	if len(text) < len(p.before)+len(p.after) || !bytes.HasPrefix(text, p.before) || !bytes.HasSuffix(text, p.after) {
		return dst[:start], fmt.Errorf("runtime: the functions of %s write the items differently depending on what they are, so they cannot be written one by one", p.kind.gvk)
	}
	n := copy(text, text[len(p.before):len(text)-len(p.after)])
	return dst[:start+n], nil
}

// ListSize is how much an object that is written item by item has of them. It is known only to formats that ask for it, because they
// write it in front.
type ListSize struct {
	// Items is the number of items, and Bytes what the format found them to take.
	Items, Bytes int
}
