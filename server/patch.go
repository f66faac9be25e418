package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/askind/askind/httpapi"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/patch"
	"github.com/askind/askind/patch/structure"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/store"
)

const jsonType = "application/json"

// patch answers a PATCH of an object, or of a part of it.
func (c *call) patch(which part) error {
	if err := c.begin(c.Kind); err != nil {
		return err
	}
	o, body, err := c.readPatch()
	if err != nil {
		return err
	}
	if c.applies() {
		return c.applyPatch(body, o, which)
	}
	p, err := c.parsePatch(c.r.Header.Get("Content-Type"), body, c.res.structure, o.FieldValidation)
	if err != nil {
		return err
	}
	e, err := c.patchObject(p, o, which)
	return c.respondEntry(http.StatusOK, e, err)
}

// readPatch reads the options and the patch of a request.
func (c *call) readPatch() (*metav1.PatchOptions, []byte, error) {
	o, err := httpapi.ReadOptions[metav1.PatchOptions](c.x)
	if err != nil {
		return nil, nil, err
	}
	body, err := c.x.Body()
	return o, body, err
}

// applies reports whether the request is an apply patch.
func (c *call) applies() bool {
	t, ok := patch.TypeOf(c.r.Header.Get("Content-Type"))
	return ok && t == patch.Apply
}

// parsePatch reads a patch of a media type, for objects of a structure. Members that occur twice in
// it are an error, a warning, or ignored, as fieldValidation says.
func (c *call) parsePatch(mediaType string, data []byte, t *structure.Type, validation string) (*patch.Patch, error) {
	format, ok := patch.TypeOf(mediaType)
	if !ok || format == patch.Apply || format == patch.Strategic && t == nil {
		return nil, c.unsupportedPatch(mediaType)
	}
	p, err := patch.Parse(format, data, patch.Options{Structure: t})
	if err != nil {
		return nil, patchError(err)
	}
	how := strictness(validation)
	if how == serializer.IgnoreProblems {
		return p, nil
	}
	c.repeated = nil
	for _, e := range patch.Duplicates(format, data, patch.Limits{}) {
		c.repeated = append(c.repeated, runtime.Problem{
			Position: e.Position, Path: e.Path, Cause: runtime.ErrDuplicateField, Message: e.Message,
		})
	}
	if how == serializer.FailOnProblems && c.repeated != nil {
		return nil, strictError(&runtime.DecodeError{Problems: c.repeated})
	}
	return p, nil
}

// unsupportedPatch refuses a patch of a media type that the resource does not have, and lists those
// that it has.
func (c *call) unsupportedPatch(mediaType string) error {
	supported := c.st.patchMediaTypes(c.res)
	c.w.Header().Set("Accept-Patch", strings.Join(supported, ", "))
	return &serializer.UnsupportedMediaTypeError{
		ContentType: mediaType, Reason: "unsupported patch media type", MediaTypes: supported,
	}
}

// patchError describes what is wrong with a patch, with the code that clients of the Kubernetes API
// know.
func patchError(err error) error {
	e, ok := errors.AsType[*patch.Error](err)
	if !ok {
		return err
	}
	reason := metav1.StatusReasonInvalid
	switch e.Code() {
	case http.StatusBadRequest:
		reason = metav1.StatusReasonBadRequest
	case http.StatusRequestEntityTooLarge:
		reason = metav1.StatusReasonRequestEntityTooLarge
	case http.StatusUnsupportedMediaType:
		reason = metav1.StatusReasonUnsupportedMediaType
	}
	out := metav1.Failure(reason, e.Error())
	out.Err = err
	return out
}

// patchObject applies a patch to an object, in the version that the client speaks, so that the
// paths in the patch are those that the client knows.
func (c *call) patchObject(p *patch.Patch, o *metav1.PatchOptions, which part) (*store.Entry, error) {
	if err := c.takeOptions(o.DryRun, o.FieldManager); err != nil {
		return nil, err
	}
	if o.Force != nil {
		found := runtime.FieldErrors{runtime.Forbidden(schema.NewPath("force"), "only apply patches take it")}
		return nil, metav1.Invalid(metav1.GroupVersion.WithKind("PatchOptions").GroupKind(), "", found)
	}
	return c.change(change{part: which, next: func(_ context.Context, old runtime.Object) (runtime.Object, error) {
		shown, err := c.st.scheme.ConvertTo(old, c.res.served.GroupVersion())
		if err != nil {
			return nil, err
		}
		changed, err := c.patched(p, c.res.served, shown, o.FieldValidation)
		if err != nil {
			return nil, err
		}
		return c.patchedObject(old, changed)
	}})
}

// patchedObject returns a patched object in the version in which it is stored, once it is certain
// that it is still the same object.
func (c *call) patchedObject(old, changed runtime.Object) (runtime.Object, error) {
	next, err := c.stored(changed)
	if err != nil {
		return nil, err
	}
	m, err := c.identified(next)
	if err != nil {
		return nil, err
	}
	before := c.metadataOf(old)
	// A patch that states a version is meant for that one, as a test operation would say.
	if m.ResourceVersion != "" && m.ResourceVersion != before.ResourceVersion {
		return nil, modified(c, &metav1.PreconditionError{
			Field: "resourceVersion", Want: m.ResourceVersion,
			Got: before.ResourceVersion,
		})
	}
	if m.UID != "" && m.UID != before.UID {
		return nil, modified(c, &metav1.PreconditionError{Field: "uid", Want: m.UID, Got: before.UID})
	}
	return next, nil
}

// modified says that a write was meant for another state of the object.
func modified(c *call, cause error) error {
	return metav1.Conflict(c.res.groupResource(), c.Name, cause)
}

// patched applies a patch to an object of a kind. Fields that the kind does not have are an error,
// a warning, or ignored, as fieldValidation says. As in Kubernetes, a patch that sets another
// apiVersion makes an object of that version. Then unknown fields are an error unless they are
// ignored: they may be stored ones that the patch does not name, and would be lost.
func (c *call) patched(p *patch.Patch, k *runtime.Kind, obj runtime.Object, validation string) (runtime.Object, error) {
	text, err := k.AppendJSON(nil, obj)
	if err != nil {
		return nil, err
	}
	if text, err = p.Append(nil, text); err != nil {
		return nil, patchError(c.withoutTested(k, err))
	}
	var unknown []runtime.Problem
	o := serializer.DecodeOptions{
		MediaType: jsonType, DefaultKind: k.GroupVersionKind(), Default: true,
		Strictness: strictness(validation),
		Warn: func(p runtime.Problem) {
			p.Position = schema.Position{}
			if c.Subresource != "status" || strings.HasPrefix(p.Path, "status") { // the rest stays as it is stored
				unknown = append(unknown, p)
			}
			c.warnOf(p)
		},
	}
	c.takeWarnings() // of an attempt before
	if c.res.warning != "" {
		c.Warn(c.res.warning)
	}
	for _, problem := range c.repeated {
		c.warnOf(problem)
	}
	changed, err := c.st.factory.Decode(text, o)
	if err != nil {
		if e, ok := errors.AsType[*runtime.DecodeError](err); ok {
			for i := range e.Problems { // places in a text that the client has not seen
				e.Problems[i].Position = schema.Position{}
			}
		}
		return nil, c.invalidPatch(k, strictError(err))
	}
	got, err := c.st.scheme.KindOf(changed)
	if err != nil {
		return nil, err
	}
	switch gvk := got.GroupVersionKind(); {
	case gvk.GroupKind() != k.GroupVersionKind().GroupKind():
		return nil, metav1.BadRequest(fmt.Sprintf("a patch cannot change the kind, and this one makes the object a %s", gvk))
	case got != k && unknown != nil:
		return nil, c.invalidPatch(got, strictError(&runtime.DecodeError{Problems: unknown}))
	}
	return changed, nil
}

// invalidPatch returns the error for what a patch made of an object of a kind if it cannot be
// decoded. As in Kubernetes it is invalid, so that kubectl edit opens the editor again.
func (c *call) invalidPatch(k *runtime.Kind, err error) error {
	found := httpapi.StatusOf(err)
	if found.Reason != metav1.StatusReasonBadRequest {
		return err
	}
	out := metav1.Invalid(k.GroupVersionKind().GroupKind(), c.Name, nil)
	out.Err = err
	out.Status.Message += ": " + found.Message
	if found.Details != nil {
		causes := found.Details.Causes
		for i := range causes {
			causes[i].Field = cmp.Or(causes[i].Field, "patch") // kubectl shows it before the message
		}
		out.Status.Details.Causes = causes
	}
	return out
}

// unescapePointer restores a step of a JSON pointer (RFC 6901, section 3).
var unescapePointer = strings.NewReplacer("~1", "/", "~0", "~")

// withoutTested removes the values from the error of a failed test of a sensitive field.
func (c *call) withoutTested(k *runtime.Kind, err error) error {
	e, ok := errors.AsType[*patch.Error](err)
	if !ok || !errors.Is(err, patch.ErrTest) {
		return err
	}
	var path *schema.Path
	for _, step := range strings.Split(e.Path, "/")[1:] {
		path = path.Child(unescapePointer.Replace(step))
	}
	if c.st.scheme.IsSensitive(k, path) {
		e.Message = "the value differs, and is not shown because it is sensitive"
	}
	return err
}

// strictness is what becomes of unknown and duplicate fields.
func strictness(validation string) serializer.Strictness {
	switch validation {
	case metav1.FieldValidationIgnore:
		return serializer.IgnoreProblems
	case metav1.FieldValidationStrict:
		return serializer.FailOnProblems
	}
	return serializer.WarnAboutProblems
}
