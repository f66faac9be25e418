// Command askind generates the code of API packages: deep copies, defaults, JSON, protobuf,
// conversions, other forms of a kind, registration.
//
//	askind [flags] [packages]         generate
//	askind init [flags] group/version Kind
//	                                  write a project that serves a kind in two versions
//	askind init [flags] group         write the skeleton of such a group in a module
//	askind init -from source          write the types of CustomResourceDefinitions, or serve those of
//	                                  another module
//	askind lint [flags] [packages]    report mistakes in API types
//	askind explain type type          explain how two types convert, or how one field is treated
//	askind schema [flags] [packages]  write JSON Schema files for editors
//	askind crd [flags] [packages]     write CustomResourceDefinitions
//	askind markers [-json]            list the markers that control the generator
//	askind help [command]             print help about a command
//
// Every command runs in the directory that -C names, before or after the name of the command.
//
// Packages are named as for the go command; ./... is usual. The files zz_generated.<concern>.go are
// written next to the types. If the sources have errors, all of them are printed and no file
// changes. A conversion that loses a value is an error unless the file zz_generated.losses.txt
// records the loss; -accept-losses records new ones.
//
// The exit status is 0 on success, 1 if there are findings or, with -check or -diff, differing
// files, and 2 for wrong usage.
package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/askind/askind/codegen"
	"github.com/askind/askind/schema"
)

func main() {
	// A run is short and needs little memory, so collecting it often costs more than it saves.
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	// If the reader of the output ends first, as in askind init … | head, the run still completes
	// its files.
	signal.Ignore(syscall.SIGPIPE)
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// The exit statuses. They are the same for all commands.
const (
	exitClean    = 0
	exitFindings = 1
	exitUsage    = 2
)

// command is one subcommand of askind.
type command struct {
	// name is blank for the default command.
	name string
	// usage follows the name, summary is one line, and help is the rest in full sentences.
	usage, summary, help string
	// dir is the directory that -C names, blank for the current one.
	dir string
	run func(c *command, args []string, stdout, stderr io.Writer) int
}

// commands returns the commands in the order in which help lists them.
func commands() []*command {
	return []*command{
		{
			usage: "[flags] [packages]", summary: "generate", run: generate,
			help: "Writes zz_generated.<concern>.go beside the types of every package whose comment carries +groupName or\n" +
				"+askind:generate. Packages are named as for the go command; none means the one in this directory.\n" +
				"If the sources have errors, all of them are printed and no file changes.",
		},
		{
			name: "init", usage: "[flags] group/version Kind | group | -from source", summary: "write a project, or a group in a module",
			run: initSource,
			help: "With a version and a kind, as in garage.example.com/v1 Car, writes a project: a module that serves two\n" +
				"versions of the kind, with a test that runs the server. With the name of a group alone, writes that group\n" +
				"in the existing module: two versions of one kind, a package that registers both, and a test. It prints\n" +
				"the next commands, and refuses to replace a file.\n\n" +
				"In a module that has the group and the kind, a version and a kind add that version. It begins as a copy\n" +
				"of the hub, the version to which the others convert, is registered beside it, and becomes the new hub.\n" +
				"If the group has the version and no version has the kind, they add the kind to it.\n\n" +
				"With -from and a file, makes types and markers from the CustomResourceDefinitions in it, in a new\n" +
				"project or in the existing module. What the types cannot express is a warning with its line. With -from\n" +
				"and a package of another module, writes packages that serve the types of its group in all versions and\n" +
				"call the hand-written functions for them.",
		},
		{
			name: "lint", usage: "[flags] [packages]", summary: "report mistakes in API types", run: lint,
			help: "Looks at the types of every package that generates, and writes nothing. A finding can be\n" +
				"suppressed at a field, a type or a package, with a reason:\n\n" +
				"\t// +askind:nolint:rule=tag-name,reason=\"v1 was published with this name\"",
		},
		{
			name: "explain", usage: "[flags] type type | field [packages]",
			summary: "explain how two types convert, or how a field is treated", run: explain,
			help: "Prints for two types, such as v1beta1.Machine v1.Machine, what becomes of every field in either\n" +
				"direction, what is lost or carried, and what each conversion shares, may refuse and changes. For a\n" +
				"field, such as v1.Machine.spec.size, prints how it is declared, encoded, copied, defaulted and\n" +
				"converted. Types are named by package, version, group version or import path. The packages are those\n" +
				"to look in, by default ./...\n" +
				"A field that a conversion does not handle counts as a finding.",
		},
		{
			name: "schema", usage: "[flags] [packages]", summary: "write JSON Schema files for editors",
			run: jsonSchema,
			help: "Writes a JSON Schema 2020-12 for each kind, as group/kind_version.json, and all.json, which chooses one\n" +
				"of them by apiVersion and kind. An editor uses the one that a comment names in a document:\n\n" +
				"\t# yaml-language-server: $schema=./schemas/fleet.example.com/machine_v1.json",
		},
		{
			name: "crd", usage: "[flags] [packages]", summary: "write CustomResourceDefinitions", run: customResources,
			help: "Writes a CustomResourceDefinition in YAML for each kind with all its versions among the packages, as\n" +
				"group_resource.yaml. Its content comes from the markers of kubebuilder.",
		},
		{
			name: "markers", usage: "[-json]", summary: "list the markers that control the generator", run: markers,
			help: "Prints every marker with the places where it is allowed, its meaning and its arguments.",
		},
		{
			name: "help", usage: "[command]", summary: "print help about a command", run: help,
			help: "Prints the commands and the exit status, or the help of one command.",
		},
	}
}

// exitHelp explains the exit status.
const exitHelp = `The exit status is
  0  if all is well;
  1  if there are findings, or with -check or -diff files that differ;
  2  if the command was not understood.
`

func run(args []string, stdout, stderr io.Writer) int {
	all := commands()
	at, rest := cutDirectory(args)
	if len(rest) > 0 {
		names := make([]string, len(all))
		for i, c := range all {
			names[i] = c.called()
			if names[i] == rest[0] {
				return c.run(c, slices.Concat(at, rest[1:]), stdout, stderr)
			}
		}
		// A word that is nearly a command is taken for one, because packages are usually written
		// with a dot or a slash.
		if near, ok := schema.Nearest(rest[0], names); ok && !strings.ContainsAny(rest[0], "-./") {
			return all[0].misused(stderr, "there is no command %q (did you mean %q?); a package of this name is ./%s",
				rest[0], near, rest[0])
		}
	}
	return all[0].run(all[0], args, stdout, stderr)
}

// cutDirectory splits off the flag -C if it precedes the name of a command, as in the go command.
// Each command also accepts the flag.
func cutDirectory(args []string) (flag, rest []string) {
	if len(args) == 0 {
		return nil, nil
	}
	switch name, _, hasValue := strings.Cut(args[0], "="); {
	case name != "-C" && name != "--C":
		return nil, args
	case hasValue:
		return args[:1:1], args[1:]
	}
	n := min(2, len(args))
	return args[:n:n], args[n:]
}

// called returns the name of a command. The default command has the name generate here.
func (c *command) called() string { return cmp.Or(c.name, "generate") }

func (c *command) line() string {
	return strings.TrimSpace("askind " + strings.TrimSpace(c.name+" "+c.usage))
}

// flags returns the flag set of a command. It prints nothing itself; [command.parse] does.
func (c *command) flags() *flag.FlagSet {
	fs := flag.NewFlagSet(strings.TrimSpace("askind "+c.name), flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.StringVar(&c.dir, "C", "", "run in this `directory`; the flag may also precede the name of the command")
	return fs
}

// parse parses the arguments. If ok is false, the command ends with the status: help was requested,
// or the arguments are invalid.
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

// misused reports a usage error and refers to the help.
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
		return c.misused(stderr, "help takes one command")
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
		fmt.Fprintf(stdout, "  %s\n    \t%s\n", other.line(), other.summary)
	}
	fmt.Fprintf(stdout, "\nRun 'askind help command' for more; the first command is named generate.\n\n%s",
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
