package serializer_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	fleet "github.com/askind/askind/examples/fleet/api/fleet/v1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/json"
	"github.com/askind/askind/serializer/yaml"
)

// The tests in this file give a factory what is wrong in every way that an input can be, for a kind
// with generated code that has fields of every sort, and hold two promises: each error says where
// in the input it is, and nothing panics.

const (
	goodJSON = `{
 "kind": "Machine",
 "apiVersion": "fleet.example.com/v1",
 "metadata": {"name": "a", "labels": {"app": "é\u00e9\ud83d\ude00"}, "creationTimestamp": "2026-02-03T08:00:00Z", "generation": 3},
 "spec": {
  "zone": "z",
  "hardware": {"cores": 4, "memory": "64Gi"},
  "asset": {"owner": null, "purchasedOn": "2025-11-20T00:00:00Z"},
  "boot": {"type": "Disk", "disk": {"name": "root"}},
  "disks": [{"name": "root", "size": 1e9, "partitions": [{"label": "p", "size": "1Gi", "encrypted": true}]}],
  "reserved": {"cpu": "500m"},
  "healthCheck": {"port": 80, "interval": "5s", "failureThreshold": 3},
  "providerConfig": {"apiVersion": "rack.example.net/v2", "kind": "Placement", "units": [7, -1.5e3, {}]}
 },
 "status": {"observedGeneration": 9007199254740993}
}`

	goodYAML = `# a machine
apiVersion: fleet.example.com/v1
kind: Machine
metadata:
  name: a
  labels: {app: "é\u00e9", 'b': 'it''s'}
  creationTimestamp: 2026-02-03T08:00:00Z
  annotations:
    text: |
      several
      lines
    folded: >-
      of
      text
spec:
  zone: &zone z
  poolName: *zone
  hardware: {cores: 4, memory: 64Gi}
  asset:
    owner: ~
    purchasedOn: "2025-11-20T00:00:00Z"
  boot: {type: Disk, disk: {name: root}}
  disks:
  - name: root
    size: 1e9
    partitions:
    - {label: p, size: 1Gi, encrypted: True}
  reserved:
    ? cpu
    : 500m
  healthCheck: {port: 80, interval: 5s, failureThreshold: 0o3}
  providerConfig:
    apiVersion: rack.example.net/v2
    units: [7, -1.5e3, {}]
status: {observedGeneration: 9007199254740993}
...
`
)

func badInputFactory(t testing.TB) *serializer.Factory {
	t.Helper()
	scheme, err := runtime.NewScheme(fleet.AddTo, metav1.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	f, err := serializer.NewFactory(scheme, json.Format(), yaml.Format())
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// decodeBad decodes and turns a panic into a failure that shows the input.
func decodeBad(t *testing.T, f *serializer.Factory, data string, o serializer.DecodeOptions) (obj runtime.Object,
	err error,
) {
	t.Helper()
	defer func() {
		if p := recover(); p != nil {
			t.Errorf("decoding panics: %v\ninput: %s", p, excerpt(data))
		}
	}()
	return f.Decode([]byte(data), o)
}

func excerpt(data string) string {
	const most = 300
	if len(data) > most {
		return fmt.Sprintf("%q... (%d bytes)", data[:most], len(data))
	}
	return fmt.Sprintf("%q", data)
}

// checkLocated fails unless the error consists of problems that all are at a place in the data, in
// the order of the text, each with a cause and a message. Only an input in no known format has no
// place.
func checkLocated(t *testing.T, data string, err error) []runtime.Problem {
	t.Helper()
	d, ok := errors.AsType[*runtime.DecodeError](err)
	if !ok {
		t.Errorf("the error is a %T and no DecodeError: %v\ninput: %s", err, err, excerpt(data))
		return nil
	}
	if len(d.Problems) == 0 {
		t.Errorf("an error without problems\ninput: %s", excerpt(data))
	}
	before := 0
	for i := range d.Problems {
		p := &d.Problems[i]
		if p.Cause == serializer.ErrUnknownFormat && !p.Position.IsValid() {
			continue // an input in no format that is known has no place that is wrong
		}
		switch {
		case p.Cause == nil || p.Message == "":
			t.Errorf("a problem without cause or message: %#v\ninput: %s", p, excerpt(data))
		case !p.Position.IsValid() || p.Position.Column < 1:
			t.Errorf("%q has no position\ninput: %s", p.Error(), excerpt(data))
		case p.Position.Offset < 0 || p.Position.Offset > len(data):
			t.Errorf("%q is at byte %d of %d\ninput: %s", p.Error(), p.Position.Offset, len(data), excerpt(data))
		case !isUTF16(data) && schema.PositionOf([]byte(data), p.Position.Offset) != p.Position:
			t.Errorf("%q: byte %d is at %v\ninput: %s", p.Error(), p.Position.Offset,
				schema.PositionOf([]byte(data), p.Position.Offset), excerpt(data))
		case p.Position.Offset < before:
			t.Errorf("%q comes after a problem at byte %d\ninput: %s", p.Error(), before, excerpt(data))
		}
		before = p.Position.Offset
	}
	return d.Problems
}

// isUTF16 reports whether lines and columns cannot be counted in the bytes of data.
func isUTF16(data string) bool {
	return strings.HasPrefix(data, "\xff\xfe") || strings.HasPrefix(data, "\xfe\xff")
}

// modes are the ways of decoding that take different turns.
var modes = []serializer.DecodeOptions{
	{},
	{Strictness: serializer.FailOnProblems, Default: true, DefaultKind: fleet.GroupVersion.WithKind("Machine")},
}

// forms are the ways in which the lines of a text may begin and end.
var forms = []func(string) string{
	func(s string) string { return s },
	func(s string) string { return "\uFEFF" + strings.ReplaceAll(s, "\n", "\r\n") },
}

func TestBadInputGoodInput(t *testing.T) {
	t.Parallel()
	f := badInputFactory(t)
	for _, data := range []string{goodJSON, goodYAML} {
		for _, form := range forms {
			if obj, err := decodeBad(t, f, form(data), serializer.DecodeOptions{
				Strictness: serializer.FailOnProblems,
				Default:    true,
			}); err != nil || obj == nil {
				t.Errorf("what the other tests damage is wrong already: %v\ninput: %s", err, excerpt(form(data)))
			}
		}
	}
}

// TestBadInputTruncated cuts a document off before each of its bytes. Every piece of the JSON
// document is broken; some pieces of the YAML document are documents.
func TestBadInputTruncated(t *testing.T) {
	t.Parallel()
	f := badInputFactory(t)
	for _, c := range []struct {
		whole      string
		mediaTypes []string
		always     bool // every piece is broken
	}{
		{goodJSON, []string{"application/json", "application/yaml", ""}, true},
		{goodYAML, []string{"application/yaml", ""}, false},
	} {
		for _, form := range forms {
			whole := form(c.whole)
			for n := range len(whole) {
				data := whole[:n]
				for _, o := range modes {
					for _, o.MediaType = range c.mediaTypes {
						obj, err := decodeBad(t, f, data, o)
						switch {
						case errors.Is(err, serializer.ErrNoDocument): // nothing to point at
							// a byte order mark, whole or cut short, and empty lines
							rest := strings.TrimLeftFunc(data, func(c rune) bool {
								return c == '\uFEFF' || c == utf8.RuneError || c == '\r' || c == '\n'
							})
							if rest != "" && rest[0] != '#' {
								t.Errorf("%v for %s", err, excerpt(data))
							}
						case err != nil:
							checkLocated(t, data, err)
							if obj != nil && c.always {
								t.Errorf("an object together with %v for %s", err, excerpt(data))
							}
						case c.always || obj == nil:
							t.Errorf("no error for %s; got %+v", excerpt(data), obj)
						}
					}
				}
			}
		}
	}
}

// TestBadInputDamaged puts bytes that belong nowhere, or somewhere else, in place of bytes of a
// document and in front of them.
func TestBadInputDamaged(t *testing.T) {
	t.Parallel()
	f := badInputFactory(t)
	damages := []string{
		"\x00", "\xff", "\xc3", "\t", "\n", "\"", "{", "}", "[", ",", ":", "-", "9", "&", "*", "!", "|",
		"%", "#", "\u2028", "\uFEFF",
	}
	step := 4 // all places are damaged, each by some of the damages
	if testing.Short() {
		step = 20
	}
	for _, whole := range []string{goodJSON, goodYAML} {
		for n, damage := range damages {
			for i := n % step; i < len(whole); i += step {
				for _, data := range []string{whole[:i] + damage + whole[i+1:], whole[:i] + damage + whole[i:]} {
					for _, s := range []serializer.Strictness{serializer.IgnoreProblems, serializer.FailOnProblems} {
						if _, err := decodeBad(t, f, data, serializer.DecodeOptions{Strictness: s}); err != nil &&
							!errors.Is(err, serializer.ErrNoDocument) {
							checkLocated(t, data, err)
						}
					}
				}
			}
		}
	}
}

// head begins a document in each format; the rest is what is wrong.
const (
	headJSON = `{"kind":"Machine","apiVersion":"fleet.example.com/v1",` + "\n"
	headYAML = "kind: Machine\napiVersion: fleet.example.com/v1\n"
)

func TestBadInput(t *testing.T) {
	t.Parallel()
	f := badInputFactory(t)
	for _, c := range []struct {
		name   string
		data   string
		o      serializer.DecodeOptions
		at     string // of the first problem: line:column, line:column path, or line: for any column; "" for any place
		is     error
		object bool // the object comes with the error
	}{
		// Nothing, or too much.
		{name: "empty", data: "", is: serializer.ErrNoDocument},
		{
			name: "empty json", data: "", o: serializer.DecodeOptions{MediaType: "application/json"},
			is: serializer.ErrNoDocument,
		},
		{
			name: "empty yaml", data: "", o: serializer.DecodeOptions{MediaType: "application/yaml"},
			is: serializer.ErrNoDocument,
		},
		{
			name: "white space", data: " \r\n\t\n ", o: serializer.DecodeOptions{MediaType: "application/json"},
			is: serializer.ErrNoDocument,
		},
		{name: "bom alone", data: "\uFEFF", is: serializer.ErrNoDocument},
		{name: "comment alone", data: "# nothing\r\n", is: serializer.ErrNoDocument},
		{name: "yaml markers alone", data: "---\n---\n...\n", is: serializer.ErrNoDocument},
		{
			name: "two documents json", data: headJSON + "\"metadata\":{}}\n{}", at: "3:1",
			is: serializer.ErrSeveralDocuments,
		},
		{
			name: "two documents yaml", data: headYAML + "---\n" + headYAML, at: "4:1",
			is: serializer.ErrSeveralDocuments,
		},
		{
			name: "two documents yaml, crlf", data: strings.ReplaceAll(headYAML+"---\n"+headYAML, "\n",
				"\r\n"), at: "4:1",
			is: serializer.ErrSeveralDocuments,
		},
		{name: "rubbish after json", data: headJSON + "\"metadata\":{}} x", at: "2:16", is: runtime.ErrSyntax},
		{name: "comma after json", data: headJSON + "\"metadata\":{}},", at: "2:15", is: runtime.ErrSyntax},

		// What the document says it is.
		{
			name: "missing kind json", data: `{"apiVersion":"fleet.example.com/v1"}`, at: "1:1",
			is: runtime.ErrMissingKind,
		},
		{
			name: "missing kind yaml", data: "\n# x\napiVersion: fleet.example.com/v1\n", at: "3:1",
			is: runtime.ErrMissingKind,
		},
		{name: "missing apiVersion json", data: ` {"kind":"Machine"}`, at: "1:2", is: runtime.ErrMissingVersion},
		{name: "missing apiVersion yaml", data: "---\nkind: Machine\n", at: "2:1", is: runtime.ErrMissingVersion},
		{
			name: "blank kind json", data: `{"apiVersion":"fleet.example.com/v1","kind":""}`, at: "1:1",
			is: runtime.ErrMissingKind,
		},
		{
			name: "null kind yaml", data: "apiVersion: fleet.example.com/v1\nkind:\n", at: "1:1",
			is: runtime.ErrMissingKind,
		},
		{
			name: "kind of another case", data: `{"apiVersion":"fleet.example.com/v1","Kind":"Machine"}`, at: "1:1",
			is: runtime.ErrMissingKind,
		},
		{
			name: "unknown kind json", data: `{"apiVersion":"fleet.example.com/v1","kind":"Mashine"}`, at: "1:45 kind",
			is: runtime.ErrUnknownKind,
		},
		{
			name: "unknown kind yaml", data: "apiVersion: fleet.example.com/v1\nkind: Mashine\n", at: "2:7 kind",
			is: runtime.ErrUnknownKind,
		},
		{
			name: "unknown version", data: "apiVersion: fleet.example.com/v7\nkind: Machine\n", at: "1:13 apiVersion",
			is: runtime.ErrUnknownKind,
		},
		{
			name: "unknown group", data: "apiVersion: flet.example.com/v1\nkind: Machine\n", at: "1:13 apiVersion",
			is: runtime.ErrUnknownKind,
		},
		{
			name: "kind is a number json", data: `{"apiVersion":"fleet.example.com/v1","kind":1}`, at: "1:45 kind",
			is: runtime.ErrWrongType,
		},
		{
			name: "kind is a list yaml", data: "apiVersion: fleet.example.com/v1\nkind: [Machine]\n", at: "2:7 kind",
			is: runtime.ErrWrongType,
		},
		{
			name: "apiVersion is an object json", data: `{"apiVersion":{},"kind":"Machine"}`, at: "1:15 apiVersion",
			is: runtime.ErrWrongType,
		},
		{name: "a list json", data: "\n[]", at: "2:1", is: runtime.ErrWrongType},
		{name: "a text json", data: `"x"`, at: "1:1", is: runtime.ErrWrongType},
		{name: "null json", data: `null`, at: "1:1", o: serializer.DecodeOptions{MediaType: "application/json"}},
		{
			name: "a number yaml", data: "17\n", at: "1:1", o: serializer.DecodeOptions{MediaType: "application/yaml"},
			is: runtime.ErrWrongType,
		},
		{name: "a list yaml", data: "- a\n- b\n", at: "1:1", is: runtime.ErrWrongType},
		{name: "a text yaml", data: "Machine\n", at: "1:1", is: runtime.ErrWrongType},

		// Depth.
		{name: "deep unknown lists json", data: headJSON + `"x":` + strings.Repeat("[", 20000) +
			strings.Repeat("]", 20000) + "}", at: "2:10004", is: runtime.ErrLimit},
		{name: "deep raw object json", data: headJSON + `"spec":{"providerConfig":` + strings.Repeat(`{"a":`, 20000) +
			"1" + strings.Repeat("}", 20000) + "}}", is: runtime.ErrLimit, at: "2:"},
		{
			name: "deep and not closed json", data: headJSON + `"x":` + strings.Repeat(`{"a":[`, 1000000),
			is: runtime.ErrLimit, at: "2:",
		},
		{name: "deep and nothing else json", data: strings.Repeat("[", 1000000), at: "1:10001", is: runtime.ErrLimit},
		{name: "deep flow yaml", data: headYAML + "x: " + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) +
			"\n", at: "3:", is: runtime.ErrLimit},
		{name: "deep and not closed yaml", data: headYAML + "x: " + strings.Repeat("[", 200000), at: "3:"},
		{
			name: "deep sequences yaml", data: headYAML + "x:\n  " + strings.Repeat("- ", 20000) + "a\n", at: "4:",
			is: runtime.ErrLimit,
		},
		{
			name: "limit given json", data: headJSON + `"spec":{"boot":{"disk":{"name":"x"}}}}`,
			o: serializer.DecodeOptions{Limits: schema.Limits{Depth: 3}}, at: "2:", is: runtime.ErrLimit,
		},
		{
			name: "limit given yaml", data: headYAML + "spec:\n  boot:\n    disk:\n      name: x\n",
			o: serializer.DecodeOptions{Limits: schema.Limits{Depth: 3}}, at: "6:", is: runtime.ErrLimit,
		},
		{name: "alias bomb", data: headYAML + bomb(), at: "", is: runtime.ErrLimit},
		{name: "alias to itself", data: headYAML + "spec: &a\n  providerConfig: *a\n", at: "4:"},
		{name: "alias to nothing", data: headYAML + "metadata:\n  name: *a\n", at: "4:"},

		// Fields stated twice, and unknown ones.
		{
			name: "duplicate json", data: headJSON + `"spec":{"zone":"a","zone":"b"}}`,
			o:  serializer.DecodeOptions{Strictness: serializer.FailOnProblems},
			at: "2:20 spec.zone", is: runtime.ErrDuplicateField, object: true,
		},
		{
			name: "duplicate yaml", data: headYAML +
				"spec:\n  zone: a\n  zone: b\n", o: serializer.DecodeOptions{Strictness: serializer.FailOnProblems},
			at: "5:3 spec.zone", is: runtime.ErrDuplicateField, object: true,
		},
		{
			name: "duplicate key of a map json", data: headJSON + `"metadata":{"labels":{"a":"1","a":"2"}}}`,
			o:  serializer.DecodeOptions{Strictness: serializer.FailOnProblems},
			at: "2:31 metadata.labels.a", is: runtime.ErrDuplicateField, object: true,
		},
		{
			name: "duplicate key of a map yaml", data: headYAML + "metadata: {labels: {a: x, a: y}}\n",
			o:  serializer.DecodeOptions{Strictness: serializer.FailOnProblems},
			at: "3:27 metadata.labels.a", is: runtime.ErrDuplicateField, object: true,
		},
		{
			name: "duplicate by escape json", data: headJSON + `"spec":{"zone":"a","z\u006fne":"b"}}`,
			o:  serializer.DecodeOptions{Strictness: serializer.FailOnProblems},
			at: "2:20 spec.zone", is: runtime.ErrDuplicateField, object: true,
		},
		{
			name: "duplicate kind json", data: headJSON +
				`"kind":"Machine"}`, o: serializer.DecodeOptions{Strictness: serializer.FailOnProblems},
			at: "2:1 kind", is: runtime.ErrDuplicateField, object: true,
		},
		{
			name: "unknown json", data: headJSON +
				`"spec":{"zoen":"a"}}`, o: serializer.DecodeOptions{Strictness: serializer.FailOnProblems},
			at: "2:9 spec.zoen", is: runtime.ErrUnknownField, object: true,
		},
		{
			name: "unknown yaml", data: headYAML + "spec:\n  disks:\n  - name: a\n    partitions:\n    - lable: x\n",
			o:  serializer.DecodeOptions{Strictness: serializer.FailOnProblems},
			at: "7:7 spec.disks[0].partitions[0].lable", is: runtime.ErrUnknownField, object: true,
		},
		{
			name: "another case json", data: headJSON +
				`"spec":{"Zone":"a"}}`, o: serializer.DecodeOptions{Strictness: serializer.FailOnProblems},
			at: "2:9 spec.Zone", is: runtime.ErrUnknownField, object: true,
		},

		// Text.
		{name: "bom, then an error json", data: "\uFEFF" + `{"kind":}`, at: "1:9", is: runtime.ErrSyntax},
		{
			name: "bom, then an error yaml",
			data: "\uFEFFkind: Machine\napiVersion: fleet.example.com/v1\nspec: {zone: [a]}\n", at: "3:14 spec.zone",
			is: runtime.ErrWrongType,
		},
		{name: "bom in the middle json", data: headJSON + "\uFEFF\"spec\":{}}", at: "2:1", is: runtime.ErrSyntax},
		{name: "crlf json", data: "{\r\n\"kind\":\"Machine\",\r\n\"apiVersion\":\"fleet.example.com/v1\",\r\n\"spec\":{\"zone\":1}}", at: "4:16 spec.zone", is: runtime.ErrWrongType},
		{
			name: "crlf yaml", data: "kind: Machine\r\napiVersion: fleet.example.com/v1\r\nspec:\r\n  zone: {}\r\n",
			at: "4:9 spec.zone", is: runtime.ErrWrongType,
		},
		{name: "tab yaml", data: headYAML + "spec:\n\tzone: a\n", at: "4:", is: runtime.ErrSyntax},
		{
			name: "tab after spaces yaml", data: headYAML + "spec:\n  zone: a\n \tpoolName: b\n", at: "5:",
			is: runtime.ErrSyntax,
		},
		{
			name: "tab in a string json", data: headJSON + "\"spec\":{\"zone\":\"a\tb\"}}", at: "2:18",
			is: runtime.ErrSyntax,
		},
		{
			name: "control character json", data: headJSON + "\"spec\":{\"zone\":\"a\x01b\"}}", at: "2:18",
			is: runtime.ErrSyntax,
		},
		{
			name: "control character yaml", data: headYAML +
				"spec:\n  zone: \"a\x01b\"\n", o: serializer.DecodeOptions{MediaType: "application/yaml"},
			at: "4:", is: runtime.ErrSyntax,
		},
		{name: "null byte json", data: headJSON + "\"spec\":\x00}", at: "2:8", is: runtime.ErrSyntax},
		{name: "not utf-8 json", data: headJSON + "\"spec\":{\"zone\":\"a\xff\"}}", at: "2:18", is: runtime.ErrSyntax},
		{
			name: "not utf-8 in a key json", data: headJSON + "\"spec\":{\"zo\xe9ne\":\"a\"}}", at: "2:12",
			is: runtime.ErrSyntax,
		},
		{
			name: "cut utf-8 json", data: headJSON + "\"spec\":{\"zone\":\"\xe2\x82\"}}", at: "2:17",
			is: runtime.ErrSyntax,
		},
		{
			name: "surrogates in utf-8 json", data: headJSON + "\"spec\":{\"zone\":\"\xed\xa0\x80\"}}", at: "2:17",
			is: runtime.ErrSyntax,
		},
		{
			name: "overlong utf-8 json", data: headJSON + "\"spec\":{\"zone\":\"\xc0\xaf\"}}", at: "2:17",
			is: runtime.ErrSyntax,
		},
		{name: "not utf-8 yaml", data: headYAML + "spec:\n  zone: a\xff\n", at: "4:10", is: runtime.ErrSyntax},
		{name: "not utf-8 in a comment yaml", data: headYAML + "# \xff\nspec: {}\n", at: "3:3", is: runtime.ErrSyntax},
		{name: "utf-16", data: "\xff\xfe{\x00}\x00", at: "1:1"},
		{name: "binary", data: "k8s\x00\x0a\x07\x12\xff\xfe\xfd", at: ""},
		{
			name: "binary as json", data: "k8s\x00\x0a\x07\x12\xff\xfe\xfd",
			o: serializer.DecodeOptions{MediaType: "application/json"}, at: "1:1", is: runtime.ErrSyntax,
		},
		{
			name: "binary as yaml", data: "k8s\x00\x0a\x07\x12\xff\xfe\xfd",
			o: serializer.DecodeOptions{MediaType: "application/yaml"}, at: "1:", is: runtime.ErrSyntax,
		},
		{name: "half an escape json", data: headJSON + `"spec":{"zone":"\u00"}}`, at: "2:", is: runtime.ErrSyntax},
		{name: "unknown escape json", data: headJSON + `"spec":{"zone":"\x"}}`, at: "2:", is: runtime.ErrSyntax},
		{
			name: "single quotes json", data: `{'kind':'Machine'}`,
			o: serializer.DecodeOptions{MediaType: "application/json"}, at: "1:2", is: runtime.ErrSyntax,
		},
		{name: "comment json", data: headJSON + "// spec\n}", at: "2:1", is: runtime.ErrSyntax},
		{name: "comma at the end json", data: headJSON + `"spec":{"disks":[{},]}}`, at: "2:21", is: runtime.ErrSyntax},
		{name: "NaN json", data: headJSON + `"spec":{"hardware":{"cores":NaN}}}`, at: "2:29", is: runtime.ErrSyntax},
		{
			name: "brackets that do not match json", data: headJSON + `"spec":{"disks":[}]}`, at: "2:18",
			is: runtime.ErrSyntax,
		},
		{name: "directive yaml", data: "%YAML 9.9\n---\n" + headYAML, at: "1:"},
		{
			name: "bad indentation yaml", data: headYAML + "spec:\n    zone: a\n  poolName: b\n", at: "5:",
			is: runtime.ErrSyntax,
		},
		{name: "text that is not closed yaml", data: headYAML + "spec:\n  zone: \"a\n", at: "", is: runtime.ErrSyntax},
		{name: "merge key of a text yaml", data: headYAML + "spec:\n  <<: text\n", at: "4:"},
		{name: "complex key yaml", data: headYAML + "spec:\n  ? [a, b]\n  : c\n", at: "4:"},
		{name: "own tag yaml", data: headYAML + "spec: !mine {zone: a}\n", at: "3:"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			obj, err := decodeBad(t, f, c.data, c.o)
			if err == nil {
				t.Fatalf("no error; got %+v", obj)
			}
			if c.is != nil && !errors.Is(err, c.is) {
				t.Errorf("errors.Is does not find %q in %v", c.is, err)
			}
			if (obj != nil) != c.object {
				t.Errorf("object %v together with the error %v", obj != nil, err)
			}
			if errors.Is(err, serializer.ErrNoDocument) || errors.Is(err, serializer.ErrUnknownFormat) {
				return
			}
			problems := checkLocated(t, c.data, err)
			if len(problems) == 0 {
				return
			}
			at := problems[0].Position.String()
			if strings.Contains(c.at, " ") {
				at += " " + problems[0].Path
			}
			if at != c.at && !(strings.HasSuffix(c.at, ":") && strings.HasPrefix(at, c.at)) && c.at != "" {
				t.Errorf("the problem is at %s, want %s: %.300v", at, c.at, err)
			}
		})
	}
}

// bomb is a document of a few hundred bytes that stands for many gigabytes.
func bomb() string {
	var b strings.Builder
	b.WriteString("spec:\n  providerConfig:\n    a0: &a0 [x, x, x, x, x, x, x, x, x]\n")
	for i := range 12 {
		fmt.Fprintf(&b, "    a%d: &a%d [*a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d]\n", i+1, i+1, i, i, i, i,
			i, i, i, i, i)
	}
	return b.String()
}

// TestBadInputScalars gives every sort of scalar every sort of value that it does not take, in both
// formats.
func TestBadInputScalars(t *testing.T) {
	t.Parallel()
	f := badInputFactory(t)
	const (
		object = `{"a":1}`
		list   = `["a"]`
		text   = `"text"`
		digits = `"17"`
		number = `17`
		real   = `1.5`
		truth  = `true`
	)
	huge := strings.Repeat("9", 400)
	for _, c := range []struct {
		path string // where the value stands
		pre  string // JSON between the head and the value, and after it
		post string
		bad  []string
		// asText are values that are bad in JSON only: in YAML a scalar without quotes is text
		// where a field takes text, whatever else it could be.
		asText []string
	}{
		{"metadata", `"metadata":`, `}`, []string{list, text, number, real, truth}, nil},
		{"metadata.name", `"metadata":{"name":`, `}}`, []string{object, list}, []string{number, real, truth}},
		{"metadata.labels", `"metadata":{"labels":`, `}}`, []string{list, text, number, truth}, nil},
		{
			"metadata.labels.a", `"metadata":{"labels":{"a":`, `}}}`,
			[]string{object, list},
			[]string{number, real, truth},
		},
		{"metadata.finalizers", `"metadata":{"finalizers":`, `}}`, []string{object, text, number, truth}, nil},
		{
			"metadata.finalizers[0]", `"metadata":{"finalizers":[`, `]}}`,
			[]string{object, list},
			[]string{number, truth},
		},
		{"metadata.generation", `"metadata":{"generation":`, `}}`, []string{
			object, list, text, digits, real, truth,
			"1e400", "9223372036854775808", "-9223372036854775809", huge,
		}, nil},
		{"metadata.creationTimestamp", `"metadata":{"creationTimestamp":`, `}}`, []string{
			object, list, text, digits,
			number, truth, `"2026-13-01T00:00:00Z"`, `"2026-02-03"`,
		}, nil},
		{
			"metadata.ownerReferences[0].controller", `"metadata":{"ownerReferences":[{"controller":`, `}]}}`,
			[]string{object, list, text, number, real, `"true"`},
			nil,
		},
		{"spec.hardware.cores", `"spec":{"hardware":{"cores":`, `}}}`, []string{
			object, list, text, digits, real, truth,
			"2147483648", "-2147483649", "1e10", huge,
		}, nil},
		{"spec.hardware.memory", `"spec":{"hardware":{"memory":`, `}}}`, []string{
			object, list, text, truth, `"1GiB"`,
			`"1 Gi"`, `""`,
		}, nil},
		{"spec.reserved.cpu", `"spec":{"reserved":{"cpu":`, `}}}`, []string{object, list, text, truth}, nil},
		{"spec.powerState", `"spec":{"powerState":`, `}}`, []string{object, list}, []string{number, truth}},
		{"spec.drainTimeout", `"spec":{"drainTimeout":`, `}}`, []string{
			object, list, text, digits, number, truth,
			`"99999999999999h"`,
		}, nil},
		{
			"spec.disks[0].partitions[0].encrypted", `"spec":{"disks":[{"partitions":[{"encrypted":`, `}]}]}}`,
			[]string{object, list, text, number, real},
			nil,
		},
		{"spec.disks[0]", `"spec":{"disks":[`, `]}}`, []string{list, text, number, truth}, nil},
		{"spec.healthCheck", `"spec":{"healthCheck":`, `}}`, []string{list, text, number, truth}, nil},
		{
			"spec.healthCheck.port", `"spec":{"healthCheck":{"port":`, `}}}`,
			[]string{object, list, real, truth, "2147483648"},
			[]string{huge},
		},
		{
			"spec.healthCheck.failureThreshold", `"spec":{"healthCheck":{"failureThreshold":`, `}}}`,
			[]string{object, list, text, digits, real, truth, huge},
			nil,
		},
		{"status.observedGeneration", `"status":{"observedGeneration":`, `}}`, []string{
			object, list, text, digits,
			"0.5", truth, huge,
		}, nil},
	} {
		for i, value := range slices.Concat(c.bad, c.asText) {
			mediaTypes := []string{"application/json", "application/yaml"}
			if i >= len(c.bad) {
				mediaTypes = mediaTypes[:1]
			}
			name := c.path + " " + value
			if len(value) > 40 {
				name = c.path + " huge"
			}
			data := headJSON + c.pre + value + c.post
			at := schema.PositionOf([]byte(data), len(headJSON)+len(c.pre)).String()
			for _, mediaType := range mediaTypes {
				t.Run(mediaType+" "+name, func(t *testing.T) {
					t.Parallel()
					obj, err := decodeBad(t, f, data, serializer.DecodeOptions{MediaType: mediaType})
					if err == nil || obj != nil {
						t.Fatalf("object %+v, error %v", obj, err)
					}
					problems := checkLocated(t, data, err)
					if len(problems) != 1 || problems[0].Position.String() != at || problems[0].Path != c.path {
						t.Errorf("want one problem at %s in %s; got\n%v", at, c.path, err)
					}
					if !errors.Is(err, runtime.ErrWrongType) && !errors.Is(err, runtime.ErrOutOfRange) &&
						!errors.Is(err, runtime.ErrInvalidValue) {
						t.Errorf("the cause is neither wrong type, out of range nor invalid value: %v", err)
					}
				})
			}
		}
	}
}

// TestBadInputVersions gives apiVersion every form that it must not have. Each is an error at the
// value, never another group.
func TestBadInputVersions(t *testing.T) {
	t.Parallel()
	f := badInputFactory(t)
	for _, version := range []string{
		"/", "/v1", "fleet.example.com/", "fleet.example.com//v1", "fleet.example.com/v1/", "fleet.example.com/v1/x",
		"/fleet.example.com/v1",
		" fleet.example.com/v1", "fleet.example.com/v1 ", "fleet.example.com/ v1", "fleet .example.com/v1",
		".fleet.example.com/v1", "fleet.example.com./v1",
		"fleet..example.com/v1", `fleet.example.com\/v1\n`, `fleet.example.com/v1\u0000`, `\ufefffleet.example.com/v1`,
		`fleet.example.com/v\u2028`,
	} {
		for _, c := range []struct{ mediaType, data string }{
			{"application/json", `{"kind":"Machine",` + "\n" + ` "apiVersion":"` + version + `"}`},
			{"application/yaml", "kind: Machine\napiVersion:   \"" + version + "\"\n"},
		} {
			t.Run(c.mediaType+" "+version, func(t *testing.T) {
				t.Parallel()
				obj, err := decodeBad(t, f, c.data, serializer.DecodeOptions{MediaType: c.mediaType})
				if err == nil || obj != nil {
					t.Fatalf("object %+v, error %v", obj, err)
				}
				problems := checkLocated(t, c.data, err)
				if len(problems) != 1 || problems[0].Position.String() != "2:15" || problems[0].Path != "apiVersion" ||
					!errors.Is(err, runtime.ErrInvalidValue) {
					t.Errorf("want one invalid value at 2:15 in apiVersion; got\n%v", err)
				}
				if _, ok := errors.AsType[*schema.ParseError](err); !ok {
					t.Errorf("errors.As does not find the ParseError in %v", err)
				}
			})
		}
	}
}

// TestBadInputManyDocuments checks that in a file of several documents each has its own errors, at
// their places in the file, and that good documents among them are still read.
func TestBadInputManyDocuments(t *testing.T) {
	t.Parallel()
	f := badInputFactory(t)
	for _, newline := range []string{"\n", "\r\n"} {
		for _, mark := range []string{"", "\uFEFF"} {
			documents := []string{
				headYAML + "spec:\n  zone: []\n",
				headYAML + "spec: {zone: z}\n",
				"kind: Machine\n",
				headYAML + "spec:\n  zoen: z\n",
				headYAML + "spec: [\n",
				headYAML + "metadata: {name: last}\n",
			}
			data := mark + strings.ReplaceAll("# file\n"+strings.Join(documents, "---\n"), "\n", newline)
			var got []string
			n := 0
			for obj, err := range f.DecodeAll([]byte(data), serializer.DecodeOptions{
				File:       "f.yaml",
				Strictness: serializer.FailOnProblems,
			}) {
				n++
				if err == nil {
					if _, ok := obj.(*fleet.Machine); !ok {
						t.Errorf("document %d is a %T", n, obj)
					}
					continue
				}
				for _, p := range checkLocated(t, data, err) {
					got = append(got, fmt.Sprintf("%d %s", n, strings.SplitAfter(p.Error(), ": ")[0]))
				}
			}
			want := []string{"1 f.yaml:5:9: ", "3 f.yaml:11:1: ", "4 f.yaml:16:3: "}
			if len(got) != 4 || strings.Join(got[:3], "|") != strings.Join(want, "|") ||
				!strings.HasPrefix(got[3], "5 f.yaml:") || n != len(documents) {
				t.Errorf("newline %q, mark %q: %d documents, problems %q, want %q and one of document 5", newline, mark,
					n, got, want)
			}
		}
	}
}
