// Package v1alpha1 serves the types of package k8s.io/sample-apiserver/pkg/apis/wardle/v1alpha1.
//
// +askind:foreign=k8s.io/sample-apiserver/pkg/apis/wardle/v1alpha1
// +askind:codecs=github.com/askind/askind/k8s/metav1
// +askind:hub=k8s.io/sample-apiserver/pkg/apis/wardle/v1beta1
package v1alpha1

import (
	"errors"

	"github.com/askind/askind/conversion"
	"k8s.io/sample-apiserver/pkg/apis/wardle"
	"k8s.io/sample-apiserver/pkg/apis/wardle/v1alpha1"
	"k8s.io/sample-apiserver/pkg/apis/wardle/v1beta1"

	_ "github.com/askind/askind/k8s/metav1" // called by generated code
)

// +kubebuilder:deprecatedversion:warning="wardle.example.com/v1alpha1 Fischer is deprecated in v1.3+, unavailable in v1.10+"
type Fischer = v1alpha1.Fischer

// +kubebuilder:deprecatedversion:warning="wardle.example.com/v1alpha1 Flunder is deprecated in v1.3+, unavailable in v1.10+"
type Flunder = v1alpha1.Flunder

// SetDefaultsFlunderSpec sets the defaults that
// k8s.io/sample-apiserver/pkg/apis/wardle/v1alpha1 defines.
func SetDefaultsFlunderSpec(in *v1alpha1.FlunderSpec) { v1alpha1.SetDefaults_FlunderSpec(in) }

// ConvertFlunderSpecToV1beta1 converts by way of the internal type.
func ConvertFlunderSpecToV1beta1(in *v1alpha1.FlunderSpec, out *v1beta1.FlunderSpec, _ *conversion.Scope) error {
	var between wardle.FlunderSpec
	return errors.Join(v1alpha1.Convert_v1alpha1_FlunderSpec_To_wardle_FlunderSpec(in, &between, nil),
		v1beta1.Convert_wardle_FlunderSpec_To_v1beta1_FlunderSpec(&between, out, nil))
}

// ConvertFlunderSpecFromV1beta1 converts in the opposite direction.
func ConvertFlunderSpecFromV1beta1(in *v1beta1.FlunderSpec, out *v1alpha1.FlunderSpec, _ *conversion.Scope) error {
	var between wardle.FlunderSpec
	return errors.Join(v1beta1.Convert_v1beta1_FlunderSpec_To_wardle_FlunderSpec(in, &between, nil),
		v1alpha1.Convert_wardle_FlunderSpec_To_v1alpha1_FlunderSpec(&between, out, nil))
}
