package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strconv"
	"time"

	"github.com/askind/askind/wire/jsonwire"
)

// What an engine has under a key is the encoded object, which does not state its resourceVersion,
// because that is known only when it has been written:
//
//	document                              an object that stays
//	0x01 expiry document                  an object that is deleted at a time: the milliseconds since 1970, in 8 bytes, big-endian
//	0x02 text                             what an engine delivers in place of a value that it cannot read
//
// A document begins with another byte than these in every format.

// The first bytes of values that are not documents.
const (
	markExpires    = 1
	markUnreadable = 2
)

// Unreadable returns a value for an engine to list and deliver in place of one that it cannot read,
// for example because it is encrypted with an unknown key. A store reports the object as
// undecodable for this reason.
func Unreadable(err error) []byte {
	return append([]byte{markUnreadable}, err.Error()...)
}

// wrap returns the value for a document. A zero time means that it does not expire.
func wrap(doc []byte, expires time.Time) []byte {
	if expires.IsZero() {
		return doc
	}
	out := make([]byte, 0, 9+len(doc))
	out = binary.BigEndian.AppendUint64(append(out, markExpires), uint64(expires.UnixMilli()))
	return append(out, doc...)
}

// unwrap returns what wrap was given.
func unwrap(value []byte) (doc []byte, expires time.Time, err error) {
	switch {
	case len(value) == 0:
		return nil, time.Time{}, errors.New("store: the value is empty")
	case value[0] == markUnreadable:
		return nil, time.Time{}, errors.New(string(value[1:]))
	case value[0] != markExpires:
		return value, time.Time{}, nil
	case len(value) <= 9:
		return nil, time.Time{}, errors.New("store: the value ends within its expiry")
	}
	return value[9:], time.UnixMilli(int64(binary.BigEndian.Uint64(value[1:]))), nil
}

// document is an encoded object without resourceVersion.
type document struct {
	data    []byte
	version place
}

// place is where a document in JSON takes its resourceVersion.
type place struct {
	at            uint32
	before, after bool   // a comma comes before or after
	usual         bool   // the document begins with the start of its resource
	scalars       uint32 // where the scalar members of the metadata end, 0 unless they come first
	end           uint32 // where the metadata ends
}

// spliced reports whether the document has a place for the resourceVersion.
func (d *document) spliced() bool { return d.version.at > 0 }

// append appends the document with its resourceVersion put in, if it has a place for one.
func (d *document) append(dst []byte, revision uint64) []byte {
	return d.appendPart(dst, 0, len(d.data), revision)
}

// appendPart is append for a part of the document, in which the place for the resourceVersion lies.
func (d *document) appendPart(dst []byte, from, to int, revision uint64) []byte {
	if !d.spliced() {
		return append(dst, d.data[from:to]...)
	}
	dst = d.version.appendVersion(append(dst, d.data[from:d.version.at]...), revision)
	return append(dst, d.data[d.version.at:to]...)
}

// appendVersion appends the member that goes into the place. A revision of 0 has none.
func (p *place) appendVersion(dst []byte, revision uint64) []byte {
	if revision == 0 {
		return dst
	}
	if p.before {
		dst = append(dst, ',')
	}
	dst = append(dst, `"resourceVersion":"`...)
	dst = append(strconv.AppendUint(dst, revision, 10), '"')
	if p.after {
		dst = append(dst, ',')
	}
	return dst
}

// length returns the length of what appendVersion appends.
func (p *place) length(revision uint64) int {
	var buf [64]byte
	return len(p.appendVersion(buf[:0], revision))
}

// versionMark is the resourceVersion of objects that are encoded to be stored. It is the greatest
// uint64, which no revision is.
const versionMark = "18446744073709551615"

// markedMember is the member that is taken out again.
const markedMember = `"resourceVersion":"` + versionMark + `"`

// cut returns a document without its resourceVersion, which is the mark, and the place for it. The
// text is not kept. Documents usually begin with start.
func cut(text, start []byte) (document, error) {
	from, scalars, end := metadataVersion(text)
	if from <= 0 {
		return document{}, errors.New(
			"store: the encoded object does not state its resourceVersion as a member of its metadata",
		)
	}
	to := from + len(markedMember)
	p := place{usual: start != nil && bytes.HasPrefix(text, start)}
	switch {
	case text[from-1] == ',':
		p.before = true
		from--
		p.scalars = uint32(max(0, scalars-(to-from)))
	case to < len(text) && text[to] == ',':
		p.after = true
		to++
	}
	p.at, p.end = uint32(from), uint32(end-(to-from))
	data := make([]byte, len(text)-(to-from))
	copy(data[copy(data, text[:from]):], text[to:])
	return document{data: data, version: p}, nil
}

// metadataVersion returns where the resourceVersion of an object's own metadata stands, -1 if it is
// not there, where the members that are neither objects nor lists end, 0 unless they come first,
// and where the metadata ends.
func metadataVersion(text []byte) (at, scalars, end int) {
	at = -1
	r := jsonwire.NewReader(text, jsonwire.Options{})
	for key := r.Object(); key != nil; key = r.NextKey() {
		if string(key) != "metadata" {
			r.Skip()
			continue
		}
		nested := 0 // where the first object or list ends
		for key := r.Object(); key != nil; key = r.NextKey() {
			if from := r.Offset() - len(`"resourceVersion":`); string(key) == "resourceVersion" && from > 0 &&
				bytes.HasPrefix(text[from:], []byte(markedMember)) {
				at = from
			}
			kind := r.Kind()
			r.Skip()
			if kind != '{' && kind != '[' {
				scalars = r.Offset()
			} else if nested == 0 {
				nested = r.Offset()
			}
		}
		if nested > 0 && nested < scalars {
			scalars = 0
		}
		return at, scalars, r.Offset()
	}
	return -1, 0, 0
}

// pathText returns the value at a path of an object in JSON as text: strings as they are, numbers
// and booleans as they are written. What is not there, null, and anything else is blank.
func pathText(text []byte, path []string) string {
	r := jsonwire.NewReader(text, jsonwire.Options{})
	for _, name := range path {
		found := false
		for key := r.Object(); key != nil; key = r.NextKey() {
			if found = string(key) == name; found {
				break
			}
			r.Skip()
		}
		if !found {
			return ""
		}
	}
	switch r.Kind() {
	case '"':
		return r.String("")
	case '0', 't':
		from := r.Offset()
		r.Skip()
		return string(text[from:r.Offset()])
	}
	return ""
}
