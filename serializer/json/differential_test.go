package json_test

import (
	"bytes"
	stdjson "encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	jsoniter "github.com/json-iterator/go"

	fleetv1 "github.com/askind/askind/examples/fleet/api/fleet/v1"
	"github.com/askind/askind/fuzz"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/json/reflectjson"
	"github.com/askind/askind/wire"
	"github.com/askind/askind/wire/jsonwire"
)

// iterator is json-iterator as its users set it up to replace encoding/json, with exact names as we
// have them.
var iterator = jsoniter.Config{
	EscapeHTML: true, SortMapKeys: true, ValidateJsonRawMessage: true,
	CaseSensitive: true,
}.Froze()

// reading is what a library makes of a document.
type reading struct {
	obj runtime.Object
	err error
}

// readers reads documents of one kind in three ways.
type readers struct {
	kind *runtime.Kind
	twin *reflectjson.Twin
}

// ours reads a document with one of our functions. The problems are those that only strict decoding
// has.
func (d readers) ours(doc []byte, decode func(*jsonwire.Reader, runtime.Object) error) (reading, []jsonwire.Problem) {
	obj := d.kind.New()
	r := jsonwire.NewReader(doc, jsonwire.Options{Strict: true, Limits: schema.Limits{Problems: 1 << 20}})
	if err := decode(r, obj); err != nil {
		return reading{obj, err}, nil
	}
	r.End()
	var strict []jsonwire.Problem
	for _, p := range r.Problems() {
		if !p.Code.Strict() {
			return reading{obj, fmt.Errorf("%d: %s", p.Offset, p.Message)}, nil
		}
		if p.Code == wire.DuplicateField && strings.Contains(jsonwire.PathAt(doc, p.Offset).String(), "fieldsV1") {
			continue // a value that is kept as it is; reflection cannot tell that its type tells duplicates
		}
		strict = append(strict, p)
	}
	return reading{obj, nil}, strict
}

func (d readers) other(doc []byte, unmarshal func([]byte, any) error) reading {
	obj := d.kind.New()
	err := unmarshal(doc, obj)
	if err == nil {
		err = d.kind.SetType(obj)
	}
	return reading{obj, err}
}

// compare returns what is wrong, and which of the intended differences explains what is not the
// same.
func (d readers) compare(doc []byte) (wrong string, why difference) {
	got, strict := d.ours(doc, d.kind.DecodeJSON)
	twin, twinStrict := d.ours(doc, d.twin.DecodeJSON)
	if problem := disagree(got, twin); problem != "" || len(strict) != len(twinStrict) {
		return fmt.Sprintf("reflectjson: %s; %v, %v", problem, strict, twinStrict), ""
	}
	std := d.other(doc, stdjson.Unmarshal)
	if why := explain(doc, strict); why != "" {
		return "", why
	}
	if problem := disagree(got, std); problem != "" {
		return "encoding/json: " + problem, ""
	}
	if !stdjson.Valid(doc) {
		return "", "" // json-iterator takes much that is not JSON
	}
	if bytes.Contains(doc, []byte(hugeNumber)) {
		return "", unreadNumber
	}
	if problem := disagree(got, d.other(doc, iterator.Unmarshal)); problem != "" {
		return "json-iterator: " + problem, ""
	}
	return "", ""
}

// hugeNumber is a number that no float64 holds.
const hugeNumber = "1E400"

func disagree(got, other reading) string {
	switch {
	case got.err == nil && other.err != nil:
		return fmt.Sprintf("accepted here, there: %v", other.err)
	case got.err != nil && other.err == nil:
		return fmt.Sprintf("accepted there, here: %v", got.err)
	case got.err == nil && !reflect.DeepEqual(got.obj, other.obj):
		return fmt.Sprintf("\nhere  %+v\nthere %+v", got.obj, other.obj)
	}
	return ""
}

// difference names an intended difference. Each has a row in TestIntendedDifferences.
type difference string

const (
	exactCase   difference = "names are compared by their exact case"
	duplicate   difference = "of two lists or maps of one name the last counts alone, and both are told"
	invalidUTF8 difference = "invalid UTF-8 is an error"
	// Of json-iterator alone:
	unreadNumber difference = "a number beyond float64 is not an error where nobody reads it as one"
)

// explain finds an intended difference in a document, blank if there is none. The problems are
// those of strict decoding.
func explain(doc []byte, strict []jsonwire.Problem) difference {
	if !utf8.Valid(doc) {
		return invalidUTF8
	}
	for _, p := range strict {
		switch {
		case p.Code == wire.DuplicateField:
			return duplicate
		case p.Code == wire.UnknownField && p.Nearest != "" && strings.EqualFold(p.Name, p.Nearest):
			return exactCase
		}
	}
	return ""
}

func newReaders(t testing.TB) []readers {
	t.Helper()
	s, err := runtime.NewScheme(fleetv1.AddTo, metav1.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	var out []readers
	for _, kind := range []string{"Machine", "MachinePoolList"} {
		k, err := s.Kind(fleetv1.GroupVersion.WithKind(kind))
		if err != nil {
			t.Fatal(err)
		}
		twin, ok := reflectjson.TwinOf(k)
		if !ok {
			t.Fatalf("%s cannot be read by reflection", k)
		}
		out = append(out, readers{k, twin})
	}
	return out
}

// TestLikeOtherLibraries reads thousands of random documents, sound and broken, with generated
// code, with reflectjson, encoding/json and json-iterator. They agree, but for the intended
// differences; the first two without exception.
func TestLikeOtherLibraries(t *testing.T) {
	t.Parallel()
	const objects, mutations = 40, 40
	random := rand.New(rand.NewPCG(7, 7))
	var accepted, refused int
	explained := map[difference]int{}
	for _, d := range newReaders(t) {
		for seed := range int64(objects) {
			obj := d.kind.New()
			fuzz.Filler(seed).NumElements(1, 2).Fuzz(obj)
			if err := d.kind.SetType(obj); err != nil {
				t.Fatal(err)
			}
			doc := d.encode(t, obj)
			for range mutations {
				wrong, why := d.compare(doc)
				if wrong != "" {
					t.Fatalf("seed %d: %s\n%s", seed, wrong, doc)
				}
				explained[why]++
				if got, _ := d.ours(doc, d.kind.DecodeJSON); got.err == nil {
					accepted++
				} else {
					refused++
					doc = d.encode(t, obj)
				}
				doc = mutate(random, doc)
			}
		}
	}
	t.Logf("%d documents accepted, %d refused; %v", accepted, refused, explained)
	if accepted < 500 || refused < 500 {
		t.Errorf("%d documents accepted, %d refused: the mutations are no good", accepted, refused)
	}
}

// encode writes an object and holds that encoding/json writes the same.
func (d readers) encode(t *testing.T, obj runtime.Object) []byte {
	t.Helper()
	doc, err := d.kind.AppendJSON(nil, obj)
	if err != nil {
		t.Fatal(err)
	}
	if d.kind.IsList() { // items state their kinds in memory only
		return doc
	}
	if want, err := stdjson.Marshal(obj); err != nil || !bytes.Equal(doc, want) {
		t.Fatalf("%v: encoded as\n%s\nby encoding/json as\n%s", err, doc, want)
	}
	return doc
}

// replacements are values that take the place of others.
var replacements = []string{
	`null`, `true`, `0`, `-1`, `1.5`, `1e3`, `1E400`, `99999999999999999999`, `3000000000`, `""`, `"x"`,
	`"\u00e9\ud83d\ude00"`, `"\ud800"`, `[]`, `[null]`, `{}`, `{"a":null}`, `{"name":1}`, `[[1],{}]`,
	`01`, `1.`, `tru`, `'x'`, `"`, `[1,]`, `{"a"}`, `"a
b"`, `"\x"`, `NaN`,
}

// mutate changes a document: a value for another one, a byte, a piece that is missing, a member
// that comes again.
func mutate(random *rand.Rand, doc []byte) []byte {
	if len(doc) < 2 {
		return doc
	}
	at := random.IntN(len(doc))
	switch random.IntN(6) {
	case 0:
		out := bytes.Clone(doc)
		out[at] ^= 1 << random.IntN(7)
		return out
	case 1:
		return append(bytes.Clone(doc[:at]), doc[min(len(doc), at+1+random.IntN(4)):]...)
	case 2:
		return append(append(bytes.Clone(doc[:at]), " \n\t,:{}[]\"0"[random.IntN(11)]), doc[at:]...)
	case 3: // an unknown member, or one that comes again
		if i := bytes.IndexByte(doc[at:], '{'); i >= 0 && at+i+1 < len(doc) && doc[at+i+1] == '"' {
			name := []string{`"other":`, `"name":`, `"labels":`, `"NAME":`}[random.IntN(4)]
			member := name + replacements[random.IntN(len(replacements))] + `,`
			return append(append(bytes.Clone(doc[:at+i+1]), member...), doc[at+i+1:]...)
		}
	}
	// the value behind a colon
	i := bytes.IndexByte(doc[at:], ':')
	if i < 0 {
		return doc
	}
	from := at + i + 1
	r := jsonwire.NewReader(doc[from:], jsonwire.Options{})
	r.Skip()
	if r.Err() != nil {
		return doc
	}
	return append(append(bytes.Clone(doc[:from]), replacements[random.IntN(len(replacements))]...),
		doc[from+r.Offset():]...)
}

// TestIntendedDifferences has a row for each difference to encoding/json that
// TestLikeOtherLibraries allows, and holds what is done here.
func TestIntendedDifferences(t *testing.T) {
	t.Parallel()
	d := newReaders(t)[0]
	machine := func(name string, labels map[string]string) runtime.Object {
		m := d.kind.New().(*fleetv1.Machine)
		m.Name, m.Labels = name, labels
		return m
	}
	const huge = `{"other":` + hugeNumber + `}`
	if wrong, why := d.compare([]byte(huge)); wrong != "" || why != unreadNumber {
		t.Errorf("%s: %s, %s", huge, wrong, why)
	}
	if got := d.other([]byte(huge), iterator.Unmarshal); got.err == nil {
		t.Errorf("%s: json-iterator reads %s: the difference is gone", unreadNumber, huge)
	}
	for _, row := range []struct {
		why  difference
		doc  string
		want runtime.Object // nil for an error
		std  runtime.Object
	}{
		{exactCase, `{"metadata":{"Name":"a"}}`, machine("", nil), machine("a", nil)},
		{
			duplicate, `{"metadata":{"labels":{"a":"1"},"labels":{"b":"2"}}}`, machine("", map[string]string{"b": "2"}),
			machine("", map[string]string{"a": "1", "b": "2"}),
		},
		{invalidUTF8, "{\"metadata\":{\"name\":\"\xff\"}}", nil, machine("\ufffd", nil)},
	} {
		got, strict := d.ours([]byte(row.doc), d.kind.DecodeJSON)
		if why := explain([]byte(row.doc), strict); why != row.why {
			t.Errorf("%s: explained as %q", row.why, why)
		}
		if row.want == nil && got.err == nil || row.want != nil &&
			(got.err != nil || !reflect.DeepEqual(got.obj, row.want)) {
			t.Errorf("%s: got %+v, %v", row.why, got.obj, got.err)
		}
		if std := d.other([]byte(row.doc), stdjson.Unmarshal); std.err != nil || !reflect.DeepEqual(std.obj, row.std) {
			t.Errorf("%s: encoding/json reads %+v, %v: the difference is gone", row.why, std.obj, std.err)
		}
	}
}

// TestRepeatedStructs checks that a struct that comes twice is read as encoding/json reads it,
// since explain looks at no document with duplicates.
func TestRepeatedStructs(t *testing.T) {
	t.Parallel()
	d := newReaders(t)[0]
	for _, doc := range []string{
		`{"metadata":{"name":"a","uid":"u"},"metadata":{"name":"b"}}`,
		`{"metadata":{"name":"a"},"metadata":null,"spec":{"zone":"z"},"spec":{}}`,
	} {
		std := d.other([]byte(doc), stdjson.Unmarshal)
		for name, decode := range map[string]func(*jsonwire.Reader,
			runtime.Object) error{"generated": d.kind.DecodeJSON, "reflectjson": d.twin.DecodeJSON} {
			got, told := d.ours([]byte(doc), decode)
			if problem := disagree(got, std); problem != "" || len(told) == 0 {
				t.Errorf("%s: %s: %s; told are %v", name, doc, problem, told)
			}
		}
	}
}
