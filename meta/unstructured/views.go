package unstructured

import (
	"slices"

	"github.com/askind/askind/conversion"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire/jsonwire"
)

// Column is a column of tables of untyped objects.
type Column struct {
	// Name is the heading, and Description explains the column.
	Name, Description string
	// Type is the OpenAPI type of the cells: string, integer, number, boolean or date. The cell of
	// a date is its age. A value of another type is shown as text in a column of type string, and
	// omitted in all others. A blank Type shows any value unchanged.
	Type string
	// Format refines Type.
	Format string
	// Priority is zero for columns that are always shown.
	Priority int32
	// Path is the path of the value, in the form that [Object.Get] accepts. The cell is empty if an
	// object has no value.
	Path []string
	// Cell returns the cell of an object and is used instead of Path. It must not modify the
	// object.
	Cell func(o *Object) any
}

// nameColumn and ageColumn are the default columns of a table.
var (
	nameColumn = Column{
		Name: "Name", Type: "string", Format: "name", Path: []string{"metadata", "name"},
		Description: "The name of the object, unique among the objects of its resource in its namespace.",
	}
	ageColumn = Column{
		Name: "Age", Type: "date", Path: []string{"metadata", "creationTimestamp"},
		Description: "The time since the object was created.",
	}
)

// objectViews are the views of untyped objects of unregistered kinds.
var objectViews = Views()

// Views returns views that show untyped objects as PartialObjectMetadata, and as a Table with their
// names and the given columns or, without any, their ages. Tables follow [metav1.TableOptions].
// [Definition.AddTo] registers them; objects of unregistered kinds have the views without columns.
func Views(columns ...Column) *runtime.Views {
	if len(columns) == 0 {
		columns = []Column{ageColumn}
	}
	columns = append([]Column{nameColumn}, columns...)
	t := table{columns: columns, definitions: make([]metav1.TableColumnDefinition, len(columns))}
	for i, c := range columns {
		t.definitions[i] = metav1.TableColumnDefinition{
			Name: c.Name, Type: c.Type, Format: c.Format, Description: c.Description, Priority: c.Priority,
		}
	}
	return runtime.NewViews(func(b *runtime.Builder) {
		runtime.AddAs(b, asPartialObjectMetadata)
		runtime.AddAs(b, t.add, runtime.CollectItems(t.begin), runtime.FinishItems(metav1.FinishTable))
	})
}

func asPartialObjectMetadata(in *Object, out *metav1.PartialObjectMetadata, _ *conversion.Scope) error {
	meta, err := in.ObjectMeta()
	if err != nil {
		return err
	}
	out.APIVersion, out.Kind = metav1.GroupVersion.String(), "PartialObjectMetadata"
	out.ObjectMeta = *meta
	return nil
}

// table shows objects as a table with columns.
type table struct {
	columns     []Column
	definitions []metav1.TableColumnDefinition
}

func (t *table) begin(out *metav1.Table, s *conversion.Scope) error {
	metav1.BeginTable(out, t.definitions, s)
	return nil
}

func (t *table) add(in *Object, out *metav1.Table, s *conversion.Scope) error {
	meta, err := in.ObjectMeta()
	if err != nil {
		return err
	}
	cells := make([]any, len(t.columns))
	for i := range t.columns {
		cells[i] = t.columns[i].cell(in, s)
	}
	metav1.AppendTableRow(out, runtime.Embed(&objectSpec, in), meta, cells, s)
	return nil
}

// cell returns the cell of an object, nil if it has no value that fits.
func (c *Column) cell(o *Object, s *conversion.Scope) any {
	if c.Cell != nil {
		return c.Cell(o)
	}
	if c.Type == "date" {
		if t, ok := o.timeAt(c.Path...); ok && !t.IsZero() {
			return metav1.AgeCell(t.Time, s.Now(), s)
		}
		return nil
	}
	at, found, err := o.lookup(c.Path)
	if !found || err != nil {
		return nil
	}
	switch typ := at.typ(); c.Type {
	case "integer":
		if typ != TypeInt64 && typ != TypeUint64 {
			return nil
		}
	case "number":
		if typ != TypeInt64 && typ != TypeUint64 && typ != TypeFloat64 {
			return nil
		}
	case "boolean":
		if typ != TypeBool {
			return nil
		}
	case "string":
		if typ != TypeString {
			return string(appendView(nil, at))
		}
	}
	return at.any()
}

// Definition describes a resource that is defined at run time, such as a custom resource.
// [Definition.AddTo] registers it: it is found by its names, negotiated, and shown as
// PartialObjectMetadata and as a Table, while its objects stay untyped. It is for tools that read
// and show objects. Servers need typed metadata; the Definition of package meta/dynamic describes a
// resource for them.
type Definition struct {
	// Kind is the kind. The kind of its lists is that name followed by List.
	Kind schema.GroupVersionKind
	// Resource is the lower-case plural; Singular is by default the kind in lower case.
	Resource, Singular string
	// ShortNames and Categories: see [runtime.KindSpec].
	ShortNames, Categories []string
	// Scope states whether objects live in namespaces.
	Scope runtime.Scope
	// Storage marks the version in which objects are stored, and Status a kind with the subresource
	// status.
	Storage, Status bool
	// Columns are the columns of tables after the name; if empty, there is a column for the age.
	Columns []Column
	// Source states where the definition comes from, for messages about conflicts.
	Source string
}

// AddTo registers the kind and its lists. Several versions of one kind are converted by changing
// the apiVersion.
//
//	scheme, err := scheme.With(definition.AddTo)
func (d *Definition) AddTo(b *runtime.Builder) {
	item, list := objectSpec, objectListSpec
	item.GroupVersionKind = d.Kind
	item.Resource, item.Singular, item.ShortNames, item.Categories = d.Resource, d.Singular,
		slices.Clone(d.ShortNames), slices.Clone(d.Categories)
	item.Scope, item.Storage, item.Status, item.List = d.Scope, d.Storage, d.Status, d.Kind.Kind+"List"
	list.GroupVersionKind = d.Kind.GroupVersion().WithKind(item.List)
	list.Scope, list.Item = d.Scope, d.Kind.Kind
	if d.Source != "" {
		item.Source, list.Source = d.Source, d.Source
	}
	runtime.AddKind(b, &item)
	runtime.AddKind(b, &list)
	views := Views(d.Columns...)
	runtime.AddViews(b, item.GroupVersionKind, views)
	runtime.AddViews(b, list.GroupVersionKind, views)
}

// ListMetadata implements [runtime.UntypedList].
func (r *root) ListMetadata() any {
	at, found, err := r.lookup([]string{"metadata"})
	if !found || err != nil {
		return nil
	}
	out := new(metav1.ListMeta)
	if readInto(at, func(r *jsonwire.Reader) error {
		metav1.DecodeJSONListMeta(r, out)
		return nil
	}) != nil {
		return nil
	}
	return out
}

// serverFields are the members of metadata that servers set, see [metav1.ClearServerFields].
var serverFields = [...]string{
	"creationTimestamp", "deletionGracePeriodSeconds", "deletionTimestamp", "generation", "managedFields",
	"resourceVersion", "selfLink", "uid",
}

// export removes server-populated fields: the status, and the members of metadata that users do not
// write.
func export(o *Object) {
	_, _ = o.Delete("status")
	for _, name := range serverFields {
		_, _ = o.Delete("metadata", name)
	}
}

// exportList does the same for a list and its items.
func exportList(r *root) {
	for _, name := range [...]string{"resourceVersion", "selfLink"} {
		_, _ = r.Delete("metadata", name)
	}
	items := itemsView{r}
	for i := range items.Len() {
		if item, ok := items.At(i).(*Object); ok {
			export(item)
		}
	}
}
