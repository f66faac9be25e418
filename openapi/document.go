package openapi

import (
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"fmt"
	"sync"
)

// Document is a document in JSON. It is immutable and safe for any number of goroutines.
type Document struct {
	text []byte
	hash func() string
	zip  func() []byte
}

func newDocument(text []byte) *Document {
	text = bytes.Clone(text) // without the room that was left
	return &Document{
		text: text,
		hash: sync.OnceValue(func() string { return fmt.Sprintf("%X", sha512.Sum512(text)) }),
		zip: sync.OnceValue(func() []byte {
			var b bytes.Buffer
			z := gzip.NewWriter(&b)
			if _, err := z.Write(text); err != nil {
				return nil // memory takes everything
			}
			if err := z.Close(); err != nil {
				return nil
			}
			return b.Bytes()
		}),
	}
}

// JSON returns the document. It must not be changed.
func (d *Document) JSON() []byte { return d.text }

// Gzip returns the document compressed as RFC 1952 says, for clients that accept that. It must not
// be changed. It is made once.
func (d *Document) Gzip() []byte { return d.zip() }

// Hash returns the SHA-512 of the document in upper-case hexadecimal digits, as it stands behind
// ?hash= in the index.
func (d *Document) Hash() string { return d.hash() }

// ETag returns the hash as the value of an ETag header.
func (d *Document) ETag() string { return `"` + d.hash() + `"` }

// MediaType returns the media type of the document.
func (d *Document) MediaType() string { return mediaJSON }
