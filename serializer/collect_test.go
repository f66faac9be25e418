package serializer_test

import (
	"bytes"
	"strconv"
	"strings"
	"testing"

	"github.com/askind/askind/conversion"
	"github.com/askind/askind/examples/fleet/api/fleet/v1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/cbor"
	"github.com/askind/askind/serializer/json"
	"github.com/askind/askind/serializer/json/reflectjson"
	"github.com/askind/askind/serializer/protobuf"
	"github.com/askind/askind/serializer/yaml"
	"github.com/askind/askind/wire/pbwire"
)

// invoice shows a whole list of machines: a line for each, and sums.
type invoice struct {
	metav1.TypeMeta `json:",inline"`
	Lines           []string `json:"lines"`
	Total           int      `json:"total"`
	Note            string   `json:"note"`
}

// summary shows an invoice by a number alone.
type summary struct {
	metav1.TypeMeta `json:",inline"`
	Count           int `json:"count"`
}

func addInvoice(b *runtime.Builder) {
	gv := v1.GroupVersion
	runtime.AddKind(b, reflectjson.Complete(runtime.KindSpec[invoice]{
		GroupVersionKind: gv.WithKind("Invoice"),
		TypeMeta:         func(o *invoice) (apiVersion, kind *string) { return &o.APIVersion, &o.Kind },
	}))
	runtime.AddKind(b, reflectjson.Complete(runtime.KindSpec[summary]{
		GroupVersionKind: gv.WithKind("Summary"),
		TypeMeta:         func(o *summary) (apiVersion, kind *string) { return &o.APIVersion, &o.Kind },
	}))
	runtime.AddAs(b, func(in *v1.Machine, out *invoice, _ *conversion.Scope) error {
		out.Lines = append(out.Lines, in.Name)
		out.Total += 2
		return nil
	}, runtime.CollectItems(func(out *invoice, _ *conversion.Scope) error {
		out.Lines = []string{}
		return nil
	}), runtime.FinishItems(func(out *invoice, _ *conversion.Scope) error {
		out.Note = strconv.Itoa(len(out.Lines)) + " lines"
		return nil
	}))
	runtime.AddAs(b, func(_ *invoice, out *summary, _ *conversion.Scope) error {
		out.Count++
		return nil
	})
}

// TestCollectedLists checks that a list written item by item has the bytes of the whole for kinds
// that sum something up beside their list.
func TestCollectedLists(t *testing.T) {
	t.Parallel()
	scheme, err := newFleet(t).Scheme().With(addInvoice)
	if err != nil {
		t.Fatal(err)
	}
	f, err := serializer.NewFactory(scheme, json.Format(), yaml.Format(), cbor.Format())
	if err != nil {
		t.Fatal(err)
	}
	list := &v1.MachineList{Items: []v1.Machine{*named("a", "1"), *named("b", "2"), *named("c", "3")}}
	for _, as := range []string{"Invoice", "Summary", "Table", "TabularOutput", "PartialObjectMetadata"} {
		for _, media := range []string{"application/json", "application/yaml", "application/cbor"} {
			t.Run(as+"/"+media, func(t *testing.T) {
				t.Parallel()
				rep, err := f.Negotiate([]string{media + ";as=" + as},
					serializer.Offer{Kind: v1.GroupVersion.WithKind("MachineList")})
				if err != nil {
					t.Fatal(err)
				}
				want, err := rep.Append(nil, list)
				if err != nil {
					t.Fatal(err)
				}
				var got bytes.Buffer
				if err := rep.Encode(&got, list); err != nil || !bytes.Equal(got.Bytes(), want) {
					t.Errorf("Encode: %v\n%q\nwant\n%q", err, got.Bytes(), want)
				}
				got.Reset()
				k, _ := scheme.KindOf(list)
				if err := rep.EncodeItems(&got, &v1.MachineList{}, sequence(t, k, list)); err != nil ||
					!bytes.Equal(got.Bytes(), want) {
					t.Errorf("EncodeItems: %v\n%q\nwant\n%q", err, got.Bytes(), want)
				}
				if as == "Invoice" && media == "application/json" &&
					!strings.Contains(string(want), `"lines":["a","b","c"],"total":6,"note":"3 lines"`) {
					t.Errorf("got %s", want)
				}
			})
		}
	}
}

// TestTableAroundRows checks that a table is written correctly if more than its rows depends on the
// items.
func TestTableAroundRows(t *testing.T) {
	t.Parallel()
	newRepresentation := func(t *testing.T, from string) *serializer.Representation {
		t.Helper()
		scheme, err := runtime.NewScheme(metav1.AddTo, metav1.AddCoreTo, func(b *runtime.Builder) {
			gv := schema.GroupVersion{Group: "shop.example.com", Version: "v1"}
			runtime.AddKind(b, reflectjson.Complete(runtime.KindSpec[good]{
				GroupVersionKind: gv.WithKind("Good"), List: "GoodList",
				TypeMeta: func(o *good) (apiVersion, kind *string) { return &o.APIVersion, &o.Kind },
			}))
			runtime.AddKind(b, reflectjson.Complete(runtime.KindSpec[goodList]{
				GroupVersionKind: gv.WithKind("GoodList"), Item: "Good",
				TypeMeta: func(o *goodList) (apiVersion, kind *string) { return &o.APIVersion, &o.Kind },
				Items:    func(o *goodList) runtime.Items { return (*runtime.Slice[good])(&o.Items) },
			}))
			runtime.AddAs(b, func(in *good, out *metav1.Table, _ *conversion.Scope) error {
				if in.Name >= from {
					out.ColumnDefinitions = append(out.ColumnDefinitions, metav1.TableColumnDefinition{Name: in.Name})
				}
				out.Rows = append(out.Rows, metav1.TableRow{Cells: []any{in.Name}})
				return nil
			}, runtime.CollectItems(func(out *metav1.Table, _ *conversion.Scope) error {
				out.Rows = []metav1.TableRow{}
				return nil
			}))
		})
		if err != nil {
			t.Fatal(err)
		}
		f, err := serializer.NewFactory(scheme, json.Format())
		if err != nil {
			t.Fatal(err)
		}
		rep, err := f.Negotiate([]string{"application/json;as=Table"},
			serializer.Offer{Kind: schema.GroupVersionKind{Group: "shop.example.com", Version: "v1", Kind: "GoodList"}})
		if err != nil {
			t.Fatal(err)
		}
		return rep
	}
	list := &goodList{Items: []good{{Name: "a"}, {Name: "b"}}}
	t.Run("from the first", func(t *testing.T) {
		t.Parallel()
		rep := newRepresentation(t, "a")
		want, err := rep.Append(nil, list)
		if err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		if err := rep.Encode(&got, list); err != nil || !bytes.Equal(got.Bytes(), want) {
			t.Errorf("got %s, %v\nwant %s", &got, err, want)
		}
	})
	t.Run("from the second", func(t *testing.T) {
		t.Parallel()
		var got bytes.Buffer
		err := newRepresentation(t, "b").Encode(&got, list)
		if err == nil || !strings.Contains(err.Error(), "as a whole") || got.Len() > 0 {
			t.Errorf("got %s, %v", &got, err)
		}
	})
}

type good struct {
	metav1.TypeMeta `json:",inline"`
	Name            string `json:"name"`
}

type goodList struct {
	metav1.TypeMeta `json:",inline"`
	Items           []good `json:"items"`
}

// memo is an item of lists whose protobuf messages are odd.
type memo struct {
	metav1.TypeMeta `json:",inline"`
	Text            string `json:"text"`
}

type memoList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata"`
	Items           []memo `json:"items"`
}

// TestItemsNotApart refuses to write lists item by item whose messages do not have the items in one
// field of their own.
func TestItemsNotApart(t *testing.T) {
	t.Parallel()
	gv := schema.GroupVersion{Group: "odd.example.com", Version: "v1"}
	for name, write := range map[string]func(w *pbwire.Writer, in *memoList){
		"a field that only lists with items have": func(w *pbwire.Writer, in *memoList) {
			if len(in.Items) > 0 {
				w.Int64(3, int64(len(in.Items)))
			}
			for i := len(in.Items) - 1; i >= 0; i-- {
				w.String(2, in.Items[i].Text)
			}
		},
		"no items": func(*pbwire.Writer, *memoList) {},
	} {
		scheme, err := runtime.NewScheme(metav1.AddTo, func(b *runtime.Builder) {
			runtime.AddKind(b, reflectjson.Complete(runtime.KindSpec[memo]{
				GroupVersionKind: gv.WithKind("Memo"), List: "MemoList",
				TypeMeta:     func(o *memo) (apiVersion, kind *string) { return &o.APIVersion, &o.Kind },
				PrependProto: func(w *pbwire.Writer, in *memo) { w.String(1, in.Text) },
				DecodeProto:  func(r *pbwire.Reader, _ *memo) {},
			}))
			runtime.AddKind(b, reflectjson.Complete(runtime.KindSpec[memoList]{
				GroupVersionKind: gv.WithKind("MemoList"), Item: "Memo",
				TypeMeta:     func(o *memoList) (apiVersion, kind *string) { return &o.APIVersion, &o.Kind },
				Items:        func(o *memoList) runtime.Items { return (*runtime.Slice[memo])(&o.Items) },
				PrependProto: write, DecodeProto: func(r *pbwire.Reader, _ *memoList) {},
			}))
		})
		if err != nil {
			t.Fatal(err)
		}
		f, err := serializer.NewFactory(scheme, protobuf.Format())
		if err != nil {
			t.Fatal(err)
		}
		rep, err := f.Negotiate([]string{"application/vnd.kubernetes.protobuf"}, serializer.Offer{Kind: gv.WithKind("MemoList")})
		if err != nil {
			t.Fatal(err)
		}
		list := &memoList{Items: []memo{{Text: "a"}, {Text: "b"}}}
		k, err := scheme.KindOf(list)
		if err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		err = rep.EncodeItems(&got, &memoList{}, sequence(t, k, list))
		if err == nil || !strings.Contains(err.Error(), "cannot be written item by item") || got.Len() > 0 {
			t.Errorf("%s: got %v and %q", name, err, got.Bytes())
		}
	}
}
