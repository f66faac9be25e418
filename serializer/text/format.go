package text

import (
	"encoding"
	"errors"
	"fmt"
	"reflect"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer/internal/tabular"
)

// ErrWriteOnly says that plain text was to be read.
var ErrWriteOnly = errors.New("plain text can be written but not read")

// writeOnly has the methods that a format has which is not read.
type writeOnly = tabular.Format

// Serializer is the format of text for people. It never changes and is safe for concurrent use. It cannot be read: Documents yields an error for
// which errors.Is finds [ErrWriteOnly].
type Serializer struct {
	writeOnly
	options Options
}

// Options are the settings of the format. The zero value is what [Format] uses.
type Options struct {
	_ struct{} // literals name their fields

	// Table is how tables are shown, as far as the options of a table do not say it.
	Table TableOptions
	// Description is how descriptions are shown.
	Description DescriptionOptions
}

// Format returns the text format: narrow tables with headings, descriptions without explanations.
func Format() *Serializer { return Options{}.Format() }

// Format returns the text format with these settings.
func (o Options) Format() *Serializer {
	return &Serializer{writeOnly: tabular.NewFormat("text", "text/plain", ErrWriteOnly), options: o}
}

var (
	descriptionType     = reflect.TypeFor[metav1.Description]()
	descriptionListType = reflect.TypeFor[metav1.DescriptionList]()

	statusType   = reflect.TypeFor[metav1.Status]()
	appenderType = reflect.TypeFor[encoding.TextAppender]()
)

// Encodes reports whether objects of the kind have a text.
func (*Serializer) Encodes(k *runtime.Kind) bool {
	t := k.Type()
	return tabular.IsTable(t) || t == descriptionType || t == descriptionListType || t == statusType || reflect.PointerTo(t).Implements(appenderType)
}

// Append appends the text of an object to dst. On error dst is returned as it was.
func (s *Serializer) Append(dst []byte, _ *runtime.Kind, obj runtime.Object, o runtime.EncodeOptions) ([]byte, error) {
	switch obj := obj.(type) {
	case *metav1.Table, *metav1.TabularOutput:
		return appendAnyTable(dst, obj, s.tableOptions(o)), nil
	case *metav1.Description:
		return AppendDescription(dst, obj, s.options.Description), nil
	case *metav1.DescriptionList:
		return AppendDescriptionList(dst, obj, s.options.Description), nil
	case *metav1.Status:
		return appendStatus(dst, obj), nil
	case encoding.TextAppender:
		out, err := obj.AppendText(dst)
		if err != nil {
			return dst, err
		}
		return out, nil
	}
	return dst, fmt.Errorf("text: a %T has no text", obj)
}

// tableOptions returns how a table is shown: as the format was made, unless the options of the table say otherwise.
func (s *Serializer) tableOptions(o runtime.EncodeOptions) TableOptions {
	out, terms := s.options.Table, tabular.TermsOf(o)
	out.NoHeaders = out.NoHeaders || terms.NoHeaders
	out.Wide = !terms.Narrow && (out.Wide || terms.Wide)
	return out
}

// appendStatus appends what happened as one line: the outcome, the reason in parentheses, and the message.
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
		dst = append(append(dst, ": "...), visible(s.Message)...)
	}
	return append(dst, '\n')
}
