// Command schedules serves the unchanged types of a kubebuilder project from memory.
//
//	schedules ADDRESS
//
// The transcripts in testdata are the output of kubectl, both against this server and against
// k8s.io/apiextensions-apiserver with the definition that askind crd generates from the types.
package main

import (
	"context"
	"log"
	"os"

	v1 "github.com/askind/askind/openapi/conformance/kubebuilder/v1"
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

func newServer() (*server.Server, error) {
	scheme, err := runtime.NewScheme(v1.AddTo)
	if err != nil {
		return nil, err
	}
	return server.New(scheme, memory.New(), server.ManagedFields(apply.Always))
}
