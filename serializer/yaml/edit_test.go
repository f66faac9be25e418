package yaml_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/askind/askind/internal/cputime"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer/yaml"
)

const edited = `# The machines of the lab.
apiVersion: fleet.example.com/v1   # the newest
kind: Machine
metadata:
  name: "web-1" # for people
  labels: {app: web, tier: front} # both are needed
# What is wanted.
spec:
  # four are enough
  cores: 4
  disks:
  - name: root # the first
    size: 10Gi
  # the second
  - name: data
    size: 20Gi

  args: [quiet, "no, thanks",   # inside
    splash]
  script: |
    # no comment
    run
  # the end of the spec
# the end
---
kind: Other
spec: {}
`

// TestEditReturnsACopy checks that the result is not the text itself, even if nothing changes.
func TestEditReturnsACopy(t *testing.T) {
	t.Parallel()
	for _, changes := range [][]yaml.Change{nil, {{Path: "kind", Value: []byte(`"Machine"`)}}} {
		text := []byte(edited)
		out, err := yaml.Edit(text, changes...)
		if err != nil || string(out) != edited {
			t.Fatalf("%s, %v", out, err)
		}
		if out[0] = '?'; string(text) != edited {
			t.Errorf("with %d changes, the result is the text", len(changes))
		}
	}
}

// TestEdit changes a text in many ways: what is wanted is said as lines that replace others.
func TestEdit(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, path, value string
		was, is           string // a part of the text before and after
	}{
		{"a number", "spec.cores", `8`, "cores: 4\n", "cores: 8\n"},
		{"a text before a comment", "metadata.name", `"db"`, `"web-1" # for`, `db # for`},
		{"a text that needs quotes", "metadata.name", `"yes"`, `"web-1" # for`, `"yes" # for`},
		{"a long text before a comment", "metadata.name", `"` + strings.Repeat("word ", 30) + `"`, `"web-1" # for`, `"` + strings.Repeat("word ", 30) + `" # for`},
		{"a text of lines", "metadata.name", `"a\nb\n"`, "\"web-1\" # for people\n", "| # for people\n    a\n    b\n"},
		{"a member in braces", "metadata.labels[app]", `"db"`, "{app: web,", "{app: db,"},
		{"the last member in braces", "metadata.labels[tier]", `"a, b"`, "tier: front}", `tier: "a, b"}`},
		{"a new member in braces", "metadata.labels[zone]", `{"a":[1]}`, "tier: front}", `tier: front, zone: {"a":[1]}}`},
		{"a member in braces removed", "metadata.labels[app]", "", "{app: web, tier", "{tier"},
		{"the last member in braces removed", "metadata.labels[tier]", "", ", tier: front}", "}"},
		{"all of the braces", "metadata.labels", `{}`, "{app: web, tier: front} #", "{} #"},
		{"braces to a block", "metadata.labels", `[{"a":1},{"b":2}]`, " {app: web, tier: front} # both are needed\n", " # both are needed\n  - a: 1\n  - b: 2\n"},
		{"a new member", "metadata.namespace", `"lab"`, "both are needed\n", "both are needed\n  namespace: lab\n"},
		{"new members in new mappings", "status.state.ready", `true`, "# the end\n---", "status:\n  state:\n    ready: true\n# the end\n---"},
		{"a new member of the spec", "spec.zone", `"z"`, "    run\n", "    run\n  zone: z\n"},
		{"an element", "spec.disks[1].size", `"30Gi"`, "size: 20Gi", "size: 30Gi"},
		{"a member of an element", "spec.disks[0].medium", `"SSD"`, "10Gi\n", "10Gi\n    medium: SSD\n"},
		{"the first member of an element", "spec.disks[0].name", `"boot"`, "root #", "boot #"},
		{"an element at the end", "spec.disks[2]", `{"name":"x","size":"1Gi"}`, "20Gi\n", "20Gi\n  - name: x\n    size: 1Gi\n"},
		{"an element removed", "spec.disks[1]", "", "  - name: data\n    size: 20Gi\n", ""},
		{"an element replaced by another type", "spec.disks[1]", `"none"`, "- name: data\n    size: 20Gi\n", "- none\n"},
		{"all elements", "spec.disks", `[{"name":"root","size":"11Gi"},{"name":"data","size":"20Gi"},{"name":"x"}]`, "", ""},
		{"the first in brackets", "spec.args[0]", `"loud"`, "[quiet,", "[loud,"},
		{"the last in brackets", "spec.args[2]", `7`, "splash]", "7]"},
		{"one more in brackets", "spec.args[3]", `"debug"`, "splash]", "splash, debug]"},
		{"one in brackets removed", "spec.args[0]", "", "[quiet, ", "["},
		{"a block of text", "spec.script", `"x"`, "script: |\n    # no comment\n    run\n", "script: x\n"},
		{"a mapping removed", "metadata.labels", "", "  labels: {app: web, tier: front} # both are needed\n", "comment"},
		{"a comment behind the first line", "spec.args", `1`, "[quiet, \"no, thanks\",   # inside\n    splash]", "1   # inside"},
		{"a comment inside a block", "spec", `"none"`, "", "comment"},
		{"an element with a comment", "spec.disks[0]", "", "", "comment"},
		{"the same", "spec.cores", `4`, "", ""},
		{"a name", "metadata", `{"title":"web-1","labels":{"app":"web","tier":"front"}}`, "name: \"web", "title: \"web"},
		{"a name in braces", "metadata.labels", `{"app":"web","true":"front"}`, "tier: front", `"true": front`},
		{"two names with one value", "metadata.labels", `{"a":"web","b":"web","tier":"front"}`, "{app: web, tier: front}", "{tier: front, a: web, b: web}"},
		{"the second document", "1:spec.size", `3`, "spec: {}\n", "spec:\n  size: 3\n"},
	} {
		c := yaml.Change{Path: tt.path, Value: []byte(tt.value)}
		if tt.value == "" {
			c.Value = nil
		}
		if path, ok := strings.CutPrefix(tt.path, "1:"); ok {
			c.Path, c.Document = path, 1
		}
		got, err := yaml.Edit([]byte(edited), c)
		if tt.is == "comment" {
			e, ok := errors.AsType[*yaml.EditError](err)
			if !ok || !errors.Is(err, yaml.ErrComment) || e.Position.Line == 0 || !strings.Contains(err.Error(), "# ") {
				t.Errorf("%s: got %v\n%s", tt.name, err, got)
			}
			c.DropComments = true
			if got, err = yaml.Edit([]byte(edited), c); err != nil {
				t.Errorf("%s, without the comment: %v", tt.name, err)
			}
			if tt.was == "" {
				continue
			}
			tt.is = ""
		}
		want := strings.Replace(edited, tt.was, tt.is, 1)
		if tt.name == "all elements" {
			want = strings.Replace(strings.Replace(edited, "10Gi", "11Gi", 1), "20Gi\n", "20Gi\n  - name: x\n", 1)
		}
		if err != nil || string(got) != want {
			t.Errorf("%s: %v\n%s\nwant\n%s", tt.name, err, got, want)
		}
		crlf := []byte(strings.ReplaceAll(edited, "\n", "\r\n"))
		got, err = yaml.Edit(crlf, c)
		if want = strings.ReplaceAll(want, "\n", "\r\n"); err != nil || string(got) != want {
			t.Errorf("%s, in lines that end with CR LF: %v\n%q\nwant\n%q", tt.name, err, got, want)
		}
	}
}

// TestEditStyles changes a to 2 in texts of all styles, or refuses them.
func TestEditStyles(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ in, path, value, want, err string }{
		{"a: 1", "a", "2", "a: 2\n", ""},
		{"a: 1\r\nb: 1\r\n", "a", "2", "a: 2\r\nb: 1\r\n", ""},
		{"a: &it's 1 # one\nb: &x \"y\" # two\nc: 1\n", "c", "2", "a: &it's 1 # one\nb: &x \"y\" # two\nc: 2\n", ""},
		{"a: &x\"y '# no' # yes\nb: 1 # it's\n", "b", "2", "a: &x\"y '# no' # yes\nb: 2 # it's\n", ""},
		{"a: &x # it's\n  '# no'\nb: 1\n", "b", "2", "a: &x # it's\n  '# no'\nb: 2\n", ""},
		{"a: !it's 'b' # c's\nb: 1\n", "b", "", "", "tag"},
		{"a: !!str &it's |\n  # no\nb: 1\n", "b", "2", "a: !!str &it's |\n  # no\nb: 2\n", ""},
		{"&it's 'a' : 1\nb: 1\n", "a", "2", "&it's 'a' : 2\nb: 1\n", ""},
		{"[1, &x 'a']\n", "[2]", "3", "[1, &x 'a', 3]\n", ""},
		{"[1, &x a]\n", "[2]", "3", "[1, &x a, 3]\n", ""},
		{"[1, !!str a]\n", "[2]", "3", "[1, !!str a, 3]\n", ""},
		{"[1, &x [a]]\n", "[2]", "3", "[1, &x [a], 3]\n", ""},
		{"[1, &x a]\n", "[1]", "", "[1]\n", ""},
		{"[1, &x ]\n", "[2]", "3", "", "yaml: 1:5: [1]: the end of the value cannot be determined"},
		{"{a: 1, b: 2}", "a", "2", "{a: 2, b: 2}", ""},
		{"{\"a\":1,\n# c\n}", "b", "2", "{\"a\":1, \"b\": 2,\n# c\n}", ""},
		{"{\"a\":1, b: 2,\n# c\n}", "c", `"x"`, "{\"a\":1, b: 2, c: x,\n# c\n}", ""},
		{`{"a": {"b": [1, 2]}}`, "a.b[1]", "null", `{"a": {"b": [1, null]}}`, ""},
		{"{\"a\":1, b: 2}", "", `{"c":1,"b":2}`, "{\"c\":1, b: 2}", ""},
		{"'a' : 1 # one\n", "", `{"b":1}`, "\"b\" : 1 # one\n", ""},
		{"? a\n: 1\n", "", `{"b":1}`, "? b\n: 1\n", ""},
		{"? a\n: 1\n", "a", "2", "", "the colon after the key is not found"},
		{"'a' : 1\n", "a", "2", "'a' : 2\n", ""},
		{"\"a:b\": 1\n", "a:b", "2", "\"a:b\": 2\n", ""},
		{"a: &x 1\nb: *x\n", "a", "2", "", "it has an anchor"},
		{"a: {c: &x 1}\nb: *x\n", "a.c", "2", "", "it has an anchor"},
		{"a: [&x 1]\nb: *x\n", "a", "2", "", "cannot be changed in parts"},
		{"a: &x {c: 1}\nb: *x\n", "a.c", "2", "", "it is an alias"},
		{"a: &x 1\nb: *x\n", "b", "2", "", "it is an alias of a value elsewhere"},
		{"a: !!str 1\n", "a", "2", "a: 2\n", ""},
		{"a: 1\na: 1\n", "a", "2", "", "the key occurs twice"},
		{"x: &x {a: 1}\nm:\n  <<: *x\n  b: 1\n", "m.a", "2", "x: &x {a: 1}\nm:\n  <<: *x\n  b: 1\n  a: 2\n", ""},
		{"x: &x {a: 1}\nm:\n  <<: *x\n  b: 1\n", "m.a", "", "", "it comes from a merge key"},
		{"- - 1\n  - 2\n- - 3\n", "[0][1]", "5", "- - 1\n  - 5\n- - 3\n", ""},
		{"- - 1\n  - 2\n- - 3\n", "[0][0]", "", "- - 2\n- - 3\n", ""},
		{"- a: 1\n  b: 2\n", "[0].a", "", "- b: 2\n", ""},
		{"-   a: 1\n    b: 2\n", "[0].c", "3", "-   a: 1\n    b: 2\n    c: 3\n", ""},
		{"m:\n    - 1\n    - 2\n", "m[2]", "3", "m:\n    - 1\n    - 2\n    - 3\n", ""},
		{"m:\n-\n  a: 1\n- \n- 3\n", "m[0].a", "2", "m:\n-\n  a: 2\n- \n- 3\n", ""},
		{"-\n  # a-b\n  x: 1\n", "[0].x", "2", "-\n  # a-b\n  x: 2\n", ""},
		{"- 1\n- # a-b\n\n  # - c\n  x: 1\n- 3\n", "[1].x", "2", "- 1\n- # a-b\n\n  # - c\n  x: 2\n- 3\n", ""},
		{"m:\n  -\n  # - c\n    - - 1\n", "m[0][0][1]", "2", "m:\n  -\n  # - c\n    - - 1\n      - 2\n", ""},
		{"m:\n", "m.a", "2", "m:\n  a: 2\n", ""},
		{"m: # none\n", "m.a", "2", "m: # none\n  a: 2\n", ""},
		{"m: [1, 2] # both\n", "m[0]", "", "m: [2] # both\n", ""},
		{"m: [a: 1, b]\n", "m[0].a", "2", "m: [a: 2, b]\n", ""},
		{"a: x\n  y\n  z\nb: 1\n", "a", `"2"`, "a: \"2\"\nb: 1\n", ""},
		{"# c\n%YAML 1.2\n---\na: 1\n...\n", "b", "2", "# c\n%YAML 1.2\n---\na: 1\nb: 2\n...\n", ""},
		{"--- {a: 1}\n", "a", "2", "--- {a: 2}\n", ""},
		{"--- # c\na: 1\n", "a", "2", "--- # c\na: 2\n", ""},
		{"a: |+\n  x\n\n\nb: 1\n", "b", "2", "a: |+\n  x\n\n\nb: 2\n", ""},
		{"a: |2\n    x\n  # y\nb: 1\n", "b", "2", "a: |2\n    x\n  # y\nb: 2\n", ""},
		{"a: '# no' # yes\n", "a", "2", "a: 2 # yes\n", ""},
		{"a: 1 #no\n", "a", "2", "a: 2 #no\n", ""},
		{"a: b#c\n", "a", "2", "a: 2\n", ""},
		{"a: 1\n", "[0]", "2", "", "element 0 does not exist"},
		{"a: 1\n", "a.b", "2", "", `the member "b" cannot be set, because its parent is not a mapping`},
		{"a: 1\n", "b", "", "", `the member "b" does not exist`},
		{"a: 1\n", "", "", "", "the whole document cannot be removed"},
		{"a: 1\n", "", `{"a":2,"b":3}`, "a: 2\nb: 3\n", ""},
		{"a: 1\n", "a", "{", "", "the new value is not JSON"},
		{"a: 1\n", "a..", "1", "", "path"},
		{"# c\na: 1 # one\n# end\n", "", `["x"]`, "", "a comment would be lost: # one"},
		{"# c\na:\n  b: 1\n# end\n", "a", "", "# c\n{}\n# end\n", ""},
		{"---\na: 1\n...\n---\nb: 1\n", "", `[1]`, "---\n- 1\n...\n---\nb: 1\n", ""},
		{"- 1\n- 2", "", `"x"`, "x\n", ""},
		{"a: &x 1\nb: *x\n", "a", "", "", `the surrounding text cannot be changed in parts: unknown anchor "x"`},
		{"m: [\n  1, # one\n  2  # two\n] # m\n", "m[2]", "3", "m: [\n  1, # one\n  2,  # two\n  3\n] # m\n", ""},
		{"m: {\n  a: 1, # one\n}\n", "m.b", "3", "m: {\n  a: 1, # one\n  b: 3,\n}\n", ""},
		{"m: {\n  a: 1 , # one\r\n}\n", "m.b", "3", "m: {\n  a: 1 , # one\n  b: 3,\r\n}\n", ""},
		{"m: [\n  1 # one\n  , 2\n]\n", "m[2]", "3", "m: [\n  1 # one\n  , 2, 3\n]\n", ""},
		{"# m\n- a # A\n# above b\n- b # B\n- c\n", "", `["x","a","y","z","b","c"]`, "- x\n# m\n- a # A\n- \"y\"\n- z\n# above b\n- b # B\n- c\n", ""},
		{"m:\n# a\n- k: 1\n\n  # b\n- k: 2\n", "m", `[{"k":0},{"k":1},{"l":0},{"k":2}]`, "m:\n- k: 0\n# a\n- k: 1\n\n  # b\n- l: 0\n- k: 2\n", ""},
		{"- - b # B\n  - c\n", "", `[["a","b","c"]]`, "- - a\n  - b # B\n  - c\n", ""},
		{"m: [b, c] # m\n", "m", `["a","b","d","c"]`, "m: [a, b, d, c] # m\n", ""},
		{"m: [\n  b, # B\n  c  # C\n]\n", "m", `["a","b","d","c"]`, "m: [\n  a,\n  b, # B\n  d,\n  c  # C\n]\n", ""},
		{"- a\n- b # B\n- c\n- d # D\n", "", `["b","x","d"]`, "- b # B\n- x\n- d # D\n", ""},
		{"- a # A\n- b # B\n", "", `["b"]`, "", "a comment would be lost: # A"},
		{"a: [\n", "a", "1", "", "bracket"},
		{"m: [\n  1, # one\n  2\n]\n", "m[1]", "", "m: [\n  1 # one\n]\n", ""},
		{"m: [\n  1, # one\n  2,\n]\n", "m[1]", "", "m: [\n  1, # one\n]\n", ""},
		{"m: [\n  1, # one\n  2, 3] # m\n", "m", "[1]", "m: [\n  1 # one\n  ] # m\n", ""},
		{"m: [\n  1, # one\n  2\n]\n", "m[0]", "", "", "yaml: 2:6: m[0]: a comment would be lost: # one"},
		{"m: [\n  1 ] # m\n", "m[1]", "2", "m: [\n  1,\n  2 ] # m\n", ""},
		{"m: {a: 1, b: 2, c: 3}\n", "m", `{"a":1,"d":4,"e":5}`, "m: {a: 1, d: 4, e: 5}\n", ""},
		{"m: {a: 1, b: 2, c: 3}\n", "m", `{"b":2}`, "m: {b: 2}\n", ""},
		{"m: {a: 1, b: 2, c: 3}\n", "m", `{"a":1}`, "m: {a: 1}\n", ""},
		{"- a: 1\n  # two\n  b: 2\n  c: 3\n", "", `[{"c":3,"d":4}]`, "- # two\n  c: 3\n  d: 4\n", ""},
		{"- a: 1\n  b: 2\n", "", `[{"c":4,"d":4}]`, "- c: 4\n  d: 4\n", ""},
		{"a: 1\n", "", `{"<<":1}`, "\"<<\": 1\n", ""},
		{"m:\n  a: |2\n      x\n    # y\n  b: 1\n", "m.a", "", "m:\n  b: 1\n", ""},
		{"a: |+\n  x\n\nb: 1\n\nc: 2\n", "b", "", "a: |+\n  x\n\nc: 2\n", ""},
		{"b: 1\n\n", "a", `"x\n\n"`, "b: 1\na: |+\n  x\n\n", ""},
		{"b: 1\n    \n", "a", `"x\n"`, "b: 1\na: |\n  x\n", ""},
		{"a: |\n x\nb: 1\n  \nc: 2\n", "b", "", "a: |\n x\nc: 2\n", ""},
		{"a: |+\n  x\n\n", "b", "1", "a: |+\n  x\n\nb: 1\n", ""},
		{"\ufeffa: 1\n", "b", "2", "\ufeffa: 1\nb: 2\n", ""},
		{"x: &x {a: 1}\nm: *x\n", "", `{"x":{"a":2},"m":{"a":2}}`, "x: &x {a: 2}\nm: *x\n", ""},
		{"x: &x {a: 1}\nm:\n  <<: *x\n", "x.a", "2", "x: &x {a: 2}\nm:\n  <<: *x\n  a: 1\n", ""},
		{"a: &x {c: 1}\n\nb: *x\n", "a.c", "2", "", "yaml: 3:4: b: it is an alias"},
		{"a: &x k\n? *x\n: 1\nb: 2\n", "b", "3", "", "yaml: 2:3: a key is not a name"},
		{"? a\n: 1\n? b\n: 2\n", "b", "", "", "yaml: 3:3: b: it cannot be removed from its line"},
		{"b: &x 1\na: [1, *x]\n", "a[1]", "", "b: &x 1\na: [1]\n", ""},
		{"a: [x\n  y, 1]\n", "a[1]", "2", "a: [x\n  y, 2]\n", ""},
		{"a: [x\n  y, 1]\n", "a[0]", "2", "", "yaml: 1:5: a[0]: the end of the value cannot be determined"},
		{"a: [x\n  y, 1]\n", "a[0]", "", "", "yaml: 1:5: a[0]: the end of the value cannot be determined"},
		{"m: {a, b: 2}\n", "m.a", "", "m: {b: 2}\n", ""},
		{"m: [a: 1, b: 2]\n", "m[0].c", "4", "", "cannot be changed in parts"},
		{"--- &x\na: 1\n", "", "[1]", "", "yaml: 1:5: it has an anchor"},
		{"- a\n\n# end\n", "[1]", `["x"]`, "- a\n- - x\n\n# end\n", ""},
		{"a: # c", "a", "[1]", "a: # c\n- 1\n", ""},
		{"null\n", "a", "1", "{\"a\":1}\n", ""},
		{"- 1\n", "[-1]", "2", "", "element -1 does not exist; the list has 1"},
		{"\xff\xfea\x00", "a", "1", "", "the text must be UTF-8"},
		{"a: 1\rb: 2", "a", "1", "", "the text must be UTF-8"},
	} {
		c := yaml.Change{Path: tt.path, Value: []byte(tt.value)}
		if tt.value == "" {
			c.Value = nil
		}
		got, err := yaml.Edit([]byte(tt.in), c)
		if tt.err != "" {
			_, edit := errors.AsType[*yaml.EditError](err)
			_, decode := errors.AsType[*runtime.DecodeError](err)
			if !edit && !decode || !strings.Contains(err.Error(), tt.err) || got != nil {
				t.Errorf("%q: got %q, %v", tt.in, got, err)
			}
		} else if err != nil || string(got) != tt.want {
			t.Errorf("%q at %s: got %q, %v, want %q", tt.in, tt.path, got, err, tt.want)
		}
	}
}

// TestEditMoves changes whole documents: the lines of an entry that is at another place move there.
func TestEditMoves(t *testing.T) {
	t.Parallel()
	const spec = "spec:\n  # how much\n  size: \"10Gi\" # see the runbook\n  name: x # N\n"
	for _, tt := range []struct{ name, in, value, want string }{
		{"one level deeper", spec, `{"spec":{"disk":{"kind":"ssd","size":"10Gi"},"name":"x"}}`, `
spec:
  disk:
    kind: ssd
    # how much
    size: "10Gi" # see the runbook
  name: x # N
`},
		{"with another name", spec, `{"spec":{"disk":{"kind":"ssd","limit":"10Gi"},"name":"x"}}`, `
spec:
  disk:
    kind: ssd
    # how much
    limit: "10Gi" # see the runbook
  name: x # N
`},
		{"into a list", spec, `{"spec":{"sizes":["10Gi"],"name":"x"}}`, `
spec:
  sizes:
  # how much
  - "10Gi" # see the runbook
  name: x # N
`},
		{"out of the mapping", spec, `{"spec":{"name":"x"},"size":"10Gi"}`, `
spec:
  name: x # N
# how much
size: "10Gi" # see the runbook
`},
		{"one level less deep", spec, `{"name":"x","size":"10Gi"}`, `
name: x # N
# how much
size: "10Gi" # see the runbook
`},
		{"with all in it", spec, `{"v":[{"spec":{"size":"10Gi","name":"x"}}]}`, `
v:
- spec:
    # how much
    size: "10Gi" # see the runbook
    name: x # N
`},
		{
			"with a text and odd indentation", "a:\n     b: |2  # B\n         x\n       y\n\n        z\nc: 1\n",
			`{"d":{"b":"  x\ny\n\n z\n","e":2},"c":1}`, `
d:
  b: |2  # B
      x
    y

     z
  e: 2
c: 1
`,
		},
		{"from the line of a hyphen", "- a: [1, # one\n      2]\n  b: 2\n", `[{"c":{"a":[1,2]},"b":2}]`, `
- c:
    a: [1, # one
        2]
  b: 2
`},
		{"elements in another order", "- a # A\n# above\n- b # B\n- 1 # one\n", `[1,"a","b"]`, `
- 1 # one
- a # A
# above
- b # B
`},
		{"an element to another list", "a:\n- name: x # X\n- name: z\nb:\n- name: w\n", `{"a":[{"name":"z"}],"b":[{"name":"w"},{"name":"x"}]}`, `
a:
- name: z
b:
- name: w
- name: x # X
`},
		{"elements by their names", "- name: a # A\n  v: 1 # one\n", `[{"name":"c"},{"name":"a","v":3}]`, `
- name: c
- name: a # A
  v: 3 # one
`},
		{"comments about the whole document", "# all\na: 1 # one\nb: 2\n", `{"b":2,"c":{"a":1}}`, `
# all
c:
  a: 1 # one
b: 2
`},
		{
			"an alias before its anchor", "a:\n  b: 1\nx: &x q\nc: *x # C\n", `{"a":{"b":1,"c":"q"},"x":"q"}`,
			"4:7: c: a comment would be lost: # C",
		},
		{"an alias before its anchor, without a comment", "a:\n  b: 1\nx: &x q\nc: *x\n", `{"a":{"b":1,"c":"q"},"x":"q"}`, `
a:
  b: 1
  c: q
x: &x q
`},
		{"an alias, behind its anchor", "b: &x [1]\nc: *x # X\n", `{"b":[1],"d":{"c":[1]}}`, `
b: &x [1]
d:
  c: *x # X
`},
		{"a text over lines, with a tag", "a: !!str 'x\n\n  y' # A\nb: 1\n", `{"b":1,"c":{"a":"x\ny"}}`, `
c:
  a: !!str 'x

    y' # A
b: 1
`},
		{"into a document of another kind", "# all\na:\n  b: 1 # B\n", `["x",{"b":1}]`, `
# all
- x
- b: 1 # B
`},
		{"to the place of another value", "a: # A\n  b: 1 # B\n", `{"a":[{"b":1}]}`, `
a: # A
- b: 1 # B
`},
		{"to a line with a comment", "- # A\n  b: 1\n  c: x # C\n", `[[{"c":"x"}]]`, `
- # A
  - c: x # C
`},
		{
			"a key that is renamed rather than a part of its value", "b: {c: x}\nc: x # C\n", `{"a":{"c":"x"}}`,
			"2:6: c: a comment would be lost: # C",
		},
		{
			"to two places", spec, `{"spec":{"a":{"size":"10Gi"},"b":{"size":"10Gi"},"name":"x"}}`,
			"3:16: spec.size: a comment would be lost: # see the runbook",
		},
		{"from two places", "a:\n  size: 1 # A\nb:\n  size: 1 # B\n", `{"c":{"size":1}}`, "2:11: a.size: a comment would be lost: # A"},
		{"a number with another name", "a: 1 # one\n", `{"b":{"c":1}}`, "1:6: a: a comment would be lost: # one"},
		{"into braces", "a: x # X\nb: {c: 1}\n", `{"b":{"c":1,"a":"x"}}`, "1:6: a: a comment would be lost: # X"},
		{"a value in a mapping that is removed", "a:\n  b:\n  - c: 1\n    d: 2 # two\n", `{"e":1}`, "4:10: a.b[0].d: a comment would be lost: # two"},
	} {
		for _, end := range []string{"\n", "\r\n"} {
			got, err := yaml.Edit([]byte(strings.ReplaceAll(tt.in, "\n", end)), yaml.Change{Value: []byte(tt.value)})
			want, ok := strings.CutPrefix(tt.want, "\n")
			switch {
			case !ok && (err == nil || err.Error() != "yaml: "+want):
				t.Errorf("%s: got %v\n%s\nwant the error %s", tt.name, err, got, want)
			case ok && (err != nil || string(got) != strings.ReplaceAll(want, "\n", end)):
				t.Errorf("%s: %v\n%s\nwant\n%s", tt.name, err, got, want)
			}
		}
	}
}

// TestEditNewDocuments writes documents that the text does not have.
func TestEditNewDocuments(t *testing.T) {
	t.Parallel()
	a := func(document int) yaml.Change { return yaml.Change{Document: document, Path: "a", Value: []byte("1")} }
	for _, tt := range []struct {
		in        string
		documents []int
		want      string
	}{
		{"", []int{0}, "a: 1\n"},
		{"\ufeff", []int{0}, "\ufeffa: 1\n"},
		{"# c", []int{0}, "# c\na: 1\n"},
		{"# c\r\n\r\n", []int{0}, "# c\r\n\r\na: 1\r\n"},
		{"# c\n---\n# d\n", []int{0}, "# c\n---\n# d\na: 1\n"},
		{"%YAML 1.2\n", []int{0}, "%YAML 1.2\n---\na: 1\n"},
		{"# c\n...\n", []int{0}, "# c\n...\n---\na: 1\n"},
		{"b: 1", []int{1}, "b: 1\n---\na: 1\n"},
		{"b: 1\n# c\n", []int{1, 0}, "b: 1\na: 1\n# c\n---\na: 1\n"},
		{"b: 1\n---\n# c\n", []int{1, 2}, "b: 1\n---\n# c\na: 1\n---\na: 1\n"},
		{"---\n# c\n---\nb: 1\n...\n# d\n", []int{1}, "---\n# c\n---\nb: 1\n...\n# d\n---\na: 1\n"},
		{"b: 1\n---\n", []int{2}, "yaml: a: document 2 does not exist; the text has 1"},
		{"b: 1\n", []int{-1}, "yaml: a: document -1 does not exist; the text has 1"},
		{"%\n", []int{0}, "could not find expected directive name"},
	} {
		var changes []yaml.Change
		for _, n := range tt.documents {
			changes = append(changes, a(n))
		}
		got, err := yaml.Edit([]byte(tt.in), changes...)
		if string(got) != tt.want && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%q: got %q, %v, want %q", tt.in, got, err, tt.want)
		}
		if err != nil {
			continue
		}
		if again, err := yaml.Edit(got, changes...); err != nil || string(again) != tt.want {
			t.Errorf("%q: the second time, got %q, %v, want %q", tt.in, again, err, tt.want)
		}
	}
	for _, c := range []yaml.Change{{}, {Path: "b"}, {Path: "[1]", Value: []byte("1")}, {Value: []byte("{")}} {
		got, err := yaml.Edit(nil, c)
		if _, ok := errors.AsType[*yaml.EditError](err); !ok || got != nil {
			t.Errorf("%v: got %q, %v, want an EditError", c, got, err)
		}
	}
}

// TestEditManyChanges checks that the time for changes does not grow with the square of their
// number.
func TestEditManyChanges(t *testing.T) {
	t.Parallel()
	const n = 5000
	var block, flow, half, value strings.Builder
	flow.WriteString("[")
	var changes []yaml.Change
	for i := range n {
		fmt.Fprintf(&block, "- name: n%d # %d\n", i, i)
		fmt.Fprintf(&flow, `{"name": "n%d"}, `, i)
		if i%4 == 0 {
			changes = append(changes, yaml.Change{Path: fmt.Sprintf("[%d]", i-len(changes))})
			changes[len(changes)-1].DropComments = true
			continue
		}
		fmt.Fprintf(&half, "- name: n%d # %d\n", i, i)
		fmt.Fprintf(&value, `{"name": "n%d"}, `, i)
	}
	list := func(b *strings.Builder) string { return strings.TrimSuffix(b.String(), ", ") + "]" }
	whole, ids := []byte("["+list(&value)), strings.ReplaceAll(list(&flow), "name", "id")
	took := cputime.Of(func() {
		for _, tt := range []struct {
			in, want string
			changes  []yaml.Change
		}{
			{block.String(), half.String(), []yaml.Change{{Value: whole, DropComments: true}}},
			{block.String(), half.String(), changes},
			{list(&flow), "[" + list(&value), []yaml.Change{{Value: whole}}},
			{list(&flow), ids, []yaml.Change{{Value: []byte(ids)}}},
		} {
			if got, err := yaml.Edit([]byte(tt.in), tt.changes...); err != nil || string(got) != tt.want {
				t.Errorf("got %d bytes, %v, want %d", len(got), err, len(tt.want))
			}
		}
	})
	if took > 10*time.Second { // one change after the other takes a minute
		t.Errorf("took %v", took)
	}
}

// TestEditOneLine checks that the time does not grow with the number of changes times the length of
// a line: JSON often has only one.
func TestEditOneLine(t *testing.T) {
	t.Parallel()
	const n = 4000
	pad, marks := strings.Repeat("x", 8<<20), strings.Repeat("1234567#", 1<<20)
	items := func(item string) string { return strings.TrimSuffix(strings.Repeat(item+", ", n), ", ") }
	took := cputime.Of(func() {
		for _, tt := range []struct{ in, path, value, want string }{
			{
				`{"a": "` + pad + `", "b": [` + items(`{"c": 1}`) + `]}`, "b", "[" + items(`{"c": 2}`) + "]",
				`{"a": "` + pad + `", "b": [` + items(`{"c": 2}`) + `]}`,
			},
			{`{"a": ["x", "` + marks + `", ` + items("1") + `]}`, "a", `["x"]`, `{"a": ["x"]}`},
		} {
			got, err := yaml.Edit([]byte(tt.in), yaml.Change{Path: tt.path, Value: []byte(tt.value)})
			if err != nil || string(got) != tt.want {
				t.Errorf("%s: got %d bytes, %v, want %d", tt.path, len(got), err, len(tt.want))
			}
		}
	})
	if took > 10*time.Second { // reading the line again for each element takes a minute
		t.Errorf("took %v", took)
	}
}

// TestEditSpecialCharacters checks that new values with characters that YAML does not allow, or
// takes for line breaks, can be read by other libraries and edited again.
func TestEditSpecialCharacters(t *testing.T) {
	t.Parallel()
	for _, c := range "\x00\u007F\u0085\u0090\u2028\u2029\uFEFF\uFFFE\uFFFF\r\n" {
		name := "x" + string(c) + "y"
		text, err := json.Marshal(map[string]any{"a": name, name: []string{name}, "b": map[string]string{name: name}})
		if err != nil {
			t.Fatal(err)
		}
		for _, in := range []string{"a: 1\n", "a: 1\nb:\n  c: 1\n", "{a: 1}\n", `{"a":1}`, "- 1\n", "1\n", "b: [1]\n"} {
			change := yaml.Change{Value: text}
			got, err := yaml.Edit([]byte(in), change)
			if err != nil {
				t.Errorf("%+q in %q: %v", c, in, err)
				continue
			}
			special := func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }
			if strings.ContainsFunc(string(got), special) {
				t.Errorf("%+q in %q: %+q", c, in, got)
			}
			again, err := yaml.Edit(got, change)
			if err != nil || string(again) != string(got) {
				t.Errorf("%+q in %q: got %+q, %v, want %+q", c, in, again, err, got)
			}
		}
	}
}

// TestEditBeginAfterBlock checks that a new document leaves the value of the one before, even if
// that ends with a text in a block whose last line has no end.
func TestEditBeginAfterBlock(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"a: 1":               "a: 1\n---\n2\n",
		"a: |\n  x":          "a: x\n---\n2\n",
		"- >+ # c\n  x\n  y": "- x y # c\n---\n2\n",
		"a: |\r\n  x\r\n  y": "a: |-\r\n  x\r\n  y\r\n---\r\n2\r\n",
		"a: |-\n  x":         "a: |-\n  x\n---\n2\n",
		"a: |\n  x\n# c":     "a: |\n  x\n# c\n---\n2\n",
	} {
		got, err := yaml.Edit([]byte(in), yaml.Change{Document: 1, Value: []byte("2")})
		if err != nil || string(got) != want {
			t.Errorf("%q: got %q, %v, want %q", in, got, err, want)
		}
	}
	got, err := yaml.Edit([]byte("b: &b |\n  x"), yaml.Change{Document: 1, Value: []byte("2")})
	if e, ok := errors.AsType[*yaml.EditError](err); !ok || e.Path != "b" {
		t.Errorf("got %q, %v, want an error for the anchor", got, err)
	}
}

// TestEditDeep checks that lines do not move deep into a new value, where each level would indent
// them again.
func TestEditDeep(t *testing.T) {
	t.Parallel()
	const n = 3000
	value := `{"a":1,"c":` + strings.Repeat(`{"c":`, n) + "[1,2,3]" + strings.Repeat("}", n) + "}"
	took := cputime.Of(func() {
		got, err := yaml.Edit([]byte("a: 1\nb: [1, 2, 3] # c\n"), yaml.Change{Value: []byte(value), DropComments: true})
		if err != nil {
			t.Fatal(err)
		}
		if back, err := yaml.ToJSON(got); string(back) != value {
			t.Errorf("got %d bytes, %v", len(back), err)
		}
	})
	if took > 10*time.Second { // indenting all of them takes minutes
		t.Errorf("took %v", took)
	}
}

// TestEditJSON checks that JSON stays JSON, whatever is added, replaced, and removed.
func TestEditJSON(t *testing.T) {
	t.Parallel()
	const lines = "{\n  \"a\": \"x\",\n  \"b\": [\n    1,\n    \"y\"\n  ],\n  \"c\": {}\n}\n"
	for _, tt := range []struct{ in, path, value, want string }{
		{`{"a":1}`, "b", `"x"`, `{"a":1, "b": "x"}`},
		{`{"\ud83d\ude00":"\ud83d\ude00","a":1}`, "a", `2`, `{"\ud83d\ude00":"\ud83d\ude00","a":2}`},
		{`["\ud83d\ude00", "\ud83d\ude00", "x"]`, "[1]", `"y"`, `["\ud83d\ude00", "y", "x"]`},
		{`{"a":1}`, "a", `"x"`, `{"a":"x"}`},
		{`{"a":1}`, "", `{"b":1}`, `{"b":1}`},
		{`{"a":1}`, "a", `"it's"`, `{"a":"it's"}`},
		{`{"a":null,"b":[true]}`, "b[1]", `"<&>"`, `{"a":null,"b":[true, "<&>"]}`},
		{`{"a":"x"}`, "a", `"a\nb"`, `{"a":"a\nb"}`},
		{`{}`, "a", `{"b":["c"]}`, `{"a":{"b":["c"]}}`},
		{`["a"]`, "[0]", `"null"`, `["null"]`},
		{`"a"`, "", `"b"`, `"b"`},
		{`{"a":1,"b":2}`, "a", "", `{"b":2}`},
		{lines, "d", `"z"`, strings.Replace(lines, "{}\n", "{},\n  \"d\": \"z\"\n", 1)},
		{lines, "b[2]", `"z"`, strings.Replace(lines, "\"y\"\n", "\"y\",\n    \"z\"\n", 1)},
		{lines, "b[0]", "", strings.Replace(lines, "    1,\n", "", 1)},
		{lines, "c", "", strings.Replace(lines, ",\n  \"c\": {}", "", 1)},
		{lines, "c.d", `"z"`, strings.Replace(lines, "{}\n", "{\"d\":\"z\"}\n", 1)},
	} {
		c := yaml.Change{Path: tt.path, Value: []byte(tt.value)}
		if tt.value == "" {
			c.Value = nil
		}
		got, err := yaml.Edit([]byte(tt.in), c)
		if err != nil || string(got) != tt.want || !json.Valid(got) {
			t.Errorf("%s of %q: got %q, %v, want %q", tt.path, tt.in, got, err, tt.want)
		}
		crlf := strings.ReplaceAll(tt.in, "\n", "\r\n")
		want := strings.ReplaceAll(tt.want, "\n", "\r\n")
		if got, err = yaml.Edit([]byte(crlf), c); err != nil || string(got) != want {
			t.Errorf("%s of %q: got %q, %v, want %q", tt.path, crlf, got, err, want)
		}
	}
}

// TestEditJSONWithinMemory checks that characters in the strings of a JSON text do not count as if
// they were comments, mappings and keys.
func TestEditJSONWithinMemory(t *testing.T) {
	t.Parallel()
	for _, lines := range []string{"", "\n"} {
		text := `{"a":[` + strings.Repeat(`"#1",`+lines, 10_000) + `"{a, b, c: #"]}`
		got, err := yaml.Edit([]byte(text), yaml.Change{Path: "a[10000]", Value: []byte("2")})
		if want := strings.Replace(text, `"{a, b, c: #"`, "2", 1); string(got) != want || err != nil {
			t.Errorf("%q between elements: got %d bytes, %.200v", lines, len(got), err)
		}
	}
}

var likeComment = regexp.MustCompile(`(?m)(^|[ \t])#`)

// FuzzEdit checks that a text is refused, or comes out with nothing changed but the value, and with
// all of its comments.
func FuzzEdit(f *testing.F) {
	for _, path := range []string{
		"spec.cores", "metadata.labels.app", "spec.disks[1]", "spec.disks[2].x", "spec.args[1]", "a.b.c",
	} {
		f.Add(edited, path, `{"x":["1",{"y":"a\nb"}]}`)
		f.Add(edited, path, `null`)
		f.Add(edited, path, "")
	}
	f.Add(edited, "", `{"spec":{"disk":{"cores":4,"script":"# no comment\nrun\n"},"args":["splash","quiet"]}}`)
	f.Add("# c\n", "a.b", "1")
	f.Add("a: &a [1]\nb: *a\nc: {<<: {d: 1}}\n", "c.d", "2")
	f.Add(`{"a": {"b": ["x", null]}}`, "a.b[2]", `"y"`)
	f.Add("a: &it's 1\r\nb: 2 # c\r\n", "b", `"x\\ny"`)
	f.Add("- - a: 1\n    b: 'x''y'\n- ? z\n", "[0][0].b", "2")
	f.Fuzz(func(t *testing.T, text, path, value string) {
		c := yaml.Change{Path: path, Value: []byte(value)}
		if value == "" {
			c.Value = nil
		}
		out, err := yaml.Edit([]byte(text), c)
		if err != nil {
			return
		}
		comments := func(text string) int { return len(likeComment.FindAllString(text, -1)) }
		if comments(string(out)) < comments(text)-strings.Count(text, `"`)-strings.Count(text, "'")-
			strings.Count(text, "|")-strings.Count(text, ">")-strings.Count(text, ":") {
			t.Errorf("%q became %q, with fewer comments", text, out)
		}
		if json.Valid([]byte(text)) && !json.Valid(out) {
			t.Errorf("%q is JSON, and %q is not", text, out)
		}
		again, err := yaml.Edit(out, c)
		if c.Value == nil {
			return
		}
		if err != nil || string(again) != string(out) {
			t.Errorf("%q became %q and then %q, %v", text, out, again, err)
		}
	})
}

// TestEditNumbers checks that numbers may be written in every way that JSON has.
func TestEditNumbers(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		"1.50": "a: 1.5\n", "1.0": "a: 1\n", "1e3": "a: 1000\n", "-0": "a: 0\n", " 7 ": "a: 7\n",
		"12345678901234567890123": "a: 12345678901234567890123\n",
	} {
		got, err := yaml.Edit([]byte("a: 5\n"), yaml.Change{Path: "a", Value: []byte(value)})
		if string(got) != want || err != nil {
			t.Errorf("%s: got %q, %v, want %q", value, got, err, want)
		}
	}
	for _, value := range []string{"2 3", `2,"b":3`, "2}", ""} {
		got, err := yaml.Edit([]byte("a: 5\n"), yaml.Change{Path: "a", Value: []byte(value)})
		if _, ok := errors.AsType[*yaml.EditError](err); !ok {
			t.Errorf("%q: got %q, %v, want an EditError", value, got, err)
		}
	}
}

// TestEditManyComments checks that the time for comments does not grow with the square of their
// number.
func TestEditManyComments(t *testing.T) {
	t.Parallel()
	comments := strings.Repeat("#\n", 300_000)
	took := cputime.Of(func() {
		got, err := yaml.Edit([]byte("a: 5\n"+comments), yaml.Change{Path: "a", Value: []byte("6")})
		if err != nil || string(got) != "a: 6\n"+comments {
			t.Errorf("%d bytes, %v", len(got), err)
		}
	})
	if took > 30*time.Second { // looking for each one among all others takes minutes
		t.Errorf("took %v", took)
	}
}

// TestEditBytesOfUTF16 checks that a document that begins like a text in UTF-16 is an error in a
// text in UTF-8.
func TestEditBytesOfUTF16(t *testing.T) {
	t.Parallel()
	for _, mark := range []string{"\xff\xfe", "\xfe\xff"} {
		text := "a: 1\n...\n" + mark + "a\x00:\x00 \x001\x00"
		got, err := yaml.Edit([]byte(text), yaml.Change{Document: 1, Path: "a", Value: []byte("2")})
		if err == nil || got != nil {
			t.Errorf("%q: got %q, %v, want an error", text, got, err)
		}
	}
}
