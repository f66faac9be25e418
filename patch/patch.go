package patch

import (
	"errors"
	"mime"
	"slices"

	"github.com/askind/askind/internal/borrow"
	"github.com/askind/askind/patch/internal/tree"
	"github.com/askind/askind/patch/structure"
	"github.com/askind/askind/schema"
)

// Type is a patch format.
type Type uint8

// The formats.
const (
	// JSON is a JSON Patch, RFC 6902.
	JSON Type = iota + 1
	// Merge is a JSON merge patch, RFC 7386.
	Merge
	// Strategic is a strategic merge patch of Kubernetes.
	Strategic
	// Apply is the configuration of a server-side apply. [Parse] refuses it: see package
	// patch/apply.
	Apply
)

var mediaTypes = [...]string{
	JSON:      "application/json-patch+json",
	Merge:     "application/merge-patch+json",
	Strategic: "application/strategic-merge-patch+json",
	Apply:     "application/apply-patch+yaml",
}

// MediaType returns the media type of the format, blank if t is not one of the constants.
func (t Type) MediaType() string {
	if int(t) < len(mediaTypes) {
		return mediaTypes[t]
	}
	return ""
}

// String returns the name of the format for messages: "JSON patch".
func (t Type) String() string {
	switch t {
	case JSON:
		return "JSON patch"
	case Merge:
		return "merge patch"
	case Strategic:
		return "strategic merge patch"
	case Apply:
		return "apply patch"
	}
	return "unknown patch type"
}

// TypeOf returns the format of a Content-Type, regardless of its parameters, and whether it is that
// of a patch. The CBOR form of apply patches is Apply too.
func TypeOf(contentType string) (Type, bool) {
	name, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		return 0, false
	}
	if name == "application/apply-patch+cbor" {
		return Apply, true
	}
	for t, known := range mediaTypes {
		if name == known && name != "" {
			return Type(t), true
		}
	}
	return 0, false
}

// Patch is a patch that has been checked. It is immutable and safe for concurrent use.
type Patch struct {
	t      Type
	limits Limits
	text   string      // of a JSON patch
	ops    []operation // of a JSON patch
	root   tree.Node   // of a merge patch, open to its leaves
	of     *structure.Type
}

// Options control how a patch is read and applied. The zero value has the default limits.
type Options struct {
	_ struct{} // literals name their fields

	// Structure is the structure of the kind of the documents. Strategic merge patches need it.
	Structure *structure.Type
	// Limits bound the cost of a patch.
	Limits Limits
}

// Parse parses a patch. The error is an [*Error]; data is not retained.
func Parse(t Type, data []byte, o Options) (*Patch, error) {
	p := &Patch{t: t, of: o.Structure, limits: o.Limits.orDefaults()}
	var err error
	switch t {
	case JSON:
		err = p.parseOperations(data)
	case Merge:
		err = p.parseTree(data)
	case Strategic:
		err = p.parseStrategic(data)
	default:
		err = &Error{Type: t, Operation: -1, Err: ErrType}
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}

// parseTree reads a patch that is one JSON value.
func (p *Patch) parseTree(data []byte) (err error) {
	if p.root, err = tree.ParseAll(data, p.limits.Limits); err != nil {
		return unreadable(p.t, data, err)
	}
	return nil
}

// parseStrategic reads a strategic merge patch.
func (p *Patch) parseStrategic(data []byte) error {
	if p.of == nil {
		return &Error{Type: p.t, Operation: -1, Err: ErrNoStructure}
	}
	if err := p.parseTree(data); err != nil {
		return err
	}
	if p.root.Kind != tree.Object {
		return &Error{
			Type: p.t, Operation: -1, Err: ErrSyntax,
			Message: "a strategic merge patch is an object, found " + p.root.Kind.String(),
		}
	}
	return nil
}

// Append applies the patch to a document, one JSON value, and appends the result to dst. Parts of
// the document that the patch does not reach are copied byte for byte. On error it returns dst
// unchanged. The error is an [*Error]. The result may overwrite doc if dst is a slice of the same
// array.
func (p *Patch) Append(dst, doc []byte) ([]byte, error) {
	parse := tree.Borrow
	if borrow.Overwritten(doc, dst) {
		parse = tree.Parse
	}
	root, err := parse(doc, p.limits.Limits)
	if err != nil {
		return dst, &Error{Type: p.t, Operation: -1, Err: err, document: true}
	}
	if err := p.change(&root); err != nil {
		return dst, err
	}
	return root.Append(slices.Grow(dst, root.Size()+64)), nil
}

// Apply applies the patch to an untyped value: nil, a boolean, a string, a number, []any or
// map[string]any. The value is not modified; the result shares the parts that the patch does not
// reach. Numbers from the patch are int64, uint64 above the range of int64, else float64; one that
// is beyond float64 is an error. The error is an [*Error].
func (p *Patch) Apply(doc any) (any, error) {
	if err := tree.Check(doc, p.limits.Depth); err != nil {
		return nil, &Error{Type: p.t, Operation: -1, Err: err, document: true}
	}
	root, err := tree.Of(doc)
	if err != nil {
		return nil, &Error{Type: p.t, Operation: -1, Err: err, document: true}
	}
	if err := p.change(&root); err != nil {
		return nil, err
	}
	out, err := root.Any(p.limits.Limits)
	if err != nil {
		e := &Error{Type: p.t, Operation: -1, Err: ErrWrongType, Message: schema.MessageOf(err)}
		if errors.Is(err, schema.ErrLimit) {
			e.Err = err
		}
		return nil, e
	}
	return out, nil
}

// change applies the patch to a document.
func (p *Patch) change(root *tree.Node) error {
	switch p.t {
	case JSON:
		return p.runAll(root)
	case Merge:
		merge(root, &p.root)
		return nil
	}
	if root.Kind != tree.Object {
		return &Error{Type: p.t, Operation: -1, Err: ErrWrongType, Message: "the document is " + root.Kind.String() +
			", not an object"}
	}
	s := strategic{work: p.limits.Work, limit: p.limits.Work}
	return typed(s.object(root, &p.root, p.of), Strategic)
}
