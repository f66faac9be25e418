package dynamic

import (
	"errors"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/askind/askind/conversion"
	"github.com/askind/askind/meta/unstructured"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
)

// view shows the objects of one version.
type view struct {
	columns []column
	head    []metav1.TableColumnDefinition
	scale   *scale
}

// column is a [Column] with its path.
type column struct {
	Column
	path path
}

// scale is a [Scale] with its paths.
type scale struct{ spec, status, selector path }

// views returns the views of objects.
func (w *view) views() *runtime.Views {
	w.head = []metav1.TableColumnDefinition{{
		Name: "Name", Type: "string", Format: "name",
		Description: "The name of the object, unique among the objects of its resource in its namespace.",
	}}
	for _, column := range w.columns {
		w.head = append(w.head, metav1.TableColumnDefinition{
			Name: column.Name, Type: column.Type, Format: column.Format, Description: column.Description,
			Priority: column.Priority,
		})
	}
	return runtime.NewViews(func(b *runtime.Builder) {
		runtime.AddAs(b, asPartial, runtime.MetadataOnly())
		runtime.AddAs(b, w.addRow, runtime.CollectItems(w.begin), runtime.FinishItems(metav1.FinishTable))
		if w.scale != nil {
			runtime.AddAs(b, w.scale.show, runtime.UpdateFromView(w.scale.update))
		}
	})
}

func asPartial(in *Object, out *metav1.PartialObjectMetadata, s *conversion.Scope) error {
	if s.Sharing() {
		out.ObjectMeta = in.ObjectMeta
		return nil
	}
	metav1.DeepCopyIntoObjectMeta(&in.ObjectMeta, &out.ObjectMeta)
	return nil
}

func (w *view) begin(out *metav1.Table, s *conversion.Scope) error {
	metav1.BeginTable(out, w.head, s)
	return nil
}

func (w *view) addRow(in *Object, out *metav1.Table, s *conversion.Scope) error {
	cells := make([]any, 1, len(w.columns)+1)
	cells[0] = in.Name
	for i := range w.columns {
		cells = append(cells, w.columns[i].cell(in, s))
	}
	metav1.AppendTableRow(out, runtime.Embed(&objectSpec, in), &in.ObjectMeta, cells, s)
	return nil
}

// cell returns the cell of an object, nil if it has no value of the type of the column.
func (c *column) cell(o *Object, s *conversion.Scope) any {
	names, ok := c.path.simple()
	if ok && c.Type == "date" && slices.Equal(names, []string{"metadata", "creationTimestamp"}) {
		return age(o.CreationTimestamp.Time, s)
	}
	var typed any
	var texts []string
	first := true
	ok = o.find(c.path, func(v unstructured.Value) bool {
		switch {
		case c.Type != "string":
			if first {
				typed = typedCell(v, c.Type, s)
			}
			first = false
		case v.Type() != unstructured.TypeNull:
			texts = append(texts, textOf(v))
		}
		return true
	})
	switch {
	case !ok:
		return nil
	case len(texts) > 0:
		return strings.Join(texts, " ")
	}
	return typed
}

// typedCell returns the cell of a value in a column of another type than string.
func typedCell(v unstructured.Value, typ string, s *conversion.Scope) any {
	got := v.Type()
	whole := got == unstructured.TypeInt64 || got == unstructured.TypeUint64
	switch typ {
	case "integer":
		if whole {
			return v.Any()
		}
		if f, found, err := v.Float64(); found && err == nil && math.Abs(f) < 1<<63 {
			return int64(f)
		}
	case "number":
		if whole || got == unstructured.TypeFloat64 {
			return v.Any()
		}
	case "boolean":
		if got == unstructured.TypeBool {
			return v.Any()
		}
	case "date":
		text, _, _ := v.String()
		if t, err := time.Parse(time.RFC3339, text); err == nil {
			return age(t, s)
		}
		if text != "" {
			return "<invalid>"
		}
	}
	return nil
}

func age(t time.Time, s *conversion.Scope) any {
	if t.IsZero() {
		return nil
	}
	return metav1.AgeCell(t, s.Now(), s)
}

// ErrNoSize reports that an object has no value at [Scale.SpecReplicas], so that it has no size to
// show, although one can be set. It is wrapped in a [metav1.StatusError] with the code 500, as in
// Kubernetes.
var ErrNoSize = errors.New("dynamic: the object has no size")

// show shows the size of an object. Fields without a value in its status are 0 or blank.
func (c *scale) show(in *Object, out *metav1.Scale, _ *conversion.Scope) error {
	out.ObjectMeta = metav1.ObjectMeta{
		Name: in.Name, Namespace: in.Namespace, UID: in.UID, ResourceVersion: in.ResourceVersion,
		CreationTimestamp: in.CreationTimestamp,
	}
	names, _ := c.spec.simple()
	if !in.Content.Has(names...) {
		e := metav1.Failure(metav1.StatusReasonInternalError, "the object has no size: it has no ."+strings.Join(names, "."))
		e.Err = ErrNoSize
		return e
	}
	out.Spec.Replicas = in.count(c.spec)
	out.Status.Replicas = in.count(c.status)
	if len(c.selector) > 0 {
		in.find(c.selector, func(v unstructured.Value) bool {
			out.Status.Selector, _, _ = v.String()
			return false
		})
	}
	return nil
}

// count returns a number of instances.
func (o *Object) count(p path) (n int32) {
	if len(p) == 0 {
		return 0
	}
	o.find(p, func(v unstructured.Value) bool {
		if i, found, err := v.Int64(); found && err == nil {
			n = int32(min(max(i, 0), math.MaxInt32))
		}
		return false
	})
	return n
}

// update sets the requested size of an object.
func (c *scale) update(in *metav1.Scale, out *Object, _ *conversion.Scope) error {
	names, _ := c.spec.simple()
	return out.Content.Set(int64(in.Spec.Replicas), names...)
}
