package runtime

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/askind/askind/schema"
)

// The causes of errors of a scheme, for errors.Is.
var (
	// ErrUnknownKind: the kind or Go type is not registered.
	ErrUnknownKind = errors.New("unknown kind")
	// ErrAmbiguousKind: the Go type is registered for several kinds and the object does not state
	// which one it is.
	ErrAmbiguousKind = errors.New("ambiguous kind")
	// ErrNotObject: the value is nil, a nil pointer, or not a pointer to a struct.
	ErrNotObject = errors.New("not an object")
	// ErrNoFunction: the kind was registered without the function that the call needs.
	ErrNoFunction = errors.New("no function")
	// ErrNoAs: the kind cannot be shown as the other.
	ErrNoAs = errors.New("no such representation")
	// ErrConflict: two registrations contradict each other.
	ErrConflict = errors.New("conflicting registrations")
)

// ObjectError reports that a value is not an object, or not one of the required kind. errors.Is
// finds [ErrNotObject].
type ObjectError struct {
	_ struct{} // literals name their fields

	Object string // the Go type of the value
	Reason string
}

// Error implements error.
func (e *ObjectError) Error() string {
	return fmt.Sprintf("runtime: %s is not an object: %s", e.Object, e.Reason)
}

// Unwrap returns [ErrNotObject].
func (e *ObjectError) Unwrap() error { return ErrNotObject }

// checkObject rejects values that cannot be objects of any scheme.
func checkObject(obj Object) error {
	if obj == nil {
		return &ObjectError{Object: "nil", Reason: "an object is a non-nil pointer to a struct"}
	}
	t := reflect.TypeOf(obj)
	switch {
	case t.Kind() != reflect.Pointer || t.Elem().Kind() != reflect.Struct:
		reason := "an object is a pointer to a struct"
		if t.Kind() == reflect.Struct {
			reason += "; pass its address"
		}
		return &ObjectError{Object: t.String(), Reason: reason}
	case reflect.ValueOf(obj).IsNil():
		return &ObjectError{Object: t.String(), Reason: "the pointer is nil"}
	}
	return nil
}

// UnknownKindError reports that a scheme does not have a kind, and suggests similar ones. errors.Is
// finds [ErrUnknownKind].
type UnknownKindError struct {
	_ struct{} // literals name their fields

	// GroupVersionKind is the requested kind. It is empty if a Go type was requested.
	GroupVersionKind schema.GroupVersionKind
	// Type is the requested Go type, with its import path; blank if a kind was requested.
	Type string
	// Near lists registered kinds that were probably meant, nearest first.
	Near []schema.GroupVersionKind
	// Versions lists the versions of the group that the scheme has, preferred first.
	Versions []schema.GroupVersion
	// Groups lists the groups of the scheme; set only if the requested group is not among them.
	Groups []string
	// SameName lists registered Go types of the same name in other packages.
	SameName []string
}

// Error states what is missing, similar names, and which call would add it.
func (e *UnknownKindError) Error() string {
	return "runtime: " + e.UserMessage() + "; " + e.hint()
}

// UserMessage returns the part of the error that is meant for authors of documents rather than of
// programs.
func (e *UnknownKindError) UserMessage() string {
	var b strings.Builder
	if e.Type != "" {
		fmt.Fprintf(&b, "no kind is registered for the type %s", e.Type)
		if len(e.SameName) > 0 {
			fmt.Fprintf(&b, " (registered: %s)", strings.Join(e.SameName, ", "))
		}
		return b.String()
	}
	fmt.Fprintf(&b, "no kind %s is registered in %s", schema.Quote(e.GroupVersionKind.Kind),
		versionName(e.GroupVersionKind.GroupVersion()))
	if e.inOtherVersion() {
		fmt.Fprintf(&b, "; %s has it in %s", groupName(e.GroupVersionKind.Group),
			joined(e.Near, ", ", func(near schema.GroupVersionKind) string { return near.Version }))
		return b.String()
	}
	if len(e.Near) > 0 {
		fmt.Fprintf(&b, " (did you mean %s?)", joined(e.Near, " or ", func(near schema.GroupVersionKind) string {
			if near.GroupVersion() == e.GroupVersionKind.GroupVersion() {
				return strconv.Quote(near.Kind)
			}
			return strconv.Quote(near.Kind) + " of " + near.GroupVersion().String()
		}))
	}
	switch {
	case len(e.Versions) > 0:
		b.WriteString(known(e.GroupVersionKind.Group, e.Versions, nil))
	case len(e.Groups) > 0:
		fmt.Fprintf(&b, "; there is no such group, the groups are %s", joined(e.Groups, ", ", groupName))
	}
	return b.String()
}

// inOtherVersion reports whether the kind exists, in other versions of its group only.
func (e *UnknownKindError) inOtherVersion() bool {
	return len(e.Near) > 0 && !slices.ContainsFunc(e.Near, func(near schema.GroupVersionKind) bool {
		return near.Kind != e.GroupVersionKind.Kind || near.Group != e.GroupVersionKind.Group
	})
}

func (e *UnknownKindError) hint() string {
	if e.Type != "" {
		return "pass the AddTo function of its package to NewScheme, or add it with AddKind"
	}
	if slices.Contains(e.Versions, e.GroupVersionKind.GroupVersion()) {
		return "if the kind is new, generate its code, or add it with AddKind"
	}
	return fmt.Sprintf("pass the AddTo function of the package for %s to NewScheme",
		versionName(e.GroupVersionKind.GroupVersion()))
}

// versionName returns a group version for messages, shortened if it is long; one without a version
// is named by its group.
func versionName(gv schema.GroupVersion) string {
	text := gv.String()
	if gv.Version == "" {
		text = groupName(gv.Group)
	}
	return schema.Shorten(text, 256)
}

// Unwrap returns [ErrUnknownKind].
func (e *UnknownKindError) Unwrap() error { return ErrUnknownKind }

// joined returns the names of the elements of a list with a separator between them.
func joined[T any](list []T, separator string, name func(T) string) string {
	names := make([]string, len(list))
	for i, e := range list {
		names[i] = name(e)
	}
	return strings.Join(names, separator)
}

// groupName returns a group for messages; the group with the blank name needs words.
func groupName(group string) string {
	if group == "" {
		return "the core group"
	}
	return group
}

// ambiguousKindError reports that an object can be of several kinds. errors.Is finds
// [ErrAmbiguousKind].
type ambiguousKindError struct {
	Type  string
	Kinds []schema.GroupVersionKind
}

// Error implements error.
func (e *ambiguousKindError) Error() string {
	return fmt.Sprintf("runtime: the type %s is registered as %s; set the object's kind and apiVersion to select one",
		e.Type, joined(e.Kinds, " and as ", schema.GroupVersionKind.String))
}

// Unwrap returns [ErrAmbiguousKind].
func (e *ambiguousKindError) Unwrap() error { return ErrAmbiguousKind }

// NoFunctionError reports that a kind was registered without a function that a call needs.
// errors.Is finds [ErrNoFunction].
type NoFunctionError struct {
	_ struct{} // literals name their fields

	Kind     schema.GroupVersionKind
	Function string // the field of KindSpec
}

// Error implements error.
func (e *NoFunctionError) Error() string {
	return fmt.Sprintf(
		"runtime: the kind %s has no %s function; generate it, or register the kind through the reflectjson package",
		e.Kind, e.Function,
	)
}

// Unwrap returns [ErrNoFunction].
func (e *NoFunctionError) Unwrap() error { return ErrNoFunction }

// conflictError is one contradiction between two registrations. errors.Is finds [ErrConflict].
type conflictError struct {
	// What is in conflict, for example "the kind fleet.example.com/v1, Kind=Machine".
	What string
	// First and Second are the two registrations, each with its location. Second is blank if a
	// single registration is wrong.
	First, Second string
}

// Error implements error.
func (e *conflictError) Error() string {
	if e.Second == "" {
		return fmt.Sprintf("runtime: %s: %s", e.What, e.First)
	}
	return fmt.Sprintf("runtime: %s: %s conflicts with %s", e.What, e.First, e.Second)
}

// Unwrap returns [ErrConflict].
func (e *conflictError) Unwrap() error { return ErrConflict }

// buildError holds all problems of the registrations of a scheme.
type buildError struct {
	Errs []error
}

// Error lists the errors, one per line.
func (e *buildError) Error() string {
	return joined(e.Errs, "\n", error.Error)
}

// Unwrap makes each error visible to errors.Is and errors.As.
func (e *buildError) Unwrap() []error { return slices.Clone(e.Errs) }

// noAsError reports that a kind cannot be shown as another. errors.Is finds [ErrNoAs].
type noAsError struct {
	From, To schema.GroupVersionKind
	// Known lists the kinds that From can be shown as.
	Known []schema.GroupVersionKind
	// NoList reports that only the items of From can be shown as To, which has no list kind.
	NoList bool
}

// Error implements error.
func (e *noAsError) Error() string {
	msg := fmt.Sprintf("runtime: %s cannot be shown as %s", e.From, e.To)
	if e.NoList {
		return msg + ", which has no list kind"
	}
	if len(e.Known) == 0 {
		return msg
	}
	return msg + "; it can be shown as " + joined(e.Known, "; ", schema.GroupVersionKind.String)
}

// Unwrap returns [ErrNoAs].
func (e *noAsError) Unwrap() error { return ErrNoAs }
