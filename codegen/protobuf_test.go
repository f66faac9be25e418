package codegen_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bufbuild/protocompile"
	"github.com/google/go-cmp/cmp"

	"github.com/askind/askind/codegen"
)

// TestProtobufDescriptions compiles every generated.proto of the scenarios, and holds that a second
// run, which finds it in place, changes nothing.
func TestProtobufDescriptions(t *testing.T) {
	t.Parallel()
	for _, archive := range []string{
		"protobuf_values", "protobuf_off", "protobuf_ledger_first",
		"protobuf_ledger_added", "protobuf_ledger_removed", "protobuf_ledger_renamed",
	} {
		t.Run(archive, func(t *testing.T) {
			t.Parallel()
			dir, result := generate(t, archive, "./...")
			if _, err := codegen.Write(result); err != nil {
				t.Fatal(err)
			}
			again := mustRun(t, codegen.Config{Dir: dir, Patterns: []string{"./..."}, Env: env()})
			if diff := cmp.Diff(result.Files, again.Files); diff != "" {
				t.Errorf("a second run changes the output:\n%s", diff)
			}
			accessor := func(path string) (io.ReadCloser, error) {
				if rest, ok := strings.CutPrefix(path, "example.com/t/"); ok {
					return os.Open(filepath.Join(dir, rest))
				}
				if rest, ok := strings.CutPrefix(path, "github.com/askind/askind/"); ok {
					return os.Open(filepath.Join(repoRoot(t), rest))
				}
				return nil, os.ErrNotExist
			}
			compiler := protocompile.Compiler{Resolver: &protocompile.SourceResolver{Accessor: accessor}}
			found := 0
			for path := range result.Files {
				if filepath.Base(path) != codegen.LedgerName {
					continue
				}
				found++
				files, err := compiler.Compile(context.Background(), "example.com/t/"+path)
				if err != nil {
					t.Fatal(err)
				}
				if got, want := string(files[0].Package()), "example.com.t."+filepath.Dir(path); got != want {
					t.Errorf("package %s, want %s", got, want)
				}
			}
			if found == 0 {
				t.Error("no description")
			}
		})
	}
}

// TestLedgerOutlivesItsMarker checks that numbers are not forgotten when a package stops asking for
// protobuf.
func TestLedgerOutlivesItsMarker(t *testing.T) {
	t.Parallel()
	dir, result := generate(t, "protobuf_ledger_first", "./...")
	if _, err := codegen.Write(result); err != nil {
		t.Fatal(err)
	}
	source := filepath.Join(dir, "v1/types.go")
	before, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	write(t, source, []byte(strings.Replace(string(before), "+askind:protobuf", "+askind:generate", 1)))
	changes, err := codegen.Write(mustRun(t, codegen.Config{Dir: dir, Patterns: []string{"./..."}, Env: env()}))
	if err != nil || len(changes) != 1 || changes[0].Path != "v1/zz_generated.protobuf.go" ||
		changes[0].State != codegen.Obsolete {
		t.Fatalf("%v %v", changes, err)
	}
	// The fields change places before the package asks again.
	moved := strings.Replace(string(before), "\tFirst  string `json:\"first\"`\n", "", 1)
	moved = strings.Replace(moved, "\n}\n", "\n\tFirst  string `json:\"first\"`\n}\n", 1)
	write(t, source, []byte(moved))
	again := mustRun(t, codegen.Config{Dir: dir, Patterns: []string{"./..."}, Env: env()})
	if diff := cmp.Diff(string(result.Files["v1/generated.proto"]),
		string(again.Files["v1/generated.proto"])); diff != "" {
		t.Error(diff)
	}
}
