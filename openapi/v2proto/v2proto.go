// Package v2proto writes OpenAPI 2.0 documents in protobuf, the only form that kubectl before 1.24
// asks for. It is a module of its own because of the library that knows the messages.
//
//	srv, err := server.New(scheme, engine, server.OpenAPIProto(v2proto.Encode))
package v2proto

import (
	"fmt"

	openapi "github.com/google/gnostic-models/openapiv2"
	"google.golang.org/protobuf/proto"
)

// Encode returns a document in JSON, as [github.com/askind/askind/openapi.Set.V2] has it, as a
// protobuf message. The same document gives the same bytes in one build of a program.
func Encode(document []byte) ([]byte, error) {
	doc, err := openapi.ParseDocument(document)
	if err != nil {
		return nil, fmt.Errorf("v2proto: read an OpenAPI 2.0 document: %w", err)
	}
	text, err := proto.MarshalOptions{Deterministic: true}.Marshal(doc)
	if err != nil {
		return nil, fmt.Errorf("v2proto: write an OpenAPI 2.0 document: %w", err)
	}
	return text, nil
}
