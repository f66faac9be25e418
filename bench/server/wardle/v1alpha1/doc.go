// Package v1alpha1 serves the types of version v1alpha1 of sample-apiserver as they are.
// Conversions and defaults are those that sample-apiserver has written by hand.
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
)

// +kubebuilder:deprecatedversion:warning="wardle.example.com/v1alpha1 Flunder is deprecated in v1.3+, unavailable in v1.10+"
type _ = v1alpha1.Flunder

// +kubebuilder:deprecatedversion:warning="wardle.example.com/v1alpha1 Fischer is deprecated in v1.3+, unavailable in v1.10+"
type Fischer = v1alpha1.Fischer

// SetDefaultsFlunderSpec sets the defaults of sample-apiserver.
func SetDefaultsFlunderSpec(in *v1alpha1.FlunderSpec) { v1alpha1.SetDefaults_FlunderSpec(in) }

// ConvertFlunderSpecToV1beta1 goes through the internal type of sample-apiserver.
func ConvertFlunderSpecToV1beta1(in *v1alpha1.FlunderSpec, out *v1beta1.FlunderSpec, _ *conversion.Scope) error {
	var hub wardle.FlunderSpec
	return errors.Join(v1alpha1.Convert_v1alpha1_FlunderSpec_To_wardle_FlunderSpec(in, &hub, nil),
		v1beta1.Convert_wardle_FlunderSpec_To_v1beta1_FlunderSpec(&hub, out, nil))
}

// ConvertFlunderSpecFromV1beta1 returns the way back.
func ConvertFlunderSpecFromV1beta1(in *v1beta1.FlunderSpec, out *v1alpha1.FlunderSpec, _ *conversion.Scope) error {
	var hub wardle.FlunderSpec
	return errors.Join(v1beta1.Convert_v1beta1_FlunderSpec_To_wardle_FlunderSpec(in, &hub, nil),
		v1alpha1.Convert_wardle_FlunderSpec_To_v1alpha1_FlunderSpec(&hub, out, nil))
}
