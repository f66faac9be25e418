// Command fleet serves the machines of a fleet: two groups, four versions of their API, every
// format and representation, to kubectl, client-go and curl.
//
//	go run ./examples/fleet
//
// It starts with the objects of testdata, in memory or, with -data fleet.db, in a file. README.md
// shows requests to try. Begin reading with the types in api/fleet/v1.
package main

import (
	"context"
	"embed"
	"flag"
	"io/fs"
	"log"
	"os"
	"os/signal"
	"syscall"

	"github.com/askind/askind/examples/fleet/api/fleet/v1"
	"github.com/askind/askind/examples/fleet/api/fleet/v1alpha1"
	"github.com/askind/askind/examples/fleet/api/fleet/v1beta1"
	inventoryv1 "github.com/askind/askind/examples/fleet/api/inventory/v1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer/html"
	"github.com/askind/askind/server"
	"github.com/askind/askind/server/apiextensions"
	"github.com/askind/askind/store"
	"github.com/askind/askind/store/file"
	"github.com/askind/askind/store/memory"
)

//go:generate go tool askind ./...

//go:embed testdata/*.yaml
var testdata embed.FS

func main() {
	addr := flag.String("addr", "127.0.0.1:8080", "`address` to listen on")
	data := flag.String("data", "", "`file` to keep the objects in, instead of memory")
	flag.Parse()
	if flag.NArg() > 0 {
		log.Fatal("there are only flags, no arguments such as ", flag.Arg(0))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	db, err := open(*data)
	check(err)
	defer db.Close()
	srv, err := newServer(ctx, db)
	check(err)
	check(srv.ListenAndServe(ctx, *addr))
}

// newServer returns a server of the fleet.
func newServer(ctx context.Context, db store.Engine, options ...server.Option) (*server.Server, error) {
	scheme, err := newScheme()
	if err != nil {
		return nil, err
	}
	files, err := fs.Sub(testdata, "testdata")
	if err != nil {
		return nil, err
	}
	options = append(options, server.Title("fleet"), server.Seed(files))
	srv, err := server.NewWithFormats(scheme, db, append(server.Formats(), html.Format()), options...)
	if err != nil {
		return nil, err
	}
	return srv, apiextensions.Serve(ctx, srv)
}

// open returns the engine that stores the objects.
func open(path string) (store.Engine, error) {
	if path == "" {
		return memory.New(), nil
	}
	return file.Open(path)
}

// newScheme registers the kinds of each version, their descriptions, and those that all APIs share.
func newScheme() (*runtime.Scheme, error) {
	return runtime.NewScheme(
		v1.AddTo, v1beta1.AddTo, v1alpha1.AddTo, inventoryv1.AddTo,
		v1.AddDescriptionsTo, v1beta1.AddDescriptionsTo, v1alpha1.AddDescriptionsTo, inventoryv1.AddDescriptionsTo,
		metav1.AddTo, metav1.AddCoreTo, metav1.AddViewsTo,
	)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
