package openapi

import (
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"fmt"
	"sync"
)

// Document is a document in JSON or, if [Document.Encode] made it, in another encoding. It is
// immutable and safe for concurrent use.
type Document struct {
	mediaType string
	text      []byte
	hash      func() string
	zip       func() []byte
}

func newDocument(mediaType string, text []byte) *Document {
	text = bytes.Clone(text) // drops spare capacity
	return &Document{
		mediaType: mediaType, text: text,
		hash: sync.OnceValue(func() string { return fmt.Sprintf("%X", sha512.Sum512(text)) }),
		zip: sync.OnceValue(func() []byte {
			var b bytes.Buffer
			z := gzip.NewWriter(&b) // writing to memory does not fail
			_, _ = z.Write(text)
			_ = z.Close()
			return b.Bytes()
		}),
	}
}

// Encode returns the document in another encoding, with its own hash. The function gets the bytes
// of the document and must not modify them; its errors are returned unchanged. Package
// openapi/v2proto has a function for OpenAPI 2.0 in protobuf.
func (d *Document) Encode(mediaType string, encode func([]byte) ([]byte, error)) (*Document, error) {
	text, err := encode(d.text)
	if err != nil {
		return nil, err
	}
	return newDocument(mediaType, text), nil
}

// Bytes returns the document in the encoding of its media type. The caller must not modify it.
func (d *Document) Bytes() []byte { return d.text }

// Gzip returns the document compressed according to RFC 1952. The caller must not modify it. It is
// compressed once, on first use.
func (d *Document) Gzip() []byte { return d.zip() }

// Hash returns the SHA-512 of the document in upper-case hexadecimal digits, as in the parameter
// hash of the URLs in the index.
func (d *Document) Hash() string { return d.hash() }

// ETag returns the hash as the value of an ETag header.
func (d *Document) ETag() string { return `"` + d.hash() + `"` }

// MediaType returns the media type of the document.
func (d *Document) MediaType() string { return d.mediaType }
