package fuzz

import (
	encodingjson "encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	gofuzz "github.com/google/gofuzz"

	"github.com/askind/askind/conversion"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/format"
	"github.com/askind/askind/serializer/json"
	"github.com/askind/askind/serializer/json/reflectjson"
	"github.com/askind/askind/serializer/yaml"
)

type box struct {
	Kind       string            `json:"kind,omitempty"`
	APIVersion string            `json:"apiVersion,omitempty"`
	Labels     map[string]string `json:"labels,omitempty"`
	Items      []string          `json:"items,omitempty"`
}

type otherBox box

var gv = schema.GroupVersion{Group: "test", Version: "v1"}

func boxSpec() runtime.KindSpec[box] {
	return runtime.KindSpec[box]{
		GroupVersionKind: gv.WithKind("Box"),
		TypeMeta:         func(b *box) (apiVersion, kind *string) { return &b.APIVersion, &b.Kind },
	}
}

// TestCheckerSeesFaults plants the faults that the kit promises to find.
func TestCheckerSeesFaults(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name    string
		spec    func(*runtime.KindSpec[box])
		convert func(in *box, out *otherBox, s *conversion.Scope) error
		want    string
	}{
		{name: "nothing wrong"},
		{name: "shallow deep copy", spec: func(s *runtime.KindSpec[box]) {
			s.DeepCopyInto = func(in,
				out *box,
			) {
				*out = *in
			}
		}, want: "writing to a deep copy changes the object"},
		{name: "partial deep copy", spec: func(s *runtime.KindSpec[box]) {
			s.DeepCopyInto = func(in,
				out *box,
			) {
				*out = box{Kind: in.Kind}
			}
		}, want: "the deep copy is not equal"},
		{name: "field forgotten when encoding", spec: func(s *runtime.KindSpec[box]) {
			s.AppendJSONFields = func(dst []byte, in *box) ([]byte, error) {
				return append(dst, `,"items":["`+strings.Repeat("x", len(in.Items))+`"]`...), nil
			}
		}, want: "is not the same when encoded again"},
		{name: "conversion that shares", convert: func(in *box, out *otherBox, _ *conversion.Scope) error {
			out.Labels, out.Items = in.Labels, in.Items
			return nil
		}, want: "the result shares memory with the input"},
		{name: "conversion that changes its input", convert: func(in *box, _ *otherBox, _ *conversion.Scope) error {
			clear(in.Labels)
			return nil
		}, want: "conversion modifies its input"},
		{name: "an export that forgets", spec: func(s *runtime.KindSpec[box]) {
			s.Default = func(in *box) error {
				if in.Items == nil {
					in.Items = []string{"default"}
				}
				return nil
			}
			s.OmitDefaults = func(in *box) { in.Items = nil }
		}, want: "does not restore it"},
		{name: "sharing that differs", convert: func(in *box, out *otherBox, s *conversion.Scope) error {
			if s.Sharing() {
				out.Items = []string{"other"}
			}
			return nil
		}, want: "sharing changes the result"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			got := firstProblem(t, func(b *runtime.Builder) {
				spec := reflectjson.Complete(boxSpec())
				if row.spec != nil {
					row.spec(spec)
				}
				runtime.AddKind(b, spec)
				runtime.AddKind(b, &runtime.KindSpec[otherBox]{
					GroupVersionKind: schema.GroupVersionKind{Group: "test", Version: "v2", Kind: "Box"},
					TypeMeta:         func(b *otherBox) (apiVersion, kind *string) { return &b.APIVersion, &b.Kind },
				})
				if row.convert != nil {
					runtime.AddConversion(b, row.convert)
				}
			})
			if row.want == "" && got != "" || !strings.Contains(got, row.want) {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
}

type lid struct {
	Color string `json:"color"`
}

type chest struct {
	Kind       string `json:"kind,omitempty"`
	APIVersion string `json:"apiVersion,omitempty"`
	Lid        *lid   `json:"lid,omitempty"`
}

type otherChest chest

// TestCheckerSeesSharedStructs plants functions that share a struct without references.
func TestCheckerSeesSharedStructs(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name    string
		copies  func(in, out *chest)
		convert func(in *chest, out *otherChest, s *conversion.Scope) error
		want    string
	}{
		{name: "nothing wrong", convert: func(in *chest, out *otherChest, _ *conversion.Scope) error {
			if in.Lid != nil {
				out.Lid = &lid{in.Lid.Color}
			}
			return nil
		}},
		{
			name: "a deep copy", copies: func(in, out *chest) { *out = *in },
			want: "writing to a deep copy changes the object",
		},
		{name: "a conversion", convert: func(in *chest, out *otherChest, _ *conversion.Scope) error {
			out.Lid = in.Lid
			return nil
		}, want: "the result shares memory with the input"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			got := firstProblem(t, func(b *runtime.Builder) {
				runtime.AddKind(b, reflectjson.Complete(runtime.KindSpec[chest]{
					GroupVersionKind: gv.WithKind("Box"), DeepCopyInto: row.copies,
					TypeMeta: func(c *chest) (apiVersion, kind *string) { return &c.APIVersion, &c.Kind },
				}))
				runtime.AddKind(b, reflectjson.Complete(runtime.KindSpec[otherChest]{
					GroupVersionKind: schema.GroupVersionKind{Group: "test", Version: "v2", Kind: "Box"},
					TypeMeta:         func(c *otherChest) (apiVersion, kind *string) { return &c.APIVersion, &c.Kind },
				}))
				if row.convert != nil {
					runtime.AddConversion(b, row.convert)
				}
			})
			if row.want == "" && got != "" || !strings.Contains(got, row.want) {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
}

type lockedChest struct {
	Kind       string `json:"kind,omitempty"`
	APIVersion string `json:"apiVersion,omitempty"`
	Lid        *lid   `json:"lid,omitempty"`
	Key        string `json:"key,omitempty"`
}

// TestCheckerSeesUndeclaredLosses plants functions that lose a value besides the one that is
// declared, or that write to an object that they may share.
func TestCheckerSeesUndeclaredLosses(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name  string
		there func(in *chest, out *lockedChest)
		back  func(in *lockedChest, out *chest, sharing bool)
		want  string
	}{
		{name: "nothing wrong"},
		{
			name: "the way there", there: func(*chest, *lockedChest) {},
			want: "converting back does not restore the object",
		},
		{
			name: "the way back", back: func(*lockedChest, *chest, bool) {},
			want: "converting back does not restore the object",
		},
		{name: "sharing", there: func(in *chest, out *lockedChest) {
			if out.Lid = copied(in.Lid); out.Lid != nil {
				out.Lid.Color += "!"
			}
		}, back: func(in *lockedChest, out *chest, sharing bool) {
			if out.Lid = in.Lid; !sharing {
				out.Lid = copied(in.Lid)
			}
			if out.Lid != nil {
				out.Lid.Color = strings.TrimSuffix(out.Lid.Color, "!")
			}
		}, want: "back from test/v2: conversion modifies its input"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			if row.there == nil {
				row.there = func(in *chest, out *lockedChest) { out.Lid = copied(in.Lid) }
			}
			if row.back == nil {
				row.back = func(in *lockedChest, out *chest, _ bool) { out.Lid = copied(in.Lid) }
			}
			got := firstProblem(t, func(b *runtime.Builder) {
				runtime.AddKind(b, reflectjson.Complete(runtime.KindSpec[chest]{
					GroupVersionKind: gv.WithKind("Box"),
					TypeMeta:         func(c *chest) (apiVersion, kind *string) { return &c.APIVersion, &c.Kind },
				}))
				runtime.AddKind(b, reflectjson.Complete(runtime.KindSpec[lockedChest]{
					GroupVersionKind: schema.GroupVersionKind{Group: "test", Version: "v2", Kind: "Box"},
					TypeMeta:         func(c *lockedChest) (apiVersion, kind *string) { return &c.APIVersion, &c.Kind },
				}))
				runtime.AddConversion(b, func(in *chest, out *lockedChest, _ *conversion.Scope) error {
					row.there(in, out)
					return nil
				})
				runtime.AddConversion(b, func(in *lockedChest, out *chest, s *conversion.Scope) error {
					row.back(in, out, s.Sharing())
					return nil
				}, conversion.Loss{Path: "key"})
			})
			if row.want == "" && got != "" || !strings.Contains(got, row.want) {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
}

func copied(l *lid) *lid {
	if l == nil {
		return nil
	}
	return &lid{l.Color}
}

type boxList struct {
	Kind       string `json:"kind,omitempty"`
	APIVersion string `json:"apiVersion,omitempty"`
	Items      []box  `json:"items"`
	Total      int    `json:"total"`
}

// TestCheckerSeesDroppedSums plants lists in which something depends on all items, so that it is
// wrong when the list is written item by item.
func TestCheckerSeesDroppedSums(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name  string
		list  func(*runtime.KindSpec[boxList])
		table func(in *box, out *metav1.Table, s *conversion.Scope) error
		want  string
	}{
		{name: "nothing wrong", table: func(in *box, out *metav1.Table, _ *conversion.Scope) error {
			out.Rows = append(out.Rows, metav1.TableRow{Cells: []any{int64(len(in.Labels))}})
			return nil
		}},
		{name: "a sum in the rows of a table", table: func(in *box, out *metav1.Table, _ *conversion.Scope) error {
			sum := int64(len(in.Labels)) + 1
			for _, r := range out.Rows {
				sum += r.Cells[0].(int64)
			}
			out.Rows = append(out.Rows, metav1.TableRow{Cells: []any{sum}})
			return nil
		}, want: "a list shown as meta.k8s.io/v1, Kind=Table in json differs when it is written item by item"},
		{name: "a sum in the list", list: func(s *runtime.KindSpec[boxList]) {
			s.AppendJSONFields = func(dst []byte, in *boxList) ([]byte, error) {
				items, err := encodingjson.Marshal(in.Items)
				dst = append(append(dst, `,"items":`...), items...)
				return strconv.AppendInt(append(dst, `,"total":`...), int64(len(in.Items)), 10), err
			}
		}, want: "application/json differs when it is written item by item"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			got := firstProblemOf(t, "BoxList", func(b *runtime.Builder) {
				metav1.AddTo(b)
				item, list := boxSpec(), runtime.KindSpec[boxList]{
					GroupVersionKind: gv.WithKind("BoxList"), Item: "Box",
					TypeMeta: func(l *boxList) (apiVersion, kind *string) { return &l.APIVersion, &l.Kind },
					Items:    func(l *boxList) runtime.Items { return (*runtime.Slice[box])(&l.Items) },
				}
				item.List = "BoxList"
				spec := reflectjson.Complete(list)
				if row.list != nil {
					row.list(spec)
				}
				runtime.AddKind(b, reflectjson.Complete(item))
				runtime.AddKind(b, spec)
				if row.table != nil {
					runtime.AddAs(b, row.table, runtime.CollectItems(
						func(*metav1.Table, *conversion.Scope) error { return nil },
					))
				}
			})
			if row.want == "" && got != "" || !strings.Contains(got, row.want) {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
}

func firstProblem(t *testing.T, add func(*runtime.Builder)) string {
	t.Helper()
	return firstProblemOf(t, "Box", add)
}

func firstProblemOf(t *testing.T, kind string, add func(*runtime.Builder)) string {
	t.Helper()
	s, err := runtime.NewScheme(add)
	if err != nil {
		t.Fatal(err)
	}
	formats := []*format.Format{json.Format(), yaml.Format()}
	f, err := serializer.NewFactory(s, formats...)
	if err != nil {
		t.Fatal(err)
	}
	k, err := s.Kind(gv.WithKind(kind))
	if err != nil {
		t.Fatal(err)
	}
	funcs := []any{func(l *boxList, c gofuzz.Continue) {
		l.Items = make([]box, 2)
		for i := range l.Items {
			c.Fuzz(&l.Items[i])
		}
		l.Total = len(l.Items)
	}}
	c := newChecker(options{formats: formats, funcs: funcs}, f, k)
	for seed := range int64(50) {
		if problem := c.check(seed); problem != "" {
			return problem
		}
	}
	return ""
}

type disk struct {
	Name string `json:"name"`
	Size int32  `json:"size"`
}

type shelf struct {
	Kind       string `json:"kind,omitempty"`
	APIVersion string `json:"apiVersion,omitempty"`
	Disks      []disk `json:"disks,omitempty"`
}

type mappedShelf struct {
	Kind       string           `json:"kind,omitempty"`
	APIVersion string           `json:"apiVersion,omitempty"`
	Disks      map[string]int32 `json:"disks,omitempty"`
}

func addShelves(b *runtime.Builder) {
	runtime.AddKind(b, reflectjson.Complete(runtime.KindSpec[shelf]{
		GroupVersionKind: gv.WithKind("Shelf"),
		TypeMeta:         func(s *shelf) (apiVersion, kind *string) { return &s.APIVersion, &s.Kind },
	}))
	runtime.AddKind(b, reflectjson.Complete(runtime.KindSpec[mappedShelf]{
		GroupVersionKind: schema.GroupVersionKind{Group: "test", Version: "v2", Kind: "Shelf"},
		TypeMeta:         func(s *mappedShelf) (apiVersion, kind *string) { return &s.APIVersion, &s.Kind },
	}))
	runtime.AddConversion(b, func(in *shelf, out *mappedShelf, _ *conversion.Scope) error {
		for _, d := range in.Disks {
			if out.Disks == nil {
				out.Disks = map[string]int32{}
			}
			out.Disks[d.Name] = d.Size
		}
		return nil
	})
	runtime.AddConversion(b, func(in *mappedShelf, out *shelf, _ *conversion.Scope) error {
		for _, name := range slices.Sorted(maps.Keys(in.Disks)) {
			out.Disks = append(out.Disks, disk{name, in.Disks[name]})
		}
		return nil
	})
}

// recorder keeps the errors of a test.
type recorder struct{ errors string }

func (*recorder) Helper()             {}
func (*recorder) Logf(string, ...any) {}
func (r *recorder) Errorf(format string, args ...any) {
	r.errors += fmt.Sprintf(format, args...)
}

// TestListThatIsAMap checks a conversion that loses the order of a list, by the function that the
// error and the README name.
func TestListThatIsAMap(t *testing.T) {
	t.Parallel()
	s, err := runtime.NewScheme(addShelves)
	if err != nil {
		t.Fatal(err)
	}
	var random, ordered recorder
	RoundTrip(&random, s, Seed(1))
	for _, want := range []string{"does not restore the object", "If a list is a map there", "fuzz.Funcs"} {
		if !strings.Contains(random.errors, want) {
			t.Errorf("the problem does not say %q:\n%s", want, random.errors)
		}
	}
	RoundTrip(&ordered, s, Seed(1), Funcs(func(disks *[]disk, r gofuzz.Continue) {
		r.FuzzNoCustom(disks)
		slices.SortFunc(*disks, func(a, b disk) int { return strings.Compare(a.Name, b.Name) })
		*disks = slices.CompactFunc(*disks, func(a, b disk) bool { return a.Name == b.Name })
	}))
	if ordered.errors != "" {
		t.Errorf("lists in the order of their names:\n%s", ordered.errors)
	}
}

// TestPointersToNil checks that random objects have no pointers to nil, which JSON does not
// distinguish from nil.
func TestPointersToNil(t *testing.T) {
	t.Parallel()
	type inner struct {
		Names *[]string `json:"names,omitempty"`
	}
	type pointed struct {
		Kind       string              `json:"kind,omitempty"`
		APIVersion string              `json:"apiVersion,omitempty"`
		Names      *[]string           `json:"names,omitempty"`
		Counts     *map[string]**int32 `json:"counts,omitempty"`
		Parts      [2]inner            `json:"parts"`
		Inner      map[string]inner    `json:"inner,omitempty"`
	}
	s, err := runtime.NewScheme(func(b *runtime.Builder) {
		runtime.AddKind(b, reflectjson.Complete(runtime.KindSpec[pointed]{
			GroupVersionKind: gv.WithKind("Pointed"),
			TypeMeta:         func(p *pointed) (apiVersion, kind *string) { return &p.APIVersion, &p.Kind },
		}))
	})
	if err != nil {
		t.Fatal(err)
	}
	var found recorder
	RoundTrip(&found, s, Seed(1), Rounds(50), Formats(json.Format(), yaml.Format()))
	if found.errors != "" {
		t.Error(found.errors)
	}
}
