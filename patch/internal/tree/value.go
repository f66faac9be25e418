package tree

import (
	"encoding/json"
	"math"
	"strconv"

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

// value returns the Go value of the node, nil if it was parsed.
func (n *Node) value() any {
	if _, ok := n.origin.(*extents); ok {
		return nil
	}
	return n.origin
}

// Any returns the node as an untyped Go value: the original one if it was not changed.
func (n *Node) Any() any {
	v := n.value()
	switch {
	case v != nil && !n.touched:
		return v
	case !n.touched && n.text != "":
		return jsonwire.NewReader([]byte(n.text), jsonwire.Options{}).Any()
	case n.Kind == Array:
		list := make([]any, 0, len(n.Kids))
		for i := range n.Kids {
			list = append(list, n.Kids[i].Any())
		}
		return list
	case n.Kind == Object:
		m := make(map[string]any, len(n.Kids))
		for i := range n.Kids {
			if n.Kids[i].Kind != Absent {
				m[n.Kids[i].Name] = n.Kids[i].Any()
			}
		}
		return m
	}
	return nil
}
