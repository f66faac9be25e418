package query

import (
	"slices"
	"strings"
	"sync"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire"
	"github.com/askind/askind/wire/jsonwire"
)

// metaGroup is the group of the options kinds.
const metaGroup = "meta.k8s.io"

// nestedFields names, for a kind, fields that are objects and whose members are parameters of their
// own.
var nestedFields = map[string][]string{"DeleteOptions": {"preconditions"}}

// Codec decodes and encodes queries for one scheme. It is safe for concurrent use. The zero value
// is not usable; use [New].
type Codec struct {
	scheme *runtime.Scheme
	fields sync.Map // of field to place; only for fields that exist
}

// New returns a codec.
func New(scheme *runtime.Scheme) *Codec {
	if scheme == nil {
		panic("query: New: the scheme is nil")
	}
	return &Codec{scheme: scheme}
}

// KindOf returns the kind of the options for a verb, in meta.k8s.io/v1: ListOptions for list, watch
// and deletecollection, which selects like a list, DeleteOptions for delete, and so on. It is empty
// for other verbs.
func KindOf(verb string) schema.GroupVersionKind {
	name := ""
	switch verb {
	case "get":
		name = "GetOptions"
	case "list", "watch", "deletecollection":
		name = "ListOptions"
	case "create":
		name = "CreateOptions"
	case "update":
		name = "UpdateOptions"
	case "patch":
		name = "PatchOptions"
	case "delete":
		name = "DeleteOptions"
	default:
		return schema.GroupVersionKind{}
	}
	return schema.GroupVersionKind{Group: metaGroup, Version: "v1", Kind: name}
}

// field identifies a field of a kind.
type field struct {
	kind *runtime.Kind
	name string
}

// place describes the field for a parameter.
type place struct {
	parent string // the nested field that contains it; blank at the top level
	typ    valueType
}

// valueType is the type of values that a field accepts.
type valueType uint8

const (
	unknown  valueType = iota
	text               // strings
	boolean            //
	number             // numbers, also with a fraction
	integer            //
	scalar             // numbers and strings
	texts              // lists of strings
	numbers            // lists of numbers
	integers           // lists of integers
	compound           // objects, and lists of other things
)

// place finds the field for a parameter.
func (c *Codec) place(k *runtime.Kind, name string) place {
	key := field{k, name}
	if known, ok := c.fields.Load(key); ok {
		return known.(place)
	}
	p := place{typ: c.probe(k, "", name)}
	if p.typ == unknown {
		for _, parent := range nestedFields[k.Name()] {
			if t := c.probe(k, parent, name); t != unknown {
				p = place{parent, t}
				break
			}
		}
	}
	if p.typ != unknown { // unknown names are unlimited, so do not cache them
		key.name = strings.Clone(name)
		c.fields.Store(key, p)
	}
	return p
}

// probe determines from samples the type of values that a field accepts.
func (c *Codec) probe(k *runtime.Kind, parent, name string) valueType {
	try := func(sample string) (accepted, known bool) {
		var doc []byte
		if parent != "" {
			doc = append(jsonwire.AppendString(append(doc, '{'), parent), ':')
		}
		doc = append(jsonwire.AppendString(append(doc, '{'), name), ':')
		doc = append(append(doc, sample...), '}')
		if parent != "" {
			doc = append(doc, '}')
		}
		r := jsonwire.NewReader(doc, jsonwire.Options{Strict: true})
		if err := k.DecodeJSON(r, k.New()); err != nil {
			return false, false
		}
		problems := r.Problems()
		return len(problems) == 0,
			!slices.ContainsFunc(problems, func(p jsonwire.Problem) bool { return p.Code == wire.UnknownField })
	}
	isText, known := try(`"x"`)
	if !known {
		return unknown
	}
	isNumber, _ := try("1")
	isTexts, _ := try(`["x"]`)
	isObject, _ := try("{}")
	isBoolean, _ := try("true")
	switch {
	case isObject && !isText:
		return compound
	case isText && (isNumber || isObject):
		return scalar
	case isText:
		return text
	case isBoolean:
		return boolean
	case isNumber:
		if isFraction, _ := try("1.5"); !isFraction {
			return integer
		}
		return number
	case isTexts:
		return texts
	}
	if isNumbers, _ := try("[1]"); isNumbers {
		if isFractions, _ := try("[1.5]"); !isFractions {
			return integers
		}
		return numbers
	}
	if isList, _ := try("[]"); isList {
		return compound
	}
	return text // a string with a syntax of its own
}
