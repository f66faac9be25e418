// Command askind generates the code of API packages: deep copies, defaults, JSON, protobuf,
// conversions, other forms of a kind, registration.
//
//	askind [flags] [packages]         generate
//	askind init [flags] group/version Kind
//	                                  write a project that serves a kind in two versions
//	askind init [flags] group         write the skeleton of such a group in a module
//	askind lint [flags] [packages]    report mistakes in API types that compile
//	askind explain type type          say how two types convert, or, of one field, what is done with it
//	askind schema [flags] [packages]  write JSON Schema files for editors
//	askind crd [flags] [packages]     write CustomResourceDefinitions
//	askind markers [-json]            list the markers that steer the generator
//	askind help [command]             say what a command does
//
// Packages are named as for the go command; ./... is usual. The files zz_generated.<concern>.go are
// written beside the types. If anything in the sources is wrong, all of it is printed and no file
// changes. Conversions that lose something which the record zz_generated.losses.txt does not have
// count as wrong; -accept-losses enters it.
//
// The exit status is 0 if all is well, 1 if there are findings or, with -check or -diff, files that
// differ, and 2 if the command was not understood.
package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"

	"github.com/askind/askind/codegen"
	"github.com/askind/askind/schema"
)

func main() {
	// A run is short and its memory small, so collecting it often costs more than it saves.
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// The exit statuses. They are the same for all commands.
const (
	exitClean    = 0
	exitFindings = 1
	exitUsage    = 2
)

// command is one thing that askind does.
type command struct {
	// name is blank for the one that runs when no other is named.
	name string
	// usage is what follows the name; summary one line; help the rest, in whole sentences.
	usage, summary, help string
	run                  func(c *command, args []string, stdout, stderr io.Writer) int
}

// commands in the order in which help lists them.
func commands() []*command {
	return []*command{
		{
			usage: "[flags] [packages]", summary: "generate", run: generate,
			help: "Writes zz_generated.<concern>.go beside the types of every package whose comment carries +groupName or\n" +
				"+askind:generate. Packages are named as for the go command; none means the one in this directory.\n" +
				"If anything in the sources is wrong, all of it is printed and no file changes.",
		},
		{
			name: "init", usage: "[flags] group/version Kind | group", summary: "write a project, or a group in a module",
			run: initSource,
			help: "With a version and a kind, as in garage.example.com/v1 Car, writes a project: a module that serves two\n" +
				"versions of the kind, with a test that runs the server. With the name of a group alone, writes that group\n" +
				"in the module that is there: two versions of one kind, a package that registers both, and a test. It says\n" +
				"what to do next, and refuses to replace a file.",
		},
		{
			name: "lint", usage: "[flags] [packages]", summary: "report mistakes in API types that compile", run: lint,
			help: "Looks at the types of every package that generates, and writes nothing. Each rule can be switched off\n" +
				"at a field, a type or a package, with a reason:\n\n" +
				"\t// +askind:nolint:rule=tag-name,reason=\"v1 was published with this name\"",
		},
		{
			name: "explain", usage: "[flags] type type | field [packages]",
			summary: "say how two types convert, or what is done with a field", run: explain,
			help: "Prints for two types, such as v1beta1.Machine v1.Machine, what becomes of every field in either direction, what gets lost\n" +
				"or is carried, and what each conversion shares, may refuse and changes. For a field, such as v1.Machine.spec.size, prints how\n" +
				"it is declared, encoded, copied, defaulted and converted. Types are named by package, version, group version or import path;\n" +
				"packages are those to look in, by default ./...\n" +
				"Conversions that do not know what becomes of a field count as a finding.",
		},
		{
			name: "schema", usage: "[flags] [packages]", summary: "write JSON Schema files for editors",
			run: jsonSchema,
			help: "Writes a JSON Schema 2020-12 for each kind, as group/kind_version.json, and all.json, which accepts an\n" +
				"object of any kind. An editor uses one that a comment names in a document:\n\n" +
				"\t# yaml-language-server: $schema=./schemas/fleet.example.com/machine_v1.json",
		},
		{
			name: "crd", usage: "[flags] [packages]", summary: "write CustomResourceDefinitions", run: customResources,
			help: "Writes a CustomResourceDefinition in YAML for each kind with all its versions among the packages, as\n" +
				"group_resource.yaml. The markers of kubebuilder say what is in it.",
		},
		{
			name: "markers", usage: "[-json]", summary: "list the markers that steer the generator", run: markers,
			help: "Prints every marker with the place where it stands, what it means and its arguments.",
		},
		{
			name: "help", usage: "[command]", summary: "say what a command does", run: help,
			help: "Prints the commands and the exit status, or the help of one command.",
		},
	}
}

// exitHelp tells what the exit status means.
const exitHelp = `The exit status is
  0  if all is well;
  1  if there are findings, or with -check or -diff files that differ;
  2  if the command was not understood.
`

func run(args []string, stdout, stderr io.Writer) int {
	all := commands()
	if len(args) > 0 {
		names := make([]string, len(all))
		for i, c := range all {
			names[i] = c.called()
			if names[i] == args[0] {
				return c.run(c, args[1:], stdout, stderr)
			}
		}
		// A word that is nearly a command is not a package: those are written with a dot or a
		// slash, but for the few that are called like that in full.
		if near, ok := schema.Nearest(args[0], names); ok && !strings.ContainsAny(args[0], "-./") {
			return all[0].misused(stderr, "there is no command %q (did you mean %q?); a package of this name is ./%s",
				args[0], near, args[0])
		}
	}
	return all[0].run(all[0], args, stdout, stderr)
}

// called is the name of a command; that of the first one may be left out.
func (c *command) called() string { return cmp.Or(c.name, "generate") }

func (c *command) line() string {
	return strings.TrimSpace("askind " + strings.TrimSpace(c.name+" "+c.usage))
}

// flags returns the flag set of a command. Nothing is printed by it: [command.parse] does that.
func (c *command) flags() *flag.FlagSet {
	fs := flag.NewFlagSet(strings.TrimSpace("askind "+c.name), flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	return fs
}

// parse reads the arguments. If ok is false the command ends with the status: help was asked for,
// or the arguments make no sense.
func (c *command) parse(fs *flag.FlagSet, args []string, stdout, stderr io.Writer) (status int, ok bool) {
	switch err := fs.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		c.print(fs, stdout)
		return exitClean, false
	case err != nil:
		return c.misused(stderr, "%v", err), false
	}
	return exitClean, true
}

// misused says what is wrong with the arguments and where to read on.
func (c *command) misused(stderr io.Writer, format string, args ...any) int {
	fmt.Fprintf(stderr, "askind: %s\nusage: %s\nRun 'askind help%s' for more.\n", fmt.Sprintf(format, args...),
		c.line(), strings.TrimRight(" "+c.name, " "))
	return exitUsage
}

// print writes the help of a command.
func (c *command) print(fs *flag.FlagSet, w io.Writer) {
	fmt.Fprintf(w, "usage: %s\n\n%s\n", c.line(), c.help)
	fs.SetOutput(w)
	defer fs.SetOutput(io.Discard)
	any := false
	fs.VisitAll(func(*flag.Flag) { any = true })
	if any {
		fmt.Fprint(w, "\nflags:\n")
		fs.PrintDefaults()
	}
	fmt.Fprintf(w, "\n%s", exitHelp)
}

func help(c *command, args []string, stdout, stderr io.Writer) int {
	fs := c.flags()
	if status, ok := c.parse(fs, args, stdout, stderr); !ok {
		return status
	}
	if fs.NArg() > 1 {
		return c.misused(stderr, "help is about one command")
	}
	if name := fs.Arg(0); name != "" {
		for _, other := range commands() {
			if other.called() == name {
				return other.run(other, []string{"-h"}, stdout, stderr)
			}
		}
		return c.misused(stderr, "there is no command %q", name)
	}
	fmt.Fprint(stdout, "askind generates the code of API packages.\n\nusage:\n")
	for _, other := range commands() {
		fmt.Fprintf(stdout, "  %-34s %s\n", other.line(), other.summary)
	}
	fmt.Fprintf(stdout, "\nRun 'askind help command' for one of them; the first one is called generate.\n\n%s",
		exitHelp)
	return exitClean
}

// fail prints an error that is not a finding about the sources.
func fail(stderr io.Writer, err error) int {
	fmt.Fprintln(stderr, "askind:", err)
	if _, ok := errors.AsType[*codegen.UsageError](err); ok {
		return exitUsage
	}
	return exitFindings
}
