// Command cluster runs a whole installation on one machine, each part as a process of its own: etcd
// with three members, three replicas of the fleet server, an inventory server, and an aggregator in
// front that makes them look like one.
//
//	go run .
//
// It prints what to try with kubectl, and reads commands that kill, stop and start parts. README.md
// has the walk through. With -check it does that itself while clients write and watch, and proves
// that no acknowledged write and no event of a watch is lost.
//
// Begin reading with parts.go, which has the servers. What runs them as processes is in
// installation.go, and what proves the promise in check.go.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdin, os.Stdout); err != nil && !errors.Is(err, context.Canceled) {
		log.Fatal(err)
	}
}

// run is one process: a part, if the first argument says so, or the one that starts all parts.
func run(ctx context.Context, args []string, in io.Reader, out io.Writer) (err error) {
	if len(args) == 2 && args[0] == partArgument {
		return runPart(ctx, args[1], in)
	}
	flags := flag.NewFlagSet("cluster", flag.ContinueOnError)
	flags.SetOutput(out)
	o := options{}
	flags.IntVar(&o.port, "port", 8080, "`port` of the aggregator; the other parts have those behind it")
	flags.StringVar(&o.data, "data", "", "`directory` of etcd and of the logs, instead of a temporary one")
	flags.IntVar(&o.members, "members", 3, "`number` of members of etcd")
	flags.IntVar(&o.replicas, "replicas", 3, "`number` of replicas of the fleet server")
	external := flags.String("etcd", "", "`URLs` of an etcd that runs already, instead of members of our own")
	checked := flags.Bool("check", false, "kill parts while clients write and watch, and prove that nothing is lost")
	period := flags.Duration("for", 30*time.Second, "how long -check goes on")
	seed := flags.Uint64("seed", 0, "`number` that decides what -check kills when; 0 for another one each time")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil
		}
		return err
	}
	switch {
	case flags.NArg() > 0:
		return fmt.Errorf("there are only flags, no arguments such as %q", flags.Arg(0))
	case *checked && *period < time.Second:
		return fmt.Errorf("-for %v is too short for a check; it takes a second at least", *period)
	case *external != "":
		o.external = strings.Split(*external, ",")
		if err := reachable(ctx, o.external); err != nil {
			return err
		}
	}
	temporary := ""
	if o.data == "" {
		if temporary, err = os.MkdirTemp("", "cluster-"); err != nil {
			return err
		}
		o.data = temporary
	}
	var all *installation
	defer func() {
		switch {
		case all != nil && err != nil && !errors.Is(err, context.Canceled):
			err = fmt.Errorf("%w; see the logs in %s", err, filepath.Join(o.data, "*.log"))
		case temporary != "":
			_ = os.RemoveAll(temporary)
		}
	}()
	if all, err = newInstallation(o); err != nil {
		return err
	}
	defer all.close()
	fmt.Fprintln(out, "starting", strings.Join(all.names, ", "))
	if err := all.startAll(ctx); err != nil {
		return err
	}
	if *checked {
		return check(ctx, all, checkOptions{period: *period, seed: *seed, out: out})
	}
	fmt.Fprintf(out, hints, all.address(front), all.address(fleetName(1)), o.data)
	return obey(ctx, all, in, out)
}

const hints = `
Everything is up. Try, in another terminal:

  kubectl --server http://%[1]s get machines
  kubectl --server http://%[1]s get machines --watch
  kubectl --server http://%[1]s get apiservices
  kubectl --server http://%[1]s get groups.discovery.k8s.io
  kubectl --server http://%[1]s label machine web-1 color=green
  kubectl --server http://%[2]s get machine web-1 --show-labels   # one of the replicas

Data and logs are in %[3]s. Commands:

` + usage

const usage = `  list           what runs, and where
  kill NAME      kill -9
  stop NAME      ask it to end
  start NAME     start it again
  roll RELEASE   stop and start the fleet servers one by one, as another release: 1 or 2;
                 release 1 does not serve fleet.example.com/v1
  quit
`

// obey carries out the commands of a user until there are no more.
func obey(ctx context.Context, all *installation, in io.Reader, out io.Writer) error {
	lines := make(chan string)
	go func() {
		defer close(lines)
		for s := bufio.NewScanner(in); s.Scan(); {
			lines <- s.Text()
		}
	}()
	for {
		fmt.Fprint(out, "> ")
		select {
		case <-ctx.Done():
			return ctx.Err()
		case line, ok := <-lines:
			words := strings.Fields(line)
			switch {
			case !ok: // no terminal: run until a signal comes
				<-ctx.Done()
				return ctx.Err()
			case len(words) == 0:
			case words[0] == "quit":
				return nil
			default:
				if err := command(ctx, all, words, out); err != nil {
					fmt.Fprintln(out, err)
				}
			}
		}
	}
}

// command carries out one command.
func command(ctx context.Context, all *installation, words []string, out io.Writer) error {
	verb, argument := words[0], ""
	if len(words) > 1 {
		argument = words[1]
	}
	switch verb {
	case "list":
		for _, name := range all.names {
			fmt.Fprintf(out, "  %-12s %-22s %s\n", name, all.address(name), all.status(name))
		}
		return nil
	case "kill":
		return all.kill(argument)
	case "stop":
		return all.stop(argument)
	case "start":
		return all.start(ctx, argument)
	case "roll":
		return all.roll(ctx, argument)
	}
	fmt.Fprint(out, usage)
	return nil
}
