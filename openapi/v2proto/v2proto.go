// Package v2proto encodes OpenAPI 2.0 documents in protobuf, the only format that kubectl before
// 1.24 requests. It is a separate module because it depends on the library of the messages.
//
//	srv, err := server.New(scheme, engine, server.OpenAPIProto(v2proto.Encode))
package v2proto

import (
	"fmt"

	openapi "github.com/google/gnostic-models/openapiv2"
	"google.golang.org/protobuf/proto"
)

// Encode converts a JSON document of [github.com/askind/askind/openapi.Set.V2] to a protobuf
// message. Within one build of a program, the same document always gives the same bytes.
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
