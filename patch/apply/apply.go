package apply

import (
	"errors"
	"strconv"

	"github.com/askind/askind/patch/internal/tree"
	"github.com/askind/askind/patch/structure"
	"github.com/askind/askind/schema"
)

// Apply merges a configuration into an object: live is the stored object, nil if it does not exist,
// and config the fields to set, both as JSON in the version of the request. It returns the object
// to write, which the caller defaults, validates and stores, or live itself if nothing changes.
//
// The error is a [*ConflictError] if the configuration would change fields of other managers
// without [Request].Force, else an [*Error].
func (u *Updater) Apply(live, config []byte, r Request) ([]byte, error) {
	c, err := tree.ParseAll(config, u.o.Limits)
	if err == nil {
		err = checkConfig(&c, &r)
	}
	if err != nil {
		return nil, &Error{Config: true, Err: err}
	}
	l := u.empty(r.APIVersion, textOf(&c, "kind"))
	if len(live) > 0 {
		if l, err = u.read(live); err != nil {
			return nil, &Error{Err: err}
		}
	}
	w := &write{Updater: u, r: r, t: u.structure(r.APIVersion), reset: pathSet(r.Reset...)}
	fields, err := strictSetOf(&c, w.t)
	if err != nil {
		return nil, &Error{Config: true, Err: err}
	}
	merged := l.root
	changed := merge(&merged, &c, w.t)
	if u.o.Policy == Never {
		return with(&merged, nil), nil
	}
	fields = fields.outside(w.reset)
	if !changed && r.Manager != kubectl && l.has(r.owner(opApply), r.APIVersion, fields.minus(stripped)) {
		return live, nil
	}
	return w.apply(l.again(), &merged, &c, fields)
}

// checkConfig returns an error unless a value is a valid configuration for a request.
func checkConfig(c *tree.Node, r *Request) error {
	if c.Kind != tree.Object {
		return errors.New("expected an object, found " + c.Kind.String())
	}
	if v := textOf(c, "apiVersion"); v != r.APIVersion {
		return errors.New("apiVersion: " + schema.Quote(v) + " is not the version of the request, " +
			strconv.Quote(r.APIVersion))
	}
	if textOf(c, "kind") == "" {
		return errors.New("kind is missing")
	}
	meta := c.Get("metadata")
	if meta == nil || meta.Kind != tree.Object {
		return nil
	}
	if m := meta.Get("managedFields"); m != nil && m.Kind != tree.Null {
		return errors.New("metadata.managedFields: must not be set")
	}
	return nil
}

// has reports whether the object has an entry of a manager with exactly these fields, compared in
// their written form.
func (o *object) has(by owner, apiVersion string, fields set) bool {
	if o.managed == nil || o.managed.Kind != tree.Array {
		return false
	}
	o.managed.Open()
	for i := range o.managed.Kids {
		n := &o.managed.Kids[i]
		if n.Kind != tree.Object || ownerOf(n).id() != by.id() {
			continue
		}
		f := n.Get("fieldsV1")
		return f != nil && textOf(n, "apiVersion") == apiVersion &&
			f.Text() == string(fields.append(make([]byte, 0, len(f.Text())+64)))
	}
	return false
}

// apply records the managers of a merged object, and removes the fields that the manager no longer
// applies.
func (w *write) apply(live *object, merged, config *tree.Node, fields set) ([]byte, error) {
	var err error
	if w.managers, err = parseManagers(live.managed); err != nil {
		return nil, &Error{Managed: true, Err: err}
	}
	unchanged := w.managers // not changed in place: reconcile makes another list
	if err := w.beforeFirstApply(&live.root); err != nil {
		return nil, &Error{Err: err}
	}
	if err := w.reconcile(&live.root); err != nil {
		return nil, &Error{Err: err}
	}
	by := w.r.owner(opApply)
	conflicts, err := w.take(live, merged, by, fields)
	if err != nil {
		return nil, &Error{Err: err}
	}
	if !w.r.Force {
		if left := w.unexpected(live, conflicts); len(left) > 0 {
			return nil, conflictError(left)
		}
	}
	same := tree.Equal(&live.root, merged)
	if e := w.managers.find(by); e != nil {
		if e.fields = e.fields.minus(stripped); !same {
			e.time = w.r.now()
		}
	}
	w.managers.drop()
	w.lastApplied(merged, config)
	if same && sameFields(w.managers, unchanged) && tree.Equal(&live.root, merged) {
		return []byte(live.text), nil
	}
	return with(merged, w.managers.append(nil)), nil
}

// beforeFirstApply makes "before-first-apply" the manager of the fields of an object without
// managers.
func (w *write) beforeFirstApply(live *tree.Node) error {
	if len(w.managers) > 0 {
		return nil
	}
	empty := w.empty(w.r.APIVersion, textOf(live, "kind"))
	by := owner{
		name: "before-first-apply", operation: opUpdate,
		apiVersion: w.r.APIVersion, subresource: w.r.Subresource,
	}
	if err := w.update(&empty.root, live, by); err != nil {
		return err
	}
	if w.o.Policy == FromFirstApply {
		w.splitClientApplied(live, by)
	}
	return nil
}

// take sets the fields of a manager to those that it applies, and returns those of them that it
// takes from other managers.
func (w *write) take(live *object, merged *tree.Node, by owner, fields set) (conflicts managers, err error) {
	var last manager
	old := w.managers.find(by)
	entry := manager{owner: by, fields: fields}
	if old != nil {
		last = *old
		entry.time = old.time
	}
	w.managers.put(entry)
	if err := w.prune(merged, last); err != nil {
		return nil, err
	}
	c := compare(&live.root, merged, w.t)
	return w.others(&live.root, merged, by, c.outside(w.reset))
}

// prune removes from a merged object the fields that the manager applied last and that no manager
// has now.
func (w *write) prune(merged *tree.Node, last manager) error {
	if last.fields.empty() {
		return nil
	}
	now := w.managers.find(last.owner)
	if now.apiVersion == last.apiVersion && last.fields.minus(now.fields).empty() {
		return nil
	}
	all, err := w.convert(merged, last.apiVersion)
	if err != nil {
		return err
	}
	t := w.structure(last.apiVersion)
	pruned := without(&all, last.fields.named(t), t)
	if pruned, err = w.addBackManaged(all, pruned, last.apiVersion); err != nil {
		return err
	}
	left, err := w.convert(&pruned, last.apiVersion)
	if err != nil {
		return err
	}
	// Fields that were pruned and that the manager did not apply last come back.
	before, after := setsOf(&all, &left, t)
	pruned = without(&all, before.minus(after).and(last.fields.named(t)), t)
	out, err := w.convert(&pruned, w.r.APIVersion)
	if err != nil {
		return err
	}
	*merged = out
	return nil
}

// addBackManaged restores the pruned fields that a manager has, including the one that applies.
func (w *write) addBackManaged(merged, pruned tree.Node, version string) (tree.Node, error) {
	sets := map[string][]set{}
	versions := []string{version}
	for _, m := range w.managers {
		if _, ok := sets[m.apiVersion]; !ok && m.apiVersion != version {
			versions = append(versions, m.apiVersion)
		}
		sets[m.apiVersion] = append(sets[m.apiVersion], m.fields)
	}
	for _, v := range versions {
		managed := union(sets[v])
		if len(managed) == 0 {
			continue
		}
		a, err := w.convert(&merged, v)
		if err != nil {
			return pruned, err
		}
		b, err := w.convert(&pruned, v)
		if err != nil {
			return pruned, err
		}
		t := w.structure(v)
		before, after := setsOf(&a, &b, t)
		merged, pruned = a, without(&a, before.minus(after.plus(managed.named(t))), t)
	}
	return pruned, nil
}

// setsOf returns the sets of two objects, see [set.named].
func setsOf(a, b *tree.Node, t *structure.Type) (x, y set) {
	return setOf(a, t).named(t), setOf(b, t).named(t)
}
