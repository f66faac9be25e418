package server

import (
	"context"
	"errors"
	"fmt"
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
	"github.com/askind/askind/wire/jsonwire"
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
	return c.respondScale(e, err)
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
	if err := c.takeOptions(o.DryRun, o.FieldManager); err != nil {
		return err
	}
	e, err := c.change(change{next: func(_ context.Context, old runtime.Object) (runtime.Object, error) {
		return c.resized(old, scale)
	}})
	return c.respondScale(e, err)
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
	if err := c.takeOptions(o.DryRun, o.FieldManager); err != nil {
		return err
	}
	e, err := c.change(change{next: func(_ context.Context, old runtime.Object) (runtime.Object, error) {
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
	return c.respondScale(e, err)
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

// respondScale answers with the size of an object, unless there is an error.
func (c *call) respondScale(e *store.Entry, err error) error {
	if err != nil {
		return err
	}
	obj, err := e.Object()
	if err != nil {
		return err
	}
	scale, err := c.size(obj)
	if err != nil {
		return err
	}
	return c.respond(http.StatusOK, scale)
}

// applyScale answers a PATCH that applies a size. What is applied is a configuration of the object
// that has no field but the size, so that managers and conflicts are those of the object's field.
func (c *call) applyScale() error {
	o, body, err := c.readPatch()
	if err != nil {
		return err
	}
	if err := c.beginApply(o); err != nil {
		return err
	}
	scale, err := c.scaleConfiguration(body, o.FieldValidation)
	if err != nil {
		return err
	}
	config, err := c.sizeConfiguration(scale.Spec.Replicas)
	if err != nil {
		return err
	}
	r := c.applyRequest()
	r.Force = deref(o.Force)
	e, err := c.change(change{next: func(_ context.Context, old runtime.Object) (runtime.Object, error) {
		if err := c.checkScale(scale, old); err != nil {
			return nil, err
		}
		return c.applied(old, config, r)
	}})
	return c.respondScale(e, err)
}

// scaleConfiguration reads the body of a request as a Scale that states its size.
func (c *call) scaleConfiguration(body []byte, validation string) (*metav1.Scale, error) {
	body, obj, err := c.decodeConfiguration(body, scaleKind, validation)
	if err != nil {
		return nil, err
	}
	scale, ok := obj.(*metav1.Scale)
	if !ok {
		k, err := c.st.scheme.KindOf(obj)
		if err != nil {
			return nil, err
		}
		return nil, metav1.BadRequest(fmt.Sprintf("the configuration is a %s, and the subresource takes a %s",
			k.GroupVersionKind(), scaleKind))
	}
	// Without a size, a Scale cannot be told from one of size 0.
	replicas := schema.NewPath("spec", "replicas")
	if from, to, ok := jsonwire.OffsetOf(body, replicas); !ok || string(body[from:to]) == "null" {
		missing := runtime.FieldErrors{runtime.Required(replicas, "")}
		return nil, metav1.Invalid(scaleKind.GroupKind(), c.Name, missing)
	}
	return scale, nil
}

// sizeConfiguration returns a configuration of the object, in the version of the request, that
// states its size and nothing else. Where the kind has its size is found by comparing objects of
// two sizes.
func (c *call) sizeConfiguration(replicas int32) ([]byte, error) {
	one, err := c.sized(1)
	if err != nil {
		return nil, err
	}
	two, err := c.sized(2)
	if err != nil {
		return nil, err
	}
	difference, err := patch.Between(patch.Merge, one, two, patch.Options{})
	if err != nil {
		return nil, err
	}
	r := jsonwire.NewReader(difference, jsonwire.Options{})
	config, ok := r.Any().(map[string]any)
	if !ok {
		return nil, fmt.Errorf("objects of two sizes differ by %s", difference)
	}
	setLeaves(config, replicas)
	config["apiVersion"], config["kind"] = c.res.served.APIVersion(), c.Kind.Kind
	config["metadata"] = map[string]any{"name": c.Name}
	return jsonwire.AppendAny(nil, config)
}

// sized returns an object with a size and nothing else as JSON.
func (c *call) sized(replicas int32) ([]byte, error) {
	scale := &metav1.Scale{
		TypeMeta: metav1.TypeMeta{Kind: scaleKind.Kind, APIVersion: scaleKind.GroupVersion().String()},
		Spec:     metav1.ScaleSpec{Replicas: replicas},
	}
	obj, err := c.st.scheme.UpdateFrom(c.res.served.New(), scale)
	if err != nil {
		return nil, err
	}
	return c.res.served.AppendJSON(nil, obj)
}

// setLeaves gives all members below an object that are not objects a value.
func setLeaves(m map[string]any, value any) {
	for name, v := range m {
		if below, ok := v.(map[string]any); ok {
			setLeaves(below, value)
		} else {
			m[name] = value
		}
	}
}
