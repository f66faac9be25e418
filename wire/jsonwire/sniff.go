package jsonwire

import (
	"github.com/askind/askind/wire"
)

// SniffType returns the members apiVersion and kind of the object that a text holds, blank if there
// is no such member or it is null. It stops as soon as both are found, so that nothing after them
// is looked at; other values are passed over without being checked. Names are compared by their
// exact case and the first of equal names counts. Plain scalars of annotated texts are read as
// their text.
//
// The error is an [*Error]: WrongType if the text is not an object or a member no string, Syntax
// where the scan cannot go on. What was found before is returned with it.
func SniffType(data []byte) (apiVersion, kind string, err error) {
	v, k, err := SniffTypeBytes(data)
	return string(v), string(k), err
}

// SniffTypeBytes is [SniffType] without strings: what it returns may be part of data, and is valid
// as long as that is not changed.
func SniffTypeBytes(data []byte) (apiVersion, kind []byte, err error) {
	i := skipSpace(data, 0)
	if i >= len(data) {
		return nil, nil, sniffError(data, i, "an object")
	}
	if data[i] != '{' {
		return nil, nil, wrongTypeAt(data, i, "expected object")
	}
	i = skipSpace(data, i+1)
	if i < len(data) && data[i] == '}' {
		return nil, nil, nil
	}
	haveVersion, haveKind := false, false
	for {
		if i >= len(data) || data[i] != '"' {
			return apiVersion, kind, sniffError(data, i, "a member name")
		}
		end := looseString(data, i)
		name := data[i:end]
		i = skipSpace(data, end)
		if i >= len(data) || data[i] != ':' {
			return apiVersion, kind, sniffError(data, i, "':' after a member name")
		}
		i = skipSpace(data, i+1)
		var found bool
		switch {
		case !haveVersion && isName(name, "apiVersion"):
			apiVersion, found, i, err = sniffString(data, i, "apiVersion")
			haveVersion = found
		case !haveKind && isName(name, "kind"):
			kind, found, i, err = sniffString(data, i, "kind")
			haveKind = found
		default:
			end := looseValue(data, i)
			if end == i {
				err = sniffError(data, i, "a value")
			}
			i = end
		}
		if err != nil || haveVersion && haveKind {
			return apiVersion, kind, err
		}
		i = skipSpace(data, i)
		switch {
		case i < len(data) && data[i] == ',':
			i = skipSpace(data, i+1)
		case i < len(data) && data[i] == '}':
			return apiVersion, kind, nil
		default:
			return apiVersion, kind, sniffError(data, i, "',' or '}'")
		}
	}
}

// sniffString reads the string value at i and returns the index after it. A null is not found.
func sniffString(data []byte, i int, name string) (s []byte, found bool, end int, err error) {
	start, mark := i, i < len(data) && data[i] == plainMark
	if mark {
		i++
	}
	if i >= len(data) {
		return nil, false, i, sniffError(data, i, "a value")
	}
	if data[i] != '"' {
		if end := literal(data, i, "null"); end > i && !mark {
			return nil, false, end, nil
		}
		return nil, false, i, wrongTypeAt(data, start, name+" is not a string: expected string")
	}
	end, plain, bad := scanString(data, i+1)
	if bad != "" {
		return nil, false, end, &Error{Code: wire.Syntax, Offset: end, Message: bad}
	}
	if s = data[i+1 : end]; !plain {
		s = appendUnescaped(nil, s)
	}
	if mark && isNull(s) {
		return nil, false, end + 1, nil
	}
	return s, true, end + 1, nil
}

func sniffError(data []byte, i int, want string) error {
	var r Reader
	r.data = data
	r.failChar(i, want)
	return r.err
}

// wrongTypeAt is the error for the value at i, or for a byte there that starts none.
func wrongTypeAt(data []byte, i int, message string) error {
	r := Reader{data: data, pos: i, annotated: true}
	found := r.found()
	if found == "" {
		r.failChar(i, "a value")
		return r.err
	}
	return &Error{Code: wire.WrongType, Offset: i, Message: message + ", found " + found}
}
