// Package v1beta1 serves the types of version v1beta1 of sample-apiserver as they are. Objects are
// stored in this version.
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
)

// +kubebuilder:storageversion
type Flunder = v1beta1.Flunder

// ValidateFlunderSpec returns what the validation of sample-apiserver finds.
func ValidateFlunderSpec(_ context.Context, in *v1beta1.FlunderSpec) (errs runtime.FieldErrors) {
	var spec wardle.FlunderSpec
	_ = v1beta1.Convert_v1beta1_FlunderSpec_To_wardle_FlunderSpec(in, &spec, nil)
	for _, e := range validation.ValidateFlunderSpec(&spec, nil) {
		errs = append(errs, runtime.Invalid(schema.NewPath(e.Field), e.BadValue, e.Detail))
	}
	return errs
}
