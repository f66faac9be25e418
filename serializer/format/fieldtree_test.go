package format_test

import (
	"testing"

	"github.com/askind/askind/serializer/format"
)

func TestFieldTree(t *testing.T) {
	t.Parallel()
	tree := format.NewFieldTree("metadata.name", "spec.disks[*].size", "spec.disks[*].parts[*]", "status",
		"status.phase", "spec.zones[*]", "metadata.labels")
	for _, tt := range []struct {
		path         []string // [*] for an element
		found, whole bool
	}{
		{nil, true, false},
		{[]string{"metadata"}, true, false},
		{[]string{"metadata", "name"}, true, true},
		{[]string{"metadata", "name", "x"}, true, true},
		{[]string{"metadata", "uid"}, false, false},
		{[]string{"metadata", "[*]"}, false, false},
		{[]string{"spec", "disks"}, true, false},
		{[]string{"spec", "disks", "[*]"}, true, false},
		{[]string{"spec", "disks", "[*]", "size"}, true, true},
		{[]string{"spec", "disks", "[*]", "name"}, false, false},
		{[]string{"spec", "disks", "[*]", "parts", "[*]"}, true, true},
		{[]string{"spec", "zones", "[*]"}, true, true},
		{[]string{"spec", "zones", "x"}, false, false},
		{[]string{"status"}, true, true},
		{[]string{"status", "conditions", "[*]", "type"}, true, true},
		{[]string{"kind"}, false, false},
	} {
		at, found := tree, true
		for _, step := range tt.path {
			if step == "[*]" {
				at, found = at.Element()
			} else {
				at, found = at.Member([]byte(step))
			}
			if !found {
				break
			}
		}
		if found != tt.found || found && at.Whole() != tt.whole {
			t.Errorf("%q: found %v, whole %v; want %v, %v", tt.path, found, at.Whole(), tt.found, tt.whole)
		}
	}
	if !format.NewFieldTree("a", "").Whole() || format.NewFieldTree().Whole() {
		t.Error("a blank path stands for everything, and no path for nothing")
	}
}

// TestFieldTreeOfBrokenPaths checks that a text that is not a path includes the whole value.
func TestFieldTreeOfBrokenPaths(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"[", "[0]", "spec.[x", "spec[*][", "spec[0].size"} {
		tree := format.NewFieldTree(path)
		if spec, ok := tree.Member([]byte("spec")); !tree.Whole() && (!ok || !spec.Whole()) {
			if each, ok := spec.Element(); !ok || !each.Whole() {
				t.Errorf("%q includes less than everything below spec", path)
			}
		}
	}
}
