package runtime_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/askind/askind/conversion"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/json/reflectjson"
)

// LossyShared is exported, as embedded structs are in real types.
type LossyShared struct {
	Zone string `json:"zone,omitempty"`
}

type lossyPart struct {
	Name string            `json:"name,omitempty"`
	Note *string           `json:"note,omitempty"`
	Tags []string          `json:"tags,omitempty"`
	More map[string]*int32 `json:"more,omitempty"`
}

type lossyNew struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`
	*LossyShared      `json:",inline"`

	Part   *lossyPart            `json:"part,omitempty"`
	Parts  []lossyPart           `json:"parts,omitempty"`
	ByName map[string]*lossyPart `json:"byName,omitempty"`
	Zero   *int32                `json:"zero,omitempty"`
	Plain  string
	Hidden string `json:"-"`
}

type lossyMid struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	Part *lossyPart `json:"part,omitempty"`
}

type lossyOld struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`
}

type lossyNewList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitzero"`
	Items           []lossyNew `json:"items"`
}

type lossyMidList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitzero"`
	Items           []lossyMid `json:"items"`
}

func lossy(version string) schema.GroupVersion {
	return schema.GroupVersion{Group: "lossy.example.com", Version: version}
}

// addLossy registers kinds that lose fields on the way from v3 to v2 and from there to v1.
func addLossy(b *runtime.Builder) {
	runtime.AddKind(b, reflectjson.Complete(runtime.KindSpec[lossyNew]{
		GroupVersionKind: lossy("v3").WithKind("Lossy"), List: "LossyList",
	}))
	runtime.AddKind(b, reflectjson.Complete(runtime.KindSpec[lossyMid]{
		GroupVersionKind: lossy("v2").WithKind("Lossy"), List: "LossyList",
	}))
	runtime.AddKind(b, reflectjson.Complete(runtime.KindSpec[lossyOld]{
		GroupVersionKind: lossy("v1").WithKind("Lossy"),
	}))
	runtime.AddKind(b, reflectjson.Complete(runtime.KindSpec[lossyNewList]{
		GroupVersionKind: lossy("v3").WithKind("LossyList"), Item: "Lossy",
		Items: func(l *lossyNewList) runtime.Items { return (*runtime.Slice[lossyNew])(&l.Items) },
	}))
	runtime.AddKind(b, reflectjson.Complete(runtime.KindSpec[lossyMidList]{
		GroupVersionKind: lossy("v2").WithKind("LossyList"), Item: "Lossy",
		Items: func(l *lossyMidList) runtime.Items { return (*runtime.Slice[lossyMid])(&l.Items) },
	}))
	lost := func(path string) conversion.Loss { return conversion.Loss{Path: path, Reason: "came later"} }
	runtime.AddConversion(
		b, func(in *lossyNew, out *lossyMid, _ *conversion.Scope) error {
			if in.Name == "refused" {
				return errors.New("refused")
			}
			*out = lossyMid{ObjectMeta: in.ObjectMeta, Part: in.Part}
			return nil
		},
		lost("zone"), lost("part.note"), lost("part.tags[*]"), lost("parts[*].note"), lost("parts[*].tags"),
		lost("parts[*].more[*]"), lost("byName[*].note"), lost("Plain"), lost("Hidden"), lost("no.such.field"),
		conversion.Loss{Path: "zero", Reason: "unset and zero become one", Partial: true},
	)
	runtime.AddConversion(b, func(in *lossyMid, out *lossyOld, _ *conversion.Scope) error {
		*out = lossyOld{ObjectMeta: in.ObjectMeta}
		return nil
	}, lost("part"))
}

// TestDroppedLosses checks that the scope's function is called for each value that is a declared
// loss, with its path, on each step of a route, and for nothing else.
func TestDroppedLosses(t *testing.T) {
	t.Parallel()
	scheme, err := runtime.NewScheme(addLossy)
	if err != nil {
		t.Fatal(err)
	}
	full := func() *lossyNew {
		return &lossyNew{
			TypeMeta:    metav1.TypeMeta{APIVersion: lossy("v3").String(), Kind: "Lossy"},
			LossyShared: &LossyShared{Zone: "a"},
			Part:        &lossyPart{Name: "p", Note: new(""), Tags: []string{"", "x"}},
			Parts: []lossyPart{
				{Name: "kept", Tags: []string{}},
				{
					Note: new("n"), Tags: []string{"t"},
					More: map[string]*int32{"b": new(int32(0)), "7": new(int32(1)), "nil": nil},
				},
			},
			ByName: map[string]*lossyPart{
				"z": {Note: new("n")}, "a": {Note: new("n")}, "nil": nil, "kept": {Name: "k"},
			},
			Zero: new(int32(0)), Plain: "p", Hidden: "h",
		}
	}
	refused := full()
	refused.Name = "refused"
	const to2 = "lossy.example.com/v3/Lossy to lossy.example.com/v2/Lossy came later: "
	inV2 := []string{
		to2 + "zone", to2 + "part.note", to2 + "part.tags[1]", to2 + "parts[1].note", to2 + "parts[1].tags",
		to2 + `parts[1].more["7"]`, to2 + "parts[1].more[b]", to2 + "byName[a].note", to2 + "byName[z].note",
		to2 + "Plain", to2 + "Hidden",
	}
	list := &lossyNewList{
		TypeMeta: metav1.TypeMeta{APIVersion: lossy("v3").String(), Kind: "LossyList"},
		Items:    []lossyNew{{}, {Plain: "p"}, *full()},
	}
	for _, c := range []struct {
		name    string
		obj     runtime.Object
		version string
		want    []string
		err     bool
	}{
		{name: "one step", obj: full(), version: "v2", want: inV2},
		{
			name: "two steps", obj: full(), version: "v1",
			want: append(slices.Clone(inV2), "lossy.example.com/v2/Lossy to lossy.example.com/v1/Lossy came later: part"),
		},
		{name: "the same version", obj: full(), version: "v3"},
		{name: "nothing set", obj: &lossyNew{TypeMeta: full().TypeMeta}, version: "v1"},
		{name: "refused", obj: refused, version: "v2", want: inV2, err: true},
		{name: "a list", obj: list, version: "v2", want: append([]string{to2 + "Plain"}, inV2...)},
	} {
		var got []string
		_, err := scheme.ConvertWith(c.obj, lossy(c.version), conversion.NewScope(conversion.ScopeOptions{
			Dropped: func(d conversion.DroppedValue) {
				got = append(got, d.Kind+" to "+d.To+" "+d.Reason+": "+d.Path)
			},
		}))
		if (err != nil) != c.err || !slices.Equal(got, c.want) {
			t.Errorf("%s: %v\n got %q\nwant %q", c.name, err, got, c.want)
		}
		if _, err := scheme.ConvertWith(c.obj, lossy(c.version), nil); (err != nil) != c.err {
			t.Errorf("%s, no function: %v", c.name, err)
		}
	}
	var value any
	_, err = scheme.ConvertWith(&lossyNew{LossyShared: &LossyShared{Zone: "a"}}, lossy("v2"),
		conversion.NewScope(conversion.ScopeOptions{Dropped: func(d conversion.DroppedValue) { value = d.Value }}))
	if err != nil || value != "a" {
		t.Errorf("got the value %v, %v", value, err)
	}
	d := conversion.DroppedValue{Path: "spec.rack", Kind: "a/v1/M", To: "a/v2/M", Reason: "racks are gone"}
	if got, want := d.String(), "spec.rack: the value is dropped in a/v2/M: racks are gone"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
