// Command fleet serves the machines of a fleet over HTTP: in every version of their API, in every format, and as whatever kind a client asks
// for.
//
//	go run ./examples/fleet
//
// It reads objects from YAML and JSON files, by default those of its own testdata, keeps them in memory, and prints requests to try. Press
// Ctrl-C to stop it. With -data it reads a directory of yours: put a mistake into a copy of testdata and see what it says.
//
// Begin reading with the types in api/fleet/v1, then see what api/fleet/v1alpha1 has to say to become that. The program itself is small:
//
//	scheme.go     which kinds there are
//	load.go       files to objects, and everything that is wrong with them
//	store.go      objects in memory, each in one version
//	journal.go    their changes, and who watches them
//	server.go     which path and method is what
//	list.go       lists and watches
//	write.go      new objects, changed ones, and their sizes
//	patch.go      objects changed in part
//	fields.go     selecting by name
//	discovery.go  what there is to ask for
//	responses.go  what goes wrong
//	curl.go       the requests that are printed
//
// README.md shows what it answers.
//
// Only scheme.go names any kind; all else works with the kinds of any scheme. What the generator writes beside the types is made by
//
//	go generate ./examples/fleet
package main

import (
	"context"
	"embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/askind/askind/httpapi"
)

//go:generate go tool askind ./...

//go:embed testdata/*.yaml
var testdata embed.FS

// Exit codes.
const (
	exitOK    = 0
	exitError = 1
	exitUsage = 2
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is the whole program. It returns the exit code when the context is done or something is wrong.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("fleet", flag.ContinueOnError)
	flags.SetOutput(stderr)
	addr := flags.String("addr", "127.0.0.1:8080", "`address` to listen on; port 0 chooses a free one")
	data := flags.String("data", "", "`directory` of files to serve instead of the built-in ones")
	var now clockFlag
	flags.Var(&now, "now", "`time` to take for the present one, as 2026-11-21T12:00:00Z, so that ages are always the same")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return exitOK
		}
		return exitUsage
	}
	if flags.NArg() > 0 {
		fmt.Fprintf(stderr, "fleet: unexpected argument %q\n", flags.Arg(0))
		flags.Usage()
		return exitUsage
	}
	if err := serve(ctx, *addr, *data, now.clock, stdout, stderr); err != nil {
		fmt.Fprintln(stderr, err)
		if bad, ok := errors.AsType[*loadError](err); ok {
			fmt.Fprintf(stderr, "fleet: %d documents are wrong; nothing is served\n", len(bad.problems))
		}
		return exitError
	}
	return exitOK
}

// clockFlag is a clock that stands still, or nil.
type clockFlag struct{ clock func() time.Time }

// String implements [flag.Value].
func (f *clockFlag) String() string {
	if f.clock == nil {
		return ""
	}
	return f.clock().Format(time.RFC3339)
}

// Set implements [flag.Value].
func (f *clockFlag) Set(text string) error {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return err
	}
	f.clock = func() time.Time { return t }
	return nil
}

// serve loads and serves until the context is done. The clock may be nil, for the time that it is.
func serve(ctx context.Context, addr, dir string, clock func() time.Time, stdout, stderr io.Writer) error {
	factory, err := newFactory()
	if err != nil {
		return err
	}
	files, err := dataFiles(&dir)
	if err != nil {
		return err
	}
	settings := httpapi.Settings{Now: clock, Gzip: true, Log: func(r *http.Request, err error) {
		fmt.Fprintf(stderr, "fleet: %s %s: %v\n", r.Method, r.URL.Path, err)
	}}
	if clock == nil {
		clock = time.Now
	}
	store, err := load(ctx, factory, files, dir, clock)
	if err != nil {
		return err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return fmt.Errorf("fleet: %w", err)
	}
	base := "http://" + listener.Addr().String()
	fmt.Fprintf(stdout, "serving %d objects on %s until interrupted; try\n\n", store.current(), base)
	printRequests(stdout, base, suggest(store))
	return listenUntil(ctx, listener, newHandler(factory, store, settings))
}

// dataFiles returns the files to read. For the built-in ones it sets dir to where they are in the repository.
func dataFiles(dir *string) (fs.FS, error) {
	if *dir != "" {
		return os.DirFS(*dir), nil
	}
	*dir = "testdata"
	return fs.Sub(testdata, "testdata")
}

// shutdownTime is how long requests that are under way may take once the program has been asked to stop.
const shutdownTime = 5 * time.Second

// listenUntil serves connections until the context is done and the requests that are under way have been answered. Watches end with the
// context, because they would never be answered otherwise.
func listenUntil(ctx context.Context, l net.Listener, h http.Handler) error {
	srv := &http.Server{Handler: untilDone(ctx, h), ReadHeaderTimeout: 10 * time.Second}
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(l) }()
	select {
	case err := <-failed:
		return fmt.Errorf("fleet: %w", err)
	case <-ctx.Done():
	}
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime)
	defer cancel()
	if err := srv.Shutdown(bounded); err != nil {
		return fmt.Errorf("fleet: stop: %w", err)
	}
	return nil
}

// untilDone ends the context of each watch when another context is done.
func untilDone(ctx context.Context, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || !r.URL.Query().Has("watch") {
			h.ServeHTTP(w, r)
			return
		}
		bounded, cancel := context.WithCancel(r.Context())
		defer cancel()
		defer context.AfterFunc(ctx, cancel)()
		h.ServeHTTP(w, r.WithContext(bounded))
	})
}
