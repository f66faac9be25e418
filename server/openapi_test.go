package server_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	inventoryv1 "github.com/askind/askind/examples/fleet/api/inventory/v1"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/format"
	ajson "github.com/askind/askind/serializer/json"
	"github.com/askind/askind/serializer/text"
	"github.com/askind/askind/server"
	"github.com/askind/askind/store/memory"
)

// TestOpenAPIProto checks that clients that do not accept JSON get OpenAPI 2.0 in the encoding of
// the program, made once for each state of what is served.
func TestOpenAPIProto(t *testing.T) {
	t.Parallel()
	const asked = "Accept: application/com.github.proto-openapi.spec.v2@v1.0+protobuf"
	var calls atomic.Int32
	s := newServer(t, server.OpenAPIProto(func(text []byte) ([]byte, error) {
		calls.Add(1)
		return append([]byte("encoded "), text...), nil
	}))
	get := func(headers ...string) (header http.Header, body []byte) {
		t.Helper()
		w := request(s, http.MethodGet, "/openapi/v2", "", headers...)
		if w.Code != http.StatusOK {
			t.Fatalf("%v: code %d: %s", headers, w.Code, w.Body)
		}
		return w.Header(), w.Body.Bytes()
	}
	jsonHeader, text := get()
	header, encoded := get(asked)
	if want := append([]byte("encoded "), text...); !bytes.Equal(encoded, want) {
		t.Errorf("the answer is %.80q, want %.80q", encoded, want)
	}
	if got := header.Get("Content-Type"); got != "application/com.github.proto-openapi.spec.v2.v1.0+protobuf" {
		t.Errorf("the media type is %q", got)
	} else if _, _, err := mime.ParseMediaType(got); err != nil {
		t.Errorf("client-go rejects the answer: %v", err)
	}
	if header.Get("Etag") == jsonHeader.Get("Etag") || header.Get("Vary") == "" {
		t.Errorf("caches confuse the encodings: %v, %v", header, jsonHeader)
	}
	for _, accept := range []string{asked + ", application/json", asked + ";q=0.9, */*"} {
		if header, _ := get(accept); header.Get("Content-Type") != "application/json" {
			t.Errorf("%s is answered with %s", accept, header.Get("Content-Type"))
		}
	}
	tag := header.Get("Etag")
	for _, have := range []string{tag, "W/" + tag, `"a", ` + tag, "*"} {
		w := request(s, http.MethodGet, "/openapi/v2", "", asked, "If-None-Match: "+have)
		if w.Code != http.StatusNotModified {
			t.Errorf("a document that the client has, by %s: code %d", have, w.Code)
		}
	}
	if w := request(s, http.MethodGet, "/openapi/v2", "", asked, `If-None-Match: "a", "b"`); w.Code != http.StatusOK {
		t.Errorf("a document that the client does not have: code %d", w.Code)
	}
	if n := calls.Load(); n != 1 {
		t.Errorf("the document was encoded %d times", n)
	}
	if err := s.Remove(schema.GroupVersion{Group: inventoryv1.GroupVersion.Group}); err != nil {
		t.Fatal(err)
	}
	if _, encoded := get(asked); bytes.Contains(encoded, []byte("inventory.example.com")) || calls.Load() != 2 {
		t.Errorf("the document has a group that was removed, after %d encodings", calls.Load())
	}
	run(t, s, "/openapi", []step{
		{name: "version 3", method: "GET", path: "v3", headers: []string{asked}, code: http.StatusNotAcceptable},
	})
}

// TestOpenAPIProtoOutline checks that a document without types is served in protobuf if there is no
// encoder, and that the error of an encoder is internal.
func TestOpenAPIProtoOutline(t *testing.T) {
	t.Parallel()
	accept := []string{"Accept: application/com.github.proto-openapi.spec.v2@v1.0+protobuf"}
	s := newServer(t, server.Title("boats"), server.ServerVersion(server.Version{GitVersion: "v1.2.3"}))
	w := request(s, http.MethodGet, "/openapi/v2", "", accept...)
	if want := "\n\x032.0\x12\x0f\n\x05boats\x12\x06v1.2.3"; w.Code != http.StatusOK || w.Body.String() != want {
		t.Errorf("code %d, document %q, want %q", w.Code, w.Body, want)
	}
	failing := newServer(t, server.OpenAPIProto(func([]byte) ([]byte, error) { return nil, errors.New("broken") }))
	run(t, failing, "/openapi", []step{
		{
			name: "a failure", method: "GET", path: "v2", headers: accept, code: http.StatusInternalServerError,
			not: []string{"broken"},
		},
	})
}

// TestOpenAPIConsumes checks that documents list the formats that bodies may have: those of the
// server that can be read, and that can have the kind.
func TestOpenAPIConsumes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		formats []*format.Format
		want    string
	}{
		{"all", server.Formats(), "application/cbor application/json application/yaml"}, // sites have no protobuf
		{"JSON and tables", []*format.Format{ajson.Format(), text.Format()}, "application/json"},
	} {
		db := memory.New()
		defer db.Close()
		s, err := server.NewWithFormats(fleet(t), db, tt.formats)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		type operation struct {
			RequestBody struct{ Content map[string]struct{} }
		}
		var doc struct {
			Paths map[string]struct{ Post, Put operation }
		}
		body := request(s, "GET", "/openapi/v3/apis/inventory.example.com/v1", "").Body.Bytes()
		if err := json.Unmarshal(body, &doc); err != nil {
			t.Fatal(err)
		}
		for i, o := range []operation{doc.Paths[sites].Post, doc.Paths[sites+"/{name}"].Put} {
			got := strings.Join(slices.Sorted(maps.Keys(o.RequestBody.Content)), " ")
			if got != tt.want {
				t.Errorf("%s: operation %d: %s, want %s", tt.name, i, got, tt.want)
			}
		}
	}
}

// TestOpenAPIGzip checks that documents are compressed for clients that accept it, with another
// entity tag, and that either tag is answered with 304.
func TestOpenAPIGzip(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	for _, path := range []string{
		"/openapi/v2", "/openapi/v3", "/openapi/v3/apis/inventory.example.com/v1",
		"/swaggerapi/2.0/apis/inventory.example.com/v1",
	} {
		plain := request(s, http.MethodGet, path, "")
		tags := []string{plain.Header().Get("Etag")}
		for _, tt := range []struct {
			accept []string
			coded  bool
		}{
			{[]string{"gzip"}, true},
			{[]string{"deflate, gzip;q=1.0, *;q=0.5"}, true},
			{[]string{"br", "gzip"}, true},
			{[]string{"identity"}, false},
			{[]string{"gzip;q=0"}, false},
			{[]string{"gzip;q=0.5, identity"}, false},
			{[]string{"not-gzip"}, false},
		} {
			var headers []string
			for _, a := range tt.accept {
				headers = append(headers, "Accept-Encoding: "+a)
			}
			w := request(s, http.MethodGet, path, "", headers...)
			h, body := w.Header(), w.Body.Bytes()
			if (h.Get("Content-Encoding") == "gzip") != tt.coded || h.Get("Content-Length") != strconv.Itoa(len(body)) {
				t.Errorf("%s, %q: the header is %v", path, tt.accept, h)
				continue
			}
			if (h.Get("Etag") != tags[0]) != tt.coded || !slices.Contains(h.Values("Vary"), "Accept-Encoding") {
				t.Errorf("%s, %q: caches confuse the encodings: %v", path, tt.accept, h)
			}
			if tt.coded {
				tags = append(tags, h.Get("Etag"))
				z, err := gzip.NewReader(w.Body)
				if err != nil {
					t.Fatal(err)
				}
				if body, err = io.ReadAll(z); err != nil {
					t.Fatal(err)
				}
			}
			if !bytes.Equal(body, plain.Body.Bytes()) {
				t.Errorf("%s, %q: the document differs", path, tt.accept)
			}
		}
		for _, have := range tags {
			for _, accept := range []string{"gzip", "identity"} {
				w := request(s, http.MethodGet, path, "", "Accept-Encoding: "+accept, "If-None-Match: "+have)
				if h := w.Header(); w.Code != http.StatusNotModified || h.Get("Etag") != have ||
					h.Get("Content-Encoding") != "" || h.Get("Vary") == "" || w.Body.Len() > 0 {
					t.Errorf("%s, %s, which accepts %s: code %d, %v", path, have, accept, w.Code, h)
				}
			}
		}
	}
}
