package httpapi

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/askind/askind/internal/sorted"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/query"
)

// Parameters of the query that are not fields of options.
const (
	acceptParameter = "accept"
	prettyParameter = "pretty"
	exportParameter = "export"
	kindParameter   = "kind"
)

// options holds the options in the query of a request.
type options struct {
	kind  *runtime.Kind  // of the options of the verb; nil if the scheme has none
	main  runtime.Object // the options in their latest version; nil if there are none
	table *metav1.TableOptions
}

var (
	tableOptions  = metav1.GroupVersion.WithKind("TableOptions")
	deleteOptions = metav1.GroupVersion.WithKind("DeleteOptions")
)

// ReadOptions returns the options in the query of a request as a T of any registered version, for
// example as [metav1.ListOptions].
//
// The parameters kind and apiVersion, also spelled queryVersion, identify the type of the others.
// Without them it is the kind declared by the endpoint, or that of the verb, in version v1 of
// meta.k8s.io. Options of additional kinds, such as [metav1.TableOptions] on a list, are read from
// the same query. Options are defaulted in the version that the query states and validated as a T.
// A DELETE request may have its [metav1.DeleteOptions] in the body, which then takes precedence.
func ReadOptions[T any](x *Exchange) (*T, error) {
	k, err := runtime.KindFor[T](x.api.factory.Scheme())
	if err != nil {
		return nil, err
	}
	obj, err := x.optionsOf(k)
	if err != nil {
		return nil, err
	}
	if t, ok := obj.(*T); ok {
		return t, nil
	}
	return runtime.ConvertTo[T](x.api.factory.Scheme(), obj)
}

// optionsOf returns options of a kind, in any version of it.
func (x *Exchange) optionsOf(k *runtime.Kind) (runtime.Object, error) {
	main := x.options.kind
	switch gk := k.GroupVersionKind().GroupKind(); {
	case gk == deleteOptions.GroupKind() && x.r.Method == http.MethodDelete && x.hasBody():
		return x.deleteOptionsInBody()
	case main == nil || main.GroupVersionKind().GroupKind() != gk:
		return x.decode(k.GroupVersionKind(), true)
	case x.options.main == nil:
		return x.decode(main.GroupVersionKind(), true)
	}
	return x.options.main, nil
}

// deleteOptionsInBody reads the body of a DELETE request.
func (x *Exchange) deleteOptionsInBody() (runtime.Object, error) {
	obj, err := x.ReadBody(serializer.DecodeOptions{DefaultKind: deleteOptions, Default: true})
	if err != nil {
		return nil, err
	}
	k, err := x.api.factory.Scheme().KindOf(obj)
	switch {
	case err != nil:
		return nil, err
	case k.GroupVersionKind().GroupKind() != deleteOptions.GroupKind():
		return nil, metav1.BadRequest(fmt.Sprintf("the body of a DELETE request must be DeleteOptions, not a %s", k))
	}
	if err := k.Validate(x.r.Context(), obj).Err(); err != nil {
		return nil, x.refused(obj, err)
	}
	return obj, nil
}

// readQuery reads the query of the request.
func (x *Exchange) readQuery() error {
	x.verb = x.verbOf(x.r.Method)
	x.options.kind = x.endpoint.optionsKind(x.verb)
	if x.r.URL.RawQuery == "" {
		return nil
	}
	var err error
	if x.values, err = url.ParseQuery(x.r.URL.RawQuery); err != nil {
		return metav1.BadRequest("invalid query: " + err.Error())
	}
	if x.pretty, err = x.boolean(prettyParameter, x.pretty); err != nil {
		return err
	}
	if x.export, err = x.boolean(exportParameter, false); err != nil {
		return err
	}
	return x.readOptions()
}

// boolean reads a parameter that is true if it has no value.
func (x *Exchange) boolean(name string, without bool) (bool, error) {
	v, ok := x.values[name]
	if !ok {
		return without, nil
	}
	if v[0] == "" {
		return true, nil
	}
	b, err := strconv.ParseBool(v[0])
	if err != nil {
		return false, metav1.BadRequest(fmt.Sprintf("%s: %s must be true or false", name, schema.Quote(v[0])))
	}
	return b, nil
}

// readOptions reads the options of the verb, and those of tables.
func (x *Exchange) readOptions() error {
	_, tables := x.api.factory.Scheme().Lookup(tableOptions)
	if x.options.kind != nil {
		main := x.options.kind.GroupVersionKind()
		// The query may state another kind of options than that of the verb. Then the options of
		// the verb must be of a known version, and the others are read in the same version if it
		// exists.
		stated := x.values.Get(kindParameter)
		i := slices.IndexFunc(x.otherOptions(), func(k schema.GroupVersionKind) bool { return k.Kind == stated })
		secondary := stated != "" && stated != main.Kind && i >= 0
		if secondary {
			if _, err := x.decode(x.otherOptions()[i], false); err != nil {
				return err
			}
		}
		var err error
		if x.options.main, err = x.decode(main, secondary); err != nil {
			return err
		}
		if o, ok := x.options.main.(*metav1.ListOptions); ok && o.Watch && x.verb == verbList {
			x.verb = verbWatch
		}
	}
	if !tables {
		return nil
	}
	obj, err := x.decode(tableOptions, true)
	x.options.table, _ = obj.(*metav1.TableOptions)
	return err
}

// otherOptions returns the kinds of options that the query may state in addition to those of the
// verb.
func (x *Exchange) otherOptions() []schema.GroupVersionKind {
	out := []schema.GroupVersionKind{tableOptions}
	if x.verb == verbDeleteCollection {
		out = append(out, deleteOptions)
	}
	return sorted.Delete(out, func(k schema.GroupVersionKind) bool {
		_, ok := x.api.factory.Scheme().Lookup(k)
		return !ok
	})
}

// decode reads options of a kind from the query, in the given version. Secondary options are those
// whose kind the query does not state.
func (x *Exchange) decode(gvk schema.GroupVersionKind, secondary bool) (runtime.Object, error) {
	o := query.DecodeOptions{Kind: gvk, Secondary: secondary, Version: gvk.GroupVersion(), Default: true}
	if !secondary {
		for _, other := range x.otherOptions() {
			o.Also = append(o.Also, other.Kind)
		}
		o.Strict = x.api.settings.StrictQuery
		o.Known = append(slices.Clone(x.api.settings.Parameters), acceptParameter, prettyParameter, exportParameter)
		o.KnownTo = x.otherOptions()
		if main := x.options.kind.GroupVersionKind(); main != gvk {
			o.KnownTo = append(o.KnownTo, main)
		}
	}
	obj, err := x.api.codec.Decode(x.values, o)
	if err != nil {
		return nil, err
	}
	k, err := x.api.factory.Scheme().KindOf(obj)
	if err != nil {
		return nil, err
	}
	if found := k.Validate(x.r.Context(), obj); len(found) > 0 {
		if k.GroupVersionKind().GroupKind() == tableOptions.GroupKind() { // as servers of the Kubernetes API do
			return nil, badOptions(found)
		}
		return nil, metav1.Invalid(k.GroupVersionKind().GroupKind(), "", found)
	}
	return obj, nil
}

// badOptions returns the error for invalid table options.
func badOptions(found runtime.FieldErrors) error {
	e := metav1.Invalid(tableOptions.GroupKind(), "", found)
	e.Status.Reason, e.Status.Code = metav1.StatusReasonBadRequest, metav1.StatusReasonBadRequest.Code()
	return e
}
