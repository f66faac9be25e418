package text_test

import (
	"testing"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/serializer/format"
	"github.com/askind/askind/serializer/text"
)

// TestOptionsOfTables checks that what a client says about its table counts before how the format
// was made.
func TestOptionsOfTables(t *testing.T) {
	t.Parallel()
	const narrow, all, headless, allHeadless = "A\na\n", "A     B\na     b\n", "a\n", "a     b\n"
	yes, no := true, false
	table := &metav1.Table{ColumnDefinitions: columns("A", "B!"), Rows: rows([]any{"a", "b"})}
	for _, c := range []struct {
		name    string
		format  *format.Format
		options any
		want    string
	}{
		{"nothing said", text.Format(), nil, narrow},
		{
			"nothing said of a wide format", text.Format(text.Options{Wide: true}),
			&metav1.TableOptions{}, all,
		},
		{"options of something else", text.Format(), "wide", narrow},
		{"nil options", text.Format(), (*metav1.TableOptions)(nil), narrow},
		{"wide", text.Format(), &metav1.TableOptions{Wide: &yes}, all},
		{
			"narrow", text.Format(text.Options{Wide: true}),
			&metav1.TableOptions{Wide: &no}, narrow,
		},
		{"no headers", text.Format(), &metav1.TableOptions{NoHeaders: &yes}, headless},
		{"headers", text.Format(), &metav1.TableOptions{NoHeaders: &no}, narrow},
		{
			"no headers anyway", text.Format(text.Options{NoHeaders: true}),
			&metav1.TableOptions{Wide: &yes}, allHeadless,
		},
	} {
		got, err := c.format.Append(nil, nil, table, format.Options{Terms: c.options})
		if err != nil || string(got) != c.want {
			t.Errorf("%s: got %q, %v, want %q", c.name, got, err, c.want)
		}
	}
}
