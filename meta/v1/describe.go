package v1

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/askind/askind/conversion"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire/jsonwire"
)

// DescribedType describes a struct type for people, in addition to its JSON form. Generated code
// has one for each type that the kinds of a package use; see [Describe].
type DescribedType struct {
	_ struct{} // literals name their fields

	// Name identifies the type among those passed with it.
	Name string
	// Fields lists the fields of the JSON form, in its order. Fields that are missing here are
	// shown without a description.
	Fields []DescribedField
}

// DescribedField is a field of a [DescribedType].
type DescribedField struct {
	_ struct{} // literals name their fields

	// Name is the name in JSON. Label is the name for people, by default the words of Name; Help
	// explains the field.
	Name, Label, Help string
	// Type names the [DescribedType] of the value or, for lists and maps, of their elements. It is
	// blank except for structs.
	Type string
	// Key is the JSON name of the field that identifies the elements of a list.
	Key string
	// Object is set if the value, or each element of a list or map, is an object that states its
	// kind. It is the kind that Type describes, as apiVersion/Kind, or "?" for none. Of objects of
	// another kind only the kind and name are shown, because their secret fields are unknown.
	Object string
	// As selects how a single value, or each element of a list or map, is shown. It is blank for
	// values that are shown unchanged.
	As DescriptionType
	// Unit is the unit of a number that is shown as a duration. It is zero for a text such as
	// "5m0s".
	Unit time.Duration
	// Map reports that an object has user-defined keys instead of fields, Table that a list is
	// shown as a table, and Omit that the field is not shown.
	Map, Table, Omit bool
	// Maps is the number of maps that are nested in the values of a map.
	Maps int
}

// Describe describes one object from its JSON form, so parts that JSON omits are omitted. Generated
// functions that show a kind as a [Description] end with this call, and hand-written ones may begin
// with it. spec and meta are the kind record of the object and its metadata. types describes the
// kind and the types that it refers to, in order of name. Times are shown relative to the time of
// the scope. The description shares no memory with the object.
//
// Byte values are never shown, only their number. Two internal annotations are omitted: the
// configuration that kubectl applied last, which may contain secrets, and the values that
// conversions carry.
func Describe[T any](out *Description, spec *runtime.KindSpec[T], obj *T, meta *ObjectMeta, types []DescribedType,
	s *conversion.Scope,
) error {
	gvk := spec.GroupVersionKind
	if spec.AppendJSONFields == nil {
		return &runtime.NoFunctionError{Kind: gvk, Function: "AppendJSONFields"}
	}
	text, err := spec.AppendJSONFields(nil, obj)
	if err != nil {
		return err
	}
	return describe(out, gvk, text, meta, types, s)
}

// describe describes an object whose members are in text, each after a comma.
func describe(out *Description, gvk schema.GroupVersionKind, text []byte, meta *ObjectMeta, types []DescribedType,
	s *conversion.Scope,
) error {
	if len(text) == 0 {
		text = []byte{','}
	}
	text[0] = '{'
	d := describer{types: types, now: s.Now(), r: jsonwire.NewReader(append(text, '}'), jsonwire.Options{})}
	out.APIVersion, out.Kind = GroupVersion.String(), "Description"
	out.ObjectMeta = ObjectMeta{
		Name: meta.Name, Namespace: meta.Namespace, UID: meta.UID,
		ResourceVersion: meta.ResourceVersion,
	}
	out.Sections = append(out.Sections[:0], DescriptionSection{Items: d.head(gvk.APIVersion(), gvk.Kind, meta)})
	d.sections(out, gvk.Kind)
	if err := d.r.Err(); err != nil {
		return fmt.Errorf("meta/v1: the JSON form of %s cannot be read: %w", gvk, err)
	}
	return nil
}

// Internal annotations are not shown.
const (
	// lastApplied is where kubectl stores the whole applied object, including secrets.
	lastApplied = "kubectl.kubernetes.io/last-applied-configuration"
	// carried is where conversions store data that a version cannot express; package
	// conversion/carry defines the name.
	carried = "conversion.askind.dev/carried"
)

// head describes the metadata of an object.
func (d *describer) head(apiVersion, kind string, m *ObjectMeta) []DescriptionItem {
	var items []DescriptionItem
	text := func(label, value, help string) {
		if value != "" {
			items = append(items, DescriptionItem{Label: label, Help: help, Type: DescriptionText, Value: value})
		}
	}
	date := func(label string, t *Time, help string) {
		if t != nil && !t.IsZero() {
			items = append(items, DescriptionItem{
				Label: label, Help: help, Type: DescriptionDate,
				Value: dateText(t.UTC().Format(time.RFC3339), t.Time, d.now),
			})
		}
	}
	text("Name", m.Name, "The name of the object, unique among the objects of its resource in its namespace.")
	text("Namespace", m.Namespace, "The space in which the name is unique.")
	text("Kind", kind, "The kind of the object.")
	text("API Version", apiVersion, "The group and version in which the object is shown.")
	items = append(items, mapItem("Labels", "Short values that select objects.", m.Labels),
		mapItem("Annotations", "Values that programs keep with the object.", m.Annotations))
	date("Created", &m.CreationTimestamp, "When the object was created.")
	date("Deletion Due", m.DeletionTimestamp,
		"When the object will be deleted, once its finalizers are done.")
	if owners := ownerItems(m.OwnerReferences); len(owners) > 0 {
		items = append(items, DescriptionItem{
			Label: "Owners", Help: "The objects that this one belongs to.",
			Type: DescriptionOfList, Items: owners,
		})
	}
	if len(m.Finalizers) > 0 {
		items = append(items, DescriptionItem{
			Label: "Finalizers",
			Help:  "The finalizers that must finish before the object is deleted.", Type: DescriptionOfList,
			Items: textItems(m.Finalizers),
		})
	}
	if m.Generation != 0 {
		items = append(items, DescriptionItem{
			Label: "Generation", Help: "The number of changes of the desired state.",
			Type: DescriptionNumber, Value: strconv.FormatInt(m.Generation, 10),
		})
	}
	text("UID", m.UID, "What tells the object from all others of the same name, before and after.")
	text("Resource Version", m.ResourceVersion, "The state of the object that is shown.")
	return items
}

func mapItem(label, help string, m map[string]string) DescriptionItem {
	item := DescriptionItem{Label: label, Help: help, Type: DescriptionMap}
	for _, key := range jsonwire.SortedKeys(m) {
		if key != lastApplied && key != carried {
			item.Items = append(item.Items, DescriptionItem{Label: key, Type: DescriptionText, Value: m[key]})
		}
	}
	return item
}

func textItems(values []string) []DescriptionItem {
	items := make([]DescriptionItem, len(values))
	for i, value := range values {
		items[i] = DescriptionItem{Type: DescriptionText, Value: value}
	}
	return items
}

// ownerItems lists the owners and marks the controller.
func ownerItems(owners []OwnerReference) []DescriptionItem {
	var names []string
	for _, o := range owners {
		name := o.Kind + "/" + o.Name
		if o.Controller != nil && *o.Controller {
			name += " (controller)"
		}
		names = append(names, name)
	}
	return textItems(names)
}

// describer reads the JSON form of one object.
type describer struct {
	types []DescribedType
	now   time.Time
	r     *jsonwire.Reader
}

// find returns a type by its name, or an empty type.
func (d *describer) find(name string) *DescribedType {
	i, ok := slices.BinarySearchFunc(d.types,
		name, func(t DescribedType, name string) int { return cmp.Compare(t.Name, name) })
	if !ok {
		return &DescribedType{}
	}
	return &d.types[i]
}

// field returns a field by its name, or an empty field.
func (t *DescribedType) field(name []byte) *DescribedField {
	for i := range t.Fields {
		if t.Fields[i].Name == string(name) {
			return &t.Fields[i]
		}
	}
	return &DescribedField{Name: string(name)}
}

// label returns the name of the field for people. A unit that is part of the value is not part of
// the name.
func (f *DescribedField) label() string {
	if f.Label != "" {
		return f.Label
	}
	label := labelOf(f.Name)
	if f.Unit > 0 || f.As == DescriptionSize {
		for _, unit := range []string{" Nanoseconds", " Microseconds", " Milliseconds", " Seconds", " Bytes"} {
			if name, ok := strings.CutSuffix(label, unit); ok {
				return name
			}
		}
	}
	return label
}

// sections describes the top-level fields of an object. A value with parts becomes a section, any
// other value an item of the first section.
func (d *describer) sections(out *Description, kind string) {
	t := d.find(kind)
	for key := d.r.Object(); key != nil; key = d.r.NextKey() {
		f := t.field(key)
		if f.Name == "metadata" || f.Omit {
			d.r.Skip()
			continue
		}
		item, ok := d.item(f)
		if !ok {
			continue
		}
		switch {
		case item.Table != nil:
			item.Label, item.Help = "", ""
			out.Sections = append(out.Sections, DescriptionSection{
				Label: f.label(), Help: f.Help,
				Items: []DescriptionItem{item},
			})
		case len(item.Items) > 0 && (item.Type != DescriptionOfList || item.Items[0].Label != ""):
			out.Sections = append(out.Sections, DescriptionSection{Label: f.label(), Help: f.Help, Items: item.Items})
		case item.Type != DescriptionObject && item.Type != DescriptionMap:
			out.Sections[0].Items = append(out.Sections[0].Items, item)
		}
	}
}

// item describes the next value, which belongs to a field. It returns false if there is nothing to
// show.
func (d *describer) item(f *DescribedField) (DescriptionItem, bool) {
	item := DescriptionItem{Label: f.label(), Help: f.Help}
	ok := d.fill(&item, f)
	return item, ok
}

// fill sets all fields of an item except the label and the help.
func (d *describer) fill(item *DescriptionItem, f *DescribedField) bool {
	switch d.r.Kind() {
	case '{':
		switch {
		case f.Object != "" && !f.Map && f.As != DescriptionRedacted:
			item.Type, item.Items = DescriptionObject, d.object(f)
		case f.Map || f.Type == "" && f.As != DescriptionRedacted:
			item.Type = DescriptionMap
			if !f.Map {
				item.Type = DescriptionObject
			}
			item.Items = d.entries(f)
		case f.As == DescriptionRedacted:
			d.r.Skip()
			item.Type, item.Value = DescriptionRedacted, redacted
		default:
			item.Type = DescriptionObject
			item.Items, _ = d.fields(d.find(f.Type), "")
		}
		return true
	case '[':
		if f.Table && f.Type != "" && f.As != DescriptionRedacted {
			item.Type, item.Table = DescriptionOfTable, d.table(d.find(f.Type))
			return item.Table != nil
		}
		item.Type = DescriptionOfList
		item.Items = d.elements(f)
		return len(item.Items) > 0
	case 0, 'n':
		d.r.Skip()
		return false
	}
	item.Type, item.Value = d.value(f)
	return item.Value != ""
}

// fields describes the fields of a struct. The value of the field named key is returned separately.
func (d *describer) fields(t *DescribedType, key string) (items []DescriptionItem, keyValue string) {
	for name := d.r.Object(); name != nil; name = d.r.NextKey() {
		f := t.field(name)
		if f.Omit {
			d.r.Skip()
			continue
		}
		item, ok := d.item(f)
		switch {
		case !ok:
		case f.Name == key && item.Value != "":
			keyValue = item.Value
		default:
			items = append(items, item)
		}
	}
	return items, keyValue
}

// object describes an object that states its kind: completely if its fields are known, and
// otherwise by its identity.
func (d *describer) object(f *DescribedField) []DescriptionItem {
	text := d.r.Raw()
	apiVersion, kind, name := identify(text)
	if f.Type != "" && f.Object == apiVersion+"/"+kind {
		inner := describer{types: d.types, now: d.now, r: jsonwire.NewReader(text, jsonwire.Options{})}
		items, _ := inner.fields(d.find(f.Type), "")
		return items
	}
	var items []DescriptionItem
	for _, row := range [...]struct{ label, value string }{
		{"API Version", apiVersion}, {"Kind", kind}, {"Name", name},
	} {
		if row.value != "" {
			items = append(items, DescriptionItem{Label: row.label, Type: DescriptionText, Value: row.value})
		}
	}
	return append(items, DescriptionItem{Label: "Content", Type: DescriptionRedacted, Value: redacted})
}

// identify returns the kind and the name that an object states. They are blank if it states one of
// them twice, because readers may interpret that differently.
func identify(text []byte) (apiVersion, kind, name string) {
	r := jsonwire.NewReader(text, jsonwire.Options{Strict: true})
	var seen uint64
	for key := r.Object(); key != nil; key = r.NextKey() {
		switch string(key) {
		case "apiVersion":
			r.Seen(&seen, 0, key)
			apiVersion = r.String("")
		case "kind":
			r.Seen(&seen, 1, key)
			kind = r.String("")
		case "metadata":
			r.Seen(&seen, 2, key)
			name = nameIn(r)
		default:
			r.Skip()
		}
	}
	if len(r.Problems()) > 0 {
		return "", "", ""
	}
	return apiVersion, kind, name
}

// nameIn returns the name in the metadata, which is the next value.
func nameIn(r *jsonwire.Reader) (name string) {
	if r.Kind() != '{' {
		r.Skip()
		return ""
	}
	for key := r.Object(); key != nil; key = r.NextKey() {
		if string(key) != "name" || r.Kind() != '"' {
			r.Skip()
			continue
		}
		name = r.String("")
	}
	return name
}

// entries describes the entries of a map, or of an object of unknown type.
func (d *describer) entries(f *DescribedField) []DescriptionItem {
	value := DescribedField{Type: f.Type, Key: f.Key, Object: f.Object, As: f.As, Unit: f.Unit, Table: f.Table}
	if f.Maps > 0 {
		value.Map, value.Maps = true, f.Maps-1
	}
	var items []DescriptionItem
	for key := d.r.Object(); key != nil; key = d.r.NextKey() {
		if string(key) == lastApplied || string(key) == carried { // of an embedded object
			d.r.Skip()
			continue
		}
		item := DescriptionItem{Label: string(key)}
		if !d.fill(&item, &value) { // keep a key without a value
			item.Type, item.Value = DescriptionText, ""
		}
		items = append(items, item)
	}
	return items
}

// elements describes the elements of a list.
func (d *describer) elements(f *DescribedField) []DescriptionItem {
	element := *f
	element.Table = false
	var items []DescriptionItem
	for more := d.r.Array(); more; more = d.r.NextElem() {
		item := DescriptionItem{}
		switch d.r.Kind() {
		case '{':
			if f.Type != "" && f.Object == "" && !f.Map && f.As != DescriptionRedacted {
				item.Type = DescriptionObject
				item.Items, item.Label = d.fields(d.find(f.Type), f.Key)
			} else {
				d.fill(&item, &element)
			}
			item.Label = cmp.Or(item.Label, "#"+strconv.Itoa(len(items)+1))
		case '[':
			if !d.fill(&item, &element) {
				item.Type = DescriptionOfList
			}
			item.Label = "#" + strconv.Itoa(len(items)+1)
		default:
			if !d.fill(&item, &element) {
				item.Type = DescriptionText
			}
		}
		items = append(items, item)
	}
	return items
}

// table describes a list of structs as a table. Empty columns are omitted. It is nil for a list
// without elements.
func (d *describer) table(t *DescribedType) *DescriptionTable {
	var rows [][]string
	used := make([]bool, len(t.Fields))
	for more := d.r.Array(); more; more = d.r.NextElem() {
		cells := make([]string, len(t.Fields))
		if d.r.Kind() != '{' { // null
			d.r.Skip()
			rows = append(rows, cells)
			continue
		}
		for name := d.r.Object(); name != nil; name = d.r.NextKey() {
			i := slices.IndexFunc(t.Fields, func(f DescribedField) bool { return f.Name == string(name) })
			if i < 0 || t.Fields[i].Omit {
				d.r.Skip()
				continue
			}
			cells[i] = d.cell(&t.Fields[i])
			used[i] = used[i] || cells[i] != ""
		}
		rows = append(rows, cells)
	}
	if len(rows) == 0 {
		return nil
	}
	out := &DescriptionTable{Columns: []DescriptionColumn{}, Rows: make([]DescriptionRow, len(rows))}
	for i := range t.Fields {
		if !used[i] {
			continue
		}
		out.Columns = append(out.Columns, DescriptionColumn{Label: t.Fields[i].label(), Help: t.Fields[i].Help})
		for r := range rows {
			out.Rows[r].Cells = append(out.Rows[r].Cells, rows[r][i])
		}
	}
	return out
}

// cell describes the next value as a single text.
func (d *describer) cell(f *DescribedField) string {
	var item DescriptionItem
	d.fill(&item, f)
	return joined(&item)
}

// joined returns an item as a single text.
func joined(item *DescriptionItem) string {
	if len(item.Items) == 0 {
		return item.Value
	}
	parts := make([]string, len(item.Items))
	for i := range item.Items {
		parts[i] = joined(&item.Items[i])
		if label := item.Items[i].Label; label != "" && item.Type != DescriptionOfList {
			parts[i] = label + "=" + parts[i]
		}
	}
	return strings.Join(parts, ",")
}
