package serializer_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/askind/askind/conversion"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/csv"
	"github.com/askind/askind/serializer/json"
	"github.com/askind/askind/serializer/json/reflectjson"
	"github.com/askind/askind/serializer/yaml"
)

// gauge is a kind beside the real ones of meta/v1, with a table.
type gauge struct {
	metav1.TypeMeta
	metav1.ObjectMeta `json:"metadata,omitzero"`

	Level int `json:"level"`
}

type gaugeList struct {
	metav1.TypeMeta
	metav1.ListMeta `json:"metadata,omitzero"`

	Items []gauge `json:"items"`
}

// realStatusV2 is a second version of Status.
type realStatusV2 struct {
	metav1.TypeMeta
	Text string `json:"text"`
}

var gauges = schema.GroupVersion{Group: "gauges.example.com", Version: "v1"}

func addGauges(b *runtime.Builder) {
	addKinds[gauge, gaugeList](b, gauges, "Gauge")
	addKind[realStatusV2](b, metaV2, "Status")
	spec := reflectjson.Complete(runtime.KindSpec[gauge]{GroupVersionKind: gauges.WithKind("Gauge")})
	runtime.AddAs(b, func(in *gauge, out *metav1.Table, s *conversion.Scope) error {
		if in.Level < 0 {
			return errors.New("the gauge is broken")
		}
		out.Rows = append(out.Rows, metav1.NewTableRow(spec, in, &in.ObjectMeta, []any{in.Name, in.Level}, s))
		return nil
	}, runtime.CollectItems(func(out *metav1.Table, _ *conversion.Scope) error {
		out.ColumnDefinitions = []metav1.TableColumnDefinition{{Name: "Name"}, {Name: "Level"}}
		return nil
	}))
	runtime.AddAs(b, func(in *gauge, out *metav1.PartialObjectMetadata, _ *conversion.Scope) error {
		if in.Level < -1 {
			return errors.New("not even metadata")
		}
		metav1.DeepCopyIntoObjectMeta(&in.ObjectMeta, &out.ObjectMeta)
		return nil
	})
	runtime.AddConversion(b, func(in *metav1.Status, out *realStatusV2, _ *conversion.Scope) error {
		out.Text = in.Message
		return nil
	})
	runtime.AddDefault(b, func(in *gauge) error {
		if in.Level == 0 {
			in.Level = 7
		}
		return nil
	})
}

func newRealFactory(t testing.TB) *serializer.Factory {
	t.Helper()
	scheme, err := runtime.NewScheme(metav1.AddTo, metav1.AddCoreTo, metav1.AddViewsTo, addGauges)
	if err != nil {
		t.Fatal(err)
	}
	f, err := serializer.NewFactory(scheme, json.Format(), yaml.Format(), csv.Format())
	if err != nil {
		t.Fatal(err)
	}
	return f
}

var (
	oneGauge  = serializer.Offer{Kind: gauges.WithKind("Gauge")}
	allGauges = serializer.Offer{Kind: gauges.WithKind("GaugeList")}
)

func TestForStatus(t *testing.T) {
	t.Parallel()
	f := newRealFactory(t)
	failure := &metav1.NotFound(schema.GroupResource{Group: "gauges.example.com", Resource: "gauges"}, "a").Status
	blank := *failure
	blank.TypeMeta = metav1.TypeMeta{}
	grouped := *failure
	grouped.APIVersion = "meta.k8s.io/v1"
	const rest = `"metadata":{},"status":"Failure","message":"gauges.gauges.example.com \"a\" not found","reason":"NotFound","details":{"name":"a","group":"gauges.example.com","kind":"gauges"},"code":404}` + "\n"
	for _, c := range []struct {
		name, accept, contentType, want string
		offer                           serializer.Offer
	}{
		{"json", "application/json", "application/json", `{"kind":"Status","apiVersion":"v1",` + rest, oneGauge},
		{"never transformed", "application/json;as=Table", "application/json", `{"kind":"Status","apiVersion":"v1",` +
			rest, oneGauge},
		{
			"never exported", "application/json+vnd.kubernetes.export", "application/json",
			`{"kind":"Status","apiVersion":"v1",` + rest, allGauges,
		},
		{"yaml", "application/yaml;as=Table", "application/yaml", "", oneGauge},
		{"format without Status", "text/csv", "application/json", `{"kind":"Status","apiVersion":"v1",` +
			rest, oneGauge},
		{
			"version one", "application/json;sv=v1", "application/json;sv=v1",
			`{"kind":"Status","apiVersion":"meta.k8s.io/v1",` + rest, oneGauge,
		},
		{
			"version two", "application/json;sv=v2", "application/json;sv=v2",
			`{"kind":"Status","apiVersion":"meta.k8s.io/v2","text":"gauges.gauges.example.com \"a\" not found"}` +
				"\n", oneGauge,
		},
		{
			"version two of a table's error", "text/csv;sv=v2", "application/json;sv=v2",
			`{"kind":"Status","apiVersion":"meta.k8s.io/v2","text":"gauges.gauges.example.com \"a\" not found"}` +
				"\n", allGauges,
		},
		{
			"pretty", "application/json;sv=v2;pretty=1", "application/json;sv=v2",
			"{\n  \"kind\": \"Status\",\n  \"apiVersion\": \"meta.k8s.io/v2\",\n  \"text\": \"gauges.gauges.example.com \\\"a\\\" not found\"\n}", oneGauge,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			rep, err := f.Negotiate([]string{c.accept}, c.offer)
			if err != nil {
				t.Fatal(err)
			}
			if got := rep.ForStatus().ContentType(); got != c.contentType {
				t.Errorf("content type %s, want %s", got, c.contentType)
			}
			for _, s := range []*metav1.Status{failure, &blank, &grouped} {
				out, err := rep.ForStatus().Append([]byte("> "), s)
				if err != nil || c.want != "" && string(out) != "> "+c.want || !strings.HasPrefix(string(out), "> ") {
					t.Errorf("got  %s, %v\nwant %s", out, err, c.want)
				}
			}
			// The Status of an error can also stand in the place of the object, where the format
			// can write it.
			if out, err := rep.Append(nil, failure); c.want != "" && rep.Format().Name == "json" &&
				(err != nil || string(out) != c.want) {
				t.Errorf("Append: %s, %v", out, err)
			}
			if blank.Kind != "" || failure.APIVersion != "v1" {
				t.Error("the status was changed")
			}
		})
	}
	rep, err := f.Negotiate(nil, oneGauge)
	if err != nil {
		t.Fatal(err)
	}
	for name, obj := range map[string]runtime.Object{"nil": nil, "unregistered": &struct{}{}} {
		if out, err := rep.ForStatus().Append([]byte("kept"), obj); err == nil || string(out) != "kept" {
			t.Errorf("%s: got %q, %v", name, out, err)
		}
	}
}

// TestUnversionedStatus checks that a Status without apiVersion is written in every format, unless
// the client chose a version.
func TestUnversionedStatus(t *testing.T) {
	t.Parallel()
	f := newRealFactory(t)
	status := &metav1.BadRequest("x").Status
	const rest = `"metadata":{},"status":"Failure","message":"x","reason":"BadRequest","code":400}` + "\n"
	for accept, want := range map[string]string{
		"application/json":                 `{"kind":"Status",` + rest,
		"application/json;sv=v1":           `{"kind":"Status","apiVersion":"meta.k8s.io/v1",` + rest,
		"application/yaml":                 "code: 400\nkind: Status\nmessage: x\nmetadata: {}\nreason: BadRequest\nstatus: Failure\n",
		"application/yaml;sv=v2":           "apiVersion: meta.k8s.io/v2\nkind: Status\ntext: x\n",
		"text/csv, application/json;q=0.5": `{"kind":"Status",` + rest,
	} {
		rep := f.NegotiateStatus([]string{accept}, serializer.Offer{Unversioned: true})
		if out, err := rep.ForStatus().Append(nil, status); err != nil || string(out) != want {
			t.Errorf("%s: got %s, %v", accept, out, err)
		}
	}
	if status.APIVersion != "v1" {
		t.Error("the status was changed")
	}
}

// TestStatusWithoutCore checks that a scheme which has Status under its group only writes it as
// clients expect it, in answers and in events.
func TestStatusWithoutCore(t *testing.T) {
	t.Parallel()
	scheme, err := runtime.NewScheme(metav1.AddTo, addGauges)
	if err != nil {
		t.Fatal(err)
	}
	f, err := serializer.NewFactory(scheme, json.Format())
	if err != nil {
		t.Fatal(err)
	}
	const v1, group = `{"kind":"Status","apiVersion":"v1",`, `{"kind":"Status","apiVersion":"meta.k8s.io/v1",`
	for accept, want := range map[string]string{
		"application/json": v1, "application/json;as=PartialObjectMetadata": v1,
		"application/json;sv=v1": group,
	} {
		rep, err := f.Negotiate([]string{accept}, serializer.Offer{Kind: allGauges.Kind, Stream: "watch"})
		if err != nil {
			t.Fatal(err)
		}
		status := &metav1.BadRequest("x").Status
		for _, stated := range []string{"v1", "meta.k8s.io/v1", ""} {
			status.APIVersion = stated
			out, err := rep.ForStatus().Append(nil, status)
			if err != nil || !strings.HasPrefix(string(out), want) {
				t.Errorf("%s: ForStatus: %s, %v", accept, out, err)
			}
			if out, err = rep.Append(nil, status); err != nil || !strings.HasPrefix(string(out), want) {
				t.Errorf("%s: Append: %s, %v", accept, out, err)
			}
		}
		var events strings.Builder
		w, err := rep.Events(&events)
		if err != nil {
			t.Fatal(err)
		}
		_ = w.Fail(&metav1.StatusError{Status: *status})
		if got := events.String(); !strings.HasPrefix(got, `{"type":"ERROR","object":`+want) {
			t.Errorf("%s: the event is %s", accept, got)
		}
	}
}

// TestStatusOfNoScheme checks that a scheme without Status can be answered for all the same.
func TestStatusOfNoScheme(t *testing.T) {
	t.Parallel()
	scheme, err := runtime.NewScheme(func(b *runtime.Builder) { addKind[note](b, coreV1, "Note") })
	if err != nil {
		t.Fatal(err)
	}
	f, err := serializer.NewFactory(scheme, json.Format())
	if err != nil {
		t.Fatal(err)
	}
	for _, rep := range []*serializer.Representation{
		f.NegotiateStatus([]string{"image/png"}, serializer.Offer{}), f.NegotiateStatus(nil, serializer.Offer{}),
	} {
		if out, err := rep.ForStatus().Append(nil, &metav1.BadRequest("x").Status); err != nil ||
			!strings.Contains(string(out), "v1") {
			t.Errorf("got %s, %v", out, err)
		}
		if out, err := rep.ForStatus().Append(nil, (*metav1.Status)(nil)); err == nil {
			t.Errorf("nil: got %s", out)
		}
	}
}

// TestForBody checks the meaning of a missing header, and that formats that cannot be read are not
// supported.
func TestForBody(t *testing.T) {
	t.Parallel()
	scheme := newScheme(t)
	f, err := serializer.NewFactory(scheme, yaml.Format(), json.Format(), csv.Format())
	if err != nil {
		t.Fatal(err)
	}
	for header, want := range map[string]string{
		"": "json", " ": "json", "application/json": "json", "application/json; charset=UTF-8": "json",
		"text/yaml;x=y":                          "yaml",
		"application/json+vnd.kubernetes.export": "json",
	} {
		if got, err := f.ForBody(header); err != nil || got.Name != want {
			t.Errorf("%q: %v, %v", header, got, err)
		}
	}
	for header, want := range map[string]string{
		"text/csv":                        "the format can be written but not read",
		"application/json;charset=latin1": "the charset must be utf-8",
		"image/png":                       "the format is unknown",
		"json":                            "it is malformed",
	} {
		_, err := f.ForBody(header)
		unsupported, ok := errors.AsType[*serializer.UnsupportedMediaTypeError](err)
		if !ok || unsupported.Reason != want || strings.Contains(strings.Join(unsupported.MediaTypes, " "), "csv") {
			t.Errorf("%q: %v", header, err)
		}
	}
	only, err := serializer.NewFactory(scheme, yaml.Format())
	if err != nil {
		t.Fatal(err)
	}
	if got, err := only.ForBody(""); err != nil || got.Name != "yaml" {
		t.Errorf("without JSON: %v, %v", got, err)
	}
}

func TestNegotiateStatus(t *testing.T) {
	t.Parallel()
	f := newRealFactory(t)
	for _, c := range []struct {
		name, accept, want string
		offer              serializer.Offer
	}{
		{"nothing", "", "application/json", serializer.Offer{}},
		{"format", "application/yaml", "application/yaml", serializer.Offer{}},
		{
			"kinds are not looked at",
			"application/yaml;as=Nothing;g=nowhere;v=v7;includeObject=None;stream=log;profile=x;export=1",
			"application/yaml",
			serializer.Offer{},
		},
		{"version", "application/yaml;sv=v2", "application/yaml;sv=v2", serializer.Offer{}},
		{"unknown version", "application/yaml;sv=v7, application/json", "application/json", serializer.Offer{}},
		{"weights", "application/yaml;q=0.1, application/json;as=Table;q=0.2", "application/json", serializer.Offer{}},
		{"format that writes no Status", "text/csv, application/yaml;q=0.1", "application/yaml", serializer.Offer{}},
		{"nothing acceptable", "image/png", "application/json pretty", serializer.Offer{}},
		{"nothing that can write it", "text/csv", "application/json pretty", serializer.Offer{}},
		{"offer", "*/*", "application/yaml", serializer.Offer{MediaTypes: []string{"text/csv", "application/yaml"}}},
		{"wrong offer", "*/*", "application/json pretty", serializer.Offer{MediaTypes: []string{"image/png"}}},
		{"pretty endpoint", "*/*", "application/json pretty", serializer.Offer{Pretty: true, Kind: oneGauge.Kind}},
	} {
		rep := f.NegotiateStatus([]string{c.accept}, c.offer)
		got := rep.ContentType()
		if rep.Pretty() {
			got += " pretty"
		}
		if got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
		if out, err := rep.ForStatus().Append(nil, metav1.Success()); err != nil || len(out) == 0 {
			t.Errorf("%s: %q, %v", c.name, out, err)
		}
	}
}

// appendAcceptable appends an object in the best representation that can be made of it, as servers
// do: if showing or converting it fails, the next choice is tried, unless the client is at fault.
// The error is that of the first choice.
func appendAcceptable(f *serializer.Factory, dst []byte, accept []string, offer serializer.Offer,
	o conversion.ScopeOptions, obj runtime.Object,
) ([]byte, *serializer.Representation, error) {
	e, err := f.Endpoint(offer)
	if err != nil {
		return dst, nil, err
	}
	rep, err := e.Negotiate(accept)
	if err != nil {
		return dst, nil, err
	}
	var first error
	for {
		terms := rep.With(o)
		out, err := terms.Append(dst, obj)
		if err == nil {
			return out, terms, nil
		}
		if first == nil {
			first = err
		}
		if _, ok := errors.AsType[*runtime.ConvertError](err); !ok ||
			metav1.ReasonOf(err) == metav1.StatusReasonBadRequest {
			return dst, nil, first
		}
		if rep, err = e.NegotiateAfter(rep, accept); err != nil {
			return dst, nil, first
		}
	}
}

// TestAppendAcceptable shows objects that cannot be made into the first choices of the client.
func TestAppendAcceptable(t *testing.T) {
	t.Parallel()
	f := newRealFactory(t)
	accept := []string{
		"application/json;as=Table;includeObject=None, application/yaml;as=Table;q=0.9",
		"application/json;as=PartialObjectMetadata;q=0.8, application/yaml;q=0.7, */*;q=0.1",
	}
	for _, c := range []struct {
		level int
		want  string
		body  string
	}{
		{
			1, "application/json;g=meta.k8s.io;v=v1;as=Table;includeObject=None",
			`"rows":[{"cells":["a",1],"object":null}]`,
		},
		{-1, "application/json;g=meta.k8s.io;v=v1;as=PartialObjectMetadata", `"kind":"PartialObjectMetadata"`},
		{-2, "application/yaml", "level: -2\n"},
	} {
		obj := &gauge{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Level: c.level}
		out, rep, err := appendAcceptable(f, []byte("> "), accept, oneGauge, conversion.ScopeOptions{}, obj)
		if err != nil || rep.ContentType() != c.want || !strings.HasPrefix(string(out), "> ") ||
			!strings.Contains(string(out), c.body) {
			t.Errorf("level %d: %s, %v, %v", c.level, out, rep, err)
		}
	}
	// The error is that of the best choice, and another error ends the search.
	obj := &gauge{Level: -2}
	out, rep, err := appendAcceptable(f, []byte("kept"),
		[]string{"application/json;as=Table, application/json;as=PartialObjectMetadata;q=0.5"}, oneGauge,
		conversion.ScopeOptions{}, obj)
	if err == nil || !strings.Contains(err.Error(), "the gauge is broken") || rep != nil || string(out) != "kept" {
		t.Errorf("got %s, %v, %v", out, rep, err)
	}
	if _, _, err := appendAcceptable(f, nil, nil, oneGauge, conversion.ScopeOptions{}, &struct{}{}); !errors.Is(err,
		runtime.ErrUnknownKind) {
		t.Errorf("unregistered: %v", err)
	}
	if _, _, err := appendAcceptable(f, nil, []string{"image/png"}, oneGauge, conversion.ScopeOptions{},
		obj); outcome(nil, err) != refused {
		t.Errorf("nothing acceptable: %v", err)
	}
	e, err := f.Endpoint(oneGauge)
	if err != nil {
		t.Fatal(err)
	}
	first, err := e.Negotiate([]string{"application/json;as=Table"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.NegotiateAfter(first, []string{"application/json;as=Table"}); outcome(nil,
		err) != refused || !strings.Contains(err.Error(), "the object could not be converted to it") {
		t.Errorf("nothing left: %v", err)
	}
}

// TestIncludeObject checks that what the header says of rows reaches the function that makes them,
// whatever the query said.
func TestIncludeObject(t *testing.T) {
	t.Parallel()
	f := newRealFactory(t)
	obj := &gauge{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Level: 1}
	query := &metav1.TableOptions{IncludeObject: metav1.IncludeNone}
	const none, metadata, whole = `"object":null`, `"object":{"kind":"PartialObjectMetadata"`,
		`"object":{"kind":"Gauge"`
	for _, c := range []struct {
		name, accept string
		options      any
		want         string
	}{
		{"neither", "application/json;as=Table", nil, metadata},
		{"query", "application/json;as=Table", query, none},
		{"header", "application/json;as=Table;includeObject=Object", nil, whole},
		{"header and query", "application/json;as=Table;includeObject=Object", query, whole},
		{"header and nil options", "application/json;as=Table;includeObject=None", (*metav1.TableOptions)(nil), none},
		{"header and other options", "application/json;as=Table;includeObject=None", "x", metadata},
	} {
		rep, err := f.Negotiate([]string{c.accept}, oneGauge)
		if err != nil {
			t.Fatal(err)
		}
		if c.name == "header" {
			if out, err := rep.Append(nil, obj); err != nil || !strings.Contains(string(out), c.want) ||
				!strings.Contains(rep.ContentType(), "includeObject=Object") {
				t.Errorf("%s, without With: %s, %v", c.name, out, err)
			}
		}
		out, err := rep.With(conversion.ScopeOptions{Options: c.options}).Append(nil, obj)
		if err != nil || !strings.Contains(string(out), c.want) {
			t.Errorf("%s: %s, %v", c.name, out, err)
		}
	}
	if query.IncludeObject != metav1.IncludeNone {
		t.Error("the options were changed")
	}
}

func TestExport(t *testing.T) {
	t.Parallel()
	f := newRealFactory(t)
	full := gauge{ObjectMeta: metav1.ObjectMeta{
		Name: "a", UID: "u", ResourceVersion: "3", Generation: 2,
		CreationTimestamp: metav1.Unix(1, 0), Labels: map[string]string{"k": "v"},
	}, Level: 8}
	list := &gaugeList{ListMeta: metav1.ListMeta{ResourceVersion: "9", Continue: "c"}, Items: []gauge{full}}
	const one = `"metadata":{"name":"a","labels":{"k":"v"}},"level":8}`
	for _, c := range []struct {
		accept string
		offer  serializer.Offer
		obj    runtime.Object
		want   string
	}{
		{"application/json;export=1", oneGauge, &full, `{"kind":"Gauge","apiVersion":"gauges.example.com/v1",` +
			one + "\n"},
		{
			"application/json+vnd.kubernetes.export", allGauges, list,
			`{"kind":"GaugeList","apiVersion":"gauges.example.com/v1","metadata":{"continue":"c"},"items":[{` +
				one + "]}\n",
		},
		{
			"application/json;as=PartialObjectMetadata;export=1", oneGauge, &full,
			`{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"a","labels":{"k":"v"}}}` + "\n",
		},
		{
			"application/json;export=1", oneGauge, metav1.Success(),
			`{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success"}` + "\n",
		},
	} {
		rep, err := f.Negotiate([]string{c.accept}, c.offer)
		if err != nil {
			t.Fatal(err)
		}
		if out, err := rep.Append(nil, c.obj); err != nil || string(out) != c.want {
			t.Errorf("%s\n got %s, %v\nwant %s", c.accept, out, err, c.want)
		}
	}
	if full.UID != "u" || list.Items[0].UID != "u" || list.ResourceVersion != "9" {
		t.Error("the object was changed")
	}
}
