package rawmeta

import "github.com/askind/askind/internal/plain"

// CanonicalProto reports whether a message is one that decoding and encoding would not change:
// every field is known, has the right type, is in order and in its shortest form, and the fields
// that are always written are present.
func CanonicalProto(b []byte) bool {
	if plain.Enabled {
		return false
	}
	i := 0
	// Six strings are always written: name, generateName, namespace, selfLink, uid,
	// resourceVersion.
	for tag := byte(1<<3 | wireBytes); tag <= 6<<3|wireBytes; tag += 1 << 3 {
		if i+1 < len(b) && b[i] == tag && b[i+1] < 0x80 { // nearly always
			i += 2 + int(b[i+1])
		} else if _, i = text(b, i, tag); i < 0 {
			return false
		}
	}
	if i >= len(b) || b[i] != 7<<3|wireVarint { // generation
		return false
	}
	if _, i = number(b, i+1); i < 0 {
		return false
	}
	from, i := text(b, i, 8<<3|wireBytes) // creationTimestamp
	if i < 0 {
		return false
	}
	if _, _, ok := seconds(b[from:i]); !ok {
		return false
	}
	last := byte(8<<3 | wireBytes) // the tag of the previous field
	var key []byte                 // of the previous entry
	for i < len(b) {
		tag := b[i]
		if tag >= 0x80 {
			break
		}
		if tag < last {
			return false
		}
		if tag == 10<<3|wireVarint { // deletionGracePeriodSeconds
			if tag == last {
				return false
			}
			last = tag
			if _, i = number(b, i+1); i < 0 {
				return false
			}
			continue
		}
		var ok bool
		if from, i = size(b, i+1); i < 0 {
			return false
		}
		switch tag {
		case 9<<3 | wireBytes: // deletionTimestamp
			_, _, ok = seconds(b[from:i])
			ok = ok && tag != last
		case 11<<3 | wireBytes, 12<<3 | wireBytes: // labels, annotations
			var next []byte
			next, _, ok = entry(b[from:i])
			ok = ok && (tag != last || string(key) < string(next))
			key = next
		case 13<<3 | wireBytes: // ownerReferences
			ok = canonicalOwner(b[from:i])
		case 14<<3 | wireBytes: // finalizers
			ok = true
		}
		if !ok {
			return false
		}
		last = tag
	}
	for i < len(b) {
		if b[i] != managedLow || i+1 >= len(b) || b[i+1] != managedHigh {
			return false
		}
		if from, i = size(b, i+2); i < 0 || !canonicalManaged(b[from:i]) {
			return false
		}
	}
	return true
}

func canonicalOwner(b []byte) bool {
	i := 0
	for _, tag := range [...]byte{1<<3 | wireBytes, 3<<3 | wireBytes, 4<<3 | wireBytes, 5<<3 | wireBytes} {
		if _, i = text(b, i, tag); i < 0 {
			return false
		}
	}
	for _, tag := range [...]byte{6<<3 | wireVarint, 7<<3 | wireVarint} {
		if i+1 < len(b) && b[i] == tag && b[i+1] <= 1 {
			i += 2
		}
	}
	return i == len(b)
}

func canonicalManaged(b []byte) bool {
	i := 0
	for _, tag := range [...]byte{1<<3 | wireBytes, 2<<3 | wireBytes, 3<<3 | wireBytes} {
		if _, i = text(b, i, tag); i < 0 {
			return false
		}
	}
	if i < len(b) && b[i] == 4<<3|wireBytes {
		from, end := size(b, i+1)
		if end < 0 {
			return false
		}
		if _, _, ok := seconds(b[from:end]); !ok {
			return false
		}
		i = end
	}
	if _, i = text(b, i, 6<<3|wireBytes); i < 0 {
		return false
	}
	if i < len(b) && b[i] == 7<<3|wireBytes {
		from, end := size(b, i+1)
		if end < 0 {
			return false
		}
		if _, ok := raw(b[from:end]); !ok {
			return false
		}
		i = end
	}
	_, i = text(b, i, 8<<3|wireBytes)
	return i == len(b)
}
