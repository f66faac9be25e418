package apiextensions

import (
	"context"
	"crypto/sha256"
	"errors"
	"slices"
	"sync"

	"github.com/askind/askind/internal/sorted"
	"github.com/askind/askind/meta/dynamic"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/server"
	"github.com/askind/askind/server/apiextensions/internal/stored"
	"github.com/askind/askind/server/apiextensions/v1"
	"github.com/askind/askind/server/internal/replaced"
)

// compiler makes resources of definitions. It keeps the latest ones, because a definition is looked
// at several times before it is served, and compiling rules takes long. It is safe for concurrent
// use.
type compiler struct {
	srv *server.Server

	mu     sync.Mutex
	latest []compiled // the newest first
}

// compiled is the resource of a definition.
type compiled struct {
	definition [sha256.Size]byte // the hash of the name and the spec
	size       int               // of the name and the spec in JSON
	resource   *dynamic.Resource
}

// mostKept bounds the size of the definitions whose resources are kept, the latest one aside. It is
// larger than what most servers have, so that a definition is compiled once even if many are
// created before the first of them is served. What is served is in memory anyway.
const mostKept = 32 << 20

// resource returns the resource that a definition describes, with the rules of the server.
func (c *compiler) resource(d *v1.CustomResourceDefinition) (*dynamic.Resource, error) {
	bare := &v1.CustomResourceDefinition{Spec: d.Spec}
	bare.Name = d.Name
	text, err := v1.AppendJSONCustomResourceDefinition(nil, bare)
	if err != nil {
		return nil, err
	}
	key := sha256.Sum256(text)
	if r := c.find(key); r != nil {
		return r, nil
	}
	definition, err := d.Definition()
	if err != nil {
		return nil, err
	}
	definition.Rules = c.srv.RuleCompiler()
	r, err := dynamic.New(definition)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.latest = sorted.Insert(c.latest, 0, compiled{key, len(text), r})
	size := 0
	for i, kept := range c.latest {
		if size += kept.size; size > mostKept && i > 0 {
			c.latest = slices.Delete(c.latest, i, len(c.latest))
			break
		}
	}
	return r, nil
}

// check returns what is wrong with the rules of a definition. Other mistakes are found without it.
func (c *compiler) check(ctx context.Context, d *v1.CustomResourceDefinition) runtime.FieldErrors {
	old := replaced.Old[v1.CustomResourceDefinition](ctx)
	if c.srv.RuleCompiler() == nil || stored.Marked(ctx) || old != nil && d.Keeps(old) {
		return nil
	}
	_, err := c.resource(d)
	if err == nil || len(v1.ValidateCustomResourceDefinition(ctx, d)) > 0 {
		return nil
	}
	errs, _ := errors.AsType[runtime.FieldErrors](err)
	return errs
}

// find returns a resource that is kept, or nil.
func (c *compiler) find(definition [sha256.Size]byte) *dynamic.Resource {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, kept := range c.latest {
		if kept.definition == definition {
			return kept.resource
		}
	}
	return nil
}
