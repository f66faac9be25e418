package apply

import (
	"cmp"
	"errors"
	"strings"
	"time"

	"github.com/askind/askind/patch/internal/tree"
	"github.com/askind/askind/patch/structure"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire/jsonwire"
)

// Policy selects when managers are recorded.
type Policy uint8

const (
	// Always records managers from the creation of an object on, as Kubernetes does. After a client
	// has emptied managedFields, recording begins again with the next apply.
	Always Policy = iota
	// FromFirstApply begins with the first apply. The fields that the object has by then belong to
	// the manager "before-first-apply", except for those that kubectl has applied on the client's
	// side: they belong to "kubectl-client-side-apply", as in Kubernetes.
	FromFirstApply
	// Never records nothing: managedFields are not written, and apply merges without conflicts and
	// without removing fields.
	Never
)

// ErrNoVersion is returned by Options.Convert, wrapped or not, for a version that no longer exists.
var ErrNoVersion = errors.New("the version is not known")

// Options configure an [Updater]. The zero value is for objects of one version with unknown
// structure.
type Options struct {
	_ struct{} // literals name their fields

	// Policy selects when managers are recorded.
	Policy Policy
	// Structure returns the structure of the objects in a version. If the function or its result is
	// nil, objects are merged and lists are replaced.
	Structure func(apiVersion string) *structure.Type
	// Convert converts an object, given as JSON, to another version. It may be nil if there is only
	// one version. Its error for an unknown version is [ErrNoVersion].
	Convert func(doc []byte, apiVersion string) ([]byte, error)
	// Empty returns an object of the kind without content, in a version, as the program encodes it:
	// its fields belong to no manager. If it is nil, a new object has its apiVersion and kind.
	Empty func(apiVersion string) []byte
	// UpdateManagers bounds the recorded managers of updates. The default is 10, as in Kubernetes.
	UpdateManagers int
	// Limits bound the objects and configurations.
	Limits schema.Limits
}

// Request is one write.
type Request struct {
	_ struct{} // literals name their fields

	// Manager is the fieldManager of the request. A blank one is "unknown".
	Manager string
	// APIVersion is the version of the request, in which the objects are given.
	APIVersion string
	// Subresource is the subresource that is written, blank for the object itself.
	Subresource string
	// Force takes fields from other managers instead of failing with a conflict.
	Force bool
	// Time is the current time.
	Time time.Time
	// Reset are the dotted paths of fields that the write cannot change, such as "status" if that
	// is a subresource. The manager of the write does not get them.
	Reset []string
}

// Updater maintains the managers of the objects of one resource. It is safe for concurrent use.
type Updater struct{ o Options }

// New returns an updater.
func New(o Options) *Updater {
	if o.UpdateManagers <= 0 {
		o.UpdateManagers = 10
	}
	o.Limits = o.Limits.OrDefaults()
	return &Updater{o}
}

// Error reports why a configuration cannot be applied. Find it with
// errors.AsType[*apply.Error](err).
type Error struct {
	_ struct{} // literals name their fields

	// Config reports that the configuration is invalid, rather than the object or its managed
	// fields.
	Config bool
	// Managed reports that the managed fields of the object cannot be read.
	Managed bool
	// Err is the cause; it may hold a [*schema.PathError] that leads to the field.
	Err error
}

// Error returns the cause with its context.
func (e *Error) Error() string {
	switch {
	case e.Config:
		return "apply: the configuration: " + schema.MessageOf(e.Err)
	case e.Managed:
		return "apply: the object: metadata.managedFields: " + schema.MessageOf(e.Err) +
			"; an update that sets them to [{}] removes them"
	}
	return "apply: the object: " + schema.MessageOf(e.Err)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Code returns the HTTP status code: 400 for an invalid configuration, 413 for one that exceeds the
// limits, 422 for an object whose managed fields cannot be read, else 500.
func (e *Error) Code() int {
	switch {
	case e.Config && errors.Is(e.Err, schema.ErrLimit):
		return 413
	case e.Config:
		return 400
	case e.Managed:
		return 422
	}
	return 500
}

// object is an object that is read for a write.
type object struct {
	text    string
	root    tree.Node
	managed *tree.Node // metadata.managedFields as read; nil without one
}

// read reads an object and separates the managed fields from it.
func (u *Updater) read(data []byte) (*object, error) {
	n, err := tree.Parse(data, u.o.Limits)
	if err != nil {
		return nil, err
	}
	if n.Kind != tree.Object {
		return nil, errors.New("expected an object, found " + n.Kind.String())
	}
	o := &object{text: n.Text(), root: n}
	o.takeManaged()
	return o, nil
}

func (o *object) takeManaged() {
	if meta := o.root.Get("metadata"); meta != nil && meta.Kind == tree.Object {
		if m := meta.Get("managedFields"); m != nil {
			managed := *m
			o.managed = &managed
			meta.Drop("managedFields")
			o.root.Touch()
		}
	}
}

// again returns the object as it was read.
func (o *object) again() *object {
	c := &object{text: o.text, root: tree.Sound(o.text)}
	c.takeManaged()
	return c
}

// with returns the text of an object with managed fields.
func with(root *tree.Node, managed []byte) []byte {
	dropEmptied(root)
	if len(managed) > 2 {
		meta := root.Get("metadata")
		if meta == nil || meta.Kind != tree.Object {
			meta = root.Put("metadata", tree.New(tree.Object))
		}
		meta.Open()
		meta.Put("managedFields", tree.Sound(string(managed)))
		root.Touch()
	}
	return root.Append(make([]byte, 0, root.Size()+64))
}

func (u *Updater) structure(apiVersion string) *structure.Type {
	if u.o.Structure != nil {
		if t := u.o.Structure(apiVersion); t != nil {
			return t
		}
	}
	return structure.Deduced
}

// empty returns an object without content.
func (u *Updater) empty(apiVersion, kind string) *object {
	if u.o.Empty != nil {
		if text := u.o.Empty(apiVersion); len(text) > 0 {
			if o, err := u.read(text); err == nil {
				return o
			}
		}
	}
	text := append([]byte(`{"apiVersion":`), jsonwire.AppendString(nil, apiVersion)...)
	text = append(append(text, `,"kind":`...), jsonwire.AppendString(nil, kind)...)
	text = append(text, '}')
	return &object{text: string(text), root: tree.Sound(string(text))}
}

func (r *Request) owner(operation string) owner {
	return owner{cmp.Or(r.Manager, "unknown"), operation, r.APIVersion, r.Subresource}
}

// now returns the time of the request in the form of managed fields.
func (r *Request) now() string { return `"` + r.Time.UTC().Format(time.RFC3339) + `"` }

// pathSet returns the set of some fields, given by their dotted paths.
func pathSet(paths ...string) (out set) {
	for _, path := range paths {
		out = out.plus(fieldSet(strings.Split(path, ".")...))
	}
	return out
}

// stripped are the fields without a manager, because every object has them or the server sets them.
var stripped = pathSet("apiVersion", "kind", "metadata", "metadata.name", "metadata.namespace",
	"metadata.creationTimestamp", "metadata.selfLink", "metadata.uid", "metadata.clusterName",
	"metadata.generation", "metadata.managedFields", "metadata.resourceVersion")

// write is one write to an object.
type write struct {
	*Updater
	r        Request
	t        *structure.Type // in the version of the request
	reset    set
	managers managers
}

// others updates the entries of all managers but one for a change of the object, and returns the
// fields in which they conflict with it.
func (w *write) others(before, after *tree.Node, own owner, c changes) (conflicts managers, err error) {
	// A manager loses what is added like what is modified.
	c.modified = c.modified.plus(c.added)
	inVersion := map[string]changes{w.r.APIVersion: c}
	kept := w.managers[:0:0]
	for _, m := range w.managers {
		if m.id() == own.id() {
			kept = append(kept, m)
			continue
		}
		c, ok := inVersion[m.apiVersion]
		if !ok {
			if c, err = w.compareIn(before, after, m.apiVersion); err != nil {
				return nil, err
			}
			c.modified = c.modified.plus(c.added)
			inVersion[m.apiVersion] = c
		}
		lost := m.fields.and(c.modified)
		if !lost.empty() {
			conflicts = append(conflicts, manager{owner: m.owner, fields: lost})
		}
		m.fields = m.fields.minus(lost).minus(c.removed)
		kept = append(kept, m)
	}
	w.managers = kept
	return conflicts, nil
}

// compareIn compares two objects in another version.
func (w *write) compareIn(before, after *tree.Node, apiVersion string) (c changes, err error) {
	a, err := w.convert(before, apiVersion)
	if err != nil {
		return c, err
	}
	b, err := w.convert(after, apiVersion)
	if err != nil {
		return c, err
	}
	return compare(&a, &b, w.structure(apiVersion)).outside(w.reset), nil
}

// convert returns an object in another version. It is the object itself if that has the version.
func (w *write) convert(n *tree.Node, apiVersion string) (tree.Node, error) {
	if textOf(n, "apiVersion") == apiVersion {
		return *n, nil
	}
	// Emptied values are null here, which is a field if the other version keeps null.
	return w.convertText(n.Append(nil), apiVersion)
}

// convertText is convert for the text of an object in another version.
func (w *write) convertText(text []byte, apiVersion string) (tree.Node, error) {
	if w.o.Convert == nil {
		return tree.Node{}, ErrNoVersion
	}
	text, err := w.o.Convert(text, apiVersion)
	if err != nil {
		return tree.Node{}, err
	}
	o, err := w.read(text)
	if err != nil {
		return tree.Node{}, err
	}
	return o.root, nil
}

func (c changes) outside(reset set) changes {
	return changes{c.added.outside(reset), c.modified.outside(reset), c.removed.outside(reset)}
}

// reconcile adapts the sets of all managers to the current structure, parts of which may have
// become atomic. It drops managers of unknown versions.
func (w *write) reconcile(live *tree.Node) error {
	known := map[string]bool{w.r.APIVersion: true, textOf(live, "apiVersion"): true}
	var text []byte // of live, for all other versions
	kept := w.managers[:0:0]
	for _, m := range w.managers {
		ok, asked := known[m.apiVersion]
		if !asked {
			if text == nil {
				text = live.Append(nil)
			}
			_, err := w.convertText(text, m.apiVersion)
			if err != nil && !errors.Is(err, ErrNoVersion) {
				return err
			}
			ok = err == nil
			known[m.apiVersion] = ok
		}
		if ok {
			m.fields = m.fields.reconciled(w.structure(m.apiVersion))
			kept = append(kept, m)
		}
	}
	w.managers = kept
	return nil
}
