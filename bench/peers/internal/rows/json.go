package rows

import (
	"bytes"
	stdjson "encoding/json"
	"slices"

	"github.com/bytedance/sonic"
	"github.com/bytedance/sonic/encoder"
	json2 "github.com/go-json-experiment/json"
	json1 "github.com/go-json-experiment/json/v1"
	jsoniter "github.com/json-iterator/go"

	"github.com/askind/askind/bench/peers/internal/compare"
)

// codec is a library that reads and writes any Go value as JSON.
type codec struct {
	name, note string
	unmarshal  func([]byte, any) error
	strict     func([]byte, any) error // nil: has no such mode
	append     func(dst []byte, obj any) ([]byte, error)
	same       func(ours, theirs []byte) error // of what it writes; nil: byte for byte
	writeNote  string                          // what to say beside note where it writes
}

// sameButZeros forgives a library that it does not know the option omitzero.
func sameButZeros(ours, theirs []byte) error {
	theirs = bytes.ReplaceAll(theirs, []byte(`"creationTimestamp":null,`), nil)
	return compare.Equal(ours, bytes.ReplaceAll(theirs, []byte(`,"status":{}`), nil))
}

// sameContent compares two JSON texts by what they say, for libraries that put names in any order.
func sameContent(ours, theirs []byte) error { return sameAs(ours, theirs, canonical) }

// sameAs compares what two outputs say, in a form that tells no more than that.
func sameAs(ours, theirs []byte, canonical func([]byte) ([]byte, error)) error {
	a, err := canonical(ours)
	if err != nil {
		return err
	}
	b, err := canonical(theirs)
	if err != nil {
		return err
	}
	return compare.Equal(a, b)
}

// canonical writes JSON with its names in order and its numbers as they are.
func canonical(text []byte) ([]byte, error) {
	d := stdjson.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	return stdjson.Marshal(v)
}

// stdAppend and sonicAppend write into a buffer that is large enough, as all libraries do here that
// can.
func stdAppend(dst []byte, obj any) ([]byte, error) {
	b := bytes.NewBuffer(dst)
	err := stdjson.NewEncoder(b).Encode(obj)
	return b.Bytes(), err
}

// sonicAppend has the options of sonic.ConfigStd, and sonicFastAppend those of sonic.ConfigDefault.
func sonicAppend(dst []byte, obj any) ([]byte, error) {
	err := encoder.EncodeInto(&dst, obj,
		encoder.EscapeHTML|encoder.SortMapKeys|encoder.CompactMarshaler|encoder.ValidateString)
	return dst, err
}

func sonicFastAppend(dst []byte, obj any) ([]byte, error) {
	err := encoder.EncodeInto(&dst, obj, 0)
	return dst, err
}

func codecs() []codec {
	iter := jsoniter.ConfigCompatibleWithStandardLibrary
	iterStrict := jsoniter.Config{
		EscapeHTML: true, SortMapKeys: true, ValidateJsonRawMessage: true,
		DisallowUnknownFields: true,
	}.Froze()
	sonicStrict := sonic.Config{
		EscapeHTML: true, SortMapKeys: true, CompactMarshaler: true, CopyString: true,
		ValidateString: true, DisallowUnknownFields: true,
	}.Froze()
	return []codec{
		{
			name: "encoding/json", note: "strict decoding does not look for duplicate fields, and no defaults are filled in",
			unmarshal: stdjson.Unmarshal, append: stdAppend,
			strict: func(text []byte, obj any) error {
				d := stdjson.NewDecoder(bytes.NewReader(text))
				d.DisallowUnknownFields()
				return d.Decode(obj)
			},
		},
		{
			name: "json/v2", note: "github.com/go-json-experiment/json; writes with the options of version 1, reads with its own; duplicate fields are always errors",
			unmarshal: func(text []byte, obj any) error { return json2.Unmarshal(text, obj) },
			strict: func(text []byte, obj any) error {
				return json2.Unmarshal(text, obj, json2.RejectUnknownMembers(true))
			},
			append: func(dst []byte, obj any) ([]byte, error) {
				b := bytes.NewBuffer(dst)
				err := json2.MarshalWrite(b, obj, json1.DefaultOptionsV1())
				return b.Bytes(), err
			},
		},
		{
			name: "json-iterator", note: "as encoding/json, but does not know omitzero and writes creationTimestamp and status where they are not set", same: sameButZeros,
			unmarshal: iter.Unmarshal, strict: iterStrict.Unmarshal,
			append: func(dst []byte, obj any) ([]byte, error) {
				b := bytes.NewBuffer(dst)
				stream := iter.BorrowStream(b)
				defer iter.ReturnStream(stream)
				stream.WriteVal(obj)
				err := stream.Flush()
				return b.Bytes(), err
			},
		},
		{
			name: "sonic-std", note: "ConfigStd: checks UTF-8 and copies strings, as encoding/json does; compiles at run time, amd64 and arm64 only",
			unmarshal: sonic.ConfigStd.Unmarshal, strict: sonicStrict.Unmarshal, append: sonicAppend,
		},
		{
			name: "sonic", note: "ConfigDefault: does not check strings, and the strings of an object keep the whole input in memory",
			unmarshal: sonic.ConfigDefault.Unmarshal,
			append:    sonicFastAppend, same: sameContent,
			writeNote: "; puts the keys of maps in any order, and is compared by content",
		},
	}
}

func jsonRows(w *world) []*compare.Row {
	mediaType := mediaTypes["json"]
	var lenient, strict, encode []*compare.Row
	for _, s := range samples() {
		decodeRow := newRow("JSON decoding", "decode/json/"+s.name,
			w.oursReads(&s, mediaType, false), w.kubeReads(&s, mediaType, false))
		strictRow := newRow("JSON decoding, strict", "decode-strict/json/"+s.name,
			w.oursReads(&s, mediaType, true), w.kubeReads(&s, mediaType, true))
		encodeRow := newRow("JSON encoding", "encode/json/"+s.name,
			w.oursWrites(&s, mediaType), w.kubeWrites(&s, mediaType))
		decodeRow.Heavy, strictRow.Heavy, encodeRow.Heavy = s.heavy, s.heavy || s.item.Kind != "", s.heavy
		for _, c := range codecs() {
			decodeRow.Subjects = append(decodeRow.Subjects, w.reads(&s, mediaType, c.name, c.note, c.unmarshal))
			if c.strict != nil {
				strictRow.Subjects = append(strictRow.Subjects, w.reads(&s, mediaType, c.name, c.note, c.strict))
			}
			encodeRow.Subjects = append(encodeRow.Subjects, compare.Subject{
				Name: c.name,
				Note: c.note + c.writeNote, Same: c.same, Prepare: func() (compare.Work, error) {
					obj := s.object()
					return encoding(func(dst []byte) ([]byte, error) { return c.append(dst, obj) })
				},
			})
		}
		lenient, encode = append(lenient, decodeRow), append(encode, encodeRow)
		if !s.heavy {
			strict = append(strict, strictRow)
		}
	}
	return slices.Concat(lenient, strict, encode)
}
