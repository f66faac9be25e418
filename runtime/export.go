package runtime

import (
	"bytes"

	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire/jsonwire"
)

// exportWork and exportItemWork bound the text that [Kind.Export] decodes and encodes to find
// defaults that depend on other fields, for an object and for each item of a list.
const (
	exportWork     = 16 << 20
	exportItemWork = 256 << 10
)

// Export returns a copy of the object as a user would have written it: without server-populated
// fields, which the Export function of the spec clears, and without defaults. Defaulting the copy
// always yields the same object as defaulting the cleared object. For a list, the items are
// exported.
//
// The OmitDefaults function of the spec unsets the defaults. The generator writes one if all
// defaults of the kind come from markers. Without it, because a hand-written function may set
// anything, or with functions from [AddDefault], defaults are found by trial, and a value is
// omitted only if a trial shows that defaulting restores it.
//
// The trial works on the JSON form with the functions of the kind. First it omits everything that
// defaulting restores in an object without any values, and restores members whose omission changes
// the result. Then it omits the remaining members one by one, since a default may depend on other
// fields. The first step costs a few times decoding, defaulting and encoding the object; the second
// costs that once for each remaining member, and ends after 16 MiB of text, or 256 KiB for an item
// of a list: members not tried by then are kept. Lists are omitted as a whole or not at all. An
// unset value that is written anyway, because its field has no omitempty, is kept. A kind without
// defaults or without JSON costs one copy.
func (k *Kind) Export(obj Object) (Object, error) {
	if err := k.Check(obj); err != nil {
		return nil, err
	}
	out, err := k.table.deepCopy(obj)
	if err != nil {
		return nil, err
	}
	return out, k.export(out, exportWork)
}

// ClearServerSet clears server-populated fields in place, in the object or in the items of a list,
// by calling the Export functions of the specs. It is the first step of [Kind.Export]. It has no
// effect on kinds without such a function.
func (k *Kind) ClearServerSet(obj Object) error {
	if err := k.Check(obj); err != nil {
		return err
	}
	k.table.export(obj)
	if k.itemKind == nil {
		return nil
	}
	items := k.table.items(obj)
	for i := range items.Len() {
		if err := k.itemKind.ClearServerSet(items.At(i)); err != nil {
			return schema.AtField(schema.AtIndex(err, i), "items")
		}
	}
	return nil
}

// export exports an object in place.
func (k *Kind) export(obj Object, work int) error {
	k.table.export(obj)
	if k.itemKind != nil {
		items := k.table.items(obj)
		for i := range items.Len() {
			if err := k.itemKind.export(items.At(i), exportItemWork); err != nil {
				return schema.AtField(schema.AtIndex(err, i), "items")
			}
		}
		return nil
	}
	if k.has.omitDefaults && len(k.added.defaults) == 0 {
		k.table.omitDefaults(obj)
		return nil
	}
	if !k.hasDefaults() || !k.hasJSON() {
		return nil
	}
	out, err := (&exporter{kind: k, work: work}).run(obj)
	if err != nil || out == nil {
		return err
	}
	k.table.assign(obj, out)
	return nil
}

// exporter finds the members of one object that defaulting restores.
type exporter struct {
	kind *Kind
	root *exportNode
	want []byte // the defaulted object
	work int    // remaining work
}

// exportNode is a value of the JSON form of an object.
type exportNode struct {
	name    string // of a member; blank in lists and at the root
	raw     []byte // of a leaf: the encoded value
	object  bool   // an object with members, otherwise a list of values that are not all leaves, or a leaf
	nodes   []*exportNode
	member  bool // may be omitted
	dropped bool
	next    int // index behind the node that was last searched by its name
}

// run returns the object without its defaults, or nil if nothing can be omitted.
func (x *exporter) run(obj Object) (Object, error) {
	text, err := x.kind.AppendJSON(nil, obj)
	if err != nil {
		return nil, err
	}
	defaulted, err := x.kind.table.deepCopy(obj)
	if err != nil {
		return nil, err
	}
	if err := x.kind.setDefaults(defaulted); err != nil {
		return nil, err
	}
	if x.want, err = x.kind.AppendJSON(nil, defaulted); err != nil {
		return nil, err
	}
	r := jsonwire.NewReader(text, jsonwire.Options{})
	x.root = parseExport(r)
	if r.Err() != nil {
		return nil, r.Err()
	}
	for _, n := range x.root.nodes { // the identity of the object
		if n.name == "kind" || n.name == "apiVersion" {
			n.member = false
		}
	}
	// Nothing can be tried if the object does not survive a JSON round trip.
	if ok, err := x.holds(); !ok || err != nil {
		return nil, err
	}
	if err := x.dropTogether(); err != nil {
		return nil, err
	}
	if err := x.dropSingly(x.root); err != nil {
		return nil, err
	}
	out, _ := x.decode()
	return out, nil
}

// parseExport reads the next value.
func parseExport(r *jsonwire.Reader) *exportNode {
	switch r.Kind() {
	case '{':
		n := &exportNode{object: true}
		for key := r.Object(); key != nil; key = r.NextKey() {
			name := string(key)
			child := parseExport(r)
			child.name, child.member = name, true
			n.nodes = append(n.nodes, child)
		}
		if len(n.nodes) == 0 {
			return &exportNode{raw: []byte("{}")}
		}
		return n
	case '[':
		n, leaves := &exportNode{}, true
		for more := r.Array(); more; more = r.NextElem() {
			child := parseExport(r)
			leaves = leaves && child.nodes == nil
			n.nodes = append(n.nodes, child)
		}
		if leaves {
			return &exportNode{raw: n.append(nil)}
		}
		return n
	case 'n':
		r.Null()
		return &exportNode{raw: []byte("null")}
	}
	return &exportNode{raw: r.Raw()}
}

// append appends the values that are not dropped.
func (n *exportNode) append(dst []byte) []byte {
	switch {
	case n.raw != nil:
		return append(dst, n.raw...)
	case n.object:
		start := len(dst)
		for _, c := range n.nodes {
			if c.dropped {
				continue
			}
			dst = jsonwire.AppendString(append(dst, ','), c.name)
			dst = c.append(append(dst, ':'))
		}
		return jsonwire.CloseObject(dst, start)
	}
	dst = append(dst, '[')
	for i, c := range n.nodes {
		dst = jsonwire.AppendComma(dst, i)
		dst = c.append(dst)
	}
	return append(dst, ']')
}

// decode returns the object made of the values that are not dropped, and its encoding; nil if it
// cannot be decoded.
func (x *exporter) decode() (Object, []byte) {
	text := x.root.append(nil)
	x.work -= 3 * len(text)
	obj := x.kind.table.newObject()
	r := jsonwire.NewReader(text, jsonwire.Options{})
	if err := x.kind.DecodeJSON(r, obj); err != nil || len(r.Problems()) > 0 {
		return nil, nil
	}
	written, err := x.kind.AppendJSON(nil, obj)
	if err != nil {
		return nil, nil
	}
	return obj, written
}

// holds reports whether the values that are not dropped are exactly the encoding of an object whose
// defaulted form is the wanted one.
func (x *exporter) holds() (bool, error) {
	obj, written := x.decode()
	if obj == nil || !bytes.Equal(written, x.root.append(nil)) {
		return false, nil
	}
	got, err := x.defaulted(obj)
	return bytes.Equal(got, x.want), err
}

// defaulted sets the defaults of an object and returns its JSON, or nil if defaulting fails because
// a value is missing.
func (x *exporter) defaulted(obj Object) ([]byte, error) {
	if err := x.kind.setDefaults(obj); err != nil {
		return nil, nil
	}
	return x.kind.AppendJSON(nil, obj)
}

// dropTogether drops all members, and restores those that defaulting does not restore with the same
// value, until it restores all.
func (x *exporter) dropTogether() error {
	x.root.drop()
	const rounds = 8 // in each, defaults may depend on members restored in the previous one
	for range rounds {
		obj, written := x.decode()
		if obj == nil {
			break
		}
		restored := x.root.restoreWritten(parseExport(jsonwire.NewReader(written, jsonwire.Options{})))
		got, err := x.defaulted(obj)
		if err != nil {
			return err
		}
		if !restored && bytes.Equal(got, x.want) {
			return nil
		}
		if got != nil {
			restored = x.root.restoreMissing(parseExport(jsonwire.NewReader(got, jsonwire.Options{}))) || restored
		}
		if !restored {
			break
		}
	}
	if ok, err := x.holds(); ok || err != nil {
		return err
	}
	x.root.restore()
	return nil
}

// drop drops all members below, except inside lists whose elements would change.
func (n *exportNode) drop() {
	for _, c := range n.nodes {
		c.drop()
		c.dropped = c.member
	}
}

// restore restores all members below.
func (n *exportNode) restore() {
	for _, c := range n.nodes {
		c.dropped = false
		c.restore()
	}
}

// restoreWritten restores members that are written although they were dropped.
func (n *exportNode) restoreWritten(written *exportNode) bool {
	restored := false
	for i, c := range n.nodes {
		w := written.child(n, i)
		if w == nil {
			continue
		}
		if c.dropped {
			c.dropped, restored = false, true
		}
		if c.restoreWritten(w) {
			c.dropped, restored = false, true
		}
	}
	return restored
}

// restoreMissing restores members that defaulting did not restore with the same value.
func (n *exportNode) restoreMissing(got *exportNode) bool {
	restored := false
	for i, c := range n.nodes {
		g := got.child(n, i)
		same := g != nil && (c.nodes == nil) == (g.nodes == nil) && bytes.Equal(c.raw, g.raw) &&
			(c.object || len(c.nodes) == len(g.nodes))
		if c.dropped && !same {
			c.dropped, restored = false, true
		}
		if g == nil {
			g = &exportNode{}
		}
		if c.restoreMissing(g) { // a member can be kept only with its parents
			c.dropped, restored = false, true
		}
	}
	return restored
}

// child returns the value in n that corresponds to the i-th child of another tree's node.
func (n *exportNode) child(other *exportNode, i int) *exportNode {
	if n.object != other.object {
		return nil
	}
	if !n.object {
		if i < len(n.nodes) {
			return n.nodes[i]
		}
		return nil
	}
	for j := range n.nodes { // the members of both are mostly in the same order
		at := (n.next + j) % len(n.nodes)
		if c := n.nodes[at]; c.name == other.nodes[i].name {
			n.next = at + 1
			return c
		}
	}
	return nil
}

// dropSingly drops each member that can be dropped alone, parents before their members.
func (x *exporter) dropSingly(n *exportNode) error {
	for _, c := range n.nodes {
		if c.dropped {
			continue
		}
		if c.member && x.work > 0 {
			c.dropped = true
			ok, err := x.holds()
			if err != nil {
				return err
			}
			if ok {
				continue
			}
			c.dropped = false
		}
		if err := x.dropSingly(c); err != nil {
			return err
		}
	}
	return nil
}
