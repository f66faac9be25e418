// Command notes serves one kind from memory, for kubectl, client-go and curl.
package main

import (
	"context"
	"log"
	"os"
	"os/signal"
	"syscall"

	"github.com/askind/askind/examples/notes/api/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/server"
	"github.com/askind/askind/store/memory"
)

//go:generate go tool askind ./...

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	scheme, err := runtime.NewScheme(v1.AddTo)
	check(err)
	srv, err := server.New(scheme, memory.New())
	check(err)
	check(srv.ListenAndServe(ctx, "127.0.0.1:8080"))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
