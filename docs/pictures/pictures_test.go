package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
)

// TestFresh holds that the files are what the program draws, that they are XML, and that a page of
// the documentation shows each.
func TestFresh(t *testing.T) {
	t.Parallel()
	all, err := pictures()
	if err != nil {
		t.Fatal(err)
	}
	shownIn := map[string]string{
		"conversions.svg": "conversions.md", "flow.svg": "../README.md",
		"list.svg": "server.md", "watch.svg": "store.md",
	}
	for name, want := range all {
		got, err := os.ReadFile(name)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not fresh: go run ./docs/pictures (%v)", name, err)
		}
		for d := xml.NewDecoder(bytes.NewReader(want)); ; {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		page, err := os.ReadFile("../" + shownIn[name])
		if err != nil || !strings.Contains(string(page), "pictures/"+name+")") {
			t.Errorf("%s does not show %s (%v)", shownIn[name], name, err)
		}
	}
}
