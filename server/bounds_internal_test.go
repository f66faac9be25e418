package server

import (
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"github.com/askind/askind/server/auth"
)

// TestSegments checks that only what can be a name is a segment of a path.
func TestSegments(t *testing.T) {
	t.Parallel()
	for escaped, want := range map[string][]string{
		"/apis/g/v1/a":      {"apis", "g", "v1", "a"},
		"/a/b%20c/":         {"a", "b c"},
		"/a/b%2Fc":          nil,
		"/a/%2e%2e/b":       nil,
		"/a/./b":            nil,
		"/a//b":             nil,
		"/a/b%25c":          nil,
		"/a/b%00":           nil,
		"/a/b%zz":           nil,
		"/1/2/3/4/5/6/7/8":  {"1", "2", "3", "4", "5", "6", "7", "8"},
		"/1/2/3/4/5/6/7/8/": {"1", "2", "3", "4", "5", "6", "7", "8"},
		"/" + strings.Repeat("a/", maxSegments) + "b":   nil,
		"/" + strings.Repeat("a/", 100_000) + "%zz/end": nil,
	} {
		got := segmentsOf(splitPath(escaped))
		if len(got) < len(splitPath(escaped)) {
			got = nil // not a path of names alone
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%.60s: got %q", escaped, got)
		}
	}
}

// TestSelectedName checks that a rule with names is asked about the name that is listed, and about
// none where that is not certain.
func TestSelectedName(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		"fieldSelector=metadata.name%3Da":                               "a",
		"fieldSelector=spec.x%3D1,metadata.name%3Da":                    "a",
		"fieldSelector=metadata.name%3Da%5C":                            "",
		"fieldSelector=spec.x%3D1%5C,metadata.name%3Da":                 "",
		"fieldSelector=metadata.name%3D%3Da":                            "a",
		"fieldSelector=metadata.name%3D%3D%3Da":                         "",
		"fieldSelector=metadata.name!%3Da":                              "",
		"fieldSelector=metadata.name%3Da&fieldSelector=metadata.name=b": "",
		"labelSelector=metadata.name%3Da":                               "",
	} {
		if got := selectedName(httptest.NewRequestWithContext(t.Context(), "GET", "/?"+query, nil)); got != want {
			t.Errorf("%s: got %q, want %q", query, got, want)
		}
	}
}

// TestLimiterForgets checks that what is over counts no more, and takes no memory.
func TestLimiterForgets(t *testing.T) {
	t.Parallel()
	l := newLimiter(LimitSettings{Reads: 2, Writes: 1, Watches: 3, UserWatches: 2}.filled())
	for range 10 {
		read, err := l.request(false)
		if err != nil {
			t.Fatal(err)
		}
		write, err := l.request(true)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := l.request(true); err == nil {
			t.Error("a second write is let in")
		}
		read()
		write()
	}
	if l.reads.Load() != 0 || l.writes.Load() != 0 {
		t.Errorf("%d reads and %d writes are left", l.reads.Load(), l.writes.Load())
	}
	a, b := &auth.User{Name: "a"}, &auth.User{Name: "b"}
	var ends []func()
	for _, u := range []*auth.User{a, a, b} {
		end, err := l.watch(u)
		if err != nil {
			t.Fatal(err)
		}
		ends = append(ends, end)
	}
	if _, err := l.watch(b); err == nil {
		t.Error("a fourth watch is let in")
	}
	for _, end := range ends {
		end()
		end() // does nothing
	}
	if l.watching() != 0 || len(l.users) != 0 {
		t.Errorf("%d watches of %d users are left", l.watching(), len(l.users))
	}
}
