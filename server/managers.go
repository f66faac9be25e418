package server

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/askind/askind/meta"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/patch/apply"
	"github.com/askind/askind/patch/structure"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
)

// ManagedFields selects when objects record which manager has set which field:
// [apply.FromFirstApply], the default, [apply.Always], as servers of Kubernetes do, or
// [apply.Never]. With resources it applies to their objects, whether they are installed yet or not;
// otherwise to those of all other resources.
func ManagedFields(p apply.Policy, resources ...schema.GroupResource) Option {
	return optionFunc(func(c *config) {
		if len(resources) == 0 {
			c.managers = p
		}
		for _, r := range resources {
			c.managersOf[r] = p
		}
	})
}

// policyOf says when the managers of the objects of a resource are kept account of.
func (c *config) policyOf(r schema.GroupResource) apply.Policy {
	if p, ok := c.managersOf[r]; ok {
		return p
	}
	return c.managers
}

// newUpdater returns what keeps account of the managers of the objects of a resource.
func (s *Server) newUpdater(st *state, k *runtime.Kind) *apply.Updater {
	gk := k.GroupVersionKind().GroupKind()
	structures := map[string]func() *structure.Type{}
	for _, gv := range st.scheme.VersionsOf(gk) {
		if version, err := st.scheme.Kind(gv.WithKind(gk.Kind)); err == nil {
			structures[gv.String()] = sync.OnceValue(func() *structure.Type { return structure.Of(version) })
		}
	}
	return apply.New(apply.Options{
		Policy: s.config.policyOf(k.GroupVersionResource().GroupResource()),
		Structure: func(apiVersion string) *structure.Type {
			if of := structures[apiVersion]; of != nil {
				return of()
			}
			return nil
		},
		Convert: func(doc []byte, apiVersion string) ([]byte, error) {
			return st.convertText(doc, apiVersion, k.GroupVersionKind())
		},
		Empty: func(apiVersion string) []byte { return st.emptyText(apiVersion, gk.Kind) },
	})
}

// kindOf returns the kind of a name in an apiVersion.
func (st *state) kindOf(apiVersion, name string) (*runtime.Kind, error) {
	gv, err := schema.ParseGroupVersion(apiVersion)
	if err != nil {
		return nil, err
	}
	return st.scheme.Kind(gv.WithKind(name))
}

// convertText returns an object, given as JSON, in another version. The kind is that of objects
// that do not state it.
func (st *state) convertText(doc []byte, apiVersion string, gvk schema.GroupVersionKind) ([]byte, error) {
	k, err := st.kindOf(apiVersion, gvk.Kind)
	if err != nil || k.GroupVersionKind().GroupKind() != gvk.GroupKind() {
		return nil, errors.Join(apply.ErrNoVersion, err)
	}
	obj, err := st.factory.Decode(doc, serializer.DecodeOptions{MediaType: jsonType, DefaultKind: gvk})
	if err != nil {
		return nil, err
	}
	if obj, err = st.scheme.ConvertSharing(obj, k.GroupVersion()); err != nil {
		return nil, err
	}
	return k.AppendJSON(nil, obj)
}

// emptyText returns an object without content as JSON, or nil.
func (st *state) emptyText(apiVersion, name string) []byte {
	k, err := st.kindOf(apiVersion, name)
	if err != nil {
		return nil
	}
	text, err := k.AppendJSON(nil, k.New())
	if err != nil {
		return nil
	}
	return text
}

// manager returns who writes: what the request names, else the name of the program that sends it.
func (c *call) manager() string {
	switch {
	case c.FieldManager != "":
		return c.FieldManager
	case c.x == nil:
		return programOf(filepath.Base(os.Args[0]))
	}
	return programOf(c.r.UserAgent())
}

// programOf returns the name of a program in the form of a manager: without characters that cannot
// be printed, and cut to 128 bytes.
func programOf(userAgent string) string {
	name, _, _ := strings.Cut(userAgent, "/")
	var out []byte
	for _, r := range name {
		if len(out)+utf8.RuneLen(r) > 128 {
			break
		}
		if strconv.IsPrint(r) {
			out = utf8.AppendRune(out, r)
		}
	}
	return string(out)
}

// applyRequest describes the write to what keeps account of managers.
func (c *call) applyRequest() apply.Request {
	r := apply.Request{
		Manager: c.manager(), APIVersion: c.res.served.APIVersion(), Subresource: c.Subresource, Time: c.s.config.now(),
	}
	switch {
	case c.Subresource == "status":
		r.Reset = []string{"spec", "metadata"}
	case c.res.served.Info().Status:
		r.Reset = []string{"status"}
	}
	return r
}

// account writes into a new state which fields the request has set, if that is kept account of. It
// is not called for patches that apply, which know more.
func (c *call) account(o objects) error {
	if c.applying || c.User == collectorUser || c.res.updater == nil || !c.accounts(o.old) {
		return nil
	}
	m := c.metadataOf(o.new)
	if m.ManagedFields != nil && len(m.ManagedFields) == 0 {
		m.ManagedFields = make([]metav1.ManagedFieldsEntry, 1) // as an empty list, which JSON omits
	}
	shown, err := o.as(c.st.scheme, c.res.served)
	if err != nil {
		return err
	}
	var live []byte
	if shown.old != nil {
		if live, err = c.res.served.AppendJSON(nil, shown.old); err != nil {
			return err
		}
	}
	next, err := c.res.served.AppendJSON(nil, shown.new)
	if err != nil {
		return err
	}
	text, err := c.res.updater.Update(live, next, c.applyRequest())
	if err != nil {
		return err
	}
	obj, err := c.st.factory.Decode(text, serializer.DecodeOptions{MediaType: jsonType, DefaultKind: c.Kind})
	if err != nil {
		return err
	}
	accounted, err := meta.Accessor(c.res.served, obj)
	if err != nil {
		return err
	}
	m.ManagedFields = accounted.ManagedFields
	return nil
}

// accounts reports whether the managers of an object are kept account of.
func (c *call) accounts(old runtime.Object) bool {
	switch c.s.config.policyOf(c.res.groupResource()) {
	case apply.Always:
		return true
	case apply.Never:
		return false
	}
	return old != nil && len(c.metadataOf(old).ManagedFields) > 0
}

// applyError describes why a configuration is not applied.
func applyError(err error) error {
	if e, ok := errors.AsType[*apply.ConflictError](err); ok {
		return e.Status()
	}
	e, ok := errors.AsType[*apply.Error](err)
	if !ok {
		return err
	}
	reason := metav1.StatusReasonBadRequest
	switch e.Code() {
	case http.StatusRequestEntityTooLarge:
		reason = metav1.StatusReasonRequestEntityTooLarge
	case http.StatusUnprocessableEntity:
		reason = metav1.StatusReasonInvalid
	case http.StatusInternalServerError:
		return err
	}
	out := metav1.Failure(reason, e.Error())
	out.Err = err
	return out
}

// patchMediaTypes returns the media types of patches of a resource, in the order of Kubernetes.
func (st *state) patchMediaTypes(r *resource) []string {
	out := []string{"application/json-patch+json", "application/merge-patch+json"}
	if r.structure != nil {
		out = append(out, "application/strategic-merge-patch+json")
	}
	out = append(out, applyType)
	if f, err := st.factory.ForContentType(cborType); err == nil && f.Transcode != nil {
		out = append(out, applyCBOR)
	}
	return out
}
