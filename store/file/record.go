package file

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
)

// Errors of files; test for them with errors.Is.
var (
	// ErrInUse reports that the file is open in this or another process.
	ErrInUse = errors.New("the file is in use")
	// ErrDamaged reports that a part of the file has changed since it was written.
	ErrDamaged = errors.New("the file is damaged")
	// ErrFormat reports that the file was not written by this package, or by a newer version of it.
	ErrFormat = errors.New("the format of the file is not known")
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// checksum returns that of a record: of the key and what follows the checksum.
func checksum(key, rest []byte) uint32 {
	return crc32.Update(crc32.Checksum(key, castagnoli), castagnoli, rest)
}

// objectHeader is how many bytes come before the value of an object.
const objectHeader = 12

// appendObject appends the record of an object.
func appendObject(dst []byte, key string, revision uint64, value []byte) []byte {
	dst = binary.BigEndian.AppendUint64(dst, revision)
	sum := crc32.Update(checksum([]byte(key), dst[len(dst)-8:]), castagnoli, value)
	return append(binary.BigEndian.AppendUint32(dst, sum), value...)
}

// parseObject reads the record of an object. The value refers to the record.
func parseObject(key, record []byte) (revision uint64, value []byte, err error) {
	if len(record) <= objectHeader {
		return 0, nil, fmt.Errorf("%w: the record of %q is too short", ErrDamaged, key)
	}
	value = record[objectHeader:]
	sum := crc32.Update(checksum(key, record[:8]), castagnoli, value)
	if sum != binary.BigEndian.Uint32(record[8:]) {
		return 0, nil, fmt.Errorf("%w: the checksum of %q does not match", ErrDamaged, key)
	}
	return binary.BigEndian.Uint64(record), value, nil
}

// undo is what a write replaced.
type undo struct {
	revision uint64 // of the write
	key      []byte
	before   []byte // nil if there was nothing
	was      uint64 // the revision before
}

// appendUndo appends the record of what a write replaced.
func appendUndo(dst []byte, revision uint64, key string, before []byte, was uint64) []byte {
	from := len(dst)
	dst = append(dst, 0, 0, 0, 0)
	dst = binary.BigEndian.AppendUint16(dst, uint16(len(key)))
	dst = append(dst, key...)
	dst = binary.BigEndian.AppendUint64(dst, was)
	dst = append(dst, before...)
	binary.BigEndian.PutUint32(dst[from:], checksum(revisionKey(revision), dst[from+4:]))
	return dst
}

// parseUndo reads the record of what a write replaced. It refers to the record.
func parseUndo(key, record []byte) (undo, error) {
	damaged := fmt.Errorf("%w: the event %x cannot be read", ErrDamaged, key)
	if len(key) != 8 || len(record) < 14 {
		return undo{}, damaged
	}
	n := int(binary.BigEndian.Uint16(record[4:]))
	if len(record) < 14+n || checksum(key, record[4:]) != binary.BigEndian.Uint32(record) {
		return undo{}, damaged
	}
	u := undo{revision: binary.BigEndian.Uint64(key), key: record[6 : 6+n], was: binary.BigEndian.Uint64(record[6+n:])}
	if u.was > 0 {
		u.before = record[14+n:]
	}
	return u, nil
}

// revisionKey returns a revision as a key.
func revisionKey(revision uint64) []byte { return binary.BigEndian.AppendUint64(nil, revision) }
