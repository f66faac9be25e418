package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// versions writes a module with two versions of a kind and returns its directory. The fields are
// those of the older one.
func versions(t *testing.T, fields string) string {
	t.Helper()
	dir := module(
		t, "// +groupName=example.com\npackage v1\n\ntype TypeMeta struct{ Kind, APIVersion string }\n\n// +askind:kind\ntype T struct {\n\tTypeMeta `json:\",inline\"`\n\tB string `json:\"b\"`\n}\n",
	)
	if err := os.Mkdir(filepath.Join(dir, "v1beta1"), 0o755); err != nil {
		t.Fatal(err)
	}
	text := "// +groupName=example.com\n// +askind:hub=example.com/t/v1\npackage v1beta1\n\nimport \"example.com/t/v1\"\n\n// +askind:kind\ntype T struct {\n\tv1.TypeMeta `json:\",inline\"`\n" + fields + "}\n"
	if err := os.WriteFile(filepath.Join(dir, "v1beta1", "types.go"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestExplain(t *testing.T) {
	t.Parallel()
	dir := versions(t, "\t// +askind:to=b\n\tA string `json:\"a\"`\n")
	missing := versions(t, "\tA bool `json:\"a\"`\n")
	const matrix = `example.com/v1beta1.T and example.com/v1.T, converted by package example.com/t/v1beta1

v1beta1  v1  v1beta1 to v1  v1 to v1beta1
a        b   rename(b)      rename(a)

From v1beta1 to v1
  lost: nothing
  ConvertTToV1
    aliases:  none
    may fail: no
    identity: no, where one has A, the other has B

From v1 to v1beta1
  lost: nothing
  ConvertTFromV1
    aliases:  none
    may fail: no
    identity: no, where one has A, the other has B
`
	for _, tt := range []struct {
		name           string
		args           string
		status         int
		stdout, stderr string
	}{
		{"two types", "explain -C " + dir + " v1beta1.T v1.T", 0, matrix, ""},
		{"packages", "explain -C " + dir + " v1beta1.T v1.T ./v1beta1", 0, "rename(b)", ""},
		{
			"a field", "explain -C " + dir + " v1beta1.T.a ./...", 0,
			"  declared          T.A string at v1beta1/types.go:11:2\n", "",
		},
		{"what is missing", "explain -C " + missing + " v1beta1.T v1.T", 1, "missing", "convert-unmapped"},
		{"no such type", "explain -C " + dir + " v1beta1.U v1.T", 2, "", "it has T"},
		{"nothing", "explain -C " + dir, 2, "", "name a field, or two types"},
		{"help", "help explain", 0, "usage: askind explain [flags] type type | field [packages]\n", ""},
	} {
		var stdout, stderr bytes.Buffer
		status := run(strings.Fields(tt.args), &stdout, &stderr)
		if status != tt.status || !strings.Contains(stdout.String(), tt.stdout) ||
			!strings.Contains(stderr.String(), tt.stderr) {
			t.Errorf("%s: status %d, want %d\nstdout: %s\nstderr: %s", tt.name, status, tt.status, &stdout, &stderr)
		}
		if tt.stdout == "" && stdout.Len() > 0 {
			t.Errorf("%s: unexpected output %s", tt.name, &stdout)
		}
	}
}
