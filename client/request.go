package client

import (
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

// Request is one request about a resource, apart from how it travels.
type Request struct {
	// Verb is get, list, watch, create, update, patch, delete or deletecollection.
	Verb string
	// Prefix is the first segment of the path; blank means "api" for the group with the blank name
	// and "apis" for others.
	Prefix string
	// Resource is the resource in the version that is spoken.
	Resource schema.GroupVersionResource
	// Kind is the kind of its objects. It is what an answer is that does not say.
	Kind schema.GroupVersionKind
	// Namespace and Name are blank where the request is not about one namespace or one object,
	// Subresource where it is about the object itself.
	Namespace, Name, Subresource string
	// Options go into the query: *metav1.ListOptions of a list, of a watch and of what
	// deletecollection selects, for example. Nil means none. A watch need not state that it is one.
	Options runtime.Object
	// Body is the object to create or to put, in any version of the kind, or the
	// *metav1.DeleteOptions of a deletion.
	Body runtime.Object
	// Patch is what a patch does.
	Patch Patch
	// As is another kind to show the objects as, such as meta.k8s.io/v1 PartialObjectMetadata;
	// empty means none. AsOptions, such as *metav1.TableOptions, say how.
	As        schema.GroupVersionKind
	AsOptions runtime.Object
	// Untyped has objects come as *unstructured.Object and lists as *unstructured.List.
	Untyped bool
	// Accept asks for bytes instead of objects: the representation that this Accept header chooses.
	Accept string
}

// Patch is a change to an object: data in the format of a media type or, if Object is not nil, that
// object in the version of the request.
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
	// Object is what the server answered with, in the version of the request. It is the caller's.
	// It is nil if Request.Accept asked for bytes.
	Object runtime.Object
	// Bytes are the answer in the representation that Request.Accept chose, and MediaType is what
	// they are.
	Bytes     []byte
	MediaType string
	// Warnings are what the server wants people to know.
	Warnings []string
}

// DocumentRequest asks for what is found at a path that is not a resource: /apis or /version.
type DocumentRequest struct {
	// Path is the path with its query, as it stands in a URL.
	Path string
	// Accept is the value of the Accept header; blank means application/json.
	Accept string
	// ETag is the entity tag of what the caller has already; blank means nothing.
	ETag string
}

// Document is the answer to a [DocumentRequest].
type Document struct {
	Bytes           []byte
	MediaType, ETag string
	// NotModified says that what the caller has is still good; there are no Bytes then.
	NotModified bool
}

// Backend carries requests to a server. [Transport] does so over HTTP, and package server within a
// process. It is safe for any number of goroutines.
//
// A request that the server refuses is a *metav1.StatusError.
type Backend interface {
	// Do carries out a request other than watch.
	Do(ctx context.Context, r *Request) (*Response, error)
	// Watch yields the events of a watch, bookmarks included, until ctx is done, the caller stops
	// or the server ends it. An error is the last that is yielded; an event of the type ERROR is
	// yielded as its error.
	Watch(ctx context.Context, r *Request) iter.Seq2[serializer.Event, error]
	// Document returns what is found at a path that is not a resource.
	Document(ctx context.Context, r *DocumentRequest) (*Document, error)
}

// Check returns an error unless the request can be spelled as a path.
func (r *Request) Check() error {
	prefix := r.Prefix
	if prefix == "" {
		prefix = discovery.PrefixOf(r.Resource.Group)
	}
	segments := []struct{ what, value string }{
		{"prefix", prefix},
		{"version", r.Resource.Version},
		{"resource", r.Resource.Resource},
		{"group", r.Resource.Group},
		{"namespace", r.Namespace},
		{"name", r.Name},
		{"subresource", r.Subresource},
	}
	for i, s := range segments {
		switch {
		case s.value == "" && i < 3:
			return fmt.Errorf("client: a request needs a %s", s.what)
		case s.value == "." || s.value == ".." || s.what != "subresource" && strings.Contains(s.value, "/"):
			return fmt.Errorf("client: the %s %q is not a segment of a path", s.what, s.value)
		}
	}
	if r.Subresource != "" && r.Name == "" {
		return fmt.Errorf("client: the subresource %s of what? the request needs a name", r.Subresource)
	}
	return nil
}

// Path returns the path of the request in a URL, without a query:
// /apis/GROUP/VERSION/namespaces/NAMESPACE/RESOURCE/NAME/SUBRESOURCE without what is blank.
func (r *Request) Path() string {
	var b strings.Builder
	add := func(segment string) {
		if segment != "" {
			b.WriteByte('/')
			b.WriteString(url.PathEscape(segment))
		}
	}
	if r.Prefix != "" {
		add(r.Prefix)
	} else {
		add(discovery.PrefixOf(r.Resource.Group))
	}
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

// options returns the options for the query: those of a watch say that it is one.
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
