package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/askind/askind/conversion"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire/jsonwire"
)

// The kinds of these tests: a Gadget in three versions of the group toys.example.com, whose middle
// version is the hub; a Toy of another group that holds the same data; and two kinds to show
// gadgets as, a Brief for each and a Roll for all of a list.

type TypeMeta struct{ Kind, APIVersion string }

type Meta struct {
	Name   string
	Labels map[string]string
}

type ListMeta struct{ Version *string }

type Shape[Size any] struct {
	TypeMeta
	Meta Meta
	Size Size
	Tags []string
}

type ShapeList[G any] struct {
	TypeMeta
	Meta  ListMeta
	Items []G
}

type (
	GadgetAlpha     struct{ Shape[string] }
	GadgetBeta      struct{ Shape[int32] }
	Gadget          struct{ Shape[int64] }
	Toy             struct{ Shape[int64] }
	Brief           struct{ Shape[struct{}] }
	Roll            struct{ Shape[struct{}] }
	GadgetAlphaList struct{ ShapeList[GadgetAlpha] }
	GadgetBetaList  struct{ ShapeList[GadgetBeta] }
	GadgetList      struct{ ShapeList[Gadget] }
	ToyList         struct{ ShapeList[Toy] }
	BriefList       struct{ ShapeList[Brief] }
)

var (
	alpha = schema.GroupVersion{Group: "toys.example.com", Version: "v1alpha1"}
	beta  = schema.GroupVersion{Group: "toys.example.com", Version: "v1beta1"}
	v1    = schema.GroupVersion{Group: "toys.example.com", Version: "v1"}
	shop  = schema.GroupVersion{Group: "shop.example.com", Version: "v1"}
	views = schema.GroupVersion{Group: "views.example.com", Version: "v1"}
)

var gadgetSpec = runtime.KindSpec[Gadget]{
	GroupVersionKind: v1.WithKind("Gadget"), Source: "toys/v1/types.go:7", Resource: "gadgets",
	ShortNames: []string{"gd"}, List: "GadgetList", Storage: true,
	TypeMeta: func(o *Gadget) (apiVersion, kind *string) { return &o.APIVersion, &o.Kind },
	Metadata: func(o *Gadget) any { return &o.Meta },
	DeepCopyInto: func(in, out *Gadget) {
		*out = *in
		out.Meta.Labels, out.Tags = maps.Clone(in.Meta.Labels), slices.Clone(in.Tags)
	},
	AppendJSONFields: func(dst []byte, in *Gadget) ([]byte, error) {
		dst = jsonwire.AppendString(append(dst, `,"name":`...), in.Meta.Name)
		return jsonwire.AppendInt(append(dst, `,"size":`...), in.Size), nil
	},
	DecodeJSON: func(r *jsonwire.Reader, out *Gadget) {
		for key := r.Object(); key != nil; key = r.NextKey() {
			switch string(key) {
			case "name":
				out.Meta.Name = r.String(out.Meta.Name)
			case "size":
				out.Size = r.Int64(out.Size)
			default:
				r.Unknown(key, []string{"name", "size"})
			}
		}
	},
	Default: func(o *Gadget) error {
		if o.Size == 0 {
			o.Size = 1
		}
		return nil
	},
	Validate: func(_ context.Context, o *Gadget) runtime.FieldErrors {
		if o.Size >= 0 {
			return nil
		}
		return runtime.FieldErrors{runtime.Invalid(schema.NewPath("size"), o.Size, "must not be negative")}
	},
}

func addAlpha(b *runtime.Builder) {
	runtime.AddKind(b, &runtime.KindSpec[GadgetAlpha]{
		GroupVersionKind: alpha.WithKind("Gadget"), Resource: "gadgets", List: "GadgetList",
		TypeMeta: func(o *GadgetAlpha) (apiVersion, kind *string) { return &o.APIVersion, &o.Kind },
	})
	runtime.AddKind(b, &runtime.KindSpec[GadgetAlphaList]{
		GroupVersionKind: alpha.WithKind("GadgetList"), Item: "Gadget",
		TypeMeta: func(o *GadgetAlphaList) (apiVersion, kind *string) { return &o.APIVersion, &o.Kind },
		Metadata: func(o *GadgetAlphaList) any { return &o.Meta },
		Items:    func(o *GadgetAlphaList) runtime.Items { return (*runtime.Slice[GadgetAlpha])(&o.Items) },
	})
	runtime.AddConversion(b, alphaToBeta)
	runtime.AddConversion(b, betaToAlpha)
}

func addBeta(b *runtime.Builder) {
	runtime.AddKind(b, &runtime.KindSpec[GadgetBeta]{
		GroupVersionKind: beta.WithKind("Gadget"), Resource: "gadgets", List: "GadgetList",
		TypeMeta: func(o *GadgetBeta) (apiVersion, kind *string) { return &o.APIVersion, &o.Kind },
	})
	runtime.AddKind(b, &runtime.KindSpec[GadgetBetaList]{
		GroupVersionKind: beta.WithKind("GadgetList"), Item: "Gadget",
		TypeMeta: func(o *GadgetBetaList) (apiVersion, kind *string) { return &o.APIVersion, &o.Kind },
		Metadata: func(o *GadgetBetaList) any { return &o.Meta },
		Items:    func(o *GadgetBetaList) runtime.Items { return (*runtime.Slice[GadgetBeta])(&o.Items) },
	})
}

func addV1(b *runtime.Builder) {
	addV1Kinds(b)
	runtime.AddAs(b, gadgetAsRoll,
		runtime.CollectItems(func(out *Roll, _ *conversion.Scope) error { out.Meta.Name = "all"; return nil }))
}

// addV1Kinds is addV1 without the way to a Roll.
func addV1Kinds(b *runtime.Builder) {
	runtime.AddKind(b, &gadgetSpec)
	runtime.AddKind(b, &runtime.KindSpec[GadgetList]{
		GroupVersionKind: v1.WithKind("GadgetList"), Item: "Gadget",
		TypeMeta: func(o *GadgetList) (apiVersion, kind *string) { return &o.APIVersion, &o.Kind },
		Metadata: func(o *GadgetList) any { return &o.Meta },
		Items:    func(o *GadgetList) runtime.Items { return (*runtime.Slice[Gadget])(&o.Items) },
	})
	runtime.AddConversion(b, betaToV1)
	runtime.AddConversion(b, v1ToBeta, conversion.Loss{Path: "size", Reason: "32 bits"})
	runtime.AddAs(b, gadgetAsBrief, runtime.UpdateFromView(gadgetFromBrief))
}

func addShop(b *runtime.Builder) {
	runtime.AddKind(b, &runtime.KindSpec[Toy]{
		GroupVersionKind: shop.WithKind("Toy"), Resource: "toys", List: "ToyList",
		TypeMeta: func(o *Toy) (apiVersion, kind *string) { return &o.APIVersion, &o.Kind },
	})
	runtime.AddKind(b, &runtime.KindSpec[ToyList]{
		GroupVersionKind: shop.WithKind("ToyList"), Item: "Toy",
		TypeMeta: func(o *ToyList) (apiVersion, kind *string) { return &o.APIVersion, &o.Kind },
		Items:    func(o *ToyList) runtime.Items { return (*runtime.Slice[Toy])(&o.Items) },
	})
	runtime.AddConversion(b, v1ToToy)
	runtime.AddConversion(b, toyToV1)
}

func addViews(b *runtime.Builder) {
	runtime.AddKind(b, &runtime.KindSpec[Brief]{
		GroupVersionKind: views.WithKind("Brief"), List: "BriefList",
		TypeMeta: func(o *Brief) (apiVersion, kind *string) { return &o.APIVersion, &o.Kind },
	})
	runtime.AddKind(b, &runtime.KindSpec[BriefList]{
		GroupVersionKind: views.WithKind("BriefList"), Item: "Brief",
		TypeMeta: func(o *BriefList) (apiVersion, kind *string) { return &o.APIVersion, &o.Kind },
		Metadata: func(o *BriefList) any { return &o.Meta },
		Items:    func(o *BriefList) runtime.Items { return (*runtime.Slice[Brief])(&o.Items) },
	})
	runtime.AddKind(b, &runtime.KindSpec[Roll]{
		GroupVersionKind: views.WithKind("Roll"),
		TypeMeta:         func(o *Roll) (apiVersion, kind *string) { return &o.APIVersion, &o.Kind },
	})
}

var all = []func(*runtime.Builder){addAlpha, addBeta, addV1, addShop, addViews}

// move carries over what all versions of a gadget have in common. A gadget with the label lossy
// drops a carried value each time.
func move[A, B any](in *Shape[A], out *Shape[B], s *conversion.Scope) {
	out.Meta, out.Tags = in.Meta, in.Tags
	if in.Meta.Labels["lossy"] != "" {
		s.Dropped(conversion.DroppedValue{Path: "tags"})
	}
	if !s.Sharing() {
		out.Meta.Labels, out.Tags = maps.Clone(in.Meta.Labels), slices.Clone(in.Tags)
	}
}

func alphaToBeta(in *GadgetAlpha, out *GadgetBeta, s *conversion.Scope) error {
	move(&in.Shape, &out.Shape, s)
	n, err := strconv.ParseInt(in.Size, 10, 32)
	out.Size = int32(n)
	return schema.AtField(err, "size")
}

func betaToAlpha(in *GadgetBeta, out *GadgetAlpha, s *conversion.Scope) error {
	move(&in.Shape, &out.Shape, s)
	out.Size = strconv.Itoa(int(in.Size))
	return nil
}

func betaToV1(in *GadgetBeta, out *Gadget, s *conversion.Scope) error {
	move(&in.Shape, &out.Shape, s)
	out.Size = int64(in.Size)
	return nil
}

func v1ToBeta(in *Gadget, out *GadgetBeta, s *conversion.Scope) error {
	move(&in.Shape, &out.Shape, s)
	if in.Size != int64(int32(in.Size)) {
		return schema.AtField(conversion.ErrOutOfRange, "size")
	}
	out.Size = int32(in.Size)
	return nil
}

func v1ToToy(in *Gadget, out *Toy, s *conversion.Scope) error {
	move(&in.Shape, &out.Shape, s)
	out.Size = in.Size
	return nil
}

func toyToV1(in *Toy, out *Gadget, s *conversion.Scope) error {
	move(&in.Shape, &out.Shape, s)
	out.Size = in.Size
	return nil
}

func gadgetAsBrief(in *Gadget, out *Brief, s *conversion.Scope) error {
	move(&in.Shape, &out.Shape, s)
	out.Tags = nil
	return nil
}

var errStale = errors.New("stale")

func gadgetFromBrief(in *Brief, out *Gadget, _ *conversion.Scope) error {
	if in.Meta.Name != out.Meta.Name {
		return errStale
	}
	out.Meta.Labels = maps.Clone(in.Meta.Labels)
	return nil
}

func gadgetAsRoll(in *Gadget, out *Roll, s *conversion.Scope) error {
	prefix, _ := s.Options().(string)
	out.Tags = append(out.Tags, fmt.Sprintf("%s%s=%d", prefix, in.Meta.Name, in.Size))
	return nil
}
