// Package v1 is version v1 of the API group fleet.example.com: the machines of a fleet and the
// pools that keep them alike.
//
// It is the hub of the group. The older versions name it in a marker, so that functions are
// generated from each of them to this one and back, and it is the version that objects are kept in.
// It knows nothing of the other versions.
//
// A version consists of four things: the types, with markers for the generator; functions that fill
// in the defaults which a marker cannot express ([SetDefaultsBootSource]); functions that validate
// ([ValidateMachine]); and what the generator writes. [AddTo] registers all of it.
//
// +groupName=fleet.example.com
package v1
