package runtime

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/askind/askind/conversion"
	"github.com/askind/askind/wire/pbwire"
)

// Check verifies properties that building a scheme cannot, and returns all problems. Routes between
// all versions of each kind must exist and be unambiguous; every as-kind edge must lead to a
// registered kind, and show a list of new objects as it shows its items one by one; objects must be
// created, copied, defaulted and written without errors; the functions of a kind must agree with
// each other; declarations such as [Partial] must hold for a new object; and the fields of
// [AddSensitive] must exist. It is meant for tests and for the start of programs under development.
func (s *Scheme) Check() error {
	var errs []error
	routes := map[string]bool{} // a list has the routes of its items
	for _, k := range s.ordered {
		errs = append(errs, s.checkKind(k)...)
		for _, err := range s.checkRoutes(k) {
			if text := err.Error(); !routes[text] {
				routes[text] = true
				errs = append(errs, err)
			}
		}
	}
	for _, k := range s.ordered {
		if !k.untyped && s.kindsOf(k.Type())[0] != k {
			continue
		}
		for _, e := range s.edgesFrom(k) {
			if len(s.kindsOf(e.to())) == 0 {
				errs = append(errs, &conflictError{
					What: "the as-kind edge added at " + e.site.String(),
					First: "no kind of the type " + typeName(e.to()) + " is registered; is AddTo of " + e.to().PkgPath() +
						" missing from the scheme?",
				})
			}
		}
		errs = append(errs, s.checkShown(k)...)
	}
	for i := range s.partials {
		p := &s.partials[i]
		errs = append(errs, s.checkPartial(p)...)
	}
	_, err := s.sensitiveFields()
	return errors.Join(append(errs, err)...)
}

// checkRoutes plans the routes from a kind to its other versions.
func (s *Scheme) checkRoutes(k *Kind) []error {
	var errs []error
	for _, gv := range s.VersionsOf(k.gvk.GroupKind()) {
		if _, err := s.route(k, gv); err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}

// checkShown shows a list of new objects as all kinds that it can be shown as, at once and item by
// item. Objects that a function rejects are not compared.
func (s *Scheme) checkShown(k *Kind) []error {
	if k.listKind == nil || k.untyped {
		return nil
	}
	var errs []error
	scope := s.copying.Fixed()
	list := k.listKind.New()
	items := k.listKind.Items(list)
	items.Resize(2)
	for i := range items.Len() {
		if k.Default(items.At(i)) != nil {
			return nil // checkKind reports it
		}
	}
	for _, target := range s.AsTargets(k.gvk) {
		plan, err := s.asPlan(k, target)
		if err != nil || plan.edge == nil {
			continue
		}
		whole, err := s.AsWith(list, target, scope)
		if err != nil {
			continue
		}
		if !s.sameAlone(plan, list, whole, scope) {
			errs = append(errs, &conflictError{
				What: "the as-kind edge added at " + plan.edge.site.String(),
				First: "a list of new objects is shown as " + target.String() + " differently when its items are shown " +
					"one by one; a function must depend only on its arguments, and take the time from Scope.Now",
			})
		}
	}
	return errs
}

// sameAlone reports whether a list is shown like its items one by one.
func (s *Scheme) sameAlone(plan *asPlan, list, whole Object, scope *conversion.Scope) bool {
	items := plan.from.listKind.Items(list)
	if plan.collect == nil {
		shown := plan.to.listKind.Items(whole)
		for i := range items.Len() {
			alone, err := s.AsWith(items.At(i), plan.to.gvk, scope)
			if plan.to.stamp(shown.At(i)); err != nil || !reflect.DeepEqual(alone, shown.At(i)) {
				return false
			}
		}
		return true
	}
	c := Collector{plan}
	alone, err := c.Begin(scope)
	for i := range items.Len() {
		if err == nil {
			err = c.Add(items.At(i), alone, scope)
		}
	}
	if err == nil {
		_, alone, err = c.Finish(alone, plan.from.listKind.Metadata(list), scope)
	}
	return err == nil && reflect.DeepEqual(alone, whole)
}

// checkKind exercises the functions of a kind on a new object.
func (s *Scheme) checkKind(k *Kind) []error {
	var errs []error
	wrong := func(format string, args ...any) {
		errs = append(errs, &conflictError{
			What:  "the kind " + k.gvk.String() + " registered at " + k.source,
			First: fmt.Sprintf(format, args...),
		})
	}
	obj := k.New()
	if k.has.typeMeta {
		if a, n := k.TypeOf(obj); a != k.apiVersion || n != k.gvk.Kind {
			wrong("TypeMeta does not return pointers into the object")
		}
		if a, n := k.table.typeMeta(obj); a == n {
			wrong("TypeMeta returns one string for both apiVersion and kind")
		}
	}
	if k.has.metadata && reflect.ValueOf(k.Metadata(obj)).Kind() != reflect.Pointer {
		wrong("Metadata does not return a pointer")
	}
	if c, err := k.DeepCopy(obj); err != nil {
		errs = append(errs, err)
	} else if !k.untyped && !reflect.DeepEqual(c, obj) { // untyped objects may store their content in any form
		wrong("DeepCopyInto does not produce an equal object")
	}
	if k.has.appendJSON {
		if _, err := k.AppendJSON(nil, obj); err != nil {
			wrong("a new object cannot be written as JSON: %v", err)
		}
	}
	if k.has.appendJSON != k.has.decodeJSON {
		wrong("AppendJSONFields and DecodeJSON must both be set or both be nil")
	}
	if k.has.prependProto {
		if err := k.PrependProto(new(pbwire.Writer), obj); err != nil {
			wrong("a new object cannot be written as protobuf: %v", err)
		}
	}
	if k.has.prependProto != k.has.decodeProto {
		wrong("PrependProto and DecodeProto must both be set or both be nil")
	}
	if err := k.Default(k.New()); err != nil {
		wrong("a new object cannot be defaulted: %v", err)
	}
	if k.item == "" && k.has.items && k.itemKind == nil {
		if items := s.kindsOf(itemType(k.table.items(obj))); len(items) > 0 {
			wrong("its items are objects of the kind %s, but it does not name it as Item", items[0].gvk)
		}
	}
	return errs
}
