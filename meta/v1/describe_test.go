package v1_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/askind/askind/conversion"
	"github.com/askind/askind/conversion/carry"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

// document is a kind whose JSON is given.
type document struct {
	metav1.TypeMeta
	metav1.ObjectMeta
	fields string // as `"name":value,…`
}

var kindDocument = runtime.KindSpec[document]{
	GroupVersionKind: schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Document"},
	AppendJSONFields: func(dst []byte, in *document) ([]byte, error) {
		if in.fields == "fail" {
			return dst, errors.New("no JSON")
		}
		if in.fields == "" {
			return dst, nil
		}
		return append(append(dst, ','), in.fields...), nil
	},
}

// describedTypes has a field of every form.
var describedTypes = []metav1.DescribedType{
	{Name: "Deep", Fields: []metav1.DescribedField{{Name: "level"}, {Name: "deep", Type: "Deep"}}},
	{Name: "Disk", Fields: []metav1.DescribedField{
		{Name: "name"},
		{Name: "sizeBytes", As: metav1.DescriptionSize},
		{Name: "rows", Type: "Row", Table: true},
	}},
	{Name: "Document", Fields: []metav1.DescribedField{
		{Name: "spec", Help: "What is wanted.", Type: "Spec"},
		{Name: "data", Map: true},
		{Name: "secrets", Map: true, As: metav1.DescriptionRedacted},
		{Name: "rows", Type: "Row", Table: true},
		{Name: "disks", Type: "Disk", Key: "name"},
		{Name: "names"},
		{Name: "size", As: metav1.DescriptionSize},
		{Name: "hidden", Omit: true},
		{Name: "blob", As: metav1.DescriptionBytes},
	}},
	{Name: "Row", Fields: []metav1.DescribedField{
		{Name: "type"},
		{Name: "never"},
		{Name: "at", As: metav1.DescriptionDate},
		{Name: "tags"},
		{Name: "hidden", Omit: true},
	}},
	{Name: "Spec", Fields: []metav1.DescribedField{
		{Name: "zone", Help: "Where."},
		{Name: "podIP", Label: "Address"},
		{Name: "timeoutSeconds", As: metav1.DescriptionDuration, Unit: time.Second},
		{Name: "interval", As: metav1.DescriptionDuration},
		{Name: "password", As: metav1.DescriptionRedacted},
		{Name: "keys", As: metav1.DescriptionRedacted},
		{Name: "key", Type: "Disk", As: metav1.DescriptionRedacted},
		{Name: "deep", Type: "Deep"},
		{Name: "selector", Map: true},
		{Name: "byName", Map: true, Type: "Disk", Key: "name"},
		{Name: "rowsByName", Map: true, Type: "Row", Table: true},
		{Name: "times", As: metav1.DescriptionDate},
		{Name: "maps", Map: true},
		{Name: "starts", Map: true, As: metav1.DescriptionDate},
	}},
}

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

func describeDocument(t *testing.T, in *document) *metav1.Description {
	t.Helper()
	var out metav1.Description
	s := conversion.NewScope(conversion.ScopeOptions{Now: noon})
	if err := metav1.Describe(&out, &kindDocument, in, &in.ObjectMeta, describedTypes, s); err != nil {
		t.Fatal(err)
	}
	return &out
}

// lines shows items as lines of label, type and value; parts are indented.
func lines(items []metav1.DescriptionItem, indent string) string {
	var b strings.Builder
	for _, item := range items {
		b.WriteString(indent + item.Label + " " + string(item.Type))
		if item.Value != "" {
			b.WriteString(" " + item.Value)
		}
		b.WriteByte('\n')
		b.WriteString(lines(item.Items, indent+"  "))
		if item.Table != nil {
			for _, c := range item.Table.Columns {
				b.WriteString(indent + "  |" + c.Label)
			}
			b.WriteByte('\n')
			for _, r := range item.Table.Rows {
				b.WriteString(indent + "  |" + strings.Join(r.Cells, "|") + "\n")
			}
		}
	}
	return b.String()
}

func TestDescribe(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, fields, want string }{
		{"nothing", ``, ""},
		{"no sections", `"metadata":{},"spec":{},"data":{},"rows":[],"disks":null,"names":[],"hidden":1`, ""},
		{"at the top", `"names":["a","b"],"size":1536,"blob":"AAECAw==","flag":false,"count":0,"text":"","half":0.50`, `
-
Names list
   text a
   text b
Size size 1.5Ki (1536 bytes)
Blob bytes 4 bytes
Flag boolean false
Count number 0
Half number 0.50
`},
		{"a name that is not ASCII", `"écluse":1`, "\n-\nÉcluse number 1\n"},
		{"sections", `"spec":{"zone":"z1","podIP":"::1","other":true},"data":{"a.conf":"x\ny","empty":""},"free":{"k":{"n":1}}`, `
- Spec
Zone text z1
Address text ::1
Other boolean true
- Data
a.conf text x
y
empty text
- Free
k object
  n number 1
`},
		{
			"durations", `"spec":{"timeoutSeconds":300,"interval":"5m0s"}`,
			"\n- Spec\nTimeout duration 5m (300s)\nInterval duration 5m\n",
		},
		{
			"durations of other kinds", `"spec":{"timeoutSeconds":30,"interval":"72h0m0s"}`,
			"\n- Spec\nTimeout duration 30s\nInterval duration 72h (3d)\n",
		},
		{
			"no durations", `"spec":{"timeoutSeconds":1e300,"interval":"soon"}`,
			"\n- Spec\nTimeout number 1e300\nInterval text soon\n",
		},
		{"secrets", `"spec":{"password":"p","keys":["a",1],"key":{"name":"x"}},"secrets":{"a":"x","b":{"c":1}}`, `
- Spec
Password redacted <redacted>
Keys list
   redacted <redacted>
   redacted <redacted>
Key redacted <redacted>
- Secrets
a redacted <redacted>
b redacted <redacted>
`},
		{"no secrets", `"spec":{"password":"","keys":[],"key":null}`, ""},
		{"a table", `"rows":[{"type":"Ready","at":"2026-01-02T11:00:00Z","tags":["a","b"],"more":{}},null,{"type":"Old","at":"2026-01-04T12:00:00.5Z","hidden":"x"}]`, `
- Rows
 table
  |Type  |At  |Tags
  |Ready|2026-01-02T11:00:00Z (60m ago)|a,b
  |||
  |Old|2026-01-04T12:00:00.5Z (in 2d)|
`},
		{"a list with keys", `"disks":[{"name":"root","sizeBytes":10},{"sizeBytes":0},{"name":"data","rows":[{"type":"x"}]}]`, `
- Disks
root object
  Size size 10 bytes
#2 object
  Size size 0 bytes
data object
  Rows table
    |Type
    |x
`},
		{"a type in itself", `"spec":{"deep":{"level":1,"deep":{"level":2,"deep":{}}}}`, `
- Spec
Deep object
  Level number 1
  Deep object
    Level number 2
    Deep object
`},
		{"maps", `"spec":{"selector":{"b":"1","a":"2"},"byName":{"x":{"name":"n","sizeBytes":1}},"rowsByName":{"x":[{"type":"t"}]},"starts":{"a":"2026-01-02T12:00:00Z"}}`, `
- Spec
Selector map
  b text 1
  a text 2
By Name map
  x object
    Name text n
    Size size 1 bytes
Rows By Name map
  x table
    |Type
    |t
Starts map
  a date 2026-01-02T12:00:00Z (0s ago)
`},
		{"lists in lists", `"spec":{"other":[["a",{"x":1}],[],{"y":[2]}],"maps":[{"k":"v"},{}],"times":["2026-01-02T11:59:00Z",null]}`, `
- Spec
Other list
  #1 list
     text a
    #2 object
      x number 1
  #2 list
  #3 object
    y list
       number 2
Maps list
  #1 map
    k text v
  #2 map
Times list
   date 2026-01-02T11:59:00Z (60s ago)
   text
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := describeDocument(t, &document{fields: c.fields})
			got := ""
			for i, s := range d.Sections {
				items := s.Items
				if i == 0 {
					items = items[4:] // kind, version, labels, annotations
					if len(items) == 0 {
						continue
					}
				}
				got += strings.TrimRight("- "+s.Label, " ") + "\n" + lines(items, "")
			}
			if diff := cmp.Diff(strings.TrimPrefix(c.want, "\n"), got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestDescribeHead(t *testing.T) {
	t.Parallel()
	yes := true
	gone := metav1.NewTime(noon.Add(time.Minute))
	in := &document{ObjectMeta: metav1.ObjectMeta{
		Name: "d", Namespace: "lab", UID: "u-1", ResourceVersion: "7", Generation: 3, SelfLink: "/d",
		Labels: map[string]string{"b": "2", "a": "1"},
		Annotations: map[string]string{
			"note": "x",
			"kubectl.kubernetes.io/last-applied-configuration": `{"password":"p"}`, carry.Annotation: "{}",
		},
		CreationTimestamp: metav1.NewTime(noon.Add(-76 * time.Hour)), DeletionTimestamp: &gone,
		OwnerReferences: []metav1.OwnerReference{
			{Kind: "Shelf", Name: "s", Controller: &yes},
			{Kind: "Room", Name: "r"},
		},
		Finalizers: []string{"example.com/shred"},
	}}
	before := *in
	d := describeDocument(t, in)
	const want = `Name text d
Namespace text lab
Kind text Document
API Version text example.com/v1
Labels map
  a text 1
  b text 2
Annotations map
  note text x
Created date 2025-12-30T08:00:00Z (3d4h ago)
Deletion Due date 2026-01-02T12:01:00Z (in 60s)
Owners list
   text Shelf/s (controller)
   text Room/r
Finalizers list
   text example.com/shred
Generation number 3
UID text u-1
Resource Version text 7
`
	if diff := cmp.Diff(want, lines(d.Sections[0].Items, "")); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for _, item := range d.Sections[0].Items {
		if item.Help == "" {
			t.Errorf("%s is not explained", item.Label)
		}
	}
	if got := d.ObjectMeta; !reflect.DeepEqual(got, metav1.ObjectMeta{
		Name: "d", Namespace: "lab", UID: "u-1",
		ResourceVersion: "7",
	}) {
		t.Errorf("the metadata is %+v", got)
	}
	if !reflect.DeepEqual(*in, before) {
		t.Error("the object was changed")
	}
	text, err := json.Marshal(d)
	if err != nil || !strings.HasPrefix(string(text),
		`{"kind":"Description","apiVersion":"meta.k8s.io/v1","metadata":{"name":"d","namespace":"lab","uid":"u-1","resourceVersion":"7"},"sections":[{"items":[{"label":"Name","help":"The name`) {
		t.Errorf("got %s, %v", text, err)
	}
}

func TestDescribeErrors(t *testing.T) {
	t.Parallel()
	var out metav1.Description
	in := &document{fields: "fail"}
	if err := metav1.Describe(&out, &kindDocument, in, &in.ObjectMeta, nil, nil); err == nil ||
		err.Error() != "no JSON" {
		t.Errorf("got %v", err)
	}
	in.fields = `"a":[1,`
	if err := metav1.Describe(&out, &kindDocument, in, &in.ObjectMeta, nil, nil); err == nil ||
		!strings.Contains(err.Error(), "example.com/v1, Kind=Document") {
		t.Errorf("broken JSON: got %v", err)
	}
	bare := kindDocument
	bare.AppendJSONFields = nil
	if err := metav1.Describe(&out, &bare, in, &in.ObjectMeta, nil, nil); !errors.Is(err, runtime.ErrNoFunction) {
		t.Errorf("no function: got %v", err)
	}
}

// FuzzDescribe checks that any JSON is described, in finite time and without an error unless it is
// broken.
func FuzzDescribe(f *testing.F) {
	f.Add(`{"spec":{"zone":"z"},"rows":[[{"type":[1]}],{"at":{}}],"disks":[{"name":{}},[null]]}`)
	f.Add(`{"data":[],"secrets":1,"names":{"a":[[]]},"size":"x","blob":"===","metadata":null}`)
	f.Add(`{"spec":[{"keys":{}},{"timeoutSeconds":-1e9,"interval":""}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		var v map[string]any
		if json.Unmarshal([]byte(text), &v) != nil || len(v) == 0 {
			t.Skip()
		}
		compact, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		in := &document{fields: string(compact[1 : len(compact)-1])}
		d := describeDocument(t, in)
		for _, s := range d.Sections {
			checkItems(t, s.Items)
		}
	})
}

// checkItems holds that the type of an item says what it has.
func checkItems(t *testing.T, items []metav1.DescriptionItem) {
	t.Helper()
	for _, item := range items {
		group := false
		switch item.Type {
		case metav1.DescriptionObject, metav1.DescriptionMap, metav1.DescriptionOfList:
			group = true
			checkItems(t, item.Items)
		case metav1.DescriptionOfTable:
			if item.Table == nil {
				t.Errorf("%+v has no table", item)
				continue
			}
			for _, r := range item.Table.Rows {
				if len(r.Cells) != len(item.Table.Columns) {
					t.Errorf("%+v has a row of another length", item.Table)
				}
			}
		case "":
			t.Errorf("%+v has no type", item)
		}
		if group != (item.Items != nil) && item.Items != nil || group && item.Value != "" ||
			(item.Table != nil) != (item.Type == metav1.DescriptionOfTable) {
			t.Errorf("%+v is not what its type says", item)
		}
	}
}
