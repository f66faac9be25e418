package jsonwire

import (
	"github.com/askind/askind/wire"
)

// SniffType returns the members apiVersion and kind of the object in a text; a member that is
// missing or null is blank. It stops as soon as both are found and ignores the rest; other values
// are skipped without being checked. Names are case-sensitive, and the first of duplicate members
// counts. Plain scalars of annotated texts are read as strings.
//
// The error is an [*Error]: WrongType if the text is not an object or a member is not a string,
// Syntax if the scan cannot continue. Members found before the error are returned with it.
func SniffType(data []byte) (apiVersion, kind string, err error) {
	v, k, err := SniffTypeBytes(data)
	return string(v), string(k), err
}

// SniffTypeBytes is [SniffType] without allocating strings: the results may be part of data, and
// are valid while data is not modified.
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
		s = AppendUnescaped(nil, s)
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

// wrongTypeAt returns the error for the value at i, or for a byte there that starts no value.
func wrongTypeAt(data []byte, i int, message string) error {
	r := Reader{data: data, pos: i, annotated: true}
	found := r.found()
	if found == "" {
		r.failChar(i, "a value")
		return r.err
	}
	return &Error{Code: wire.WrongType, Offset: i, Message: message + ", found " + found}
}
