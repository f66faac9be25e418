package apply

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/askind/askind/internal/sorted"
	"github.com/askind/askind/patch/internal/tree"
	"github.com/askind/askind/wire/jsonwire"
)

// element is one step of a path in a set: a member of an object, or an element of a list,
// identified by its keys, its value or its index.
type element struct {
	kind byte   // fieldStep, keyStep, valueStep or indexStep
	text string // the name of the member, or JSON, or digits
}

// The kinds of elements, as written before a colon. Sets are in this order.
const (
	fieldStep byte = 'f'
	keyStep   byte = 'k'
	valueStep byte = 'v'
	indexStep byte = 'i'
)

func rank(kind byte) int { return strings.IndexByte("fkvi", kind) }

// compare orders elements as Kubernetes does.
func (e element) compare(other element) int {
	if e.kind != other.kind {
		return cmp.Compare(rank(e.kind), rank(other.kind))
	}
	if e.text == other.text {
		return 0
	}
	switch e.kind {
	case keyStep:
		return compareKeys(e.text, other.text)
	case valueStep:
		a, b := tree.Sound(e.text), tree.Sound(other.text)
		return compareScalars(&a, &b)
	case indexStep:
		a, _ := strconv.Atoi(e.text)
		b, _ := strconv.Atoi(other.text)
		return cmp.Compare(a, b)
	}
	return strings.Compare(e.text, other.text)
}

// compareKeys orders keys of list elements, JSON objects with members in lexical order.
func compareKeys(a, b string) int {
	if name := len(commonName(a, b)); name > 0 {
		return strings.Compare(a[name:], b[name:])
	}
	return compareMembers(a, b)
}

// compareMembers is compareKeys for keys of any form.
func compareMembers(a, b string) int {
	x, y := tree.Sound(a), tree.Sound(b)
	x.Open()
	y.Open()
	for i := range min(len(x.Kids), len(y.Kids)) {
		k, l := &x.Kids[i], &y.Kids[i]
		if c := cmp.Or(strings.Compare(k.Name, l.Name), compareScalars(k, l)); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(x.Kids), len(y.Kids))
}

// commonName returns the common start of two keys that have a single member with the same name,
// whose value is a string that sorts like its JSON text.
func commonName(a, b string) string {
	i := strings.Index(a, `":"`)
	if i < 0 || len(b) < i || a[:i] != b[:i] || strings.Count(a, `"`) != 4 || strings.Count(b, `"`) != 4 ||
		strings.ContainsAny(a[i:], ` !\`) || strings.ContainsAny(b[i:], ` !\`) {
		return ""
	}
	return a[:i]
}

// compareScalars orders numbers before strings before booleans before everything else.
func compareScalars(a, b *tree.Node) int {
	order := func(k tree.Kind) int {
		switch k {
		case tree.Number:
			return 0
		case tree.String:
			return 1
		case tree.False, tree.True:
			return 2
		}
		return 3 + int(k)
	}
	if c := cmp.Compare(order(a.Kind), order(b.Kind)); c != 0 {
		return c
	}
	switch a.Kind {
	case tree.Number:
		return compareNumbers(a.Text(), b.Text())
	case tree.String:
		return strings.Compare(a.Str(), b.Str())
	}
	return cmp.Compare(a.Kind, b.Kind)
}

func compareNumbers(a, b string) int {
	x, errX := strconv.ParseInt(a, 10, 64)
	y, errY := strconv.ParseInt(b, 10, 64)
	if errX == nil && errY == nil {
		return cmp.Compare(x, y)
	}
	f, _ := strconv.ParseFloat(a, 64)
	g, _ := strconv.ParseFloat(b, 64)
	return cmp.Compare(f, g)
}

// parseElement parses a member name of a set. It reports false for a malformed one. The result has
// the kind 0 for an unknown kind, which the caller omits.
func parseElement(name string) (element, bool) {
	if len(name) < 2 || name[1] != ':' {
		return element{}, false
	}
	e := element{kind: name[0], text: name[2:]}
	switch e.kind {
	case fieldStep:
		return e, true
	case indexStep:
		_, err := strconv.Atoi(e.text)
		return e, err == nil
	case keyStep, valueStep:
		if !jsonwire.Valid([]byte(e.text)) {
			return element{}, false
		}
		n := tree.Sound(e.text)
		if e.kind == valueStep {
			e.text = string(appendScalar(nil, &n))
			return e, true
		}
		if n.Kind != tree.Object {
			return element{}, false
		}
		e.text = keyText(&n)
		return e, true
	}
	return element{}, true
}

// keyText returns the JSON of a key with sorted members.
func keyText(n *tree.Node) string {
	n.Open()
	if slices.IsSortedFunc(n.Kids, byName) && plainKey(n) {
		return n.Text()
	}
	kids := slices.Clone(n.Kids)
	sorted.Func(kids, byName)
	return string(appendKeys(nil, kids))
}

func byName(a, b tree.Node) int { return strings.Compare(a.Name, b.Name) }

// plainKey reports whether the text of a key is in the form that [appendKeys] writes.
func plainKey(n *tree.Node) bool {
	return len(n.Text()) == len(appendKeys(nil, n.Kids)) && !strings.Contains(n.Text(), "\\")
}

// appendKeys appends the members of a key as a JSON object.
func appendKeys(dst []byte, kids []tree.Node) []byte {
	dst = append(dst, '{')
	for i := range kids {
		dst = jsonwire.AppendComma(dst, i)
		dst = jsonwire.AppendString(dst, kids[i].Name)
		dst = append(dst, ':')
		dst = appendScalar(dst, &kids[i])
	}
	return append(dst, '}')
}

// appendScalar appends a value in the form of sets.
func appendScalar(dst []byte, n *tree.Node) []byte {
	if n.Kind == tree.String {
		return jsonwire.AppendString(dst, n.Str())
	}
	if n.Kind == tree.Number && strings.ContainsAny(n.Text(), ".eE") {
		if f, err := strconv.ParseFloat(n.Text(), 64); err == nil {
			if text, err := jsonwire.AppendFloat64(dst, f); err == nil {
				return text
			}
		}
	}
	return n.Append(dst)
}

// appendName appends the member name of an element, as a JSON string.
func (e element) appendName(dst []byte) []byte {
	dst = append(dst, '"', e.kind, ':')
	dst = appendEscaped(dst, e.text)
	return append(dst, '"')
}

// appendEscaped appends the content of a JSON string, without its quotes. Unlike the functions of
// package jsonwire it does not escape <, > and &, because Kubernetes does not.
func appendEscaped(dst []byte, s string) []byte {
	start := 0
	for i := range len(s) {
		c := s[i]
		if c >= 0x20 && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[start:i]...)
		start = i + 1
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			const hex = "0123456789abcdef"
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	return append(dst, s[start:]...)
}

// appendPath appends the element in the form of messages: .name, [name="web"], [="a"] or [0].
func (e element) appendPath(dst []byte) []byte {
	switch e.kind {
	case fieldStep:
		return append(append(dst, '.'), e.text...)
	case keyStep:
		n := tree.Sound(e.text)
		n.Open()
		for i := range n.Kids {
			dst = append(dst, "[,"[min(i, 1)])
			dst = append(dst, n.Kids[i].Name...)
			dst = append(dst, '=')
			dst = appendShown(dst, &n.Kids[i])
		}
		return append(dst, ']')
	case valueStep:
		n := tree.Sound(e.text)
		return append(appendShown(append(dst, '[', '='), &n), ']')
	}
	return append(append(append(dst, '['), e.text...), ']')
}

// appendShown appends a value in the form of messages: strings as in Go, so that < stays readable.
func appendShown(dst []byte, n *tree.Node) []byte {
	if n.Kind == tree.String {
		return strconv.AppendQuote(dst, n.Str())
	}
	return n.Append(dst)
}
