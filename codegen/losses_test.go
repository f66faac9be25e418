package codegen_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/askind/askind/codegen"
)

// TestLosses goes the way of a person who lets a version lose a field: an error, a decision, a line
// to review; and back.
func TestLosses(t *testing.T) {
	t.Parallel()
	dir := readScenario(t, "testdata/losses_first.txtar").unpack(t)
	record := filepath.Join(dir, "v1beta1", codegen.LossesName)
	types := filepath.Join(dir, "v1beta1", "types.go")
	read := func(path string) string {
		data, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		return string(data)
	}
	run := func(accept bool) *codegen.Result {
		result, err := codegen.Run(codegen.Config{
			Dir: dir, Patterns: []string{"./..."}, Env: env(),
			AcceptLosses: accept,
		})
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
	generate := func(accept bool) {
		t.Helper()
		result := run(accept)
		for _, d := range result.Diagnostics {
			t.Error(d)
		}
		if _, err := codegen.Write(result); err != nil {
			t.Fatal(err)
		}
	}
	edit := func(old, text string) {
		t.Helper()
		source := read(types)
		if !strings.Contains(source, old) {
			t.Fatalf("no %q in the source", old)
		}
		write(t, types, []byte(strings.Replace(source, old, text, 1)))
	}

	generate(false)
	first := read(record)
	if !strings.Contains(first, "old: dropped: nobody asked\n") {
		t.Fatalf("the first run writes no record:\n%s", first)
	}

	// A new loss stops the run, for -check as well, and changes nothing.
	edit("// +askind:drop=\"nobody asked\"\n",
		"// +askind:drop=\"nobody asked\"\n\tNewer string `json:\"newer\"`\n\t// +askind:drop=\"nobody asked\"\n")
	result := run(false)
	if len(result.Diagnostics) != 1 || result.Diagnostics[0].Code != "convert-loss" ||
		!strings.Contains(result.Diagnostics[0].Suggestion, "-accept-losses") {
		t.Errorf("got %v", result.Diagnostics)
	}
	if _, err := codegen.Check(result); !errors.Is(err, codegen.ErrDiagnostics) {
		t.Errorf("Check = %v", err)
	}
	if read(record) != first {
		t.Error("the record has changed without a decision")
	}

	// Accepted, it is one line more, and known from then on.
	generate(true)
	if got, want := strings.Count(read(record), "\n"), strings.Count(first, "\n")+1; got != want {
		t.Errorf("%d lines after one more loss, want %d", got, want)
	}
	generate(false)
	if changes, err := codegen.Check(run(false)); err != nil || len(changes) > 0 {
		t.Errorf("Check = %d changes, %v", len(changes), err)
	}

	// A loss that is gone is stale, and goes by itself.
	edit("\tNewer string `json:\"newer\"`\n\t// +askind:drop=\"nobody asked\"\n", "")
	changes, err := codegen.Check(run(false))
	var stale []string
	for _, c := range changes {
		stale = append(stale, c.Path+" "+c.State.String())
	}
	if err != nil || !slices.Contains(stale, "v1beta1/"+codegen.LossesName+" stale") {
		t.Errorf("Check = %v, %v", stale, err)
	}
	generate(false)
	if read(record) != first {
		t.Error("the record is not as it was")
	}

	// Without any loss there is no record.
	edit("// +askind:absent:field=new,reason=\"not known here\"\n", "")
	edit("Maybe int32 ", "New string `json:\"new\"`\n\tMaybe *int32 ")
	edit("\t// +askind:drop=\"nobody asked\"\n\tOld string `json:\"old\"`\n", "")
	edit("\t// +askind:drop=\"disks have none\"\n\tSpeed int64 `json:\"speed\"`\n", "")
	generate(false)
	if got := read(record); got != "" {
		t.Errorf("a record of nothing:\n%s", got)
	}
}
