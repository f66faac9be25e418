package serializer_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/askind/askind/conversion"
	v1 "github.com/askind/askind/examples/fleet/api/fleet/v1"
	"github.com/askind/askind/examples/fleet/api/fleet/v1alpha1"
	"github.com/askind/askind/examples/fleet/api/fleet/v1beta1"
	"github.com/askind/askind/internal/cputime"
	"github.com/askind/askind/internal/race"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/json"
	"github.com/askind/askind/serializer/json/reflectjson"
	"github.com/askind/askind/serializer/yaml"
)

// traced are fields of the newest version that a rule calls wrong, and where they are in a document
// of the oldest one: by another name, in another place, by a function written by hand, in elements
// of lists, without a value, and in no place at all.
var traced = []struct {
	path string
	line int
}{
	{"spec.poolName", 6},
	{"spec.hardware.cores", 8},
	{"spec.hardware.memory", 9},
	{"spec.boot.disk.name", 10},
	{"spec.disks[1].size", 15},
	{"spec.disks[1].partitions[0].fileSystem", 19},
	{"spec.kernelArguments[quiet]", 20},
	{"spec.healthCheck.port", 21},
	{"spec.powerState", 22},
	{"metadata.name", 4},
	{"spec.zone", 7},
	{"spec.asset.serialNumber", 6}, // nothing of it is in the document, so it is the spec
	{"nowhere.at.all", 1},
}

const oldMachine = `apiVersion: fleet.example.com/v1alpha1
kind: Machine
metadata:
  name: m
spec:
  pool: blue
  zone: z-1
  cpu: "4"
  memory: 8Gi
  bootDisk: root
  disks:
  - name: root
    size: 10Gi
  - name: data
    size: 20Gi
    partitions:
    - label: a
      size: 1Gi
      fs: ext4
  kernelArgs: {quiet: "y"}
  healthPort: "80"
  poweredOff: true
`

// TestValidateConverted checks that what is found in another version points to the lines of the
// document.
func TestValidateConverted(t *testing.T) {
	t.Parallel()
	wrong := func(_ context.Context, _ *v1.Machine) (errs runtime.FieldErrors) {
		for _, row := range traced {
			path, err := schema.ParsePath(row.path)
			if err != nil {
				t.Error(err)
			}
			errs = append(errs, runtime.Invalid(path, "", "a rule of v1"))
		}
		return errs
	}
	scheme, err := runtime.NewScheme(v1.AddTo, v1beta1.AddTo, v1alpha1.AddTo, metav1.AddTo,
		func(b *runtime.Builder) { runtime.AddValidation(b, wrong) })
	if err != nil {
		t.Fatal(err)
	}
	f, err := serializer.NewFactory(scheme, yaml.Format(), json.Format())
	if err != nil {
		t.Fatal(err)
	}
	o := serializer.DecodeOptions{
		File: "m.yaml", Default: true, Validate: true, ValidateConverted: true, Version: v1.GroupVersion,
	}
	obj, err := f.Decode([]byte(oldMachine), o)
	m, ok := obj.(*v1.Machine)
	if !ok || m.Spec.PoolName != "blue" {
		t.Fatalf("got %T, %v", obj, err)
	}
	if m.Spec.Hardware.Architecture != "amd64" {
		t.Error("the defaults of v1 are not set")
	}
	found, ok := errors.AsType[runtime.FieldErrors](err)
	if !ok {
		t.Fatal(err)
	}
	got := map[string]int{}
	for _, e := range found {
		got[e.Path.String()] = e.Position.Line
		if e.File != "m.yaml" {
			t.Errorf("%v has no file", e)
		}
	}
	for _, row := range traced {
		if got[row.path] != row.line {
			t.Errorf("%s is said to be on line %d, want %d", row.path, got[row.path], row.line)
		}
	}
	if want := "m.yaml:6:9: spec.poolName: "; !strings.Contains(err.Error(), want) {
		t.Errorf("%q is not in\n%v", want, err)
	}
	o.ValidateConverted = false
	if _, err := f.Decode([]byte(oldMachine), o); err != nil {
		t.Errorf("without the option: %v", err)
	}
	if m, err := serializer.Decode[v1.Machine](f, []byte(oldMachine), serializer.DecodeOptions{
		ValidateConverted: true,
	}); m == nil || err == nil || strings.Count(err.Error(), "a rule of v1") != len(traced) {
		t.Errorf("Decode as a T: %v, %v", m, err)
	}
}

// Shelf is a kind that BookV2 becomes in a third version, which has no room for long titles.
type Shelf struct {
	metav1.TypeMeta `json:",inline"`
	Label           string `json:"label"`
}

// TestLaterStepErrors checks that the error of a conversion of several steps has the position of
// the field in the document, although the path in the error is in the version between.
func TestLaterStepErrors(t *testing.T) {
	t.Parallel()
	library3 := schema.GroupVersion{Group: library1.Group, Version: "v3"}
	lossy := false
	scheme, err := runtime.NewScheme(func(b *runtime.Builder) {
		library(b)
		runtime.AddKind(b, reflectjson.Complete(runtime.KindSpec[Shelf]{GroupVersionKind: library3.WithKind("Book")}))
		runtime.AddConversion(b, func(in *BookV2, out *Shelf, _ *conversion.Scope) error {
			if out.Label = in.Title; len(in.Title) > 5 {
				return schema.AtField(errors.New("is too long for a shelf"), "title")
			}
			for i, name := range in.Authors {
				if len(name) > 5 {
					return schema.AtField(schema.AtIndex(errors.New("is too long for a shelf"), i), "authors")
				}
			}
			if lossy {
				return schema.AtField(errors.New("is missing"), "isbn")
			}
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	f, err := serializer.NewFactory(scheme, yaml.Format())
	if err != nil {
		t.Fatal(err)
	}
	const book = "apiVersion: library.example.com/v1\nkind: Book\ntitle: %s\nauthor: %s\n"
	for _, tt := range []struct {
		title, author string
		lossy         bool
		want          string
	}{
		{"Emma", "Jane Austen", false, "b.yaml:4:9: author: cannot be converted to library.example.com/v3, Kind=Book: " +
			"in library.example.com/v2, authors[0]: is too long for a shelf"},
		{"Persuasion", "A", false, "b.yaml:3:8: title: cannot be converted to library.example.com/v3, Kind=Book: " +
			"in library.example.com/v2, title: is too long for a shelf"},
		{"Emma", "A", true, "b.yaml:1:1: cannot be converted to library.example.com/v3, Kind=Book: " +
			"in library.example.com/v2, isbn: is missing"},
	} {
		lossy = tt.lossy
		_, err := f.Decode(fmt.Appendf(nil, book, tt.title, tt.author),
			serializer.DecodeOptions{File: "b.yaml", Version: library3})
		if err == nil || err.Error() != tt.want {
			t.Errorf("got  %v\nwant %s", err, tt.want)
		}
	}
	lossy = false
	list := "apiVersion: library.example.com/v1\nkind: Book\ntitle: Emma\nauthor: Jane Austen\n"
	if _, err := serializer.Decode[Shelf](f, []byte(list), serializer.DecodeOptions{Version: library1}); err == nil ||
		err.Error() != "author: cannot be converted to library.example.com/v3, Kind=Book: "+
			"in library.example.com/v2, authors[0]: is too long for a shelf" {
		t.Errorf("got %v", err)
	}
}

// TestValidateConvertedPanics has a conversion that relies on what every document has: what is
// tried to find a position must not end the program.
func TestValidateConvertedPanics(t *testing.T) {
	t.Parallel()
	scheme, err := runtime.NewScheme(func(b *runtime.Builder) {
		runtime.AddKind(b, reflectjson.Complete(runtime.KindSpec[Book]{GroupVersionKind: library1.WithKind("Book")}))
		runtime.AddKind(b, reflectjson.Complete(runtime.KindSpec[BookV2]{GroupVersionKind: library2.WithKind("Book")}))
		runtime.AddConversion(b, func(in *Book, out *BookV2, _ *conversion.Scope) error {
			out.Title, out.Authors = in.Title, []string{in.Author}
			return nil
		})
		runtime.AddConversion(b, func(in *BookV2, out *Book, _ *conversion.Scope) error {
			out.Title, out.Author = in.Title, in.Authors[0]
			return nil
		})
		runtime.AddValidation(b, func(context.Context, *BookV2) runtime.FieldErrors {
			return runtime.FieldErrors{runtime.Invalid(schema.NewPath("authors"), "", "a rule of v2")}
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	f, err := serializer.NewFactory(scheme, yaml.Format())
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.Decode([]byte("apiVersion: library.example.com/v1\nkind: Book\ntitle: T\nauthor: A\n"),
		serializer.DecodeOptions{ValidateConverted: true, Version: library2})
	if found, ok := errors.AsType[runtime.FieldErrors](err); !ok || len(found) != 1 {
		t.Errorf("got %v, want what the rule finds", err)
	}
}

// TestTracingIsBounded checks that the positions of what is found in a small document do not cost
// any number of conversions, nor any time where each one is slow.
func TestTracingIsBounded(t *testing.T) {
	t.Parallel()
	const pause = 50 * time.Millisecond
	for _, tt := range []struct {
		name  string
		pause time.Duration
		most  int64
	}{
		{"many", 0, 1000 + 10},
		{"slow", pause, int64(time.Second/pause) + 10}, // a pause may be longer, but not shorter
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var conversions atomic.Int64
			scheme, err := runtime.NewScheme(func(b *runtime.Builder) {
				old, young := library1.WithKind("Book"), library2.WithKind("Book")
				runtime.AddKind(b, reflectjson.Complete(runtime.KindSpec[Book]{GroupVersionKind: old}))
				runtime.AddKind(b, reflectjson.Complete(runtime.KindSpec[BookV2]{GroupVersionKind: young}))
				runtime.AddConversion(b, func(in *Book, out *BookV2, _ *conversion.Scope) error {
					conversions.Add(1)
					out.Title, out.Authors = in.Title, []string{in.Author}
					return nil
				})
				runtime.AddConversion(b, func(in *BookV2, out *Book, _ *conversion.Scope) error {
					conversions.Add(1)
					time.Sleep(tt.pause)
					out.Title, out.Author = "fixed", "fixed"
					return nil
				})
				runtime.AddValidation(b, func(context.Context, *BookV2) (errs runtime.FieldErrors) {
					path := schema.NewPath("title")
					for range 20 { // as if each had a struct around it
						path = path.Child("x")
					}
					for range 1000 {
						errs = append(errs, runtime.Invalid(path, "", "a rule of v2"))
						errs = append(errs, runtime.Invalid(schema.NewPath("title"), "", "a rule of v2"))
						errs = append(errs, runtime.Invalid(schema.NewPath("authors").Index(0), "", "a rule of v2"))
					}
					return errs
				})
			})
			if err != nil {
				t.Fatal(err)
			}
			f, err := serializer.NewFactory(scheme, yaml.Format())
			if err != nil {
				t.Fatal(err)
			}
			_, err = f.Decode([]byte("apiVersion: library.example.com/v1\nkind: Book\ntitle: T\nauthor: A\n"),
				serializer.DecodeOptions{
					ValidateConverted: true, Version: library2, Limits: schema.Limits{Problems: 2000},
				})
			if found, ok := errors.AsType[runtime.FieldErrors](err); !ok || len(found) != 3000 {
				t.Fatalf("got %.500v, want what the rule finds", err)
			}
			if n := conversions.Load(); n > tt.most {
				t.Errorf("%d conversions, want at most %d", n, tt.most)
			}
		})
	}
}

// TestPositionsAreBounded checks that the time for the positions of many findings does not grow
// with their number times the size of the document.
func TestPositionsAreBounded(t *testing.T) {
	if race.Enabled {
		t.Skip("bounds the time of one goroutine")
	}
	t.Parallel()
	const disks = 20_000
	scheme, err := runtime.NewScheme(v1.AddTo, v1beta1.AddTo, metav1.AddTo, func(b *runtime.Builder) {
		runtime.AddValidation(b, func(_ context.Context, m *v1.Machine) (errs runtime.FieldErrors) {
			for i := range m.Spec.Disks {
				path := schema.NewPath("spec", "disks").Index(i).Child("name")
				errs = append(errs, runtime.Invalid(path, "", "long"))
			}
			return errs
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	f, err := serializer.NewFactory(scheme, yaml.Format())
	if err != nil {
		t.Fatal(err)
	}
	for _, version := range []string{"v1", "v1beta1"} {
		var b strings.Builder
		b.WriteString("apiVersion: fleet.example.com/" + version + "\nkind: Machine\nspec:\n  disks:\n")
		for i := range disks {
			fmt.Fprintf(&b, "  - name: disk-%d-%s\n", i, strings.Repeat("x", 100))
		}
		took := cputime.Of(func() {
			_, err = f.Decode([]byte(b.String()), serializer.DecodeOptions{
				Validate: version == "v1", ValidateConverted: true, Version: v1.GroupVersion,
			})
		})
		if took > 30*time.Second { // looking for each one takes minutes
			t.Errorf("%s: took %v", version, took)
		}
		found, ok := errors.AsType[runtime.FieldErrors](err)
		if !ok || len(found) < disks {
			t.Fatalf("%s: %d findings, %.500v", version, len(found), err)
		}
		if e := found[len(found)-1]; e.Position.Line != 1 {
			t.Errorf("%s: the last finding is said to be on line %d, want that of the object", version, e.Position.Line)
		}
		lines := 0
		for _, e := range found[:100] {
			if steps := e.Path.Steps(); len(steps) > 2 && steps[1].Name == "disks" {
				if lines++; e.Position.Line != 5+steps[2].Index {
					t.Errorf("%s: %s is said to be on line %d", version, e.Path, e.Position.Line)
				}
			}
		}
		if lines < 50 {
			t.Errorf("%s: %d of the first findings are about disks", version, lines)
		}
	}
}

// TestFindingsInOrder checks that the errors of validation are in the order of the text: the
// generated function compares the elements of a list before it looks into them.
func TestFindingsInOrder(t *testing.T) {
	t.Parallel()
	scheme, err := runtime.NewScheme(v1.AddTo, metav1.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	f, err := serializer.NewFactory(scheme, yaml.Format())
	if err != nil {
		t.Fatal(err)
	}
	const data = `apiVersion: fleet.example.com/v1
kind: Machine
metadata: {name: m}
spec:
  disks:
  - name: A B
  - name: root
  - name: root
  hardware: {cores: 0}
`
	_, err = f.Decode([]byte(data), serializer.DecodeOptions{Validate: true})
	found, _ := errors.AsType[runtime.FieldErrors](err)
	var lines []int
	for _, e := range found {
		lines = append(lines, e.Position.Line)
	}
	if len(lines) < 3 || !slices.IsSorted(lines) {
		t.Errorf("got the lines %v\n%v", lines, err)
	}
}
