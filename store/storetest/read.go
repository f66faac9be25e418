package storetest

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/askind/askind/store"
)

var getCases = []testCase{
	{name: "what is there", run: func(s *subject) { s.wantValue("a", "1", s.put("a", "1", 0)) }},
	{name: "what is not there", run: func(s *subject) {
		s.put("a", "1", 0)
		s.wantValue("b", "", 0)
	}},
	{name: "a prefix of a key is not the key", run: func(s *subject) {
		s.put("ab", "1", 0)
		s.wantValue("a", "", 0)
	}},
	{name: "the revision of the engine comes with it", run: func(s *subject) {
		s.put("a", "1", 0)
		r := s.put("b", "1", 0)
		if got, err := s.Get(s.ctx, "a"); err != nil || !s.isNow(got.Now, r) {
			s.Errorf("%d, %v; want %d", got.Now, err, r)
		}
	}},
}

// fill writes some keys and returns the revision.
func (s *subject) fill(keys ...string) (revision uint64) {
	s.Helper()
	for _, key := range keys {
		revision = s.put(key, "v-"+key, 0)
	}
	return revision
}

var listCases = []testCase{
	{name: "nothing", run: func(s *subject) { s.wantKeys("", store.RangeOptions{}, false) }},
	{name: "in the order of bytes", run: func(s *subject) {
		s.fill("b", "a/b", "a-b", "a", "ü", "B", "\xff", "a/")
		s.wantKeys("", store.RangeOptions{}, false, "B", "a", "a-b", "a/", "a/b", "b", "ü", "\xff")
	}},
	{name: "values and revisions", run: func(s *subject) {
		a := s.put("a", "1", 0)
		b := s.put("b", "2", 0)
		a = s.put("a", "3", a)
		got, page := s.list("", store.RangeOptions{})
		if want := []string{fmt.Sprintf("a=3@%d", a), fmt.Sprintf("b=2@%d", b)}; !slices.Equal(got, want) ||
			!s.isNow(page.Revision, a) {
			s.Errorf("%q at %d, want %q at %d", got, page.Revision, want, a)
		}
	}},
	{name: "a prefix", run: func(s *subject) {
		s.fill("a", "b", "b/1", "b/2", "b0", "c")
		s.wantKeys("b/", store.RangeOptions{}, false, "b/1", "b/2")
	}},
	{name: "a prefix that is a key", run: func(s *subject) {
		s.fill("a", "ab", "b")
		s.wantKeys("a", store.RangeOptions{}, false, "a", "ab")
	}},
	{name: "a prefix of greatest bytes", run: func(s *subject) {
		s.fill("a", "\xfe", "\xff", "\xff\xff", "\xff\xffa")
		s.wantKeys("\xff\xff", store.RangeOptions{}, false, "\xff\xff", "\xff\xffa")
	}},
	{name: "a prefix of characters that patterns use", run: func(s *subject) {
		s.fill("a%1", "a*1", "a?1", "a[1", "a\\1", "a_1", "ab1")
		for _, prefix := range []string{"a%", "a*", "a?", "a[", "a\\", "a_"} {
			s.wantKeys(prefix, store.RangeOptions{}, false, prefix+"1")
			s.wantCount(prefix, 1)
		}
	}},
	{name: "a prefix of nothing", run: func(s *subject) {
		s.fill("a", "c")
		s.wantKeys("b", store.RangeOptions{}, false)
	}},
	{name: "from a key", run: func(s *subject) {
		s.fill("a/1", "a/2", "a/3", "b")
		s.wantKeys("a/", store.RangeOptions{From: "a/2"}, false, "a/2", "a/3")
	}},
	{name: "from between keys", run: func(s *subject) {
		s.fill("a/1", "a/2", "a/3", "b")
		s.wantKeys("a/", store.RangeOptions{From: "a/1\x00"}, false, "a/2", "a/3")
	}},
	{name: "from before the prefix", run: func(s *subject) {
		s.fill("a", "b/1", "b/2")
		s.wantKeys("b/", store.RangeOptions{From: "a"}, false, "b/1", "b/2")
	}},
	{name: "from behind the prefix", run: func(s *subject) {
		s.fill("a/1", "a0", "b")
		s.wantKeys("a/", store.RangeOptions{From: "b"}, false)
		s.wantKeys("a/", store.RangeOptions{From: "a0", Limit: 1}, false)
	}},
	{name: "a limit", run: func(s *subject) {
		s.fill("a", "b", "c")
		s.wantKeys("", store.RangeOptions{Limit: 2}, true, "a", "b")
	}},
	{name: "a limit that is just enough", run: func(s *subject) {
		s.fill("a/1", "a/2", "b")
		s.wantKeys("a/", store.RangeOptions{Limit: 2}, false, "a/1", "a/2")
	}},
	{name: "pages fit together whatever is written between them", run: func(s *subject) {
		s.fill("a", "b", "c", "d", "e")
		b := mustGet(s, "b")
		want, first := s.list("", store.RangeOptions{})
		var got []string
		o := store.RangeOptions{Limit: 2, Revision: first.Revision}
		for i := 0; ; i++ {
			items, page := s.list("", o)
			got = append(got, items...)
			if page.Revision != first.Revision {
				s.Errorf("a page at %d of a list at %d", page.Revision, first.Revision)
			}
			if !page.More {
				break
			}
			o.From = page.Items[len(page.Items)-1].Key + "\x00"
			s.put(fmt.Sprint("c", i), "new", 0)
			if i == 0 {
				s.del("b", b)
			}
		}
		if !slices.Equal(got, want) {
			s.Errorf("got %q, want %q", got, want)
		}
	}},
	{name: "every past revision", run: func(s *subject) {
		var want [][]string
		var revisions []uint64
		note := func(r uint64) {
			items, _ := s.list("", store.RangeOptions{})
			want, revisions = append(want, items), append(revisions, r)
		}
		a := s.put("a", "1", 0)
		note(a)
		b := s.put("b", "1", 0)
		note(b)
		a = s.put("a", "2", a)
		note(a)
		note(s.del("b", b))
		note(s.put("b", "2", 0))
		note(s.del("a", a))
		for i, r := range revisions {
			got, page := s.list("", store.RangeOptions{Revision: r})
			if !slices.Equal(got, want[i]) || page.Revision != r {
				s.Errorf("revision %d: %q at %d, want %q", r, got, page.Revision, want[i])
			}
			for j, kv := range page.Items {
				rest, _ := s.list("", store.RangeOptions{Revision: r, From: kv.Key})
				if !slices.Equal(rest, want[i][j:]) {
					s.Errorf("revision %d from %q: %q, want %q", r, kv.Key, rest, want[i][j:])
				}
			}
		}
	}},
	{name: "a prefix in the past", run: func(s *subject) {
		s.fill("a", "b/1", "b/2", "c")
		r := s.revision()
		s.put("b/2", "again", mustGet(s, "b/2"))
		s.del("b/1", mustGet(s, "b/1"))
		s.del("a", mustGet(s, "a"))
		s.fill("b/0", "b/3")
		s.wantKeys("b/", store.RangeOptions{Revision: r}, false, "b/1", "b/2")
		s.wantKeys("b/", store.RangeOptions{Revision: r, From: "b/2"}, false, "b/2")
		s.wantKeys("b/", store.RangeOptions{Revision: r, Limit: 1}, true, "b/1")
		s.wantKeys("b/", store.RangeOptions{Revision: r, Limit: 2}, false, "b/1", "b/2")
	}},
	{name: "values outlive their keys", run: func(s *subject) {
		value := strings.Repeat("value ", 500)
		r := s.put("a", value, 0)
		got, err := s.Get(s.ctx, "a")
		if err != nil {
			s.Fatal(err)
		}
		_, now := s.list("", store.RangeOptions{})
		r = s.put("a", strings.Repeat("other ", 500), r)
		_, past := s.list("", store.RangeOptions{Revision: got.Revision})
		for i := range 30 { // the engine may use its memory again
			r = s.put("a", strings.Repeat(fmt.Sprintf("again%d", i%10), 500), r)
		}
		for what, kv := range map[string]store.KeyValue{
			"Get": got.KeyValue, "List": now.Items[0], "List of the past": past.Items[0],
		} {
			if string(kv.Value) != value {
				s.Errorf("the value that %s returned has become %.20q", what, kv.Value)
			}
		}
	}},
	{name: "the past of an empty engine", run: func(s *subject) {
		before := s.revision()
		if before == 0 {
			s.Fatal("the revision is 0, which stands for the latest")
		}
		s.fill("a")
		s.wantKeys("", store.RangeOptions{Revision: before}, false)
	}},
	{name: "the future", run: func(s *subject) {
		for _, r := range []uint64{s.fill("a") + far, 1 << 63, math.MaxUint64} {
			if _, err := s.List(s.ctx, "", store.RangeOptions{Revision: r}); !errors.Is(err, store.ErrFuture) {
				s.Errorf("revision %d: error %v", r, err)
			}
		}
	}},
	{name: "a thousand keys, and the watch of them", run: func(s *subject) {
		before := s.revision()
		for i := range 1000 {
			s.put(fmt.Sprintf("k/%04d", i*7%1000), "v", 0)
		}
		if got := s.watch("", before).reach(s.revision()); len(got) != 1000 {
			s.Errorf("the watch has %d changes", len(got))
		}
		_, page := s.list("k/", store.RangeOptions{})
		if len(page.Items) != 1000 || !slices.IsSortedFunc(page.Items, func(a, b store.KeyValue) int {
			return strings.Compare(a.Key, b.Key)
		}) {
			s.Errorf("%d keys", len(page.Items))
		}
	}},
}

// wantCount checks how many keys have a prefix.
func (s *subject) wantCount(prefix string, want int64) {
	s.Helper()
	before := s.revision()
	n, r, err := s.Count(s.ctx, prefix)
	if after := s.revision(); err != nil || n != want || r < before || r > after {
		s.Errorf("Count(%q) = %d at %d, %v; want %d between %d and %d", prefix, n, r, err, want, before, after)
	}
}

var countCases = []testCase{
	{name: "count nothing", run: func(s *subject) { s.wantCount("", 0) }},
	{name: "count everything", run: func(s *subject) {
		s.fill("a", "b", "\xff")
		s.wantCount("", 3)
	}},
	{name: "count a prefix", run: func(s *subject) {
		s.fill("a", "b", "b/1", "b/2", "c")
		s.wantCount("b/", 2)
		s.wantCount("b", 3)
		s.wantCount("x", 0)
	}},
	{name: "count after writes and deletions", run: func(s *subject) {
		r := s.put("a", "1", 0)
		s.put("b", "1", 0)
		s.del("a", s.put("a", "2", r))
		s.wantCount("", 1)
	}},
	{name: "the revision is that of the last write", run: func(s *subject) {
		r := s.put("a", "1", 0)
		s.wantStill(r)
		s.wantStill(s.del("a", r))
	}},
	{name: "reading takes no revision", run: func(s *subject) {
		r := s.fill("a", "b")
		s.list("", store.RangeOptions{})
		s.wantValue("x", "", 0)
		s.wantCount("", 2)
		s.wantStill(r)
	}},
}
