package main

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"

	"github.com/askind/askind/httpapi"
	"github.com/askind/askind/meta"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
)

// create stores a new object.
func (s *server) create(w http.ResponseWriter, r *http.Request) error {
	t, err := s.target(r)
	if err != nil {
		return err
	}
	x, err := s.api.Begin(w, r, t.endpoint())
	if err != nil {
		return err
	}
	o, err := httpapi.Options[metav1.CreateOptions](x)
	if err != nil {
		return err
	}
	obj, m, err := s.read(x, t)
	if err != nil {
		return err
	}
	if m.ResourceVersion != "" {
		return metav1.BadRequest("metadata.resourceVersion: a new object has none")
	}
	if t.asked.Scope() == runtime.Namespaced {
		m.Namespace = cmp.Or(m.Namespace, t.namespace)
		if t.namespace != "" && m.Namespace != t.namespace {
			return metav1.BadRequest(fmt.Sprintf("metadata.namespace: it is %q, and the path says %q", m.Namespace, t.namespace))
		}
	}
	stored, err := s.store.add(r.Context(), obj, "a request", dryRun(o.DryRun))
	if _, there := errors.AsType[errThere](err); there {
		return metav1.AlreadyExists(t.gr, m.Name)
	}
	if err != nil {
		return s.refused(t, m.Name, err)
	}
	return x.Respond(http.StatusCreated, stored)
}

// update replaces an object. If what comes states a resource version or a uid, the object must have it.
func (s *server) update(w http.ResponseWriter, r *http.Request) error {
	t, err := s.target(r)
	if err != nil {
		return err
	}
	x, err := s.api.Begin(w, r, t.endpoint())
	if err != nil {
		return err
	}
	o, err := httpapi.Options[metav1.UpdateOptions](x)
	if err != nil {
		return err
	}
	obj, m, err := s.read(x, t)
	if err != nil {
		return err
	}
	m.Name, m.Namespace = cmp.Or(m.Name, t.name), cmp.Or(m.Namespace, t.namespace)
	if m.Name != t.name || m.Namespace != t.namespace {
		return metav1.BadRequest(fmt.Sprintf("metadata: the object is %s/%s, and the path says %s/%s", m.Namespace, m.Name, t.namespace, t.name))
	}
	stored, err := s.store.update(r.Context(), t.kept, t.namespace, t.name, dryRun(o.DryRun), func(current runtime.Object) (runtime.Object, error) {
		return obj, s.meant(x, t, m, current)
	})
	if err != nil {
		return s.refused(t, t.name, err)
	}
	return x.Respond(http.StatusOK, stored)
}

// meant returns an error if an object that comes was made of another one than the present.
func (s *server) meant(x *httpapi.Exchange, t *target, m *metav1.ObjectMeta, current runtime.Object) error {
	now, err := meta.Accessor(t.kept, current)
	if err != nil {
		return err
	}
	if err := x.Match(now.ResourceVersion); err != nil {
		return err
	}
	return metav1.CheckScale(&metav1.Scale{ObjectMeta: *m}, now, t.gr)
}

// read decodes the body of a request: an object of the endpoint's kind, in any version, or one of a kind declared equivalent.
func (s *server) read(x *httpapi.Exchange, t *target) (runtime.Object, *metav1.ObjectMeta, error) {
	obj, err := x.ReadBody(serializer.DecodeOptions{DefaultKind: t.asked.GroupVersionKind(), Default: true})
	if err != nil {
		return nil, nil, err
	}
	k, err := s.scheme.KindOf(obj)
	if err != nil {
		return nil, nil, err
	}
	if k.GroupVersionKind().GroupKind() != t.asked.GroupVersionKind().GroupKind() {
		obj, err = s.scheme.ConvertTo(obj, t.kept.GroupVersion())
		if err != nil || t.kept.Check(obj) != nil {
			return nil, nil, metav1.BadRequest(fmt.Sprintf("the body is a %s, which cannot be stored as a %s", k, t.asked))
		}
		k = t.kept
	}
	m, err := meta.Accessor(k, obj)
	return obj, m, err
}

// refused makes the error for an object that cannot be stored: what validation found is about it.
func (s *server) refused(t *target, name string, err error) error {
	if found, ok := errors.AsType[runtime.FieldErrors](err); ok {
		return metav1.Invalid(t.asked.GroupVersionKind().GroupKind(), name, found)
	}
	return err
}

// remove removes an object.
func (s *server) remove(w http.ResponseWriter, r *http.Request) error {
	t, err := s.target(r)
	if err != nil {
		return err
	}
	x, err := s.api.Begin(w, r, t.endpoint())
	if err != nil {
		return err
	}
	o, err := httpapi.Options[metav1.DeleteOptions](x)
	if err != nil {
		return err
	}
	check := s.preconditions(t.gr, o)
	last, err := s.store.remove(t.kept, t.namespace, t.name, dryRun(o.DryRun), func(m *metav1.ObjectMeta) error {
		if err := x.Match(m.ResourceVersion); err != nil {
			return err
		}
		return check(m)
	})
	if err != nil {
		return err
	}
	m, err := meta.Accessor(t.kept, last)
	if err != nil {
		return err
	}
	done := metav1.Success()
	done.Details = &metav1.StatusDetails{Name: m.Name, Group: t.gr.Group, Kind: t.gr.Resource, UID: m.UID}
	return x.Respond(http.StatusOK, done)
}

// getScale answers with the size of an object.
func (s *server) getScale(w http.ResponseWriter, r *http.Request) error {
	t, x, err := s.scale(w, r)
	if err != nil {
		return err
	}
	obj, err := s.store.find(t.kept, t.namespace, t.name)
	if err != nil {
		return err
	}
	return s.respondScale(x, obj.object)
}

// putScale changes the size of an object.
func (s *server) putScale(w http.ResponseWriter, r *http.Request) error {
	t, x, err := s.scale(w, r)
	if err != nil {
		return err
	}
	o, err := httpapi.Options[metav1.UpdateOptions](x)
	if err != nil {
		return err
	}
	scale, err := httpapi.ReadBody[metav1.Scale](x, serializer.DecodeOptions{DefaultKind: scaleKind})
	if err != nil {
		return err
	}
	if scale.Name != "" && scale.Name != t.name {
		return metav1.BadRequest(fmt.Sprintf("metadata.name: the scale is that of %q, and the path says %q", scale.Name, t.name))
	}
	stored, err := s.store.update(r.Context(), t.kept, t.namespace, t.name, dryRun(o.DryRun), func(current runtime.Object) (runtime.Object, error) {
		if err := s.meant(x, t, &scale.ObjectMeta, current); err != nil {
			return nil, err
		}
		return s.scheme.UpdateFrom(current, scale)
	})
	if err != nil {
		return s.refused(t, t.name, err)
	}
	return s.respondScale(x, stored)
}

var scaleKind = metav1.GroupVersion.WithKind("Scale")

// scale begins a request for the size of an object.
func (s *server) scale(w http.ResponseWriter, r *http.Request) (*target, *httpapi.Exchange, error) {
	t, err := s.target(r)
	if err != nil {
		return nil, nil, err
	}
	if _, ok := s.scheme.CanAs(t.kept.GroupVersionKind(), scaleKind); !ok {
		return nil, nil, noSuchResource(t.gr, fmt.Sprintf("%s have no size", t.gr.Resource))
	}
	x, err := s.api.Begin(w, r, httpapi.Endpoint{Kind: scaleKind})
	return t, x, err
}

func (s *server) respondScale(x *httpapi.Exchange, obj runtime.Object) error {
	scale, err := s.scheme.As(obj, scaleKind)
	if err != nil {
		return err
	}
	return x.Respond(http.StatusOK, scale)
}
