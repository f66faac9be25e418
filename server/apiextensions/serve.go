package apiextensions

import (
	"context"
	"fmt"
	"slices"

	"github.com/askind/askind/client"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/restmapper"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/server"
	"github.com/askind/askind/server/apiextensions/v1"
)

// Serve adds the resource customresourcedefinitions to a server and from then on serves the kinds
// of its objects. It returns when the kinds of all stored definitions are served, or with an error
// if that is impossible. The work goes on until ctx is done or the server is closed. Call it once,
// before the server serves requests; otherwise the Groups of stored definitions are removed and
// made anew.
func Serve(ctx context.Context, srv *server.Server) error {
	compiler := &compiler{srv: srv}
	groups := []func(*runtime.Builder){func(b *runtime.Builder) {
		runtime.AddDefault(b, protect)
		runtime.AddValidation(b, compiler.check)
	}}
	if _, ok := srv.Scheme().Lookup(v1.GroupVersion.WithKind("CustomResourceDefinition")); !ok {
		groups = append(groups, v1.AddTo)
	}
	if err := srv.Install(groups...); err != nil {
		return fmt.Errorf("apiextensions: %w", err)
	}
	c := &controller{
		srv: srv, compiler: compiler, log: srv.Logger(),
		definitions: client.Of[v1.CustomResourceDefinition](srv.Client()),
		metadata: srv.Client().Metadata(restmapper.Mapping{
			Kind:     v1.GroupVersion.WithKind("CustomResourceDefinition"),
			Resource: v1.GroupVersion.WithResource("customresourcedefinitions"),
			Scope:    runtime.Cluster,
		}),
		known:  map[string]*metav1.PartialObjectMetadata{},
		served: map[string]*v1.CustomResourceDefinition{},
		dirty:  map[string]bool{}, failed: map[string]failure{}, emptied: map[string]bool{},
		terminating: map[string]context.CancelFunc{}, ended: make(chan termination),
	}
	ready := make(chan error, 1)
	srv.Go(func(serving context.Context) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(serving, cancel)()
		c.run(ctx, ready)
	})
	return <-ready
}

// protect adds the finalizer to a definition that somebody writes, so that it is never without.
func protect(d *v1.CustomResourceDefinition) error {
	if d.DeletionTimestamp == nil && !slices.Contains(d.Finalizers, v1.Finalizer) {
		d.Finalizers = append(d.Finalizers, v1.Finalizer)
	}
	return nil
}
