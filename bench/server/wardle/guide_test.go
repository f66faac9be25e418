package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/askind/askind/internal/tour"
)

// TestFromAPIServer follows docs/from-apiserver.md.
func TestFromAPIServer(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds a program in a module of its own")
	}
	if _, err := exec.LookPath("kubectl"); err != nil {
		t.Skip("needs kubectl")
	}
	checkout, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(checkout, "docs/from-apiserver.md"))
	if err != nil {
		t.Fatal(err)
	}
	tour.Page{Text: string(page), Name: "wardle", Checkout: checkout, Answers: 5}.Follow(t)
}
