// Command front serves what k8s.io/sample-apiserver serves, through an aggregator. ORIGINAL names
// the binary of testdata/original:
//
//	ORIGINAL=/tmp/original front ADDRESS
package main

import (
	"context"
	"errors"
	"log"
	"os"
	"os/signal"
	"syscall"

	"github.com/askind/askind/bench/server/internal/front"
)

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	dir, err := os.MkdirTemp("", "front")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	f, err := front.Start(os.Getenv("ORIGINAL"), dir)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return errors.Join(f.Server.ListenAndServe(ctx, os.Args[1]), f.Close())
}
