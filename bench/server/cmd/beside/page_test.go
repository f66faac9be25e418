package main

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestPage checks the figures of docs/beside-apiserver.md that neither depend on a machine nor take
// long: lines of both servers, and modules in ours.
func TestPage(t *testing.T) {
	t.Chdir("../..")
	text, err := os.ReadFile("../../docs/beside-apiserver.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	lines, err := lineCounts()
	if err != nil {
		t.Fatal(err)
	}
	written, err := codeLines("wardle/v1alpha1", "wardle/v1beta1")
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("the %d lines that `askind init -from` writes", written); !strings.Contains(page, want) {
		t.Errorf("the page does not say: %s", want)
	}
	found, err := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", "./wardle").Output()
	if err != nil {
		t.Fatal(err)
	}
	modules := slices.Compact(slices.Sorted(strings.FieldsSeq(string(found))))
	for _, want := range []string{
		fmt.Sprintf("| %s | %s | %s |", lines.what, lines.ours, lines.theirs),
		fmt.Sprintf("| modules in the binary, sample-apiserver without etcd | %d |", len(modules)-1),
	} {
		if !strings.Contains(page, "\n"+want) {
			t.Errorf("the page does not have the row %s", want)
		}
	}
}
