package runtime

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/askind/askind/conversion"
	"github.com/askind/askind/wire/jsonwire"
)

// A claim about what functions read cannot be proved here. What can be seen of it without calling
// anything is looked at in every build: that it is whole, that it does not contradict another one,
// and that the conversion that it is about is claimed to keep metadata, without which it would show
// that of the stored version. [Scheme.Check] tries it on a new object, and fuzz.RoundTrip on random
// ones.

// claim is a [Partial] or [ConversionPart] and where it was added.
type claim struct {
	partial
	site site
}

// addPartials takes the claims about what is read.
func (w *build) addPartials() {
	first := make(map[[2]uintptr]*claim, len(w.partials))
	w.scheme.partials = make([]partial, 0, len(w.partials))
	for i := range w.partials {
		c := &w.partials[i]
		if missing := c.missing(); missing != "" {
			w.conflict("the claim about what is read that was added at "+c.site.String(), missing, "")
			continue
		}
		as, of := c.functions()
		if prior := first[[2]uintptr{as, of}]; prior != nil {
			if prior.partial != c.partial {
				w.conflict("what is read by one function", "the claim added at "+c.site.String(),
					"a different one added at "+prior.site.String())
			}
			continue
		}
		first[[2]uintptr{as, of}] = c
		if e := w.scheme.conversion(of); e != nil && !slices.Contains(w.keeping, of) {
			w.conflict("the part of the conversion at "+e.site.String()+" that was added at "+c.site.String(),
				"the conversion is not said to keep the metadata, see KeepMetadata", "")
			continue
		}
		w.scheme.partials = append(w.scheme.partials, c.partial)
	}
}

// conversion returns the registered conversion with a function, nil if there is none.
func (s *Scheme) conversion(code uintptr) *conversionEdge {
	i := slices.IndexFunc(s.edges, func(e *conversionEdge) bool { return e.code() == code })
	if i < 0 {
		return nil
	}
	return s.edges[i]
}

// asFunction returns the registered as-kind edge with a function, nil if there is none.
func (s *Scheme) asFunction(from reflect.Type, code uintptr) *asEdge {
	k := s.ofType(pointerTo(from))
	if k == nil {
		return nil
	}
	i := slices.IndexFunc(k.as, func(e *asEdge) bool { return e.code() == code })
	if i < 0 {
		return nil
	}
	return k.as[i]
}

// checkPartial shows a new object of each kind that a claim is about in both ways: as a whole, and
// by what the claim reads of its JSON.
func (s *Scheme) checkPartial(p partial) []error {
	as, of := p.functions()
	through, stored := s.conversion(of), p.stored()
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
				What:  fmt.Sprintf("the claim about what the function at %s reads of %s", edge.site, k.gvk),
				First: fmt.Sprintf("a new object shown by what is read of it is not what it is as a whole: %v", err),
			})
		}
		obj := k.New()
		var convert func(in, out Object, s *conversion.Scope) error
		if through != nil {
			convert = through.convert
		}
		want, err := s.showWith(edge, obj, through, convert)
		if err != nil {
			continue // the functions may refuse it
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

// showWith converts an object by the function, unless there is no conversion, and shows it by the
// edge.
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
	return out, edge.convert(obj, out, scope)
}

// decodeParts returns an object of which no more is filled in than a claim reads of the JSON of
// another.
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
