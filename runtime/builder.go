package runtime

import (
	"context"
	"fmt"
	"reflect"
	goruntime "runtime"
	"slices"

	"github.com/askind/askind/conversion"
	"github.com/askind/askind/internal/sorted"
	"github.com/askind/askind/schema"
)

// Builder collects the registrations of API groups. It exists only while [NewScheme] or
// [Scheme.With] runs the functions passed to it, and is used by one goroutine. Its methods report
// no errors: the build reports all conflicts together.
type Builder struct {
	kinds       []kindEntry
	conversions []*conversionEdge
	as          []*asEdge
	defaults    []functionEntry[func(Object) error]
	validations []functionEntry[func(context.Context, Object) FieldErrors]
	preferred   []schema.GroupVersion
	keeping     []uintptr // functions of the conversions that keep metadata
	partials    []claim   // what as-kind functions read of whole objects or converted parts
	views       []viewEntry
	sensitive   []sensitiveField

	requirements []requirement

	edges []asEdge // preallocated for further edges
}

// clone returns a builder that can be added to without changing b.
func (b *Builder) clone() *Builder {
	if b == nil { // that of the zero Scheme
		return new(Builder)
	}
	return &Builder{
		kinds: slices.Clip(b.kinds), conversions: slices.Clip(b.conversions), as: slices.Clip(b.as),
		defaults:    slices.Clip(b.defaults),
		validations: slices.Clip(b.validations), preferred: slices.Clip(b.preferred), keeping: slices.Clip(b.keeping),
		partials: slices.Clip(b.partials), views: slices.Clip(b.views), sensitive: slices.Clip(b.sensitive),
		requirements: slices.Clip(b.requirements),
	}
}

// site is a program counter that identifies a registration: the entry of the registered function
// or, for a nil one, a position in the caller. It is resolved to a file and line only for an error.
type site uintptr

// siteOf returns the site of a function or, if it is nil, the site that called the exported
// function from which siteOf was called.
func siteOf(f any) site {
	if funcID(f) != 0 {
		return site(codeOf(f))
	}
	return callerSite(1)
}

// callerSite returns the site that called the exported function from which callerSite was called,
// through a number of other functions.
func callerSite(through int) site {
	var pcs [1]uintptr
	goruntime.Callers(3+through, pcs[:])
	return site(pcs[0])
}

func (s site) String() string {
	frame, _ := goruntime.CallersFrames([]uintptr{uintptr(s)}).Next()
	if frame.File == "" {
		return "an unknown place"
	}
	return fmt.Sprintf("%s:%d", frame.File, frame.Line)
}

// kindEntry is a spec and where it was added; the site is zero if the spec names its source.
type kindEntry struct {
	Spec
	site site
}

// source returns where the kind was declared or, if unknown, added.
func (e kindEntry) source() string {
	if e.spec == nil || e.spec.Source == "" {
		return e.site.String()
	}
	return e.spec.Source
}

// function is a function from objects of one Go type to objects of another, with the types erased.
// The zero value is no function.
type function struct {
	erasedFunction
	from, to typeID // of pointers to the objects
}

// newFunction takes nil pointers to the types, which keeps the generic functions that call it short
// enough to be inlined.
func newFunction(f erasedFunction, from, to any) function {
	return function{f, typeOf(from), typeOf(to)}
}

// completion is a function registered by [CollectItems] or [FinishItems], with the type erased.
type completion interface {
	of() reflect.Type
	complete(out Object, s *conversion.Scope) error
}

type completing[To any] func(out *To, s *conversion.Scope) error

func (f completing[To]) of() reflect.Type { return reflect.TypeFor[To]() }

func (f completing[To]) complete(out Object, s *conversion.Scope) error { return f(out.(*To), s) }

// conversionEdge is a function from objects of one Go type to objects of another, as registered.
type conversionEdge struct {
	function
	losses []conversion.Loss
	site   site
}

// from returns the struct type of the function's input, and to that of its output.
func (e *conversionEdge) from() reflect.Type { return structOf(e.function.from) }

func (e *conversionEdge) to() reflect.Type { return structOf(e.function.to) }

// code identifies the function; 0 for a nil one.
func (e *conversionEdge) code() uintptr { return e.id() }

// asEdge is a function that shows objects of one Go type as objects of another.
type asEdge struct {
	conversionEdge
	asOptions
}

// functionEntry is a function that is added for all kinds of a Go type.
type functionEntry[F any] struct {
	typ  reflect.Type
	f    F
	code uintptr
	site site
}

// AddKind registers a kind by its spec. Adding a spec again, or an equal one for the same Go type,
// has no effect.
func AddKind[T any](b *Builder, spec *KindSpec[T]) { b.addKind(erase(spec), (*T)(nil)) }

func (b *Builder) addKind(spec *anySpec, pointer any) {
	e := kindEntry{Spec: Spec{spec, typeOf(pointer)}}
	if spec == nil || spec.Source == "" {
		e.site = callerSite(1)
	}
	b.kinds = append(b.kinds, e)
}

// AddConversion registers a function that converts In to Out: an edge of the graph on which
// [Scheme.ConvertTo] plans its routes. The losses are the fields of In that Out cannot express;
// routes with fewer losses are preferred. A field that is set and is declared as a loss, unless
// partial, is reported to the Dropped function of the scope. The function must not write to its
// input, and its output must not share memory with the input unless the scope permits it.
func AddConversion[In, Out any](b *Builder, f func(in *In, out *Out, s *conversion.Scope) error,
	losses ...conversion.Loss,
) {
	b.addConversion(eraseFunction(f), (*In)(nil), (*Out)(nil), losses)
}

func (b *Builder) addConversion(f erasedFunction, from, to any, losses []conversion.Loss) {
	e := &conversionEdge{function: newFunction(f, from, to), losses: losses, site: f.entry()}
	if e.site == 0 {
		e.site = callerSite(1)
	}
	b.conversions = append(b.conversions, e)
}

// AddAs registers a function that shows a From as a To: a typed edge for [Scheme.As]. Lists are
// shown item by item, so no edge between list kinds is needed. The function follows the rules for
// memory of [AddConversion].
func AddAs[From, To any](b *Builder, f func(in *From, out *To, s *conversion.Scope) error, opts ...AsOption) {
	b.addAs(eraseFunction(f), (*From)(nil), (*To)(nil), opts)
}

func (b *Builder) addAs(f erasedFunction, from, to any, opts []AsOption) {
	if len(b.edges) == 0 {
		b.edges = make([]asEdge, 64)
	}
	e := &b.edges[0]
	b.edges = b.edges[1:]
	if e.function, e.site = newFunction(f, from, to), f.entry(); e.site == 0 {
		e.site = callerSite(1)
	}
	for _, o := range opts {
		o.apply(&e.asOptions)
	}
	b.as = append(b.as, e)
}

// AsOption is an option of [AddAs].
type AsOption interface{ apply(*asOptions) }

type asOptions struct {
	collects      bool
	metadataOnly  bool
	begin, finish completion // may be nil
	update        function   // may be none
}

// CollectItems declares that one To shows a whole list, as a Table does: begin, which may be nil,
// prepares an empty To, and the function of the edge is called once for each item, in order, with
// the same To.
func CollectItems[To any](begin func(out *To, s *conversion.Scope) error) AsOption {
	return collecting[To](begin)
}

type collecting[To any] func(out *To, s *conversion.Scope) error

func (f collecting[To]) apply(o *asOptions) {
	if o.collects = true; f != nil {
		o.begin = completing[To](f)
	}
}

// FinishItems declares, together with [CollectItems], a function that completes a To after all
// items have been added, for example by sorting rows. It is also called for a single object, and
// for each item where a list is written item by item. A nil function declares nothing.
func FinishItems[To any](finish func(out *To, s *conversion.Scope) error) AsOption {
	return finishing[To](finish)
}

type finishing[To any] func(out *To, s *conversion.Scope) error

func (f finishing[To]) apply(o *asOptions) {
	if f != nil {
		o.finish = completing[To](f)
	}
}

// UpdateFromView declares the reverse of an as-kind edge: f applies the state of a changed To to an
// object, as a PUT of a Scale changes the scaled object. See [Scheme.UpdateFrom].
func UpdateFromView[To, From any](f func(in *To, out *From, s *conversion.Scope) error) AsOption {
	return updating[To, From](f)
}

type updating[To, From any] func(in *To, out *From, s *conversion.Scope) error

func (f updating[To, From]) apply(o *asOptions) {
	o.update = newFunction(eraseFunction(f), (*To)(nil), (*From)(nil))
}

// AddDefault registers an additional defaulting function for all kinds of a Go type. The functions
// run in the order in which they were added, after the function of the spec.
func AddDefault[T any](b *Builder, f func(*T) error) {
	b.defaults = append(b.defaults, functionEntry[func(Object) error]{
		typ: reflect.TypeFor[T](), code: funcID(f), site: siteOf(f),
		f: func(obj Object) error { return f(obj.(*T)) },
	})
}

// AddValidation registers an additional validation function for all kinds of a Go type.
func AddValidation[T any](b *Builder, f func(context.Context, *T) FieldErrors) {
	b.validations = append(b.validations, functionEntry[func(context.Context, Object) FieldErrors]{
		typ: reflect.TypeFor[T](), code: funcID(f), site: siteOf(f),
		f: func(ctx context.Context, obj Object) FieldErrors { return f(ctx, obj.(*T)) },
	})
}

// Prefer sets the order of preference among the versions of a group: first those named, in this
// order, then the others in the order of [schema.CompareVersions], which is also the default. The
// last call for a group wins.
func (b *Builder) Prefer(versions ...schema.GroupVersion) {
	for _, gv := range versions {
		b.preferred = sorted.Delete(slices.Clone(b.preferred), func(p schema.GroupVersion) bool {
			return p.Group == gv.Group
		})
	}
	b.preferred = append(b.preferred, versions...)
}
