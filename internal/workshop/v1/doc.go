// Package v1 is the stored version of the group workshop.example.com, which exists for tests: its
// kind has columns of all sorts over fields of all sorts, in JSON and in protobuf.
//
// +groupName=workshop.example.com
// +askind:protobuf
package v1
