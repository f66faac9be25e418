package unstructured_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/askind/askind/conversion"
	"github.com/askind/askind/examples/fleet/api/fleet/v1"
	"github.com/askind/askind/examples/fleet/api/fleet/v1alpha1"
	"github.com/askind/askind/examples/fleet/api/fleet/v1beta1"
	corev1 "github.com/askind/askind/internal/seedapi/core/v1"
	"github.com/askind/askind/meta/unstructured"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/json"
	"github.com/askind/askind/serializer/protobuf"
)

var (
	rolloutKind = schema.GroupVersionKind{Group: "shop.example.com", Version: "v1", Kind: "Rollout"}
	web         = `{"apiVersion":"shop.example.com/v1","kind":"Rollout","metadata":{"name":"web","labels":{"tier":"1"},` +
		`"creationTimestamp":"2026-11-20T12:00:00Z","resourceVersion":"7","uid":"u"},` +
		`"spec":{"replicas":3,"image":"web:2","ports":[80,81],"paused":true,"since":"2026-11-22T12:00:00Z"},"status":{"ready":1}}`
	webs = `{"apiVersion":"shop.example.com/v1","kind":"RolloutList","metadata":{"resourceVersion":"9","continue":"c"},` +
		`"items":[` + web + `,{"metadata":{"name":"db"}}]}`
)

// shown returns the JSON of an object shown as a kind of meta.k8s.io/v1.
func shown(tb testing.TB, s *runtime.Scheme, obj runtime.Object, kind string, options any) string {
	tb.Helper()
	out, err := s.AsWith(obj, metav1.GroupVersion.WithKind(kind), conversion.NewScope(conversion.ScopeOptions{
		Now: time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC), Options: options,
	}))
	if err != nil {
		tb.Fatal(err)
	}
	k, err := s.KindOf(out)
	if err != nil {
		tb.Fatal(err)
	}
	text, err := k.AppendJSON(nil, out)
	if err != nil {
		tb.Fatal(err)
	}
	return string(text)
}

func TestViewsOfUnknownKinds(t *testing.T) {
	t.Parallel()
	s := newFactory(t, metav1.AddTo, v1.AddTo).Scheme()
	list, err := parse(t, webs).List()
	if err != nil {
		t.Fatal(err)
	}
	columns := `"columnDefinitions":[{"name":"Name","type":"string","format":"name","description":"The name of the object, unique among the objects of its resource in its namespace.","priority":0},` +
		`{"name":"Age","type":"date","format":"","description":"The time since the object was created.","priority":0}]`
	metadata := `"metadata":{"name":"web","uid":"u","resourceVersion":"7","creationTimestamp":"2026-11-20T12:00:00Z","labels":{"tier":"1"}}`
	none := &metav1.TableOptions{IncludeObject: metav1.IncludeNone}
	rows := `"rows":[{"cells":["web","3d"],"object":null},{"cells":["db",null],"object":null}]}`
	for _, tt := range []struct {
		name    string
		obj     runtime.Object
		as      string
		options any
		want    string
	}{
		{
			"metadata of an object", parse(t, web), "PartialObjectMetadata", nil,
			`{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1",` + metadata + `}`,
		},
		{
			"metadata of a list", parse(t, webs), "PartialObjectMetadata", nil,
			`{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"9","continue":"c"},"items":[` +
				`{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1",` + metadata + `},` +
				`{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"db"}}]}`,
		},
		{
			"table of an object", parse(t, web), "Table", nil,
			`{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"7"},` + columns +
				`,"rows":[{"cells":["web","3d"],"object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1",` + metadata + `}}]}`,
		},
		{
			"table of a list", parse(t, webs), "Table", none,
			`{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"9","continue":"c"},` +
				columns + `,` + rows,
		},
		{
			"table of a List", list, "Table", none,
			`{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"9","continue":"c"},` +
				columns + `,` + rows,
		},
		{
			"table with objects", parse(t, `{"apiVersion":"a/v1","kind":"X","metadata":{"name":"x"},"n":1}`), "Table",
			&metav1.TableOptions{IncludeObject: metav1.IncludeObject},
			`{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{},` + columns +
				`,"rows":[{"cells":["x",null],"object":{"apiVersion":"a/v1","kind":"X","metadata":{"name":"x"},"n":1}}]}`,
		},
		{
			"a named object whose kind ends in List", parse(t,
				`{"apiVersion":"a/v1","kind":"AllowList","metadata":{"name":"x"}}`),
			"PartialObjectMetadata", nil,
			`{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"x"}}`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := shown(t, s, tt.obj, tt.as, tt.options); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// TestNoWay checks that every call that finds no route from an object returns an error that names
// both kinds.
func TestNoWay(t *testing.T) {
	t.Parallel()
	f := newFactory(t, metav1.AddTo, v1.AddTo)
	s := f.Scheme()
	fleetKind := v1.GroupVersion.WithKind("Machine")
	for _, tt := range []struct {
		name string
		obj  runtime.Object
	}{
		{"an object", parse(t, web)},
		{"a list", parse(t, webs)},
		{"a kind called like one that is known", parse(t, `{"apiVersion":"shop.example.com/v1","kind":"Machine"}`)},
	} {
		for name, call := range map[string]func() error{
			"As":             func() error { _, err := s.As(tt.obj, fleetKind); return err },
			"typed As":       func() error { _, err := runtime.As[v1.Machine](s, tt.obj); return err },
			"ConvertTo":      func() error { _, err := s.ConvertTo(tt.obj, v1.GroupVersion); return err },
			"ConvertSharing": func() error { _, err := s.ConvertSharing(tt.obj, v1.GroupVersion); return err },
			"typed ConvertTo": func() error {
				_, err := runtime.ConvertTo[v1.Machine](s, tt.obj)
				return err
			},
			"UpdateFrom":  func() error { _, err := s.UpdateFrom(tt.obj, &v1.Machine{}); return err },
			"update with": func() error { _, err := s.UpdateFrom(&v1.Machine{}, tt.obj); return err },
		} {
			t.Run(tt.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				err := call()
				if err == nil {
					t.Fatal("no error")
				}
				if !errors.Is(err, runtime.ErrUnknownKind) &&
					!strings.Contains(err.Error(), "shop.example.com/v1, Kind=") {
					t.Errorf("%v does not name the kind of the object", err)
				}
			})
		}
	}
}

// TestKnownKinds compares untyped objects of known kinds with typed ones.
func TestKnownKinds(t *testing.T) {
	t.Parallel()
	f := newFactory(t, v1.AddTo, v1beta1.AddTo, v1alpha1.AddTo, metav1.AddTo)
	s := f.Scheme()
	list := new(v1.MachineList)
	for _, obj := range machines(t, f) {
		u, err := unstructured.From(s, obj)
		if err != nil {
			t.Fatal(err)
		}
		list.Items = append(list.Items, *obj.(*v1.Machine))
		for _, gv := range []schema.GroupVersion{v1.GroupVersion, v1beta1.GroupVersion, v1alpha1.GroupVersion} {
			sameShown(t, s, func(o runtime.Object) (runtime.Object, error) { return s.ConvertTo(o, gv) }, obj, u)
		}
		sameShown(t, s, func(o runtime.Object) (runtime.Object, error) {
			return s.As(o, metav1.GroupVersion.WithKind("Table"))
		}, obj, u)
		if got, want := s.Validate(t.Context(), u), s.Validate(t.Context(), obj); (got == nil) != (want == nil) {
			t.Errorf("validation: %v, of the typed object %v", got, want)
		}
	}
	u, err := unstructured.From(s, list)
	if err != nil {
		t.Fatal(err)
	}
	sameShown(t, s, func(o runtime.Object) (runtime.Object, error) { return s.ConvertTo(o, v1beta1.GroupVersion) },
		list, u)
	sameShown(t, s, func(o runtime.Object) (runtime.Object, error) {
		return s.As(o, metav1.GroupVersion.WithKind("PartialObjectMetadata"))
	}, list, u)

	wrong := parse(t, `{"apiVersion":"fleet.example.com/v1","kind":"Machine","spec":{"disks":[{"size":true}]}}`)
	_, err = s.ConvertTo(wrong, v1beta1.GroupVersion)
	if !errors.Is(err, runtime.ErrWrongType) || !strings.Contains(err.Error(), "spec.disks[0].size: ") {
		t.Errorf("got %v", err)
	}
	invalid := parse(t, `{"apiVersion":"fleet.example.com/v1","kind":"Machine","spec":{"disks":[{}]}}`)
	if err := s.Validate(t.Context(), invalid); err == nil {
		t.Error("an invalid object passes because it is untyped")
	}
}

// sameShown holds what a function makes of two objects to the same JSON.
func sameShown(t *testing.T, s *runtime.Scheme, f func(runtime.Object) (runtime.Object, error), typed,
	untyped runtime.Object,
) {
	t.Helper()
	texts := make([]string, 2)
	for i, obj := range []runtime.Object{typed, untyped} {
		out, err := f(obj)
		if err != nil {
			t.Fatal(err)
		}
		k, err := s.KindOf(out)
		if err != nil {
			t.Fatal(err)
		}
		text, err := k.AppendJSON(nil, out)
		if err != nil {
			t.Fatal(err)
		}
		texts[i] = string(text)
	}
	if texts[0] != texts[1] {
		t.Errorf("of the untyped object comes\n%s\nwant\n%s", texts[1], texts[0])
	}
}

func TestDefinition(t *testing.T) {
	t.Parallel()
	definition := func(version string) *unstructured.Definition {
		return &unstructured.Definition{
			Kind:     schema.GroupVersionKind{Group: "shop.example.com", Version: version, Kind: "Rollout"},
			Resource: "rollouts", ShortNames: []string{"ro"}, Status: true, Columns: []unstructured.Column{
				{Name: "Image", Type: "string", Path: []string{"spec", "image"}},
				{Name: "Replicas", Type: "integer", Path: []string{"spec", "replicas"}},
				{Name: "Ports", Type: "string", Path: []string{"spec", "ports"}},
				{Name: "First", Path: []string{"spec", "ports", "0"}},
				{Name: "Paused", Type: "boolean", Path: []string{"spec", "paused"}, Priority: 1},
				{Name: "Wrong", Type: "number", Path: []string{"spec", "image"}},
				{Name: "Wrong too", Type: "boolean", Path: []string{"spec", "replicas"}},
				{Name: "Whole", Type: "integer", Path: []string{"spec", "paused"}},
				{Name: "Since", Type: "date", Path: []string{"spec", "since"}},
				{Name: "Deep", Path: []string{"spec", "image", "tag"}},
				{
					Name: "Labels", Type: "integer",
					Cell: func(o *unstructured.Object) any { return int64(len(o.Labels())) },
				},
			},
		}
	}
	first, second := definition("v1"), definition("v2")
	s, err := runtime.NewScheme(metav1.AddTo, v1.AddTo, first.AddTo, second.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	if s, err = s.With(first.AddTo); err != nil {
		t.Fatalf("added twice: %v", err)
	}
	if err := s.Check(); err != nil {
		t.Fatal(err)
	}
	if k, err := s.Resource(rolloutKind.GroupVersion().WithResource("rollouts")); err != nil ||
		k.Info().Singular != "rollout" ||
		k.ListKind() == nil || !k.Info().Status {
		t.Errorf("the resource is %v, %v", k, err)
	}
	if got := s.AsTargets(rolloutKind); len(got) < 2 {
		t.Errorf("it is shown as %v", got)
	}
	table := shown(t, s, parse(t, webs), "Table", &metav1.TableOptions{IncludeObject: metav1.IncludeNone})
	if want := `"rows":[{"cells":["web","web:2",3,"[80,81]",80,true,null,null,null,"24h",null,1],"object":null},` +
		`{"cells":["db",null,null,null,null,null,null,null,null,null,null,0],"object":null}]}`; !strings.HasSuffix(table, want) {
		t.Errorf("got  %s\nwant %s at the end", table, want)
	}
	out, err := s.ConvertTo(parse(t, web), schema.GroupVersion{Group: "shop.example.com", Version: "v2"})
	if u, ok := out.(*unstructured.Object); err != nil || !ok || u.APIVersion() != "shop.example.com/v2" {
		t.Errorf("got %v, %v", out, err)
	}
	if _, err := s.ConvertTo(parse(t, web), v1.GroupVersion); err == nil {
		t.Error("it was converted to a group that does not have the kind")
	}
	if without, err := s.Without(schema.GroupVersion{Group: "shop.example.com"}); err != nil {
		t.Error(err)
	} else if _, ok := without.Lookup(rolloutKind); ok {
		t.Error("the kind is still there")
	}

	f, err := serializer.NewFactory(s, json.Format(), protobuf.Format())
	if err != nil {
		t.Fatal(err)
	}
	// kinds beside those that are registered stay what they are
	obj, err := f.Decode([]byte(web))
	if _, ok := obj.(*unstructured.Object); err != nil || !ok {
		t.Errorf("got %T, %v", obj, err)
	}
	if k, err := s.KindOf(parse(t, `{"apiVersion":"a/v1","kind":"X"}`)); err != nil || k.Name() != "X" {
		t.Errorf("got %v, %v", k, err)
	}
	for _, tt := range []struct{ name, accept, list, want string }{
		{"table", "application/json;as=Table", webs, `{"kind":"Table","apiVersion":"meta.k8s.io/v1",`},
		{
			"metadata in protobuf", "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
			webs,
			"k8s\x00",
		},
		{
			"another version", "application/json;v=v2", webs,
			`{"apiVersion":"shop.example.com/v2","items":[{"apiVersion":"shop.example.com/v2","kind":"Rollout",`,
		},
		{
			"export", "application/json;export=1", webs,
			`{"apiVersion":"shop.example.com/v1","items":[{"apiVersion":"shop.example.com/v1","kind":"Rollout","metadata":{"labels":{"tier":"1"},"name":"web"},"spec":`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			rep, err := f.Negotiate([]string{tt.accept},
				serializer.Offer{Kind: first.Kind.GroupVersion().WithKind("RolloutList")})
			if err != nil {
				t.Fatal(err)
			}
			got, err := rep.Append(nil, parse(t, tt.list))
			if err != nil || !strings.HasPrefix(string(got), tt.want) {
				t.Errorf("got %s, %v", got, err)
			}
			var written strings.Builder
			if err := rep.Encode(&written, parse(t, tt.list)); err != nil || written.String() != string(got) {
				t.Errorf("as a list %s, %v\nwant %s", written.String(), err, got)
			}
			// an event of a watch holds one item
			if _, err := rep.Append(nil, parse(t, web)); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestBadViews lists registrations that cannot be meant.
func TestBadViews(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		add  func(*runtime.Builder)
		want string
	}{
		{"nil", func(b *runtime.Builder) { runtime.AddViews(b, rolloutKind, nil) }, "they are nil"},
		{
			"unknown", func(b *runtime.Builder) { runtime.AddViews(b, rolloutKind, unstructured.Views()) },
			"the kind is not registered",
		},
		{
			"typed", func(b *runtime.Builder) {
				v1.AddTo(b)
				runtime.AddViews(b, v1.GroupVersion.WithKind("Machine"), unstructured.Views())
			}, "use AddAs",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if _, err := runtime.NewScheme(tt.add); !errors.Is(err, runtime.ErrConflict) ||
				!strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func TestWriteKnownKindInProtobuf(t *testing.T) {
	t.Parallel()
	s, err := runtime.NewScheme(corev1.AddTo, metav1.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	f, err := serializer.NewFactory(s, json.Format(), protobuf.Format())
	if err != nil {
		t.Fatal(err)
	}
	rep, err := f.Negotiate([]string{"application/vnd.kubernetes.protobuf"},
		serializer.Offer{Kind: corev1.GroupVersion.WithKind("Pod")})
	if err != nil {
		t.Fatal(err)
	}
	text := `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"m"}}`
	got, err := rep.Append(nil, parse(t, text))
	if err != nil {
		t.Fatal(err)
	}
	obj, err := f.Decode(got)
	if m, ok := obj.(*corev1.Pod); err != nil || !ok || m.Name != "m" {
		t.Errorf("got %v, %v", obj, err)
	}
}
