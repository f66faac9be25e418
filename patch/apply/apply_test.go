package apply_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/askind/askind/internal/cputime"
	"github.com/askind/askind/patch/apply"
	"github.com/askind/askind/patch/structure"
	"github.com/askind/askind/schema"
)

// web is the structure of a kind with a field of each sort.
var web = func() *structure.Type {
	port := &structure.Type{Kind: structure.Struct, Fields: []structure.Field{
		{Name: "protocol", Type: &structure.Type{Kind: structure.Scalar}, Default: `"TCP"`},
	}}
	container := &structure.Type{Kind: structure.Struct, Fields: []structure.Field{
		{Name: "ports", Type: &structure.Type{Kind: structure.List, Elem: port, Keys: []string{"port", "protocol"}}},
	}}
	spec := &structure.Type{Kind: structure.Struct, Fields: []structure.Field{
		{Name: "args", Type: &structure.Type{Kind: structure.List}},
		{Name: "containers", Type: &structure.Type{Kind: structure.List, Elem: container, Keys: []string{"name"}}},
		{Name: "hosts", Type: &structure.Type{Kind: structure.List, Keys: []string{"zone"}, Elem: &structure.Type{
			Kind: structure.Struct, Fields: []structure.Field{{Name: "zone", Default: `"a"`}},
		}}},
		{Name: "raw", Type: &structure.Type{Atomic: true}},
		{Name: "selector", Type: &structure.Type{Kind: structure.Map, Atomic: true}},
		{Name: "spare", Type: &structure.Type{Kind: structure.Map}},
		{Name: "words", Type: &structure.Type{Kind: structure.List, Set: true}},
	}}
	meta := &structure.Type{Kind: structure.Struct, Fields: []structure.Field{
		{Name: "annotations", Type: &structure.Type{Kind: structure.Map}},
		{Name: "finalizers", Type: &structure.Type{Kind: structure.List, Set: true}},
		{Name: "labels", Type: &structure.Type{Kind: structure.Map}},
	}}
	return &structure.Type{Kind: structure.Struct, Fields: []structure.Field{
		{Name: "metadata", Type: meta}, {Name: "spec", Type: spec}, {
			Name: "status",
			Type: &structure.Type{Kind: structure.Struct},
		},
	}}
}()

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// doc returns a Web with a spec, and perhaps managed fields.
func doc(spec string, managers ...string) []byte {
	meta := `{"name":"w","uid":"1"`
	if len(managers) > 0 {
		meta += `,"managedFields":[` + strings.Join(managers, ",") + `]`
	}
	return []byte(`{"apiVersion":"v1","kind":"Web","metadata":` + meta + `},"spec":` + spec + `}`)
}

// config returns a configuration.
func config(spec string) []byte {
	return []byte(`{"apiVersion":"v1","kind":"Web","metadata":{"name":"w"},"spec":` + spec + `}`)
}

// by returns an entry of managedFields, written at noon.
func by(name, operation, fields string) string {
	return `{"manager":"` + name + `","operation":"` + operation +
		`","apiVersion":"v1","time":"2026-01-02T12:00:00Z","fieldsType":"FieldsV1","fieldsV1":` + fields + `}`
}

// later is by for an entry that was written an hour later.
func later(name, operation, fields string) string {
	return strings.Replace(by(name, operation, fields), "T12", "T13", 1)
}

// undated is by for an entry without a time: its manager has not changed the object.
func undated(name, operation, fields string) string {
	return strings.Replace(by(name, operation, fields), `"time":"2026-01-02T12:00:00Z",`, "", 1)
}

// element returns the set of some fields of the container a.
func element(fields string) string {
	return `{"f:spec":{"f:containers":{"k:{\"name\":\"a\"}":` + fields + `}}}`
}

func updater() *apply.Updater {
	return apply.New(apply.Options{Structure: func(string) *structure.Type { return web }})
}

func request(manager string) apply.Request {
	return apply.Request{Manager: manager, APIVersion: "v1", Time: noon.Add(time.Hour)}
}

// sameAs fails unless a text is the same JSON as another one.
func sameAs(t *testing.T, got, want []byte) {
	t.Helper()
	var a, b any
	if err := json.Unmarshal(got, &a); err != nil {
		t.Fatalf("%v: %s", err, got)
	}
	if err := json.Unmarshal(want, &b); err != nil {
		t.Fatalf("%v: %s", err, want)
	}
	if !reflect.DeepEqual(a, b) {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

func TestApply(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name         string
		live, config []byte
		want         []byte
	}{
		{
			"a field of an object that has no managers",
			doc(`{"a":1}`), config(`{"b":2}`),
			doc(`{"a":1,"b":2}`, later("m", "Apply", `{"f:spec":{"f:b":{}}}`), later("before-first-apply", "Update",
				`{"f:spec":{".":{},"f:a":{}}}`)),
		},
		{
			"a field that the manager no longer applies goes",
			doc(`{"a":1,"b":2}`, by("m", "Apply", `{"f:spec":{"f:a":{},"f:b":{}}}`)), config(`{"b":2}`),
			doc(`{"b":2}`, later("m", "Apply", `{"f:spec":{"f:b":{}}}`)),
		},
		{
			"a field that others manage too stays",
			doc(`{"a":1,"b":2}`, by("m", "Apply", `{"f:spec":{"f:a":{},"f:b":{}}}`),
				by("n", "Apply", `{"f:spec":{"f:a":{}}}`)), config(`{"b":2}`),
			doc(`{"a":1,"b":2}`, by("m", "Apply", `{"f:spec":{"f:b":{}}}`), by("n", "Apply", `{"f:spec":{"f:a":{}}}`)),
		},
		{
			"the same value of another manager is shared",
			doc(`{"a":1}`, by("n", "Apply", `{"f:spec":{"f:a":{}}}`)), config(`{"a":1}`),
			doc(`{"a":1}`, undated("m", "Apply", `{"f:spec":{"f:a":{}}}`), by("n", "Apply", `{"f:spec":{"f:a":{}}}`)),
		},
		{
			"elements are merged by their keys, with the defaults of keys",
			doc(`{"containers":[{"name":"a","ports":[{"port":80,"protocol":"TCP","x":1}]},{"name":"b"}]}`,
				by("n", "Update", `{"f:spec":{"f:x":{}}}`)),
			config(`{"containers":[{"name":"a","ports":[{"port":80,"y":2}]}]}`),
			doc(`{"containers":[{"name":"a","ports":[{"port":80,"protocol":"TCP","x":1,"y":2}]},{"name":"b"}]}`,
				later(
					"m", "Apply", `{"f:spec":{"f:containers":{"k:{\"name\":\"a\"}":{".":{},"f:name":{},"f:ports":{"k:{\"port\":80,\"protocol\":\"TCP\"}":{".":{},"f:port":{},"f:y":{}}}}}}}`,
				),
				by("n", "Update", `{"f:spec":{"f:x":{}}}`)),
		},
		{
			"an element that the manager no longer applies goes",
			doc(`{"containers":[{"name":"a"},{"name":"b"}]}`,
				by(
					"m", "Apply", `{"f:spec":{"f:containers":{"k:{\"name\":\"a\"}":{".":{},"f:name":{}},"k:{\"name\":\"b\"}":{".":{},"f:name":{}}}}}`,
				)),
			config(`{"containers":[{"name":"b"}]}`),
			doc(`{"containers":[{"name":"b"}]}`,
				later("m", "Apply", `{"f:spec":{"f:containers":{"k:{\"name\":\"b\"}":{".":{},"f:name":{}}}}}`)),
		},
		{
			"sets are merged, atomic lists and maps are replaced",
			doc(`{"words":["a"],"args":["x"],"selector":{"p":"1"}}`, by("n", "Update", `{"f:spec":{"f:z":{}}}`)),
			config(`{"words":["b"],"args":["y"],"selector":{"q":"2"}}`),
			doc(`{"words":["a","b"],"args":["y"],"selector":{"q":"2"}}`,
				later("m", "Apply", `{"f:spec":{"f:args":{},"f:selector":{},"f:words":{"v:\"b\"":{}}}}`), by("n",
					"Update", `{"f:spec":{"f:z":{}}}`)),
		},
		{
			"what a manager has updated it can apply as well",
			doc(`{"a":1}`, by("m", "Update", `{"f:spec":{"f:a":{}}}`)), config(`{"a":1}`),
			doc(`{"a":1}`, undated("m", "Apply", `{"f:spec":{"f:a":{}}}`), by("m", "Update", `{"f:spec":{"f:a":{}}}`)),
		},
		{
			"a struct that the manager no longer applies is removed, with its unmanaged fields",
			doc(`{"a":1,"b":2}`, by("m", "Apply", `{"f:spec":{"f:a":{}}}`)),
			[]byte(`{"apiVersion":"v1","kind":"Web","metadata":{"name":"w"}}`),
			[]byte(`{"apiVersion":"v1","kind":"Web","metadata":{"name":"w","uid":"1"}}`),
		},
		{
			"the elements take the order of the configuration",
			doc(`{"words":["a","b","c"]}`, by("m", "Apply", `{"f:spec":{"f:words":{"v:\"a\"":{},"v:\"b\"":{}}}}`)),
			config(`{"words":["b","a"]}`),
			doc(`{"words":["b","c","a"]}`, later("m", "Apply", `{"f:spec":{"f:words":{"v:\"a\"":{},"v:\"b\"":{}}}}`)),
		},
		{
			"long numbers are different elements",
			doc(`{"words":[1]}`, by("n", "Update", `{"f:spec":{"f:z":{}}}`)),
			config(`{"words":[9007199254740993,9007199254740992]}`),
			doc(`{"words":[1,9007199254740993,9007199254740992]}`,
				later("m", "Apply", `{"f:spec":{"f:words":{"v:9007199254740992":{},"v:9007199254740993":{}}}}`),
				by("n", "Update", `{"f:spec":{"f:z":{}}}`)),
		},
		{
			"managed fields with keys in other orders and layouts",
			doc(`{"containers":[{"name":"a","ports":[{"port":80,"protocol":"TCP","x":1},{"port":443}]}]}`,
				by("m", "Apply", `{"f:spec":{"f:containers":{"k:{ \"name\":\"a\"}":{".":{},"f:name":{},"f:ports":{`+
					`"k:{\"protocol\":\"TCP\",\"port\":80}":{".":{},"f:port":{},"f:protocol":{}},`+
					`"k:{\"port\":80,\"protocol\":\"TCP\"}":{"f:x":{}},`+
					`"k:{\"port\":443,\"protocol\":\"TCP\"}":{".":{},"f:port":{}}}}}}}`),
				by("n", "Update", `{"f:spec":{"f:containers":{"k:{ \"name\":\"a\"}":{"f:x":{}}}}}`)),
			config(`{"containers":[{"name":"a","ports":[{"port":80}]}]}`),
			doc(`{"containers":[{"name":"a","ports":[{"port":80}]}]}`,
				later("m", "Apply", `{"f:spec":{"f:containers":{"k:{\"name\":\"a\"}":{".":{},"f:name":{},"f:ports":{`+
					`"k:{\"port\":80,\"protocol\":\"TCP\"}":{".":{},"f:port":{}}}}}}}`),
				by("n", "Update", `{"f:spec":{"f:containers":{"k:{\"name\":\"a\"}":{"f:x":{}}}}}`)),
		},
		{
			"managed fields in values that are replaced as a whole become those values",
			doc(`{"args":["x"],"selector":{"p":"1"}}`,
				by("n", "Update", `{"f:spec":{"f:args":{"v:\"x\"":{}},"f:selector":{"f:p":{}}}}`)),
			config(`{"a":1}`),
			doc(`{"args":["x"],"selector":{"p":"1"},"a":1}`, later("m", "Apply", `{"f:spec":{"f:a":{}}}`),
				by("n", "Update", `{"f:spec":{"f:args":{},"f:selector":{}}}`)),
		},
		{
			"and those in a value that is now any JSON", doc(`{"raw":{"p":1}}`, by("n", "Update",
				`{"f:spec":{"f:raw":{".":{},"f:p":{}}}}`)), config(`{"a":1}`),
			doc(`{"raw":{"p":1},"a":1}`, later("m", "Apply", `{"f:spec":{"f:a":{}}}`),
				by("n", "Update", `{"f:spec":{"f:raw":{}}}`)),
		},
		{
			"an object in an unknown field is a field itself", doc(`{}`, by("m", "Apply", `{"f:spec":{"f:b":{}}}`)),
			config(`{"x":{"y":1}}`),
			doc(`{"x":{"y":1}}`, later("m", "Apply", `{"f:spec":{"f:x":{".":{},"f:y":{}}}}`)),
		},
		{
			"a part of an object in an unknown field goes",
			doc(`{"x":{"y":1,"z":2}}`, by("m", "Apply", `{"f:spec":{"f:x":{"f:y":{}}}}`)), config(`{"a":1}`),
			doc(`{"x":{"z":2},"a":1}`, later("m", "Apply", `{"f:spec":{"f:a":{}}}`)),
		},
		{
			"fields of an element that another manager has: its key stays",
			doc(`{"containers":[{"name":"a","x":1}]}`, by("n", "Apply", element(`{".":{}}`)),
				by("m", "Apply", element(`{"f:name":{},"f:x":{}}`))),
			config(`{"a":1}`),
			doc(`{"containers":[{"name":"a"}],"a":1}`, by("n", "Apply", element(`{}`)),
				later("m", "Apply", `{"f:spec":{"f:a":{}}}`)),
		},
		{
			"an element that the defaults of its keys identify",
			doc(`{"hosts":[{"x":1}]}`, by("n", "Apply", `{"f:spec":{"f:hosts":{"k:{\"zone\":\"a\"}":{".":{}}}}}`),
				by("m", "Apply", `{"f:spec":{"f:hosts":{"k:{\"zone\":\"a\"}":{"f:x":{}}}}}`)),
			config(`{"a":1}`),
			doc(`{"hosts":[{}],"a":1}`, by("n", "Apply", `{"f:spec":{"f:hosts":{"k:{\"zone\":\"a\"}":{}}}}`),
				later("m", "Apply", `{"f:spec":{"f:a":{}}}`)),
		},
		{
			"what has not the structure of its type is replaced as a whole",
			doc(`{"words":[{"x":1}],"containers":{"x":1}}`, by("n", "Update", `{"f:spec":{"f:z":{}}}`)),
			config(`{"words":["a"],"containers":[{"name":"a"}]}`),
			doc(`{"words":["a"],"containers":[{"name":"a"}]}`,
				later("m", "Apply", `{"f:spec":{"f:containers":{"k:{\"name\":\"a\"}":{".":{},"f:name":{}}},"f:words":{"v:\"a\"":{}}}}`),
				by("n", "Update", `{"f:spec":{"f:z":{}}}`)),
		},
		{
			"or kept, if the configuration does not name it",
			doc(`{"words":[null],"containers":[{"x":1}],"a":1}`, by("m", "Apply", `{"f:spec":{"f:a":{}}}`)), config(`{}`),
			doc(`{"words":[null],"containers":[{"x":1}]}`, later("m", "Apply", `{"f:spec":{}}`)),
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			u := updater()
			got, err := u.Apply(tt.live, tt.config, request("m"))
			if err != nil {
				t.Fatal(err)
			}
			sameAs(t, got, tt.want)
			again, err := u.Apply(got, tt.config, apply.Request{
				Manager: "m", APIVersion: "v1",
				Time: noon.Add(2 * time.Hour),
			})
			if string(again) != string(got) || err != nil {
				t.Errorf("the second time: %v\n got %s\nwant %s", err, again, got)
			}
		})
	}
}

func TestConflicts(t *testing.T) {
	t.Parallel()
	scale := strings.TrimSuffix(by("edit", "Update", `{"f:spec":{"f:a":{}}}`), "}") + `,"subresource":"scale"}`
	live := doc(`{"a":1,"containers":[{"name":"c","image":"x"}]}`,
		by("other", "Apply", `{"f:spec":{"f:a":{},"f:containers":{"k:{\"name\":\"c\"}":{"f:image":{}}}}}`), scale)
	change := config(`{"a":2,"containers":[{"name":"c","image":"y"}]}`)
	_, err := updater().Apply(live, change, request("m"))
	e, ok := errors.AsType[*apply.ConflictError](err)
	if !ok {
		t.Fatalf("got %v", err)
	}
	want := "Apply failed with 3 conflicts: conflicts with \"edit\" with subresource \"scale\" using v1:\n- .spec.a\nconflicts with \"other\":\n- .spec.a\n- .spec.containers[name=\"c\"].image"
	if e.Error() != want {
		t.Errorf("got %s\nwant %s", e, want)
	}
	s := e.Status().Status
	if s.Code != 409 || s.Reason != "Conflict" || len(s.Details.Causes) != 3 ||
		s.Details.Causes[0].Type != "FieldManagerConflict" ||
		s.Details.Causes[0].Message != `conflict with "edit" with subresource "scale" using v1` || s.Details.Causes[0].Field != ".spec.a" {
		t.Errorf("got %+v %+v", s, s.Details)
	}

	r := request("m")
	r.Force = true
	got, err := updater().Apply(live, change, r)
	if err != nil {
		t.Fatal(err)
	}
	sameAs(
		t, got, doc(`{"a":2,"containers":[{"name":"c","image":"y"}]}`,
			later(
				"m", "Apply", `{"f:spec":{"f:a":{},"f:containers":{"k:{\"name\":\"c\"}":{".":{},"f:image":{},"f:name":{}}}}}`,
			)),
	)
}

// TestConflictOrder has one manager apply in two versions, the later one to a subresource. Versions
// do not count in the order.
func TestConflictOrder(t *testing.T) {
	t.Parallel()
	status := strings.Replace(by("x", "Apply", `{"f:spec":{"f:a":{}}}`), `"v1"`, `"v2","subresource":"status"`, 1)
	u := apply.New(apply.Options{Convert: func(doc []byte, version string) ([]byte, error) {
		return bytes.Replace(doc, []byte(`"v1"`), []byte(`"`+version+`"`), 1), nil
	}})
	_, err := u.Apply(doc(`{"a":1,"b":1}`, by("x", "Apply", `{"f:spec":{"f:b":{}}}`), status), config(`{"a":2,"b":2}`),
		request("m"))
	want := "Apply failed with 2 conflicts: conflicts with \"x\" with subresource \"status\":\n- .spec.a\n" +
		"conflicts with \"x\":\n- .spec.b"
	if err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
}

// TestConflictsAfterChanges sets fields when other managers own parts of them that no longer exist,
// because the structure has changed.
func TestConflictsAfterChanges(t *testing.T) {
	t.Parallel()
	live := doc(`{"containers":{"x":1},"words":[{"name":"w"}],"hosts":["h"],"spare":[1]}`, by("n", "Apply",
		`{"f:spec":{"f:containers":{"f:x":{}},"f:words":{"k:{\"name\":\"w\"}":{".":{},"f:name":{}}},`+
			`"f:hosts":{"v:\"h\"":{}},"f:spare":{"v:1":{}}}}`))
	change := config(`{"containers":[{"name":"a"}],"words":["w"],"hosts":[{"zone":"b"}],"spare":{"a":1}}`)
	_, err := updater().Apply(live, change, request("m"))
	want := "Apply failed with 4 conflicts: conflicts with \"n\":\n- .spec.containers\n- .spec.hosts\n- .spec.spare\n- .spec.words"
	if fmt.Sprint(err) != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
	r := request("m")
	r.Force = true
	if got, err := updater().Apply(live, change, r); err != nil || bytes.Contains(got, []byte(`"manager":"n"`)) {
		t.Errorf("got %s, %v", got, err)
	}
}

// TestConflictPaths checks that conflicts name elements in Go syntax, as in Kubernetes.
func TestConflictPaths(t *testing.T) {
	t.Parallel()
	live := doc(`{"containers":[{"name":"<c>\u007f","image":"x"}],"words":["a&b","a&b",1.5,1.5]}`, by("other", "Apply",
		`{"f:spec":{"f:containers":{"k:{\"name\":\"<c>\u007f\"}":{"f:image":{}}},"f:words":{"v:\"a&b\"":{},"v:1.5":{}}}}`))
	_, err := updater().Apply(live, config(`{"containers":[{"name":"<c>\u007f","image":"y"}],"words":["a&b",1.5]}`),
		request("m"))
	want := "Apply failed with 3 conflicts: conflicts with \"other\":\n- .spec.containers[name=\"<c>\\x7f\"].image\n" +
		"- .spec.words[=1.5]\n- .spec.words[=\"a&b\"]"
	if fmt.Sprint(err) != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
}

// TestManyConflicts checks that a Status is bounded, however many fields are in conflict.
func TestManyConflicts(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("n", 100)
	fields, values := []string{}, []string{}
	for i := range 3000 {
		fields = append(fields, fmt.Sprintf(`"f:%s%d":{}`, long, i))
		values = append(values, fmt.Sprintf(`"%s%d":2`, long, i))
	}
	fields = append(fields, `"f:`+strings.Repeat("a", 5000)+`":{}`)
	values = append(values, `"`+strings.Repeat("a", 5000)+`":2`)
	owned := `{"f:spec":{` + strings.Join(fields, ",") + `}}`
	live := doc(strings.ReplaceAll("{"+strings.Join(values, ",")+"}", ":2", ":1"), by("other", "Apply", owned))
	_, err := updater().Apply(live, config("{"+strings.Join(values, ",")+"}"), request("m"))
	e, ok := errors.AsType[*apply.ConflictError](err)
	if !ok || len(e.Conflicts) != 3001 {
		t.Fatalf("got %.200v", err)
	}
	s := e.Status().Status
	causes := s.Details.Causes
	if len(causes) != 101 || causes[100].Message != "and 2901 more conflicts" ||
		causes[100].Type != "FieldManagerConflict" || causes[100].Field != "" || causes[99].Field == "" {
		t.Errorf("%d causes, the last %+v", len(causes), causes[len(causes)-1])
	}
	for _, c := range causes {
		if len(c.Field) > 1<<10 || len(c.Message) > 1<<10 {
			t.Errorf("a cause has a field of %d bytes and a message of %d", len(c.Field), len(c.Message))
		}
	}
	if len(s.Message) > 16<<10 {
		t.Errorf("the message has %d bytes", len(s.Message))
	}
}

// TestConflictsBelowLongName checks that the paths of conflicts are bounded, which repeat the name
// of a map for each of its members.
func TestConflictsBelowLongName(t *testing.T) {
	t.Parallel()
	var members []string
	for i := range 5000 {
		members = append(members, `"m`+strconv.Itoa(i)+`":1`)
	}
	spec := `{"` + strings.Repeat("n", 500_000) + `":{` + strings.Join(members, ",") + `}}`
	live, err := updater().Apply(doc(`{}`), config(spec), request("other"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = updater().Apply(live, config(strings.ReplaceAll(spec, ":1", ":2")), request("m"))
	e, ok := errors.AsType[*apply.ConflictError](err)
	if !ok || len(e.Conflicts) != 5000 || e.Conflicts[4999].Path != "" {
		t.Fatalf("got %.200v", err)
	}
	const start, end = "Apply failed with 5000 conflicts: conflicts with \"other\":\n- .spec.nnn", "n…\n- and 3976 more"
	if text := e.Error(); len(text) > 2<<20 || !strings.HasPrefix(text, start) || !strings.HasSuffix(text, end) {
		t.Errorf("got %d bytes: %.200s", len(text), text)
	}
	if c := e.Status().Status.Details.Causes; len(c) != 101 || c[100].Message != "and 4900 more conflicts" {
		t.Errorf("got %d causes", len(c))
	}
}

// applied returns a Web that kubectl has applied on the client's side, with the configuration that
// it recorded.
func applied(config []byte, spec string, managers ...string) []byte {
	managers = append(managers, by("kubectl-client-side-apply", "Update", `{"f:spec":{"f:a":{},"f:b":{}}}`))
	return bytes.Replace(doc(spec, managers...), []byte(`"uid":"1"`), []byte(`"uid":"1","annotations":{"`+
		apply.LastAppliedAnnotation+`":`+strconv.Quote(string(config))+`}`), 1)
}

func TestClientSideApplyMoves(t *testing.T) {
	t.Parallel()
	last := config(`{"a":1,"b":1}`)
	long := func(n int) []byte { return config(`{"a":2,"b":"` + strings.Repeat("b", n) + `"}`) }
	for _, tt := range []struct {
		name         string
		live, config []byte
		recorded     string // in the annotation, blank if it is removed
	}{
		{
			"fields with the values of the client", applied(last, `{"a":1,"b":1}`), config(`{"a":2,"b":1}`),
			`{"apiVersion":"v1","kind":"Web","metadata":{"name":"w"},"spec":{"a":2,"b":1}}` + "\n",
		},
		{
			"a field that kubectl applied on the server and no longer applies",
			applied(last, `{"a":1,"b":1,"c":1}`, by("kubectl", "Apply", `{"f:spec":{"f:c":{}}}`)),
			config(`{"a":2,"b":1}`),
			`{"apiVersion":"v1","kind":"Web","metadata":{"name":"w"},"spec":{"a":2,"b":1}}` + "\n",
		},
		{
			"the record itself is not recorded", applied(last, `{"a":1,"b":1}`),
			bytes.Replace(config(`{"a":2,"b":1}`), []byte(`"name":"w"`), []byte(`"annotations":{"`+
				apply.LastAppliedAnnotation+`":"{}"},"name":"w"`), 1),
			`{"apiVersion":"v1","kind":"Web","metadata":{"annotations":{},"name":"w"},"spec":{"a":2,"b":1}}` + "\n",
		},
		{
			"a long configuration", applied(long(200_000), `{"a":2,"b":"`+strings.Repeat("b", 200_000)+`"}`),
			long(200_001), string(long(200_001)) + "\n",
		},
		{"one that is longer than annotations may be", applied(last, `{"a":1,"b":1}`), long(256 << 10), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := updater().Apply(tt.live, tt.config, request("kubectl"))
			if err != nil {
				t.Fatal(err)
			}
			var out, want struct {
				Metadata struct{ Annotations map[string]string }
				Spec     map[string]any
			}
			if err := errors.Join(json.Unmarshal(got, &out), json.Unmarshal(tt.config, &want)); err != nil {
				t.Fatal(err)
			}
			if recorded := out.Metadata.Annotations[apply.LastAppliedAnnotation]; recorded != tt.recorded ||
				!reflect.DeepEqual(out.Spec, want.Spec) {
				t.Errorf("got %.1000s", got)
			}
		})
	}
}

// TestClientSideApplyKeepsOthers makes the requests of kubectl apply --server-side for an object
// that it has applied on the client's side: it joins the fields of the manager of the annotation
// with its own, and applies again.
func TestClientSideApplyKeepsOthers(t *testing.T) {
	t.Parallel()
	u := apply.New(apply.Options{Policy: apply.FromFirstApply})
	for _, tt := range []struct{ name, last, client, rest string }{
		{
			"of the same version", string(config(`{"a":1,"b":1,"c":1}`)),
			`{"f:metadata":{"f:annotations":{".":{},"f:` + apply.LastAppliedAnnotation + `":{}}},` +
				`"f:spec":{".":{},"f:a":{},"f:c":{}}}`,
			`{"f:metadata":{"f:finalizers":{}},"f:spec":{"f:b":{},"f:d":{}}}`,
		},
		{
			"of another version", strings.Replace(string(config(`{"a":1}`)), `"v1"`, `"v0"`, 1),
			`{"f:metadata":{"f:annotations":{".":{},"f:` + apply.LastAppliedAnnotation + `":{}}}}`,
			`{"f:metadata":{"f:finalizers":{}},"f:spec":{".":{},"f:a":{},"f:b":{},"f:c":{},"f:d":{}}}`,
		},
	} {
		live := bytes.Replace(doc(`{"a":1,"b":2,"c":1,"d":1}`), []byte(`"uid":"1"`), []byte(`"uid":"1","annotations":{"`+
			apply.LastAppliedAnnotation+`":`+strconv.Quote(tt.last)+`},"finalizers":["x.example.com/y"]`), 1)
		got, err := u.Apply(live, config(`{"a":1}`), request("kubectl"))
		if err != nil {
			t.Fatal(err)
		}
		var out struct {
			Metadata struct {
				Finalizers    []string
				ManagedFields []struct {
					Manager  string
					FieldsV1 json.RawMessage
				}
			}
			Spec map[string]int
		}
		if err := json.Unmarshal(got, &out); err != nil {
			t.Fatal(err)
		}
		fields := map[string]string{}
		for _, m := range out.Metadata.ManagedFields {
			fields[m.Manager] = string(m.FieldsV1)
		}
		if client, rest := fields["kubectl-client-side-apply"], fields["before-first-apply"]; client != tt.client ||
			rest != tt.rest {
			t.Errorf("%s: kubectl-client-side-apply has %s and before-first-apply %s", tt.name, client, rest)
		}
		// kubectl's patch of the managed fields, and its second apply.
		joined := strings.Replace(string(got), `{"manager":"kubectl","operation":"Apply","apiVersion":"v1",`+
			`"fieldsType":"FieldsV1","fieldsV1":{"f:spec":{".":{},"f:a":{}}}},`, "", 1)
		joined = strings.Replace(joined, `"manager":"kubectl-client-side-apply","operation":"Update"`,
			`"manager":"kubectl","operation":"Apply"`, 1)
		if strings.Count(joined, `"manager":"kubectl"`) != 1 {
			t.Fatalf("%s: got %s", tt.name, got)
		}
		if got, err = u.Apply([]byte(joined), config(`{"a":1}`), request("kubectl")); err != nil {
			t.Fatal(err)
		}
		out.Spec, out.Metadata.Finalizers = nil, nil
		if err := json.Unmarshal(got, &out); err != nil {
			t.Fatal(err)
		}
		_, removed := out.Spec["c"]
		if len(out.Metadata.Finalizers) != 1 || out.Spec["b"] != 2 || out.Spec["d"] != 1 ||
			removed == strings.Contains(tt.client, "f:c") {
			t.Errorf("%s: kubectl wrote %s", tt.name, got)
		}
	}
}

func TestClientSideApplyConflicts(t *testing.T) {
	t.Parallel()
	last := config(`{"a":1,"b":1}`)
	for _, tt := range []struct {
		name    string
		live    []byte
		manager string
		paths   string
	}{
		{"a field that another client has changed", applied(last, `{"a":1,"b":3}`), "kubectl", ".spec.b"},
		{"a field that another client has removed", applied(last, `{"a":1}`), "kubectl", ".spec.b"},
		{
			"a configuration in another version", applied(bytes.Replace(last, []byte("v1"), []byte("v9"), 1),
				`{"a":1,"b":1}`), "kubectl", ".spec.a",
		},
		{"another manager", applied(last, `{"a":1,"b":1}`), "other", ".spec.a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := updater().Apply(tt.live, config(`{"a":2,"b":1}`), request(tt.manager))
			if want := "1 conflict: conflict with \"kubectl-client-side-apply\" using v1: " + tt.paths; !strings.HasSuffix(
				fmt.Sprint(err), want) {
				t.Errorf("got %v, want %s", err, want)
			}
		})
	}
}

func TestUpdate(t *testing.T) {
	t.Parallel()
	ours := by("m", "Update", `{"f:spec":{"f:a":{}}}`)
	container := by("m", "Update", `{"f:spec":{"f:containers":{"k:{\"name\":\"c\"}":{".":{},"f:name":{},"f:x":{}}}}}`)
	for _, tt := range []struct {
		name       string
		live, next []byte
		r          apply.Request
		want       []byte
	}{
		{
			"an object that is new", nil, config(`{"a":1}`), request("m"),
			[]byte(strings.Replace(string(config(`{"a":1}`)), `"name":"w"`, `"name":"w","managedFields":[`+
				later("m", "Update", `{"f:spec":{".":{},"f:a":{}}}`)+`]`, 1)),
		},
		{"nothing changes", doc(`{"a":1}`, ours), doc(`{"a":1}`, ours), request("n"), doc(`{"a":1}`, ours)},
		{
			"one more field of the same manager", doc(`{"a":1}`, ours), doc(`{"a":1,"b":2}`, ours), request("m"),
			doc(`{"a":1,"b":2}`, later("m", "Update", `{"f:spec":{"f:a":{},"f:b":{}}}`)),
		},
		{
			"nothing changes, and the client does not know managed fields", doc(`{"a":1}`, ours), doc(`{"a":1}`),
			request("n"), doc(`{"a":1}`, ours),
		},
		{
			"a field changes its manager", doc(`{"a":1}`, ours), doc(`{"a":2}`, ours), request("n"),
			doc(`{"a":2}`, later("n", "Update", `{"f:spec":{"f:a":{}}}`)),
		},
		{"a field goes", doc(`{"a":1,"b":2}`, ours), doc(`{"b":2}`, ours), request("n"), doc(`{"b":2}`)},
		{
			"a blank manager", doc(`{"a":1}`, ours), doc(`{"a":1,"b":1}`, ours), request(""),
			doc(`{"a":1,"b":1}`, ours, later("unknown", "Update", `{"f:spec":{"f:b":{}}}`)),
		},
		{"an object that nobody has managed", doc(`{"a":1}`), doc(`{"a":2}`), request("n"), doc(`{"a":2}`)},
		{
			"managers are emptied by an empty list", doc(`{"a":1}`, ours),
			[]byte(strings.Replace(string(doc(`{"a":2}`)), `"uid":"1"`, `"uid":"1","managedFields":[]`, 1)),
			request("n"), doc(`{"a":2}`),
		},
		{
			"managers are emptied by an empty entry", doc(`{"a":1}`, ours), doc(`{"a":2}`, `{}`), request("n"),
			doc(`{"a":2}`),
		},
		{
			"malformed managers do not count", doc(`{"a":1}`, ours), doc(`{"a":1}`, `{"manager":"x"}`), request("n"),
			doc(`{"a":1}`, ours),
		},
		{
			"managers that cannot be read stay", doc(`{"a":1}`, `{"manager":"x"}`), doc(`{"a":2}`, `{"manager":"x"}`),
			request("n"), doc(`{"a":2}`, `{"manager":"x"}`),
		},
		{
			"until they are removed", doc(`{"a":1}`, `{"manager":"x"}`), doc(`{"a":2}`, `{}`), request("n"),
			doc(`{"a":2}`),
		},
		{
			"clients may change managers", doc(`{"a":1}`, ours),
			doc(`{"a":1}`, by("x", "Update", `{"f:spec":{"f:a":{}}}`)), request("n"), doc(`{"a":1}`,
				by("x", "Update", `{"f:spec":{"f:a":{}}}`)),
		},
		{
			"a manager changes its field again", doc(`{"a":1}`, ours), doc(`{"a":2}`, ours), request("m"),
			doc(`{"a":2}`, later("m", "Update", `{"f:spec":{"f:a":{}}}`)),
		},
		{
			"a field that the write cannot change", doc(`{"a":1}`, ours), doc(`{"a":2}`, ours),
			apply.Request{Manager: "n", APIVersion: "v1", Time: noon.Add(time.Hour), Reset: []string{"spec"}},
			doc(`{"a":2}`, ours),
		},
		{
			"an object becomes a scalar", doc(`{"x":{"y":1}}`, ours), doc(`{"x":5}`, ours), request("n"),
			doc(`{"x":5}`, ours, later("n", "Update", `{"f:spec":{"f:x":{}}}`)),
		},
		{
			"a repeated element is repeated once more", doc(`{"words":["a","a"]}`, ours),
			doc(`{"words":["a","a","a"]}`, ours), request("n"),
			doc(`{"words":["a","a","a"]}`, ours, later("n", "Update", `{"f:spec":{"f:words":{"v:\"a\"":{}}}}`)),
		},
		{
			"an element is repeated", doc(`{"containers":[{"name":"c","x":1}]}`, container),
			doc(`{"containers":[{"name":"c","x":1},{"name":"c","x":1}]}`, container), request("n"),
			doc(`{"containers":[{"name":"c","x":1},{"name":"c","x":1}]}`,
				later("n", "Update", `{"f:spec":{"f:containers":{"k:{\"name\":\"c\"}":{}}}}`)),
		},
		{
			"a repeated element becomes unique", doc(`{"containers":[{"name":"c","x":1},{"name":"c","x":1}]}`, container),
			doc(`{"containers":[{"name":"c","x":1}]}`, container), request("n"),
			doc(`{"containers":[{"name":"c","x":1}]}`,
				later("n", "Update", `{"f:spec":{"f:containers":{"k:{\"name\":\"c\"}":{".":{},"f:name":{},"f:x":{}}}}}`)),
		},
		{
			"an element without keys: the list is replaced as a whole", doc(`{"a":1}`, ours),
			doc(`{"a":2,"containers":[{"image":"x"}]}`, ours), request("n"),
			doc(`{"a":2,"containers":[{"image":"x"}]}`, later("n", "Update", `{"f:spec":{"f:a":{},"f:containers":{}}}`)),
		},
		{
			"a subresource", doc(`{"a":1}`, ours), []byte(
				strings.Replace(string(doc(`{"a":1}`, by("x", "Update", `{"f:y":{}}`))), `"spec"`,
					`"status":{"s":1},"spec"`, 1),
			),
			apply.Request{
				Manager: "m", APIVersion: "v1", Subresource: "status", Time: noon.Add(time.Hour),
				Reset: []string{"spec"},
			},
			[]byte(
				strings.Replace(
					string(
						doc(`{"a":1}`, ours, strings.TrimSuffix(later("m", "Update", `{"f:status":{".":{},"f:s":{}}}`),
							"}")+`,"subresource":"status"}`),
					), `"spec"`, `"status":{"s":1},"spec"`, 1,
				),
			),
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := updater().Update(tt.live, tt.next, tt.r)
			if err != nil {
				t.Fatal(err)
			}
			sameAs(t, got, tt.want)
		})
	}
}

func TestPolicies(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		policy         apply.Policy
		create, applys string
	}{
		{apply.Always, `"m"`, `"m"`},
		{apply.FromFirstApply, ``, `"m"`},
		{apply.Never, ``, ``},
	} {
		u := apply.New(apply.Options{Policy: tt.policy})
		for name, write := range map[string]func() ([]byte, error){
			tt.create + " for an update": func() ([]byte, error) {
				return u.Update(nil, config(`{"a":1}`),
					request("m"))
			},
			tt.applys + " for an apply": func() ([]byte, error) {
				return u.Apply(nil, config(`{"a":1}`),
					request("m"))
			},
		} {
			got, err := write()
			want, _, _ := strings.Cut(name, " ")
			if err != nil || strings.Contains(string(got), `"manager":"m"`) != (want != "") {
				t.Errorf("policy %d, %s: got %s, %v", tt.policy, name, got, err)
			}
		}
	}
}

func TestVersions(t *testing.T) {
	t.Parallel()
	convert := func(doc []byte, version string) ([]byte, error) {
		from, to := `"a"`, `"b"`
		switch version {
		case "v1":
			from, to = to, from
		case "v2":
		default:
			return nil, fmt.Errorf("version %s: %w", version, apply.ErrNoVersion)
		}
		text := strings.Replace(string(doc), from+":", to+":", 1)
		for _, v := range []string{"v1", "v2"} {
			text = strings.Replace(text, `"apiVersion":"`+v+`","kind"`, `"apiVersion":"`+version+`","kind"`, 1)
		}
		return []byte(text), nil
	}
	u := apply.New(apply.Options{Convert: convert})
	in := func(version, entry string) string {
		return strings.Replace(entry, `"apiVersion":"v1"`, `"apiVersion":"`+version+`"`, 1)
	}
	live := doc(`{"a":1}`, in("v2", by("other", "Apply", `{"f:spec":{"f:b":{}}}`)),
		in("v0", by("old", "Apply", `{"f:spec":{"f:a":{}}}`)))
	_, err := u.Apply(live, config(`{"a":2}`), request("m"))
	if e, ok := errors.AsType[*apply.ConflictError](err); !ok || len(e.Conflicts) != 1 ||
		e.Conflicts[0].Manager != "other" || e.Conflicts[0].Path != ".spec.b" {
		t.Errorf("got %v", err)
	}
	got, err := u.Apply(live, config(`{"a":1}`), request("m"))
	if err != nil {
		t.Fatal(err)
	}
	sameAs(
		t, got, doc(`{"a":1}`, undated("m", "Apply", `{"f:spec":{".":{},"f:a":{}}}`),
			in("v2", by("other", "Apply", `{"f:spec":{"f:b":{}}}`))),
	)

	// The manager is the same one in all versions; others keep what it cannot change.
	live = doc(`{"a":1,"c":1}`, in("v2", by("m", "Apply", `{"f:spec":{".":{},"f:c":{}}}`)),
		in("v2", by("other", "Update", `{"f:spec":{"f:b":{}}}`)))
	if got, err = u.Apply(live, config(`{"c":1}`), request("m")); err != nil {
		t.Fatal(err)
	}
	sameAs(t, got, doc(`{"a":1,"c":1}`, by("m", "Apply", `{"f:spec":{".":{},"f:c":{}}}`),
		in("v2", by("other", "Update", `{"f:spec":{"f:b":{}}}`))))
	r := request("n")
	r.Reset = []string{"spec"}
	next := bytes.Replace(live, []byte(`"a":1`), []byte(`"a":2`), 1)
	if got, err = u.Update(live, next, r); err != nil {
		t.Fatal(err)
	}
	sameAs(t, got, next)

	// Each version has a structure of its own.
	u = apply.New(apply.Options{Convert: convert, Structure: func(version string) *structure.Type {
		if version == "v1" {
			return nil
		}
		return &structure.Type{Kind: structure.Struct, Fields: []structure.Field{
			{Name: "spec", Type: &structure.Type{Kind: structure.Map, Atomic: true}},
		}}
	}})
	if got, err = u.Apply(live, config(`{"c":1}`), request("m")); err != nil {
		t.Fatal(err)
	}
	sameAs(t, got, doc(`{"a":1,"c":1}`, by("m", "Apply", `{"f:spec":{".":{},"f:c":{}}}`),
		in("v2", by("other", "Update", `{"f:spec":{}}`))))

	// Fields of two versions may have each other's names.
	swap := strings.NewReplacer(`"a":`, `"b":`, `"b":`, `"a":`, `"v1"`, `"v2"`, `"v2"`, `"v1"`)
	u = apply.New(apply.Options{Convert: func(doc []byte, _ string) ([]byte, error) {
		return []byte(swap.Replace(string(doc))), nil
	}})
	live = doc(`{"a":1}`, in("v2", by("m", "Apply", `{"f:spec":{".":{},"f:b":{}}}`)))
	if got, err = u.Apply(live, config(`{"b":1}`), request("m")); err != nil {
		t.Fatal(err)
	}
	sameAs(t, got, doc(`{"b":1}`, later("m", "Apply", `{"f:spec":{".":{},"f:b":{}}}`)))
}

// TestConversions counts conversions to a version that several managers have, and has them fail.
func TestConversions(t *testing.T) {
	t.Parallel()
	n, failure := 0, error(nil)
	u := apply.New(apply.Options{Convert: func(doc []byte, version string) ([]byte, error) {
		n++
		return bytes.Replace(doc, []byte(`"v1"`), []byte(`"`+version+`"`), 1), failure
	}})
	var managers []string
	for _, name := range []string{"x", "y", "z"} {
		managers = append(managers, strings.Replace(by(name, "Update", `{"f:spec":{"f:a":{}}}`), `"v1"`, `"v2"`, 1))
	}
	live, next := doc(`{"a":1}`, managers...), doc(`{"a":1,"b":1}`, managers...)
	if _, err := u.Update(live, next, request("m")); err != nil || n != 3 {
		t.Errorf("%d conversions, want one that checks the version and two to compare; error %v", n, err)
	}
	failure = errors.New("unavailable")
	got, err := u.Update(live, next, request("m"))
	if err != nil {
		t.Fatal(err)
	}
	sameAs(t, got, next)
	if got, err := u.Apply(live, config(`{"b":1}`), request("m")); !errors.Is(err, failure) {
		t.Errorf("%v %s", err, got)
	}
}

func TestManyUpdaters(t *testing.T) {
	t.Parallel()
	u := updater()
	live, err := u.Update(nil, config(`{"f0":0}`), request("m0"))
	if err != nil {
		t.Fatal(err)
	}
	live = []byte(strings.Replace(string(live), `"name":"w"`, `"name":"w","uid":"1"`, 1))
	for i := 1; i < 15; i++ {
		r := request("m" + strconv.Itoa(i))
		r.Time = noon.Add(time.Duration(i+1) * time.Hour)
		next := strings.Replace(string(live), `"spec":{`, `"spec":{"f`+strconv.Itoa(i)+`":1,`, 1)
		if live, err = u.Update(live, []byte(next), r); err != nil {
			t.Fatal(err)
		}
	}
	text := string(live)
	if strings.Count(text, `"fieldsV1"`) != 10 ||
		!strings.Contains(
			text, `"manager":"ancient-changes","operation":"Update","apiVersion":"v1","time":"2026-01-02T18:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{".":{},"f:f0":{},"f:f1":{},"f:f2":{},"f:f3":{},"f:f4":{},"f:f5":{}}}`,
		) {
		t.Errorf("got %s", text)
	}
}

// TestManyManagers writes objects with as many managers as a request can name, each with a field.
// Looking for each of them among all others takes minutes.
func TestManyManagers(t *testing.T) {
	t.Parallel()
	n := 20_000
	if testing.Short() {
		n = 10_000
	}
	convert := func(doc []byte, version string) ([]byte, error) {
		if version != "v1" && version != "v2" {
			return nil, apply.ErrNoVersion
		}
		return append([]byte(`{"apiVersion":"`+version), doc[len(`{"apiVersion":"v1`):]...), nil
	}
	u := apply.New(apply.Options{Convert: convert})
	for _, tt := range []struct {
		name, operation, version string
		left                     int // managers after an update
	}{
		{"that apply", "Apply", "v1", n + 1},
		{"that apply in another version", "Apply", "v2", n + 1},
		{"that update", "Update", "v1", 10},
		{"of unknown versions", "Update", "", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			members, entries := []string{}, []string{}
			for i := range n {
				number := strconv.Itoa(n + i)
				members = append(members, `"f`+number+`":1`)
				entry := by("m"+number, tt.operation, `{"f:spec":{"f:a":{"f:f`+number+`":{}}}}`)
				entries = append(entries, strings.Replace(entry, `"v1"`, `"`+cmp.Or(tt.version, "x"+number)+`"`, 1))
			}
			spec := `{"a":{` + strings.Join(members, ",") + `}`
			live := doc(spec+`}`, append(entries, by("m", "Apply", `{"f:spec":{"f:b":{}}}`))...)
			took := cputime.Of(func() {
				got, err := u.Update(live, doc(spec+`,"b":1}`, entries...), request("editor"))
				if err != nil || bytes.Count(got, []byte(`"fieldsV1"`)) != tt.left {
					t.Errorf("update: %d managers, %v", bytes.Count(got, []byte(`"fieldsV1"`)), err)
				}
				got, err = u.Apply(live, config(`{"c":1}`), request("m"))
				if err != nil || !bytes.Contains(got, []byte(`{"f:spec":{".":{},"f:c":{}}}`)) {
					t.Errorf("apply: %d bytes, %v", len(got), err)
				}
			})
			if took > 10*time.Second {
				t.Errorf("%d managers took %v", n, took)
			}
		})
	}
}

// TestJointManagers checks which of the managers beyond the limit are joined.
func TestJointManagers(t *testing.T) {
	t.Parallel()
	convert := func(doc []byte, version string) ([]byte, error) {
		return bytes.Replace(doc, []byte(`"apiVersion":"v1"`), []byte(`"apiVersion":"`+version+`"`), 1), nil
	}
	u := apply.New(apply.Options{UpdateManagers: 2, Convert: convert})
	at := func(second, entry string) string { return strings.Replace(entry, ":00Z", second, 1) }
	v2 := strings.Replace(by("y", "Update", `{"f:spec":{"f:b":{}}}`), `"v1"`, `"v2"`, 1)
	for _, tt := range []struct {
		name       string
		live, want []string
	}{
		{
			"those of one version",
			[]string{by("x", "Update", `{"f:spec":{"f:a":{}}}`), v2},
			[]string{v2, later("ancient-changes", "Update", `{"f:spec":{"f:a":{},"f:c":{}}}`)},
		},
		{
			"one that is older than what has been joined before",
			[]string{
				by("x", "Update", `{"f:spec":{"f:a":{}}}`),
				at(":01Z", by("ancient-changes", "Update", `{"f:spec":{"f:b":{}}}`)),
			},
			[]string{
				at(":01Z", by("ancient-changes", "Update", `{"f:spec":{"f:a":{},"f:b":{}}}`)),
				later("n", "Update", `{"f:spec":{"f:c":{}}}`),
			},
		},
		{
			"two that are older than that",
			[]string{
				by("x", "Update", `{"f:spec":{"f:a":{}}}`), by("y", "Update", `{"f:spec":{"f:b":{}}}`),
				at(":01Z", by("ancient-changes", "Update", `{"f:spec":{".":{}}}`)),
			},
			[]string{
				at(":01Z", by("ancient-changes", "Update", `{"f:spec":{".":{},"f:a":{},"f:b":{}}}`)),
				later("n", "Update", `{"f:spec":{"f:c":{}}}`),
			},
		},
		{
			"two that are older, and a younger one",
			[]string{
				by("x", "Update", `{"f:spec":{"f:a":{}}}`), by("y", "Update", `{"f:spec":{"f:b":{}}}`),
				at(":01Z", by("ancient-changes", "Update", `{"f:spec":{".":{}}}`)),
				at(":02Z", by("z", "Update", `{"f:spec":{"f:d":{}}}`)),
			},
			[]string{
				at(":02Z", by("ancient-changes", "Update", `{"f:spec":{".":{},"f:a":{},"f:b":{},"f:d":{}}}`)),
				later("n", "Update", `{"f:spec":{"f:c":{}}}`),
			},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := u.Update(doc(`{"a":1,"b":1}`, tt.live...), doc(`{"a":1,"b":1,"c":1}`, tt.live...), request("n"))
			if err != nil {
				t.Fatal(err)
			}
			sameAs(t, got, doc(`{"a":1,"b":1,"c":1}`, tt.want...))
		})
	}
}

func TestApplyErrors(t *testing.T) {
	t.Parallel()
	const removable = "; an update that sets them to [{}] removes them"
	sound := doc(`{}`)
	for _, tt := range []struct {
		name         string
		live, config []byte
		want         string
		code         int
	}{
		{
			"not JSON", sound, []byte(`{`),
			"apply: the configuration: offset 1: unexpected end of text, expected a member name or '}'", 400,
		},
		{"not an object", sound, []byte(`[]`), "apply: the configuration: expected an object, found an array", 400},
		{
			"another version", sound, []byte(`{"apiVersion":"v2","kind":"Web"}`),
			`apply: the configuration: apiVersion: "v2" is not the version of the request, "v1"`, 400,
		},
		{"no kind", sound, []byte(`{"apiVersion":"v1"}`), "apply: the configuration: kind is missing", 400},
		{
			"managed fields", sound, []byte(`{"apiVersion":"v1","kind":"Web","metadata":{"managedFields":[]}}`),
			"apply: the configuration: metadata.managedFields: must not be set", 400,
		},
		{
			"an element twice", sound, config(`{"containers":[{"name":"a"},{"name":"a"}]}`),
			`apply: the configuration: spec.containers: the list has the element [name="a"] twice`, 400,
		},
		{
			"an element without keys", sound, config(`{"containers":[{"image":"a"}]}`),
			`apply: the configuration: spec.containers[0]: the element lacks all keys of the list: "name"`, 400,
		},
		{
			"an object in a set", sound, config(`{"words":[{}]}`),
			"apply: the configuration: spec.words[0]: a set holds scalars, found an object", 400,
		},
		{
			"a string for a list", sound, config(`{"words":"a"}`),
			"apply: the configuration: spec.words: expected an array, found a string", 400,
		},
		{
			"a list for an object", sound, []byte(`{"apiVersion":"v1","kind":"Web","spec":[]}`),
			"apply: the configuration: spec: expected an object, found an array", 400,
		},
		{
			"an object that is not JSON", []byte(`{`), config(`{}`),
			"apply: the object: offset 1: unexpected end of text, expected a member name or '}'", 500,
		},
		{
			"malformed managers", doc(`{}`, `{"manager":"x","operation":"Sing"}`), config(`{"a":1}`),
			"apply: the object: metadata.managedFields: the operation of a manager is Apply or Update" + removable, 422,
		},
		{
			"fields of another type",
			doc(`{}`, strings.Replace(by("x", "Apply", `{}`), `"FieldsV1"`, `"FieldsV2"`, 1)), config(`{"a":1}`),
			"apply: the object: metadata.managedFields: the fieldsType of manager x is not FieldsV1" + removable, 422,
		},
		{
			"a manager without a version", doc(`{}`, strings.Replace(by("x", "Apply", `{}`), `"v1"`, `""`, 1)),
			config(`{"a":1}`),
			"apply: the object: metadata.managedFields: the apiVersion of manager x is missing" + removable, 422,
		},
		{
			"a malformed key", doc(`{}`, by("x", "Apply", `{"f:spec":{"k:{\"name\":":{}}}`)), config(`{"a":1}`),
			"apply: the object: metadata.managedFields: the fields of manager x are malformed" + removable, 422,
		},
		{
			"malformed fields", doc(`{}`, by("x", "Apply", `{"spec":{}}`)), config(`{"a":1}`),
			"apply: the object: metadata.managedFields: the fields of manager x are malformed" + removable, 422,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := updater().Apply(tt.live, tt.config, request("m"))
			if e, ok := errors.AsType[*apply.Error](err); !ok || e.Error() != tt.want || e.Code() != tt.code {
				t.Errorf("got %v\nwant %s (%d)", err, tt.want, tt.code)
			}
		})
	}
}

func TestHostileConfigurations(t *testing.T) {
	t.Parallel()
	deep := config(strings.Repeat(`{"a":`, 200_000) + "1" + strings.Repeat("}", 200_000))
	_, err := updater().Apply(doc(`{}`), deep, request("m"))
	if e, ok := errors.AsType[*apply.Error](err); !ok || !errors.Is(err, schema.ErrLimit) || e.Code() != 413 {
		t.Errorf("deep: got %v", err)
	}
	var elements, words []string
	for i := range 20_000 {
		elements = append(elements, `{"name":"e`+strconv.Itoa(i)+`"}`)
		words = append(words, strconv.Itoa(i))
	}
	wide := config(`{"containers":[` + strings.Join(elements, ",") + `],"words":[` + strings.Join(words, ",") + `]}`)
	live, err := updater().Apply(doc(`{}`), wide, request("m"))
	if err != nil {
		t.Fatal(err)
	}
	if live, err = updater().Apply(live, config(`{}`), request("m")); err != nil ||
		strings.Contains(string(live), "e1") {
		t.Errorf("wide: got %d bytes, %v", len(live), err)
	}
}

// TestWideConfigurations applies and reads back as many fields as a request can name, in the order
// that makes sorting by insertion quadratic. An implementation that does that takes minutes.
func TestWideConfigurations(t *testing.T) {
	t.Parallel()
	n := 200_000
	if testing.Short() {
		n = 50_000
	}
	var members []string
	for i := n; i > 0; i-- {
		members = append(members, `"m`+strconv.Itoa(1_000_000+i)+`":1`)
	}
	u := apply.New(apply.Options{Limits: schema.Limits{Size: 64 << 20}})
	took := cputime.Of(func() {
		live, err := u.Apply(doc(`{}`), config(`{"labels":{`+strings.Join(members, ",")+`}}`), request("m"))
		if err != nil || bytes.Count(live, []byte(`"f:m`)) != n {
			t.Fatalf("apply: %d bytes, %v", len(live), err)
		}
		// The managed fields of a client may have any order.
		slices.Reverse(members)
		fields := strings.ReplaceAll(strings.ReplaceAll(strings.Join(members, ","), `"m`, `"f:m`), ":1,", ":{},")
		fields = strings.TrimSuffix(fields, "1") + "{}"
		backwards := strings.Split(fields, ",")
		slices.Reverse(backwards)
		live = doc(`{}`, by("m", "Apply", `{"f:spec":{"f:labels":{`+strings.Join(backwards, ",")+`}}}`))
		if live, err = u.Update(live, config(`{"replicas":1}`), request("editor")); err != nil ||
			!bytes.Contains(live, []byte(`"manager":"editor"`)) {
			t.Fatalf("update: %d bytes, %v", len(live), err)
		}
	})
	if took > 30*time.Second {
		t.Errorf("%d fields took %v", n, took)
	}
}

func ExampleUpdater_Apply() {
	u := apply.New(apply.Options{})
	r := apply.Request{Manager: "web-operator", APIVersion: "example.com/v1", Time: time.Date(2026, 1, 2, 3, 4, 5,
		0, time.UTC)}
	live, err := u.Apply(
		nil, []byte(
			`{"apiVersion":"example.com/v1","kind":"Web","metadata":{"name":"shop"},"spec":{"replicas":3,"image":"web:1"}}`,
		), r,
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(string(live))
	r.Manager = "somebody"
	_, err = u.Apply(
		live, []byte(`{"apiVersion":"example.com/v1","kind":"Web","metadata":{"name":"shop"},"spec":{"replicas":5}}`),
		r,
	)
	fmt.Println(err)
	// Output:
	// {"apiVersion":"example.com/v1","kind":"Web","metadata":{"name":"shop","managedFields":[{"manager":"web-operator","operation":"Apply","apiVersion":"example.com/v1","time":"2026-01-02T03:04:05Z","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{".":{},"f:image":{},"f:replicas":{}}}}]},"spec":{"replicas":3,"image":"web:1"}}
	// Apply failed with 1 conflict: conflict with "web-operator": .spec.replicas
}

func ExampleUpdater_Update() {
	u := apply.New(apply.Options{})
	r := apply.Request{Manager: "editor", APIVersion: "example.com/v1", Time: time.Date(2026, 1, 2, 3, 4, 5,
		0, time.UTC)}
	object, err := u.Update(nil,
		[]byte(`{"apiVersion":"example.com/v1","kind":"Web","metadata":{"name":"shop"},"spec":{"replicas":3}}`), r)
	fmt.Println(string(object), err)
	// Output:
	// {"apiVersion":"example.com/v1","kind":"Web","metadata":{"name":"shop","managedFields":[{"manager":"editor","operation":"Update","apiVersion":"example.com/v1","time":"2026-01-02T03:04:05Z","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{".":{},"f:replicas":{}}}}]},"spec":{"replicas":3}} <nil>
}
