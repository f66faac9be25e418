package carry_test

import (
	"errors"
	"maps"
	"math"
	"reflect"
	goruntime "runtime"
	"slices"
	"strings"
	"testing"

	"github.com/askind/askind/conversion"
	"github.com/askind/askind/conversion/carry"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire/jsonwire"
)

// The types below are what the generator makes of two versions: old has notes and a limit that the
// new one does not know, in the object, in a list with keys, in one without, and in a map.

type old struct {
	Annotations map[string]string
	Spec        oldSpec
}

type oldSpec struct {
	Size  int64
	Note  string
	Limit *float64
	Disks []oldDisk
	Steps []oldDisk
	Zones map[string]oldDisk
}

type oldDisk struct {
	Name string
	Size int64
	Note string
}

type recent struct {
	Annotations map[string]string
	Spec        recentSpec
}

type recentSpec struct {
	Capacity int64
	Disks    []recentDisk
	Steps    []recentDisk
	Zones    map[string]recentDisk
}

type recentDisk struct {
	Name string
	Size int64
}

const (
	oldName    = "example.com/v1/Machine"
	recentName = "example.com/v2/Machine"
)

func appendDisk(dst []byte, in *oldDisk) ([]byte, error) {
	dst = jsonwire.AppendString(append(dst, `{"name":`...), in.Name)
	dst = jsonwire.AppendInt(append(dst, `,"size":`...), in.Size)
	if in.Note != "" {
		dst = jsonwire.AppendString(append(dst, `,"note":`...), in.Note)
	}
	return append(dst, '}'), nil
}

func decodeDisk(r *jsonwire.Reader, out *oldDisk) {
	for key := r.Object(); key != nil; key = r.NextKey() {
		switch string(key) {
		case "note":
			out.Note = r.String(out.Note)
		default:
			r.Unknown(key, nil)
		}
	}
}

func appendDisks(dst []byte, in []oldDisk) []byte {
	dst = append(dst, '[')
	for i := range in {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst, _ = appendDisk(dst, &in[i])
	}
	return append(dst, ']')
}

func appendSpec(dst []byte, in *oldSpec) ([]byte, error) {
	dst = jsonwire.AppendInt(append(dst, `{"size":`...), in.Size)
	dst = appendDisks(append(dst, `,"disks":`...), in.Disks)
	dst = appendDisks(append(dst, `,"steps":`...), in.Steps)
	dst = append(dst, `,"zones":{`...)
	for i, k := range jsonwire.SortedKeys(in.Zones) {
		if i > 0 {
			dst = append(dst, ',')
		}
		zone := in.Zones[k]
		dst, _ = appendDisk(append(jsonwire.AppendString(dst, k), ':'), &zone)
	}
	dst = append(dst, '}')
	if in.Note != "" {
		dst = jsonwire.AppendString(append(dst, `,"note":`...), in.Note)
	}
	if in.Limit != nil {
		var err error
		if dst, err = jsonwire.AppendFloat64(append(dst, `,"limit":`...), *in.Limit); err != nil {
			return dst, schema.AtField(err, "limit")
		}
	}
	return append(dst, '}'), nil
}

func decodeSpec(r *jsonwire.Reader, out *oldSpec) {
	for key := r.Object(); key != nil; key = r.NextKey() {
		switch string(key) {
		case "note":
			out.Note = r.String(out.Note)
		case "limit":
			out.Limit = new(r.Float64(0))
		default:
			r.Unknown(key, nil)
		}
	}
}

func diskToRecent(in *oldDisk, out *recentDisk, _ *conversion.Scope) error {
	out.Name, out.Size = in.Name, in.Size
	return nil
}

func diskFromRecent(in *recentDisk, out *oldDisk, _ *conversion.Scope) error {
	*out = oldDisk{Name: in.Name, Size: in.Size}
	return nil
}

func each[In, Out any](in []In, convert func(*In, *Out, *conversion.Scope) error) []Out {
	if in == nil {
		return nil
	}
	out := make([]Out, len(in))
	for i := range in {
		_ = convert(&in[i], &out[i], nil)
	}
	return out
}

func zones[In, Out any](in map[string]In, convert func(*In, *Out, *conversion.Scope) error) map[string]Out {
	if in == nil {
		return nil
	}
	out := map[string]Out{}
	for k, v := range in {
		var o Out
		_ = convert(&v, &o, nil)
		out[k] = o
	}
	return out
}

func specToRecent(in *oldSpec, out *recentSpec, _ *conversion.Scope) error {
	*out = recentSpec{
		Capacity: in.Size, Disks: each(in.Disks, diskToRecent), Steps: each(in.Steps, diskToRecent),
		Zones: zones(in.Zones, diskToRecent),
	}
	return nil
}

var errUnlucky = errors.New("no such number here")

func specFromRecent(in *recentSpec, out *oldSpec, _ *conversion.Scope) error {
	if in.Capacity == 13 {
		return schema.AtField(errUnlucky, "capacity")
	}
	*out = oldSpec{
		Size: in.Capacity, Disks: each(in.Disks, diskFromRecent), Steps: each(in.Steps, diskFromRecent),
		Zones: zones(in.Zones, diskFromRecent),
	}
	return nil
}

func toRecent(in *old, out *recent, s *conversion.Scope) error {
	out.Annotations = in.Annotations
	if err := specToRecent(&in.Spec, &out.Spec, s); err != nil {
		return err
	}
	return carry.Object(s, &out.Annotations, oldName, recentName, in, out, carryToRecent)
}

func fromRecent(in *recent, out *old, s *conversion.Scope) error {
	out.Annotations = in.Annotations
	if err := specFromRecent(&in.Spec, &out.Spec, s); err != nil {
		return err
	}
	return carry.Object(s, &out.Annotations, recentName, oldName, in, out, carryFromRecent)
}

func carryToRecent(c *carry.Carrier, in *old, out *recent) {
	c.Enter("spec", "spec")
	walkToRecent(c, "disks", in.Spec.Disks, out.Spec.Disks, func(i int) string { return in.Spec.Disks[i].Name })
	walkToRecent(c, "steps", in.Spec.Steps, out.Spec.Steps, nil)
	c.Enter("zones", "zones")
	c.Entries()
	for k := range in.Spec.Zones {
		c.AtKey(k)
		i, o := in.Spec.Zones[k], out.Spec.Zones[k]
		carryDiskToRecent(c, &i, &o)
	}
	c.Leave()
	c.Leave()
	if in.Spec.Note != "" || in.Spec.Limit != nil {
		guard := carry.Guard(c, &out.Spec, carry.All(), specFromRecent, appendSpec)
		carry.Keep(c, "note", guard, &oldSpec{Note: in.Spec.Note}, appendSpec)
		carry.Keep(c, "limit", guard, &oldSpec{Limit: in.Spec.Limit}, appendSpec)
	}
	c.Leave()
}

func walkToRecent(c *carry.Carrier, name string, in []oldDisk, out []recentDisk, key func(int) string) {
	c.Enter(name, name)
	c.Elements(len(in), key)
	for i := range in {
		c.At(i)
		carryDiskToRecent(c, &in[i], &out[i])
	}
	c.Leave()
	c.Leave()
}

func carryDiskToRecent(c *carry.Carrier, in *oldDisk, out *recentDisk) {
	if in.Note != "" {
		guard := carry.Guard(c, out, carry.All(), diskFromRecent, appendDisk)
		carry.Keep(c, "note", guard, &oldDisk{Note: in.Note}, appendDisk)
	}
}

func carryFromRecent(c *carry.Carrier, in *recent, out *old) {
	c.Enter("spec", "spec")
	if c.Waiting("note", "limit") {
		var kept oldSpec
		guard := carry.Guard(c, &in.Spec, carry.All(), specFromRecent, appendSpec)
		if carry.Take(c, "note", guard, &kept, decodeSpec) {
			out.Spec.Note = kept.Note
		}
		if carry.Take(c, "limit", guard, &kept, decodeSpec) {
			out.Spec.Limit = kept.Limit
		}
	}
	walkFromRecent(c, "disks", in.Spec.Disks, out.Spec.Disks, func(i int) string { return in.Spec.Disks[i].Name })
	walkFromRecent(c, "steps", in.Spec.Steps, out.Spec.Steps, nil)
	c.Enter("zones", "zones")
	c.Entries()
	for k := range in.Spec.Zones {
		c.AtKey(k)
		i, o := in.Spec.Zones[k], out.Spec.Zones[k]
		carryDiskFromRecent(c, &i, &o)
		out.Spec.Zones[k] = o
	}
	c.Leave()
	c.Leave()
	c.Leave()
}

func walkFromRecent(c *carry.Carrier, name string, in []recentDisk, out []oldDisk, key func(int) string) {
	c.Enter(name, name)
	c.Elements(len(in), key)
	for i := range in {
		c.At(i)
		carryDiskFromRecent(c, &in[i], &out[i])
	}
	c.Leave()
	c.Leave()
}

func carryDiskFromRecent(c *carry.Carrier, in *recentDisk, out *oldDisk) {
	if c.Waiting("note") {
		var kept oldDisk
		if carry.Take(c, "note", carry.Guard(c, in, carry.All(), diskFromRecent, appendDisk), &kept, decodeDisk) {
			out.Note = kept.Note
		}
	}
}

func sample() *old {
	return &old{
		Annotations: map[string]string{"owner": "me"},
		Spec: oldSpec{
			Size: 3, Note: "careful", Limit: new(0.5),
			Disks: []oldDisk{
				{Name: "root", Size: 1, Note: "slow"},
				{Name: "data", Size: 2},
				{Name: "0", Size: 1, Note: "zero"},
			},
			Steps: []oldDisk{{Size: 1}, {Size: 1, Note: "second"}, {Size: 2, Note: "third"}},
			Zones: map[string]oldDisk{"a.b": {Note: "east"}, "c": {}},
		},
	}
}

func forth(t *testing.T, in *old) *recent {
	t.Helper()
	before, annotations := *in, maps.Clone(in.Annotations)
	var out recent
	if err := toRecent(in, &out, nil); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(*in, before) || !reflect.DeepEqual(in.Annotations, annotations) {
		t.Error("the input has changed")
	}
	return &out
}

func back(t *testing.T, in *recent) *old {
	t.Helper()
	annotations := maps.Clone(in.Annotations)
	var out old
	if err := fromRecent(in, &out, nil); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(in.Annotations, annotations) {
		t.Error("the annotations of the input have changed")
	}
	return &out
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*old){
		"all": func(*old) {},
		"nothing to carry": func(o *old) {
			*o = old{
				Annotations: map[string]string{"a": "b"},
				Spec:        oldSpec{Size: 1},
			}
		},
		"nil annotations":   func(o *old) { o.Annotations = nil },
		"empty annotations": func(o *old) { o.Annotations = map[string]string{} },
		"pointer to zero":   func(o *old) { o.Spec.Limit = new(0.0) },
		"two with one key":  func(o *old) { o.Spec.Disks[1].Name = "root" },
		"three with one key": func(o *old) {
			o.Spec.Disks[1].Name, o.Spec.Disks[2].Name = "root", "root"
			o.Spec.Disks[1].Size, o.Spec.Disks[2].Size = 1, 1
		},
	} {
		in := sample()
		change(in)
		if out := back(t, forth(t, in)); !reflect.DeepEqual(in, out) {
			t.Errorf("%s:\n got %+v\nwant %+v", name, out, in)
		}
	}
}

func TestAnnotation(t *testing.T) {
	t.Parallel()
	in := sample()
	in.Spec.Steps = nil
	in.Spec.Disks[1] = oldDisk{Size: 2, Note: "without a name"}
	in.Spec.Disks = append(in.Spec.Disks, oldDisk{Name: "twin", Note: "first"}, oldDisk{Name: "twin", Note: "second"})
	text := forth(t, in).Annotations[carry.Annotation]
	var got []string
	for e := range carry.Entries(map[string]string{carry.Annotation: text}) {
		got = append(got, e.Kind+" "+e.Path+" "+string(e.Value))
	}
	want := []string{
		oldName + ` spec.disks["0"].note "zero"`,
		oldName + ` spec.disks[1].note "without a name"`,
		oldName + ` spec.disks[3].note "first"`,
		oldName + ` spec.disks[4].note "second"`,
		oldName + ` spec.disks[root].note "slow"`,
		oldName + ` spec.limit 0.5`,
		oldName + ` spec.note "careful"`,
		oldName + ` spec.zones[a.b].note "east"`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if again := forth(t, in).Annotations[carry.Annotation]; again != text {
		t.Errorf("%s\n%s", text, again)
	}
}

// TestEdits is the promise: edits of what a value does not depend on lose nothing, other edits drop
// it.
func TestEdits(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		edit func(*recent)
		want func(*old)
	}{
		{"an annotation", func(r *recent) { r.Annotations["owner"] = "you" }, func(o *old) {
			o.Annotations["owner"] = "you"
		}},
		{"the parent", func(r *recent) { r.Spec.Capacity = 4 }, func(o *old) {
			o.Spec.Size, o.Spec.Note, o.Spec.Limit = 4, "", nil
		}},
		{"an element", func(r *recent) { r.Spec.Disks[0].Size = 9 }, func(o *old) {
			o.Spec.Note, o.Spec.Limit = "", nil
			o.Spec.Disks[0].Size, o.Spec.Disks[0].Note = 9, ""
		}},
		{"the order of a list with keys", func(r *recent) { slices.Reverse(r.Spec.Disks) }, func(o *old) {
			o.Spec.Note, o.Spec.Limit = "", nil
			slices.Reverse(o.Spec.Disks)
		}},
		{"a removed element", func(r *recent) { r.Spec.Disks = r.Spec.Disks[1:] }, func(o *old) {
			o.Spec.Note, o.Spec.Limit = "", nil
			o.Spec.Disks = o.Spec.Disks[1:]
		}},
		{"the order of a list without keys", func(r *recent) { slices.Reverse(r.Spec.Steps) }, func(o *old) {
			o.Spec.Note, o.Spec.Limit = "", nil
			slices.Reverse(o.Spec.Steps)
			o.Spec.Steps[0].Note = "" // the value of an element that is elsewhere now
			o.Spec.Steps[1].Note = "second"
		}},
		{"a removed entry", func(r *recent) { delete(r.Spec.Zones, "a.b") }, func(o *old) {
			o.Spec.Note, o.Spec.Limit = "", nil
			delete(o.Spec.Zones, "a.b")
		}},
	} {
		r := forth(t, sample())
		r.Annotations = maps.Clone(r.Annotations)
		tt.edit(r)
		want := sample()
		tt.want(want)
		if got := back(t, r); !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\n got %+v\nwant %+v", tt.name, got, want)
		}
	}
}

// TestOwnKind checks that an object says itself what its fields are, whatever its annotation says.
func TestOwnKind(t *testing.T) {
	t.Parallel()
	r := forth(t, sample())
	edited := back(t, r)
	edited.Annotations = maps.Clone(r.Annotations) // somebody put the annotation back
	edited.Spec.Note, edited.Spec.Limit = "", nil
	again := forth(t, edited)
	if got := back(t, again); got.Spec.Note != "" || got.Spec.Limit != nil || got.Spec.Disks[0].Note != "slow" {
		t.Errorf("got %+v", got.Spec)
	}
}

// TestOthers checks that what other kinds carry passes through.
func TestOthers(t *testing.T) {
	t.Parallel()
	const other = `{"other.example.com/v1/Asset":{"spec.owner":{"hash":"x","value":{"a":[1]}}}}`
	in := sample()
	in.Annotations[carry.Annotation] = other
	r := forth(t, in)
	if text := r.Annotations[carry.Annotation]; !strings.Contains(text, other[1:len(other)-1]) ||
		!strings.Contains(text, oldName) {
		t.Errorf("got %s", text)
	}
	if got := back(t, r); !reflect.DeepEqual(got, in) {
		t.Errorf("got %+v", got)
	}
}

func TestUntrusted(t *testing.T) {
	t.Parallel()
	good := forth(t, sample()).Annotations[carry.Annotation]
	stale := *sample()
	stale.Spec.Note, stale.Spec.Limit = "", nil
	for i := range stale.Spec.Disks {
		stale.Spec.Disks[i].Note = ""
	}
	for i := range stale.Spec.Steps {
		stale.Spec.Steps[i].Note = ""
	}
	stale.Spec.Zones["a.b"] = oldDisk{}
	deep := strings.Repeat(`[`, 200_000)
	for name, tt := range map[string]struct {
		text string
		// stays says that nobody knows whose the annotation is, so it stays.
		stays bool
	}{
		"blank":            {"", true},
		"no JSON":          {"careful", true},
		"half":             {good[:len(good)/2], true},
		"trailing":         {good + "{}", true},
		"list":             {"[]", true},
		"null":             {"null", true},
		"null owner":       {`{"` + oldName + `":null}`, true},
		"null entry":       {`{"` + oldName + `":{"spec.note":null}}`, true},
		"null value":       {`{"` + oldName + `":{"spec.note":{"hash":"","value":null}}}`, true},
		"no value":         {`{"` + oldName + `":{"spec.note":{"hash":""}}}`, true},
		"no hash":          {`{"` + oldName + `":{"spec.note":{"value":"x"}}}`, true},
		"more":             {`{"` + oldName + `":{"spec.note":{"hash":"","value":"x","then":1}}}`, true},
		"same owner twice": {`{"` + oldName + `":{},"` + oldName + `":{}}`, true},
		"same path twice":  {`{"` + oldName + `":{"a":{"hash":"","value":1},"a":{"hash":"","value":1}}}`, true},
		"too deep":         {`{"` + oldName + `":{"spec.note":{"hash":"","value":` + deep, true},
		"wrong hash":       {`{"` + oldName + `":{"spec.note":{"hash":"AAAA","value":"x"}}}`, false},
		"blank hash":       {`{"` + oldName + `":{"spec.note":{"hash":"","value":"x"}}}`, false},
		"no such path": {
			`{"` + oldName + `":{"spec.size":{"hash":"","value":9},"]]":{"hash":"","value":9}}}`,
			false,
		},
		"wrong types": {strings.NewReplacer(`"careful"`, `7`, `0.5`, `"x"`, `"slow"`, `[]`, `"zero"`, `{}`,
			`"second"`, `1`, `"third"`, `true`, `"east"`, `[1]`).Replace(good), false},
	} {
		r := forth(t, sample())
		r.Annotations[carry.Annotation] = tt.text
		got := back(t, r)
		text, stays := got.Annotations[carry.Annotation]
		if stays != tt.stays || stays && text != tt.text {
			t.Errorf("%s: annotation %t %.100s", name, stays, text)
		}
		got.Annotations = maps.Clone(got.Annotations)
		delete(got.Annotations, carry.Annotation)
		if !reflect.DeepEqual(*got, stale) {
			t.Errorf("%s: got %+v", name, *got)
		}
		err := carry.Check(map[string]string{carry.Annotation: tt.text})
		malformed, _ := errors.AsType[*carry.MalformedError](err)
		if tt.stays != errors.Is(err, carry.ErrMalformed) || tt.stays && (malformed == nil || malformed.Reason == "") {
			t.Errorf("%s: Check = %v", name, err)
		}

		// What is malformed gives way as soon as there is something to write.
		in := sample()
		in.Annotations[carry.Annotation] = tt.text
		if got := back(t, forth(t, in)); !reflect.DeepEqual(got, sample()) {
			t.Errorf("%s: got %+v", name, got)
		}
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	if err := carry.Check(forth(t, sample()).Annotations); err != nil {
		t.Error(err)
	}
	if err := carry.Check(nil); err != nil {
		t.Error(err)
	}
	err := carry.Check(map[string]string{carry.Annotation: `{"a/b":{"c":5}}`})
	const want = `metadata.annotations[conversion.askind.dev/carried]: malformed carried data at offset 12: expected object, found number; remove the annotation, or leave it as it was`
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func TestLimit(t *testing.T) {
	t.Parallel()
	in := sample()
	in.Spec.Note = strings.Repeat("x", 2000)
	var out recent
	err := toRecent(in, &out, conversion.NewScope(conversion.ScopeOptions{CarryLimit: 2000}))
	limit, ok := errors.AsType[*carry.LimitError](err)
	if !ok || !errors.Is(err, carry.ErrLimit) || limit.Limit != 2000 || limit.Size <= 2000 ||
		limit.Path != "spec.note" || limit.PathSize != 2002 {
		t.Fatalf("got %v", err)
	}
	for _, part := range []string{"2000 are allowed", "spec.note", "CarryLimit", "+askind:drop"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the error does not say %q: %v", part, err)
		}
	}
	for size, exceeded := range map[int]bool{limit.Size: false, limit.Size - 1: true} {
		err := toRecent(in, &out, conversion.NewScope(conversion.ScopeOptions{CarryLimit: size}))
		if errors.Is(err, carry.ErrLimit) != exceeded {
			t.Errorf("with %d bytes: %v", size, err)
		}
	}
	in.Spec.Note = strings.Repeat("x", conversion.DefaultCarryLimit)
	if err := toRecent(in, &out, nil); !errors.Is(err, carry.ErrLimit) {
		t.Errorf("got %v", err)
	}
	if err := toRecent(in, &out, conversion.NewScope(conversion.ScopeOptions{CarryLimit: 1 << 20})); err != nil {
		t.Error(err)
	}
	if got := back(t, &out); !reflect.DeepEqual(got, in) {
		t.Error("the way back has a limit")
	}
	r := forth(t, sample())
	r.Annotations[carry.Annotation] = strings.TrimSuffix(r.Annotations[carry.Annotation], "}") +
		`,"other.example.com/v1/Asset":{"a":{"hash":"","value":"` + strings.Repeat("x", 2000) + `"}}}`
	var o old
	if err := fromRecent(r, &o, conversion.NewScope(conversion.ScopeOptions{CarryLimit: 100})); err != nil {
		t.Errorf("what others carry has a limit: %v", err)
	}
}

func TestNothingIsCarried(t *testing.T) {
	t.Parallel()
	none := conversion.NewScope(conversion.ScopeOptions{CarryLimit: -1})
	var out recent
	if err := toRecent(sample(), &out, none); err != nil || len(out.Annotations) != 1 {
		t.Errorf("got %v, %v", out.Annotations, err)
	}
	r := forth(t, sample())
	var o old
	if err := fromRecent(r, &o, none); err != nil || o.Spec.Note != "" ||
		o.Annotations[carry.Annotation] != r.Annotations[carry.Annotation] {
		t.Errorf("got %+v, %v", o, err)
	}
}

func TestDropped(t *testing.T) {
	t.Parallel()
	in := forth(t, sample())
	var dropped []conversion.DroppedValue
	s := conversion.NewScope(conversion.ScopeOptions{Dropped: func(d conversion.DroppedValue) {
		dropped = append(dropped, d)
	}})
	var out old
	if err := fromRecent(in, &out, s); err != nil || len(dropped) != 0 {
		t.Fatalf("without an edit: %v, dropped %v", err, dropped)
	}
	in.Spec.Disks[0].Size = 9 // which the note of the disk depends on
	in.Spec.Steps = in.Spec.Steps[:2]
	out = old{}
	if err := fromRecent(in, &out, s); err != nil {
		t.Fatal(err)
	}
	changed := map[string]bool{}
	for _, d := range dropped {
		if d.Kind != oldName {
			t.Errorf("%v is of %s, want %s", d, d.Kind, oldName)
		}
		changed[d.Path] = d.Changed
	}
	if out.Spec.Zones["a.b"].Note != "east" || out.Spec.Disks[2].Note != "zero" {
		t.Errorf("got %+v, want the other notes back", out.Spec)
	}
	for path := range changed {
		if strings.HasPrefix(path, "spec.zones") || strings.HasPrefix(path, "spec.disks") &&
			path != "spec.disks[root].note" {
			t.Errorf("%s is reported as dropped and came back", path)
		}
	}
	if c, ok := changed["spec.disks[root].note"]; !ok || !c {
		t.Errorf("dropped %v, want the note of the disk root, as changed", dropped)
	}
	if c, ok := changed["spec.steps[2].note"]; !ok || c {
		t.Errorf("dropped %v, want the note of the step that is gone", dropped)
	}
	in = forth(t, sample())
	in.Annotations[carry.Annotation] = strings.Replace(in.Annotations[carry.Annotation], `"careful"`, "7", 1)
	dropped = nil
	if err := fromRecent(in, new(old), s); err != nil || len(dropped) != 1 || dropped[0].Path != "spec.note" ||
		dropped[0].Changed {
		t.Errorf("a value of the wrong type: %v, dropped %v", err, dropped)
	}
	if text := dropped[0].String(); !strings.Contains(text, oldName) || strings.Contains(text, "slow") {
		t.Errorf("the text %q wants the kind and not the value", text)
	}
}

// TestLimitOfMemory checks that what exceeds the limit many times is not collected first.
func TestLimitOfMemory(t *testing.T) { // not in parallel: it counts what is allocated
	long := strings.Repeat("z", 1<<20)
	walk := func(c *carry.Carrier, in *oldDisk, _ *recentDisk) {
		c.Entries()
		c.AtKey(long)
		c.Elements(1000, nil)
		for i := range 1000 {
			c.At(i)
			carry.Keep(c, "note", "", in, appendDisk)
		}
		c.Leave()
		c.Leave()
	}
	var before, after goruntime.MemStats
	goruntime.ReadMemStats(&before)
	var annotations map[string]string
	err := carry.Object(nil, &annotations, oldName, recentName, &oldDisk{Note: "n"}, &recentDisk{}, walk)
	goruntime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 64<<20 {
		t.Errorf("%d bytes are allocated", n)
	}
	if !errors.Is(err, carry.ErrLimit) || len(err.Error()) > 1024 || annotations != nil {
		t.Errorf("got an error of %d bytes, %.300v", len(err.Error()), err)
	}
}

// TestBelow checks that a pointer which is nil becomes set by what comes back below it, and by
// nothing else.
func TestBelow(t *testing.T) {
	t.Parallel()
	type box struct{ Disk *oldDisk }
	annotations := map[string]string{}
	keep := func(c *carry.Carrier, in *oldDisk, _ *recentDisk) {
		carry.Keep(c, "note", "", in, appendDisk)
	}
	if err := carry.Object(nil, &annotations, oldName, recentName, &oldDisk{Note: "n"}, &recentDisk{},
		keep); err != nil {
		t.Fatal(err)
	}
	stale := map[string]string{carry.Annotation: strings.Replace(annotations[carry.Annotation], `"hash":""`,
		`"hash":"other"`, 1)}
	for _, tt := range []struct {
		name        string
		annotations map[string]string
		disk, want  *oldDisk
	}{
		{"nil", annotations, nil, &oldDisk{Note: "n"}},
		{"set", annotations, &oldDisk{Size: 1}, &oldDisk{Size: 1, Note: "n"}},
		{"nil, and the value is stale", stale, nil, nil},
		{"set, and the value is stale", stale, &oldDisk{Size: 1}, &oldDisk{Size: 1}},
		{"nil, and nothing is carried", nil, nil, nil},
		{"set, and nothing is carried", nil, &oldDisk{Size: 1}, &oldDisk{Size: 1}},
	} {
		out, annotations := box{tt.disk}, tt.annotations
		walk := func(c *carry.Carrier, _ *recentDisk, out *box) {
			carry.Below(c, &out.Disk, func(p *oldDisk) { carry.Take(c, "note", "", p, decodeDisk) })
		}
		if err := carry.Object(nil, &annotations, recentName, oldName, &recentDisk{}, &out, walk); err != nil ||
			!reflect.DeepEqual(out.Disk, tt.want) {
			t.Errorf("%s: got %+v, %v, want %+v", tt.name, out.Disk, err, tt.want)
		}
	}
}

// TestAbsentValues checks that a field without a value in JSON is not carried.
func TestAbsentValues(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`{}`, `{"note":null}`, `{"other":1}`} {
		annotations := map[string]string{}
		encode := func(dst []byte, _ *oldDisk) ([]byte, error) { return append(dst, text...), nil }
		keep := func(c *carry.Carrier, in *oldDisk, _ *recentDisk) { carry.Keep(c, "note", "", in, encode) }
		err := carry.Object(nil, &annotations, oldName, recentName, &oldDisk{}, &recentDisk{}, keep)
		if err != nil || len(annotations) > 0 {
			t.Errorf("%s: %q, %v", text, annotations, err)
		}
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	in := sample()
	in.Spec.Size = 13
	var out recent
	err := toRecent(in, &out, nil)
	const unlucky = "spec: converting back to compute the guard of carried fields: capacity: no such number here"
	if !errors.Is(err, errUnlucky) || err.Error() != unlucky {
		t.Errorf("got %v", err)
	}
	in = sample()
	in.Spec.Limit = new(math.NaN())
	if err := toRecent(in, &out, nil); err == nil || !strings.HasPrefix(err.Error(), "spec.limit: ") {
		t.Errorf("got %v", err)
	}
}

// TestGuardScope checks that the conversion for a guard carries nothing itself, and that its error
// has the path in the source.
func TestGuardScope(t *testing.T) {
	t.Parallel()
	annotations := map[string]string{}
	err := carry.Object(nil, &annotations, oldName, recentName, &old{}, &recentDisk{},
		func(c *carry.Carrier, _ *old, out *recentDisk) {
			c.Enter("spec", "template")
			carry.Guard(c, out, carry.All(), func(in *recentDisk, out *oldDisk, s *conversion.Scope) error {
				if s.CarryLimit() >= 0 || !s.Sharing() {
					t.Errorf("the limit is %d, and sharing %t", s.CarryLimit(), s.Sharing())
				}
				return errUnlucky
			}, appendDisk)
		})
	if !errors.Is(err, errUnlucky) || !strings.HasPrefix(err.Error(), "spec: ") {
		t.Errorf("got %v", err)
	}
}

func FuzzAnnotation(f *testing.F) {
	f.Add("{}")
	f.Add(`{"example.com/v1/Machine":{"spec.note":{"hash":"s5mSQn","value":"x"}},"empty":true}`)
	f.Add(`{"example.com/v1/Machine":{"spec.disks[root].note":{"hash":"","value":[{"a":1e9}]}},"b/c":{}}`)
	f.Fuzz(func(t *testing.T, text string) {
		in := &recent{
			Annotations: map[string]string{carry.Annotation: text},
			Spec:        recentSpec{Disks: []recentDisk{{Name: "root"}}},
		}
		var out old
		if err := fromRecent(in, &out, nil); err != nil {
			t.Fatalf("the annotation makes the conversion fail: %v", err)
		}
		if out.Spec.Size != 0 || len(out.Spec.Disks) != 1 || out.Spec.Disks[0].Size != 0 {
			t.Errorf("the annotation sets fields that are not carried: %+v", out.Spec)
		}
		if err := carry.Check(out.Annotations); carry.Check(in.Annotations) == nil && err != nil {
			t.Errorf("a sound annotation became a malformed one: %v", err)
		}
		for range carry.Entries(in.Annotations) {
			return
		}
	})
}
