// Package plain has the constant that the build tag askind_plain sets. With the tag every fast path
// is off: decoded values and strings do not share memory, bytes are not borrowed as strings, and
// each format takes the path that it otherwise keeps for uncommon input. The results are the
// same, with more allocations.
package plain
