package server

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"

	"github.com/askind/askind/httpapi"
	"github.com/askind/askind/internal/sorted"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/store"
)

// remove answers a DELETE of an object: with the object if it waits for finalizers, else with a
// Status that has its UID.
func (c *call) remove() error {
	if err := c.begin(c.Kind); err != nil {
		return err
	}
	o, err := httpapi.ReadOptions[metav1.DeleteOptions](c.x)
	if err != nil {
		return err
	}
	if deref(o.IgnoreStoreReadErrorWithClusterBreakingPotential) {
		if err := c.deleteUndecodable(o); err != nil {
			return err
		}
		return c.respond(http.StatusOK, c.deleted(&metav1.ObjectMeta{Name: c.Name}))
	}
	e, gone, err := c.deleteObject(o)
	if err != nil {
		return err
	}
	if !gone {
		return c.respond(http.StatusOK, e.Cached())
	}
	m, err := e.Metadata()
	if err != nil {
		return err
	}
	return c.respond(http.StatusOK, c.deleted(m))
}

// deleted returns the answer for an object that is gone.
func (c *call) deleted(m *metav1.ObjectMeta) *metav1.Status {
	done := metav1.Success()
	done.Details = &metav1.StatusDetails{Name: m.Name, Group: c.Resource.Group, Kind: c.Resource.Resource, UID: m.UID}
	return done
}

// verbDeleteUndecodable is the verb that is authorized, in addition to delete, for the deletion of
// an object that cannot be decoded. Kubernetes uses the same.
const verbDeleteUndecodable = "unsafe-delete-ignore-read-errors"

// deleteUndecodable deletes an object that cannot be decoded. Nothing is known of its finalizers,
// UID and version, and no hook is called.
func (c *call) deleteUndecodable(o *metav1.DeleteOptions) error {
	if len(o.DryRun) > 0 || o.Preconditions != nil || o.PropagationPolicy != nil || o.GracePeriodSeconds != nil {
		return c.invalidUnsafe("cannot be combined with other options")
	}
	a := c.attributes(c.r.URL.Path)
	a.Verb = verbDeleteUndecodable
	if err := c.authorize(a); err != nil {
		return err
	}
	_, err := c.res.stored.Get(c.ctx, c.key(), store.GetOptions{})
	if err == nil {
		return c.invalidUnsafe("is exclusively used to delete corrupt object(s), try again by removing this option")
	}
	if broken, ok := errors.AsType[*store.UndecodableError](err); ok {
		version := strconv.FormatUint(broken.Revision, 10)
		if err = c.match(version); err == nil {
			o := store.WriteOptions{Undecodable: true, ResourceVersion: version} // it may have been repaired
			_, err = c.res.stored.Delete(c.ctx, c.key(), o, nil)
		}
	}
	c.audit(nil, err)
	return err
}

// invalidUnsafe returns the error for the option to delete an object that cannot be decoded, where
// it cannot be used.
func (c *call) invalidUnsafe(detail string) error {
	option := schema.NewPath("ignoreStoreReadErrorWithClusterBreakingPotential")
	return metav1.Invalid(metav1.GroupVersion.WithKind("DeleteOptions").GroupKind(), c.Name,
		runtime.FieldErrors{runtime.Invalid(option, true, detail)})
}

// deletion is what an object under deletion waits for.
type deletion struct {
	policy       metav1.DeletionPropagation // blank if the client leaves it to the object
	uid, version string
	never        bool // a precondition is blank, which as in Kubernetes no object fulfills
}

// newDeletion reads the options of a deletion.
func newDeletion(o *metav1.DeleteOptions) deletion {
	d := deletion{policy: deref(o.PropagationPolicy)}
	if p := o.Preconditions; p != nil {
		d.uid, d.version = deref(p.UID), deref(p.ResourceVersion)
		d.never = p.UID != nil && d.uid == "" || p.ResourceVersion != nil && d.version == ""
	}
	//lint:ignore SA1019 older clients send it
	switch orphan := o.OrphanDependents; {
	case orphan == nil:
	case *orphan:
		d.policy = metav1.DeletePropagationOrphan
	default:
		d.policy = metav1.DeletePropagationBackground
	}
	return d
}

// finalizers returns what an object with the finalizers given waits for. A policy replaces the one
// that the object has, so that a deletion which takes too long can be continued in another way.
func (d *deletion) finalizers(of []string) []string {
	if d.policy == "" {
		return of
	}
	of = sorted.Delete(slices.Clone(of), func(name string) bool {
		return name == metav1.FinalizerDeleteDependents || name == metav1.FinalizerOrphanDependents
	})
	switch d.policy {
	case metav1.DeletePropagationForeground:
		of = append(of, metav1.FinalizerDeleteDependents)
	case metav1.DeletePropagationOrphan:
		of = append(of, metav1.FinalizerOrphanDependents)
	}
	return of
}

// deref returns what a pointer leads to, or the zero value.
func deref[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// errNothingToWaitFor says that an object can be deleted at once.
var errNothingToWaitFor = errors.New("the object has no finalizers")

// errBlankPrecondition says that a deletion is meant for an object that its client does not know.
var errBlankPrecondition = errors.New("a precondition is blank")

// deleteObject deletes an object, or marks it for deletion if something has to happen first. gone
// reports which.
func (c *call) deleteObject(o *metav1.DeleteOptions) (e *store.Entry, gone bool, err error) {
	c.DryRun = dryRun(o.DryRun)
	d := newDeletion(o)
	for {
		var old runtime.Object
		e, err = c.res.stored.Update(c.ctx, c.key(), store.WriteOptions{
			UID: d.uid, ResourceVersion: d.version,
			DryRun: c.DryRun,
		},
			func(ctx context.Context, current runtime.Object) (runtime.Object, error) {
				old = current
				return c.mark(ctx, current, d)
			})
		if !errors.Is(err, errNothingToWaitFor) {
			return e, false, c.committed(old, e, false, c.refuse(c.Name, err))
		}
		e, err = c.deleteAsRead(old)
		if d.version == "" && isConflict(err) && c.ctx.Err() == nil {
			continue // somebody wrote in between
		}
		return e, true, c.committed(old, e, true, err)
	}
}

// mark returns the object marked for deletion, nil if it waits already for the same, and
// errNothingToWaitFor if it can go at once.
func (c *call) mark(ctx context.Context, current runtime.Object, d deletion) (_ runtime.Object, err error) {
	defer recovered(&err)
	if d.never {
		return nil, modified(c, errBlankPrecondition)
	}
	m := c.metadataOf(current)
	if err := c.match(m.ResourceVersion); err != nil {
		return nil, err
	}
	if err := c.admit(ctx, objects{old: current}); err != nil {
		return nil, err
	}
	finalizers := d.finalizers(m.Finalizers)
	switch {
	case len(finalizers) == 0:
		return nil, errNothingToWaitFor
	case m.DeletionTimestamp != nil && slices.Equal(finalizers, m.Finalizers):
		return nil, nil
	}
	next, err := c.st.scheme.DeepCopy(current)
	if err != nil {
		return nil, err
	}
	m = c.metadataOf(next)
	m.Finalizers = finalizers
	if m.DeletionTimestamp == nil {
		// As in Kubernetes, only pods have a grace period.
		now, grace := metav1.NewTime(c.s.config.now()), int64(0)
		m.DeletionTimestamp, m.DeletionGracePeriodSeconds = &now, &grace
		m.Generation++
	}
	return next, nil
}

// removeAll answers a DELETE of a collection with the list of what was deleted.
func (c *call) removeAll() error {
	if err := c.begin(c.res.served.ListKind().GroupVersionKind()); err != nil {
		return err
	}
	o, err := httpapi.ReadOptions[metav1.DeleteOptions](c.x)
	if err != nil {
		return err
	}
	if deref(o.IgnoreStoreReadErrorWithClusterBreakingPotential) {
		return c.invalidUnsafe("is not allowed with DELETECOLLECTION, try again after removing the option")
	}
	if err := c.match(""); err != nil { // a collection has no tag
		c.audit(nil, err)
		return err
	}
	selection, err := httpapi.ReadOptions[metav1.ListOptions](c.x)
	if err != nil {
		return err
	}
	list, err := c.deleteCollection(o, selection)
	if err != nil {
		return err
	}
	return c.respondList(list)
}

// deleteCollection deletes what a selection finds, one object after the other, and returns the
// list. An object that is gone when its turn comes is not an error.
func (c *call) deleteCollection(o *metav1.DeleteOptions, selection *metav1.ListOptions) (*store.List, error) {
	lo, err := c.res.stored.ListOptions(c.Namespace, selection)
	if err != nil {
		return nil, err
	}
	list, err := c.res.stored.List(c.ctx, lo)
	if err != nil {
		return nil, err
	}
	for e := range list.Entries() {
		r := *c.Request
		r.Namespace, r.Name = e.Key().Namespace, e.Key().Name
		one := &call{Request: &r, s: c.s, st: c.st, res: c.res, ctx: c.ctx, r: c.r}
		_, _, err := one.deleteObject(o)
		c.warnings, c.moreWarnings = r.warnings, r.moreWarnings
		if goneIsFine(err) != nil {
			return nil, err
		}
	}
	return list, nil
}
