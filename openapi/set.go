package openapi

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/askind/askind/internal/sorted"
	"github.com/askind/askind/runtime"
)

// ErrNotServed is the error for a document that does not exist.
var ErrNotServed = errors.New("openapi: no such document")

// Config describes the whole API. The zero value is usable.
type Config struct {
	// Title and Version name the API; by default they are "askind" and "unversioned".
	Title, Version string
	// Description describes its purpose.
	Description string
	// Path is where the index and the documents of OpenAPI 3.0 are served, by default
	// "/openapi/v3".
	Path string
}

func (c *Config) info(w *writer) {
	w.open("info", '{')
	w.text("title", cmp.Or(c.Title, "askind"))
	if c.Description != "" {
		w.text("description", c.Description)
	}
	w.text("version", cmp.Or(c.Version, "unversioned"))
	w.close('}')
}

// Set has the documents of the resources of a server at one time. It is immutable and safe for
// concurrent use. The zero value is not usable; use [New].
type Set struct {
	config    Config
	resources []Resource
	byPath    map[string][]*Resource
	paths     []string

	source func() (*source, error)
	index  func() (*Document, error)
	v2     func() (*Document, error)

	mu   sync.Mutex
	made map[[2]string]func() (*Document, error) // by the version of OpenAPI and the path
}

// New returns the documents of some resources, whose kinds belong to the scheme. It omits a
// resource without a kind. Documents are created on first use.
func New(c Config, scheme *runtime.Scheme, resources ...Resource) *Set {
	if scheme == nil {
		panic("openapi: New: the scheme is nil")
	}
	c.Path = cmp.Or(c.Path, "/openapi/v3")
	s := &Set{
		config: c, byPath: map[string][]*Resource{}, made: map[[2]string]func() (*Document, error){},
		resources: make([]Resource, 0, len(resources)),
	}
	for _, r := range resources {
		if r.Kind != nil {
			s.resources = append(s.resources, r.complete())
		}
	}
	sorted.Func(s.resources, func(a, b Resource) int {
		return cmp.Or(cmp.Compare(a.path(), b.path()),
			cmp.Compare(a.Name, b.Name))
	})
	for i := range s.resources {
		r := &s.resources[i]
		p := r.path()
		if s.byPath[p] == nil {
			s.paths = append(s.paths, p)
		}
		s.byPath[p] = append(s.byPath[p], r)
	}
	s.source = sync.OnceValues(func() (*source, error) { return newSource(scheme, s.resources) })
	s.index = sync.OnceValues(s.makeIndex)
	s.v2 = sync.OnceValues(func() (*Document, error) { return s.makeV2(s.paths...) })
	return s
}

// Paths returns the sorted paths of the OpenAPI 3.0 documents, such as "apis/fleet.example.com/v1".
func (s *Set) Paths() []string { return slices.Clone(s.paths) }

// V3 returns the OpenAPI 3.0 document of one version of a group. The path is one of [Set.Paths];
// for others the error is [ErrNotServed].
func (s *Set) V3(path string) (*Document, error) {
	return s.once("3.0", path, func() (*Document, error) {
		src, err := s.source()
		if err != nil {
			return nil, err
		}
		return newDocument(mediaJSON, src.v3(&s.config, s.pathsOf(src, path))), nil
	})
}

// V2 returns the OpenAPI 2.0 document of all resources.
func (s *Set) V2() (*Document, error) { return s.v2() }

// Swagger returns the document of one version of a group in a version of OpenAPI, "2.0" or "3.0".
// The path is one of [Set.Paths]. For other paths and versions the error is [ErrNotServed].
func (s *Set) Swagger(version, path string) (*Document, error) {
	switch version {
	case "3.0":
		return s.V3(path)
	case "2.0":
		return s.once("2.0", path, func() (*Document, error) { return s.makeV2(path) })
	}
	return nil, fmt.Errorf("%w: unknown version %q of OpenAPI; use 2.0 or 3.0", ErrNotServed, version)
}

// Index returns the list of the OpenAPI 3.0 documents, each with a URL that changes with the
// document.
func (s *Set) Index() (*Document, error) { return s.index() }

// once creates the document of a path in a version of OpenAPI on first use.
func (s *Set) once(version, path string, produce func() (*Document, error)) (*Document, error) {
	if s.byPath[path] == nil {
		return nil, fmt.Errorf("%w: %q", ErrNotServed, path)
	}
	s.mu.Lock()
	f := s.made[[2]string{version, path}]
	if f == nil {
		f = sync.OnceValues(produce)
		s.made[[2]string{version, path}] = f
	}
	s.mu.Unlock()
	return f()
}

// pathsOf returns the paths of a document, sorted.
func (s *Set) pathsOf(src *source, documents ...string) []*path {
	var out []*path
	for _, name := range documents {
		for i, r := range s.byPath[name] {
			if i == 0 {
				out = append(out, src.discovery(r))
			}
			out = append(out, src.paths(r)...)
		}
	}
	sorted.Func(out, func(a, b *path) int { return cmp.Compare(a.path, b.path) })
	return out
}

func (s *Set) makeV2(documents ...string) (*Document, error) {
	src, err := s.source()
	if err != nil {
		return nil, err
	}
	text, err := src.v2(&s.config, s.pathsOf(src, documents...))
	if err != nil {
		return nil, err
	}
	return newDocument(mediaJSON, text), nil
}

func (s *Set) makeIndex() (*Document, error) {
	w := &writer{out: []byte{'{'}}
	w.open("paths", '{')
	for _, p := range s.paths {
		d, err := s.V3(p)
		if err != nil {
			return nil, err
		}
		w.open(p, '{')
		w.text("serverRelativeURL", strings.TrimSuffix(s.config.Path, "/")+"/"+p+"?hash="+d.Hash())
		w.close('}')
	}
	w.close('}', '}')
	return newDocument(mediaJSON, w.out), nil
}
