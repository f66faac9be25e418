// Package patch changes JSON documents by patches and makes patches from two documents.
//
// # Formats
//
// A [Type] is a patch format. [JSON] is a list of operations with paths (RFC 6902), [Merge] a
// document of the fields to change in which null removes (RFC 7386), [Strategic] the merge patch of
// Kubernetes, which merges lists by keys that the schema of the kind names. Package patch/apply has
// the fourth one of Kubernetes, server-side apply, because that needs more than a document and a
// patch.
//
// # Applying
//
// [Parse] checks a patch and returns it ready for use. A [Patch] does not change, so a server
// parses it once and applies it as often as a write meets a conflict:
//
//	p, err := patch.Parse(patch.JSON, body, patch.Options{})
//	changed, err := p.Append(nil, document)
//
// [Patch.Append] works on encoded documents. It reads the levels that the patch leads through and
// copies everything else byte for byte. [Patch.Apply] works on untyped Go values, as in
// map[string]any, and shares everything else.
//
// # Making
//
// [Between] returns the patch that leads from one document to another, the same one each time.
// [ThreeWay] returns what kubectl apply sends: it removes what an earlier configuration had and the
// new one lacks, sets what the new one says, and leaves what others have set.
//
// # Errors
//
// An [*Error] says which operation or field of the patch failed and what the document has there.
// [Error.Code] is the HTTP status that Kubernetes answers with. The causes are variables for
// errors.Is, such as [ErrTest] and [ErrMissing].
//
// # Limits
//
// A small patch can ask for much work: ten thousand operations, copies of copies, arrays that shift
// by one element each time. [Limits] bound operations, growth and work, with an error whose cause
// is [schema.ErrLimit]. Documents are bounded by the [schema.Limits] inside.
//
// # Related packages
//
// Package patch/structure holds what [Strategic] needs to know about a kind. The differences to the
// implementations of Kubernetes are listed in docs/patches.md.
package patch
