package runtime

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/askind/askind/conversion"
	"github.com/askind/askind/internal/sorted"
	"github.com/askind/askind/wire/jsonwire"
)

// Claims about what functions read cannot be proved at run time. Every build checks what is visible
// without calling functions: that a claim is complete, that it does not contradict another one, and
// that its conversion is declared to keep metadata; otherwise a projection would show the metadata
// of the stored version. [Scheme.Check] tests claims with a new object, and fuzz.RoundTrip with
// random ones.

// claim is a [Partial] or [ConversionPart] and its site.
type claim struct {
	partial
	stored typeID // of pointers to the encoded objects
	site   site
}

// addPartials adds the claims about what functions read.
func (w *build) addPartials() {
	first := make(map[[2]uintptr]claim, len(w.partials))
	w.partials = sorted.Delete(w.partials, func(c claim) bool {
		if missing := c.missing(); missing != "" {
			w.conflict("the partial declaration added at "+c.site.String(), missing, "")
			return true
		}
		as, of := c.functions()
		if prior, ok := first[[2]uintptr{as, of}]; ok {
			if prior.partial != c.partial {
				w.conflict("the partial declarations of one function", "the one added at "+c.site.String(),
					"a different one added at "+prior.site.String())
			}
			return true
		}
		first[[2]uintptr{as, of}] = c
		if e := w.scheme.conversion(of); e != nil && !keeps(w.keeping, of) {
			w.conflict("the part of the conversion at "+e.site.String()+" added at "+c.site.String(),
				"the conversion must be declared with KeepMetadata", "")
		}
		return false
	})
	w.scheme.partials = w.partials
}

// conversion returns the registered conversion with a function, or nil.
func (s *Scheme) conversion(code uintptr) *conversionEdge {
	i := slices.IndexFunc(s.edges, func(e *conversionEdge) bool { return e.code() == code })
	if i < 0 {
		return nil
	}
	return s.edges[i]
}

// asFunction returns the registered as-kind edge with a function, or nil.
func (s *Scheme) asFunction(from reflect.Type, code uintptr) *asEdge {
	k := s.types[pointerTo(from)]
	if k == nil {
		return nil
	}
	i := slices.IndexFunc(k.as, func(e *asEdge) bool { return e.code() == code })
	if i < 0 {
		return nil
	}
	return k.as[i]
}

// checkPartial shows a new object of each kind of a claim in two ways, decoded completely and
// decoded as the claim states, and compares the results.
func (s *Scheme) checkPartial(p *claim) []error {
	as, of := p.functions()
	through, stored := s.conversion(of), structOf(p.stored)
	shown := stored
	if through != nil {
		shown = through.to()
	}
	edge := s.asFunction(shown, as)
	if edge == nil || of != 0 && through == nil {
		return nil // it has no effect
	}
	var errs []error
	for _, k := range s.kindsOf(stored) {
		if !k.has.appendJSON || !p.hasJSON() {
			continue
		}
		wrong := func(err any) {
			errs = append(errs, &conflictError{
				What:  fmt.Sprintf("the partial declaration of the function at %s for %s", edge.site, k.gvk),
				First: fmt.Sprintf("a partially decoded new object is shown differently: %v", err),
			})
		}
		obj := k.New()
		var convert func(in, out Object, s *conversion.Scope) error
		if through != nil {
			convert = through.call
		}
		want, err := s.showWith(edge, obj, through, convert)
		if err != nil {
			continue // the functions may reject it
		}
		read, err := decodeParts(p, k, obj)
		if err != nil {
			wrong(err)
			continue
		}
		switch got, err := s.showWith(edge, read, through, p.convert); {
		case err != nil:
			wrong(err)
		case !reflect.DeepEqual(got, want):
			wrong(fmt.Sprintf("%+v instead of %+v", got, want))
		}
	}
	return errs
}

// showWith converts an object with the conversion function, if any, and shows it with the edge.
func (s *Scheme) showWith(edge *asEdge, obj Object, through *conversionEdge,
	convert func(in, out Object, s *conversion.Scope) error,
) (Object, error) {
	scope := s.copying.Fixed()
	if through != nil {
		k := s.kindsOf(through.to())[0]
		out := k.New()
		if err := convert(obj, out, scope); err != nil {
			return nil, err
		}
		k.stamp(out)
		obj = out
	}
	out := reflect.New(edge.to()).Interface()
	if edge.begin != nil {
		if err := edge.begin.complete(out, scope); err != nil {
			return nil, err
		}
	}
	return out, edge.call(obj, out, scope)
}

// decodeParts returns an object in which only the fields are set that a claim decodes from the JSON
// of another object.
func decodeParts(p partial, k *Kind, obj Object) (Object, error) {
	text, err := k.AppendJSON(nil, obj)
	if err != nil {
		return nil, err
	}
	out := k.New()
	r := jsonwire.NewReader(text, jsonwire.Options{})
	for key := r.Object(); key != nil; key = r.NextKey() {
		if string(key) == "kind" || string(key) == "apiVersion" {
			r.Skip()
			continue
		}
		p.decodeJSON(r, out, key)
	}
	r.End()
	if problems := r.Problems(); len(problems) > 0 {
		return nil, fmt.Errorf("%s", problems[0].Message)
	}
	return out, nil
}
