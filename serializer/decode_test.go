package serializer_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
)

const machineJSON = `{"kind":"Machine","apiVersion":"fleet.example.com/v1","metadata":{"name":"a"},"spec":{"cores":4}}`

const machineYAML = `# a machine
apiVersion: fleet.example.com/v1
kind: Machine
metadata:
  name: a
spec:
  cores: 4
`

func wantMachine(cores int32) *machine {
	return &machine{
		typeMeta: typeMeta{"Machine", "fleet.example.com/v1"}, Metadata: objectMeta{Name: "a"},
		Spec: machineSpec{Cores: cores},
	}
}

var comparer = cmp.AllowUnexported(machine{}, machineBeta{}, machineList{}, asset{}, partial{}, partialList{}, table{},
	status{}, note{})

func TestDecode(t *testing.T) {
	t.Parallel()
	f := newFactory(t)
	for _, c := range []struct {
		name string
		data string
		o    serializer.DecodeOptions
		want runtime.Object
	}{
		{name: "json", data: machineJSON, want: wantMachine(4)},
		{
			name: "json with a media type", data: machineJSON,
			o: serializer.DecodeOptions{MediaType: "application/json; charset=utf-8"}, want: wantMachine(4),
		},
		{
			name: "json as yaml", data: machineJSON, o: serializer.DecodeOptions{MediaType: "application/yaml"},
			want: wantMachine(4),
		},
		{name: "yaml", data: machineYAML, want: wantMachine(4)},
		{
			name: "yaml in braces", data: strings.NewReplacer(`"`, "", ":", ": ").Replace(machineJSON),
			want: wantMachine(4),
		},
		{
			name: "yaml with empty documents around", data: "---\n# nothing\n---\n" + machineYAML + "---\n",
			want: wantMachine(4),
		},
		{
			name: "unknown fields are ignored",
			data: `{"kind":"Machine","apiVersion":"fleet.example.com/v1","metadata":{"name":"a"},"x":1,"spec":{"cores":3,"cores":4}}`, want: wantMachine(4),
		},
		{
			name: "no defaults unless asked",
			data: `{"kind":"Machine","apiVersion":"fleet.example.com/v1","metadata":{"name":"a"}}`,
			want: wantMachine(0),
		},
		{
			name: "defaults", data: `{"kind":"Machine","apiVersion":"fleet.example.com/v1","metadata":{"name":"a"}}`,
			o: serializer.DecodeOptions{Default: true}, want: wantMachine(2),
		},
		{
			name: "valid", data: machineJSON, o: serializer.DecodeOptions{
				Validate: true, Strictness: serializer.FailOnProblems,
			},
			want: wantMachine(4),
		},
		{
			name: "default kind", data: `{"metadata":{"name":"a"},"spec":{"cores":4}}`,
			o: serializer.DecodeOptions{DefaultKind: fleetV1.WithKind("Machine")}, want: wantMachine(4),
		},
		{
			name: "default kind, version stated",
			data: `{"apiVersion":"fleet.example.com/v1","metadata":{"name":"a"},"spec":{"cores":4}}`,
			o:    serializer.DecodeOptions{DefaultKind: fleetBeta.WithKind("Machine")}, want: wantMachine(4),
		},
		{
			name: "default version, kind stated", data: `{"kind":"Machine","metadata":{"name":"a"},"spec":{"cores":4}}`,
			o: serializer.DecodeOptions{DefaultKind: fleetV1.WithKind("Other")}, want: wantMachine(4),
		},
		{
			name: "other version", data: machineJSON, o: serializer.DecodeOptions{Version: fleetBeta},
			want: &machineBeta{
				typeMeta: typeMeta{"Machine", "fleet.example.com/v1beta1"},
				Metadata: objectMeta{Name: "a"}, CPUs: 4,
			},
		},
		{
			name: "defaulted in the version of the document",
			data: `{"kind":"Machine","apiVersion":"fleet.example.com/v1beta1","metadata":{"name":"a"}}`,
			o:    serializer.DecodeOptions{Version: fleetV1, Default: true}, want: wantMachine(0),
		},
		{
			name: "equivalent kind of another group", data: machineJSON, o: serializer.DecodeOptions{Version: assetsV1},
			want: &asset{
				typeMeta: typeMeta{"Asset", "assets.example.com/v1"},
				Metadata: objectMeta{Name: "a"}, Cores: 4,
			},
		},
		{
			name: "list", data: `{"kind":"MachineList","apiVersion":"fleet.example.com/v1","metadata":{"continue":"c"},"items":[{"metadata":{"name":"a"},"spec":{"cores":4}}]}`,
			want: &machineList{
				typeMeta: typeMeta{"MachineList", "fleet.example.com/v1"}, Metadata: listMeta{"c"},
				Items: []machine{*wantMachine(4)},
			},
		},
		{
			name: "shared kind is not converted", data: `{"kind":"Status","apiVersion":"v1","message":"m"}`,
			o:    serializer.DecodeOptions{Version: fleetV1},
			want: &status{typeMeta{"Status", "v1"}, "m"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := f.Decode([]byte(c.data), c.o)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got, comparer); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestDecodeErrors(t *testing.T) {
	t.Parallel()
	f := newFactory(t)
	fail := serializer.DecodeOptions{
		File: "m.yaml", Strictness: serializer.FailOnProblems, Default: true, Validate: true,
	}
	for _, c := range []struct {
		name   string
		data   string
		o      serializer.DecodeOptions
		want   string
		is     error
		object bool
	}{
		{
			name: "nothing", data: "", o: fail,
			want: "m.yaml: there is no document in the input", is: serializer.ErrNoDocument,
		},
		{
			name: "comments only", data: "# nothing\n", o: fail,
			want: "m.yaml: there is no document in the input", is: serializer.ErrNoDocument,
		},
		{
			name: "two documents", data: machineYAML + "---\n" + machineYAML, o: fail,
			want: "m.yaml:10:1: a second document starts here, but only one can be read at a time",
			is:   serializer.ErrSeveralDocuments,
		},
		{
			name: "two documents in json", data: machineJSON + "\n" + machineJSON, o: fail,
			want: "m.yaml:2:1: a second document starts here, but only one can be read at a time",
			is:   serializer.ErrSeveralDocuments,
		},
		{
			name: "no kind, no version", data: "metadata: {}\n", o: fail,
			want: "m.yaml:1:1: apiVersion is missing\nm.yaml:1:1: kind is missing", is: runtime.ErrMissingKind,
		},
		{
			name: "no version", data: `{"kind":"Machine"}`, o: fail,
			want: "m.yaml:1:1: apiVersion is missing", is: runtime.ErrMissingVersion,
		},
		{
			name: "exact case of kind and version", data: `{"Kind":"Machine","APIVERSION":"fleet.example.com/v1"}`,
			o:    fail,
			want: "m.yaml:1:1: apiVersion is missing\nm.yaml:1:1: kind is missing", is: runtime.ErrMissingVersion,
		},
		{
			name: "malformed version", data: "kind: Machine\napiVersion: a/b/c\n", o: fail,
			want: "m.yaml:2:13: apiVersion: ", is: runtime.ErrInvalidValue,
		},
		{
			name: "unknown kind", data: "apiVersion: fleet.example.com/v1\nkind: Maschine\n", o: fail,
			want: `m.yaml:2:7: kind: no kind "Maschine" is registered in fleet.example.com/v1 (did you mean "Machine"?)`, is: runtime.ErrUnknownKind,
		},
		{
			name: "unknown version", data: "apiVersion: fleet.example.com/v9\nkind: Machine\n", o: fail,
			want: `m.yaml:1:13: apiVersion: no kind "Machine" is registered in fleet.example.com/v9`,
			is:   runtime.ErrUnknownKind,
		},
		{
			name: "kind of a wrong type", data: "{\"apiVersion\":\"fleet.example.com/v1\",\n\"kind\":[]}", o: fail,
			want: "m.yaml:2:8: kind: ", is: runtime.ErrWrongType,
		},
		{
			name: "no object", data: "[1, 2]", o: fail,
			want: "m.yaml:1:1: ", is: runtime.ErrWrongType,
		},
		{
			name: "syntax", data: "{\"kind\":\"Machine\",\n \"apiVersion\":\"fleet.example.com/v1\",,}", o: fail,
			want: "m.yaml:2:", is: runtime.ErrSyntax,
		},
		{
			name: "all problems at once", o: fail, is: runtime.ErrUnknownField,
			data: "apiVersion: fleet.example.com/v1\nkind: Machine\nmetadata:\n  name: a\n  nam: b\nspec:\n  cores: many\n  zone: [1]\n",
			want: "m.yaml:5:3: metadata.nam: unknown field \"nam\" (did you mean \"name\"?)\nm.yaml:7:10: spec.cores: ",
		},
		{
			name: "strict problems with the object", o: serializer.DecodeOptions{Strictness: serializer.FailOnProblems},
			is: runtime.ErrUnknownField, object: true,
			data: "apiVersion: fleet.example.com/v1\nkind: Machine\nmetadata: {name: a}\nspec: {core: 1}\n",
			want: "line 4, column 8: spec.core: unknown field \"core\" (did you mean \"cores\"?)",
		},
		{
			name: "wrong type", o: serializer.DecodeOptions{}, is: runtime.ErrWrongType,
			data: "apiVersion: fleet.example.com/v1\nkind: Machine\nspec: {core: 1, cores: x}\n",
			want: "line 3, column 24: spec.cores: ",
		},
		{
			name: "invalid", o: fail, object: true,
			data: "apiVersion: fleet.example.com/v1\nkind: Machine\nmetadata:\n  labels: {}\nspec:\n  cores: 100\n",
			want: "m.yaml:4:3: metadata.name: Required value: machines have names\nm.yaml:6:10: spec.cores: Invalid value: 100: at most 64",
		},
		{
			name: "strict and invalid", o: fail, object: true, is: runtime.ErrUnknownField,
			data: "apiVersion: fleet.example.com/v1\nkind: Machine\nmetadata: {name: a}\nspec:\n  cores: 100\n  x: 1\n",
			want: "m.yaml:6:3: spec.x: unknown field \"x\"\nm.yaml:5:10: spec.cores: Invalid value: 100: at most 64",
		},
		{
			name: "default fails", o: fail, is: runtime.ErrInvalidValue,
			data: "apiVersion: fleet.example.com/v1\nkind: Machine\nmetadata:\n  name: undefaultable\nspec:\n  cores: 1\n",
			want: "m.yaml:6:3: spec: has no default",
		},
		{
			name: "conversion fails", o: serializer.DecodeOptions{File: "m.yaml", Version: fleetV1},
			is:   runtime.ErrInvalidValue,
			data: "apiVersion: fleet.example.com/v1beta1\nkind: Machine\ncpus: 5000000000\n",
			want: "m.yaml:3:7: cpus: cannot be converted to fleet.example.com/v1, Kind=Machine: ",
		},
		{
			name: "no conversion", o: serializer.DecodeOptions{File: "m.yaml", Version: fleetV1},
			data: "apiVersion: v1\nkind: Note\ntext: x\n",
			want: "m.yaml:1:13: apiVersion: a v1, Kind=Note cannot be converted to fleet.example.com/v1, which has no such kind",
		},
		{
			name: "deep", o: serializer.DecodeOptions{Limits: schema.Limits{Depth: 10}}, is: runtime.ErrLimit,
			data: `{"kind":"Machine","apiVersion":"fleet.example.com/v1","x":` + strings.Repeat("[", 20) +
				strings.Repeat("]", 20) + "}",
			want: "line 1, column 6",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			obj, err := f.Decode([]byte(c.data), c.o)
			if err == nil {
				t.Fatalf("no error; got %+v", obj)
			}
			if got := err.Error(); !strings.HasPrefix(got, c.want) {
				t.Errorf("error\n got %s\nwant %s", got, c.want)
			}
			if c.is != nil && !errors.Is(err, c.is) {
				t.Errorf("errors.Is does not find %v in %v", c.is, err)
			}
			if (obj != nil) != c.object {
				t.Errorf("object %+v together with the error", obj)
			}
		})
	}
}

func TestDecodeWarns(t *testing.T) {
	t.Parallel()
	f := newFactory(t)
	const data = `{"kind":"Machine","apiVersion":"fleet.example.com/v1","metadata":{"name":"a"},"spec":{"core":4,"cores":4,"cores":5}}`
	var warnings []string
	obj, err := f.Decode([]byte(data), serializer.DecodeOptions{
		File: "m.json", Strictness: serializer.WarnAboutProblems, Warn: func(p runtime.Problem) {
			warnings = append(warnings, fmt.Sprint(p))
		},
	})
	if err != nil || obj.(*machine).Spec.Cores != 5 {
		t.Fatal(obj, err)
	}
	want := []string{
		`m.json:1:87: spec.core: unknown field "core" (did you mean "cores"?)`,
		`m.json:1:106: spec.cores: duplicate field "cores"`,
	}
	if diff := cmp.Diff(want, warnings); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if _, err := f.Decode([]byte(data), serializer.DecodeOptions{
		Strictness: serializer.WarnAboutProblems,
	}); err != nil {
		t.Errorf("without a function: %v", err)
	}
	if _, err := f.Decode([]byte(data)); err != nil {
		t.Errorf("lenient: %v", err)
	}
}

// TestDecodeOddities has what can be understood and yet is odd: each is ignored, told or refused,
// and the object is there in any case.
func TestDecodeOddities(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	for _, c := range []struct {
		name, data string
		cause      error
		want       string
	}{
		{
			"boolean of YAML 1.1", "apiVersion: fleet.example.com/v1\nkind: Machine\nspec:\n  disks:\n  - name: a\n    partitions:\n    - {encrypted: yes}\n",
			runtime.ErrAmbiguousValue,
			"f:7:19: spec.disks[0].partitions[0].encrypted: ambiguous boolean yes, write true",
		},
		{
			"item of another kind", `{"kind":"MachineList","apiVersion":"fleet.example.com/v1","items":[{},{"kind":"MachinePool"}]}`,
			runtime.ErrOtherKind, `f:1:79: items[1].kind: kind "MachinePool" does not match fleet.example.com/v1, Kind=Machine`,
		},
		{
			"item of another version in YAML",
			"apiVersion: fleet.example.com/v1\nkind: MachineList\nitems:\n- kind: Machine\n  apiVersion: fleet.example.com/v1beta1\n",
			runtime.ErrOtherKind, `f:5:15: items[0].apiVersion: apiVersion "fleet.example.com/v1beta1" does not match fleet.example.com/v1, Kind=Machine`,
		},
		{
			"unknown field", `{"kind":"Machine","apiVersion":"fleet.example.com/v1","spce":{}}`,
			runtime.ErrUnknownField, `f:1:55: spce: unknown field "spce" (did you mean "spec"?)`,
		},
		{
			"duplicate field", `{"kind":"Machine","apiVersion":"fleet.example.com/v1","spec":{},"spec":{}}`,
			runtime.ErrDuplicateField, `f:1:65: spec: duplicate field "spec"`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o := serializer.DecodeOptions{File: "f"}
			if obj, err := f.Decode([]byte(c.data), o); obj == nil || err != nil {
				t.Errorf("ignored: %v, %v", obj, err)
			}
			var warnings []runtime.Problem
			o.Strictness = serializer.WarnAboutProblems
			o.Warn = func(p runtime.Problem) { warnings = append(warnings, p) }
			if obj, err := f.Decode([]byte(c.data), o); obj == nil || err != nil || len(warnings) != 1 ||
				warnings[0].Error() != c.want || warnings[0].Cause != c.cause {
				t.Errorf("told: %v, %v, %v, want %s", obj, err, warnings, c.want)
			}
			o.Strictness = serializer.FailOnProblems
			if obj, err := f.Decode([]byte(c.data), o); obj == nil || err == nil || err.Error() != c.want ||
				!errors.Is(err, c.cause) {
				t.Errorf("refused: %v, %v, want %s", obj, err, c.want)
			}
		})
	}
}

func TestDecodeAll(t *testing.T) {
	t.Parallel()
	f := newFactory(t)
	data := machineYAML + "---\nkind: Machine\n---\napiVersion: v1\nkind: Note\ntext: [\n---\napiVersion: v1\nkind: Noet\n---\n" + `{"kind":"Note","apiVersion":"v1","text":"last"}` + "\n"
	var kinds []string
	var problems []string
	for obj, err := range f.DecodeAll([]byte(data), serializer.DecodeOptions{File: "all.yaml"}) {
		if err != nil {
			problems = append(problems, strings.SplitAfterN(err.Error(), ": ", 2)[0])
			continue
		}
		k, err := f.Scheme().KindOf(obj)
		if err != nil {
			t.Fatal(err)
		}
		kinds = append(kinds, k.Name())
	}
	if diff := cmp.Diff([]string{"Machine", "Note"}, kinds); diff != "" {
		t.Errorf("objects (-want +got)\n%s", diff)
	}
	if len(problems) != 3 || problems[0] != "all.yaml:9:1: " || problems[2] != "all.yaml:16:7: " {
		t.Errorf("problems %q", problems)
	}
	for range f.DecodeAll([]byte(data)) {
		break // the iterator stops when asked to
	}
	for obj, err := range f.DecodeAll([]byte(" \n")) {
		t.Errorf("white space yields %v, %v", obj, err)
	}
}

func TestDecodeMediaType(t *testing.T) {
	t.Parallel()
	f := newFactory(t, csvFormat("text/csv"))
	_, err := f.Decode([]byte(machineJSON), serializer.DecodeOptions{MediaType: "application/xml"})
	if e, ok := errors.AsType[*serializer.UnsupportedMediaTypeError](err); !ok || e.ContentType != "application/xml" {
		t.Errorf("unknown media type: %v", err)
	}
	only, err := serializer.NewFactory(newScheme(t), csvFormat("text/csv"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := only.Decode([]byte(machineJSON), serializer.DecodeOptions{File: "x"}); !errors.Is(err,
		serializer.ErrUnknownFormat) || !strings.HasPrefix(err.Error(), "x:1:1: ") {
		t.Errorf("no format recognizes the input: %v", err)
	}
}

func TestDecodeTyped(t *testing.T) {
	t.Parallel()
	f := newFactory(t)
	m, err := serializer.Decode[machine](f, []byte(machineJSON))
	if diff := cmp.Diff(wantMachine(4), m, comparer); diff != "" || err != nil {
		t.Errorf("same version: %v (-want +got)\n%s", err, diff)
	}
	beta, err := serializer.Decode[machineBeta](f, []byte(machineYAML))
	if err != nil || beta.CPUs != 4 || beta.APIVersion != "fleet.example.com/v1beta1" {
		t.Errorf("other version: %+v, %v", beta, err)
	}
	a, err := serializer.Decode[asset](f,
		[]byte(`{"kind":"Machine","apiVersion":"fleet.example.com/v1beta1","cpus":3}`), serializer.DecodeOptions{})
	if err != nil || a.Cores != 3 || a.Kind != "Asset" {
		t.Errorf("other group: %+v, %v", a, err)
	}
	m, err = serializer.Decode[machine](f,
		[]byte(`{"kind":"Machine","apiVersion":"fleet.example.com/v1beta1","cpus":3,"x":1}`),
		serializer.DecodeOptions{Strictness: serializer.FailOnProblems})
	if !errors.Is(err, runtime.ErrUnknownField) || m == nil || m.Spec.Cores != 3 {
		t.Errorf("strict problem: %+v, %v", m, err)
	}
	if m, err = serializer.Decode[machine](f, []byte(`{"kind":"Note","apiVersion":"v1"}`),
		serializer.DecodeOptions{File: "n.json"}); err == nil || m != nil ||
		!strings.HasPrefix(err.Error(), "n.json:1:29: ") {
		t.Errorf("other kind: %+v, %v", m, err)
	}
	if m, err = serializer.Decode[machine](f, []byte(`{`)); !errors.Is(err,
		runtime.ErrSyntax) || m != nil {
		t.Errorf("syntax: %+v, %v", m, err)
	}
	if _, err := serializer.Decode[schema.GroupKind](f, []byte(machineJSON),
		serializer.DecodeOptions{}); !errors.Is(err, runtime.ErrUnknownKind) {
		t.Errorf("type that is not registered: %v", err)
	}
}

// TestDecodeKeepsNoInput overwrites the input after decoding.
func TestDecodeKeepsNoInput(t *testing.T) {
	t.Parallel()
	f := newFactory(t)
	for _, text := range []string{machineJSON, machineYAML} {
		data := []byte(text)
		obj, err := f.Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		for i := range data {
			data[i] = 'x'
		}
		if diff := cmp.Diff(wantMachine(4), obj, comparer); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	}
}

// FuzzDecode looks for panics, and for input that strict decoding accepts but lenient decoding does
// not.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{
		machineJSON, machineYAML, machineYAML + "---\n" + machineJSON, "{", "\xef\xbb\xbf{}",
		"a: &a [*a]", "kind: Note\napiVersion: v1\n",
	} {
		f.Add([]byte(s))
	}
	factory := newFactory(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		var strict, lenient []bool
		for _, err := range factory.DecodeAll(data, serializer.DecodeOptions{
			Strictness: serializer.FailOnProblems, Default: true,
			Validate: true, Version: fleetBeta,
		}) {
			strict = append(strict, err == nil)
		}
		for obj, err := range factory.DecodeAll(data, serializer.DecodeOptions{Default: true, Version: fleetBeta}) {
			lenient = append(lenient, err == nil)
			if err == nil && obj == nil {
				t.Error("neither object nor error")
			}
		}
		if len(strict) != len(lenient) {
			t.Fatalf("%d documents read strictly, %d leniently", len(strict), len(lenient))
		}
		for i := range strict {
			if strict[i] && !lenient[i] {
				t.Errorf("document %d is accepted by strict decoding only", i)
			}
		}
	})
}
