package schema_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/askind/askind/schema"
)

// malformed are texts that no parser of group names takes after "x." or before "/v1", with the
// offset of the bad byte.
var malformed = []struct {
	name, text string
	offset     int
}{
	{"space", "a b", 1},
	{"tab", "a\tb", 1},
	{"line feed", "ab\n", 2},
	{"carriage return", "\rab", 0},
	{"no-break space", "a\u00a0b", 1},
	{"NUL", "a\x00", 1},
	{"delete", "a\x7f", 1},
	{"byte order mark", "\ufeffa", 0},
	{"zero width space", "a\u200bb", 1},
	{"not UTF-8", "a\xffb", 1},
	{"truncated character", "a\xc3", 1},
	{"blank label", "a..b", 2},
	{"leading dot", ".a", 0},
	{"trailing dot", "a.", 2},
}

func wantParseError(t *testing.T, err error, input string, offset int) {
	t.Helper()
	e, ok := errors.AsType[*schema.ParseError](err)
	if !ok {
		t.Fatalf("error = %v, want a *ParseError", err)
	}
	if e.Input != input || e.Offset != offset {
		t.Errorf("error at %d of %q, want %d of %q: %v", e.Offset, e.Input, offset, input, err)
	}
	if e.Reason == "" || e.What == "" || e.Advice == "" {
		t.Errorf("error without What, Reason or Advice: %#v", e)
	}
}

func TestParseGroupVersion(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, in string
		want     schema.GroupVersion
	}{
		{"legacy", "v1", schema.GroupVersion{Version: "v1"}},
		{"group", "apps/v1beta1", schema.GroupVersion{Group: "apps", Version: "v1beta1"}},
		{"dotted group", "fleet.example.com/v1", schema.GroupVersion{Group: "fleet.example.com", Version: "v1"}},
		{"other version name", "a/2024-01", schema.GroupVersion{Group: "a", Version: "2024-01"}},
		{"dotted version", "a/v1.2", schema.GroupVersion{Group: "a", Version: "v1.2"}},
		{"replacement character", "a\ufffd/v1", schema.GroupVersion{Group: "a\ufffd", Version: "v1"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := schema.ParseGroupVersion(tt.in)
			if err != nil || got != tt.want {
				t.Fatalf("ParseGroupVersion(%q) = %v, %v, want %v", tt.in, got, err, tt.want)
			}
			if got.String() != tt.in {
				t.Errorf("String() = %q, want %q", got, tt.in)
			}
			if err := got.Check(); err != nil {
				t.Errorf("Check() = %v", err)
			}
		})
	}
}

func TestParseGroupVersionErrors(t *testing.T) {
	t.Parallel()
	type row struct {
		name, in string
		offset   int
	}
	rows := []row{
		{"blank", "", 0},
		{"slash", "/", 0},
		{"no version", "a/", 2},
		{"no group", "/v1", 0},
		{"two slashes", "a/b/c", 3},
		{"two slashes in a row", "a//c", 2},
		{"only slashes", "//", 1},
		{"space in version", "a/v 1", 3},
		{"space in legacy version", "v1 ", 2},
		{"space only", " ", 0},
	}
	for _, m := range malformed {
		rows = append(rows, row{"group with " + m.name, m.text + "/v1", m.offset})
	}
	for _, tt := range rows {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := schema.ParseGroupVersion(tt.in)
			wantParseError(t, err, tt.in, tt.offset)
			if !got.Empty() {
				t.Errorf("ParseGroupVersion(%q) = %v beside an error", tt.in, got)
			}
		})
	}
}

func TestFromAPIVersionAndKind(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, apiVersion, kind string
		want                   schema.GroupVersionKind
		what                   string // of the error
	}{
		{name: "group", apiVersion: "apps/v1", kind: "Deployment", want: schema.GroupVersionKind{
			Group:   "apps",
			Version: "v1", Kind: "Deployment",
		}},
		{name: "legacy", apiVersion: "v1", kind: "Pod", want: schema.GroupVersionKind{Version: "v1", Kind: "Pod"}},
		{name: "blank both", what: "apiVersion"},
		{name: "blank apiVersion", kind: "Pod", what: "apiVersion"},
		{name: "bad apiVersion", apiVersion: "a/b/c", kind: "Pod", what: "apiVersion"},
		{name: "blank kind", apiVersion: "v1", what: "kind"},
		{name: "slash in kind", apiVersion: "v1", kind: "a/b", what: "kind"},
		{name: "dot in kind", apiVersion: "v1", kind: "Pod.v1", what: "kind"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := schema.FromAPIVersionAndKind(tt.apiVersion, tt.kind)
			if got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
			what := ""
			if e, ok := errors.AsType[*schema.ParseError](err); ok {
				what = e.What
			}
			if what != tt.what {
				t.Errorf("error = %v, want one about %q", err, tt.what)
			}
		})
	}
}

func TestParseGroupKindAndResource(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ in, name, group string }{
		{"machine", "machine", ""},
		{"machine.fleet", "machine", "fleet"},
		{"machine.fleet.example.com", "machine", "fleet.example.com"},
	} {
		t.Run(tt.in, func(t *testing.T) {
			t.Parallel()
			gk, err := schema.ParseGroupKind(tt.in)
			if want := (schema.GroupKind{Group: tt.group, Kind: tt.name}); err != nil || gk != want {
				t.Errorf("ParseGroupKind = %v, %v, want %v", gk, err, want)
			}
			if gk.String() != tt.in {
				t.Errorf("String() = %q", gk)
			}
			gr, err := schema.ParseGroupResource(tt.in)
			if want := (schema.GroupResource{Group: tt.group, Resource: tt.name}); err != nil || gr != want {
				t.Errorf("ParseGroupResource = %v, %v, want %v", gr, err, want)
			}
			if gr.String() != tt.in {
				t.Errorf("String() = %q", gr)
			}
		})
	}
}

func TestParseDottedErrors(t *testing.T) {
	t.Parallel()
	type row struct {
		name, in string
		offset   int
	}
	rows := []row{
		{"blank", "", 0},
		{"dot", ".", 0},
		{"no name", ".fleet", 0},
		{"no group", "machine.", 8},
		{"blank version", "machine..fleet", 8},
		{"slash in name", "machine/scale.fleet", 7},
		{"slash in group", "machine.fleet/scale", 13},
	}
	for _, m := range malformed {
		rows = append(rows, row{m.name, "x." + m.text, m.offset + 2})
	}
	for _, tt := range rows {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			gk, err := schema.ParseGroupKind(tt.in)
			wantParseError(t, err, tt.in, tt.offset)
			gr, err := schema.ParseGroupResource(tt.in)
			wantParseError(t, err, tt.in, tt.offset)
			gvk, gk2, err := schema.ParseKindArg(tt.in)
			wantParseError(t, err, tt.in, tt.offset)
			gvr, gr2, err := schema.ParseResourceArg(tt.in)
			wantParseError(t, err, tt.in, tt.offset)
			if !gk.Empty() || !gr.Empty() || !gk2.Empty() || !gr2.Empty() || gvk != nil || gvr != nil {
				t.Error("a result beside an error")
			}
		})
	}
}

func TestParseArgs(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		in             string
		versioned      bool
		group, version string // of the reading with a version
		plainGroup     string // of the reading without
	}{
		{in: "x"},
		{in: "x.fleet", plainGroup: "fleet"},
		{in: "x.v1.fleet", versioned: true, group: "fleet", version: "v1", plainGroup: "v1.fleet"},
		{
			in: "x.v1.fleet.example.com", versioned: true, group: "fleet.example.com", version: "v1",
			plainGroup: "v1.fleet.example.com",
		},
		{
			in: "x.fleet.example.com", versioned: true, group: "example.com", version: "fleet",
			plainGroup: "fleet.example.com",
		},
	} {
		t.Run(tt.in, func(t *testing.T) {
			t.Parallel()
			gvr, gr, err := schema.ParseResourceArg(tt.in)
			if err != nil || gr != (schema.GroupResource{Group: tt.plainGroup, Resource: "x"}) ||
				(gvr != nil) != tt.versioned {
				t.Fatalf("ParseResourceArg = %v, %v, %v", gvr, gr, err)
			}
			if want := (schema.GroupVersionResource{Group: tt.group, Version: tt.version, Resource: "x"}); gvr != nil &&
				*gvr != want {
				t.Errorf("gvr = %v, want %v", *gvr, want)
			}
			gvk, gk, err := schema.ParseKindArg(tt.in)
			if err != nil || gk != (schema.GroupKind{Group: tt.plainGroup, Kind: "x"}) || (gvk != nil) != tt.versioned {
				t.Fatalf("ParseKindArg = %v, %v, %v", gvk, gk, err)
			}
			if want := (schema.GroupVersionKind{Group: tt.group, Version: tt.version, Kind: "x"}); gvk != nil &&
				*gvk != want {
				t.Errorf("gvk = %v, want %v", *gvk, want)
			}
		})
	}
}

func TestParseErrorText(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, in, want string }{
		{
			"blank", "",
			`schema: apiVersion "": it is blank: write group/version, such as fleet.example.com/v1, or a version alone, such as v1`,
		},
		{
			"offset", "a/b/c",
			`schema: apiVersion "a/b/c": there is more than one '/' at byte 3: write group/version, such as fleet.example.com/v1, or a version alone, such as v1`,
		},
		{
			"character", "a/v\u200b1",
			`schema: apiVersion "a/v\u200b1": '\u200b' is not allowed at byte 3: write group/version, such as fleet.example.com/v1, or a version alone, such as v1`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := schema.ParseGroupVersion(tt.in)
			if err == nil || err.Error() != tt.want {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
		})
	}
	t.Run("long input is cut between characters", func(t *testing.T) {
		t.Parallel()
		_, err := schema.ParseGroupVersion("a" + strings.Repeat("ä", 1000) + " ")
		if err == nil || len(err.Error()) > 400 || strings.Contains(err.Error(), `\x`) {
			t.Errorf("message of %d bytes: %v", len(err.Error()), err)
		}
	})
}

func FuzzParseIdentifiers(f *testing.F) {
	for _, s := range []string{
		"", "/", "v1", "apps/v1", "a/b/c", "machines.v1.fleet.example.com", ".", "a..b",
		"x.\xff",
	} {
		f.Add(s)
	}
	for _, m := range malformed {
		f.Add(m.text)
	}
	f.Fuzz(func(t *testing.T, s string) {
		checkError := func(err error) {
			if e, ok := errors.AsType[*schema.ParseError](err); !ok || e.Input != s || e.Offset < 0 ||
				e.Offset > len(s) || e.Error() == "" {
				t.Errorf("bad error %#v", err)
			}
		}
		if gv, err := schema.ParseGroupVersion(s); err != nil {
			checkError(err)
		} else if gv.String() != s || gv.Check() != nil {
			t.Errorf("ParseGroupVersion(%q) = %#v", s, gv)
		}
		if gk, err := schema.ParseGroupKind(s); err != nil {
			checkError(err)
		} else if gk.String() != s || gk.WithVersion("v1").Check() != nil {
			t.Errorf("ParseGroupKind(%q) = %#v", s, gk)
		}
		gvr, gr, err := schema.ParseResourceArg(s)
		if err != nil {
			checkError(err)
			return
		}
		if gr.String() != s {
			t.Errorf("ParseResourceArg(%q) = %#v", s, gr)
		}
		if gvr != nil && gvr.Resource+"."+gvr.Version+"."+gvr.Group != s {
			t.Errorf("ParseResourceArg(%q) = %#v", s, gvr)
		}
		if gvr != nil && gvr.Check() != nil {
			t.Errorf("ParseResourceArg(%q) = %#v: %v", s, gvr, gvr.Check())
		}
	})
}
