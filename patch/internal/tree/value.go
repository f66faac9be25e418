package tree

import (
	"cmp"
	"encoding/json"
	"errors"
	"math"
	"strconv"

	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire/jsonwire"
)

// Of returns the node of an untyped Go value: nil, a boolean, a number, a string, []any or
// map[string]any. For other values it is the node of the JSON that [jsonwire.AppendAny] writes, or
// the error of that function. Changes of the node do not change the value.
func Of(v any) (Node, error) {
	switch v := v.(type) {
	case nil:
		return Node{text: "null", Kind: Null}, nil
	case bool:
		if v {
			return Node{text: "true", origin: v, Kind: True}, nil
		}
		return Node{text: "false", origin: v, Kind: False}, nil
	case string:
		return Node{origin: v, Kind: String}, nil
	case map[string]any:
		return Node{origin: v, Kind: Object}, nil
	case []any:
		return Node{origin: v, Kind: Array}, nil
	case int64:
		return Node{text: strconv.FormatInt(v, 10), origin: v, Kind: Number}, nil
	case json.Number:
		if text := string(v); jsonwire.Valid([]byte(text)) && kindOf(text[space(text, 0)]) == Number {
			return Node{text: text, origin: v, Kind: Number}, nil
		}
	}
	text, err := jsonwire.AppendAny(nil, v)
	if err != nil {
		return Node{}, err
	}
	n := Sound(string(text))
	n.origin = v
	return n, nil
}

// openValue creates the children of the node of a Go value.
func (n *Node) openValue() {
	switch v := n.origin.(type) {
	case map[string]any:
		n.Kids = make([]Node, 0, len(v))
		for name, value := range v {
			kid := orNull(value)
			kid.Name = name
			n.Kids = append(n.Kids, kid)
		}
	case []any:
		n.Kids = make([]Node, 0, len(v))
		for _, value := range v {
			n.Kids = append(n.Kids, orNull(value))
		}
	}
}

// orNull returns the node of a Go value, or null if JSON cannot express it, which [Check] reports.
func orNull(v any) Node {
	n, err := Of(v)
	if err != nil {
		return Node{text: "null", Kind: Null}
	}
	return n
}

// Check returns an error unless a value and all values in it are untyped JSON that nests no deeper
// than a limit.
func Check(v any, depth int) error {
	switch v := v.(type) {
	case nil, bool, string, int64:
		return nil
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			break
		}
		return nil
	case map[string]any:
		if depth <= 0 {
			return errDepth
		}
		for _, value := range v {
			if err := Check(value, depth-1); err != nil {
				return err
			}
		}
		return nil
	case []any:
		if depth <= 0 {
			return errDepth
		}
		for _, value := range v {
			if err := Check(value, depth-1); err != nil {
				return err
			}
		}
		return nil
	}
	_, err := Of(v)
	return err
}

// sizeOf returns the approximate length of the JSON of an untyped value.
func sizeOf(v any) int {
	size := 2
	switch v := v.(type) {
	case string:
		return size + len(v)
	case map[string]any:
		for name, value := range v {
			size += len(name) + 4 + sizeOf(value)
		}
	case []any:
		for _, value := range v {
			size += 1 + sizeOf(value)
		}
	default:
		return 16
	}
	return size
}

// value returns the Go value of the node, nil if it was parsed.
func (n *Node) value() any {
	if _, ok := n.origin.(*extents); ok {
		return nil
	}
	return n.origin
}

// Any returns the node as an untyped Go value: the original one if it was not changed. It returns
// an error for a text that exceeds the limits, or that has a number beyond float64.
func (n *Node) Any(l schema.Limits) (any, error) {
	v := n.value()
	switch {
	case v != nil && !n.touched:
		return v, nil
	case !n.touched && n.text != "":
		r := jsonwire.NewReader([]byte(n.text), jsonwire.Options{Limits: l})
		v = r.Any()
		if problems := r.Problems(); len(problems) > 0 {
			return nil, cmp.Or(problems[0].Err, errors.New(problems[0].Message))
		}
		return v, nil
	case n.Kind == Array:
		list := make([]any, len(n.Kids))
		for i := range n.Kids {
			var err error
			if list[i], err = n.Kids[i].Any(l); err != nil {
				return nil, err
			}
		}
		return list, nil
	case n.Kind == Object:
		m := make(map[string]any, len(n.Kids))
		for i := range n.Kids {
			k := &n.Kids[i]
			if k.Kind == Absent {
				continue
			}
			var err error
			if m[k.Name], err = k.Any(l); err != nil {
				return nil, err
			}
		}
		return m, nil
	}
	return nil, nil
}
