// Package askind is the front door of the module and holds no code: it says where things are.
//
// A program with versioned APIs declares its kinds as Go structs and has the generator,
// codegen/askind, write what follows from them. Package runtime registers the result in a Scheme,
// which converts objects between versions and shows them as other kinds. Package serializer chooses
// formats by media type and parameters and moves objects through them. The kinds that all APIs
// share are in meta/v1.
//
// Package server puts the kinds of a scheme behind URLs, and package store keeps their objects;
// package client talks to servers. Package aggregator makes several servers look like one.
//
// From the bottom up: schema, wire, conversion, runtime, meta and its neighbours, restmapper,
// patch, the formats below serializer, serializer, store, openapi, discovery, httpapi, client,
// server, aggregator, and beside them codegen and fuzz. A package imports only packages that stand
// before it; the test of this package holds the house to that. The program in examples/fleet shows
// everything together.
package askind
