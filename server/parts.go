package server

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"

	"github.com/askind/askind/meta"
	"github.com/askind/askind/meta/dynamic"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
)

// parts takes the objects of a kind apart into metadata, status and the rest.
type parts struct {
	kind *runtime.Kind
	// untyped says that objects are of the type *dynamic.Object, with a status if the kind has one.
	untyped bool
	status  []int // the index of the field that is called status; nil if there is none, or it is not a part of its own
}

// newParts looks for the status of a kind.
func newParts(k *runtime.Kind) (*parts, error) {
	p := &parts{kind: k}
	if p.untyped = isDynamic(k); p.untyped || !k.Info().Status {
		return p, nil
	}
	if p.status = memberOf(k.Type(), "status"); p.status == nil {
		return nil, fmt.Errorf(
			"server: the kind %s has the subresource status, but %s has no field with the JSON name status",
			k, k.Type(),
		)
	}
	return p, nil
}

// of returns the parts for the same kind of another scheme.
func (p *parts) of(k *runtime.Kind) *parts {
	return &parts{kind: k, untyped: p.untyped, status: p.status}
}

// memberOf returns the index of the field of a struct type that has a JSON name, or nil. Structs
// that are embedded without a name are looked into.
func memberOf(t reflect.Type, name string) []int {
	for i := range t.NumField() {
		f := t.Field(i)
		tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case tag == name && (f.IsExported() || f.Anonymous):
			return []int{i}
		case tag == "" && f.Anonymous && f.Type.Kind() == reflect.Struct:
			if rest := memberOf(f.Type, name); rest != nil {
				return append([]int{i}, rest...)
			}
		}
	}
	return nil
}

// copyStatus makes the status of one object that of another, with which it shares memory
// afterwards.
func (p *parts) copyStatus(to, from runtime.Object) {
	if p.untyped && p.kind.Info().Status {
		dynamic.CopyStatus(to.(*dynamic.Object), from.(*dynamic.Object))
	}
	if p.status != nil {
		p.statusOf(to).Set(p.statusOf(from))
	}
}

// clearStatus unsets the status of an object.
func (p *parts) clearStatus(obj runtime.Object) {
	if p.untyped && p.kind.Info().Status {
		dynamic.CopyStatus(obj.(*dynamic.Object), new(dynamic.Object))
	}
	if p.status != nil {
		p.statusOf(obj).SetZero()
	}
}

func (p *parts) statusOf(obj runtime.Object) reflect.Value {
	return reflect.ValueOf(obj).Elem().FieldByIndex(p.status)
}

// sameWanted reports whether two objects are alike but for their metadata and status: whether they
// want the same.
func (p *parts) sameWanted(a, b runtime.Object) (bool, error) {
	x, err := p.wanted(a)
	if err != nil {
		return false, err
	}
	y, err := p.wanted(b)
	return bytes.Equal(x, y), err
}

// wanted returns an object as JSON without its metadata and status.
func (p *parts) wanted(obj runtime.Object) ([]byte, error) {
	v := reflect.New(p.kind.Type())
	v.Elem().Set(reflect.ValueOf(obj).Elem()) // one level deep; what is unset below is a part of the copy
	bare := v.Interface()
	if o, ok := bare.(*dynamic.Object); ok {
		o.Content = *o.Content.Clone() // which is shared otherwise
	}
	m, err := meta.Accessor(p.kind, bare)
	if err != nil {
		return nil, err
	}
	*m = metav1.ObjectMeta{}
	p.clearStatus(bare)
	return p.kind.AppendJSON(nil, bare)
}
