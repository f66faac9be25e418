package conformance

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	ruledv1 "github.com/askind/askind/internal/ruled/v1"
	"github.com/askind/askind/meta/intstr"
	"github.com/askind/askind/runtime"
)

// pick returns one of some values.
func pick[T any](rnd *rand.Rand, values ...T) T { return values[rnd.IntN(len(values))] }

func maybe[T any](rnd *rand.Rand, v T) *T {
	if rnd.IntN(3) > 0 {
		return nil
	}
	return &v
}

// random returns an object with values on both sides of every rule.
func random(rnd *rand.Rand) *ruledv1.Ruled {
	shelf := func() *ruledv1.Shelf {
		return &ruledv1.Shelf{Name: pick(rnd, "x", "y"), Boards: pick[int32](rnd, 1, 1, 1, 2, 0)}
	}
	s := ruledv1.Spec{
		Name: pick(rnd, "abc", "ab", "äöä", "abcde", "äääää", "a", "", "abcdef", "ab1"), Owner: pick(rnd, "o",
			"o", "o", ""),
		City: pick(rnd, "c", "c", "c", ""), Floors: maybe(rnd, pick[int32](rnd, 1, 9, 5, 10, 0, -1)),
		Steps: pick[int64](rnd, 0, 3, 6, -9, 4),
		Size:  pick(rnd, "", "small", "large", "huge"), Wheels: pick[int32](rnd, 0, 1, 2, 4, 3),
		Mode: pick(rnd, "", ruledv1.ModeOpen, ruledv1.ModeClosed, "Ajar"), Rating: pick[ruledv1.Rating](rnd, 0, 2.5,
			5, 5.1, -1),
		Tags: pick(rnd, nil, []string{"a"}, []string{"a", "bb", "ä"}, []string{}, []string{"a", "b", "c", "d"},
			[]string{""}, []string{"abc"}),
		Shelves: pick(rnd, nil, []ruledv1.Shelf{*shelf()}, []ruledv1.Shelf{{Name: "a", Boards: 1}, *shelf()}),
		Prices: pick(rnd, nil, map[string]int64{"a": 0}, map[string]int64{"a": 1, "b": 2}, map[string]int64{"a": -1},
			map[string]int64{"a": 1, "b": 2, "c": 3}),
		Address: pick(rnd, "", "10.0.0.1", "::1", "x"), Label: pick(rnd, "", "a-1", "A", "-a"),
		Notes: pick(rnd, nil, []string{"a"}, []string{"a", "b"}, []string{}), Parts: pick(rnd, nil, []string{},
			[]string{"a"}),
	}
	if rnd.IntN(4) == 0 {
		s.Pay = &ruledv1.Pay{Type: pick(rnd, "Coin", "Card", "Else")}
		if rnd.IntN(2) == 0 {
			s.Pay.Coin = shelf()
		}
		if rnd.IntN(2) == 0 {
			s.Pay.Card = shelf()
		}
	}
	if rnd.IntN(4) == 0 {
		n := int32(1)
		s.Cash = &ruledv1.Cash{Euro: maybe(rnd, n), Dollar: maybe(rnd, n), Cent: maybe(rnd, n), Penny: maybe(rnd, n)}
	}
	s.Formats, s.More = formats(rnd), more(rnd, shelf)
	return &ruledv1.Ruled{Spec: s}
}

// formats returns texts that have the formats, and some that nearly do.
func formats(rnd *rand.Rand) *ruledv1.Formats {
	f := &ruledv1.Formats{}
	switch rnd.IntN(10) {
	case 0:
		f.Time = pick(rnd, "2026-11-23T22:02:29Z", "2026-11-23T22:02:29.5+01:00", "2026-11-23", "2026-13-01T00:00:00Z")
	case 1:
		f.Day = pick(rnd, "2026-11-23", "2026-02-30", "26-11-23", "2026-11-23T00:00:00Z")
	case 2:
		f.UUID = pick(rnd, "ef32d938-ac5d-4504-9626-69588134cf94", "ef32d938-ac5d-4504-9626", "x")
	case 3:
		f.IPv6 = pick(rnd, "::1", "2001:db8::1", "10.0.0.1", "2001:db8:::1")
	case 4:
		f.Host = pick(rnd, "example.com", "a-b", "-a", "a..b", "a b")
	case 5:
		f.Mail = pick(rnd, "a@example.com", "a.b+c@example.com", "a", "a@")
	case 6:
		f.Data = pick(rnd, "YQ==", "YWJj", "Y")
	case 7:
		f.LongName = pick(rnd, "a.b-c", "a", "A", "a..b", "-a")
	case 8:
		f.LabelKey = pick(rnd, "a", "example.com/a_b.C", "/a", "a/b/c", "-a")
	default:
		f.LabelValue = pick(rnd, "a", "a_b.C", "-a", "a b")
	}
	return f
}

func more(rnd *rand.Rand, shelf func() *ruledv1.Shelf) *ruledv1.More {
	m := &ruledv1.More{}
	number, text := intstr.FromInt32, intstr.FromString
	switch rnd.IntN(10) {
	case 0:
		m.Surge = new(pick(rnd, number(0), number(-1), text("25%"), text("25"), text("")))
	case 1:
		m.Ports = pick(rnd, []intstr.IntOrString{number(80), text("http")}, []intstr.IntOrString{text("80")},
			[]intstr.IntOrString{number(81)})
	case 2:
		m.Odd = new(pick[int32](rnd, 1, 2, 0, 3))
	case 3:
		m.Keys = pick(rnd, map[string]string{"a": ""}, map[string]string{"a": "", "b": ""})
	case 4:
		m.Entries = pick(rnd, [][]string{{"a"}}, [][]string{{"a"}, {}}, [][]string{{"a"}, {"a"}, {"a"}})
	case 5:
		m.Numbers = pick(rnd, []int64{2, 4}, []int64{2, 3}, []int64{0}, []int64{-2})
	case 6:
		m.First = shelf()
		if rnd.IntN(2) == 0 {
			m.Second = shelf()
		}
	case 7:
		m.Share = pick[float32](rnd, 0.1, 0.2, 0.3, 0.25, 0.4, -0.3)
	case 8:
		m.Need = &ruledv1.Need{
			Count: maybe(rnd, pick[int32](rnd, 0, 1)), Least: pick[int32](rnd, 1, 1, 0), Unit: pick(rnd, "m", "m", ""),
		}
	}
	return m
}

// mostlyValid returns an object with few violations, so that each of them decides the result.
func mostlyValid(rnd *rand.Rand) *ruledv1.Ruled {
	good := &ruledv1.Ruled{Spec: ruledv1.Spec{
		Name: "abc", Owner: "o", City: "c", Notes: []string{"a"},
		Parts: []string{},
	}}
	other := random(rnd)
	for n := rnd.IntN(4); n >= 0; n-- {
		change(rnd.IntN(22), &good.Spec, &other.Spec)
	}
	return good
}

// change copies one field.
func change(field int, to, from *ruledv1.Spec) {
	switch field {
	case 0:
		to.Name = from.Name
	case 1:
		to.Owner = from.Owner
	case 2:
		to.City = from.City
	case 3:
		to.Floors = from.Floors
	case 4:
		to.Steps = from.Steps
	case 5:
		to.Size = from.Size
	case 6:
		to.Wheels = from.Wheels
	case 7:
		to.Mode = from.Mode
	case 8:
		to.Rating = from.Rating
	case 9:
		to.Tags = from.Tags
	case 10:
		to.Shelves = from.Shelves
	case 11:
		to.Prices = from.Prices
	case 12:
		to.Pay = from.Pay
	case 13:
		to.Cash = from.Cash
	case 14:
		to.Address = from.Address
	case 15:
		to.Label = from.Label
	case 16:
		to.Notes = from.Notes
	case 17, 18:
		to.Formats = from.Formats
	case 19, 20:
		to.More = from.More
	default:
		to.Parts = from.Parts
	}
}

// run runs the command askind in the module root.
func run(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", append([]string{"run", "./codegen/askind"}, args...)...)
	cmd.Dir = "../.."
	cmd.Env = append(os.Environ(), "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

// TestValidationAgreesWithJSONSchema validates random objects with generated functions and with
// their JSON Schema. It excludes the differences that docs/validation.md lists: duplicate keys of
// lists, and the format byte, which JSON Schema cannot express.
func TestValidationAgreesWithJSONSchema(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	run(t, "schema", "-o", dir, "./internal/ruled/...")
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	judge, err := c.Compile(filepath.Join(dir, "ruled.example.com", "ruled_v1.json"))
	if err != nil {
		t.Fatal(err)
	}
	kind := ruledKind(t)
	rnd := rand.New(rand.NewPCG(1, 2))
	valid, invalid := 0, 0
	for range 5000 {
		obj := mostlyValid(rnd)
		found := withoutNamed(kind.Validate(t.Context(), obj))
		text, err := kind.AppendJSON(nil, obj)
		if err != nil {
			t.Fatal(err)
		}
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		err = judge.Validate(v)
		if (err == nil) != (len(found) == 0) {
			t.Fatalf("%s\ngenerated functions: %v\nJSON Schema: %v", text, found, err)
		}
		if err == nil {
			valid++
		} else {
			invalid++
		}
	}
	if valid < 500 || invalid < 500 {
		t.Errorf("%d valid and %d invalid objects are too few", valid, invalid)
	}
}

func withoutNamed(errs runtime.FieldErrors) (out runtime.FieldErrors) {
	for _, e := range errs {
		if e.Code != runtime.FieldDuplicate && e.Path.String() != "spec.formats.data" {
			out = append(out, e)
		}
	}
	return out
}

// TestExamplesAreValid checks the schemas to the manifests of the example.
func TestExamplesAreValid(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	run(t, "schema", "-o", dir, "./examples/fleet/api/...")
	c := jsonschema.NewCompiler()
	one, err := c.Compile(filepath.Join(dir, "fleet.example.com", "machine_v1.json"))
	if err != nil {
		t.Fatal(err)
	}
	all, err := c.Compile(filepath.Join(dir, "all.json"))
	if err != nil {
		t.Fatal(err)
	}
	for text, valid := range map[string]bool{
		`{"apiVersion":"fleet.example.com/v1","kind":"Machine","metadata":{"name":"a"},"spec":{"zone":"z","hardware":{"cores":1,"memory":"1Gi"},"boot":{"type":"Image"}}}`:        true,
		`{"apiVersion":"fleet.example.com/v1","kind":"Machine","metadata":{"name":"a"},"spec":{"zone":"z","hardware":{"cores":1,"memory":"lots"},"boot":{"type":"Image"}}}`:       false,
		`{"apiVersion":"fleet.example.com/v1","kind":"Machine","metadata":{"name":"a"},"spec":{"zoen":"z","zone":"z","hardware":{"cores":1,"memory":1},"boot":{"type":"Image"}}}`: false,
		`{"apiVersion":"fleet.example.com/v2","kind":"Machine","metadata":{"name":"a"},"spec":{"zone":"z","hardware":{"cores":1,"memory":"1Gi"},"boot":{"type":"Image"}}}`:        false,
	} {
		var v any
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		for _, judge := range []*jsonschema.Schema{one, all} {
			if err := judge.Validate(v); (err == nil) != valid {
				t.Errorf("%s: %v", text, err)
			}
		}
	}
	const site = `{"apiVersion":"inventory.example.com/v1","kind":"Site","spec":{"address":"a"}}`
	for text, valid := range map[string]bool{
		`{"apiVersion":"inventory.example.com/v1","kind":"Site","spec":{"address":"a"}}`:                               true,
		`{"apiVersion":"inventory.example.com/v1","kind":"Site","spec":{"address":"a"},"replicas":1}`:                  false,
		`{"apiVersion":"fleet.example.com/v1","kind":"Site","spec":{"address":"a"}}`:                                   false,
		`{"apiVersion":"fleet.example.com/v1alpha1","kind":"Machine","spec":{"zone":"z","cores":"all"}}`:               false,
		`{"kind":"Site","spec":{"address":"a"}}`:                                                                       false,
		`{"apiVersion":"v1","kind":"List","items":[]}`:                                                                 true,
		`{"apiVersion":"v1","kind":"List","metadata":{},"items":[` + site + `]}`:                                       true,
		`{"apiVersion":"v1","kind":"List","items":[` + site + `,{"kind":"Site","spec":{}}]}`:                           false,
		`{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"List","items":[1]}]}`:                    false,
		`{"apiVersion":"v1","kind":"List","itmes":[]}`:                                                                 false,
		`{"apiVersion":"v1","kind":"Site","spec":{"address":"a"}}`:                                                     false,
		`{"apiVersion":"inventory.example.com/v1","kind":"SiteList","items":[` + site + `]}`:                           true,
		`{"apiVersion":"inventory.example.com/v1","kind":"SiteList","metadata":{},"items":[{"spec":{"address":"a"}}]}`: true,
		`{"apiVersion":"inventory.example.com/v1","kind":"SiteList","items":[{"spec":{"adress":"a"}}]}`:                false,
		`{}`: false,
		`[]`: false,
	} {
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := all.Validate(v); (err == nil) != valid {
			t.Errorf("%s: %v", text, err)
		}
	}
}
