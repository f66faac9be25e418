package schema

import (
	"errors"
	"fmt"
)

// ErrLimit is the cause of every error that says that an input exceeds one of the [Limits].
var ErrLimit = errors.New("limit exceeded")

// Limits bound what is read, so that no input costs much more than its size. They are the same for
// all formats. A field that is 0 has its default, which lets pass whatever people and programs
// write; a server that reads from strangers sets lower ones. Where an input is beyond a limit the
// error is a [*LimitError].
type Limits struct {
	_ struct{} // literals name their fields

	// Size bounds the bytes of an input that is in memory when it is read. The default is 1 GiB,
	// and 128 MiB for YAML, of which the nodes take many times the memory of their text.
	Size int
	// Item bounds the bytes of one item of a list, or of one event of a watch, that is read from a
	// stream, and of all that is around the items. The default is 16 MiB.
	Item int
	// Depth bounds how deep objects and lists nest. The default is 10,000; more than 100,000 is not
	// granted, because decoders of recursive types use the stack.
	Depth int
	// Items bounds the elements of one list, and the members of one object or map. The default is
	// 10,000,000. Items that are read from a stream one by one are not counted.
	Items int
	// String bounds the bytes of one string or member name. By default a string may be as long as
	// its input.
	String int
	// Number bounds the characters of one number that is written in digits. The default is 4,096:
	// that is enough for every float64 without rounding. The numbers of protobuf and CBOR have ten
	// bytes at most.
	Number int
	// Memory bounds how many bytes of memory the lists and maps of an object, what its pointers
	// lead to and its untyped values may take for each byte of the input, beyond a first MiB. The
	// default is 64. Objects that people and programs write take less than ten; it takes thousands
	// of empty elements of a large type to exceed the bound. The nodes of a YAML document that our
	// own reader leaves to the library, because it has anchors, tags or what is rarer, may take
	// three times as much, beyond a first 4 MiB, and are estimated before they are made.
	//
	// With the default at most 150 bytes are allocated for each byte of an input in protobuf and
	// JSON, and 200 in CBOR and YAML, strings and garbage included, beyond a first MiB (5 MiB in
	// YAML). Nested flow collections on one line of a YAML document that the library reads take up
	// to 1,200. Kinds that are messages of google.golang.org/protobuf are decoded by that package,
	// which counts nothing.
	Memory int
	// AliasValues bounds how many values the aliases of a YAML document may stand for, each counted
	// as often as it is used, and AliasBytes how much text. The defaults are 100,000 and 16 MiB.
	AliasValues, AliasBytes int
	// Embedded bounds how deep objects may be embedded in one another where strict decoding looks
	// into them, and where they are decoded with their parent: each level reads once more what is
	// below it. The default is 32; more than 1,000 is not granted. What is deeper is kept as its
	// bytes, and a strict decoder tells.
	Embedded int
	// Problems bounds how many problems of one document are kept. The default is 100; the others
	// are counted.
	Problems int
}

// The defaults of [Limits] that are not in the fields' nature.
const (
	defaultSize        = 1 << 30
	defaultItem        = 16 << 20
	defaultDepth       = 10_000
	highestDepth       = 100_000
	defaultItems       = 10_000_000
	defaultNumber      = 4096
	defaultMemory      = 64
	defaultAliasValues = 100_000
	defaultAliasBytes  = 16 << 20
	defaultEmbedded    = 32
	highestEmbedded    = 1000
	defaultProblems    = 100
)

// Or returns the limits with those of other where l has none.
func (l Limits) Or(other Limits) Limits {
	if l.none() {
		return other
	}
	return Limits{
		Size: either(l.Size, other.Size), Item: either(l.Item, other.Item), Depth: either(l.Depth, other.Depth),
		Items: either(l.Items, other.Items), String: either(l.String, other.String), Number: either(l.Number,
			other.Number),
		Memory: either(l.Memory, other.Memory), AliasValues: either(l.AliasValues, other.AliasValues),
		AliasBytes: either(l.AliasBytes, other.AliasBytes),
		Embedded:   either(l.Embedded, other.Embedded), Problems: either(l.Problems, other.Problems),
	}
}

// none reports whether every field is 0. All of them are looked at in a row, which takes less time
// than a comparison of the memory: limits are asked for several times for each object.
func (l *Limits) none() bool {
	return l.Size|l.Item|l.Depth|l.Items|l.String|l.Number|l.Memory|l.AliasValues|l.AliasBytes|l.Embedded|
		l.Problems == 0
}

func either(a, b int) int {
	if a > 0 {
		return a
	}
	return max(b, 0)
}

// OrDefaults returns the limits as they hold: with the defaults where l has none. Readers call it;
// others need not.
func (l Limits) OrDefaults() Limits {
	size := either(l.Size, defaultSize)
	defaults := Limits{
		Size: size, Item: defaultItem, Depth: defaultDepth, Items: defaultItems, String: size, Number: defaultNumber,
		Memory:      defaultMemory,
		AliasValues: defaultAliasValues, AliasBytes: defaultAliasBytes, Embedded: defaultEmbedded,
		Problems: defaultProblems,
	}
	if l.none() {
		return defaults
	}
	l = l.Or(defaults)
	l.Depth, l.Embedded = min(l.Depth, highestDepth), min(l.Embedded, highestEmbedded)
	return l
}

// CheckSize returns the error for an input of n bytes, what names it, that is larger than l.Size or
// its default; nil if it is not.
func (l *Limits) CheckSize(what string, n int) *LimitError {
	most := either(l.Size, defaultSize)
	if n <= most {
		return nil
	}
	return &LimitError{Limit: "Size", What: what, Unit: "bytes", Max: most, Got: n}
}

// LimitError says that an input is beyond one of the [Limits]. errors.Is finds [ErrLimit]. It comes
// inside an error that says where.
type LimitError struct {
	_ struct{} // literals name their fields

	// Limit is the name of the field of [Limits].
	Limit string
	// What exceeds it: "the input", "a string".
	What string
	// Unit is what is counted: "bytes".
	Unit string
	// Max is the limit and Got what was found, 0 if it was not counted to its end.
	Max, Got int
}

// Error says what is beyond which limit, and how to allow it.
func (e *LimitError) Error() string {
	if e.Got > 0 {
		return fmt.Sprintf("%s has %d %s, more than %d; raise Limits.%s to read it", e.What, e.Got, e.Unit,
			e.Max, e.Limit)
	}
	return fmt.Sprintf("%s has more than %d %s; raise Limits.%s to read it", e.What, e.Max, e.Unit, e.Limit)
}

// Unwrap returns [ErrLimit].
func (e *LimitError) Unwrap() error { return ErrLimit }
