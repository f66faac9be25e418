package serializer

import (
	"iter"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

// Format writes and reads one wire format. The packages below this one make them: json.Format, yaml.Format. A format has no state that
// changes and is safe for any number of goroutines.
//
// A format that cannot write every kind has a method Encodes as well, see [Selective].
type Format interface {
	// Name is a short name for messages: "json".
	Name() string
	// MediaTypes are the media types that mean this format, as type/subtype without parameters, the preferred one first.
	MediaTypes() []string
	// Text reports whether encoded objects are text in UTF-8.
	Text() bool
	// Recognize tells from some bytes whether they are written in this format.
	Recognize(data []byte) runtime.Recognition
	// Documents yields the documents in data, each with the error that kept it from being read. Errors are [*runtime.DecodeError] with
	// positions in data. Data without any document yields nothing.
	Documents(data []byte) iter.Seq2[runtime.Document, error]
	// Append appends one object of the kind k to dst. On error dst is returned as it was.
	Append(dst []byte, k *runtime.Kind, obj runtime.Object, o runtime.EncodeOptions) ([]byte, error)
}

// WriteOnly is implemented by formats that cannot be read, see [Factory.ForBody].
type WriteOnly interface {
	Format
	// WriteOnly does nothing.
	WriteOnly()
}

// TableFormat is implemented by formats that are made for tables. They leave out columns and headings themselves, so a table comes to
// them with all of its columns, whatever NoHeaders and Wide of the [github.com/askind/askind/meta/v1.TableOptions] say, and the options are
// those of their [runtime.EncodeOptions].
type TableFormat interface {
	Format
	// LaysOutTables does nothing but tell such a format from others.
	LaysOutTables()
}

// SingleFormat is implemented by formats that can hand out the first document of an input at once, which is the only one of most inputs.
type SingleFormat interface {
	Format
	// Single returns the first document in data, nil if Documents is to be asked for it.
	Single(data []byte) runtime.SingleDocument
}

// LimitedFormat is implemented by formats that parse an input before it is decoded, to which limits apply then already. A factory calls these methods
// instead of those without limits.
type LimitedFormat interface {
	Format
	// DocumentsWithin is Documents within the limits.
	DocumentsWithin(data []byte, l schema.Limits) iter.Seq2[runtime.Document, error]
	// EventWithin is that of an [EventFormat] within the limits.
	EventWithin(frame []byte, l schema.Limits) (eventType string, object runtime.Document, err error)
}

// Selective is implemented by formats that can write some kinds only, such as a format for tables. A representation that the format
// cannot write is not on offer, so that negotiation goes on to what the client would take instead.
type Selective interface {
	Format
	// Encodes reports whether objects of the kind can be written.
	Encodes(k *runtime.Kind) bool
}
