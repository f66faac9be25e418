// Command wardle is k8s.io/sample-apiserver on this module: its types, conversions, defaults and
// validation are imported as they are, and the plugin that bans flunders is a hook. Objects are
// kept in memory.
//
//	wardle ADDRESS
//
// The transcripts in testdata are what kubectl prints, here and with sample-apiserver.
package main

import (
	"context"
	"log"
	"os"
	"slices"

	"github.com/askind/askind/bench/server/wardle/v1alpha1"
	"github.com/askind/askind/bench/server/wardle/v1beta1"
	"github.com/askind/askind/client"
	"github.com/askind/askind/patch/apply"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/server"
	"github.com/askind/askind/store/memory"
)

func main() {
	srv, err := newServer()
	if err == nil {
		err = srv.ListenAndServe(context.Background(), os.Args[1])
	}
	log.Fatal(err)
}

func newServer() (srv *server.Server, err error) {
	scheme, err := runtime.NewScheme(v1alpha1.AddTo, v1beta1.AddTo)
	if err != nil {
		return nil, err
	}
	ban := func(ctx context.Context, r *server.Request, old, new *v1beta1.Flunder) error {
		for fischer, err := range client.Of[v1alpha1.Fischer](srv.Client()).All(ctx) {
			if err == nil && old == nil && slices.Contains(fischer.DisallowedFlunders, new.Name) {
				err = r.Forbidden("this name may not be used, please change the resource name")
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	return server.New(scheme, memory.New(), server.ManagedFields(apply.Always),
		server.For(server.Hooks[v1beta1.Flunder]{Admit: ban}))
}
