package patches_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"

	"github.com/askind/askind/patch"
)

// record is one record of the public test suite for JSON Patch,
// github.com/json-patch/json-patch-tests. Its files in testdata are those of commit
// 2a928f9044aad35c74e2788d498bcf2c6b91adea, unchanged.
type record struct {
	Comment  string
	Doc      json.RawMessage
	Patch    json.RawMessage
	Expected json.RawMessage
	Error    string
	Disabled bool // the suite leaves it open; it runs here all the same
}

// suite returns the records of the test suite by name: file and index.
func suite(t *testing.T) (names []string, records map[string]record) {
	t.Helper()
	records = map[string]record{}
	for _, file := range []string{"spec_tests.json", "tests.json"} {
		text, err := os.ReadFile(filepath.Join("testdata", "json-patch-tests", file))
		if err != nil {
			t.Fatal(err)
		}
		var list []record
		if err := json.Unmarshal(text, &list); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for i, r := range list {
			if r.Patch == nil {
				continue // a comment
			}
			name := file + "#" + strconv.Itoa(i)
			names = append(names, name)
			records[name] = r
		}
	}
	return names, records
}

// outcome describes how applying a patch disagrees with a record, blank if it does not.
func (r record) outcome(t *testing.T, got []byte, err error) string {
	t.Helper()
	switch {
	case r.Error != "" && err == nil:
		return "got " + string(got) + ", expected an error: " + r.Error
	case r.Error == "" && err != nil:
		return "error: " + err.Error()
	case r.Error == "" && r.Expected != nil && !same(t, got, r.Expected):
		return "got " + string(got) + ", expected " + string(r.Expected)
	}
	return ""
}

// suiteDifferences are the records, by name, on which package patch does not do what the suite
// expects. docs/patches.md lists them.
var suiteDifferences = map[string]string{
	"tests.json#19": "a negative index counts from the end, as in Kubernetes",
	"tests.json#85": "of two members with the same name the last one counts; patch.Duplicates reports them",
}

// evanphxDifferences are those of evanphx/json-patch.v4, which kube-apiserver uses.
var evanphxDifferences = map[string]string{
	"tests.json#10": "the document is not replaced by a scalar",
	"tests.json#11": "nothing is added at the whole document",
	"tests.json#12": "nothing is added at the whole document",
	"tests.json#19": "a negative index counts from the end",
	"tests.json#63": "nothing is added at the whole document",
	"tests.json#77": "a value that is missing is null",
	"tests.json#78": "a value that is missing is null",
	"tests.json#79": "a value that is missing is null",
	"tests.json#82": "the copy of a member that does not exist is null",
	"tests.json#85": "of two members with the same name the last one counts",
	"tests.json#87": "leading zeros of an index are ignored",
	"tests.json#88": "leading zeros of an index are ignored",
}

func TestJSONPatchSuite(t *testing.T) {
	t.Parallel()
	names, records := suite(t)
	if len(names) < 100 {
		t.Fatalf("the suite has %d records only", len(names))
	}
	for _, name := range names {
		r := records[name]
		var got []byte
		p, err := patch.Parse(patch.JSON, r.Patch, patch.Options{})
		if err == nil {
			got, err = p.Append(nil, r.Doc)
		}
		expect(t, name, r, r.outcome(t, got, err), suiteDifferences[name])

		theirs, err := jsonpatch.DecodePatch(r.Patch)
		if got = nil; err == nil {
			got, err = safely(func() ([]byte, error) { return theirs.Apply(r.Doc) })
		}
		expect(t, name+", evanphx", r, r.outcome(t, got, err), evanphxDifferences[name])
	}
}

// expect compares a disagreement with the one that is known, blank if none is.
func expect(t *testing.T, name string, r record, outcome, known string) {
	t.Helper()
	switch {
	case outcome != "" && known == "":
		t.Errorf("%s %q (disabled: %v): %s by %s: %s", name, r.Comment, r.Disabled, r.Doc, r.Patch, outcome)
	case outcome == "" && known != "":
		t.Errorf("%s %q: no difference any more, take it out of the list: %s", name, r.Comment, known)
	}
}
