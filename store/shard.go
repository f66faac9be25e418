package store

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"

	"github.com/askind/askind/internal/sorted"
)

// The fields whose hashes divide objects among shards, as selectors name them.
const (
	shardUID       = "object.metadata.uid"
	shardNamespace = "object.metadata.namespace"
)

// ShardSelector selects objects by a hash of their uid or namespace, so that several clients share
// the objects of a resource: each selects a part of the 2^64 hashes. The zero ShardSelector selects
// everything. It is immutable.
//
// The hash is FNV-1a with 64 bits, as in KEP-5866 of Kubernetes. It is the same on all servers.
type ShardSelector struct {
	field  string
	ranges []shardRange // sorted and disjoint
	text   string
}

// shardRange is a range of hashes, both ends included.
type shardRange struct{ first, last uint64 }

// ParseShardSelector parses the shardSelector parameter of requests: ranges of the hashes of one
// field, joined by ||. The field is object.metadata.uid or object.metadata.namespace. Each bound is
// 0x with 16 lower-case hexadecimal digits, and the upper one, which does not belong to the range,
// may also be 0x10000000000000000. The error is a BadRequest.
//
//	shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')
func ParseShardSelector(text string) (ShardSelector, error) {
	var s ShardSelector
	if text == "" {
		return s, nil
	}
	var terms []string
	for term := range strings.SplitSeq(text, "||") {
		field, r, err := parseShardRange(strings.TrimSpace(term))
		if err == nil && s.field != "" && field != s.field {
			err = fmt.Errorf("all ranges must be of one field, not of %s and %s", s.field, field)
		}
		if err != nil {
			return ShardSelector{}, invalidOption("shardSelector", err.Error())
		}
		s.field = field
		s.ranges = append(s.ranges, r)
		terms = append(terms, fmt.Sprintf("shardRange(%s, '0x%016x', '%s')", field, r.first, shardEnd(r.last)))
	}
	s.text = strings.Join(terms, " || ")
	s.join()
	return s, nil
}

// parseShardRange parses one range.
func parseShardRange(term string) (field string, r shardRange, err error) {
	wrong := fmt.Errorf("%.100q is not of the form shardRange(%s, '0x0000000000000000', '0x8000000000000000')",
		term, shardUID)
	call, found := strings.CutSuffix(term, ")")
	name, list, opened := strings.Cut(call, "(")
	args := strings.Split(list, ",")
	if !found || !opened || strings.TrimSpace(name) != "shardRange" || len(args) != 3 {
		return "", r, wrong
	}
	field = strings.TrimSpace(args[0])
	if field != shardUID && field != shardNamespace {
		return "", r, fmt.Errorf("objects cannot be divided by %.64q; use %s or %s", field, shardUID, shardNamespace)
	}
	first, err := parseShardBound(strings.TrimSpace(args[1]))
	if err != nil {
		return "", r, err
	}
	end := strings.TrimSpace(args[2])
	if end == `'`+shardEnd(1<<64-1)+`'` || end == `"`+shardEnd(1<<64-1)+`"` {
		return field, shardRange{first, 1<<64 - 1}, nil
	}
	after, err := parseShardBound(end)
	if err != nil {
		return "", r, err
	}
	if after <= first {
		return "", r, fmt.Errorf("the range from 0x%016x to 0x%016x is empty", first, after)
	}
	return field, shardRange{first, after - 1}, nil
}

// parseShardBound parses a quoted bound of 16 digits.
func parseShardBound(text string) (uint64, error) {
	if n := len("'0x'") + 16; len(text) == n && (text[0] == '\'' || text[0] == '"') && text[n-1] == text[0] {
		digits, found := strings.CutPrefix(text[1:n-1], "0x")
		value, err := strconv.ParseUint(digits, 16, 64)
		if found && err == nil && digits == strings.ToLower(digits) {
			return value, nil
		}
	}
	return 0, fmt.Errorf("%.64q is not a quoted bound of 16 lower-case digits such as '0x8000000000000000'", text)
}

// shardEnd returns the bound after a hash.
func shardEnd(last uint64) string {
	if last == 1<<64-1 {
		return "0x10000000000000000"
	}
	return fmt.Sprintf("0x%016x", last+1)
}

// join sorts the ranges and joins those that touch, so that a hash is in one of them at most.
func (s *ShardSelector) join() {
	sorted.Func(s.ranges, func(a, b shardRange) int { return cmp.Compare(a.first, b.first) })
	joined := s.ranges[:1]
	for _, r := range s.ranges[1:] {
		if last := &joined[len(joined)-1]; last.last == 1<<64-1 || r.first <= last.last+1 {
			last.last = max(last.last, r.last)
		} else {
			joined = append(joined, r)
		}
	}
	s.ranges = joined
}

// Empty reports whether the selector selects everything.
func (s ShardSelector) Empty() bool { return len(s.ranges) == 0 }

// String returns the selector in the grammar of [ParseShardSelector].
func (s ShardSelector) String() string { return s.text }

// hash returns the hash that says to which shard a decodable object belongs.
func (s *ShardSelector) hash(e *Entry) uint64 {
	value := e.UID()
	if s.field == shardNamespace {
		value = e.Key().Namespace
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(value))
	return h.Sum64()
}

// has reports whether a hash is in the selected part.
func (s *ShardSelector) has(hash uint64) bool {
	_, found := slices.BinarySearchFunc(s.ranges, hash, func(r shardRange, hash uint64) int {
		switch {
		case hash < r.first:
			return 1
		case hash > r.last:
			return -1
		}
		return 0
	})
	return found
}
