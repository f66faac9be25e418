package serializer_test

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/askind/askind/conversion"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/format"
	"github.com/askind/askind/serializer/json"
)

func TestRepresentationAppend(t *testing.T) {
	t.Parallel()
	f := newFactory(t, csvFormat("text/csv"))
	one := wantMachine(4)
	one.Metadata.Labels = map[string]string{"l": "v"}
	beta := &machineBeta{Metadata: objectMeta{Name: "b"}, CPUs: 8}
	list := &machineList{Metadata: listMeta{"c"}, Items: []machine{*one, *one}}
	for _, c := range []struct {
		name   string
		accept string
		offer  serializer.Offer
		obj    runtime.Object
		want   string
	}{
		{
			"itself", "application/json", oneMachine, one,
			`{"kind":"Machine","apiVersion":"fleet.example.com/v1","metadata":{"name":"a","labels":{"l":"v"}},"spec":{"cores":4}}` + "\n",
		},
		{
			"pretty", "application/json;pretty=1", oneMachine, &status{Message: "m"},
			"{\n  \"kind\": \"Status\",\n  \"apiVersion\": \"v1\",\n  \"message\": \"m\"\n}",
		},
		{
			"yaml", "application/yaml", oneMachine, one,
			"apiVersion: fleet.example.com/v1\nkind: Machine\nmetadata:\n  labels:\n    l: v\n  name: a\nspec:\n  cores: 4\n",
		},
		{
			"stored in another version", "application/json", oneMachine, beta,
			`{"kind":"Machine","apiVersion":"fleet.example.com/v1","metadata":{"name":"b"},"spec":{"cores":8}}` + "\n",
		},
		{
			"version", "application/json;v=v1beta1", oneMachine, one,
			`{"kind":"Machine","apiVersion":"fleet.example.com/v1beta1","metadata":{"name":"a","labels":{"l":"v"}},"cpus":4}` + "\n",
		},
		{
			"in the version already", "application/json;v=v1beta1", oneMachine, beta,
			`{"kind":"Machine","apiVersion":"fleet.example.com/v1beta1","metadata":{"name":"b"},"cpus":8}` + "\n",
		},
		{
			"equivalent", "application/json;g=assets.example.com", oneMachine, one,
			`{"kind":"Asset","apiVersion":"assets.example.com/v1","metadata":{"name":"a","labels":{"l":"v"}},"cores":4}` + "\n",
		},
		{
			"equivalent list", "application/json;g=assets.example.com", allMachines, &machineList{Items: []machine{{}}},
			`{"kind":"AssetList","apiVersion":"assets.example.com/v1","metadata":{},"items":[{"metadata":{},"cores":0}]}` + "\n",
		},
		{
			"partial", "application/json;as=PartialObjectMetadata", oneMachine, one,
			`{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"a","labels":{"l":"v"}}}` + "\n",
		},
		{
			"partial list", "application/json;as=PartialObjectMetadata", allMachines, &machineList{
				Metadata: listMeta{"c"},
				Items:    []machine{*one},
			},
			`{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":{"continue":"c"},"items":[{"metadata":{"name":"a","labels":{"l":"v"}}}]}` + "\n",
		},
		{
			"partial of one item of the list", "application/json;as=PartialObjectMetadata", allMachines, one,
			`{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"a","labels":{"l":"v"}}}` + "\n",
		},
		{
			"partial list asked for, one item", "application/json;as=PartialObjectMetadataList", allMachines, one,
			`{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"a","labels":{"l":"v"}}}` + "\n",
		},
		{
			"one item of the list", "application/json", allMachines, beta,
			`{"kind":"Machine","apiVersion":"fleet.example.com/v1","metadata":{"name":"b"},"spec":{"cores":8}}` + "\n",
		},
		{
			"one item in a version", "application/json;v=v1beta1", allMachines, beta,
			`{"kind":"Machine","apiVersion":"fleet.example.com/v1beta1","metadata":{"name":"b"},"cpus":8}` + "\n",
		},
		{
			"table of the list", "application/json;as=Table", allMachines, list,
			`{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"continue":"c"},"columns":["Name","Cores"],"rows":[["a","4/opt/1800000000"],["a","4/opt/1800000000"]]}` + "\n",
		},
		{
			"table of one item of the list", "application/json;as=Table", allMachines, one,
			`{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{},"columns":["Name","Cores"],"rows":[["a","4/opt/1800000000"]]}` + "\n",
		},
		{
			"table has the columns of the endpoint", "application/json;as=Table", betaMachine, one,
			`{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{},"columns":["Name","CPUs"],"rows":[["a","4"]]}` + "\n",
		},
		{
			"table is there already", "application/json;as=Table", oneMachine, &table{Columns: []string{"X"}},
			`{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{},"columns":["X"],"rows":null}` + "\n",
		},
		{
			"older table", "application/json;as=Table;v=v1beta1", oneMachine, &machine{},
			`{"kind":"Table","apiVersion":"meta.k8s.io/v1beta1","metadata":{},"columns":["Name","Cores"],"rows":[["","0/opt/1800000000"]]}` + "\n",
		},
		{"format for some kinds", "text/csv;as=Table", allMachines, list, "a,a"},
		{
			"error", "application/json;as=Table", oneMachine, &status{Message: "m"},
			`{"kind":"Status","apiVersion":"v1","message":"m"}` + "\n",
		},
		{
			"no items", "application/json", allMachines, &machineList{},
			`{"kind":"MachineList","apiVersion":"fleet.example.com/v1","metadata":{},"items":[]}` + "\n",
		},
		{
			"no items in another version", "application/json;v=v1beta1", allMachines, &machineList{},
			`{"kind":"MachineList","apiVersion":"fleet.example.com/v1beta1","metadata":{},"items":[]}` + "\n",
		},
		{
			"no items as another kind", "application/json;as=PartialObjectMetadata", allMachines, &machineList{},
			`{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":{},"items":[]}` + "\n",
		},
		{
			"format only", "application/json", formatOnly, beta,
			`{"kind":"Machine","apiVersion":"fleet.example.com/v1beta1","metadata":{"name":"b"},"cpus":8}` + "\n",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			rep, err := f.Negotiate([]string{c.accept}, c.offer)
			if err != nil {
				t.Fatal(err)
			}
			before, err := f.Scheme().DeepCopy(c.obj)
			if err != nil {
				t.Fatal(err)
			}
			rep = rep.With(conversion.ScopeOptions{Options: "opt", Now: noon})
			out, err := rep.Append([]byte("> "), c.obj)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff("> "+c.want, string(out)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			var b bytes.Buffer
			if err := rep.Encode(&b, c.obj); err != nil || b.String() != c.want {
				t.Errorf("Encode writes %s, error %v", b.String(), err)
			}
			if diff := cmp.Diff(before, c.obj, comparer, cmp.AllowUnexported(machineBeta{})); diff != "" {
				t.Errorf("the object was changed (-before +after)\n%s", diff)
			}
		})
	}
}

func TestRepresentationErrors(t *testing.T) {
	t.Parallel()
	f := newFactory(t)
	rep, err := f.Negotiate([]string{"application/json;as=Table"}, allMachines)
	if err != nil {
		t.Fatal(err)
	}
	bad := &machineList{Items: []machine{*wantMachine(1), {Metadata: objectMeta{Name: "bad"}}}}
	for name, obj := range map[string]runtime.Object{
		"failing function": bad, "unrelated kind": &note{}, "unregistered": &struct{}{}, "nil": nil,
		"typed nil": (*machine)(nil), "no pointer": machine{},
	} {
		out, err := rep.Append([]byte("kept"), obj)
		if err == nil || string(out) != "kept" {
			t.Errorf("%s: got %q, error %v", name, out, err)
		}
		var b bytes.Buffer
		if err := rep.Encode(&b, obj); err == nil || b.Len() > 0 {
			t.Errorf("%s: wrote %q, error %v", name, b.String(), err)
		}
	}
	broken := errors.New("broken pipe")
	if err := rep.Encode(failingWriter{broken}, wantMachine(1)); !errors.Is(err, broken) {
		t.Errorf("error of the writer: %v", err)
	}
}

type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }

func TestEncode(t *testing.T) {
	t.Parallel()
	f := newFactory(t)
	for _, c := range []struct {
		name string
		obj  runtime.Object
		o    serializer.EncodeOptions
		want string
	}{
		{"default", wantMachine(4), serializer.EncodeOptions{}, machineJSON + "\n"},
		{
			"without kind in memory", &note{Text: "x"},
			serializer.EncodeOptions{},
			`{"kind":"Note","apiVersion":"v1","text":"x"}` + "\n",
		},
		{
			"yaml", wantMachine(4),
			serializer.EncodeOptions{MediaType: "application/yaml"},
			"apiVersion: fleet.example.com/v1\nkind: Machine\nmetadata:\n  name: a\nspec:\n  cores: 4\n",
		},
		{
			"pretty", &note{Text: "x"},
			serializer.EncodeOptions{Pretty: true},
			"{\n  \"kind\": \"Note\",\n  \"apiVersion\": \"v1\",\n  \"text\": \"x\"\n}",
		},
		{
			"version", wantMachine(4),
			serializer.EncodeOptions{Version: fleetBeta},
			`{"kind":"Machine","apiVersion":"fleet.example.com/v1beta1","metadata":{"name":"a"},"cpus":4}` + "\n",
		},
		{"own version", wantMachine(4), serializer.EncodeOptions{Version: fleetV1}, machineJSON + "\n"},
		{
			"shared kind", &status{Message: "m"},
			serializer.EncodeOptions{Version: fleetBeta},
			`{"kind":"Status","apiVersion":"v1","message":"m"}` + "\n",
		},
		{
			"nil items stay null", &machineList{},
			serializer.EncodeOptions{},
			`{"kind":"MachineList","apiVersion":"fleet.example.com/v1","metadata":{},"items":null}` + "\n",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			out, err := f.Append([]byte("> "), c.obj, c.o)
			if err != nil || string(out) != "> "+c.want {
				t.Errorf("got %s, error %v, want %s", out, err, c.want)
			}
			var b bytes.Buffer
			if err := f.Encode(&b, c.obj, c.o); err != nil || b.String() != c.want {
				t.Errorf("Encode writes %s, error %v", b.String(), err)
			}
		})
	}
	for name, c := range map[string]struct {
		obj runtime.Object
		o   serializer.EncodeOptions
	}{
		"media type": {wantMachine(1), serializer.EncodeOptions{MediaType: "a/b"}},
		"version":    {wantMachine(1), serializer.EncodeOptions{Version: metaV1}},
		"type":       {&struct{}{}, serializer.EncodeOptions{}},
	} {
		if out, err := f.Append([]byte("kept"), c.obj, c.o); err == nil || string(out) != "kept" {
			t.Errorf("%s: got %q, error %v", name, out, err)
		}
		if err := f.Encode(io.Discard, c.obj, c.o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestRoundTrip decodes what was written, in every version and format.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	f := newFactory(t)
	for _, mediaType := range f.MediaTypes() {
		for _, o := range []serializer.EncodeOptions{{}, {Pretty: true}, {Version: fleetBeta}, {Version: assetsV1}} {
			o.MediaType = mediaType
			out, err := f.Append(nil, wantMachine(4), o)
			if err != nil {
				t.Fatal(err)
			}
			for _, read := range []string{"", mediaType} {
				got, err := f.Decode(out, serializer.DecodeOptions{
					MediaType: read, Version: fleetV1,
					Strictness: serializer.FailOnProblems,
				})
				if err != nil {
					t.Fatalf("%s: %v", out, err)
				}
				if diff := cmp.Diff(wantMachine(4), got, comparer); diff != "" {
					t.Errorf("%s (-want +got)\n%s", out, diff)
				}
			}
		}
	}
}

// TestAtIsACopy checks that a representation, which many requests share, is not changed by a place.
func TestAtIsACopy(t *testing.T) {
	t.Parallel()
	var places []*format.Place
	linked := *json.Format()
	inner := linked.Append
	linked.Links = true
	linked.Append = func(dst []byte, k *runtime.Kind, obj runtime.Object, o format.Options) ([]byte, error) {
		places = append(places, o.Place)
		return inner(dst, k, obj, o)
	}
	f, err := serializer.NewFactory(newScheme(t), &linked)
	if err != nil {
		t.Fatal(err)
	}
	rep, err := f.Negotiate(nil, oneMachine)
	if err != nil {
		t.Fatal(err)
	}
	first, second := &format.Place{}, &format.Place{}
	at := rep.At(first)
	for _, r := range []*serializer.Representation{rep, at, rep.At(second), at, rep} {
		if _, err := r.Append(nil, wantMachine(4)); err != nil {
			t.Fatal(err)
		}
	}
	if want := []*format.Place{nil, first, second, first, nil}; !slices.Equal(places, want) {
		t.Errorf("the places are %p, want %p", places, want)
	}
}
