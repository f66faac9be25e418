package query

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire/jsonwire"
)

// The parameters that determine the meaning of the others.
const (
	kindParameter         = "kind"
	versionParameter      = "apiVersion"
	queryVersionParameter = "queryVersion"
)

// DecodeOptions control how a query is decoded.
type DecodeOptions struct {
	_ struct{} // literals name their fields

	// Kind is the default kind of the query, see [KindOf]. The query may name another version of
	// it, or one of the kinds named in Also.
	Kind schema.GroupVersionKind
	// Also are the names of other kinds that the query may name.
	Also []string
	// Secondary reads a query whose kind and apiVersion refer to other options, such as the options
	// of a table in the query of a list: the kind parameter is ignored, and a version that lacks
	// Kind means the version of Kind.
	Secondary bool
	// Version is the group version to convert to; empty means that of the query.
	Version schema.GroupVersion
	// Default sets the defaults of the version of the query.
	Default bool
	// Strict makes unknown parameters an error.
	Strict bool
	// Known are parameters that strict decoding ignores because other code reads them, and KnownTo
	// are kinds whose parameters it ignores: those of other options in the same query.
	Known   []string
	KnownTo []schema.GroupVersionKind
}

// Decode reads a query as a T, converting it if the query states another version.
func Decode[T any](c *Codec, values map[string][]string, o DecodeOptions) (*T, error) {
	k, err := runtime.KindFor[T](c.scheme)
	if err != nil {
		return nil, err
	}
	o.Version = k.GroupVersion()
	obj, err := c.Decode(values, o)
	if err != nil {
		return nil, err
	}
	t, ok := obj.(*T)
	if !ok {
		return nil, fmt.Errorf("query: %T is not a %T", obj, t)
	}
	return t, nil
}

// maxParameters bounds the names in a query. Comparing each of them with the fields of a kind takes
// microseconds.
const maxParameters = 10_000

// Decode decodes a query, such as url.Values, of at most 10,000 different parameters. The error is
// a [*runtime.DecodeError] with the parameter in each Path, which lists all problems up to the
// default of [schema.Limits].Problems.
func (c *Codec) Decode(values map[string][]string, o DecodeOptions) (runtime.Object, error) {
	if len(values) > maxParameters {
		return nil, failed(runtime.Problem{
			Cause:   runtime.ErrLimit,
			Message: fmt.Sprintf("the query has %d parameters, more than %d", len(values), maxParameters),
		})
	}
	k, err := c.kind(values, &o)
	if err != nil {
		return nil, err
	}
	doc, problems := c.document(k, values, &o)
	if len(problems) < maxProblems {
		obj, more, err := decodeDocument(k, doc)
		if err != nil {
			return nil, err
		}
		if problems = append(problems, more...); len(problems) == 0 {
			return c.finish(k, obj, &o)
		}
	}
	return nil, &runtime.DecodeError{Problems: problems}
}

// maxProblems bounds the problems of parameters. The last one states how many parameters remain.
var maxProblems = schema.Limits{}.OrDefaults().Problems

// document returns a JSON document of the parameters that are fields of the kind, and the problems
// of the others.
func (c *Codec) document(k *runtime.Kind, values map[string][]string, o *DecodeOptions) ([]byte, []runtime.Problem) {
	names := make([]string, 0, len(values))
	for name, v := range values {
		if len(v) > 0 && !isType(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var w writer
	var problems []runtime.Problem
	for i, name := range names {
		if len(problems) == maxProblems-1 {
			return nil, append(problems, runtime.Problem{
				Cause:   runtime.ErrLimit,
				Message: fmt.Sprintf("too many problems; %d more parameters were not checked", len(names)-i),
			})
		}
		p := c.place(k, name)
		switch p.typ {
		case unknown:
			if o.Strict && !slices.Contains(o.Known, name) && !c.knownTo(o.KnownTo, name) {
				problems = append(problems, c.unknown(k, o, name))
			}
		case compound:
			problems = append(problems, wrongType(name, name+" cannot be given in a query"))
		default:
			if message := w.member(p, name, values[name]); message != "" {
				problems = append(problems, wrongType(name, message))
			}
		}
	}
	return w.document(), problems
}

func wrongType(name, message string) runtime.Problem {
	return runtime.Problem{Path: name, Cause: runtime.ErrWrongType, Message: message}
}

// decodeDocument decodes a document of parameters. The problems have the parameters as paths.
func decodeDocument(k *runtime.Kind, doc []byte) (runtime.Object, []runtime.Problem, error) {
	r := jsonwire.NewReader(doc, jsonwire.Options{})
	obj := k.New()
	if err := k.DecodeJSON(r, obj); err != nil {
		return nil, nil, err
	}
	var problems []runtime.Problem
	for _, p := range r.Problems() {
		problems = append(problems, runtime.Problem{
			Path: parameterOf(jsonwire.PathAt(doc, p.Offset)), Cause: runtime.ErrInvalidValue,
			Message: p.Message, Err: p.Err,
		})
	}
	return obj, problems, nil
}

// finish defaults and converts an object according to the options.
func (c *Codec) finish(k *runtime.Kind, obj runtime.Object, o *DecodeOptions) (runtime.Object, error) {
	if o.Default {
		if err := k.Default(obj); err != nil {
			return nil, failed(runtime.Problem{Cause: runtime.ErrInvalidValue, Message: err.Error(), Err: err})
		}
	}
	if o.Version.Empty() || o.Version == k.GroupVersion() {
		return obj, nil
	}
	return c.scheme.ConvertSharing(obj, o.Version)
}

func isType(name string) bool {
	return name == kindParameter || name == versionParameter || name == queryVersionParameter
}

// kind determines the kind of the query.
func (c *Codec) kind(values map[string][]string, o *DecodeOptions) (*runtime.Kind, error) {
	gvk := o.Kind
	if name := first(values, kindParameter); name != "" && !o.Secondary && name != gvk.Kind {
		if !slices.Contains(o.Also, name) {
			names := append([]string{o.Kind.Kind}, o.Also...)
			p := runtime.Problem{
				Path: kindParameter, Cause: runtime.ErrUnknownKind,
				Message: fmt.Sprintf("%s is not supported here, only %s", schema.Quote(name), strings.Join(names, ", ")),
			}
			p.Nearest, _ = schema.Nearest(name, names)
			return nil, failed(p)
		}
		gvk.Kind = name
	}
	version, parameter := first(values, versionParameter), versionParameter
	switch other := first(values, queryVersionParameter); {
	case version == "":
		version, parameter = other, queryVersionParameter
	case other != "" && other != version:
		return nil, failed(runtime.Problem{
			Path: queryVersionParameter, Cause: runtime.ErrInvalidValue,
			Message: fmt.Sprintf("%s contradicts apiVersion %s", schema.Quote(other), schema.Quote(version)),
		})
	}
	if version == "" {
		return c.scheme.Kind(gvk)
	}
	gv, err := schema.ParseGroupVersion(version)
	if err != nil {
		return nil, failed(runtime.Problem{
			Path: parameter, Cause: runtime.ErrInvalidValue,
			Message: err.Error(), Err: err,
		})
	}
	// A shared kind is found under the versions of all other groups, but its meaning in another
	// version of its own group is unknown.
	if k, ok := c.scheme.Lookup(gv.WithKind(gvk.Kind)); ok &&
		(k.GroupVersion() == gv || k.GroupVersion().Group != gv.Group) {
		return k, nil
	}
	if o.Secondary {
		return c.scheme.Kind(gvk)
	}
	versions := c.scheme.VersionsOf(gvk.GroupKind())
	names := make([]string, len(versions))
	for i, known := range versions {
		names[i] = known.String()
	}
	return nil, failed(runtime.Problem{
		Path: parameter, Cause: runtime.ErrUnknownKind,
		Message: fmt.Sprintf("%s does not exist in %s, only in %s", gvk.Kind, schema.Quote(version), strings.Join(names, ", ")),
	})
}

// knownTo reports whether one of the kinds has a parameter.
func (c *Codec) knownTo(kinds []schema.GroupVersionKind, name string) bool {
	for _, gvk := range kinds {
		if k, ok := c.scheme.Lookup(gvk); ok && c.place(k, name).typ != unknown {
			return true
		}
	}
	return false
}

// maxName bounds the length of an unknown parameter's name that is shown and compared.
const maxName = 256

// unknown returns the problem of an unknown parameter, with the nearest name among all known
// parameters.
func (c *Codec) unknown(k *runtime.Kind, o *DecodeOptions, name string) runtime.Problem {
	name = schema.Shorten(name, maxName)
	p := runtime.Problem{Path: name, Cause: runtime.ErrUnknownField, Message: fmt.Sprintf("unknown parameter %s of %s",
		schema.Quote(name), k.Name())}
	p.Nearest = nearestField(k, name)
	for _, gvk := range o.KnownTo {
		if other, ok := c.scheme.Lookup(gvk); ok && p.Nearest == "" {
			p.Nearest = nearestField(other, name)
		}
	}
	if p.Nearest == "" {
		p.Nearest, _ = schema.Nearest(name, o.Known)
	}
	return p
}

// nearestField returns the field of a kind with the nearest name, or blank. Generated decoders know
// the names of fields.
func nearestField(k *runtime.Kind, name string) string {
	doc := append(jsonwire.AppendString([]byte{'{'}, name), ":1}"...)
	r := jsonwire.NewReader(doc, jsonwire.Options{Strict: true})
	if err := k.DecodeJSON(r, k.New()); err != nil {
		return ""
	}
	nearest := ""
	for _, found := range r.Problems() {
		if found.Nearest != "" {
			nearest = found.Nearest
		}
	}
	return nearest
}

// writer makes a JSON document of parameters.
type writer struct {
	top    []byte
	nested []nested
}

type nested struct {
	name    string
	members []byte
}

// member writes a parameter, or returns its problem.
func (w *writer) member(p place, name string, values []string) string {
	dst := &w.top
	if p.parent != "" {
		if values[0] == "" {
			return ""
		}
		i := slices.IndexFunc(w.nested, func(n nested) bool { return n.name == p.parent })
		if i < 0 {
			i = len(w.nested)
			w.nested = append(w.nested, nested{name: p.parent})
		}
		dst = &w.nested[i].members
	}
	out := append(jsonwire.AppendString(append(*dst, ','), name), ':')
	switch p.typ {
	case texts, numbers, integers:
		out = append(out, '[')
		for i, v := range values {
			out = jsonwire.AppendComma(out, i)
			message := ""
			if out, message = appendValue(out, p.typ, v); message != "" {
				return message
			}
		}
		out = append(out, ']')
	default:
		message := ""
		if out, message = appendValue(out, p.typ, values[0]); message != "" {
			return message
		}
	}
	*dst = out
	return ""
}

// ParseBool returns the value of a boolean parameter as servers of the Kubernetes API read it: "0"
// and "false" in any case are false, everything else is true, the blank value included.
func ParseBool(value string) bool { return value != "0" && !strings.EqualFold(value, "false") }

// appendValue writes one value of a parameter.
func appendValue(dst []byte, t valueType, v string) ([]byte, string) {
	switch t {
	case boolean:
		return strconv.AppendBool(dst, ParseBool(v)), ""
	case number, numbers, integer, integers, scalar:
		if n, err := strconv.ParseInt(v, 10, 64); err == nil {
			return strconv.AppendInt(dst, n, 10), ""
		}
		if n, err := strconv.ParseUint(v, 10, 64); err == nil {
			return strconv.AppendUint(dst, n, 10), ""
		}
		if t == scalar {
			return jsonwire.AppendString(dst, v), ""
		}
		if f, err := strconv.ParseFloat(v, 64); err == nil && !strings.ContainsAny(v, "xX_") {
			if (t == integer || t == integers) && strings.ContainsAny(v, ".eE") {
				return dst, schema.Quote(v) + " is not an integer"
			}
			if out, err := jsonwire.AppendFloat64(dst, f); err == nil {
				return out, ""
			}
		}
		return dst, schema.Quote(v) + " is not a number"
	}
	return jsonwire.AppendString(dst, v), ""
}

func (w *writer) document() []byte {
	for _, n := range w.nested {
		w.top = append(jsonwire.AppendString(append(w.top, ','), n.name), ':')
		w.top = append(w.top, jsonwire.CloseObject(slices.Clone(n.members), 0)...)
	}
	return jsonwire.CloseObject(w.top, 0)
}

// parameterOf returns the parameter for a path of the document: its last name.
func parameterOf(p *schema.Path) string {
	name := ""
	for _, s := range p.Steps() {
		if s.Kind == schema.StepField {
			name = s.Name
		}
	}
	return name
}

// first returns the first value of a parameter.
func first(values map[string][]string, name string) string {
	if v := values[name]; len(v) > 0 {
		return v[0]
	}
	return ""
}

func failed(p runtime.Problem) error { return &runtime.DecodeError{Problems: []runtime.Problem{p}} }
