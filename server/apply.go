package server

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strings"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/patch/apply"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
)

// applyType is the media type of configurations that are applied. JSON is YAML too.
const applyType = "application/apply-patch+yaml"

// applyCBOR is the media type of configurations in CBOR.
const (
	applyCBOR = "application/apply-patch+cbor"
	cborType  = "application/cbor"
)

// applyPatch answers a PATCH that applies a configuration: it merges the configuration into the
// object, and creates the object if it does not exist.
func (c *call) applyPatch(body []byte, o *metav1.PatchOptions, which part) error {
	if err := c.beginApply(o); err != nil {
		return err
	}
	config, err := c.configuration(body, o.FieldValidation)
	if err != nil {
		return err
	}
	r := c.applyRequest()
	r.Force = deref(o.Force)
	created := false
	e, err := c.change(change{
		part: which, create: which == partObject,
		next: func(_ context.Context, old runtime.Object) (runtime.Object, error) {
			created = old == nil
			return c.applied(old, config, r)
		},
	})
	if created {
		return c.respondEntry(http.StatusCreated, e, err)
	}
	return c.respondEntry(http.StatusOK, e, err)
}

// beginApply takes the options of a request that applies, and reports what they lack.
func (c *call) beginApply(o *metav1.PatchOptions) error {
	c.applying = true
	if err := c.takeOptions(o.DryRun, o.FieldManager); err != nil {
		return err
	}
	if o.FieldManager == "" {
		found := runtime.FieldErrors{runtime.Required(schema.NewPath("fieldManager"),
			"is required for apply patch")}
		return metav1.Invalid(metav1.GroupVersion.WithKind("PatchOptions").GroupKind(), "", found)
	}
	return nil
}

// configuration returns the body of a request as JSON, once it is certain that it is an object of
// the kind and version of the request.
func (c *call) configuration(body []byte, validation string) ([]byte, error) {
	body, obj, err := c.decodeConfiguration(body, c.Kind, validation)
	if err != nil {
		return nil, err
	}
	k, err := c.st.scheme.KindOf(obj)
	if err != nil {
		return nil, err
	}
	if k != c.res.served {
		return nil, metav1.BadRequest("the configuration is a " + k.GroupVersionKind().String() +
			", and the path is that of a " + c.Kind.String())
	}
	stored, err := c.stored(obj)
	if err != nil {
		return nil, err
	}
	_, err = c.identified(stored)
	return body, err
}

// decodeConfiguration decodes the body of a request, which is an object of a kind unless it states
// another one, and returns it as JSON as well. Unknown fields are an error even if the request
// wants to ignore them: the object cannot hold them, so that the manager would own fields without
// values.
func (c *call) decodeConfiguration(body []byte, kind schema.GroupVersionKind, validation string) (json []byte,
	obj runtime.Object, err error,
) {
	json, err = c.transcode(c.r.Header.Get("Content-Type"), body)
	if err != nil {
		return nil, nil, err
	}
	var unknown []runtime.Problem
	obj, err = c.st.factory.Decode(json, serializer.DecodeOptions{
		MediaType: jsonType, DefaultKind: kind, Strictness: max(strictness(validation), serializer.WarnAboutProblems),
		Warn: func(p runtime.Problem) {
			switch {
			case p.Cause == runtime.ErrUnknownField:
				unknown = append(unknown, p)
			case validation != metav1.FieldValidationIgnore:
				c.warnOf(p)
			}
		},
	})
	if err == nil && len(unknown) > 0 {
		err = &runtime.DecodeError{Problems: unknown}
	}
	return json, obj, strictError(err)
}

// transcode makes JSON of a configuration. One that is sent as YAML may be JSON already.
func (c *call) transcode(contentType string, body []byte) ([]byte, error) {
	name, mediaType := "YAML", "application/yaml"
	if base, _, _ := strings.Cut(contentType, ";"); strings.EqualFold(strings.TrimSpace(base), applyCBOR) {
		name, mediaType = "CBOR", cborType
	} else if trimmed := bytes.TrimLeft(body, " \t\r\n"); len(trimmed) > 0 && trimmed[0] == '{' {
		return body, nil
	}
	format, err := c.st.factory.ForContentType(mediaType)
	if err != nil || format.Transcode == nil {
		c.w.Header().Set("Accept-Patch", strings.Join(c.st.patchMediaTypes(c.res), ", "))
		return nil, metav1.UnsupportedMediaType("configurations in " + name + " cannot be read here; send JSON as " +
			applyType)
	}
	return format.Transcode(body, schema.Limits{}.OrDefaults())
}

// applied returns what a configuration makes of an object, in the version in which it is stored.
// The old state is nil if there is none.
func (c *call) applied(old runtime.Object, config []byte, r apply.Request) (runtime.Object, error) {
	var live []byte
	if old != nil {
		shown, err := c.st.scheme.ConvertTo(old, c.res.served.GroupVersion())
		if err != nil {
			return nil, err
		}
		if live, err = c.res.served.AppendJSON(nil, shown); err != nil {
			return nil, err
		}
	}
	text, err := c.res.updater.Apply(live, config, r)
	if err != nil {
		return nil, applyError(err)
	}
	obj, err := c.st.factory.Decode(text, serializer.DecodeOptions{
		MediaType: jsonType, DefaultKind: c.Kind,
		Default: true,
	})
	if err != nil {
		return nil, err
	}
	if old != nil {
		return c.patchedObject(old, obj)
	}
	next, err := c.stored(obj)
	if err != nil {
		return nil, err
	}
	m, err := c.identified(next)
	if err != nil {
		return nil, err
	}
	if m.ResourceVersion != "" {
		return nil, metav1.NotFound(c.res.groupResource(), c.Name)
	}
	if m.UID != "" {
		return nil, modified(c, fmt.Errorf("uid mismatch: the provided object specified uid %s, "+
			"and no existing object was found", m.UID))
	}
	return next, nil
}
