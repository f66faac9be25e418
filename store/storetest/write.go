package storetest

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/askind/askind/store"
)

var putCases = []testCase{
	{name: "a new key", run: func(s *subject) {
		s.wantValue("a", "1", s.put("a", "1", 0))
	}},
	{name: "a key that is there, as a new one", run: func(s *subject) {
		r := s.put("a", "1", 0)
		_, err := s.Put(s.ctx, "a", []byte("2"), 0)
		s.wantConflict(err, r)
		s.wantValue("a", "1", r)
	}},
	{name: "at the right revision", run: func(s *subject) {
		s.wantValue("a", "2", s.put("a", "2", s.put("a", "1", 0)))
	}},
	{name: "at an old revision", run: func(s *subject) {
		old := s.put("a", "1", 0)
		r := s.put("a", "2", old)
		_, err := s.Put(s.ctx, "a", []byte("3"), old)
		s.wantConflict(err, r)
		s.wantValue("a", "2", r)
	}},
	{name: "at a revision yet to come", run: func(s *subject) {
		r := s.put("a", "1", 0)
		for _, expected := range []uint64{r + 1, 1 << 63, math.MaxUint64} {
			_, err := s.Put(s.ctx, "a", []byte("2"), expected)
			s.wantConflict(err, r)
			_, err = s.Delete(s.ctx, "a", expected)
			s.wantConflict(err, r)
		}
	}},
	{name: "at the revision of another key", run: func(s *subject) {
		r := s.put("a", "1", 0)
		other := s.put("b", "1", 0)
		_, err := s.Put(s.ctx, "a", []byte("2"), other)
		s.wantConflict(err, r)
	}},
	{name: "a missing key, as one that is there", run: func(s *subject) {
		_, err := s.Put(s.ctx, "a", []byte("1"), s.put("b", "1", 0))
		s.wantConflict(err, 0)
		s.wantValue("a", "", 0)
	}},
	{name: "a conflict takes no revision", run: func(s *subject) {
		r := s.put("a", "1", 0)
		_, err := s.Put(s.ctx, "a", []byte("2"), 0)
		s.wantConflict(err, r)
		s.wantStill(r)
	}},
	{name: "revisions grow", run: func(s *subject) {
		last := s.revision()
		for _, key := range []string{"b", "a", "c", "ab"} {
			r := s.put(key, "1", 0)
			if r <= last || r >= 1<<63 {
				s.Fatalf("revision %d after %d", r, last)
			}
			last = r
		}
	}},
	{name: "the same value again is a write", run: func(s *subject) {
		r := s.put("a", "1", 0)
		if again := s.put("a", "1", r); again <= r {
			s.Errorf("revision %d after %d", again, r)
		}
	}},
	{name: "an empty value is refused", run: func(s *subject) {
		s.wantRefused("a", nil)
		s.wantRefused("a", []byte{})
	}},
	{name: "a blank key is refused", run: func(s *subject) { s.wantRefused("", []byte("1")) }},
	{name: "a key with a NUL byte is refused", run: func(s *subject) { s.wantRefused("a\x00b", []byte("1")) }},
	{name: "a key that is too long is refused", run: func(s *subject) {
		s.wantRefused(strings.Repeat("a", store.MaxKey+1), []byte("1"))
	}},
	{name: "the longest keys", run: func(s *subject) {
		start := strings.Repeat("a", store.MaxKey-1)
		s.wantDistinct(start+"a", start+"b")
	}},
	{name: "a value of a mebibyte", run: func(s *subject) {
		s.wantEverywhere(strings.Repeat("0123456789abcdef", 1<<16))
	}},
	{name: "a value of any bytes", run: func(s *subject) {
		var value []byte
		for i := range 512 {
			value = append(value, byte(i))
		}
		s.wantEverywhere(string(value))
	}},
	{name: "keys of any bytes but NUL", run: func(s *subject) {
		s.wantDistinct("\x01", "\xff", "\xff\xff", "/", "//", "a/", "a//", "a/.", "../x", "%2f", "\n", "\u00fc",
			"u\u0308") // one letter, composed and not
	}},
	{name: "keys that differ in case or spaces", run: func(s *subject) {
		s.wantDistinct("a", "A", "a ", " a", "a\t", "a\n", "ß", "ss", "SS")
	}},
	{name: "the value that was given is not changed", run: func(s *subject) {
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
	{name: "the value that was got is not changed", run: func(s *subject) {
		r := s.put("a", "abc", 0)
		got, err := s.Get(s.ctx, "a")
		if err != nil {
			s.Fatal(err)
		}
		_, page := s.list("a", store.RangeOptions{})
		for range 10 {
			r = s.put("a", "xyz", r)
			s.list("a", store.RangeOptions{})
		}
		if string(got.Value) != "abc" || string(page.Items[0].Value) != "abc" {
			s.Errorf("it is %q now, and %q in the list", got.Value, page.Items[0].Value)
		}
	}},
	{name: "again after a deletion", run: func(s *subject) {
		s.del("a", s.put("a", "1", 0))
		s.wantValue("a", "2", s.put("a", "2", 0))
	}},
	{name: "after a deletion, at the revision before", run: func(s *subject) {
		r := s.put("a", "1", 0)
		s.del("a", r)
		_, err := s.Put(s.ctx, "a", []byte("2"), r)
		s.wantConflict(err, 0)
	}},
	{name: "after a deletion, at the revision of it", run: func(s *subject) {
		r := s.del("a", s.put("a", "1", 0))
		_, err := s.Put(s.ctx, "a", []byte("2"), r)
		s.wantConflict(err, 0)
	}},
}

// wantRefused checks that an engine does not take a key or a value, whether it expires or not.
func (s *subject) wantRefused(key string, value []byte) {
	s.Helper()
	_, err := s.Put(s.ctx, key, value, 0)
	_, untilErr := store.PutUntil(s.ctx, s.Engine, key, value, 0, time.Now().Add(time.Hour))
	if err == nil || untilErr == nil {
		s.Errorf("Put(%.20q, %q): %v, PutUntil: %v; want errors", key, value, err, untilErr)
	}
}

// wantDistinct writes keys that an engine may take for one another, and checks each.
func (s *subject) wantDistinct(keys ...string) {
	s.Helper()
	revisions := map[string]uint64{}
	for i, key := range keys {
		revisions[key] = s.put(key, strconv.Itoa(i), 0)
	}
	for i, key := range keys {
		s.wantValue(key, strconv.Itoa(i), revisions[key])
	}
	s.wantKeys("", store.RangeOptions{}, false, slices.Sorted(slices.Values(keys))...)
}

// wantEverywhere writes a value twice and checks what reads and watches make of it.
func (s *subject) wantEverywhere(value string) {
	s.Helper()
	before := s.revision()
	first := s.put("a", value, 0)
	s.wantValue("a", value, first)
	second := s.put("a", value+".", first)
	for revision, want := range map[uint64]string{first: value, second: value + "."} {
		if _, page := s.list("", store.RangeOptions{Revision: revision}); len(page.Items) != 1 ||
			string(page.Items[0].Value) != want {
			s.Errorf("a list at %d has another value", revision)
		}
	}
	w := s.watch("", before)
	w.reach(second)
	if c := w.changes; len(c) != 2 || string(c[0].Value) != value || string(c[1].Value) != value+"." ||
		string(c[1].Before) != value {
		s.Errorf("a watch has other values in %d changes", len(c))
	}
}

// untilCases are those of [store.ExpiringEngine]. They hold for any other engine, too, by
// [store.PutUntil]. That an engine removes what has expired is not tested, because it may take its
// time.
var untilCases = []testCase{
	{name: "a value that stays for an hour", run: func(s *subject) {
		w := s.watch("", s.revision())
		r := s.putUntil("a", "1", 0, time.Hour)
		s.wantValue("a", "1", r)
		w.want(r, "a=1")
	}},
	{name: "a key that is there, as a new one", run: func(s *subject) {
		r := s.put("a", "1", 0)
		_, err := store.PutUntil(s.ctx, s.Engine, "a", []byte("2"), 0, time.Now().Add(time.Hour))
		s.wantConflict(err, r)
		s.wantValue("a", "1", r)
		s.wantStill(r)
	}},
	{name: "longer, shorter, and for ever", run: func(s *subject) {
		r := s.putUntil("a", "1", 0, time.Hour)
		r = s.putUntil("a", "2", r, 1000*time.Hour)
		r = s.putUntil("a", "3", r, time.Hour)
		s.wantValue("a", "4", s.put("a", "4", r))
	}},
	{name: "deleted before it expires", run: func(s *subject) {
		s.del("a", s.putUntil("a", "1", 0, time.Hour))
		s.wantValue("a", "", 0)
	}},
	{name: "the last time that there is", run: func(s *subject) {
		s.wantValue("a", "1", s.putUntil("a", "1", 0, math.MaxInt64))
	}},
}

// putUntil writes a value that expires and returns the revision.
func (s *subject) putUntil(key, value string, expected uint64, after time.Duration) uint64 {
	s.Helper()
	revision, err := store.PutUntil(s.ctx, s.Engine, key, []byte(value), expected, time.Now().Add(after))
	if err != nil {
		s.Fatalf("PutUntil(%q, expected %d): %v", key, expected, err)
	}
	return revision
}

var deleteCases = []testCase{
	{name: "at the right revision", run: func(s *subject) {
		r := s.put("a", "1", 0)
		if gone := s.del("a", r); gone <= r {
			s.Errorf("revision %d after %d", gone, r)
		}
		s.wantValue("a", "", 0)
	}},
	{name: "at an old revision", run: func(s *subject) {
		old := s.put("a", "1", 0)
		r := s.put("a", "2", old)
		_, err := s.Delete(s.ctx, "a", old)
		s.wantConflict(err, r)
		s.wantValue("a", "2", r)
	}},
	{name: "a missing key", run: func(s *subject) {
		_, err := s.Delete(s.ctx, "a", s.put("b", "1", 0))
		s.wantConflict(err, 0)
	}},
	{name: "a missing key that is expected to be missing", run: func(s *subject) {
		r := s.put("b", "1", 0)
		_, err := s.Delete(s.ctx, "a", 0)
		s.wantConflict(err, 0)
		s.wantStill(r)
	}},
	{name: "a key that is there and is expected to be missing", run: func(s *subject) {
		r := s.put("a", "1", 0)
		_, err := s.Delete(s.ctx, "a", 0)
		s.wantConflict(err, r)
	}},
	{name: "twice", run: func(s *subject) {
		r := s.put("a", "1", 0)
		s.del("a", r)
		_, err := s.Delete(s.ctx, "a", r)
		s.wantConflict(err, 0)
	}},
	{name: "other keys stay", run: func(s *subject) {
		r := s.put("ab", "1", 0)
		s.del("a", s.put("a", "1", 0))
		s.wantValue("ab", "1", r)
	}},
}
