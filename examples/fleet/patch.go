package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"

	"github.com/askind/askind/httpapi"
	"github.com/askind/askind/meta"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
)

// mergePatchType is the only form of patches here. It needs no library: what is in the patch takes the place of what is in the object, member by member, and null
// removes (RFC 7396).
const mergePatchType = "application/merge-patch+json"

// patch changes an object by a merge patch, in the version of the path.
func (s *server) patch(w http.ResponseWriter, r *http.Request) error {
	t, err := s.target(r)
	if err != nil {
		return err
	}
	x, err := s.api.Begin(w, r, t.endpoint())
	if err != nil {
		return err
	}
	o, err := httpapi.Options[metav1.PatchOptions](x)
	if err != nil {
		return err
	}
	contentType := r.Header.Get("Content-Type")
	if name, _, err := mime.ParseMediaType(contentType); err != nil || name != mergePatchType {
		w.Header().Set("Accept-Patch", mergePatchType)
		return &serializer.UnsupportedMediaTypeError{ContentType: contentType, Reason: "patches have another form", MediaTypes: []string{mergePatchType}}
	}
	body, err := x.Body()
	if err != nil {
		return err
	}
	changes, err := untyped(body)
	if err != nil {
		return metav1.BadRequest("the patch is not JSON: " + err.Error())
	}
	stored, err := s.store.update(r.Context(), t.kept, t.namespace, t.name, dryRun(o.DryRun), func(current runtime.Object) (runtime.Object, error) {
		obj, m, err := s.patched(t, current, changes)
		if err != nil {
			return nil, err
		}
		if m.Name != t.name || m.Namespace != t.namespace {
			return nil, metav1.BadRequest(fmt.Sprintf("metadata: the patch makes the object %s/%s, and the path says %s/%s", m.Namespace, m.Name, t.namespace, t.name))
		}
		return obj, s.meant(x, t, m, current)
	})
	if err != nil {
		return s.refused(t, t.name, err)
	}
	return x.Respond(http.StatusOK, stored)
}

// patched returns what a patch makes of an object, in the version of the path. A field that the kind does not have is a mistake in the patch.
func (s *server) patched(t *target, current runtime.Object, changes any) (runtime.Object, *metav1.ObjectMeta, error) {
	before, err := s.scheme.ConvertTo(current, t.asked.GroupVersion())
	if err != nil {
		return nil, nil, err
	}
	text, err := s.api.Factory().Append(nil, before, serializer.EncodeOptions{MediaType: "application/json"})
	if err != nil {
		return nil, nil, err
	}
	value, err := untyped(text)
	if err != nil {
		return nil, nil, err
	}
	if text, err = json.Marshal(merged(value, changes)); err != nil {
		return nil, nil, err
	}
	options := serializer.DecodeOptions{MediaType: "application/json", File: "the patched object", Strictness: serializer.Fail, Default: true}
	obj, err := s.api.Factory().Decode(text, options)
	if err != nil {
		return nil, nil, err
	}
	if err := t.asked.Check(obj); err != nil {
		return nil, nil, metav1.BadRequest("a patch cannot change the kind: " + err.Error())
	}
	m, err := meta.Accessor(t.asked, obj)
	return obj, m, err
}

// untyped decodes one JSON value, with numbers as they are written.
func untyped(text []byte) (value any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err = d.Decode(&value); err == nil && d.InputOffset() < int64(len(bytes.TrimSpace(text))) {
		err = fmt.Errorf("there is more behind the value, at byte %d", d.InputOffset())
	}
	return value, err
}

// merged returns what a merge patch makes of a value, which it changes. The patch stays as it is.
func merged(value, patch any) any {
	changes, ok := patch.(map[string]any)
	if !ok {
		return patch
	}
	fields, ok := value.(map[string]any)
	if !ok {
		fields = map[string]any{}
	}
	for name, change := range changes {
		if change == nil {
			delete(fields, name)
		} else {
			fields[name] = merged(fields[name], change)
		}
	}
	return fields
}
