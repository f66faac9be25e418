package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/askind/askind/httpapi"
	"github.com/askind/askind/internal/origin"
	"github.com/askind/askind/meta"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/meta/validation"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/server/auth"
	"github.com/askind/askind/server/internal/replaced"
	"github.com/askind/askind/store"
)

// A write goes through the same steps whatever asks for it: the new state is made of what the
// client sent and what is stored, Prepare hooks complete it, everything is validated, Admit
// functions may refuse it, it is committed, and AfterCommit hooks are called.

// stored returns an object from outside in the version in which it is stored. It may share memory
// with what came.
func (c *call) stored(obj runtime.Object) (runtime.Object, error) {
	k, err := c.st.scheme.KindOf(obj)
	if err != nil {
		return nil, err
	}
	out, err := c.st.scheme.ConvertWith(obj, c.res.kind.GroupVersion(), c.scope(true))
	if err != nil || c.res.kind.Check(out) != nil {
		message := fmt.Sprintf("the object is a %s, which cannot be stored as a %s", k.GroupVersionKind(),
			c.res.kind.GroupVersionKind())
		if whole, ok := errors.AsType[*runtime.ConvertError](err); ok {
			err = whole.Err // its own text would name both kinds again
		}
		if err != nil { // that of Check is about Go types
			message += ": " + schema.MessageOf(err)
		}
		return nil, metav1.BadRequest(message)
	}
	if k.GroupVersionKind() == c.res.kind.GroupVersionKind() {
		return out, nil // it has its defaults
	}
	return out, c.res.kind.Default(out)
}

// refuse returns the error of an object that cannot be stored: what validation found is about it.
func (c *call) refuse(name string, err error) error {
	if found, ok := errors.AsType[runtime.FieldErrors](err); ok {
		if _, is := errors.AsType[*metav1.StatusError](err); !is {
			return metav1.Invalid(c.Kind.GroupKind(), name, found)
		}
	}
	return err
}

// check runs the steps before the commit on a new state, and returns it as the Prepare hooks leave
// it. The old state is nil for a new object. A panic of a hook is an error, so that the write is
// audited.
func (c *call) check(ctx context.Context, old, new runtime.Object) (_ runtime.Object, err error) {
	defer recovered(&err)
	if new, err = c.res.prepare(ctx, c.st.scheme, c.Request, objects{old, new}); err != nil {
		return nil, err
	}
	if err := c.settle(old, new); err != nil {
		return nil, err
	}
	if err := c.account(objects{old, new}); err != nil {
		return nil, err
	}
	found, err := c.validate(ctx, objects{old, new})
	if err != nil {
		return nil, err
	}
	if len(found) > 0 {
		return nil, found
	}
	return new, c.admit(ctx, objects{old, new})
}

// settle counts the generation of a new state, once hooks cannot change it any more.
func (c *call) settle(old, new runtime.Object) error {
	m := c.metadataOf(new)
	if old == nil {
		m.Generation = 1
		return nil
	}
	before := c.metadataOf(old)
	m.Generation = before.Generation
	same, err := c.res.parts.sameWanted(old, new)
	if !same || before.DeletionTimestamp == nil && m.DeletionTimestamp != nil {
		m.Generation++
	}
	return err
}

// validate returns what is wrong with a new state: with its metadata, by the rules of the version
// that the client speaks, so that paths are those that it knows, by the rules of the version that
// is stored, and by the Validate hooks.
func (c *call) validate(ctx context.Context, o objects) (found runtime.FieldErrors, err error) {
	m := c.metadataOf(o.new)
	found = validation.ObjectMeta(m, validation.Options{Namespaced: c.res.namespaced()})
	if o.old != nil {
		found = append(found, validation.ObjectMetaUpdate(m, c.metadataOf(o.old))...)
		ctx = replaced.With(ctx, o.old)
	}
	shown, err := o.as(c.st.scheme, c.res.served)
	if err != nil {
		return nil, err
	}
	found = append(found, c.res.served.ValidateChange(ctx, shown.new, shown.old)...)
	if len(found) == 0 && c.res.served.GroupVersionKind() != c.res.kind.GroupVersionKind() {
		found = c.asServed(c.res.kind, o.new, c.res.kind.ValidateChange(ctx, o.new, o.old))
	}
	return found, c.res.eachHook(c.st.scheme, o, func(h kindHooks, o objects) error {
		if h.validate == nil {
			return nil
		}
		found = append(found, c.asServed(h.kind, o.new, h.validate(ctx, c.Request, o.old, o.new))...)
		return nil
	})
}

// traced bounds the conversions that look for the fields of the served version. Further violations
// keep their paths.
var traced = origin.Limits{Bytes: 1 << 20, Objects: 200, Time: 200 * time.Millisecond}

// asServed returns violations that were found in an object of the kind k with the paths that the
// fields have in the version that the client uses. If a path differs there, or is unknown, the
// detail names the field and the version.
func (c *call) asServed(k *runtime.Kind, obj runtime.Object, found runtime.FieldErrors) runtime.FieldErrors {
	if len(found) == 0 || k.GroupVersionKind() == c.res.served.GroupVersionKind() {
		return found
	}
	t := origin.New(c.st.scheme, c.res.served, k, obj, traced)
	out := make(runtime.FieldErrors, len(found))
	for i, e := range found {
		path, known := t.Of(e.Path)
		if out[i] = e; e.Path == nil || known && path.Equal(e.Path) {
			continue
		}
		changed := *e
		changed.Path = path
		note := e.Path.Short() + " in " + k.APIVersion()
		if !known {
			note = "in " + k.APIVersion()
		}
		if changed.Detail == "" {
			changed.Detail = note
		} else {
			changed.Detail += " (" + note + ")"
		}
		out[i] = &changed
	}
	return out
}

// admit asks the Admit functions. New is nil for a deletion.
func (c *call) admit(ctx context.Context, o objects) error {
	for _, f := range c.s.config.admit {
		if err := f(ctx, c.Request, o.old, o.new); err != nil {
			return err
		}
	}
	return c.res.eachHook(c.st.scheme, o, func(h kindHooks, o objects) error {
		if h.admit == nil {
			return nil
		}
		return h.admit(ctx, c.Request, o.old, o.new)
	})
}

// committed tells the AfterCommit hooks and the audit functions what became of a write, whose error
// it returns. Old is nil for a new object, the entry nil if the write failed. A write that changed
// nothing has no hooks to call.
func (c *call) committed(old runtime.Object, e *store.Entry, deleted bool, err error) error {
	switch {
	case err != nil || c.DryRun:
	case !deleted && c.isOld(old, e):
		e = nil
	default:
		c.afterCommit(old, e, deleted)
	}
	c.audit(e, err)
	return err
}

// afterCommit calls the AfterCommit hooks. Their failures are only logged: the write is stored, and
// a client that got an error would repeat it.
func (c *call) afterCommit(old runtime.Object, e *store.Entry, deleted bool) {
	o := objects{old: old}
	for _, h := range c.res.hooks {
		if h.afterCommit == nil {
			continue
		}
		if err := c.callAfterCommit(h, &o, e, deleted); err != nil {
			c.logHook("an AfterCommit hook failed, or was not called", err)
		}
	}
}

// callAfterCommit calls one AfterCommit hook. The new object is decoded for the first of them. A
// panic is an error.
func (c *call) callAfterCommit(h kindHooks, o *objects, e *store.Entry, deleted bool) (err error) {
	defer recovered(&err)
	if o.new == nil && !deleted {
		if o.new, err = e.Object(); err != nil {
			return err
		}
	}
	shown, err := o.as(c.st.scheme, h.kind)
	if err == nil {
		h.afterCommit(c.ctx, c.Request, shown.old, shown.new)
	}
	return err
}

// authorize returns an error, and tells the audit functions of it, unless the user may do what the
// attributes describe.
func (c *call) authorize(a *auth.Attributes) error {
	err := c.s.allow(c.ctx, a)
	if err != nil {
		c.audit(nil, err)
	}
	return err
}

// audit tells the audit functions of a write, or of a request that was refused. The entry is nil
// unless something was stored. Failures are only logged, like those of AfterCommit hooks.
func (c *call) audit(e *store.Entry, err error) {
	if len(c.s.config.audit) == 0 {
		return
	}
	event := AuditEvent{Time: cmp.Or(traceOf(c.ctx).arrived, c.s.config.now()), Request: c.Request, Err: err}
	if e != nil && err == nil {
		event.Object, _ = e.Object()
	}
	if c.r != nil {
		event.Path = c.r.URL.Path
	}
	for _, f := range c.s.config.audit {
		if err := f.call(c.ctx, event); err != nil {
			c.logHook("an audit function failed", err)
		}
	}
}

// call calls the function. A panic is an error.
func (f AuditFunc) call(ctx context.Context, e AuditEvent) (err error) {
	defer recovered(&err)
	f(ctx, e)
	return nil
}

// logHook logs what failed in a function of the program, whose error the client does not get.
func (c *call) logHook(message string, err error) {
	c.s.config.log.LogAttrs(c.ctx, slog.LevelError, message,
		append(failure(err), slog.String("request", c.ID), slog.String("verb", c.Verb),
			slog.String("resource", c.Resource.GroupResource().String()),
			slog.String("namespace", c.Namespace), slog.String("name", c.Name))...)
}

// identify completes the name and namespace of an object from outside by what the path says, and
// returns an error if they contradict each other. As in the Kubernetes API, a namespace is ignored
// if objects are outside of namespaces.
func (c *call) identify(m *metav1.ObjectMeta) error {
	switch m.Namespace = cmp.Or(m.Namespace, c.Namespace); {
	case !c.res.namespaced():
		m.Namespace = ""
	case m.Namespace != c.Namespace && c.Namespace != "":
		return metav1.BadRequest(
			fmt.Sprintf("the namespace of the object (%s) does not match the namespace on the request (%s)",
				printable(m.Namespace), c.Namespace),
		)
	}
	if c.Name == "" {
		return nil
	}
	m.Name = cmp.Or(m.Name, c.Name)
	if m.Name != c.Name {
		return metav1.BadRequest(fmt.Sprintf("the name of the object (%s) does not match the name on the URL (%s)",
			printable(m.Name), c.Name))
	}
	return nil
}

// identified returns the metadata of an object in the version in which it is stored, once it is
// certain that it names what the request is about, see identify. As in the Kubernetes API, the
// resource version "0" means any version, and an owner that is named twice counts once.
func (c *call) identified(obj runtime.Object) (*metav1.ObjectMeta, error) {
	m := c.metadataOf(obj)
	if m.ResourceVersion == "0" {
		m.ResourceVersion = ""
	}
	if distinct := distinctOwners(m.OwnerReferences); len(distinct) < len(m.OwnerReferences) {
		m.OwnerReferences = distinct
		c.Warn("metadata.ownerReferences has entries that are equal to others, which are removed")
	}
	return m, c.identify(m)
}

// distinctOwners returns the references that are not equal to one before.
func distinctOwners(refs []metav1.OwnerReference) (out []metav1.OwnerReference) {
	type owner struct {
		apiVersion, kind, name, uid string
		controller, blocks          bool
	}
	if len(refs) < 2 {
		return refs
	}
	seen := make(map[owner]bool, len(refs))
	for _, ref := range refs {
		o := owner{ref.APIVersion, ref.Kind, ref.Name, ref.UID, deref(ref.Controller), blocks(ref)}
		if !seen[o] {
			out = append(out, ref)
		}
		seen[o] = true
	}
	return out
}

// match returns an error if the request is conditional on another version of the object, see
// [httpapi.Exchange.Match]. Requests in process are not.
func (c *call) match(version string) error {
	if c.x == nil {
		return nil
	}
	return c.x.Match(version)
}

// key returns the place of the object in the store.
func (c *call) key() store.Key { return store.Key{Namespace: c.Namespace, Name: c.Name} }

// dryRun reports whether options ask for a dry run; a value other than All is refused by their
// validation.
func dryRun(stages []string) bool { return len(stages) > 0 }

// readWrite negotiates the answer to a create or an update, and reads its options and its object.
// The body may have any version of the kind, or a kind that is declared equivalent, and gets the
// defaults of its own version. The result has the version in which it is stored.
func readWrite[Options any](c *call) (*Options, runtime.Object, error) {
	if err := c.begin(c.Kind); err != nil {
		return nil, nil, err
	}
	o, err := httpapi.ReadOptions[Options](c.x)
	if err != nil {
		return nil, nil, err
	}
	obj, err := c.x.ReadBody(serializer.DecodeOptions{DefaultKind: c.Kind, Default: true})
	if err != nil {
		return nil, nil, strictError(err)
	}
	obj, err = c.stored(obj)
	return o, obj, err
}

// takeOptions takes the options that all writes have. It returns an error for the name of a field
// manager that cannot be recorded.
func (c *call) takeOptions(stages []string, manager string) error {
	c.DryRun, c.FieldManager = dryRun(stages), manager
	found := validation.FieldManager(schema.NewPath("fieldManager"), manager)
	if len(found) == 0 {
		return nil
	}
	kind := "PatchOptions"
	switch c.Verb {
	case "create":
		kind = "CreateOptions"
	case "update":
		kind = "UpdateOptions"
	}
	return metav1.Invalid(metav1.GroupVersion.WithKind(kind).GroupKind(), "", found)
}

// metadataOf returns the metadata of an object of the kind in which it is stored, which all have:
// the store adds no other kinds.
func (c *call) metadataOf(obj runtime.Object) *metav1.ObjectMeta {
	m, err := meta.Accessor(c.res.kind, obj)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return m
}
