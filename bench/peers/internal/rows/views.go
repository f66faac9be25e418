package rows

import (
	"io"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kruntime "k8s.io/apimachinery/pkg/runtime"

	"github.com/askind/askind/bench/peers/internal/compare"
	"github.com/askind/askind/bench/peers/internal/kubefleet"
	"github.com/askind/askind/conversion"
	"github.com/askind/askind/examples/fleet/api/fleet/v1"
	ourmeta "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
)

// metadataOf does what an API server does for as=PartialObjectMetadataList: it copies the metadata
// of every item and states the type.
func metadataOf(list kruntime.Object) (*metav1.PartialObjectMetadataList, error) {
	li, err := meta.ListAccessor(list)
	if err != nil {
		return nil, err
	}
	out := &metav1.PartialObjectMetadataList{Items: make([]metav1.PartialObjectMetadata, 0, meta.LenList(list))}
	out.ResourceVersion, out.Continue, out.RemainingItemCount, out.SelfLink = li.GetResourceVersion(), li.GetContinue(),
		li.GetRemainingItemCount(), li.GetSelfLink()
	gvk := metav1.SchemeGroupVersion.WithKind("PartialObjectMetadata")
	err = meta.EachListItem(list, func(obj kruntime.Object) error {
		m, err := meta.Accessor(obj)
		if err != nil {
			return err
		}
		partial := meta.AsPartialObjectMetadata(m)
		partial.GetObjectKind().SetGroupVersionKind(gvk)
		out.Items = append(out.Items, *partial)
		return nil
	})
	return out, err
}

// now is the time at which the ages of tables are told.
var now = time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)

// tableOf makes the table of machines in the way of the printers of an API server: a row for each
// item with the cells of the printer columns and, as the object of the row, its metadata, which is
// encoded together with the table. The printers are apimachinery's users' own code there; here the
// cells come from the function that was generated for ours, so that nothing but the making of rows
// is distinguished.
func tableOf(list *kubefleet.MachineList, cells func(*v1.Machine) ([]any, error),
	columns []metav1.TableColumnDefinition,
) (*metav1.Table, error) {
	out := &metav1.Table{ColumnDefinitions: columns, Rows: make([]metav1.TableRow, 0, len(list.Items))}
	out.ResourceVersion = list.ResourceVersion
	gvk := metav1.SchemeGroupVersion.WithKind("PartialObjectMetadata")
	var m v1.Machine
	for i := range list.Items {
		item := &list.Items[i]
		m.Spec, m.Status, m.Name = item.Spec, item.Status, item.Name
		m.CreationTimestamp = ourmeta.Time{Time: item.CreationTimestamp.Time}
		row, err := cells(&m)
		if err != nil {
			return nil, err
		}
		partial := meta.AsPartialObjectMetadata(item)
		partial.GetObjectKind().SetGroupVersionKind(gvk)
		out.Rows = append(out.Rows, metav1.TableRow{Cells: row, Object: kruntime.RawExtension{Object: partial}})
	}
	return out, nil
}

func viewRows(w *world) []*compare.Row {
	var out []*compare.Row
	for _, s := range samples() {
		switch s.name {
		case "machines-500", "machines-5000", "pods-500", "pods-5000":
			out = append(out, w.metadataRow(&s, "json"), w.metadataRow(&s, "protobuf"))
		}
	}
	return out
}

// tableRows are lists written as tables to a connection.
func tableRows(w *world) []*compare.Row {
	var out []*compare.Row
	for _, s := range samples() {
		if strings.HasPrefix(s.name, "machines-") {
			out = append(out, w.tableRow(&s))
		}
	}
	return out
}

// oursShows prepares work with a list and the representation that an Accept header asks for.
func (w *world) oursShows(s *sample, accept string,
	work func(*serializer.Representation, runtime.Object) (compare.Work, error),
) compare.Subject {
	return w.oursWith(s, func(obj any) (compare.Work, error) {
		rep, err := w.ours.Negotiate([]string{accept}, serializer.Offer{Kind: s.kind})
		if err != nil {
			return compare.Work{}, err
		}
		return work(rep.With(conversion.ScopeOptions{Now: now, Sharing: true}), obj)
	})
}

// metadataRow shows a list as the metadata of its items and writes that.
func (w *world) metadataRow(s *sample, format string) *compare.Row {
	mediaType := mediaTypes[format]
	row := newRow("Lists shown as other kinds", "as-metadata/"+format+"/"+s.name,
		w.oursShows(s, mediaType+";as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
			func(rep *serializer.Representation, obj runtime.Object) (compare.Work, error) {
				return encoding(func(dst []byte) ([]byte, error) { return rep.Append(dst, obj) })
			}),
		w.kubeWith(s, func(list kruntime.Object) (compare.Work, error) {
			encoder := w.encoder(mediaType, metav1.SchemeGroupVersion)
			return writing(func(to io.Writer) error {
				partial, err := metadataOf(list)
				if err != nil {
					return err
				}
				return encoder.Encode(partial, to)
			})
		}))
	if format == "json" {
		sonic := w.kubeWith(s, func(list kruntime.Object) (compare.Work, error) {
			return encoding(func(dst []byte) ([]byte, error) {
				partial, err := metadataOf(list)
				if err != nil {
					return nil, err
				}
				partial.SetGroupVersionKind(metav1.SchemeGroupVersion.WithKind("PartialObjectMetadataList"))
				return sonicAppend(dst, partial)
			})
		})
		sonic.Name, sonic.Note = "sonic-std", "apimachinery's projection, encoded by sonic"
		row.Subjects = append(row.Subjects, sonic)
	}
	row.Heavy = s.heavy
	return row
}

// tableRow shows a list of machines as a table with their metadata in the rows.
func (w *world) tableRow(s *sample) *compare.Row {
	mediaType := mediaTypes["json"]
	theirs := w.kubeWith(s, func(obj kruntime.Object) (compare.Work, error) {
		list := obj.(*kubefleet.MachineList)
		columns, err := w.columns()
		if err != nil {
			return compare.Work{}, err
		}
		scope := conversion.NewScope(conversion.ScopeOptions{
			Sharing: true, Now: now,
			Options: &ourmeta.TableOptions{IncludeObject: ourmeta.IncludeNone},
		})
		cells := func(m *v1.Machine) ([]any, error) {
			var t ourmeta.Table
			if err := v1.MachineAsTable(m, &t, scope); err != nil {
				return nil, err
			}
			return t.Rows[0].Cells, nil
		}
		encoder := w.encoder(mediaType, metav1.SchemeGroupVersion)
		return sending(func(c *connection) error {
			table, err := tableOf(list, cells, columns)
			if err != nil {
				return err
			}
			return encoder.Encode(table, c)
		})
	})
	theirs.Note = "the cells of tables are made by the functions generated for ours"
	row := newRow("Lists written to a connection as tables", "write-table/json/"+s.name,
		w.oursShows(s, mediaType+";as=Table;g=meta.k8s.io;v=v1",
			func(rep *serializer.Representation, obj runtime.Object) (compare.Work, error) {
				return sending(func(c *connection) error { return rep.Encode(c, obj) })
			}), theirs)
	row.Heavy = s.heavy
	return row
}

// columns returns the columns of machines.
func (w *world) columns() ([]metav1.TableColumnDefinition, error) {
	table, err := runtime.As[ourmeta.Table](w.ours.Scheme(), &v1.MachineList{})
	if err != nil {
		return nil, err
	}
	var out []metav1.TableColumnDefinition
	for _, c := range table.ColumnDefinitions {
		out = append(out, metav1.TableColumnDefinition{
			Name: c.Name, Type: c.Type, Format: c.Format,
			Description: c.Description, Priority: c.Priority,
		})
	}
	return out, nil
}
