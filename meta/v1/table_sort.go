package v1

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/askind/askind/conversion"
	"github.com/askind/askind/internal/sorted"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire/jsonwire"
)

// AgeCell returns the cell for an age: the [HumanDuration] from began to now. If the [TableOptions]
// of the scope sort the rows, the cell keeps the time until [FinishTable], because many ages have
// the same text.
func AgeCell(began, now time.Time, s *conversion.Scope) any {
	text := HumanDuration(now.Sub(began))
	if o := tableOptions(s); o != nil && len(o.SortBy) > 0 {
		return ageCell{text: text, began: began}
	}
	return text
}

// ageCell is an age that keeps its time.
type ageCell struct {
	text  string
	began time.Time
}

// MarshalText returns the age, for tables that are not finished.
func (c ageCell) MarshalText() ([]byte, error) { return []byte(c.text), nil }

// forgetTimes replaces ages by their texts.
func forgetTimes(t *Table) {
	for r := range t.Rows {
		for i, cell := range t.Rows[r].Cells {
			if age, ok := cell.(ageCell); ok {
				t.Rows[r].Cells[i] = age.text
			}
		}
	}
}

// SortTable sorts the rows of a table by the named columns, in order of precedence. A minus sign
// before a name reverses the order. Names are those of the headings; case is ignored if the name is
// still unique.
//
// Cells are compared by type: numbers by value, false before true, ages by time with the youngest
// first, quantities such as 512Mi by size, and texts in natural order, so that node-9 comes before
// node-10. Rows without a value come last in either order. The sort is stable.
//
// For a column that does not exist the error is a [*StatusError] with the reason BadRequest, and
// the table is unchanged.
func SortTable(t *Table, by ...string) error {
	var orders []*columnOrder
	for _, text := range by {
		found, err := columnOrders(t, text)
		if err != nil {
			return err
		}
		orders = append(orders, found...)
	}
	if len(t.Rows) < 2 {
		return nil
	}
	for _, o := range orders {
		o.measure(t)
	}
	index := make([]int, len(t.Rows))
	for i := range index {
		index[i] = i
	}
	sorted.Func(index, func(a, b int) int {
		for _, o := range orders {
			if c := o.compare(a, b); c != 0 {
				return c
			}
		}
		return 0
	})
	rows := make([]TableRow, len(t.Rows))
	for i, from := range index {
		rows[i] = t.Rows[from]
	}
	t.Rows = rows
	return nil
}

// columnOrders returns the orders in a text: one if the whole text is the name of a column, else
// those between its commas.
func columnOrders(t *Table, text string) ([]*columnOrder, error) {
	if o := findColumn(t, text); o != nil {
		return []*columnOrder{o}, nil
	}
	var out []*columnOrder
	for part := range strings.SplitSeq(text, ",") {
		if strings.TrimSpace(part) == "" {
			continue
		}
		o := findColumn(t, part)
		if o == nil {
			return nil, noColumn(t, strings.TrimPrefix(strings.TrimSpace(part), "-"))
		}
		out = append(out, o)
	}
	return out, nil
}

// findColumn returns a column by its name, which may have a leading minus sign.
func findColumn(t *Table, text string) *columnOrder {
	text = strings.TrimSpace(text)
	name, down := strings.CutPrefix(text, "-")
	loose, several := -1, false
	for i, c := range t.ColumnDefinitions {
		switch {
		case c.Name == text: // a heading may begin with a minus sign
			return &columnOrder{column: i}
		case c.Name == name:
			return &columnOrder{column: i, down: down}
		case strings.EqualFold(c.Name, name):
			loose, several = i, loose >= 0
		}
	}
	if loose < 0 || several {
		return nil
	}
	return &columnOrder{column: loose, down: down}
}

func noColumn(t *Table, name string) error {
	var names []string
	for _, c := range t.ColumnDefinitions {
		names = append(names, c.Name)
	}
	message := fmt.Sprintf("sortBy: there is no column %s, only %s", schema.Quote(name), strings.Join(names, ", "))
	if near, ok := schema.Nearest(name, names); ok {
		message += fmt.Sprintf(" (did you mean %s?)", strconv.Quote(near))
	}
	return BadRequest(message)
}

// columnOrder compares rows by one column.
type columnOrder struct {
	column int
	down   bool
	keys   []cellKey // by row
}

// cellKey is the sort key of a cell: a number, and a text for equal numbers or for cells without
// one.
type cellKey struct {
	missing bool
	number  float64
	whole   int64 // the exact value of integers, whose numbers may be rounded
	text    string
}

func (o *columnOrder) compare(a, b int) int {
	x, y := &o.keys[a], &o.keys[b]
	if x.missing || y.missing {
		switch {
		case x.missing && y.missing:
			return 0
		case x.missing:
			return 1
		}
		return -1
	}
	c := cmp.Or(cmp.Compare(x.number, y.number), cmp.Compare(x.whole, y.whole), compareNatural(x.text, y.text))
	if o.down {
		return -c
	}
	return c
}

// measure determines the type of the column's cells: the first form that fits all of them.
func (o *columnOrder) measure(t *Table) {
	o.keys = make([]cellKey, len(t.Rows))
	for _, form := range []func(cell any) (cellKey, bool){scalarKey, ageKey, amountKey} {
		if o.fill(t, form) {
			return
		}
	}
	o.fill(t, textKey)
}

// fill computes the keys with one form, if it fits.
func (o *columnOrder) fill(t *Table, form func(cell any) (cellKey, bool)) bool {
	for r := range t.Rows {
		o.keys[r] = cellKey{missing: true}
		if o.column >= len(t.Rows[r].Cells) {
			continue
		}
		switch t.Rows[r].Cells[o.column] {
		case nil, UnknownAge, "<none>": // placeholders for missing values
			continue
		}
		key, ok := form(t.Rows[r].Cells[o.column])
		if !ok {
			return false
		}
		o.keys[r] = key
	}
	return true
}

func scalarKey(cell any) (cellKey, bool) {
	switch v := cell.(type) {
	case int64:
		return cellKey{number: float64(v), whole: v}, true
	case int:
		return cellKey{number: float64(v), whole: int64(v)}, true
	case int32:
		return cellKey{number: float64(v)}, true
	case float64:
		return cellKey{number: v}, true
	case float32:
		return cellKey{number: float64(v)}, true
	case bool:
		if v {
			return cellKey{number: 1}, true
		}
		return cellKey{}, true
	}
	return cellKey{}, false
}

// ageKey accepts ages and times; a later time is a smaller age.
func ageKey(cell any) (cellKey, bool) {
	switch v := cell.(type) {
	case ageCell:
		return cellKey{number: -float64(v.began.Unix()), whole: -int64(v.began.Nanosecond())}, true
	case string:
		if seconds, ok := parseHumanDuration(v); ok {
			return cellKey{number: seconds}, true
		}
	}
	return cellKey{}, false
}

// parseHumanDuration parses the output of HumanDuration and returns seconds.
func parseHumanDuration(s string) (seconds float64, ok bool) {
	for s != "" {
		n := 0
		for n < len(s) && s[n] >= '0' && s[n] <= '9' {
			n++
		}
		if n == 0 || n == len(s) {
			return 0, false
		}
		value, err := strconv.ParseFloat(s[:n], 64)
		if err != nil {
			return 0, false
		}
		switch s[n] {
		case 's':
		case 'm':
			value *= 60
		case 'h':
			value *= 3600
		case 'd':
			value *= 86400
		case 'y':
			value *= 365 * 86400
		default:
			return 0, false
		}
		seconds += value
		s, ok = s[n+1:], true
	}
	return seconds, ok
}

// amountKey accepts numbers with the suffixes of quantities, and percentages.
func amountKey(cell any) (cellKey, bool) {
	text, ok := cell.(string)
	if !ok {
		return cellKey{}, false
	}
	n := 0
	for n < len(text) && (text[n] >= '0' && text[n] <= '9' || text[n] == '.' || n == 0 &&
		(text[n] == '-' || text[n] == '+')) {
		n++
	}
	value, err := strconv.ParseFloat(text[:n], 64)
	if err != nil {
		return cellKey{}, false
	}
	suffix := text[n:]
	if i := slices.IndexFunc(suffixes[:], func(s amountSuffix) bool { return s.text == suffix }); i >= 0 {
		return cellKey{number: value * suffixes[i].factor, text: text}, true
	}
	if value, err = strconv.ParseFloat(text, 64); err == nil { // with an exponent
		return cellKey{number: value, text: text}, true
	}
	return cellKey{}, false
}

type amountSuffix struct {
	text   string
	factor float64
}

var suffixes = [...]amountSuffix{
	{"", 1},
	{"n", 1e-9},
	{"u", 1e-6},
	{"m", 1e-3},
	{"k", 1e3},
	{"M", 1e6},
	{"G", 1e9},
	{"T", 1e12},
	{"P", 1e15},
	{"E", 1e18},
	{"Ki", 1 << 10},
	{"Mi", 1 << 20},
	{"Gi", 1 << 30},
	{"Ti", 1 << 40},
	{"Pi", 1 << 50},
	{"Ei", 1 << 60},
	{"%", 1},
}

func textKey(cell any) (cellKey, bool) {
	switch v := cell.(type) {
	case string:
		return cellKey{text: v}, true
	case ageCell:
		return cellKey{text: v.text}, true
	}
	text, err := jsonwire.AppendAny(nil, cell)
	if err != nil {
		text = fmt.Append(nil, cell)
	}
	return cellKey{text: string(text)}, true
}

// compareNatural compares texts with embedded numbers by value.
func compareNatural(a, b string) int {
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		if !isDigit(a[i]) || !isDigit(b[j]) {
			if a[i] != b[j] {
				return cmp.Compare(a[i], b[j])
			}
			i, j = i+1, j+1
			continue
		}
		x, y := digitsAt(a, i), digitsAt(b, j)
		i, j = i+len(x), j+len(y)
		x, y = strings.TrimLeft(x, "0"), strings.TrimLeft(y, "0")
		if c := cmp.Or(cmp.Compare(len(x), len(y)), strings.Compare(x, y)); c != 0 {
			return c
		}
	}
	// A proper prefix comes first; numbers that differ only in leading zeros are compared as text
	// at last.
	return cmp.Or(cmp.Compare(len(a)-i, len(b)-j), strings.Compare(a, b))
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// digitsAt returns the digits that begin at i.
func digitsAt(s string, i int) string {
	end := i
	for end < len(s) && isDigit(s[end]) {
		end++
	}
	return s[i:end]
}
