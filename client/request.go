package client

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"net/url"
	"strings"

	"github.com/askind/askind/discovery"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
)

// Request is one request for a resource, independent of the transport.
type Request struct {
	// Verb is get, list, watch, create, update, patch, delete or deletecollection.
	Verb string
	// Prefix is the first segment of the path; blank means "api" for the core group and "apis" for
	// others.
	Prefix string
	// Resource is the resource in the version of the request.
	Resource schema.GroupVersionResource
	// Kind is the kind of its objects. A response without a kind is decoded as this kind.
	Kind schema.GroupVersionKind
	// Namespace is blank for all namespaces, Name for all objects, and Subresource for the object
	// itself.
	Namespace, Name, Subresource string
	// Options are encoded in the query, for example *metav1.ListOptions for list, watch and
	// deletecollection. Nil means none. A watch need not set their field Watch.
	Options runtime.Object
	// Body is the object of a create or update, in any version of the kind, or the
	// *metav1.DeleteOptions of a deletion.
	Body runtime.Object
	// Patch is the change of a patch.
	Patch Patch
	// As is the kind to represent the objects as, such as meta.k8s.io/v1 PartialObjectMetadata;
	// empty means their own. AsOptions are its options, such as *metav1.TableOptions.
	As        schema.GroupVersionKind
	AsOptions runtime.Object
	// Untyped decodes objects as *unstructured.Object and lists as *unstructured.List.
	Untyped bool
	// Accept, if not blank, requests the response as bytes, in the representation that this Accept
	// header selects.
	Accept string
}

// Patch is a change of an object: data of a media type or, if Object is not nil, that object in the
// version of the request.
type Patch struct {
	MediaType string
	Data      []byte
	Object    runtime.Object
}

// The media types of patches.
const (
	JSONPatchType      = "application/json-patch+json"
	MergePatchType     = "application/merge-patch+json"
	StrategicPatchType = "application/strategic-merge-patch+json"
	ApplyPatchType     = "application/apply-patch+yaml"
)

// Response is the answer to a request.
type Response struct {
	// Code is the HTTP status code, from 200 to 299.
	Code int
	// Object is the returned object, in the version of the request. The caller owns it. It is nil
	// if Request.Accept is set.
	Object runtime.Object
	// Bytes are the response body if Request.Accept is set, and MediaType is their media type.
	Bytes     []byte
	MediaType string
	// Warnings are the texts of the Warning headers.
	Warnings []string
}

// DocumentRequest is a request for a path that is not a resource, such as /apis or /version.
type DocumentRequest struct {
	// Path is the escaped path with its query.
	Path string
	// Accept is the value of the Accept header; blank means application/json.
	Accept string
	// ETag is the entity tag of the caller's cached copy; blank means none.
	ETag string
}

// Document is the answer to a [DocumentRequest].
type Document struct {
	Bytes           []byte
	MediaType, ETag string
	// NotModified reports that the caller's copy is up to date; Bytes is nil then.
	NotModified bool
}

// Backend carries requests to a server. [Transport] does so over HTTP, and package server within a
// process. Implementations must be safe for concurrent use.
//
// A request that the server rejects returns a *metav1.StatusError.
type Backend interface {
	// Do carries out a request other than watch.
	Do(ctx context.Context, r *Request) (*Response, error)
	// Watch yields the events of a watch, including bookmarks, until ctx is done, the caller stops
	// or the server ends the watch. An error ends the sequence; an event of the type ERROR is
	// yielded as its error.
	Watch(ctx context.Context, r *Request) iter.Seq2[serializer.Event, error]
	// Document returns the document at a path that is not a resource.
	Document(ctx context.Context, r *DocumentRequest) (*Document, error)
}

// Check returns an error if the request has no valid path.
func (r *Request) Check() error {
	segments := []struct{ what, value string }{
		{"prefix", r.prefix()},
		{"version", r.Resource.Version},
		{"resource", r.Resource.Resource},
		{"group", r.Resource.Group},
		{"namespace", r.Namespace},
		{"name", r.Name},
		{"subresource", r.Subresource},
	}
	for i, s := range segments {
		if s.value == "" && i < 3 {
			return fmt.Errorf("client: a request needs a %s", s.what)
		}
		for part := range strings.SplitSeq(s.value, "/") { // a subresource may have several
			if part == "." || part == ".." || part != s.value && s.what != "subresource" {
				return fmt.Errorf("client: the %s %q is not a valid path segment", s.what, s.value)
			}
		}
	}
	if r.Name != "" && (r.Verb == "list" || r.Verb == "deletecollection") {
		return fmt.Errorf("client: the verb %s is for a collection, not for the object %q", r.Verb, r.Name)
	}
	if r.Subresource != "" && r.Name == "" {
		return fmt.Errorf("client: the subresource %s needs the name of an object", r.Subresource)
	}
	return nil
}

// Path returns the path of the request in a URL, without a query:
// /apis/GROUP/VERSION/namespaces/NAMESPACE/RESOURCE/NAME/SUBRESOURCE, without blank parts.
func (r *Request) Path() string {
	var b strings.Builder
	add := func(segment string) {
		if segment != "" {
			b.WriteByte('/')
			b.WriteString(url.PathEscape(segment))
		}
	}
	add(r.prefix())
	add(r.Resource.Group)
	add(r.Resource.Version)
	if r.Namespace != "" {
		add("namespaces")
		add(r.Namespace)
	}
	add(r.Resource.Resource)
	add(r.Name)
	for s := range strings.SplitSeq(r.Subresource, "/") {
		add(s)
	}
	return b.String()
}

// prefix returns the first segment of the path.
func (r *Request) prefix() string {
	return cmp.Or(r.Prefix, discovery.PrefixOf(r.Resource.Group))
}

// options returns the options for the query. For a watch it sets their field Watch.
func (r *Request) options() runtime.Object {
	if r.Verb != "watch" {
		return r.Options
	}
	o := metav1.ListOptions{}
	if given, ok := r.Options.(*metav1.ListOptions); ok && given != nil {
		o = *given
	}
	o.Watch = true
	return &o
}
