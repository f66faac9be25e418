package yaml

import (
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/format"
	"github.com/askind/askind/serializer/internal/located"
)

// FromJSON appends one JSON text to dst as a YAML document in the form in which objects are
// written, with keys sorted at every level. The last of several equal keys wins. Invalid JSON is a
// [*runtime.DecodeError], and dst is returned unchanged.
func FromJSON(dst, json []byte) ([]byte, error) {
	if err := located.CheckJSON(json); err != nil {
		return dst, err
	}
	e := new(codec).emitter()
	defer e.release()
	return e.append(dst, json)
}

// transcode returns the single object in raw as JSON.
func (s *codec) transcode(raw []byte, l schema.Limits) ([]byte, error) {
	return located.Object(s.documents(raw, l), l)
}

// ToJSON returns the one document in data as compact JSON. Plain scalars have the types of YAML
// 1.1. Keys stay in order; the last of several equal keys wins. Input without a document yields
// null. The error is a [*runtime.DecodeError]; it is an error if there are several documents.
func ToJSON(data []byte) ([]byte, error) {
	var out []byte
	n := 0
	for doc, err := range documents(data, schema.Limits{}) {
		if err != nil {
			return nil, err
		}
		d := doc.(*document)
		if n++; n > 1 {
			return nil, d.second("")
		}
		var err error
		if out, err = d.object(); err != nil {
			return nil, err
		}
	}
	if out == nil {
		out = []byte("null")
	}
	return out, nil
}

// finishText replaces the JSON text of an object, with which dst ends from an index on, by its
// YAML.
func (s *codec) finishText(dst []byte, from int, _ format.Options) ([]byte, error) {
	e := s.emitter()
	defer e.release()
	e.scratch = append(e.scratch[:0], dst[from:]...)
	return e.append(dst[:from], e.scratch)
}
