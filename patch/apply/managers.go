package apply

import (
	"cmp"
	"errors"
	"strings"
	"time"

	"github.com/askind/askind/internal/sorted"
	"github.com/askind/askind/patch/internal/tree"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire/jsonwire"
)

// The operations by which managers set fields.
const (
	opApply  = "Apply"
	opUpdate = "Update"
)

// owner identifies a manager. A program that updates is a different manager in each version.
type owner struct {
	name, operation, apiVersion, subresource string
}

// id returns the identity of a manager: one that applies is the same in all versions.
func (o owner) id() owner {
	if o.operation == opApply {
		o.apiVersion = ""
	}
	return o
}

// key returns the identity of a manager as a text, by which Kubernetes orders them.
func (o owner) key() string {
	b := appendMember(o.id().appendVersioned(nil), "subresource", o.subresource)
	return string(jsonwire.CloseObject(b, 0))
}

// manager is an entry of metadata.managedFields.
type manager struct {
	owner
	time   string // as JSON; blank if unknown
	fields set
}

// managers are the entries of an object.
type managers []manager

// find returns the entry of an owner, or nil.
func (m managers) find(o owner) *manager {
	for i := range m {
		if m[i].id() == o.id() {
			return &m[i]
		}
	}
	return nil
}

// put sets the entry of an owner, or adds it.
func (m *managers) put(e manager) {
	if old := m.find(e.owner); old != nil {
		*old = e
		return
	}
	*m = append(*m, e)
}

// drop removes the entries without fields.
func (m *managers) drop() {
	*m = sorted.Delete(*m, func(e manager) bool { return e.fields.empty() })
}

// parseManagers reads metadata.managedFields.
func parseManagers(n *tree.Node) (managers, error) {
	if n == nil || n.Kind == tree.Null {
		return nil, nil
	}
	if n.Kind != tree.Array {
		return nil, errors.New("expected an array, found " + n.Kind.String())
	}
	n.Open()
	var out managers
	at := map[owner]int{} // not with room for all, which may be malformed
	for i := range n.Kids {
		e, err := parseManager(&n.Kids[i])
		if err != nil {
			return nil, err
		}
		if old, ok := at[e.id()]; ok {
			out[old] = e
			continue
		}
		at[e.id()] = len(out)
		out = append(out, e)
	}
	return out, nil
}

func parseManager(n *tree.Node) (m manager, err error) {
	if n.Kind != tree.Object {
		return m, errors.New("expected an object, found " + n.Kind.String())
	}
	m.owner = ownerOf(n)
	if t := n.Get("time"); t != nil && t.Kind == tree.String {
		m.time = string(t.Append(nil))
	}
	name, fieldsType := schema.Shorten(m.name, maxCause), textOf(n, "fieldsType")
	switch {
	case m.operation != opApply && m.operation != opUpdate:
		return m, errors.New("the operation of a manager is Apply or Update")
	case m.apiVersion == "":
		return m, errors.New("the apiVersion of manager " + name + " is missing")
	case fieldsType != "FieldsV1":
		return m, errors.New("the fieldsType of manager " + name + " is not FieldsV1")
	}
	if f := n.Get("fieldsV1"); f != nil {
		var ok bool
		if m.fields, ok = parseSet(f); !ok {
			return m, errors.New("the fields of manager " + name + " are malformed")
		}
	}
	return m, nil
}

func ownerOf(n *tree.Node) owner {
	return owner{textOf(n, "manager"), textOf(n, "operation"), textOf(n, "apiVersion"), textOf(n, "subresource")}
}

// textOf returns the value of a string member, or "".
func textOf(n *tree.Node, name string) string {
	if k := n.Get(name); k != nil && k.Kind == tree.String {
		return k.Str()
	}
	return ""
}

// append sorts the entries as Kubernetes does, those that apply first, then by time, and appends
// them as JSON.
func (m managers) append(dst []byte) []byte {
	sorted.Func(m, func(a, b manager) int {
		return cmp.Or(strings.Compare(a.operation, b.operation), cmp.Compare(a.seconds(), b.seconds()),
			strings.Compare(a.name, b.name),
			strings.Compare(a.apiVersion, b.apiVersion), strings.Compare(a.subresource, b.subresource))
	})
	dst = append(dst, '[')
	for i := range m {
		dst = jsonwire.AppendComma(dst, i)
		dst = m[i].append(dst)
	}
	return append(dst, ']')
}

// seconds returns the time of an entry in seconds, 0 if it has none.
func (m *manager) seconds() int64 {
	t, err := time.Parse(`"`+time.RFC3339+`"`, m.time)
	if err != nil {
		return 0
	}
	return t.Unix()
}

func (m *manager) append(dst []byte) []byte {
	start := len(dst)
	dst = m.appendVersioned(dst)
	if m.time != "" {
		dst = append(append(dst, `,"time":`...), m.time...)
	}
	dst = append(dst, `,"fieldsType":"FieldsV1","fieldsV1":`...)
	dst = m.fields.append(dst)
	dst = appendMember(dst, "subresource", m.subresource)
	return jsonwire.CloseObject(dst, start)
}

// appendVersioned appends the members for the owner, except the subresource.
func (o owner) appendVersioned(dst []byte) []byte {
	dst = appendMember(dst, "manager", o.name)
	dst = appendMember(dst, "operation", o.operation)
	return appendMember(dst, "apiVersion", o.apiVersion)
}

// appendMember appends a comma and a member, unless the value is blank.
func appendMember(dst []byte, name, value string) []byte {
	if value == "" {
		return dst
	}
	dst = append(append(append(dst, ',', '"'), name...), '"', ':')
	return jsonwire.AppendString(dst, value)
}

// sameFields reports whether two lists have the same managers with the same fields, regardless of
// their times.
func sameFields(a, b managers) bool {
	if len(a) != len(b) {
		return false
	}
	at := b.places()
	for i := range a {
		j, ok := at[a[i].id()]
		if !ok || b[j].apiVersion != a[i].apiVersion || !b[j].fields.equal(a[i].fields) {
			return false
		}
	}
	return true
}

// places returns the indexes of the entries by owner.
func (m managers) places() map[owner]int {
	at := make(map[owner]int, len(m))
	for i := range m {
		at[m[i].id()] = i
	}
	return at
}

// cap limits the number of managers that update: it joins the oldest ones of each version.
func (m *managers) cap(most int) {
	var updaters []manager
	for _, e := range *m {
		if e.operation == opUpdate {
			updaters = append(updaters, e)
		}
	}
	count := len(updaters)
	if count <= most {
		return
	}
	sorted.Func(updaters, func(a, b manager) int {
		return cmp.Or(cmp.Compare(a.seconds(), b.seconds()), strings.Compare(a.key(), b.key()))
	})
	at := m.places()
	joined := map[owner][]set{} // by the joint entry
	// join adds the fields of an entry to those of the joint one, which may not exist yet.
	join := func(from, joint owner) {
		i := at[from]
		switch j, exists := at[joint]; {
		case !exists:
			(*m)[i].owner = joint
			delete(at, from)
			at[joint] = i
		case i != j:
			joined[joint] = append(joined[joint], (*m)[i].fields)
			(*m)[i].fields = nil
			count--
		}
	}
	first := map[string]owner{} // the oldest of each version, or the joint one
	for i := 0; i < len(updaters) && count > most; i++ {
		e := updaters[i]
		joint := owner{name: "ancient-changes", operation: opUpdate, apiVersion: e.apiVersion}
		oldest, ok := first[e.apiVersion]
		if !ok {
			first[e.apiVersion] = e.owner
			continue
		}
		join(oldest, joint)
		join(e.owner, joint)
		if j := &(*m)[at[joint]]; j.seconds() < e.seconds() {
			j.time = e.time
		}
		first[e.apiVersion] = joint
	}
	for joint, fields := range joined {
		e := &(*m)[at[joint]]
		e.fields = union(append(fields, e.fields))
	}
	m.drop()
}
