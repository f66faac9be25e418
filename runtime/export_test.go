package runtime_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/askind/askind/internal/cputime"
	"github.com/askind/askind/internal/race"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/json/reflectjson"
	"github.com/askind/askind/wire/jsonwire"
)

// plan is a kind with defaults of every sort: simple ones, ones that depend on other fields, whole
// objects and lists, and ones inside the elements of a list.
type plan struct {
	Kind       string            `json:"kind,omitempty"`
	APIVersion string            `json:"apiVersion,omitempty"`
	Name       string            `json:"name,omitempty"`
	UID        string            `json:"uid,omitempty"`
	Labels     map[string]string `json:"labels,omitempty"`
	Always     int               `json:"always"` // without omitempty
	Count      *int              `json:"count,omitempty"`
	Mode       string            `json:"mode,omitempty"`
	Rolling    *planRolling      `json:"rolling,omitempty"`
	Zones      []string          `json:"zones,omitempty"`
	Steps      []planStep        `json:"steps,omitempty"`
	Empty      *struct{}         `json:"empty,omitempty"`
	Twin       string            `json:"twin,omitempty"`
	Other      string            `json:"other,omitempty"`
}

type planRolling struct {
	Surge int        `json:"surge,omitempty"`
	Inner *planInner `json:"inner,omitempty"`
}

type planInner struct {
	Deep string `json:"deep,omitempty"`
}

type planStep struct {
	Name  string `json:"name,omitempty"`
	Retry int    `json:"retry,omitempty"`
}

type planList struct {
	Kind       string `json:"kind,omitempty"`
	APIVersion string `json:"apiVersion,omitempty"`
	Items      []plan `json:"items"`
}

func defaultPlan(p *plan) error {
	if p.Name == "broken" {
		return errors.New("no defaults for broken plans")
	}
	if p.Always == 0 {
		p.Always = 3
	}
	if p.Count == nil {
		n := 1
		p.Count = &n
	}
	if p.Mode == "" {
		p.Mode = "Rolling"
	}
	if p.Mode == "Rolling" {
		if p.Rolling == nil {
			p.Rolling = &planRolling{}
		}
		if p.Rolling.Surge == 0 {
			p.Rolling.Surge = *p.Count * 25
		}
		if p.Rolling.Inner == nil {
			p.Rolling.Inner = &planInner{Deep: "x"}
		}
	}
	if p.Zones == nil {
		p.Zones = []string{"a", "b"}
	}
	for i := range p.Steps {
		if p.Steps[i].Retry == 0 {
			p.Steps[i].Retry = 5
		}
	}
	// Each of these two is the default of the other.
	if p.Twin == "" {
		p.Twin = p.Other
	}
	if p.Other == "" {
		p.Other = p.Twin
	}
	return nil
}

var planV1 = schema.GroupVersion{Group: "plans.example.com", Version: "v1"}

func planScheme(t testing.TB) *runtime.Scheme {
	t.Helper()
	s, err := runtime.NewScheme(func(b *runtime.Builder) {
		runtime.AddKind(b, reflectjson.Complete(runtime.KindSpec[plan]{
			GroupVersionKind: planV1.WithKind("Plan"), List: "PlanList", Default: defaultPlan,
			Export: func(p *plan) { p.UID = "" },
		}))
		runtime.AddKind(
			b, reflectjson.Complete(runtime.KindSpec[planList]{
				GroupVersionKind: planV1.WithKind("PlanList"),
				Item:             "Plan",
			}),
		)
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func fromJSON(t testing.TB, k *runtime.Kind, text string) runtime.Object {
	t.Helper()
	obj := k.New()
	r := jsonwire.NewReader([]byte(text), jsonwire.Options{Strict: true})
	if err := k.DecodeJSON(r, obj); err != nil || len(r.Problems()) > 0 {
		t.Fatalf("%s: %v %v", text, err, r.Problems())
	}
	return obj
}

// fields writes an object without kind and apiVersion.
func fields(t testing.TB, k *runtime.Kind, obj runtime.Object) string {
	t.Helper()
	out, err := k.AppendJSON(nil, obj)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(out), `"apiVersion":"plans.example.com/v1"`)
	return "{" + strings.TrimPrefix(rest, ",")
}

func TestExport(t *testing.T) {
	t.Parallel()
	k, err := planScheme(t).Kind(planV1.WithKind("Plan"))
	if err != nil {
		t.Fatal(err)
	}
	const defaulted = `"always":3,"count":1,"mode":"Rolling","rolling":{"surge":25,"inner":{"deep":"x"}},"zones":["a","b"]`
	for _, c := range []struct{ name, in, want string }{
		{"nothing but defaults", `{` + defaulted + `}`, `{"always":3}`},
		{"nothing at all", `{"always":0}`, `{"always":0}`},
		{"set by the server", `{"name":"a","uid":"u",` + defaulted + `}`, `{"name":"a","always":3}`},
		{
			"labels stay", `{"labels":{"a":"b","zones":"a"},` + defaulted + `}`,
			`{"labels":{"a":"b","zones":"a"},"always":3}`,
		},
		{"another value", `{"always":3,"count":2,"mode":"Rolling","rolling":{"surge":7,"inner":{"deep":"y"}},"zones":["b","a"]}`, `{"always":3,"count":2,"rolling":{"surge":7,"inner":{"deep":"y"}},"zones":["b","a"]}`},
		{
			"default that depends on another value",
			`{"always":3,"count":2,"mode":"Rolling","rolling":{"surge":50,"inner":{"deep":"x"}},"zones":["a","b"]}`,
			`{"always":3,"count":2}`,
		},
		{"a part of an object", `{"always":3,"count":1,"mode":"Rolling","rolling":{"surge":25,"inner":{"deep":"y"}},"zones":["a","b"]}`, `{"always":3,"rolling":{"inner":{"deep":"y"}}}`},
		{
			"empty where there is a default",
			`{"always":3,"count":1,"mode":"Rolling","rolling":{"surge":25,"inner":{}},"zones":["a","b"]}`,
			`{"always":3,"rolling":{"inner":{}}}`,
		},
		{
			"a value that JSON does not show", `{"always":3,"count":1,"mode":"Rolling","zones":[]}`,
			`{"always":3,"count":1,"mode":"Rolling"}`,
		},
		{"other mode", `{"always":3,"count":1,"mode":"Recreate","zones":["a","b"]}`, `{"always":3,"mode":"Recreate"}`},
		{
			"default of another mode",
			`{"always":3,"count":1,"mode":"Recreate","rolling":{"surge":25},"zones":["a","b"]}`,
			`{"always":3,"mode":"Recreate","rolling":{"surge":25}}`,
		},
		{
			"elements", `{"always":3,"steps":[{"name":"s","retry":5},{"retry":6},{"retry":5}],"zones":["a","b"]}`,
			`{"always":3,"steps":[{"name":"s"},{"retry":6},{}]}`,
		},
		{"empty object", `{"always":3,"empty":{}}`, `{"always":3,"empty":{}}`},
		{"one of two twins", `{"always":3,"twin":"t","other":"t"}`, `{"always":3,"other":"t"}`},
		{"two different twins", `{"always":3,"twin":"t","other":"o"}`, `{"always":3,"twin":"t","other":"o"}`},
		{"not defaulted yet", `{"always":9,"name":"a"}`, `{"name":"a","always":9}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			obj := fromJSON(t, k, c.in)
			before := fields(t, k, obj)
			got, err := k.Export(obj)
			if err != nil {
				t.Fatal(err)
			}
			if text := fields(t, k, got); text != c.want {
				t.Errorf("got  %s\nwant %s", text, c.want)
			}
			if after := fields(t, k, obj); after != before {
				t.Errorf("the object was changed to %s", after)
			}
			checkExport(t, k, obj, got)
		})
	}
}

// checkExport holds the promise of Export.
func checkExport(t *testing.T, k *runtime.Kind, obj, exported runtime.Object) {
	t.Helper()
	want, err := k.DeepCopy(obj)
	if err != nil {
		t.Fatal(err)
	}
	want.(*plan).UID = ""
	got, err := k.DeepCopy(exported)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []runtime.Object{want, got} {
		if err := k.Default(o); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := fields(t, k, got), fields(t, k, want); got != want {
		t.Errorf("defaulting the exported object gives\n%s\nwant\n%s", got, want)
	}
}

// TestExportByFunction checks that the OmitDefaults function of a spec takes the place of the
// trial, and that it does not where it cannot know all defaults.
func TestExportByFunction(t *testing.T) {
	t.Parallel()
	called := 0
	add := func(b *runtime.Builder) {
		runtime.AddKind(b, reflectjson.Complete(runtime.KindSpec[plan]{
			GroupVersionKind: planV1.WithKind("Plan"), List: "PlanList", Default: defaultPlan,
			Export: func(p *plan) { p.UID = "" },
			OmitDefaults: func(p *plan) {
				called++
				if p.Mode == "Rolling" {
					p.Mode = ""
				}
			},
		}))
		runtime.AddKind(
			b, reflectjson.Complete(runtime.KindSpec[planList]{
				GroupVersionKind: planV1.WithKind("PlanList"),
				Item:             "Plan",
			}),
		)
	}
	for _, c := range []struct {
		name  string
		more  func(*runtime.Builder)
		calls int
	}{
		{"known", func(*runtime.Builder) {}, 1},
		{
			"defaults were added", func(b *runtime.Builder) { runtime.AddDefault(b, func(*plan) error { return nil }) },
			0,
		},
	} {
		s, err := runtime.NewScheme(add, c.more)
		if err != nil {
			t.Fatal(err)
		}
		k, err := s.Kind(planV1.WithKind("Plan"))
		if err != nil {
			t.Fatal(err)
		}
		called = 0
		one := 1
		in := &plan{UID: "u", Always: 3, Count: &one, Mode: "Rolling"}
		out, err := k.Export(in)
		if err != nil {
			t.Fatal(err)
		}
		cleared := &plan{UID: "u", Mode: "Rolling"}
		if err := k.ClearServerSet(cleared); err != nil || cleared.UID != "" || cleared.Mode != "Rolling" {
			t.Errorf("%s: cleared %+v, %v", c.name, cleared, err)
		}
		if called != c.calls || out.(*plan).Mode != "" || out.(*plan).UID != "" || in.Mode != "Rolling" ||
			in.UID != "u" {
			t.Errorf("%s: %d calls, got %+v of %+v", c.name, called, out, in)
		}
	}
}

func TestExportList(t *testing.T) {
	t.Parallel()
	s := planScheme(t)
	k, err := s.Kind(planV1.WithKind("PlanList"))
	if err != nil {
		t.Fatal(err)
	}
	list := fromJSON(
		t, k, `{"items":[{"name":"a","uid":"u","always":3,"mode":"Rolling"},{"name":"b","always":4,"count":1}]}`,
	)
	got, err := k.Export(list)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(got)
	const item = `{"kind":"Plan","apiVersion":"plans.example.com/v1",`
	if want := `{"kind":"PlanList","apiVersion":"plans.example.com/v1","items":[` + item + `"name":"a","always":3},` +
		item + `"name":"b","always":4}]}`; err != nil || string(text) != want {
		t.Errorf("got  %s, %v\nwant %s", text, err, want)
	}
	if list.(*planList).Items[0].UID != "u" {
		t.Error("the list was changed")
	}
	if _, err := k.Export(&planList{Items: []plan{{}, {Name: "broken"}}}); err == nil ||
		!strings.Contains(err.Error(), "items[1]") {
		t.Errorf("failing default: %v", err)
	}
	if _, err := k.Export(&plan{}); err == nil {
		t.Error("no error for another type")
	}
}

// TestExportBound checks that a large object does not take for ever, and stays right.
func TestExportBound(t *testing.T) {
	t.Parallel()
	k, err := planScheme(t).Kind(planV1.WithKind("Plan"))
	if err != nil {
		t.Fatal(err)
	}
	p := &plan{Always: 3, Labels: map[string]string{}}
	for i := range 20000 {
		p.Labels[fmt.Sprint("label", i)] = strings.Repeat("v", 40)
	}
	if err := k.Default(p); err != nil {
		t.Fatal(err)
	}
	got, err := k.Export(p)
	if err != nil {
		t.Fatal(err)
	}
	if e := got.(*plan); e.Mode != "" || e.Count != nil || len(e.Labels) != 20000 {
		t.Errorf("got mode %q, count %v and %d labels", e.Mode, e.Count, len(e.Labels))
	}
}

// TestExportOfManyMembers checks that the time grows with the number of members, not with its
// square.
func TestExportOfManyMembers(t *testing.T) {
	t.Parallel()
	if race.Enabled {
		t.Skip("the race detector takes most of the time")
	}
	k, err := planScheme(t).Kind(planV1.WithKind("Plan"))
	if err != nil {
		t.Fatal(err)
	}
	p := &plan{Labels: map[string]string{}}
	const members = 100_000
	for i := range members {
		p.Labels[fmt.Sprintf("label-%07d", i)] = ""
	}
	var got runtime.Object
	took := cputime.Of(func() { got, err = k.Export(p) })
	if err != nil || len(got.(*plan).Labels) != members {
		t.Errorf("got %d labels, %v", len(got.(*plan).Labels), err)
	}
	if took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
}

// FuzzExport checks the guarantee of Export for any object.
func FuzzExport(f *testing.F) {
	f.Add(
		`{"always":3,"count":2,"mode":"Rolling","rolling":{"surge":50,"inner":{"deep":"x"}},"zones":["a","b"],"steps":[{"retry":5}]}`,
	)
	f.Add(`{"rolling":{},"twin":"a","other":"a","labels":{"":"\u0000"}}`)
	k, err := planScheme(f).Kind(planV1.WithKind("Plan"))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		obj := k.New()
		r := jsonwire.NewReader([]byte(text), jsonwire.Options{})
		if err := k.DecodeJSON(r, obj); err != nil || len(r.Problems()) > 0 || obj.(*plan).Name == "broken" {
			t.Skip()
		}
		got, err := k.Export(obj)
		if err != nil {
			t.Fatal(err)
		}
		checkExport(t, k, obj, got)
	})
}

func BenchmarkExport(b *testing.B) {
	k, err := planScheme(b).Kind(planV1.WithKind("Plan"))
	if err != nil {
		b.Fatal(err)
	}
	obj := fromJSON(
		b, k, `{"name":"a","labels":{"a":"b","c":"d"},"always":3,"count":2,"mode":"Rolling","rolling":{"surge":50,"inner":{"deep":"x"}},"zones":["a","b"],"steps":[{"name":"s","retry":5},{"name":"t","retry":6}]}`,
	)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := k.Export(obj); err != nil {
			b.Fatal(err)
		}
	}
}
