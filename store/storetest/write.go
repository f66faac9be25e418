package storetest

import (
	"bytes"
	"strings"

	"github.com/askind/askind/store"
)

var putCases = []testCase{
	{"a new key", func(s *subject) {
		s.wantValue("a", "1", s.put("a", "1", 0))
	}},
	{"a key that is there, as a new one", func(s *subject) {
		r := s.put("a", "1", 0)
		_, err := s.Put(s.ctx, "a", []byte("2"), 0)
		s.wantConflict(err, r)
		s.wantValue("a", "1", r)
	}},
	{"at the right revision", func(s *subject) {
		s.wantValue("a", "2", s.put("a", "2", s.put("a", "1", 0)))
	}},
	{"at an old revision", func(s *subject) {
		old := s.put("a", "1", 0)
		r := s.put("a", "2", old)
		_, err := s.Put(s.ctx, "a", []byte("3"), old)
		s.wantConflict(err, r)
		s.wantValue("a", "2", r)
	}},
	{"at a revision yet to come", func(s *subject) {
		r := s.put("a", "1", 0)
		_, err := s.Put(s.ctx, "a", []byte("2"), r+1)
		s.wantConflict(err, r)
	}},
	{"at the revision of another key", func(s *subject) {
		r := s.put("a", "1", 0)
		other := s.put("b", "1", 0)
		_, err := s.Put(s.ctx, "a", []byte("2"), other)
		s.wantConflict(err, r)
	}},
	{"a missing key, as one that is there", func(s *subject) {
		_, err := s.Put(s.ctx, "a", []byte("1"), s.put("b", "1", 0))
		s.wantConflict(err, 0)
		s.wantValue("a", "", 0)
	}},
	{"a conflict takes no revision", func(s *subject) {
		r := s.put("a", "1", 0)
		_, err := s.Put(s.ctx, "a", []byte("2"), 0)
		s.wantConflict(err, r)
		if now := s.revision(); now != r {
			s.Errorf("the revision went from %d to %d", r, now)
		}
	}},
	{"revisions grow", func(s *subject) {
		last := s.revision()
		for _, key := range []string{"b", "a", "c", "ab"} {
			r := s.put(key, "1", 0)
			if r <= last || r >= 1<<63 {
				s.Fatalf("revision %d after %d", r, last)
			}
			last = r
		}
	}},
	{"the same value again is a write", func(s *subject) {
		r := s.put("a", "1", 0)
		if again := s.put("a", "1", r); again <= r {
			s.Errorf("revision %d after %d", again, r)
		}
	}},
	{"an empty value is refused", func(s *subject) {
		if _, err := s.Put(s.ctx, "a", nil, 0); err == nil {
			s.Error("no error for nil")
		}
		if _, err := s.Put(s.ctx, "a", []byte{}, 0); err == nil {
			s.Error("no error for an empty value")
		}
	}},
	{"a blank key is refused", func(s *subject) {
		if _, err := s.Put(s.ctx, "", []byte("1"), 0); err == nil {
			s.Error("no error")
		}
	}},
	{"a key with a NUL byte is refused", func(s *subject) {
		if _, err := s.Put(s.ctx, "a\x00b", []byte("1"), 0); err == nil {
			s.Error("no error")
		}
	}},
	{"a key that is too long is refused", func(s *subject) {
		if _, err := s.Put(s.ctx, strings.Repeat("a", store.MaxKey+1), []byte("1"), 0); err == nil {
			s.Error("no error")
		}
	}},
	{"the longest key", func(s *subject) {
		key := strings.Repeat("a", store.MaxKey)
		s.wantValue(key, "1", s.put(key, "1", 0))
	}},
	{"a value of a mebibyte", func(s *subject) {
		value := strings.Repeat("0123456789abcdef", 1<<16)
		s.wantValue("a", value, s.put("a", value, 0))
	}},
	{"a value of any bytes", func(s *subject) {
		var value []byte
		for i := range 512 {
			value = append(value, byte(i))
		}
		s.wantValue("a", string(value), s.put("a", string(value), 0))
	}},
	{"keys of any bytes but NUL", func(s *subject) {
		for _, key := range []string{"\x01", "\xff", "\xff\xff", "/", "//", "ü", "a b", "../x", "%2f", "\n"} {
			s.wantValue(key, "1", s.put(key, "1", 0))
		}
	}},
	{"the value that was given is not changed", func(s *subject) {
		given := []byte("abc")
		r, err := s.Put(s.ctx, "a", given, 0)
		if err != nil {
			s.Fatal(err)
		}
		s.put("a", "xyz", r)
		if !bytes.Equal(given, []byte("abc")) {
			s.Errorf("it is %q now", given)
		}
	}},
	{"the value that was got is not changed", func(s *subject) {
		r := s.put("a", "abc", 0)
		got, err := s.Get(s.ctx, "a")
		if err != nil {
			s.Fatal(err)
		}
		for range 10 {
			r = s.put("a", "xyz", r)
		}
		if string(got.Value) != "abc" {
			s.Errorf("it is %q now", got.Value)
		}
	}},
	{"again after a deletion", func(s *subject) {
		s.del("a", s.put("a", "1", 0))
		s.wantValue("a", "2", s.put("a", "2", 0))
	}},
	{"after a deletion, at the revision before", func(s *subject) {
		r := s.put("a", "1", 0)
		s.del("a", r)
		_, err := s.Put(s.ctx, "a", []byte("2"), r)
		s.wantConflict(err, 0)
	}},
	{"after a deletion, at the revision of it", func(s *subject) {
		r := s.del("a", s.put("a", "1", 0))
		_, err := s.Put(s.ctx, "a", []byte("2"), r)
		s.wantConflict(err, 0)
	}},
}

var deleteCases = []testCase{
	{"at the right revision", func(s *subject) {
		r := s.put("a", "1", 0)
		if gone := s.del("a", r); gone <= r {
			s.Errorf("revision %d after %d", gone, r)
		}
		s.wantValue("a", "", 0)
	}},
	{"at an old revision", func(s *subject) {
		old := s.put("a", "1", 0)
		r := s.put("a", "2", old)
		_, err := s.Delete(s.ctx, "a", old)
		s.wantConflict(err, r)
		s.wantValue("a", "2", r)
	}},
	{"a missing key", func(s *subject) {
		_, err := s.Delete(s.ctx, "a", s.put("b", "1", 0))
		s.wantConflict(err, 0)
	}},
	{"a missing key that is expected to be missing", func(s *subject) {
		r := s.put("b", "1", 0)
		_, err := s.Delete(s.ctx, "a", 0)
		s.wantConflict(err, 0)
		if now := s.revision(); now != r {
			s.Errorf("the revision went from %d to %d", r, now)
		}
	}},
	{"a key that is there and is expected to be missing", func(s *subject) {
		r := s.put("a", "1", 0)
		_, err := s.Delete(s.ctx, "a", 0)
		s.wantConflict(err, r)
	}},
	{"twice", func(s *subject) {
		r := s.put("a", "1", 0)
		s.del("a", r)
		_, err := s.Delete(s.ctx, "a", r)
		s.wantConflict(err, 0)
	}},
	{"other keys stay", func(s *subject) {
		r := s.put("ab", "1", 0)
		s.del("a", s.put("a", "1", 0))
		s.wantValue("ab", "1", r)
	}},
}
