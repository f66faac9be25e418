// Package patch applies patches to JSON documents and creates patches from pairs of documents.
//
// # Formats
//
// A [Type] is a patch format. [JSON] is a list of operations with paths (RFC 6902). [Merge] is a
// document with the fields to change, where null removes a field (RFC 7386). [Strategic] is the
// merge patch of Kubernetes, which merges lists by keys that the schema of the kind names. Package
// patch/apply implements the fourth format of Kubernetes, server-side apply, which needs more than
// a document and a patch.
//
// # Applying
//
// [Parse] checks a patch and prepares it for use. A [Patch] is immutable, so a server parses it
// once and applies it again after each conflict:
//
//	p, err := patch.Parse(patch.JSON, body, patch.Options{})
//	changed, err := p.Append(nil, document)
//
// [Patch.Append] works on encoded documents. It reads only the levels that the patch touches and
// copies everything else byte for byte. [Patch.Apply] works on untyped Go values, such as
// map[string]any; its result shares unchanged values with the input.
//
// # Creating patches
//
// [Between] returns a patch that turns one document into another. Its result is deterministic.
// [ThreeWay] returns what kubectl apply sends: it removes what an earlier configuration had and the
// new one lacks, sets what the new one states, and leaves what others have set.
//
// # Errors
//
// An [*Error] identifies the operation or field of the patch that failed and the value of the
// document there. [Error.Code] is the HTTP status that Kubernetes answers with. The causes are
// variables for errors.Is, such as [ErrTest] and [ErrMissing].
//
// # Limits
//
// A small patch can cause much work: ten thousand operations, copies of copies, arrays that shift
// by one element each time. [Limits] bound operations, growth and work, with an error whose cause
// is [schema.ErrLimit]. The [schema.Limits] in them bound the documents.
//
// # Related packages
//
// Package patch/structure holds what [Strategic] needs to know about a kind. The differences to the
// implementations of Kubernetes are listed in docs/patches.md.
package patch
