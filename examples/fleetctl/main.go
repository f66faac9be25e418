// Command fleetctl reads and writes the objects of any server with a Kubernetes-style API:
//
//	fleetctl get fleet.example.com/machines/web-1 -o yaml
//	fleetctl apply -f machines.yaml
//	fleetctl explain machines.spec -groups fleet.example.com
//
// The command has no kinds built in: tables and descriptions come from the server, and resources
// from discovery. A bare name that several groups have is an error that lists them, unless -groups
// states their order.
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
	"slices"
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
	err := (&command{in: os.Stdin, out: os.Stdout, warn: os.Stderr}).run(ctx, os.Args[1:])
	if err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(client.Printable(os.Stderr), "fleetctl:", err)
		os.Exit(1)
	}
}

// command is one run of the program.
type command struct {
	in        io.Reader
	out, warn io.Writer
	transport http.RoundTripper // nil for the network

	server, namespace, selector, output, file string
	prefix, groups, apiVersion, outputVersion string
	all                                       bool
	shown                                     []restmapper.Argument // in the version of the output
	factory                                   *serializer.Factory
	client                                    *client.Client
	mapper                                    *client.Mapper
}

var commands = map[string]func(*command, context.Context, []string) error{
	"get": (*command).get, "describe": (*command).describe, "watch": (*command).watch, "apply": (*command).apply,
	"delete": (*command).remove, "api-resources": (*command).resources, "explain": (*command).explain,
}

// takenBy has the commands of each flag that only some commands take.
var takenBy = map[string]string{
	"o": "get", "output-version": "get", "f": "apply", "n": "get describe watch delete apply",
	"A": "get describe watch delete", "l": "get describe watch delete", "api-version": "get describe watch delete explain",
}

// run parses flags, which may be anywhere, and runs the command that the first argument names.
func (c *command) run(ctx context.Context, args []string) error {
	c.out, c.warn = client.Printable(c.out), client.Printable(c.warn)
	flags := flag.NewFlagSet("fleetctl", flag.ContinueOnError)
	flags.SetOutput(c.warn)
	flags.StringVar(&c.server, "server", "http://127.0.0.1:8080", "`URL` of the server")
	flags.StringVar(&c.namespace, "n", metav1.NamespaceDefault, "`namespace` of the objects")
	flags.BoolVar(&c.all, "A", false, "objects of all namespaces")
	flags.StringVar(&c.selector, "l", "", "label `selector` of the objects")
	flags.StringVar(&c.output, "o", "", "`form` of the output: wide, name, json or yaml instead of a table")
	flags.StringVar(&c.file, "f", "-", "`file` with the objects to apply, - for standard input")
	flags.StringVar(&c.prefix, "prefix", "", "first `segment` of the paths, instead of what discovery says")
	flags.StringVar(&c.groups, "groups", "", "`groups`, with commas between, that come first where names are ambiguous")
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
	err := c.connect()
	if len(words) > 1 && !strings.Contains(takenBy["api-version"], words[0]) {
		err = fmt.Errorf("%s does not take the argument %s", words[0], words[1])
	}
	flags.Visit(func(f *flag.Flag) {
		if by := takenBy[f.Name]; by != "" && !slices.Contains(strings.Fields(by), words[0]) {
			err = fmt.Errorf("%s does not take the flag -%s", words[0], f.Name)
		}
	})
	if err != nil {
		return err
	}
	return commands[words[0]](c, ctx, words[1:])
}

// connect creates the client. Its scheme has only the kinds that all APIs share.
func (c *command) connect() error {
	scheme, err := runtime.NewScheme(metav1.AddTo, metav1.AddCoreTo)
	if err != nil {
		return err
	}
	if c.factory, err = serializer.NewFactory(scheme, json.Format(), yaml.Format(), text.Format()); err != nil {
		return err
	}
	t, err := client.HTTP(c.server, c.factory, client.RoundTripper(c.transport))
	if err != nil {
		return err
	}
	c.client = client.New(t, scheme)
	// A version names the group, too.
	spoken, _, _ := strings.Cut(c.apiVersion, "/")
	shown, _, _ := strings.Cut(c.outputVersion, "/")
	groups := strings.FieldsFunc(spoken+","+c.groups+","+shown, func(r rune) bool { return r == ',' })
	c.mapper = c.client.Mapper(client.MapperOptions{Prefixes: strings.Fields(c.prefix), Groups: groups})
	return nil
}

// arguments resolves arguments, in the version of the requests.
func (c *command) arguments(ctx context.Context, words []string) ([]restmapper.Argument, error) {
	args, err := restmapper.ParseArguments(ctx, c.mapper, words...)
	if err == nil && c.outputVersion != "" {
		c.shown, err = restmapper.InVersion(ctx, c.mapper, c.outputVersion, args...)
	}
	if err == nil && c.apiVersion != "" {
		args, err = restmapper.InVersion(ctx, c.mapper, c.apiVersion, args...)
	}
	for i := 0; i < len(args) && err == nil; i++ {
		if args[i].Name != "" && (c.all || c.selector != "") {
			err = fmt.Errorf("-A and -l select objects; leave out the name %s, or the flag", args[i].Name)
		}
		args[i].Prefix = cmp.Or(c.prefix, args[i].Prefix)
	}
	return args, err
}

// request begins a request in the namespace of the command.
func (c *command) request(verb string, a restmapper.Argument) *client.Request {
	q := &client.Request{Verb: verb, Prefix: a.Prefix, Resource: a.Resource, Kind: a.Kind, Name: a.Name}
	if a.Scope == runtime.Namespaced && !c.all {
		q.Namespace = c.namespace
	}
	if verb != "get" && verb != "delete" {
		q.Options = &metav1.ListOptions{LabelSelector: c.selector}
	}
	return q
}

// do sends a request, and prints the response, or the names in a table that is not text, and the
// warnings of the server.
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
			cells := append(row.Cells, "") // a server may send none
			fmt.Fprintf(c.out, "%s/%v\n", q.Resource.GroupResource(), cells[0])
		}
	}
	_, err = c.out.Write(resp.Bytes)
	return err
}
