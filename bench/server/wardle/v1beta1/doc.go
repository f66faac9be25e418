// Package v1beta1 serves the types of package k8s.io/sample-apiserver/pkg/apis/wardle/v1beta1.
//
// +askind:foreign=k8s.io/sample-apiserver/pkg/apis/wardle/v1beta1
// +askind:codecs=github.com/askind/askind/k8s/metav1
package v1beta1

import (
	"context"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"k8s.io/sample-apiserver/pkg/apis/wardle"
	"k8s.io/sample-apiserver/pkg/apis/wardle/v1beta1"
	"k8s.io/sample-apiserver/pkg/apis/wardle/validation"

	_ "github.com/askind/askind/k8s/metav1" // called by generated code
)

// +kubebuilder:storageversion
type Flunder = v1beta1.Flunder

// ValidateFlunder calls the function of the same name in
// k8s.io/sample-apiserver/pkg/apis/wardle/validation.
func ValidateFlunder(_ context.Context, in *v1beta1.Flunder) (errs runtime.FieldErrors) {
	var between wardle.Flunder
	if err := v1beta1.Convert_v1beta1_Flunder_To_wardle_Flunder(in, &between, nil); err != nil {
		return append(errs, runtime.Invalid(schema.NewPath(""), nil, err.Error()))
	}
	for _, e := range validation.ValidateFlunder(&between) {
		at, err := schema.ParsePath(e.Field)
		if err != nil {
			at = schema.NewPath(e.Field)
		}
		code := runtime.FieldErrorCode(e.Type)
		errs = append(errs, &runtime.FieldError{Path: at, Code: code, Value: e.BadValue, Detail: e.Detail})
	}
	return errs
}
