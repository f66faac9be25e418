// Package v1 is version v1 of the API group fleet.example.com: the machines of a fleet and pools of
// identical machines.
//
// It is the hub of the group and the storage version. The older versions name it in a marker, so
// that conversions between each of them and this one are generated. It does not depend on the other
// versions.
//
// A version consists of four parts: the types, with markers for the generator; functions that set
// defaults which a marker cannot express ([SetDefaultsBootSource]); functions that validate
// ([ValidateMachine]); and the generated code. [AddTo] registers all of it.
//
// +groupName=fleet.example.com
// +askind:nolint:rule=enum-missing,reason="the server writes the status, and functions check the sources"
package v1
