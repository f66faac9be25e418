// Serves kinds of Kubernetes and CustomResourceDefinitions, as operators need them, until it is
// interrupted.
package main

import (
	"context"
	"log"
	"os"
	"os/signal"

	"github.com/askind/askind/k8s/appsv1"
	"github.com/askind/askind/k8s/coordinationv1"
	"github.com/askind/askind/k8s/corev1"
	"github.com/askind/askind/k8s/eventsv1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/server"
	"github.com/askind/askind/server/apiextensions"
	"github.com/askind/askind/server/auth"
	"github.com/askind/askind/store/memory"
	"github.com/askind/askind/validation/cel"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	scheme, err := runtime.NewScheme(corev1.AddTo, appsv1.AddTo, coordinationv1.AddTo, eventsv1.AddTo)
	check(err)
	// With an authorizer the server answers what a user may do, which operators ask.
	srv, err := server.New(scheme, memory.New(), server.Rules(cel.Compile), server.Authorize(auth.AllowAll()))
	check(err)
	check(apiextensions.Serve(ctx, srv))
	check(srv.ListenAndServe(ctx, os.Args[1]))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
