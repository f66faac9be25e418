package rawmeta

import (
	"time"

	"github.com/askind/askind/internal/borrow"
	"github.com/askind/askind/internal/plain"
	"github.com/askind/askind/wire/jsonwire"
)

// AppendJSON appends the metadata in a protobuf message to dst as JSON. If it declines, it returns
// dst unchanged and false.
func AppendJSON(dst, b []byte) ([]byte, bool) {
	start := len(dst)
	out, ok := objectMeta(dst, b)
	if !ok || plain.Enabled {
		return dst[:start], false
	}
	return jsonwire.CloseObject(out, start), true
}

// The members of the string fields with the tags 1 to 6.
var metaStrings = [...]string{
	`,"name":`, `,"generateName":`, `,"namespace":`, `,"selfLink":`, `,"uid":`,
	`,"resourceVersion":`,
}

// objectMeta appends all members, each with its comma. The order of the members in JSON is the
// order of the field numbers.
func objectMeta(dst, b []byte) ([]byte, bool) {
	i := 0
	last := byte(0) // the tag of the previous field
	var key []byte  // of the previous entry of a map
	closing := ""   // of the open list or map
	for i < len(b) {
		tag := b[i]
		if tag >= 0x80 {
			break
		}
		if tag < last {
			return dst, false
		}
		first := tag != last
		if first {
			dst = append(dst, closing...)
			closing = ""
		}
		last = tag
		var from int
		var v uint64
		if tag&7 == wireBytes {
			from, i = size(b, i+1)
		} else {
			v, i = number(b, i+1)
		}
		if i < 0 {
			return dst, false
		}
		var ok bool
		switch {
		case tag == labels || tag == annotations:
			dst, key, ok = mapEntry(dst, b[from:i], tag, first, key)
			closing = "}"
		case tag > annotations:
			dst, ok = listElement(dst, b[from:i], tag, first)
			closing = "]"
		case first:
			dst, ok = single(dst, b[from:i], tag, v)
		}
		if !ok {
			return dst, false
		}
	}
	dst = append(dst, closing...)
	if i == len(b) {
		return dst, true
	}
	return managedFields(dst, b, i)
}

// The tags of the repeated fields, which are greater than those of the others.
const (
	labels          = 11<<3 | wireBytes
	annotations     = 12<<3 | wireBytes
	ownerReferences = 13<<3 | wireBytes
	finalizers      = 14<<3 | wireBytes
)

// single appends a member that is not repeated: the content of a field, or v if it is a number.
func single(dst, content []byte, tag byte, v uint64) ([]byte, bool) {
	switch tag {
	case 1<<3 | wireBytes, 2<<3 | wireBytes, 3<<3 | wireBytes, 4<<3 | wireBytes, 5<<3 | wireBytes, 6<<3 | wireBytes:
		if len(content) > 0 {
			dst = append(dst, metaStrings[tag>>3-1]...)
			dst = jsonwire.AppendString(dst, borrow.String(content))
		}
	case 7<<3 | wireVarint:
		if v != 0 {
			dst = append(dst, `,"generation":`...)
			dst = jsonwire.AppendInt(dst, int64(v))
		}
	case 8<<3 | wireBytes:
		second, zero, ok := seconds(content)
		if !ok {
			return dst, false
		}
		if !zero {
			dst = append(dst, `,"creationTimestamp":`...)
			dst = appendTime(dst, second)
		}
	case 9<<3 | wireBytes:
		return timeOrNull(append(dst, `,"deletionTimestamp":`...), content)
	case 10<<3 | wireVarint:
		dst = append(dst, `,"deletionGracePeriodSeconds":`...)
		dst = jsonwire.AppendInt(dst, int64(v))
	default:
		return dst, false
	}
	return dst, true
}

// mapEntry appends an entry of the labels or annotations, and returns its key. The entries must be
// in the order of their keys.
func mapEntry(dst, content []byte, tag byte, first bool, previous []byte) (_, key []byte, ok bool) {
	key, value, ok := entry(content)
	switch {
	case !ok, !first && string(previous) >= string(key):
		return dst, nil, false
	case !first:
		dst = append(dst, ',')
	case tag == labels:
		dst = append(dst, `,"labels":{`...)
	default:
		dst = append(dst, `,"annotations":{`...)
	}
	dst = jsonwire.AppendString(dst, borrow.String(key))
	dst = append(dst, ':')
	return jsonwire.AppendString(dst, borrow.String(value)), key, true
}

// listElement appends an owner reference or a finalizer.
func listElement(dst, content []byte, tag byte, first bool) ([]byte, bool) {
	switch {
	case !first:
		dst = append(dst, ',')
	case tag == ownerReferences:
		dst = append(dst, `,"ownerReferences":[`...)
	default:
		dst = append(dst, `,"finalizers":[`...)
	}
	switch tag {
	case ownerReferences:
		return owner(dst, content)
	case finalizers:
		return jsonwire.AppendString(dst, borrow.String(content)), true
	}
	return dst, false
}

// timeOrNull appends a time that is written even if it is zero.
func timeOrNull(dst, b []byte) ([]byte, bool) {
	second, zero, ok := seconds(b)
	switch {
	case !ok:
		return dst, false
	case zero:
		return append(dst, "null"...), true
	}
	return appendTime(dst, second), true
}

// appendTime appends a time as meta/v1 writes it, in UTC and with quotes.
func appendTime(dst []byte, second int64) []byte {
	dst = time.Unix(second, 0).UTC().AppendFormat(append(dst, '"'), time.RFC3339)
	return append(dst, '"')
}

// owner appends an owner reference. In JSON the apiVersion comes first.
func owner(dst, b []byte) ([]byte, bool) {
	var fields [4][]byte // kind, name, uid, apiVersion
	i := 0
	for n, tag := range [...]byte{1<<3 | wireBytes, 3<<3 | wireBytes, 4<<3 | wireBytes, 5<<3 | wireBytes} {
		var from int
		if from, i = text(b, i, tag); i < 0 {
			return dst, false
		}
		fields[n] = b[from:i]
	}
	dst = append(dst, `{"apiVersion":`...)
	dst = jsonwire.AppendString(dst, borrow.String(fields[3]))
	dst = append(dst, `,"kind":`...)
	dst = jsonwire.AppendString(dst, borrow.String(fields[0]))
	dst = append(dst, `,"name":`...)
	dst = jsonwire.AppendString(dst, borrow.String(fields[1]))
	dst = append(dst, `,"uid":`...)
	dst = jsonwire.AppendString(dst, borrow.String(fields[2]))
	if i+1 < len(b) && b[i] == 6<<3|wireVarint && b[i+1] <= 1 {
		dst = jsonwire.AppendBool(append(dst, `,"controller":`...), b[i+1] == 1)
		i += 2
	}
	if i+1 < len(b) && b[i] == 7<<3|wireVarint && b[i+1] <= 1 {
		dst = jsonwire.AppendBool(append(dst, `,"blockOwnerDeletion":`...), b[i+1] == 1)
		i += 2
	}
	return append(dst, '}'), i == len(b)
}

// managedFields appends the last member. The tag of its first entry is at b[i].
func managedFields(dst, b []byte, i int) ([]byte, bool) {
	dst = append(dst, `,"managedFields":[`...)
	for n := 0; i < len(b); n++ {
		if b[i] != managedLow || i+1 >= len(b) || b[i+1] != managedHigh {
			return dst, false
		}
		from, end := size(b, i+2)
		if i = end; i < 0 {
			return dst, false
		}
		if n > 0 {
			dst = append(dst, ',')
		}
		var ok bool
		if dst, ok = managed(dst, b[from:end]); !ok {
			return dst, false
		}
	}
	return append(dst, ']'), true
}

// The members of the string fields of an entry, by field number.
var managedStrings = [...]string{
	1: `,"manager":`, 2: `,"operation":`, 3: `,"apiVersion":`, 6: `,"fieldsType":`,
	8: `,"subresource":`,
}

// managed appends one entry of the managed fields. Its members are also in the order of the field
// numbers.
func managed(dst, b []byte) ([]byte, bool) {
	start := len(dst)
	last := byte(0)
	for i := 0; i < len(b); {
		tag := b[i]
		if tag <= last {
			return dst, false
		}
		last = tag
		var from int
		if from, i = size(b, i+1); i < 0 {
			return dst, false
		}
		value := b[from:i]
		ok := true
		switch tag {
		case 1<<3 | wireBytes, 2<<3 | wireBytes, 3<<3 | wireBytes, 6<<3 | wireBytes, 8<<3 | wireBytes:
			if len(value) > 0 {
				dst = append(dst, managedStrings[tag>>3]...)
				dst = jsonwire.AppendString(dst, borrow.String(value))
			}
		case 4<<3 | wireBytes:
			dst, ok = timeOrNull(append(dst, `,"time":`...), value)
		case 7<<3 | wireBytes:
			dst, ok = appendFields(append(dst, `,"fieldsV1":`...), value)
		default:
			ok = false
		}
		if !ok {
			return dst, false
		}
	}
	return jsonwire.CloseObject(dst, start), true
}
