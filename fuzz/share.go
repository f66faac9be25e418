package fuzz

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/askind/askind/conversion"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

// checkCopy compares a deep copy with the object, and overwrites the copy to see whether the object
// changes. The twin is equal to the object.
func (c *checker) checkCopy(obj, twin runtime.Object) string {
	copied, err := c.kind.DeepCopy(obj)
	switch {
	case err != nil:
		return "deep copy: " + err.Error()
	case !reflect.DeepEqual(obj, copied):
		return "the deep copy is not equal (-object +copy):\n" + diff(obj, copied)
	}
	scribble(reflect.ValueOf(copied))
	if !reflect.DeepEqual(obj, twin) {
		return "writing to a deep copy changes the object (-before +after):\n" + diff(twin, obj)
	}
	return ""
}

// checkConversions converts the object to all other versions of its kind. The twin is equal to the
// object.
func (c *checker) checkConversions(obj, twin runtime.Object) string {
	for _, gv := range c.scheme.VersionsOf(c.kind.GroupVersionKind().GroupKind()) {
		if gv == c.kind.GroupVersion() {
			continue
		}
		converted, err := c.scheme.ConvertTo(obj, gv)
		if err != nil {
			continue
		}
		owned, err := c.kind.DeepCopy(obj)
		if err != nil {
			return "deep copy: " + err.Error()
		}
		shared, err := c.scheme.ConvertSharing(owned, gv)
		switch {
		case err != nil:
			return fmt.Sprintf("to %s: conversion succeeds, but fails with permission to share: %v", gv, err)
		case !reflect.DeepEqual(converted, shared):
			return fmt.Sprintf("to %s: sharing changes the result (-copying +sharing):\n%s", gv,
				diff(converted, shared))
		case !reflect.DeepEqual(obj, twin) || !reflect.DeepEqual(owned, twin):
			return fmt.Sprintf("to %s: conversion modifies its input", gv)
		}
		if problem := c.checkWayBack(obj, converted, gv); problem != "" {
			return problem
		}
		scribble(reflect.ValueOf(converted))
		if !reflect.DeepEqual(obj, twin) {
			return fmt.Sprintf("to %s: the result shares memory with the input (-before +after):\n%s", gv,
				diff(twin, obj))
		}
	}
	return ""
}

// checkWayBack converts the result of a conversion back, unless a declared loss concerns the
// object.
func (c *checker) checkWayBack(obj, converted runtime.Object, gv schema.GroupVersion) string {
	k, err := c.scheme.KindOf(converted)
	if err != nil {
		return fmt.Sprintf("to %s: %v", gv, err)
	}
	if c.losesParts(c.kind, gv) || c.losesParts(k, c.kind.GroupVersion()) {
		return ""
	}
	dropped := false
	scope := conversion.NewScope(conversion.ScopeOptions{Dropped: func(conversion.DroppedValue) { dropped = true }})
	if _, err := c.scheme.ConvertWith(obj, gv, scope); err != nil {
		return fmt.Sprintf("to %s: conversion succeeds, but fails if it reports what it drops: %v", gv, err)
	}
	again, err := c.scheme.ConvertWith(converted, c.kind.GroupVersion(), scope)
	switch {
	case dropped:
		return ""
	case err != nil:
		return fmt.Sprintf("to %s: the result cannot be converted back: %v", gv, err)
	case !equal(obj, again):
		return fmt.Sprintf(
			"to %s: no value is reported as dropped, but converting back does not restore the object (-before +after):\n%s\n"+
				"If a list is a map there, and the conversion back sorts it, fill the list in that order.",
			gv, diff(obj, again),
		)
	}
	return c.checkSharedWayBack(converted, again, gv)
}

// losesParts reports whether conversions declare losses that depend on a value, or do not exist.
func (c *checker) losesParts(from *runtime.Kind, to schema.GroupVersion) bool {
	losses, err := c.scheme.Losses(from.GroupVersionKind(), to)
	return err != nil || slices.ContainsFunc(losses, func(l conversion.Loss) bool { return l.Partial })
}

// checkSharedWayBack converts an object back with permission to share. Unlike random objects, it
// may carry values.
func (c *checker) checkSharedWayBack(converted, again runtime.Object, gv schema.GroupVersion) string {
	owned, err := c.scheme.DeepCopy(converted)
	if err != nil {
		return "deep copy: " + err.Error()
	}
	shared, err := c.scheme.ConvertSharing(owned, c.kind.GroupVersion())
	switch {
	case err != nil:
		return fmt.Sprintf("back from %s: conversion succeeds, but fails with permission to share: %v", gv, err)
	case !reflect.DeepEqual(again, shared):
		return fmt.Sprintf("back from %s: sharing changes the result (-copying +sharing):\n%s", gv, diff(again, shared))
	case !reflect.DeepEqual(converted, owned):
		return fmt.Sprintf("back from %s: conversion modifies its input", gv)
	}
	return ""
}

// scribble overwrites everything that is reachable from v through references.
func scribble(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			scribble(v.Elem())
			if v.Elem().CanSet() {
				v.Elem().SetZero()
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				scribble(v.Field(i))
			}
		}
	case reflect.Interface:
		if !v.IsNil() {
			scribble(v.Elem())
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			scribble(v.Index(i))
			if v.Kind() == reflect.Slice {
				v.Index(i).SetZero()
			}
		}
	case reflect.Map:
		for _, key := range slices.Clone(v.MapKeys()) {
			scribble(v.MapIndex(key))
			v.SetMapIndex(key, reflect.Value{})
		}
	}
}
