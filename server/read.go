package server

import (
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/askind/askind/httpapi"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/store"
)

// get answers a GET of an object.
func (c *call) get() error {
	if err := c.begin(c.Kind); err != nil {
		return err
	}
	o, err := httpapi.ReadOptions[metav1.GetOptions](c.x)
	if err != nil {
		return err
	}
	e, err := c.getObject(o)
	if err != nil {
		return err
	}
	c.sendWarnings()
	if show := c.groupView(); show != nil {
		return c.x.Respond(http.StatusOK, show(e.Cached()))
	}
	if c.x.NotModified(e.ResourceVersion()) {
		return nil
	}
	return c.x.Respond(http.StatusOK, e.Cached())
}

// getObject returns the stored object.
func (c *call) getObject(o *metav1.GetOptions) (*store.Entry, error) {
	return c.res.stored.Get(c.ctx, c.key(), store.GetOptions{ResourceVersion: o.ResourceVersion})
}

// list answers a GET of a collection: with a list, or with a stream of events.
func (c *call) list() error {
	if err := c.begin(c.res.served.ListKind().GroupVersionKind()); err != nil {
		return err
	}
	o, err := httpapi.ReadOptions[metav1.ListOptions](c.x)
	if err != nil {
		return err
	}
	// The query decides whether this is a watch. If it spells that in a way that was not recognized
	// when the request was authorized, the request is authorized again.
	if verb := c.x.Verb(); verb != c.Verb {
		c.Verb = verb
		a := c.attributes(c.r.URL.Path)
		if a.Name == "" {
			a.Name = selectedName(c.r)
		}
		if err := c.authorize(a); err != nil {
			return err
		}
	}
	if c.Verb == verbWatch {
		return c.watch(o)
	}
	list, err := c.listObjects(o)
	if err != nil {
		return err
	}
	if show := c.groupView(); show != nil {
		return c.respondItems(list, show)
	}
	return c.respondList(list)
}

// listObjects returns the stored objects that options select.
func (c *call) listObjects(o *metav1.ListOptions) (*store.List, error) {
	lo, err := c.res.stored.ListOptions(c.Namespace, o)
	if err != nil {
		return nil, err
	}
	return c.res.stored.List(c.ctx, lo)
}

// respondList answers with a list, which the store encodes.
func (c *call) respondList(list *store.List) error {
	c.sendWarnings()
	return c.x.RespondWith(http.StatusOK, func(rep *serializer.Representation,
		w io.Writer,
	) error {
		return list.Encode(w, rep)
	})
}

// watch answers with events.
func (c *call) watch(o *metav1.ListOptions) error {
	release, err := c.s.limiter.watch(c.User)
	if err != nil {
		return err
	}
	defer release()
	wo, err := c.res.stored.WatchOptions(c.Namespace, o)
	if err != nil {
		return err
	}
	c.sendWarnings()
	show, stored := c.groupView(), c.res.stored
	c.st, c.res = nil, nil // a watch may outlast many installations of kinds and needs only its factory
	var cursor *store.Watch
	defer func() {
		if cursor != nil {
			cursor.Close()
		}
	}()
	return c.x.Watch(func(ctx context.Context, from httpapi.WatchStart) (*httpapi.Changes, error) {
		if cursor, err = stored.Watch(ctx, wo); err != nil {
			return nil, err
		}
		return showing(changesOf(cursor, from.Bookmarks), show), nil
	})
}

// changesOf returns the events of a cursor.
func changesOf(cursor *store.Watch, bookmarks bool) *httpapi.Changes {
	out := &httpapi.Changes{Source: events{cursor.Stream(bookmarks)}}
	if list := cursor.Initial(); list != nil {
		out.Initial, out.ResourceVersion = cachedItems(list), list.ResourceVersion()
	}
	return out
}

// events supplies the events of a watch on a resource that may be removed.
type events struct{ *store.Stream }

// Next implements [httpapi.EventSource]. The watch of a removed resource ends with an ERROR
// event of code 404, the response to a new request. That of a replaced resource or of a closed
// server ends like a watch whose time has expired.
func (e events) Next(buf []serializer.Event) ([]serializer.Event, error) {
	buf, err := e.Stream.Next(buf)
	switch {
	case errors.Is(err, store.ErrReplaced), errors.Is(err, store.ErrClosed):
		return buf, io.EOF
	case errors.Is(err, store.ErrRemoved):
		status := asStatus(ifRemoved(err)).Status
		return append(buf, serializer.Event{Type: metav1.WatchError, Object: &status}), nil
	}
	return buf, err
}

// cachedItems yields the entries of a list in the form that requests share.
func cachedItems(list *store.List) func(yield func(any, error) bool) {
	return func(yield func(any, error) bool) {
		for e := range list.Entries() {
			if !yield(e.Cached(), nil) {
				return
			}
		}
	}
}
