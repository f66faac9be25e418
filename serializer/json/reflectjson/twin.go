package reflectjson

import (
	"bytes"
	"reflect"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/wire/jsonwire"
)

// Twin reads and writes the objects of a kind by reflection, regardless of the functions of the
// kind. Tests compare generated code with it. It is safe for concurrent use.
type Twin struct {
	kind   *runtime.Kind
	engine *engine
	top    *node
	typed  bool // objects have the members kind and apiVersion
	items  bool // so have the items of lists
}

// TwinOf returns the twin of a kind. It returns false if the type of the kind has JSON methods of
// its own, whose result tags do not describe.
func TwinOf(k *runtime.Kind) (*Twin, bool) {
	nodes := map[reflect.Type]*node{}
	top := compile(k.Type(), nodes)
	if top.shape != structure || !top.plain {
		return nil, false
	}
	apiVersion, kind := k.TypeOf(k.New())
	return &Twin{
		kind: k, engine: newEngine(nodes), top: top, typed: apiVersion != "" || kind != "",
		items: typedItems(k),
	}, true
}

// typedItems reports whether the items of a list state their kind and apiVersion when encoded.
// Those of typed lists do not, those of lists of metadata do. Tags do not distinguish the two, so
// typedItems encodes a list.
func typedItems(k *runtime.Kind) bool {
	if k.ItemKind() == nil {
		return true
	}
	list := k.New()
	k.Items(list).Resize(1)
	if err := k.SetType(list); err != nil {
		return false
	}
	text, err := k.AppendJSON(nil, list)
	return err == nil && bytes.Contains(text, []byte(`"items":[{"kind":`))
}

// AppendJSON does what [runtime.Kind.AppendJSON] does.
func (t *Twin) AppendJSON(dst []byte, obj runtime.Object) ([]byte, error) {
	if err := t.kind.Check(obj); err != nil {
		return dst, err
	}
	start, whole := len(dst), dst
	if t.typed {
		whole = jsonwire.AppendString(append(whole, `,"kind":`...), t.kind.Name())
		whole = jsonwire.AppendString(append(whole, `,"apiVersion":`...), t.kind.APIVersion())
	}
	whole, err := t.engine.appendFields(whole, t.top, reflect.ValueOf(obj).Elem(), !t.typed, t.items)
	if err != nil {
		return dst, err
	}
	return jsonwire.CloseObject(whole, start), nil
}

// DecodeJSON does what [runtime.Kind.DecodeJSON] does.
func (t *Twin) DecodeJSON(r *jsonwire.Reader, obj runtime.Object) error {
	if err := t.kind.Check(obj); err != nil {
		return err
	}
	read(r, t.top, reflect.ValueOf(obj).Elem())
	return t.kind.SetType(obj)
}
