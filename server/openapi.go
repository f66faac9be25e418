package server

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/askind/askind/internal/coding"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/openapi"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/wire/jsonwire"
)

// Media types of OpenAPI 2.0 in protobuf. Clients ask for the first one. Its "@" is not allowed in
// a media type, so client-go would reject an answer that has it. The answer has the second one, as
// that of kube-apiserver does.
const (
	openAPIProtoAsked = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"
	openAPIProto      = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
)

// Paths of OpenAPI documents.
const (
	openAPIv3   = "/openapi/v3"
	openAPIv2   = "/openapi/v2"
	swaggerPath = "/swaggerapi/"
)

// openAPI describes what is served. Nothing is made before it is asked for.
func (s *Server) openAPI(st *state) (*openapi.Set, error) {
	resources := make([]openapi.Resource, 0, len(st.ordered))
	for _, r := range st.ordered {
		described, err := s.describeOpenAPI(st, r)
		if err != nil {
			return nil, err
		}
		resources = append(resources, described)
	}
	about := openapi.Config{
		Title: cmp.Or(s.config.apiTitle, "askind"), Version: s.config.version.filled().GitVersion, Path: openAPIv3,
	}
	return openapi.New(about, st.scheme, resources...), nil
}

// Title names the API in its OpenAPI documents.
func Title(name string) Option { return optionFunc(func(c *config) { c.apiTitle = name }) }

// OpenAPIProto sets how /openapi/v2 is encoded in protobuf for clients that do not accept JSON,
// such as kubectl before 1.24. The function gets the document in JSON, which it must not change,
// and returns it in protobuf; Encode of package openapi/v2proto does that. It is called once after
// each change of the served kinds, on the first request. Its errors are internal errors.
//
// Without it these clients get a document with the title and version of the API, but without types.
// kubectl reads it for a List and leaves the validation of the objects to the server.
func OpenAPIProto(encode func(json []byte) ([]byte, error)) Option {
	return optionFunc(func(c *config) { c.openAPIProto = encode })
}

// encodedV2 holds the last OpenAPI 2.0 document that was encoded in protobuf.
type encodedV2 struct {
	sync.Mutex
	from, doc *openapi.Document
}

// openAPIv2Proto returns the OpenAPI 2.0 document in protobuf. It is encoded once. If the documents
// of other servers make the encoding fail, they are left out.
func (s *Server) openAPIv2Proto(ctx context.Context, st *state) (*openapi.Document, error) {
	own, err := st.openAPI.V2()
	if err != nil {
		return nil, err
	}
	from, err := s.joint(ctx, openAPIv2, st.openAPI.V2)
	if err != nil {
		return nil, err
	}
	encode := s.config.openAPIProto
	if encode == nil {
		encode = outlineV2
	}
	last := &st.openAPIProto
	last.Lock()
	defer last.Unlock()
	if last.from == from {
		return last.doc, nil
	}
	doc, err := from.Encode(openAPIProto, encode)
	if err != nil && from != own {
		s.config.log.Warn("the OpenAPI 2.0 document with other servers cannot be encoded in protobuf", "error", err)
		doc, err = own.Encode(openAPIProto, encode)
	}
	if err != nil {
		return nil, fmt.Errorf("server: encode the OpenAPI 2.0 document in protobuf: %w", err)
	}
	last.from, last.doc = from, doc
	return doc, nil
}

// outlineV2 encodes of an OpenAPI 2.0 document in JSON its version, title and API version in
// protobuf: the fields 1, and 1 and 2 of field 2, of gnostic's message Document.
func outlineV2(text []byte) ([]byte, error) {
	r := jsonwire.NewReader(text, jsonwire.Options{})
	doc, _ := r.Any().(map[string]any)
	if err := r.Err(); err != nil {
		return nil, err
	}
	swagger, _ := doc["swagger"].(string)
	about, _ := doc["info"].(map[string]any)
	title, _ := about["title"].(string)
	version, _ := about["version"].(string)
	info := appendProtoField(appendProtoField(nil, 1, title), 2, version)
	return appendProtoField(appendProtoField(nil, 1, swagger), 2, string(info)), nil
}

// appendProtoField appends a string or message as a field of a protobuf message.
func appendProtoField(dst []byte, number byte, value string) []byte {
	const lengthDelimited = 2
	dst = binary.AppendUvarint(append(dst, number<<3|lengthDelimited), uint64(len(value)))
	return append(dst, value...)
}

// describeOpenAPI returns the resource as OpenAPI documents have it.
func (s *Server) describeOpenAPI(st *state, r *resource) (openapi.Resource, error) {
	patches := st.patchMediaTypes(r)
	out := openapi.Resource{
		Prefix: r.prefix, GroupVersion: r.gvr.GroupVersion(), Name: r.gvr.Resource, Kind: r.served,
		Cluster: !r.namespaced(), Verbs: r.verbs, Consumes: s.consumes(r.served),
		PatchTypes: patches, Produces: st.produces(r.served), Deprecated: r.warning != "",
	}
	for _, name := range sortedKeys(r.subresources) {
		sub := r.subresources[name]
		k, err := st.scheme.Kind(sub.kind)
		if err != nil {
			return out, err
		}
		out.Subresources = append(out.Subresources, openapi.Subresource{
			Name: sub.name, Kind: k, Verbs: sub.verbs, Consumes: s.consumes(k), PatchTypes: patches,
			Produces: st.produces(k),
		})
	}
	return out, nil
}

// consumes lists the media types of the bodies that have objects of a kind.
func (s *Server) consumes(k *runtime.Kind) (out []string) {
	for _, f := range s.formats {
		if f.Reads() && (f.Encodes == nil || f.Encodes(k)) {
			out = append(out, f.MediaTypes[0])
		}
	}
	return out
}

// produces lists the representations of the answers of a kind.
func (st *state) produces(k *runtime.Kind) func(verb string) []openapi.Media {
	return func(verb string) []openapi.Media {
		offer := serializer.Offer{Kind: k.GroupVersionKind()}
		switch verb {
		case verbList, verbWatch, verbDeleteCollection:
			if k.ListKind() != nil {
				offer.Kind = k.ListKind().GroupVersionKind()
			}
		}
		if verb == verbWatch {
			offer.Stream = verbWatch
		}
		endpoint, err := st.factory.Endpoint(offer)
		if err != nil {
			return nil // of a kind that the scheme does not have
		}
		var out []openapi.Media
		for _, info := range endpoint.Produces() {
			out = append(out, openapi.Media{Type: info.MediaType, Target: info.Target})
		}
		return out
	}
}

// openAPIHandler returns what answers requests for an OpenAPI document, nil for other paths.
func (s *Server) openAPIHandler(st *state, path string) serveFunc {
	var find func() (*openapi.Document, error)
	joint := "" // the path if the document has the delegate's servers, too
	switch {
	case path == openAPIv3 || path == openAPIv3+"/":
		find, joint = st.openAPI.Index, openAPIv3
	case path == openAPIv2:
		find, joint = st.openAPI.V2, openAPIv2
	case strings.HasPrefix(path, openAPIv3+"/"):
		find = func() (*openapi.Document, error) { return st.openAPI.V3(strings.TrimPrefix(path, openAPIv3+"/")) }
	case strings.HasPrefix(path, swaggerPath):
		version, rest, _ := strings.Cut(strings.TrimPrefix(path, swaggerPath), "/")
		find = func() (*openapi.Document, error) { return st.openAPI.Swagger(version, rest) }
	default:
		return nil
	}
	return readOnly(func(w http.ResponseWriter, r *http.Request) error {
		if path == openAPIv2 && !acceptsJSON(r) && acceptsOpenAPIProto(r) {
			doc, err := s.openAPIv2Proto(r.Context(), st)
			return serveOpenAPI(doc, err, w, r)
		}
		if !acceptsJSON(r) {
			return metav1.NotAcceptable("the document is " + jsonType)
		}
		doc, err := s.joint(r.Context(), joint, find)
		return serveOpenAPI(doc, err, w, r)
	})
}

// serveOpenAPI answers with an OpenAPI document, unless it could not be found or made, or with 304
// if the client has it already. The compressed document has another tag, because a strong tag
// identifies the bytes of a response.
func serveOpenAPI(doc *openapi.Document, err error, w http.ResponseWriter, r *http.Request) error {
	if errors.Is(err, openapi.ErrNotServed) {
		return notFound("there is no such document")
	}
	if err != nil {
		return err
	}
	h := w.Header()
	if hash := r.URL.Query().Get("hash"); hash != "" && strings.EqualFold(hash, doc.Hash()) {
		h.Set("Cache-Control", "public, immutable, max-age=31536000")
	}
	tag, zipped := doc.ETag(), `"`+doc.Hash()+`-gzip"`
	if have := r.Header.Values("If-None-Match"); len(have) > 0 {
		for _, t := range []string{tag, zipped} {
			if hasTag(have, t) {
				h.Set("Etag", t)
				w.WriteHeader(http.StatusNotModified)
				return nil
			}
		}
	}
	text := doc.Bytes()
	if coding.AcceptsGzip(r.Header.Values("Accept-Encoding")) {
		h.Set("Content-Encoding", "gzip")
		tag, text = zipped, doc.Gzip()
	}
	h.Set("Etag", tag)
	h.Set("Content-Type", doc.MediaType())
	h.Set("Content-Length", strconv.Itoa(len(text)))
	_, _ = w.Write(text) // the client may be gone
	return nil
}

// hasTag reports whether a tag, which has no comma, is among those of an If-None-Match header, weak
// or not, or whether the header has an asterisk.
func hasTag(lines []string, tag string) bool {
	for _, line := range lines {
		for t := range strings.SplitSeq(line, ",") {
			if t = strings.TrimPrefix(strings.Trim(t, " \t"), "W/"); t == tag || t == "*" {
				return true
			}
		}
	}
	return false
}

// acceptsOpenAPIProto reports whether a client accepts OpenAPI 2.0 in protobuf.
func acceptsOpenAPIProto(r *http.Request) bool {
	accept := strings.Join(r.Header.Values("Accept"), ",")
	return strings.Contains(accept, openAPIProtoAsked) || strings.Contains(accept, openAPIProto)
}

// acceptsJSON reports whether a client accepts JSON. kubectl asks for OpenAPI 2.0 in protobuf
// alone, and cannot read anything else.
func acceptsJSON(r *http.Request) bool {
	accept := strings.Join(r.Header.Values("Accept"), ",")
	return accept == "" || strings.Contains(accept, jsonType) || strings.Contains(accept, "*/*") ||
		strings.Contains(accept, "application/*")
}

// openAPIPaths returns the paths of the documents.
func (st *state) openAPIPaths() []string {
	out := []string{openAPIv2, openAPIv3}
	for _, p := range st.openAPI.Paths() {
		out = append(out, openAPIv3+"/"+p)
	}
	return out
}
