package etcd_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/askind/askind/store/etcd"
)

// A server on etcd: give the engine to server.New or store.Open.
func ExampleDial() {
	engine, err := etcd.Dial(etcd.Config{
		Endpoints:  []string{"http://127.0.0.1:2379"},
		Prefix:     "/garage/",
		Compaction: etcd.Compaction{History: 15 * time.Minute},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer engine.Close()

	revision, err := engine.Revision(context.Background())
	fmt.Println(revision, err)
}
