package main

import (
	"flag"
	"io/fs"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/askind/askind/httpapi"
	"github.com/askind/askind/serializer"
)

var update = flag.Bool("update", false, "rewrite the files that hold what is expected")

// noon is what the clocks of the tests show.
var noon = time.Date(2026, time.November, 21, 12, 0, 0, 0, time.UTC)

func clock() time.Time { return noon }

func mustFactory(t *testing.T) *serializer.Factory {
	t.Helper()
	f, err := newFactory()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// mustLoad returns the objects of the example itself.
func mustLoad(t *testing.T, f *serializer.Factory) *store {
	t.Helper()
	s, err := load(t.Context(), f, files(t), "testdata", clock)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func files(t *testing.T) fs.FS {
	t.Helper()
	sub, err := fs.Sub(testdata, "testdata")
	if err != nil {
		t.Fatal(err)
	}
	return sub
}

// mustServe returns the server of the example, and what it serves.
func mustServe(t *testing.T) (http.Handler, *store) {
	t.Helper()
	f := mustFactory(t)
	s := mustLoad(t, f)
	return newHandler(f, s, httpapi.Settings{Now: clock}), s
}

// golden compares a text with the contents of a file.
func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs, run the test with -update and look at the difference; got\n%s", file, got)
	}
}
