package yaml

import (
	"bytes"
	"iter"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/format"
)

// codec is the format with its settings. It is immutable.
type codec struct {
	declared bool          // see Options
	limits   schema.Limits // see Options
}

// Options are the settings of the format. The zero value writes as Kubernetes does.
type Options struct {
	_ struct{} // literals name their fields

	// Declared writes the members of objects in the order of declaration in the Go types. An object
	// with a kind has its members in the order that people use: apiVersion, kind, metadata, spec,
	// other members, status. Maps are sorted by name as in JSON. Raw values keep their order,
	// except for the members of objects with a kind.
	//
	// By default members are in the order of their names. The output is then the same as that of
	// sigs.k8s.io/yaml, byte for byte.
	Declared bool
	// Limits apply to parsing if the caller sets none: Size, Depth, AliasValues and AliasBytes. The
	// limits for decoding objects are those of [runtime.ReadOptions], as in all formats.
	Limits schema.Limits
}

// Format returns the YAML format with the last of the options, or with the zero value.
func Format(options ...Options) *format.Format {
	c := &codec{}
	if n := len(options); n > 0 {
		c.declared, c.limits = options[n-1].Declared, options[n-1].Limits
	}
	return &format.Format{
		Name: "yaml", Text: true,
		// The first is registered; the others were in use before its registration.
		MediaTypes: []string{"application/yaml", "application/x-yaml", "text/yaml", "text/x-yaml"},
		Append:     c.appendObject,
		List:       &format.List{Head: c.appendListHead, Items: c.appendListItems, Tail: c.appendListTail},
		Documents:  c.documents,
		Recognize:  recognize,
		ReadList:   c.readList,
		Events:     &format.Events{Append: c.appendEvent, NewFramer: newFramer, Open: c.openEvent},
		Splice:     &format.Splice{Member: splice},
		Project:    &format.Project{Excerpt: c.excerpt, Finish: c.finishText},
		Transcode:  c.transcode,
	}
}

// recognize returns Yes for a flow mapping whose first key is a plain text or in single quotes,
// which JSON does not have. Otherwise it returns Maybe, since nearly every text is YAML, unless one
// of the first bytes is a control character, as in binary formats. A later control character is an
// error in a text, which decoding reports with its position.
func recognize(data []byte) format.Recognition {
	if newSource(data[:min(len(data), 2)], schema.Limits{}).wide {
		return format.Maybe
	}
	for _, c := range data[:min(len(data), 8)] {
		if c < 0x20 && c != '\t' && c != '\n' && c != '\r' {
			return format.No
		}
	}
	const space = " \t\r\n"
	text := bytes.TrimLeft(bytes.TrimPrefix(data, []byte("\ufeff")), space)
	if text, ok := bytes.CutPrefix(text, []byte("{")); ok {
		text = bytes.TrimLeft(text, space)
		if len(text) > 0 && (text[0] == '\'' || 'a' <= text[0]|0x20 && text[0]|0x20 <= 'z') {
			return format.Yes
		}
	}
	return format.Maybe
}

// documents yields every document of a stream that holds more than comments, in order, each with
// its error if it cannot be read. A malformed document does not affect the next one.
func (s *codec) documents(data []byte, l schema.Limits) iter.Seq2[format.Document, error] {
	return documents(data, l.Or(s.limits))
}

// appendObject appends an object to dst as one document without a line of hyphens. Pretty has no
// effect.
func (s *codec) appendObject(dst []byte, k *runtime.Kind, obj runtime.Object, _ format.Options) ([]byte, error) {
	e := s.emitter()
	defer e.release()
	json, err := k.AppendJSON(e.scratch[:0], obj)
	e.scratch = json
	if err != nil {
		return dst, err
	}
	return e.append(dst, json)
}
