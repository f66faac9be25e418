// Package gadgets has messages of google.golang.org/protobuf, for tests of kinds that are messages.
// protoc-gen-go generates the code from gadget.proto.
package gadgets

//go:generate go run ./generate
//go:generate go tool -modfile=../../tools/go.mod gofumpt -w gadget.pb.go
