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
	"github.com/askind/askind/wire/jsonwire"
)

// DescribedType is what there is to say to people about a struct type beside its JSON form.
// Generated code has one for each type that the kinds of a package reach; see [Describe].
type DescribedType struct {
	_ struct{} // literals name their fields

	// Name identifies the type among those that it is used with.
	Name string
	// Fields are those of the JSON form, in its order. Those that are missing are shown as they
	// are.
	Fields []DescribedField
}

// DescribedField is a field of a [DescribedType].
type DescribedField struct {
	_ struct{} // literals name their fields

	// Name is that in JSON. Label is what people call the field, by default the name in words; Help
	// explains it.
	Name, Label, Help string
	// Type names the [DescribedType] of the value or, for lists and maps, of what is in them. It is
	// blank for all but structs.
	Type string
	// Key is the JSON name of the field by which people tell the elements of a list apart.
	Key string
	// As says how a single value, or each of those in a list or map, is shown. It is blank for
	// values that are shown as they are.
	As DescriptionType
	// Unit is what a number shown as a duration counts. It is zero for a text such as "5m0s".
	Unit time.Duration
	// Map says that an object has keys of the user instead of fields, Table that a list is shown as
	// a table, Omit that the field is not shown.
	Map, Table, Omit bool
}

// Describe describes one object from its JSON form, so the parts that JSON leaves out are left out.
// It is what generated functions end in that show a kind as a [Description], and what a function
// written by hand may begin with: spec and meta are the kind record of the object and the place of
// its metadata, and types says what there is to say about it, in order of name, under the name of
// the kind and those it refers to. Times are shown relative to the time of the scope. The
// description shares no memory with the object.
//
// Values of bytes are never shown, only how many there are. Two annotations that programs keep for
// themselves are left out: what kubectl applied last, which may hold secrets, and what conversions
// carry along.
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

// Annotations that programs keep for themselves are not shown.
const (
	// lastApplied is where kubectl keeps the whole object as it was applied, secrets included.
	lastApplied = "kubectl.kubernetes.io/last-applied-configuration"
	// carried is where conversions keep what a version cannot express; package conversion/carry has
	// the name.
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
	text("Kind", kind, "What the object is.")
	text("API Version", apiVersion, "The group and version in which the object is shown.")
	items = append(items, mapItem("Labels", "What the object can be selected by.", m.Labels),
		mapItem("Annotations", "What programs keep beside the object.", m.Annotations))
	date("Created", &m.CreationTimestamp, "When the object was created.")
	date("Deletion Due", m.DeletionTimestamp,
		"When the object is to be gone, if everything that stands in the way is done.")
	if owners := ownerItems(m.OwnerReferences); len(owners) > 0 {
		items = append(items, DescriptionItem{
			Label: "Owners", Help: "The objects that this one belongs to.",
			Type: DescriptionOfList, Items: owners,
		})
	}
	if len(m.Finalizers) > 0 {
		items = append(items, DescriptionItem{
			Label: "Finalizers",
			Help:  "What has to be done before the object is gone.", Type: DescriptionOfList,
			Items: textItems(m.Finalizers),
		})
	}
	if m.Generation != 0 {
		items = append(items, DescriptionItem{
			Label: "Generation", Help: "How often the wanted state has changed.",
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

// ownerItems names the owners, that which is in charge of the object with a word about it.
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

// find returns a type by its name, or one about which nothing is known.
func (d *describer) find(name string) *DescribedType {
	i, ok := slices.BinarySearchFunc(d.types,
		name, func(t DescribedType, name string) int { return cmp.Compare(t.Name, name) })
	if !ok {
		return &DescribedType{}
	}
	return &d.types[i]
}

// field returns a field by its name, or one about which nothing is known.
func (t *DescribedType) field(name []byte) (f *DescribedField, known bool) {
	for i := range t.Fields {
		if t.Fields[i].Name == string(name) {
			return &t.Fields[i], true
		}
	}
	return &DescribedField{Name: string(name)}, false
}

// label is what people call the field. A unit that is part of the value is not a part of the name.
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

// sections describes the fields of an object at the top. What has parts becomes a section, anything
// else an item of the first one.
func (d *describer) sections(out *Description, kind string) {
	t := d.find(kind)
	for key := d.r.Object(); key != nil; key = d.r.NextKey() {
		f, _ := t.field(key)
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

// item describes the next value, which is that of a field. It reports false if there is nothing to
// show.
func (d *describer) item(f *DescribedField) (DescriptionItem, bool) {
	item := DescriptionItem{Label: f.label(), Help: f.Help}
	ok := d.fill(&item, f)
	return item, ok
}

// fill sets everything but the label and the help of an item.
func (d *describer) fill(item *DescriptionItem, f *DescribedField) bool {
	switch d.r.Kind() {
	case '{':
		switch {
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

// fields describes the fields of a struct. The value of the field named key is returned apart.
func (d *describer) fields(t *DescribedType, key string) (items []DescriptionItem, keyValue string) {
	for name := d.r.Object(); name != nil; name = d.r.NextKey() {
		f, _ := t.field(name)
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

// entries describes the entries of a map, or of an object of which nothing is known.
func (d *describer) entries(f *DescribedField) []DescriptionItem {
	value := DescribedField{Type: f.Type, Key: f.Key, As: f.As, Unit: f.Unit, Table: f.Table}
	var items []DescriptionItem
	for key := d.r.Object(); key != nil; key = d.r.NextKey() {
		item := DescriptionItem{Label: string(key)}
		if !d.fill(&item, &value) { // a key without a value says something too
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
			if f.Type != "" && !f.Map && f.As != DescriptionRedacted {
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

// table describes a list of structs as a table. Columns in which there is nothing are left out. It
// is nil for a list without elements.
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

// cell describes the next value in one text.
func (d *describer) cell(f *DescribedField) string {
	var item DescriptionItem
	d.fill(&item, f)
	return joined(&item)
}

// joined is an item in one text.
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
