package runtime_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/askind/askind/conversion"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/wire/jsonwire"
)

// TestWrongClaims checks that a claim about what is read is refused if it is not whole, or
// contradicts what else is registered.
func TestWrongClaims(t *testing.T) {
	t.Parallel()
	keep := func(b *runtime.Builder) { runtime.KeepMetadata(b, oldToBolt) }
	readOld := func(r *jsonwire.Reader, out *OldBolt, _ []byte) { out.Size = r.String("") }
	part := func(change func(*runtime.ConversionPart[OldBolt, Bolt, Sheet])) func(*runtime.Builder) {
		p := &runtime.ConversionPart[OldBolt, Bolt, Sheet]{
			Of: oldToBolt, As: boltAsSheet, Convert: oldToBolt,
			Fields: []string{"size"}, DecodeJSON: readOld,
		}
		change(p)
		return func(b *runtime.Builder) { runtime.AddConversionPart(b, p) }
	}
	whole := func(change func(*runtime.Partial[Bolt, Sheet])) func(*runtime.Builder) {
		p := boltPartial
		change(&p)
		return func(b *runtime.Builder) { runtime.AddPartial(b, &p) }
	}
	fine := part(func(*runtime.ConversionPart[OldBolt, Bolt, Sheet]) {})
	for _, tt := range []struct {
		name   string
		claims []func(*runtime.Builder)
		want   string // blank if nothing is wrong
	}{
		{"whole", []func(*runtime.Builder){
			keep,
			fine, func(b *runtime.Builder) { runtime.AddPartial(b, &boltPartial) },
		}, ""},
		{"the same twice", []func(*runtime.Builder){keep, fine, fine}, ""},
		{
			"no partial",
			[]func(*runtime.Builder){func(b *runtime.Builder) { runtime.AddPartial[Bolt, Sheet](b, nil) }},
			"it is nil",
		},
		{
			"a partial of nothing",
			[]func(*runtime.Builder){whole(func(p *runtime.Partial[Bolt, Sheet]) { p.As = nil })},
			"As is nil",
		},
		{
			"a partial that reads nothing",
			[]func(*runtime.Builder){whole(func(p *runtime.Partial[Bolt, Sheet]) { p.DecodeJSON = nil })},
			"neither DecodeJSON nor DecodeProto",
		},
		{
			"a partial without paths",
			[]func(*runtime.Builder){whole(func(p *runtime.Partial[Bolt, Sheet]) { p.Fields = nil })},
			"no Fields",
		},
		{"no part", []func(*runtime.Builder){func(b *runtime.Builder) {
			runtime.AddConversionPart[OldBolt, Bolt,
				Sheet](b, nil)
		}}, "it is nil"},
		{"a part of nothing", []func(*runtime.Builder){part(func(p *runtime.ConversionPart[OldBolt, Bolt,
			Sheet],
		) {
			p.Of = nil
		})}, "Of is nil"},
		{
			"a part that is not shown",
			[]func(*runtime.Builder){part(func(p *runtime.ConversionPart[OldBolt, Bolt, Sheet]) { p.As = nil })},
			"As is nil",
		},
		{
			"a part that is not converted",
			[]func(*runtime.Builder){part(func(p *runtime.ConversionPart[OldBolt, Bolt, Sheet]) { p.Convert = nil })},
			"Convert is nil",
		},
		{
			"a part without paths",
			[]func(*runtime.Builder){part(func(p *runtime.ConversionPart[OldBolt, Bolt, Sheet]) { p.Fields = nil })},
			"no Fields",
		},
		{
			"a part whose conversion may change metadata",
			[]func(*runtime.Builder){fine},
			"must be declared with KeepMetadata",
		},
		{
			"two parts that differ",
			[]func(*runtime.Builder){
				keep, fine,
				part(func(p *runtime.ConversionPart[OldBolt, Bolt, Sheet]) { p.Fields = []string{"tags"} }),
			},
			"a different one added at",
		},
	} {
		_, err := runtime.NewScheme(bolts(boltSpec(), tt.claims...))
		all, _ := errors.AsType[interface {
			error
			Unwrap() []error
		}](err)
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("%s: %v", tt.name, err)
		case tt.want != "" && (all == nil || len(all.Unwrap()) != 1 || !strings.Contains(err.Error(), tt.want) ||
			!strings.Contains(err.Error(), "_test.go:")):
			t.Errorf("%s: got %v, want an error with %q and a place", tt.name, err, tt.want)
		}
	}
}

// TestCheckTriesClaims checks that Check finds a claim by which even a new object is shown
// otherwise.
func TestCheckTriesClaims(t *testing.T) {
	t.Parallel()
	number := func(r *jsonwire.Reader, out *Bolt, name []byte) {
		if string(name) == "size" {
			out.Size = r.Int64(0)
		} else {
			r.Skip()
		}
	}
	refuse := errors.New("no parts")
	for _, tt := range []struct {
		name    string
		read    func(r *jsonwire.Reader, out *Bolt, name []byte)
		convert func(in *Bolt, out *OldBolt, s *conversion.Scope) error
		want    string // blank if nothing is wrong
	}{
		{"right", number, boltToOld, ""},
		{
			"reads what is not there", func(r *jsonwire.Reader, out *Bolt,
				_ []byte,
			) {
				r.Skip()
				out.Size = 3
			}, boltToOld,
			"is shown differently",
		},
		{
			"reads another type", func(r *jsonwire.Reader, out *Bolt, _ []byte) { out.Kind = r.String("") }, boltToOld,
			"is shown differently",
		},
		{"converts otherwise", number, func(_ *Bolt, out *OldBolt,
			_ *conversion.Scope,
		) error {
			out.Size = "x"
			return nil
		}, "is shown differently"},
		{"does not convert", number, func(*Bolt, *OldBolt, *conversion.Scope) error { return refuse }, "no parts"},
	} {
		spec := boltSpec()
		spec.AppendJSONFields = func(dst []byte, _ *Bolt) ([]byte, error) { return append(dst, `,"size":0`...), nil }
		spec.DecodeJSON = func(r *jsonwire.Reader, _ *Bolt) { r.Skip() }
		s := mustScheme(t, bolts(spec, func(b *runtime.Builder) {
			runtime.KeepMetadata(b, boltToOld)
			runtime.AddAs(b, oldAsSheet, runtime.CollectItems(beginSheet))
			runtime.AddPartial(b, &runtime.Partial[Bolt, Sheet]{
				As: boltAsSheet, Fields: []string{"size"},
				DecodeJSON: tt.read,
			})
			runtime.AddConversionPart(b, &runtime.ConversionPart[Bolt, OldBolt, Sheet]{
				Of: boltToOld, As: oldAsSheet, Convert: tt.convert, Fields: []string{"size"}, DecodeJSON: number,
			})
		}))
		err := s.Check()
		if found := err != nil && strings.Contains(err.Error(), tt.want); tt.want != "" && !found || tt.want == "" &&
			err != nil {
			t.Errorf("%s: got %v, want %q", tt.name, err, tt.want)
		}
	}
}

func oldAsSheet(in *OldBolt, out *Sheet, _ *conversion.Scope) error {
	out.Sizes = append(out.Sizes, int64(len(in.Size)))
	return nil
}
