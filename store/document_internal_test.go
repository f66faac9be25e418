package store

import (
	"strings"
	"testing"
)

// TestScalarsOfMetadata checks that a table gets the beginning of the metadata of stored objects
// only if all scalar members are in it.
func TestScalarsOfMetadata(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, metadata, want string }{
		{"scalars come first", `{"name":"a",VERSION,"generation":1,"labels":{"x":"y"},"finalizers":[]}`, `{"name":"a",VERSION,"generation":1`},
		{"the version is the last scalar", `{"name":"a",VERSION,"labels":{"x":"y"}}`, `{"name":"a",VERSION`},
		{"there is nothing else", `{"name":"a",VERSION,"deletionTimestamp":null}`, `{"name":"a",VERSION,"deletionTimestamp":null`},
		{"a scalar comes after an object", `{"name":"a",VERSION,"labels":{},"generation":1}`, ""},
		{"a scalar comes after a list", `{"name":"a","finalizers":["x"],VERSION}`, ""},
		{"the version comes first", `{VERSION,"name":"a"}`, ""},
		{"the version is alone", `{VERSION}`, ""},
	} {
		const before, version = `{"kind":"K","metadata":`, `"resourceVersion":"7"`
		text := before + strings.Replace(tt.metadata, "VERSION", markedMember, 1) + `,"spec":{"a":1}}`
		d, err := cut([]byte(text), []byte(before))
		if err != nil || !d.version.usual {
			t.Fatal(tt.name, d.version, err)
		}
		got := ""
		if d.version.scalars > 0 {
			got = string(d.appendPart(nil, len(before), int(d.version.scalars), 7))
		}
		if want := strings.Replace(tt.want, "VERSION", version, 1); got != want {
			t.Errorf("%s: got %s, want %s", tt.name, got, want)
		}
		all := strings.Replace(tt.metadata, "VERSION", version, 1)
		if got := string(d.appendPart(nil, len(before), int(d.version.end), 7)); got != all {
			t.Errorf("%s: the metadata is %s, want %s", tt.name, got, all)
		}
	}
}

// TestPathText: numbers are selected by the text that objects show, whatever Go prints for them.
func TestPathText(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		`"a\nb"`: "a\nb", `""`: "", `null`: "", `{"c":1}`: "", `[1]`: "", `true`: "true", `false`: "false", `-7`: "-7",
		`123456789.5`: "123456789.5", `100000000000000000000`: "100000000000000000000", `1.0`: "1.0",
	} {
		text := []byte(`{"x":{"b":1},"a":{"x":2,"b":` + value + `,"c":3}}`)
		if got := pathText(text, []string{"a", "b"}); got != want {
			t.Errorf("%s is selected by %q, want %q", value, got, want)
		}
	}
}
