package main

import (
	"flag"
	"io/fs"
	"testing"
	"time"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/cbor"
	"github.com/askind/askind/serializer/json"
	"github.com/askind/askind/serializer/protobuf"
	"github.com/askind/askind/serializer/yaml"
	"github.com/askind/askind/server"
	"github.com/askind/askind/store/memory"
)

var update = flag.Bool("update", false, "rewrite the files that hold what is expected")

// groups are the API groups of the example.
var groups = []string{"fleet.example.com", "inventory.example.com"}

func mustScheme(t *testing.T) *runtime.Scheme {
	t.Helper()
	s, err := newScheme()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func mustFactory(t *testing.T) *serializer.Factory {
	t.Helper()
	f, err := serializer.NewFactory(mustScheme(t), json.Format(), yaml.Format(), protobuf.Format(), cbor.Format())
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func files(t *testing.T) fs.FS {
	t.Helper()
	sub, err := fs.Sub(testdata, "testdata")
	if err != nil {
		t.Fatal(err)
	}
	return sub
}

// mustServe returns the server of the example at a time that stands still.
func mustServe(t *testing.T) *server.Server {
	t.Helper()
	noon := time.Date(2026, time.November, 21, 12, 0, 0, 0, time.UTC)
	db := memory.New()
	s, err := newServer(t.Context(), db, server.Clock(func() time.Time { return noon }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = s.Close()
		_ = db.Close()
	})
	return s
}
