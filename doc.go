// Package askind is the front door of the module and holds no code: it says where things are.
//
// A program with versioned APIs declares its kinds as Go structs and has the generator, codegen/askind, write what follows from them. Package
// runtime registers the result in a Scheme, which converts objects between versions and shows them as other kinds. Package serializer chooses
// formats by media type and parameters and moves objects through them. The kinds that all APIs share are in meta/v1.
//
// From the bottom up: schema, conversion, serializer/jsonwire and serializer/pbwire, runtime, meta/v1 and its neighbours, meta, the formats
// serializer/json, yaml, protobuf, cbor, csv and text, serializer, and beside them codegen. A package imports only packages that
// stand before it; the test of this package holds the house to that. The program in examples/fleet shows everything together.
package askind
