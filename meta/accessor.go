package meta

import (
	"errors"
	"fmt"

	v1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

// Causes of a [KindError]; test for them with errors.Is.
var (
	// ErrNoObjectMeta reports that objects of the kind have no ObjectMeta.
	ErrNoObjectMeta = errors.New("the kind has no object metadata")
	// ErrNoListMeta reports that objects of the kind have no ListMeta.
	ErrNoListMeta = errors.New("the kind has no list metadata")
	// ErrNotList reports that objects of the kind are not lists.
	ErrNotList = errors.New("the kind is not a list kind")
	// ErrItemType reports that an object cannot be an item of the list.
	ErrItemType = errors.New("the object cannot be an item of the list")
)

// KindError reports that an operation is not possible for objects of a kind. Find it with
// errors.AsType[*KindError].
type KindError struct {
	_ struct{} // literals name their fields

	// Kind is the kind.
	Kind schema.GroupVersionKind
	// Err is one of the causes above.
	Err error
	// Detail holds additional information and may be blank.
	Detail string
}

// Error implements error.
func (e *KindError) Error() string {
	s := fmt.Sprintf("meta: %s: %v", e.Kind, e.Err)
	if e.Detail != "" {
		s += ": " + e.Detail
	}
	return s
}

// Unwrap returns the cause.
func (e *KindError) Unwrap() error { return e.Err }

// Accessor returns the metadata of an object of the kind. The result is not a copy: writing to it
// changes the object.
func Accessor(kind *runtime.Kind, obj runtime.Object) (*v1.ObjectMeta, error) {
	if m, ok := kind.Metadata(obj).(*v1.ObjectMeta); ok {
		return m, nil
	}
	return nil, lacking(kind, obj, ErrNoObjectMeta)
}

// ListAccessor returns the metadata of a list of the kind. The result is not a copy: writing to it
// changes the list.
func ListAccessor(kind *runtime.Kind, list runtime.Object) (*v1.ListMeta, error) {
	if m, ok := kind.Metadata(list).(*v1.ListMeta); ok {
		return m, nil
	}
	return nil, lacking(kind, list, ErrNoListMeta)
}

// lacking returns the error for an object of another kind or, if the kind matches, for a kind
// without that metadata.
func lacking(kind *runtime.Kind, obj runtime.Object, cause error) error {
	if err := kind.Check(obj); err != nil {
		return err
	}
	return &KindError{Kind: kind.GroupVersionKind(), Err: cause}
}
