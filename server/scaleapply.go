package server

import (
	"context"
	"fmt"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/patch"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/store"
	"github.com/askind/askind/wire/jsonwire"
)

// applyScale answers a PATCH that applies a size. What is applied is a configuration of the object
// that has no field but the size, so that managers and conflicts are those of the object's field.
func (c *call) applyScale() error {
	o, body, err := c.readPatch()
	if err != nil {
		return err
	}
	e, err := c.applySize(body, o)
	if err != nil {
		return err
	}
	return c.respondScale(e)
}

// applySize applies a configuration that is a Scale.
func (c *call) applySize(body []byte, o *metav1.PatchOptions) (*store.Entry, error) {
	if err := c.beginApply(o); err != nil {
		return nil, err
	}
	scale, err := c.scaleConfiguration(body, o.FieldValidation)
	if err != nil {
		return nil, err
	}
	config, err := c.sizeConfiguration(scale.Spec.Replicas)
	if err != nil {
		return nil, err
	}
	r := c.applyRequest()
	r.Force = deref(o.Force)
	return c.change(change{next: func(_ context.Context, old runtime.Object) (runtime.Object, error) {
		if err := c.checkScale(scale, old); err != nil {
			return nil, err
		}
		return c.applied(old, config, r)
	}})
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
