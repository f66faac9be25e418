package aggregator

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/askind/askind/client"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/openapi"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire/jsonwire"
)

// The OpenAPI documents that describe several group versions.
const (
	openAPIv2 = "/openapi/v2"
	openAPIv3 = "/openapi/v3"
)

// The bounds of OpenAPI documents of other servers.
const (
	// maxOpenAPI limits the size of one in bytes. That of a Kubernetes cluster has some 4 MiB.
	maxOpenAPI = 32 << 20
	// openAPIWait is how long a request waits for one before it is answered with the last one.
	openAPIWait = 2 * time.Second
	// openAPIAge is how long one is used before the server is asked whether it has changed.
	openAPIAge = time.Second
)

// OpenAPI returns the OpenAPI document of all servers at a path, "/openapi/v2" or "/openapi/v3",
// from that of the local server. A call asks the servers for theirs, at most once a second. One
// that does not answer within two seconds is described as it was the last time.
func (a *Aggregator) OpenAPI(ctx context.Context, path string, local *openapi.Document) (*openapi.Document, error) {
	v := a.view.Load()
	if len(v.versions) == 0 {
		return local, nil
	}
	parts := v.parts()
	var wait sync.WaitGroup
	for i := range parts {
		wait.Go(func() { parts[i].doc = parts[i].backend.openAPI(ctx, path) })
	}
	wait.Wait()
	a.joints.Lock()
	defer a.joints.Unlock()
	last := a.joints.last[path]
	if last.local == local && slices.EqualFunc(last.parts, parts, part.equal) {
		return last.joint, nil
	}
	doc, err := local.Encode(local.MediaType(), func(text []byte) ([]byte, error) { return join(path, text, parts) })
	if err == nil {
		a.joints.last[path] = joint{local, parts, doc}
	}
	return doc, err
}

// joints are the documents of all servers that were made last, by path.
type joints struct {
	sync.Mutex
	last map[string]joint
}

// joint is a document of all servers with what it was made from.
type joint struct {
	local *openapi.Document
	parts []part
	joint *openapi.Document
}

// part is what one server adds to a document.
type part struct {
	backend  *backend
	versions []schema.GroupVersion
	doc      *remoteDocument // nil if the server has none
}

func (p part) equal(o part) bool {
	return p.backend == o.backend && p.doc == o.doc && slices.Equal(p.versions, o.versions)
}

// parts returns the servers of a view with their group versions, in the order of preference.
func (v *view) parts() []part {
	var out []part
	for _, gv := range v.versions {
		b := v.routes[gv].backend
		i := slices.IndexFunc(out, func(p part) bool { return p.backend == b })
		if i < 0 {
			i = len(out)
			out = append(out, part{backend: b})
		}
		out[i].versions = append(out[i].versions, gv)
	}
	return out
}

// remoteDocument is an OpenAPI document of another server. It is immutable.
type remoteDocument struct {
	etag string
	text []byte
}

// remote holds one OpenAPI document of a server.
type remote struct {
	mu     sync.Mutex
	doc    *remoteDocument // the last one
	next   time.Time       // when the server is asked again
	asking chan struct{}   // closed when the request under way is over; nil if there is none
}

// openAPI returns a document of the server, nil if it has none or none is known.
func (b *backend) openAPI(ctx context.Context, path string) *remoteDocument {
	r := b.documents[path]
	r.mu.Lock()
	if r.asking == nil && time.Now().After(r.next) && b.known().problem() == nil {
		r.asking = make(chan struct{})
		go b.fetchOpenAPI(path, r)
	}
	asking := r.asking
	r.mu.Unlock()
	if asking != nil {
		patience := time.NewTimer(openAPIWait)
		defer patience.Stop()
		select {
		case <-asking:
		case <-patience.C:
		case <-ctx.Done():
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.doc
}

// fetchOpenAPI asks the server for a document. A server that fails is not asked again for a period.
func (b *backend) fetchOpenAPI(path string, r *remote) {
	config := &b.aggregator.config
	ctx, cancel := context.WithTimeout(b.aggregator.life, config.ProbeTime)
	defer cancel()
	ask := client.DocumentRequest{Path: path}
	r.mu.Lock()
	if r.doc != nil {
		ask.ETag = r.doc.etag
	}
	r.mu.Unlock()
	answer, err := b.client.Backend().Document(ctx, &ask)
	if err == nil && len(answer.Bytes) > maxOpenAPI {
		err = fmt.Errorf("the document has %d bytes, more than %d", len(answer.Bytes), maxOpenAPI)
	}
	missing := metav1.ReasonOf(err) == metav1.StatusReasonNotFound
	if err != nil && !missing && ctx.Err() != context.Canceled {
		config.Log.Warn("aggregator: an OpenAPI document cannot be read", "url", b.url.Redacted(), "path", path,
			"error", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.next = time.Now().Add(openAPIAge)
	switch {
	case missing:
		r.doc = nil
	case err != nil:
		r.next = time.Now().Add(config.Period)
	case !answer.NotModified && (r.doc == nil || string(answer.Bytes) != string(r.doc.text)):
		r.doc = &remoteDocument{answer.ETag, answer.Bytes}
	}
	close(r.asking)
	r.asking = nil
}

// join adds what other servers have to a document of the local server.
func join(path string, local []byte, parts []part) ([]byte, error) {
	into, err := readObject(local)
	if err != nil {
		return nil, err
	}
	for _, p := range parts {
		var from map[string]any
		if p.doc != nil {
			if from, err = readObject(p.doc.text); err != nil {
				p.doc = nil
			}
		}
		if path == openAPIv3 {
			addIndex(into, from, p)
		} else if from != nil {
			err = addV2(into, from, p.versions)
		}
		if err != nil {
			p.backend.aggregator.config.Log.Warn("aggregator: an OpenAPI document is malformed",
				"url", p.backend.url.Redacted(), "path", path, "error", err)
			err = nil
		}
	}
	return jsonwire.AppendAny(nil, into)
}

// readObject reads a JSON object.
func readObject(text []byte) (map[string]any, error) {
	r := jsonwire.NewReader(text, jsonwire.Options{})
	out, ok := r.Any().(map[string]any)
	r.End()
	if err := r.Err(); err != nil {
		return nil, err
	}
	if !ok {
		return nil, errors.New("the document is not a JSON object")
	}
	return out, nil
}

// addIndex adds the documents of a server to the index of those of OpenAPI 3.0. If its own index is
// not known, it may have one for each group version.
func addIndex(into, from map[string]any, p part) {
	paths := section(into, "paths")
	known := section(from, "paths")
	for _, gv := range p.versions {
		path := pathOf(gv)
		entry, ok := known[path].(map[string]any)
		if p.doc != nil && !ok || paths[path] != nil {
			continue
		}
		target := openAPIv3 + "/" + path
		text, _ := entry["serverRelativeURL"].(string)
		if u, err := url.Parse(text); err == nil && u.Query().Get("hash") != "" {
			target += "?hash=" + url.QueryEscape(u.Query().Get("hash"))
		}
		paths[path] = map[string]any{"serverRelativeURL": target}
	}
}

// section returns an object in an object, which it creates if there is none. A nil object has none.
func section(in map[string]any, name string) map[string]any {
	out, ok := in[name].(map[string]any)
	if !ok {
		out = map[string]any{}
		if in != nil {
			in[name] = out
		}
	}
	return out
}
