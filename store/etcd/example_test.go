package etcd_test

import (
	"context"
	"fmt"
	"log"

	"github.com/askind/askind/store/etcd"
)

// A server on etcd: give the engine to server.New or store.Open.
func ExampleDial() {
	engine, err := etcd.Dial(etcd.Config{Endpoints: []string{"http://127.0.0.1:2379"}, Prefix: "/garage/"})
	if err != nil {
		log.Fatal(err)
	}
	defer engine.Close()
	go engine.RunCompactor(context.Background(), 0, func(err error) { log.Print(err) })

	revision, err := engine.Revision(context.Background())
	fmt.Println(revision, err)
}
