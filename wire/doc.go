// Package wire holds the fixed part of the contract between generated code and the packages that it
// calls: the versions of that contract, and the codes of the problems that readers find.
//
// The contract itself is [jsonwire] for JSON and formats that are read as JSON, and [pbwire] for
// protobuf. Programs do not call these packages; they use a format of package serializer.
//
// [jsonwire]: https://pkg.go.dev/github.com/askind/askind/wire/jsonwire
// [pbwire]: https://pkg.go.dev/github.com/askind/askind/wire/pbwire
package wire

// The versions of the contract with generated code. Generated files state the version that they
// were generated for. A mismatch shows as a compile error or, for kinds, as an error of the
// scheme's builder that names the command to run. A version is incremented when existing generated
// code could no longer compile or run.
const (
	// JSON is the version of the functions that generated code calls in jsonwire.
	JSON = 1
	// Protobuf is the version of the functions that generated code calls in pbwire.
	Protobuf = 1
	// Kinds is the version of the kind records that generated code passes to package runtime.
	Kinds = 1
)
