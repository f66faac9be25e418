package schema

import (
	"errors"
	"fmt"
	"strings"
)

// ErrLimit is the cause of every error that says that an input exceeds one of the [Limits].
var ErrLimit = errors.New("limit exceeded")

// Limits bound the input of readers, so that no input costs much more than its size. They are the
// same for all formats. A field that is 0 has its default, which admits any realistic input; a
// server that reads untrusted input sets lower limits. Exceeding a limit is a [*LimitError].
type Limits struct {
	_ struct{} // literals name their fields

	// Size bounds the bytes of an input that is read from memory. The default is 1 GiB. For YAML it
	// is 128 MiB, because its nodes take many times the memory of their text.
	Size int
	// Item bounds the bytes of one list item, or of one watch event, read from a stream, and the
	// bytes of everything around the items. The default is 16 MiB.
	Item int
	// Depth bounds the nesting of objects and lists. The default is 10,000. It is capped at
	// 100,000, because decoders of recursive types use the stack.
	Depth int
	// Items bounds the elements of one list, and the members of one object or map. The default is
	// 10,000,000. Items that are read one by one from a stream are not counted.
	Items int
	// String bounds the bytes of one string or member name. By default a string may be as long as
	// its input.
	String int
	// Number bounds the characters of one number that is written in digits. The default is 4,096,
	// enough for the exact value of every float64. Numbers in protobuf and CBOR have ten bytes at
	// most.
	Number int
	// Memory bounds the memory of an object's lists, maps, pointer targets and untyped values, in
	// bytes for each byte of the input beyond the first MiB. The default is 64. Realistic objects
	// take less than ten; it takes thousands of empty elements of a large type to exceed the bound.
	// A YAML document with rare features such as anchors and tags is read by the YAML library. The
	// nodes of such a document may take three times as much, beyond the first 4 MiB, and are
	// estimated before they are allocated.
	//
	// With the default, at most 150 bytes are allocated for each byte of protobuf and JSON input,
	// and 210 for CBOR and YAML, including strings and garbage, beyond the first MiB (5 MiB in
	// YAML). A YAML document that the library reads takes up to 600, and up to 1,200 where flow
	// collections nest on one line. Kinds that are messages of google.golang.org/protobuf are
	// decoded by that package, which does not count.
	Memory int
	// AliasValues bounds the number of values that the aliases of a YAML document expand to,
	// counted at each use, and AliasBytes the amount of text. The defaults are 100,000 and 16 MiB.
	AliasValues, AliasBytes int
	// Embedded bounds the depth of objects embedded in one another that strict decoding checks, or
	// that are decoded with their parent: each level reads the levels below it once more. The
	// default is 32; it is capped at 1,000. Objects below that depth are kept as bytes, and strict
	// decoding reports them.
	Embedded int
	// Problems bounds the number of problems kept for one document. The default is 100; the rest
	// are counted.
	Problems int
}

// The default [Limits].
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

// Or returns the limits of l, with those of other in place of zero fields.
func (l Limits) Or(other Limits) Limits {
	if l == (Limits{}) {
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

func either(a, b int) int {
	if a > 0 {
		return a
	}
	return max(b, 0)
}

// OrDefaults returns the limits with defaults in place of zero fields. Readers call it; others do
// not need to.
func (l Limits) OrDefaults() Limits {
	size := either(l.Size, defaultSize)
	defaults := Limits{
		Size: size, Item: defaultItem, Depth: defaultDepth, Items: defaultItems, String: size, Number: defaultNumber,
		Memory:      defaultMemory,
		AliasValues: defaultAliasValues, AliasBytes: defaultAliasBytes, Embedded: defaultEmbedded,
		Problems: defaultProblems,
	}
	if l == (Limits{}) {
		return defaults
	}
	l = l.Or(defaults)
	l.Depth, l.Embedded = min(l.Depth, highestDepth), min(l.Embedded, highestEmbedded)
	return l
}

// CheckSize returns an error if an input of n bytes, described by what, is larger than l.Size or
// its default. Otherwise it returns nil.
func (l *Limits) CheckSize(what string, n int) *LimitError {
	most := either(l.Size, defaultSize)
	if n <= most {
		return nil
	}
	return &LimitError{Limit: "Size", What: what, Unit: "bytes", Max: most, Got: n}
}

// LimitError reports that an input exceeds one of the [Limits]. It matches [ErrLimit]. It is
// wrapped in an error that states the position.
type LimitError struct {
	_ struct{} // literals name their fields

	// Limit is the name of the field of [Limits], or that of another setting with its package.
	Limit string
	// What describes what exceeds it, such as "the input" or "a string".
	What string
	// Unit is the unit of the limit, such as "bytes".
	Unit string
	// Max is the limit. Got is the amount found, or 0 if counting stopped early.
	Max, Got int
}

// Error states which limit was exceeded, and how to raise it.
func (e *LimitError) Error() string {
	setting := e.Limit
	if !strings.Contains(setting, ".") {
		setting = "Limits." + setting
	}
	if e.Got > 0 {
		return fmt.Sprintf("%s has %d %s, more than %d; raise %s to read it", e.What, e.Got, e.Unit, e.Max, setting)
	}
	return fmt.Sprintf("%s has more than %d %s; raise %s to read it", e.What, e.Max, e.Unit, setting)
}

// Unwrap returns [ErrLimit].
func (e *LimitError) Unwrap() error { return ErrLimit }
