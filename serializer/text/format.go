package text

import (
	"encoding"
	"fmt"
	"reflect"
	"strings"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer/format"
	"github.com/askind/askind/serializer/internal/tabular"
)

// codec is the format with its settings. It is immutable.
type codec struct{ options Options }

// Options control how objects are written. The zero value shows the columns of priority zero under
// their names, and descriptions without explanations. Where a client's options for a table differ
// from these, the client's count.
type Options struct {
	_ struct{} // literals name their fields

	// Wide shows all columns of tables.
	Wide bool
	// NoHeaders omits the names of the columns.
	NoHeaders bool
	// Help shows the explanation of each item of a description as a comment on a line of its own
	// before it.
	Help bool
}

// Format returns the text format with the last of the options, or with the zero value.
func Format(options ...Options) *format.Format {
	c := &codec{}
	if n := len(options); n > 0 {
		c.options = options[n-1]
	}
	return &format.Format{
		Name: "text", MediaTypes: []string{"text/plain"}, Text: true, Tables: true,
		Append:  c.appendObject,
		Encodes: encodes,
		List: &format.List{
			Head: c.appendListHead, Items: c.appendListItems, Tail: tabular.NoTail,
			Measure: c.measureListItems, Encodes: encodesItems,
		},
	}
}

var (
	descriptionType     = reflect.TypeFor[metav1.Description]()
	descriptionListType = reflect.TypeFor[metav1.DescriptionList]()

	statusType   = reflect.TypeFor[metav1.Status]()
	appenderType = reflect.TypeFor[encoding.TextAppender]()
)

// encodes reports whether objects of the kind have a text.
func encodes(k *runtime.Kind) bool {
	t := k.Type()
	return tabular.IsTable(t) || t == descriptionType || t == descriptionListType || t == statusType ||
		reflect.PointerTo(t).Implements(appenderType)
}

// appendObject appends the text of an object to dst. On error dst is returned unchanged.
func (s *codec) appendObject(dst []byte, _ *runtime.Kind, obj runtime.Object, o format.Options) ([]byte, error) {
	switch obj := obj.(type) {
	case *metav1.Table, *metav1.TabularOutput:
		return appendTable(dst, obj, s.tableOptions(o)), nil
	case *metav1.Description:
		return appendDescription(dst, obj, s.options), nil
	case *metav1.DescriptionList:
		return appendDescriptions(dst, obj.Items, 0, s.options), nil
	case *metav1.Status:
		return appendStatus(dst, obj), nil
	case encoding.TextAppender:
		out, err := obj.AppendText(dst)
		if err != nil {
			return dst, err
		}
		return out, nil
	}
	return dst, fmt.Errorf("text: a %T cannot be written as text", obj)
}

// tableOptions returns the options for writing a table: those of the format, unless the options of
// the table specify otherwise.
func (s *codec) tableOptions(o format.Options) Options {
	out, terms := s.options, tabular.TermsOf(o)
	out.NoHeaders = out.NoHeaders || terms.NoHeaders
	out.Wide = !terms.Narrow && (out.Wide || terms.Wide)
	return out
}

// appendStatus appends a Status: the outcome, the reason in parentheses, and the message. Further
// lines of the message are indented.
func appendStatus(dst []byte, s *metav1.Status) []byte {
	outcome := s.Status
	if outcome == "" {
		outcome = metav1.StatusFailure
	}
	dst = append(dst, visible(outcome)...)
	if s.Reason != "" {
		dst = fmt.Appendf(dst, " (%s)", visible(string(s.Reason)))
	}
	if s.Message != "" {
		before := ": "
		for line := range strings.SplitSeq(strings.TrimRight(s.Message, "\n"), "\n") {
			dst = append(append(dst, before...), visible(line)...)
			before = "\n  "
		}
	}
	return append(dst, '\n')
}
