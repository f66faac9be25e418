package html

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer/format"
	"github.com/askind/askind/serializer/internal/tabular"
)

// table is the page of a table. Its rows are written one by one.
type table struct {
	*page
	Columns []column
	// Namespaces reports whether a column with the namespaces precedes the others, Labels whether
	// one with the labels follows them.
	Namespaces, Labels bool
	// LabelSelector and FieldSelector are the selectors of the query, and Hidden its other
	// parameters.
	LabelSelector, FieldSelector string
	Hidden                       []link
	// Wide leads to the same table with or without the columns for wide screens.
	Wide *link
	// First and Next lead to other pages of a list. Remaining is the number of objects after this
	// page, blank if unknown.
	First, Next, Remaining string
	// Watch is the query that watches the table, blank if it cannot be watched.
	Watch string
	// Empty reports whether no row has been written.
	Empty bool

	columns int   // of the table, including those that are not shown
	shown   []int // the columns that are shown
	name    int   // the index in shown of the column that links to the object
}

// column is the heading of a column. Sort leads to the table sorted by the column, and Sorted is
// the current order of this column, as a value of the attribute aria-sort.
type column struct{ Name, Help, Sort, Sorted string }

// row is one row.
type row struct {
	Href      string
	Namespace *link
	Cells     []cell
	HasLabels bool // whether there is a column of labels
	Labels    []link
}

// cell is one cell. Name reports whether it links to the object.
type cell struct {
	Column, Text string
	Name         bool
}

// appendTable appends the page of a table as a whole.
func (p *parsed) appendTable(dst []byte, obj runtime.Object, o format.Options) ([]byte, error) {
	t := p.newTable(obj, o)
	out, err := p.append(dst, "table-head", t)
	if err == nil {
		out, err = p.appendRows(out, t, obj, 0)
	}
	if err == nil {
		out, err = p.append(out, "table-tail", t)
	}
	if err != nil {
		return dst, err
	}
	return out, nil
}

// tableOf returns the page of a table that is written row by row, which is kept with its parts.
func (p *parsed) tableOf(parts *format.Parts, o format.Options) *table {
	t, ok := (*parts.Memo()).(*table)
	if !ok {
		t = p.newTable(parts.Shell(), o)
		*parts.Memo() = t
	}
	return t
}

// appendListHead appends the page up to the rows.
func (p *parsed) appendListHead(dst []byte, parts *format.Parts, _ format.ListSize, o format.Options) ([]byte, error) {
	return p.append(dst, "table-head", p.tableOf(parts, o))
}

// appendListItems appends the given rows. n is the number of previous rows.
func (p *parsed) appendListItems(dst []byte, parts *format.Parts, n int, o format.Options) ([]byte, error) {
	return p.appendRows(dst, p.tableOf(parts, o), parts.Bare(), n)
}

// appendListTail appends everything after the rows.
func (p *parsed) appendListTail(dst []byte, parts *format.Parts, o format.Options) ([]byte, error) {
	return p.append(dst, "table-tail", p.tableOf(parts, o))
}

// newTable describes a table without its rows.
func (p *parsed) newTable(obj runtime.Object, o format.Options) *table {
	t := &table{page: p.newPage(o), Empty: true, name: -1}
	terms := tabular.TermsOf(o)
	wide := false
	tabular.Columns(obj, func(name string, priority int32) {
		if priority == 0 || terms.Wide {
			t.shown = append(t.shown, t.columns)
			t.Columns = append(t.Columns, column{Name: name})
		}
		wide = wide || priority != 0
		t.columns++
	})
	full, ok := obj.(*metav1.Table)
	if !ok {
		return t
	}
	t.describeColumns(full)
	if wide && terms.Wide {
		t.Wide = &link{Text: "fewer columns", Href: t.with("wide", "")}
	} else if wide {
		t.Wide = &link{Text: "more columns", Href: t.with("wide", "true")}
	}
	if t.place.Path == "" {
		return t
	}
	options, _ := o.Terms.(*metav1.TableOptions)
	t.Labels = options == nil || options.IncludeObject != metav1.IncludeNone
	t.addPaging(&full.ListMeta)
	if r := t.place.Resource; r != nil {
		t.Namespaces = t.Labels && r.Namespaced && r.Namespace == ""
		if r.Watch && r.Name == "" && t.isWhole(&full.ListMeta) {
			t.Watch = t.with("watch", "true", "resourceVersion", full.ResourceVersion, "resourceVersionMatch", "",
				"limit", "", "sortBy", "", "wide", "", "accept", "")
		}
	}
	return t
}

// isWhole reports whether a list has all objects, as they are now, so that a watch can follow it.
func (t *table) isWhole(m *metav1.ListMeta) bool {
	past := t.query.Get("resourceVersionMatch") == string(metav1.ResourceVersionMatchExact)
	return m.ResourceVersion != "" && m.Continue == "" && !t.query.Has("continue") && !past
}

// describeColumns adds the descriptions of the columns.
func (t *table) describeColumns(full *metav1.Table) {
	sorted := t.query.Get("sortBy")
	for i, from := range t.shown {
		d := &full.ColumnDefinitions[from]
		c := &t.Columns[i]
		c.Help = d.Description
		if d.Format == "name" && t.name < 0 {
			t.name = i
		}
		if t.place.Path == "" || len(t.place.Query) > maxRepeated {
			continue
		}
		c.Sort = t.with("sortBy", d.Name)
		switch sorted {
		case d.Name:
			c.Sorted, c.Sort = "ascending", t.with("sortBy", "-"+d.Name)
		case "-" + d.Name:
			c.Sorted, c.Sort = "descending", t.with("sortBy", "")
		}
	}
	t.name = max(t.name, 0)
}

// addPaging adds the selectors of the query and the links to other pages.
func (t *table) addPaging(m *metav1.ListMeta) {
	t.LabelSelector, t.FieldSelector = t.query.Get("labelSelector"), t.query.Get("fieldSelector")
	for _, name := range slices.Sorted(maps.Keys(t.query)) {
		switch name {
		case "labelSelector", "fieldSelector", "continue", "resourceVersion", "resourceVersionMatch":
			continue
		}
		for _, value := range t.query[name] {
			t.Hidden = append(t.Hidden, link{Text: name, Href: value})
		}
	}
	if t.query.Has("continue") {
		t.First = t.with()
	}
	if m.Continue != "" {
		t.Next = t.with("continue", m.Continue, "resourceVersion", "", "resourceVersionMatch", "")
		if n := m.RemainingItemCount; n != nil {
			t.Remaining = strconv.FormatInt(*n, 10)
		}
	}
}

// appendRows appends the rows of a table, after before others.
func (p *parsed) appendRows(dst []byte, t *table, obj runtime.Object, before int) ([]byte, error) {
	full, _ := obj.(*metav1.Table)
	out := dst
	for i, cells := range tabular.Rows(obj) {
		if len(cells) != t.columns {
			return dst, fmt.Errorf("html: row %d has %d cells for %d columns", before+i+1, len(cells), t.columns)
		}
		r := row{Cells: make([]cell, len(t.shown)), HasLabels: t.Labels}
		for j, from := range t.shown {
			text, _, err := tabular.Text(cells[from])
			if err != nil {
				return dst, fmt.Errorf("html: row %d, column %d: %w", before+i+1, from+1, err)
			}
			r.Cells[j] = cell{Column: t.Columns[j].Name, Text: text, Name: j == t.name}
		}
		if full != nil {
			if err := t.addObject(&r, &full.Rows[i].Object); err != nil {
				return dst, fmt.Errorf("html: row %d: %w", before+i+1, err)
			}
		}
		var err error
		t.Empty = false
		if out, err = p.append(out, "row", &r); err != nil {
			return dst, err
		}
	}
	return out, nil
}

// addObject adds the values of a row's object.
func (t *table) addObject(r *row, e *runtime.RawExtension) error {
	if e.IsZero() || t.place.Path == "" {
		return nil
	}
	m, err := metadataOf(e)
	if err != nil {
		return err
	}
	p := t.place.Resource
	if p != nil && m.Name != "" {
		r.Href = object(p, p.Root, m.Namespace, m.Name)
	}
	if t.Namespaces {
		r.Namespace = &link{Text: m.Namespace, Href: collection(p, p.Root, m.Namespace) + pageQuery}
	}
	list := t.page
	if len(t.place.Query) > maxRepeated {
		list = &page{}
	}
	for _, key := range slices.Sorted(maps.Keys(m.Labels)) {
		text := key + "=" + m.Labels[key]
		r.Labels = append(r.Labels, link{Text: text, Href: list.with("labelSelector", text)})
	}
	return nil
}

// pageQuery requests a page of a list that is not too long for a screen.
const pageQuery = "?limit=250"

// metadataOf returns the metadata of a row's object.
func metadataOf(e *runtime.RawExtension) (*metav1.ObjectMeta, error) {
	if partial, ok := e.Object.(*metav1.PartialObjectMetadata); ok {
		return &partial.ObjectMeta, nil
	}
	text, err := runtime.AppendJSONRawExtension(nil, e)
	if err != nil {
		return nil, err
	}
	var out struct {
		Metadata struct {
			Name, Namespace string
			Labels          map[string]string
		}
	}
	if err := json.Unmarshal(text, &out); err != nil {
		return nil, err
	}
	m := &out.Metadata
	return &metav1.ObjectMeta{Name: m.Name, Namespace: m.Namespace, Labels: m.Labels}, nil
}
