// Package v1beta1 is an older version of the group workshop.example.com, see package v1. Fields
// have other names, places and types in it.
//
// +groupName=workshop.example.com
// +askind:protobuf
// +askind:hub=github.com/askind/askind/internal/workshop/v1
package v1beta1
