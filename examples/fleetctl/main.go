// Command fleetctl reads and writes the objects of any server of this kind of API:
//
//	fleetctl get fleet.example.com/machines/web-1 -o yaml
//	fleetctl apply -f machines.yaml
//	fleetctl explain machines.spec -groups fleet.example.com
//
// The command knows no kinds: tables and descriptions come from the server, and resources from
// discovery. A bare name that several groups have is an error that lists them, unless -groups
// says which one comes first.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"strings"

	"github.com/askind/askind/client"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/restmapper"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/json"
	"github.com/askind/askind/serializer/text"
	"github.com/askind/askind/serializer/yaml"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	c := &command{in: os.Stdin, out: os.Stdout, warn: os.Stderr}
	if err := c.run(ctx, os.Args[1:]); err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintln(os.Stderr, "fleetctl:", err)
		os.Exit(1)
	}
}

// command is one run of the program.
type command struct {
	in        io.Reader
	out, warn io.Writer
	transport http.RoundTripper // nil for the network

	server, namespace, selector, output, file string
	groups, apiVersion, outputVersion         string
	all                                       bool
	prefixes                                  []string

	shown   []restmapper.Argument // in the version of the output
	factory *serializer.Factory
	client  *client.Client
	mapper  *client.Mapper
}

var commands = map[string]func(*command, context.Context, []string) error{
	"get": (*command).get, "describe": (*command).describe, "watch": (*command).watch, "apply": (*command).apply,
	"delete": (*command).remove, "api-resources": (*command).resources, "explain": (*command).explain,
}

// run parses flags, which may stand anywhere, and does what the first argument says.
func (c *command) run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("fleetctl", flag.ContinueOnError)
	flags.SetOutput(c.warn)
	flags.StringVar(&c.server, "server", "http://127.0.0.1:8080", "`URL` of the server")
	flags.StringVar(&c.namespace, "n", metav1.NamespaceDefault, "`namespace` of the objects")
	flags.BoolVar(&c.all, "A", false, "objects of all namespaces")
	flags.StringVar(&c.selector, "l", "", "label `selector` of the objects")
	flags.StringVar(&c.output, "o", "", "`form` of the output: wide, name, json or yaml instead of a table")
	flags.StringVar(&c.file, "f", "-", "`file` with the objects to apply, - for standard input")
	flags.Func("prefix", "first `segment` of the paths, instead of what discovery says", func(p string) error {
		c.prefixes = []string{p}
		return nil
	})
	flags.StringVar(&c.groups, "groups", "",
		"`groups`, separated by commas, that come first where several have a resource")
	flags.StringVar(&c.apiVersion, "api-version", "", "`group/version` to speak, of one resource")
	flags.StringVar(&c.outputVersion, "output-version", "", "`group/version` of the output, of one resource")
	var words []string
	for rest := args; len(rest) > 0; {
		if err := flags.Parse(rest); err != nil {
			return err
		}
		if rest = flags.Args(); len(rest) > 0 {
			words, rest = append(words, rest[0]), rest[1:]
		}
	}
	if len(words) == 0 || commands[words[0]] == nil {
		return errors.New("the first argument is one of get, describe, watch, apply, delete, api-resources and explain")
	}
	if err := c.connect(); err != nil {
		return err
	}
	return commands[words[0]](c, ctx, words[1:])
}

// connect makes the client. Its scheme has what all APIs share and no kinds of its own.
func (c *command) connect() error {
	scheme, err := runtime.NewScheme(metav1.AddTo, metav1.AddCoreTo)
	if err != nil {
		return err
	}
	if c.factory, err = serializer.NewFactory(scheme, json.Format(), yaml.Format(), text.Format()); err != nil {
		return err
	}
	var opts []client.HTTPOption
	if c.transport != nil {
		opts = append(opts, client.RoundTripper(c.transport))
	}
	t, err := client.HTTP(c.server, c.factory, opts...)
	if err != nil {
		return err
	}
	c.client = client.New(t, scheme)
	o := client.MapperOptions{Prefixes: c.prefixes}
	if c.groups != "" {
		o.Groups = strings.Split(c.groups, ",")
	}
	c.mapper = c.client.Mapper(o)
	return nil
}

// arguments finds out what is meant, in the version that is to be spoken.
func (c *command) arguments(ctx context.Context, words []string) ([]restmapper.Argument, error) {
	args, err := restmapper.ParseArguments(ctx, c.mapper, words...)
	if err != nil {
		return nil, err
	}
	if c.outputVersion != "" {
		if c.shown, err = restmapper.InVersion(ctx, c.mapper, c.outputVersion, args...); err != nil {
			return nil, err
		}
	}
	if c.apiVersion != "" {
		if args, err = restmapper.InVersion(ctx, c.mapper, c.apiVersion, args...); err != nil {
			return nil, err
		}
	}
	for i := range args {
		args[i].Prefix = cmp.Or(strings.Join(c.prefixes, ""), args[i].Prefix)
	}
	return args, nil
}

// request begins a request in the namespace of the command.
func (c *command) request(verb string, a restmapper.Argument) *client.Request {
	q := &client.Request{Verb: verb, Prefix: a.Prefix, Resource: a.Resource, Kind: a.Kind, Name: a.Name}
	if a.Scope == runtime.Namespaced && (!c.all || a.Name != "") {
		q.Namespace = c.namespace
	}
	if verb != "get" && verb != "delete" {
		q.Options = &metav1.ListOptions{LabelSelector: c.selector}
	}
	return q
}

// do carries out a request, and prints the answer, or the names in a table that is not text, and
// the warnings of the server.
func (c *command) do(ctx context.Context, q *client.Request) error {
	resp, err := c.client.Backend().Do(ctx, q)
	if err != nil {
		return err
	}
	for _, w := range resp.Warnings {
		fmt.Fprintln(c.warn, "Warning:", w)
	}
	if t, ok := resp.Object.(*metav1.Table); ok {
		for _, row := range t.Rows {
			fmt.Fprintf(c.out, "%s/%v\n", q.Resource.GroupResource(), row.Cells[0])
		}
	}
	_, err = c.out.Write(resp.Bytes)
	return err
}
