package runtime_test

import (
	"encoding/hex"
	"errors"
	"reflect"
	"testing"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/wire/pbwire"
)

// Widgets are the kind of these tests that has protobuf functions.

type Widget struct {
	TypeMeta
	Name string
	Part runtime.RawExtension
}

type WidgetList struct {
	TypeMeta
	Items []Widget
}

var (
	widgetSpec = runtime.KindSpec[Widget]{
		GroupVersionKind: v1.WithKind("Widget"), List: "WidgetList",
		TypeMeta:     func(o *Widget) (apiVersion, kind *string) { return &o.APIVersion, &o.Kind },
		PrependProto: prependProtoWidget, DecodeProto: decodeProtoWidget,
	}
	widgetListSpec = runtime.KindSpec[WidgetList]{
		GroupVersionKind: v1.WithKind("WidgetList"), Item: "Widget",
		TypeMeta: func(o *WidgetList) (apiVersion, kind *string) { return &o.APIVersion, &o.Kind },
		Items:    func(o *WidgetList) runtime.Items { return (*runtime.Slice[Widget])(&o.Items) },
		PrependProto: func(w *pbwire.Writer, in *WidgetList) {
			for i := len(in.Items) - 1; i >= 0; i-- {
				mark := w.Mark()
				prependProtoWidget(w, &in.Items[i])
				w.Message(2, mark)
			}
		},
		DecodeProto: func(r *pbwire.Reader, out *WidgetList) {
			for r.Next() {
				switch r.Field() {
				case 2:
					r.Item()
					out.Items = pbwire.Extend(r, out.Items)
					saved := r.Message()
					decodeProtoWidget(r, &out.Items[len(out.Items)-1])
					r.EndMessage(saved)
				default:
					r.Unknown()
				}
			}
		},
	}
)

func prependProtoWidget(w *pbwire.Writer, in *Widget) {
	mark := w.Mark()
	runtime.PrependProtoRawExtension(w, &in.Part)
	w.Message(2, mark)
	w.String(1, in.Name)
}

func decodeProtoWidget(r *pbwire.Reader, out *Widget) {
	for r.Next() {
		switch r.Field() {
		case 1:
			out.Name = r.String()
		case 2:
			saved := r.Message()
			runtime.DecodeProtoRawExtension(r, &out.Part)
			r.EndMessage(saved)
		default:
			r.Unknown()
		}
	}
}

func addWidgets(b *runtime.Builder) {
	runtime.AddKind(b, &widgetSpec)
	runtime.AddKind(b, &widgetListSpec)
}

func TestKindProto(t *testing.T) {
	t.Parallel()
	s := newScheme(t, append(all[:len(all):len(all)], addWidgets)...)
	if err := s.Check(); err != nil {
		t.Error(err)
	}
	list, err := s.Kind(v1.WithKind("WidgetList"))
	if err != nil {
		t.Fatal(err)
	}
	in := &WidgetList{Items: []Widget{{Name: "a"}, {Name: "b", Part: runtime.RawExtension{Raw: []byte("{}")}}}}
	w := pbwire.NewWriter(nil)
	if err := list.PrependProto(w, in); err != nil {
		t.Fatal(err)
	}
	if got, want := hex.EncodeToString(w.Bytes()), "12050a016112001209"+"0a0162"+"12040a027b7d"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	obj := list.New()
	r := pbwire.NewReader(w.Bytes(), pbwire.Options{Strict: true})
	if err := list.DecodeProto(r, obj); err != nil || r.Problems() != nil {
		t.Fatal(err, r.Problems())
	}
	if err := list.SetType(in); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(obj, in) || obj.(*WidgetList).Items[1].Kind != "Widget" {
		t.Errorf("got  %+v\nwant %+v", obj, in)
	}
	if !list.Info().Proto {
		t.Error("the kind is said to have no protobuf")
	}
}

func TestKindWithoutProto(t *testing.T) {
	t.Parallel()
	s := newScheme(t, append(all[:len(all):len(all)], addWidgets)...)
	k, err := s.Kind(v1.WithKind("Gadget"))
	if err != nil {
		t.Fatal(err)
	}
	if k.Info().Proto {
		t.Error("a kind without functions is said to have protobuf")
	}
	for _, row := range []struct {
		name string
		err  error
		want error
	}{
		{"writing", k.PrependProto(new(pbwire.Writer), sample()), runtime.ErrNoFunction},
		{"reading", k.DecodeProto(new(pbwire.Reader), sample()), runtime.ErrNoFunction},
		{"writing another type", k.PrependProto(new(pbwire.Writer), &Toy{}), runtime.ErrNotObject},
		{"reading another type", k.DecodeProto(new(pbwire.Reader), &Toy{}), runtime.ErrNotObject},
	} {
		if !errors.Is(row.err, row.want) {
			t.Errorf("%s: got %v, want %v", row.name, row.err, row.want)
		}
	}
	half := widgetSpec
	half.DecodeProto = nil
	half.List = ""
	s = newScheme(t, func(b *runtime.Builder) { runtime.AddKind(b, &half) })
	if err := s.Check(); !errors.Is(err, runtime.ErrConflict) {
		t.Errorf("half of the functions: got %v", err)
	}
}
