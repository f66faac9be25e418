package runtime_test

import (
	"slices"
	"testing"

	"github.com/askind/askind/conversion"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire/jsonwire"
	"github.com/askind/askind/wire/pbwire"
)

// The kinds of this file: a Bolt in two versions, stored in the newer one, a Tag that shows
// its metadata and a Sheet that shows a list of them. What is claimed of them differs from test to
// test.

type (
	Bolt    struct{ Shape[int64] }
	OldBolt struct{ Shape[string] }
	Tag     struct{ Shape[struct{}] }
	Sheet   struct {
		Shape[struct{}]
		Sizes []int64
	}
)

func boltSpec() *runtime.KindSpec[Bolt] {
	return &runtime.KindSpec[Bolt]{
		GroupVersionKind: v1.WithKind("Bolt"), TypeMeta: func(o *Bolt) (apiVersion,
			kind *string,
		) {
			return &o.APIVersion, &o.Kind
		},
		Metadata: func(o *Bolt) any { return &o.Meta },
		Encoded: runtime.Encoded[Bolt]{
			DecodeJSONMetadata: func(r *jsonwire.Reader, out *Bolt) { out.Meta.Name = r.String(out.Meta.Name) },
			DecodeProtoMetadata: func(r *pbwire.Reader, out *Bolt) {
				for r.Next() {
					out.Meta.Name = r.String()
				}
			},
			ProtoMetadata: 3, Undefaulted: true,
		},
	}
}

func oldToBolt(in *OldBolt, out *Bolt, _ *conversion.Scope) error {
	out.Meta, out.Size = in.Meta, int64(len(in.Size))
	return nil
}

func boltToOld(in *Bolt, out *OldBolt, _ *conversion.Scope) error {
	out.Meta = in.Meta
	return nil
}

func boltAsTag(in *Bolt, out *Tag, _ *conversion.Scope) error {
	out.Meta = in.Meta
	return nil
}

func boltAsSheet(in *Bolt, out *Sheet, _ *conversion.Scope) error {
	out.Sizes = append(out.Sizes, in.Size)
	out.Tags = append(out.Tags, in.Kind)
	return nil
}

func beginSheet(out *Sheet, _ *conversion.Scope) error {
	out.Sizes = []int64{}
	return nil
}

var boltPartial = runtime.Partial[Bolt, Sheet]{
	As:         boltAsSheet,
	Fields:     []string{"size"},
	DecodeJSON: func(r *jsonwire.Reader, out *Bolt, name []byte) { out.Size = r.Int64(int64(len(name))) },
}

// bolts registers the kinds with the claims.
func bolts(spec *runtime.KindSpec[Bolt], claims ...func(*runtime.Builder)) func(*runtime.Builder) {
	return func(b *runtime.Builder) {
		runtime.AddKind(b, spec)
		runtime.AddKind(b, &runtime.KindSpec[OldBolt]{
			GroupVersionKind: alpha.WithKind("Bolt"), TypeMeta: func(o *OldBolt) (apiVersion,
				kind *string,
			) {
				return &o.APIVersion, &o.Kind
			},
			Encoded: runtime.Encoded[OldBolt]{DecodeJSONMetadata: func(r *jsonwire.Reader,
				out *OldBolt,
			) {
				out.Meta.Name = r.String("")
			}},
		})
		runtime.AddKind(b, &runtime.KindSpec[Tag]{
			GroupVersionKind: views.WithKind("Tag"),
			TypeMeta:         func(o *Tag) (apiVersion, kind *string) { return &o.APIVersion, &o.Kind },
		})
		runtime.AddKind(b, &runtime.KindSpec[Sheet]{
			GroupVersionKind: views.WithKind("Sheet"), TypeMeta: func(o *Sheet) (apiVersion,
				kind *string,
			) {
				return &o.APIVersion, &o.Kind
			}, Metadata: func(o *Sheet) any { return &o.Meta },
		})
		runtime.AddConversion(b, oldToBolt)
		runtime.AddConversion(b, boltToOld)
		runtime.AddAs(b, boltAsTag, runtime.MetadataOnly())
		runtime.AddAs(b, boltAsSheet, runtime.CollectItems(beginSheet))
		for _, claim := range claims {
			claim(b)
		}
	}
}

func mustScheme(t *testing.T, groups ...func(*runtime.Builder)) *runtime.Scheme {
	t.Helper()
	s, err := runtime.NewScheme(groups...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// projection looks up a projection of bolts of a version.
func projection(t *testing.T, s *runtime.Scheme, from schema.GroupVersion, to string,
	versions ...schema.GroupVersion,
) *runtime.Projection {
	t.Helper()
	k, err := s.Kind(from.WithKind("Bolt"))
	if err != nil {
		t.Fatal(err)
	}
	return s.Projection(k, views.WithKind(to), versions...)
}

// TestProjectionProof checks that a projection is there exactly if each step of the way says what
// it does.
func TestProjectionProof(t *testing.T) {
	t.Parallel()
	keep := func(b *runtime.Builder) { runtime.KeepMetadata(b, oldToBolt) }
	partial := func(b *runtime.Builder) { runtime.AddPartial(b, &boltPartial) }
	part := func(b *runtime.Builder) {
		runtime.AddConversionPart(b, &runtime.ConversionPart[OldBolt, Bolt, Sheet]{
			Of: oldToBolt, As: boltAsSheet, Convert: oldToBolt, Fields: []string{"size"},
			DecodeJSON: func(r *jsonwire.Reader, out *OldBolt, _ []byte) { out.Size = r.String("") },
		})
		keep(b)
	}
	bare := boltSpec()
	bare.Encoded = runtime.Encoded[Bolt]{}
	for name, tt := range map[string]struct {
		spec     *runtime.KindSpec[Bolt]
		claims   []func(*runtime.Builder)
		from     schema.GroupVersion
		to       string
		versions []schema.GroupVersion
		want     bool
	}{
		"metadata": {spec: boltSpec(), from: v1, to: "Tag", want: true},
		"metadata in the same version": {
			spec: boltSpec(), from: v1, to: "Tag",
			versions: []schema.GroupVersion{v1}, want: true,
		},
		"undeclared metadata": {spec: bare, from: v1, to: "Tag"},
		"metadata of another version": {
			spec: boltSpec(), claims: []func(*runtime.Builder){keep},
			from: alpha, to: "Tag", versions: []schema.GroupVersion{v1}, want: true,
		},
		"metadata, and the scheme finds the way": {
			spec: boltSpec(), claims: []func(*runtime.Builder){keep},
			from: alpha, to: "Tag", want: true,
		},
		"metadata through an unknown conversion": {
			spec: boltSpec(), from: alpha, to: "Tag",
			versions: []schema.GroupVersion{v1},
		},
		"metadata through one that is, and one not": {
			spec: boltSpec(), claims: []func(*runtime.Builder){keep},
			from: v1, to: "Tag", versions: []schema.GroupVersion{alpha, v1},
		},
		"an unknown version": {
			spec: boltSpec(), from: v1, to: "Tag",
			versions: []schema.GroupVersion{beta},
		},
		"an unknown target": {spec: boltSpec(), from: v1, to: "Label"},
		"a sheet": {
			spec: boltSpec(), claims: []func(*runtime.Builder){partial},
			from: v1, to: "Sheet", want: true,
		},
		"an undeclared sheet": {spec: boltSpec(), from: v1, to: "Sheet"},
		"a sheet of another version": {
			spec: boltSpec(), claims: []func(*runtime.Builder){part},
			from: alpha, to: "Sheet", versions: []schema.GroupVersion{v1}, want: true,
		},
		"a sheet through an unknown conversion": {
			spec: boltSpec(), claims: []func(*runtime.Builder){partial, keep},
			from: alpha, to: "Sheet", versions: []schema.GroupVersion{v1},
		},
		"a sheet through two conversions": {
			spec: boltSpec(), claims: []func(*runtime.Builder){partial, part},
			from: v1, to: "Sheet", versions: []schema.GroupVersion{alpha, v1},
		},
	} {
		s := mustScheme(t, bolts(tt.spec, tt.claims...))
		p := projection(t, s, tt.from, tt.to, tt.versions...)
		if (p != nil) != tt.want {
			t.Errorf("%s: got %v", name, p)
		}
		if p != nil && (p.From().GroupVersion() != tt.from ||
			p.MetadataOnly() != (tt.to == "Tag")) {
			t.Errorf("%s: got one from %v", name, p.From())
		}
	}
	// Who replaces the conversion gets no projection through it.
	other := func(in *OldBolt, out *Bolt, s *conversion.Scope) error { return oldToBolt(in, out, s) }
	s := mustScheme(t, func(b *runtime.Builder) {
		runtime.AddKind(b, boltSpec())
		runtime.AddKind(b, &runtime.KindSpec[OldBolt]{GroupVersionKind: alpha.WithKind("Bolt")})
		runtime.AddKind(b, &runtime.KindSpec[Tag]{GroupVersionKind: views.WithKind("Tag")})
		runtime.AddConversion(b, other)
		runtime.AddAs(b, boltAsTag, runtime.MetadataOnly())
		keep(b)
	})
	if p := projection(t, s, alpha, "Tag", v1); p != nil {
		t.Error("a claim about another function was taken for one about this")
	}
}

// TestProjection checks that a projection shows what is shown of whole objects.
func TestProjection(t *testing.T) {
	t.Parallel()
	s := mustScheme(t, bolts(boltSpec(), func(b *runtime.Builder) {
		runtime.AddPartial(b, &boltPartial)
		runtime.AddConversionPart(b, &runtime.ConversionPart[OldBolt, Bolt, Sheet]{
			Of: oldToBolt, As: boltAsSheet, Convert: oldToBolt, Fields: []string{"size"},
			DecodeJSON: func(r *jsonwire.Reader, out *OldBolt, _ []byte) { out.Size = r.String("") },
		})
		runtime.KeepMetadata(b, oldToBolt)
	}))
	for _, from := range []schema.GroupVersion{v1, alpha} {
		p := projection(t, s, from, "Sheet", v1)
		if p.HasProto() || p.HasJSON() == false || p.As().GroupVersion() != v1 {
			t.Fatalf("%v: JSON %v, protobuf %v, as %v", from, p.HasJSON(), p.HasProto(), p.As())
		}
		if from == v1 && !slices.Equal(p.Fields(), []string{"size"}) {
			t.Errorf("fields %q", p.Fields())
		}
		whole, err := p.Collector().Begin(nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{"12", "345"} {
			if from == alpha {
				text = `"` + text + `"`
			}
			obj := p.From().New()
			p.DecodeJSON(jsonwire.NewReader([]byte(text), jsonwire.Options{}), obj, []byte("size"))
			if err := p.Add(obj, whole, nil); err != nil {
				t.Fatal(err)
			}
		}
		k, out, err := p.Collector().Finish(whole, &Meta{Name: "all"}, nil)
		if err != nil || k.Name() != "Sheet" {
			t.Fatal(k, err)
		}
		want := []int64{12, 345}
		if from == alpha {
			want = []int64{2, 3}
		}
		sheet := out.(*Sheet)
		if !slices.Equal(sheet.Sizes, want) || sheet.Meta.Name != "all" || sheet.Kind != "Sheet" ||
			sheet.Tags[0] != "Bolt" {
			t.Errorf("%v: got %+v", from, sheet)
		}
	}
	bolt, err := s.Kind(v1.WithKind("Bolt"))
	if err != nil {
		t.Fatal(err)
	}
	if c := s.Collector(bolt, views.WithKind("Tag")); c != nil {
		t.Error("there is a collector to a kind that collects nothing")
	}
	c := s.Collector(bolt, views.WithKind("Sheet"))
	whole, err := c.Begin(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Add(&Bolt{Shape[int64]{Size: 7}}, whole, nil); err != nil || whole.(*Sheet).Sizes[0] != 7 {
		t.Errorf("%v, %+v", err, whole)
	}
	if err := c.Add(&Tag{}, whole, nil); err == nil {
		t.Error("an object of another kind was added")
	}
}

// TestEncoded reads metadata alone.
func TestEncoded(t *testing.T) {
	t.Parallel()
	s := mustScheme(t, bolts(boltSpec()))
	bolt, _ := s.Kind(v1.WithKind("Bolt"))
	p := projection(t, s, v1, "Tag")
	bare := boltSpec()
	bare.Encoded = runtime.Encoded[Bolt]{}
	without := projection(t, mustScheme(t, bolts(bare, func(b *runtime.Builder) {
		runtime.AddPartial(b, &boltPartial)
	})), v1, "Sheet")
	obj := &Bolt{Shape[int64]{Size: 1}}
	if !p.DecodeJSONMetadata(jsonwire.NewReader([]byte(`"a"`), jsonwire.Options{}), obj) || obj.Meta.Name != "a" {
		t.Errorf("got %+v", obj)
	}
	if !p.DecodeProtoMetadata(pbwire.NewReader([]byte{10, 1, 'b'}, pbwire.Options{}), obj) || obj.Meta.Name != "b" ||
		bolt.Info().ProtoMetadata != 3 {
		t.Errorf("got %+v", obj)
	}
	if p.DecodeJSONMetadata(nil, &Tag{}) || p.DecodeProtoMetadata(nil, &Tag{}) ||
		without.DecodeJSONMetadata(nil, obj) || without.DecodeProtoMetadata(nil, obj) {
		t.Error("something was read that cannot be")
	}
}

// TestUndefaulted checks that functions without claims may set anything.
func TestUndefaulted(t *testing.T) {
	t.Parallel()
	with := boltSpec()
	with.Default = func(*Bolt) error { return nil }
	for name, tt := range map[string]struct {
		spec   *runtime.KindSpec[Bolt]
		reads  bool
		more   func(*runtime.Builder)
		to     string
		wanted bool
	}{
		"none":                   {spec: boltSpec(), to: "Tag", wanted: true},
		"metadata is left alone": {spec: with, to: "Tag", wanted: true},
		"another function": {
			spec: boltSpec(), to: "Tag",
			more: func(b *runtime.Builder) { runtime.AddDefault(b, func(*Bolt) error { return nil }) },
		},
		"fields may be set":     {spec: with, to: "Sheet"},
		"fields are left alone": {spec: with, to: "Sheet", reads: true, wanted: true},
		"fields, another function": {
			spec: with, to: "Sheet", reads: true,
			more: func(b *runtime.Builder) { runtime.AddDefault(b, func(*Bolt) error { return nil }) },
		},
	} {
		partial := boltPartial
		partial.Undefaulted = tt.reads
		s := mustScheme(t, bolts(tt.spec, func(b *runtime.Builder) {
			runtime.AddPartial(b,
				&partial)
		}, func(b *runtime.Builder) {
			if tt.more != nil {
				tt.more(b)
			}
		}))
		if got := projection(t, s, v1, tt.to).Undefaulted(); got != tt.wanted {
			t.Errorf("%s: got %v", name, got)
		}
	}
}
