package server

import (
	"iter"
	"net/http"
	"net/netip"

	"github.com/askind/askind/discovery"
	"github.com/askind/askind/discovery/v1alpha1"
	"github.com/askind/askind/httpapi"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/store"
)

// clientOf returns the address of the client of a request, by which the addresses of the server are
// chosen. ok is false if the server has no such addresses.
func (s *Server) clientOf(r *http.Request) (client netip.Addr, ok bool) {
	if len(s.config.discovery.Addresses) == 0 {
		return client, false
	}
	client = discovery.ClientIP(r.Header.Get("X-Forwarded-For"), r.Header.Get("X-Real-Ip"), r.RemoteAddr)
	return client, client.IsValid()
}

// personal marks an answer as dependent on the address of the client, in its header.
func personal(h http.Header) {
	h.Set("Cache-Control", "private")
	h.Add("Vary", "X-Forwarded-For, X-Real-Ip")
}

// groupView returns a function that shows Groups as the client of the call may see them, or nil if
// all clients see the same.
func (c *call) groupView() func(runtime.Object) runtime.Object {
	if c.x == nil || c.res.gvr.GroupVersion() != v1alpha1.GroupVersion {
		return nil
	}
	client, ok := c.s.clientOf(c.r)
	if !ok {
		return nil
	}
	personal(c.x.Header())
	return func(obj runtime.Object) runtime.Object {
		decoded := obj
		if cached, ok := obj.(*serializer.Cached); ok {
			var err error
			if decoded, err = cached.Object(); err != nil {
				return obj // the error comes again when it is written
			}
		}
		g, ok := decoded.(*v1alpha1.Group)
		if !ok {
			return obj // a bookmark, or the status of an error
		}
		if shown := discovery.ForClient(g, client); shown != g {
			return shown
		}
		return obj
	}
}

// respondItems answers with a list whose items a function has shown.
func (c *call) respondItems(list *store.List, show func(runtime.Object) runtime.Object) error {
	head, err := list.Head()
	if err != nil {
		return err
	}
	c.sendWarnings()
	return c.x.RespondItems(http.StatusOK, head, shown(list.Objects(), show))
}

// shown yields objects that a function shows.
func shown(in iter.Seq2[runtime.Object, error],
	show func(runtime.Object) runtime.Object,
) iter.Seq2[runtime.Object, error] {
	return func(yield func(runtime.Object, error) bool) {
		for obj, err := range in {
			if err == nil {
				obj = show(obj)
			}
			if !yield(obj, err) {
				return
			}
		}
	}
}

// shownEvents are events whose objects a function has shown.
type shownEvents struct {
	httpapi.EventSource
	show func(runtime.Object) runtime.Object
}

// Next implements [httpapi.EventSource].
func (e shownEvents) Next(buf []serializer.Event) ([]serializer.Event, error) {
	from := len(buf)
	buf, err := e.EventSource.Next(buf)
	for i := from; i < len(buf); i++ {
		buf[i].Object = e.show(buf[i].Object)
	}
	return buf, err
}

// showing returns changes whose objects a function shows.
func showing(c *httpapi.Changes, show func(runtime.Object) runtime.Object) *httpapi.Changes {
	if show == nil {
		return c
	}
	out := &httpapi.Changes{ResourceVersion: c.ResourceVersion, Source: shownEvents{c.Source, show}}
	if c.Initial != nil {
		out.Initial = shown(c.Initial, show)
	}
	return out
}
