package server

import (
	"context"
	"errors"
	"math"
	"net/http"

	"github.com/askind/askind/httpapi"
	"github.com/askind/askind/meta/dynamic"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/patch"
	"github.com/askind/askind/patch/structure"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/store"
)

// scaleKind is the kind that clients of the Kubernetes API expect of the subresource scale.
var scaleKind = schema.GroupVersionKind{Group: "autoscaling", Version: "v1", Kind: "Scale"}

// scale answers requests for the subresource scale: the size of an object.
func (c *call) scale() error {
	if err := c.begin(scaleKind); err != nil {
		return err
	}
	switch c.Verb {
	case verbUpdate:
		return c.updateScale()
	case verbPatch:
		if c.applies() {
			return c.applyScale()
		}
		return c.patchScale()
	}
	o, err := httpapi.ReadOptions[metav1.GetOptions](c.x)
	if err != nil {
		return err
	}
	e, err := c.getObject(o)
	if err != nil {
		return err
	}
	return c.respondScale(e)
}

// updateScale answers a PUT of a size.
func (c *call) updateScale() error {
	o, err := httpapi.ReadOptions[metav1.UpdateOptions](c.x)
	if err != nil {
		return err
	}
	scale, err := httpapi.ReadBody[metav1.Scale](c.x, serializer.DecodeOptions{DefaultKind: scaleKind})
	if err != nil {
		return strictError(err)
	}
	e, err := c.replaceScale(scale, o)
	if err != nil {
		return err
	}
	return c.respondScale(e)
}

// replaceScale gives an object a size.
func (c *call) replaceScale(scale *metav1.Scale, o *metav1.UpdateOptions) (*store.Entry, error) {
	if err := c.takeOptions(o.DryRun, o.FieldManager); err != nil {
		return nil, err
	}
	return c.change(change{next: func(_ context.Context, old runtime.Object) (runtime.Object, error) {
		return c.resized(old, scale)
	}})
}

// resized returns an object with the size that a scale says.
func (c *call) resized(old runtime.Object, scale *metav1.Scale) (runtime.Object, error) {
	if err := c.checkScale(scale, old); err != nil {
		return nil, err
	}
	shown, err := c.withSize(old)
	if err != nil {
		return nil, err
	}
	next, err := c.st.scheme.UpdateWith(shown, scale, c.scope(false))
	if err != nil {
		return nil, err
	}
	return c.stored(next)
}

// checkScale returns an error unless a scale is one of the object, in the state that the scale may
// state, and has a size that objects can have.
func (c *call) checkScale(scale *metav1.Scale, obj runtime.Object) error {
	if err := c.identify(&scale.ObjectMeta); err != nil {
		return err
	}
	if scale.Spec.Replicas < 0 {
		negative := runtime.Invalid(schema.NewPath("spec", "replicas"), scale.Spec.Replicas,
			"must be greater than or equal to 0")
		return metav1.Invalid(scaleKind.GroupKind(), c.Name, runtime.FieldErrors{negative})
	}
	return metav1.CheckScale(scale, c.metadataOf(obj), c.res.groupResource())
}

// withSize returns a stored object in the version that has its size. Versions without Go types may
// have it at different paths, and conversion does not move it.
func (c *call) withSize(obj runtime.Object) (runtime.Object, error) {
	if !isDynamic(c.res.kind) {
		return obj, nil
	}
	return c.st.scheme.ConvertTo(obj, c.res.served.GroupVersion())
}

// size returns the Scale of a stored object.
func (c *call) size(obj runtime.Object) (runtime.Object, error) {
	shown, err := c.withSize(obj)
	if err != nil {
		return nil, err
	}
	return c.st.scheme.As(shown, scaleKind)
}

// patchScale answers a PATCH of a size.
func (c *call) patchScale() error {
	o, body, err := c.readPatch()
	if err != nil {
		return err
	}
	kind, err := c.st.scheme.Kind(scaleKind)
	if err != nil {
		return err
	}
	p, err := c.parsePatch(c.r.Header.Get("Content-Type"), body, structure.Of(kind), o.FieldValidation)
	if err != nil {
		return err
	}
	e, err := c.rescale(p, o)
	if err != nil {
		return err
	}
	return c.respondScale(e)
}

// rescale applies a patch to the size of an object.
func (c *call) rescale(p *patch.Patch, o *metav1.PatchOptions) (*store.Entry, error) {
	if err := c.takeOptions(o.DryRun, o.FieldManager); err != nil {
		return nil, err
	}
	kind, err := c.st.scheme.Kind(scaleKind)
	if err != nil {
		return nil, err
	}
	return c.change(change{next: func(_ context.Context, old runtime.Object) (runtime.Object, error) {
		shown, err := c.size(old)
		switch {
		case errors.Is(err, dynamic.ErrNoSize):
			shown = c.unsized(old)
		case err != nil:
			return nil, err
		}
		changed, err := c.patched(p, kind, shown, o.FieldValidation)
		if err != nil {
			return nil, err
		}
		scale, err := runtime.ConvertTo[metav1.Scale](c.st.scheme, changed)
		if err != nil {
			return nil, err
		}
		if scale.Spec.Replicas == noSize {
			return nil, metav1.BadRequest("the object has no size, and the patch does not set spec.replicas")
		}
		return c.resized(old, scale)
	}})
}

// noSize stands for the size of an object that has none, while it is patched.
const noSize = math.MinInt32

// unsized returns the Scale of an object without a size.
func (c *call) unsized(obj runtime.Object) *metav1.Scale {
	m := c.metadataOf(obj)
	return &metav1.Scale{
		TypeMeta: metav1.TypeMeta{Kind: scaleKind.Kind, APIVersion: scaleKind.GroupVersion().String()},
		ObjectMeta: metav1.ObjectMeta{
			Name: m.Name, Namespace: m.Namespace, UID: m.UID, ResourceVersion: m.ResourceVersion,
			CreationTimestamp: m.CreationTimestamp,
		},
		Spec: metav1.ScaleSpec{Replicas: noSize},
	}
}

// respondScale answers with the size of an object.
func (c *call) respondScale(e *store.Entry) error {
	scale, err := c.scaleOf(e)
	if err != nil {
		return err
	}
	return c.respond(http.StatusOK, scale)
}

// scaleOf returns the size of an object.
func (c *call) scaleOf(e *store.Entry) (runtime.Object, error) {
	obj, err := e.Object()
	if err != nil {
		return nil, err
	}
	return c.size(obj)
}
