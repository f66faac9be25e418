package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/askind/askind/examples/fleet/api/fleet/v1"
	"github.com/askind/askind/examples/fleet/api/fleet/v1alpha1"
	"github.com/askind/askind/examples/fleet/api/fleet/v1beta1"
	inventoryv1 "github.com/askind/askind/examples/fleet/api/inventory/v1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/server"
	"github.com/askind/askind/store/memory"
)

// newServer serves the fleet, with its test data.
func newServer(t *testing.T) *server.Server {
	t.Helper()
	scheme, err := runtime.NewScheme(v1.AddTo, v1beta1.AddTo, v1alpha1.AddTo, inventoryv1.AddTo, v1.AddDescriptionsTo,
		inventoryv1.AddDescriptionsTo,
		metav1.AddTo, metav1.AddCoreTo, metav1.AddViewsTo)
	if err != nil {
		t.Fatal(err)
	}
	files, err := fs.Sub(os.DirFS("../fleet"), "testdata")
	if err != nil {
		t.Fatal(err)
	}
	db := memory.New()
	s, err := server.New(scheme, db, server.Seed(files))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = s.Close()
		_ = db.Close()
	})
	return s
}

// fleetctl runs the command and returns what it prints.
func fleetctl(ctx context.Context, s *server.Server, in string, args ...string) (string, error) {
	var out, warn bytes.Buffer
	args = append([]string{"-groups", "fleet.example.com"}, args...)
	c := &command{in: strings.NewReader(in), out: &out, warn: &warn, transport: s.Transport()}
	err := c.run(ctx, args)
	return out.String() + warn.String(), err
}

const site = `apiVersion: inventory.example.com/v1
kind: Site
metadata: {name: fra-9}
spec: {address: Mainzer Landstrasse 1}
`

func TestFleetctl(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	for _, step := range []struct {
		name, args, in string
		want, not      []string
		err            string
	}{
		{name: "a table from the server", args: "get machines -A", want: []string{"NAME", "web-1"}},
		{name: "by short name, wide", args: "get mc -A -o wide", want: []string{"web-1"}},
		{
			name: "one object as YAML", args: "get machines web-1 -o yaml",
			want: []string{"apiVersion: fleet.example.com/v1\n", "name: web-1"},
		},
		{
			name: "group/resource/name", args: "get fleet.example.com/machines/web-1 -o json",
			want: []string{`"name": "web-1"`},
		},
		{
			name: "another version", args: "get machines web-1 -o yaml --api-version fleet.example.com/v1beta1",
			want: []string{"apiVersion: fleet.example.com/v1beta1\n"},
		},
		{
			name: "output in another version",
			args: "get machines web-1 -o yaml --output-version fleet.example.com/v1beta1",
			want: []string{"apiVersion: fleet.example.com/v1beta1\n"},
		},
		{
			name: "several outputs in another version",
			args: "get machines web-1 web-2 -o json --output-version fleet.example.com/v1beta1",
			want: []string{`"name": "web-2"`, `fleet.example.com/v1beta1`}, not: []string{`fleet.example.com/v1"`},
		},
		{
			name: "a version for several resources",
			args: "get machines,machinepools -A --api-version fleet.example.com/v1",
			err:  "fleet.example.com/v1 cannot be the version of both machines.fleet.example.com and machinepools.fleet.example.com",
		},
		{
			name: "an output version for several resources",
			args: "get machines,machinepools -A -o yaml --output-version fleet.example.com/v1",
			err:  "fleet.example.com/v1 cannot be the version of both",
		},
		{name: "several resources", args: "get machines,machinepools -A", want: []string{"web-1"}},
		{
			name: "what does not exist", args: "get machines nothing",
			err: `machines.fleet.example.com "nothing" not found`,
		},
		{name: "no such resource", args: "get machnes", err: `did you mean "machines"?`},
		{name: "description", args: "describe machine web-1", want: []string{"Name:", "web-1", "Spec:"}},
		{name: "selected", args: "get machines -A -l no=such", not: []string{"web-1"}},
		{name: "apply", args: "apply", in: site, want: []string{"sites.inventory.example.com/fra-9 applied\n"}},
		{name: "applied", args: "get sites fra-9", want: []string{"fra-9"}},
		{
			name: "delete", args: "delete inventory.example.com/sites/fra-9",
			want: []string{"sites.inventory.example.com/fra-9 deleted\n"},
		},
		{name: "deleted", args: "get sites fra-9", err: "not found"},
		{
			name: "delete nothing in particular", args: "delete sites",
			err: "name the sites to delete, or select them with -l",
		},
		{name: "resources", args: "api-resources", want: []string{
			"/apis/fleet.example.com/v1/machines", "Machine",
			"/apis/discovery.k8s.io/v1alpha1/groups",
		}},
		{
			name: "ambiguous", args: "get machines -groups nobody.example.com",
			err: `argument "machines": restmapper: "machines" is ambiguous: machines.v1.fleet.example.com, `,
		},
		{
			name: "a version tells which group is meant",
			args: "get machines web-1 -o yaml -groups nobody.example.com --api-version fleet.example.com/v1beta1",
			want: []string{"apiVersion: fleet.example.com/v1beta1\n"},
		},
		{
			name: "so does that of the output",
			args: "get machines web-1 -o yaml -groups nobody.example.com --output-version fleet.example.com/v1alpha1",
			want: []string{"apiVersion: fleet.example.com/v1alpha1\n"},
		},
		{
			name: "explain", args: "explain machines.spec",
			want: []string{"machines.spec of fleet.example.com/v1 <object>", "hardware\t<object>"},
		},
		{
			name: "explain fields of several types", args: "explain machines.spec.hardware",
			want: []string{"cores\t<integer>", "memory\t<integer or string>"},
		},
		{name: "explain nothing", args: "explain machines.nothing", err: `has no field "nothing"`},
		{name: "explain half a path", args: "explain machines.", err: `has no field ""`},
		{name: "groups of discovery", args: "get groups", want: []string{"fleet.example.com", "PREFERRED"}},
		{
			name: "no such output", args: "get machines -o xml",
			err: `unknown output "xml"; use wide, name, json or yaml`,
		},
		{
			name: "a field that nothing knows", args: "apply",
			in: strings.Replace(site, "{address:", "{adress: x, address:", 1), err: `unknown field "spec.adress"`,
		},
		{name: "a name and a selector", args: "delete machines web-1 -l no=such", err: "leave out the name web-1, or the flag"},
		{name: "a name in all namespaces", args: "get machines web-1 -A", err: "leave out the name web-1, or the flag"},
		{
			name: "a table in another version", args: "get machines --output-version fleet.example.com/v1beta1",
			err: "-output-version is for -o json and -o yaml",
		},
		{name: "a flag of another command", args: "describe machines -o yaml", err: "describe does not take the flag -o"},
		{name: "a flag of reading", args: "apply -l a=b", in: site, err: "apply does not take the flag -l"},
		{name: "an argument too many", args: "apply sites.yaml", err: "apply does not take the argument sites.yaml"},
		{name: "resources of a prefix", args: "api-resources -prefix nowhere", not: []string{"machines"}},
		{name: "no command", args: "machines", err: "the first argument is one of get, describe"},
		{
			name: "a prefix of one's own", args: "get machines -A --prefix nowhere",
			err: "there is nothing at /nowhere/fleet.example.com/v1/machines",
		},
	} {
		t.Run(step.name, func(t *testing.T) {
			out, err := fleetctl(t.Context(), s, step.in, strings.Fields(step.args)...)
			if step.err == "" && err != nil || step.err != "" && !strings.Contains(fmt.Sprint(err), step.err) {
				t.Fatalf("got error %v\nwant %s", err, step.err)
			}
			for _, want := range step.want {
				if !strings.Contains(out, want) {
					t.Errorf("%q is missing in\n%s", want, out)
				}
			}
			for _, not := range step.not {
				if strings.Contains(out, not) {
					t.Errorf("%q is in\n%s", not, out)
				}
			}
		})
	}
}

func TestFleetctlWatches(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	printed := &rows{enough: cancel}
	c := &command{in: strings.NewReader(""), out: printed, warn: t.Output(), transport: s.Transport()}
	if err := c.run(ctx, []string{"watch", "sites"}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	out := printed.String()
	if lines := strings.Split(out, "\n"); len(lines) < 2 || !strings.HasPrefix(lines[0], "NAME") ||
		strings.Count(out, "NAME") != 1 {
		t.Errorf("got\n%s", out)
	}
}

// rows are what a watch prints, and end it at the second line.
type rows struct {
	bytes.Buffer
	enough func()
}

func (r *rows) Write(p []byte) (int, error) {
	n, err := r.Buffer.Write(p)
	if bytes.Count(r.Bytes(), []byte("\n")) >= 2 {
		r.enough()
	}
	return n, err
}

func TestFleetctlPrintsNames(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	for _, word := range []string{"sites", "inventory.example.com/sites/fra-1"} {
		out, err := fleetctl(t.Context(), s, "", "get", word, "-o", "name")
		if err != nil || !strings.Contains(out, "sites.inventory.example.com/fra-1\n") {
			t.Errorf("get %s: got %q, %v", word, out, err)
		}
	}
}

// TestFleetctlIsSmall checks the command under 400 lines.
func TestFleetctlIsSmall(t *testing.T) {
	t.Parallel()
	lines := 0
	for _, name := range []string{"main.go", "read.go", "write.go"} {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		lines += bytes.Count(data, []byte("\n"))
	}
	if lines >= 400 {
		t.Errorf("it has %d lines", lines)
	}
}
