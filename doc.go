// Package askind contains no code: it gives an overview of the module.
//
// A program with versioned APIs declares its kinds as Go structs, from which codegen/askind
// generates code. Package runtime registers the kinds in a Scheme, which converts objects between
// versions and shows them as other kinds. Package serializer selects formats by media type and
// parameters, and encodes and decodes objects. The kinds that all APIs share are in meta/v1.
//
// Package server serves the kinds of a scheme over HTTP, and package store stores their objects;
// package client sends requests to servers. Package aggregator presents several servers as one.
//
// From the bottom up: schema, wire, conversion, runtime, meta and its neighbours, restmapper,
// patch, the formats below serializer, serializer, store, openapi, discovery, httpapi, client,
// server, aggregator, and independently codegen and fuzz. A package imports only packages that
// precede it in this list, which the test of this package enforces. The program in examples/fleet
// uses all of them.
package askind
