package file

import (
	"errors"
	"testing"
)

// TestRecordsAreWhole checks that a record is read back, and that one that has been cut anywhere,
// has a changed bit or is that of another key is damaged.
func TestRecordsAreWhole(t *testing.T) {
	t.Parallel()
	for name, record := range map[string]struct {
		key, other []byte
		data       []byte
		read       func(key, record []byte) error
	}{
		"an object": {
			[]byte("k"), []byte("l"), appendObject(nil, "k", 7, []byte("v")),
			func(key, record []byte) error {
				revision, value, err := parseObject(key, record)
				if err == nil && (revision != 7 || string(value) != "v") {
					t.Errorf("%d %q", revision, value)
				}
				return err
			},
		},
		"an event": {
			revisionKey(8), revisionKey(9), appendUndo(nil, 8, "key", []byte("before"), 7),
			func(key, record []byte) error {
				u, err := parseUndo(key, record)
				if err == nil && (u.revision != 8 || string(u.key) != "key" || string(u.before) != "before" ||
					u.was != 7) {
					t.Errorf("%+v", u)
				}
				return err
			},
		},
		"an event without a value before": {
			revisionKey(8), revisionKey(9), appendUndo(nil, 8, "key", nil, 0),
			func(key, record []byte) error {
				u, err := parseUndo(key, record)
				if err == nil && (u.revision != 8 || string(u.key) != "key" || u.before != nil || u.was != 0) {
					t.Errorf("%+v", u)
				}
				return err
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := record.read(record.key, record.data); err != nil {
				t.Fatal(err)
			}
			if err := record.read(record.other, record.data); !errors.Is(err, ErrDamaged) {
				t.Errorf("with another key: %v", err)
			}
			for n := range record.data {
				if err := record.read(record.key, record.data[:n:n]); !errors.Is(err, ErrDamaged) {
					t.Errorf("the first %d bytes: %v", n, err)
				}
				changed := append([]byte(nil), record.data...)
				changed[n] ^= 1
				if err := record.read(record.key, changed); !errors.Is(err, ErrDamaged) {
					t.Errorf("with byte %d changed: %v", n, err)
				}
			}
		})
	}
}
