// Command inspect shows, verifies, compacts, exports, imports and restores files of package
// store/file. No other process may have the file open.
//
//	go run github.com/askind/askind/store/file/inspect garage.db
//
// It knows no kinds, so it works on the files of any program. Objects are exported as YAML
// documents of their key and the object:
//
//	key: fleet.example.com/machines/berlin/m1
//	object:
//	  kind: Machine
//	  …
//
// A value that is not JSON is exported in base64, as "value". Imported objects get new revisions.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/askind/askind/store"
	"github.com/askind/askind/store/file"
)

const usage = `usage: inspect [command] file

The commands are
  show      print the revision, counts and sizes; this is the default
  verify    read the whole file and print what is damaged
  compact   rewrite the file without its free space
  restored  prepare a copy that is not a backup, such as one from a snapshot of a disk: it begins
            at a higher revision and without a history
  export    write all objects to the standard output as YAML documents
  import    read such documents from the standard input and create the objects; objects that exist
            are reported and left unchanged
`

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "inspect:", err)
		os.Exit(1)
	}
}

// commands are what can be done with a file.
var commands = map[string]func(ctx context.Context, path string, in io.Reader, out io.Writer) error{
	"show": show, "verify": verify, "compact": compact, "restored": restored, "export": export, "import": restore,
}

// errUsage reports wrong arguments.
var errUsage = errors.New("expected at most one command and one file; see -help")

func run(ctx context.Context, args []string, in io.Reader, out io.Writer) error {
	flags := flag.NewFlagSet("inspect", flag.ContinueOnError)
	flags.SetOutput(out)
	flags.Usage = func() { fmt.Fprint(out, usage) }
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil
		}
		return err
	}
	args = flags.Args()
	command := show
	if len(args) == 2 {
		var ok bool
		if command, ok = commands[args[0]]; !ok {
			return fmt.Errorf("%q is not a command; use one of %s", args[0],
				strings.Join(slices.Sorted(maps.Keys(commands)), ", "))
		}
		args = args[1:]
	}
	if len(args) != 1 {
		return errUsage
	}
	return command(ctx, args[0], in, out)
}

// open opens a file for reading.
func open(path string, read func(*file.Engine) error) error {
	e, err := file.Open(path, file.ReadOnly())
	if err != nil {
		return err
	}
	return errors.Join(read(e), e.Close())
}

func show(ctx context.Context, path string, _ io.Reader, out io.Writer) error {
	return open(path, func(e *file.Engine) error {
		info, err := e.Info(ctx)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "format    %d\nrevision  %d\nhistory   after %d: %d changes, %d bytes\nobjects   %d, %d bytes\nfile      %d bytes, %d of them free\n",
			info.Format, info.Revision, info.Floor, info.Events, info.EventBytes, info.Objects, info.ObjectBytes,
			info.Size, info.Free)
		if info.Backup {
			fmt.Fprintln(out, "it is a backup")
		}
		return showResources(ctx, e, out)
	})
}

// showResources prints how many objects each resource has.
func showResources(ctx context.Context, e *file.Engine, out io.Writer) error {
	type count struct{ objects, bytes int }
	counts := map[string]count{}
	for kv, err := range all(ctx, e) {
		if err != nil {
			return err
		}
		group, rest, _ := strings.Cut(kv.Key, "/")
		resource, _, _ := strings.Cut(rest, "/")
		name := strings.TrimSuffix(resource+"."+group, ".")
		c := counts[name]
		counts[name] = count{c.objects + 1, c.bytes + len(kv.Value)}
	}
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(out, "  %-40q %8d, %d bytes\n", name, counts[name].objects, counts[name].bytes)
	}
	return nil
}

// pageSize is how many objects are read at once.
const pageSize = 1000

// all yields everything in a file.
func all(ctx context.Context, e *file.Engine) func(yield func(store.KeyValue, error) bool) {
	return func(yield func(store.KeyValue, error) bool) {
		for o := (store.RangeOptions{Limit: pageSize}); ; {
			page, err := e.List(ctx, "", o)
			if err != nil {
				yield(store.KeyValue{}, err)
				return
			}
			for _, kv := range page.Items {
				if !yield(kv, nil) {
					return
				}
				o.From = kv.Key + "\x00"
			}
			if o.Revision = page.Revision; !page.More {
				return
			}
		}
	}
}

func verify(ctx context.Context, path string, _ io.Reader, out io.Writer) error {
	return open(path, func(e *file.Engine) error {
		err := e.Verify(ctx)
		if err == nil {
			fmt.Fprintln(out, "no damage found")
		}
		return err
	})
}

func restored(ctx context.Context, path string, _ io.Reader, out io.Writer) error {
	if _, err := os.Stat(path); err != nil {
		return err
	}
	e, err := file.Open(path, file.Restored())
	if err != nil {
		return err
	}
	revision, err := e.Revision(ctx)
	if err = errors.Join(err, e.Close()); err == nil {
		fmt.Fprintf(out, "it begins at revision %d\n", revision)
	}
	return err
}

func compact(_ context.Context, path string, _ io.Reader, out io.Writer) error {
	before, err := os.Stat(path)
	if err != nil {
		return err
	}
	if err := file.Compact(path); err != nil {
		return err
	}
	after, err := os.Stat(path)
	if err == nil {
		fmt.Fprintf(out, "%d bytes before, %d now\n", before.Size(), after.Size())
	}
	return err
}
