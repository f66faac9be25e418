package store_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/askind/askind/examples/fleet/api/fleet/v1"
	inventoryv1 "github.com/askind/askind/examples/fleet/api/inventory/v1"
	labels "github.com/askind/askind/meta/selector"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/json"
	"github.com/askind/askind/store"
	"github.com/askind/askind/store/memory"
)

// The program in the README does what it says.
func TestREADME(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, program, _ := strings.Cut(string(text), "```go\n")
	program, _, _ = strings.Cut(program, "```\n")
	_, body, _ := strings.Cut(program, "\nfunc main")
	if lines := strings.Count(body, "\n"); lines > 40 {
		t.Errorf("the program has %d lines behind its imports", lines)
	}
	dir := t.TempDir()
	main := filepath.Join(dir, "main.go")
	if err := os.WriteFile(main, []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", "run", main, filepath.Join(dir, "db")).CombinedOutput()
	want := "listed web\nADDED default/web\n<nil> <nil>\nlisted db\nlisted web\nADDED default/db\n<nil> <nil>\n"
	if err != nil || string(out) != want {
		t.Errorf("%v\ngot  %q\nwant %q", err, out, want)
	}
}

// openMachines opens a store of machines in memory.
func openMachines() (*store.Resource, func()) {
	engine := memory.New()
	s, err := store.Open(context.Background(), engine, store.Options{})
	if err != nil {
		panic(err)
	}
	r, err := s.Add(store.ResourceOptions{Factory: factory, Kind: machineKind})
	if err != nil {
		panic(err)
	}
	return r, func() { s.Close(); engine.Close() }
}

func exampleMachine(name, zone string) *v1.Machine {
	m := machine("default", name, "zone", zone)
	m.Spec.Zone = zone
	return m
}

// Objects are stored under preconditions, listed by selectors, and watched.
func Example() {
	ctx := context.Background()
	machines, done := openMachines()
	defer done()

	w, err := machines.Watch(ctx, store.WatchOptions{Initial: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer w.Close()
	for _, name := range []string{"web", "db"} {
		if _, err := machines.Create(ctx, exampleMachine(name, "north"), store.WriteOptions{}); err != nil {
			fmt.Println(err)
			return
		}
	}
	_, err = machines.Delete(ctx, store.Key{Namespace: "default", Name: "web"}, store.WriteOptions{UID: "another"}, nil)
	fmt.Println("refused:", metav1.ReasonOf(err))

	north, err := labels.Parse("zone=north")
	if err != nil {
		fmt.Println(err)
		return
	}
	list, err := machines.List(ctx, store.ListOptions{Namespace: "default", Labels: north})
	if err != nil {
		fmt.Println(err)
		return
	}
	for e := range list.Entries() {
		fmt.Println("there:", e.Key())
	}
	events, err := w.Next(nil)
	for _, e := range events {
		fmt.Println("seen:", e.Type, e.Entry.Key())
	}
	fmt.Println(err)
	// Output:
	// refused: Conflict
	// there: default/db
	// there: default/web
	// seen: ADDED default/web
	// seen: ADDED default/db
	// <nil>
}

// The function is called again if somebody else writes meanwhile.
func ExampleResource_Update() {
	ctx := context.Background()
	machines, done := openMachines()
	defer done()
	key := store.Key{Namespace: "default", Name: "web"}
	for range 3 {
		_, err := machines.Update(ctx, key, store.WriteOptions{CreateIfMissing: true},
			func(_ context.Context, current runtime.Object) (runtime.Object, error) {
				m, _ := current.(*v1.Machine)
				if m == nil {
					m = exampleMachine("web", "north")
				}
				m.Generation++
				return m, nil
			})
		if err != nil {
			fmt.Println(err)
		}
	}
	e, err := machines.Get(ctx, key, store.GetOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := e.Metadata()
	fmt.Println(m.Generation, err)
	// Output: 3 <nil>
}

// A page is as of the revision of the first one, whatever is written meanwhile.
func ExampleList_Continue() {
	ctx := context.Background()
	machines, done := openMachines()
	defer done()
	for _, name := range []string{"a", "b", "c"} {
		if _, err := machines.Create(ctx, exampleMachine(name, "north"), store.WriteOptions{}); err != nil {
			fmt.Println(err)
		}
	}
	o := store.ListOptions{Limit: 2}
	for {
		page, err := machines.List(ctx, o)
		if err != nil {
			fmt.Println(err)
			return
		}
		for e := range page.Entries() {
			fmt.Println(e.Key())
		}
		if o.Continue = page.Continue(); o.Continue == "" {
			return
		}
		remaining, _ := page.Remaining()
		fmt.Println("and", remaining, "more")
		if _, err := machines.Create(ctx, exampleMachine("d", "north"), store.WriteOptions{}); err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// default/a
	// default/b
	// and 1 more
	// default/c
}

// A list answers a client in the representation that was negotiated, from the stored bytes where
// that is possible.
func ExampleList_Encode() {
	ctx := context.Background()
	machines, done := openMachines()
	defer done()
	if _, err := machines.Create(ctx, exampleMachine("web", "north"), store.WriteOptions{}); err != nil {
		fmt.Println(err)
	}
	list, err := machines.List(ctx, store.ListOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	rep, err := factory.Negotiate([]string{"application/yaml;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"},
		serializer.Offer{Kind: machines.ListKind().GroupVersionKind()})
	if err != nil {
		fmt.Println(err)
		return
	}
	var out strings.Builder
	if err := list.Encode(&out, rep); err != nil {
		fmt.Println(err)
	}
	fmt.Print(strings.ReplaceAll(out.String(), list.ResourceVersion(), "42"))
	// Output:
	// apiVersion: meta.k8s.io/v1
	// items:
	// - apiVersion: meta.k8s.io/v1
	//   kind: PartialObjectMetadata
	//   metadata:
	//     labels:
	//       zone: north
	//     name: web
	//     namespace: default
	//     resourceVersion: "42"
	// kind: PartialObjectMetadataList
	// metadata:
	//   resourceVersion: "42"
}

// Migrate rewrites what was stored in an older version.
func ExampleResource_Migrate() {
	ctx := context.Background()
	machines, done := openMachines()
	defer done()
	if _, err := machines.Create(ctx, exampleMachine("web", "north"), store.WriteOptions{}); err != nil {
		fmt.Println(err)
	}
	report, err := machines.Migrate(ctx, store.MigrateOptions{})
	fmt.Printf("%d of %d objects, %d written, %v\n", report.Seen, report.Total, report.Written, err)
	// Output: 1 of 1 objects, 0 written, <nil>
}

// Selectors on fields have the grammar of requests.
func ExampleParseFieldSelector() {
	s, err := store.ParseFieldSelector(`spec.zone=north,metadata.name!=a\,b`)
	fmt.Println(s, err)
	for _, f := range s.Requirements() {
		fmt.Printf("%s %q not: %t\n", f.Path, f.Value, f.Not)
	}
	_, err = store.ParseFieldSelector("spec.zone")
	fmt.Println(metav1.ReasonOf(err), err)
	// Output:
	// spec.zone=north,metadata.name!=a\,b <nil>
	// spec.zone "north" not: false
	// metadata.name "a,b" not: true
	// BadRequest fieldSelector: "spec.zone" is not of the form field=value
}

// A resource follows the scheme of a program that has grown by other kinds.
func ExampleResource_Rebind() {
	machines, done := openMachines()
	defer done()

	scheme, err := machines.Factory().Scheme().With(inventoryv1.AddTo)
	if err != nil {
		fmt.Println(err)
		return
	}
	larger, err := serializer.NewFactory(scheme, json.Format())
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := machines.Rebind(larger); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(machines.Kind())
	// Output: fleet.example.com/v1, Kind=Machine
}
