// Package carry takes data that a version cannot express along with an object, so that it comes
// back on the way back.
//
// When an object is converted to a version that has no place for some field, the field's value goes
// into one annotation of the object, [Annotation]. When the object is converted back, the value
// leaves the annotation and returns to its field. Fields are chosen by the marker
// +askind:carry; the generated conversions of their kinds do the rest. Nobody needs to call this package, except to look at what an object
// carries ([Entries]) or to refuse objects whose annotation is damaged ([Check]).
//
// # What is written
//
// The annotation is a JSON object. Its keys name the kinds that have the fields, as
// apiVersion/Kind; below each of them stands one entry for each path:
//
//	{"fleet.example.com/v1/Machine":{"spec.disks[root].encrypted":{"hash":"s5mSQn…","value":true}}}
//
// Elements of lists are named by their key where they have one, and by their index otherwise.
// Entries of other kinds pass through untouched, so what one version carries survives a journey
// over several others. An object never carries entries of its own kind: there the fields themselves
// count.
//
// # When a value comes back
//
// An entry is taken out as soon as the object is of its kind again. Its value returns to the field
// only if the hash is still right. The hash covers what the value depends on, its guard: the
// innermost struct around the field, as far as the other version knows it, or the fields that the
// marker names. It leaves out fields marked +askind:sensitive. So a value does not come back into a
// disk that somebody has edited in the meantime. A field directly in a kind, its spec or its status
// has no guard unless the marker names one. With guard=none there is no guard either: the hash is
// then the text none, and the value comes back whatever has been edited. The hash detects edits; it
// is not a signature.
//
// # What is not trusted
//
// Anybody who can write annotations can write this one. Conversions therefore never fail for what
// they find in it: an annotation that is not of the form above has no entries, and an entry with
// another hash, or with a value that its field cannot hold, counts as stale. It can set nothing but
// fields that are marked, to values of their types. Validate a field in the
// version that has it. Reading takes time and memory in proportion to the object.
//
// # Limits
//
// Writing more than [conversion.ScopeOptions] allow is a [*LimitError]: nothing is cut off. The
// limit is 128 KiB by default, half of what Kubernetes accepts as annotations of an object.
//
// # Related packages
//
// Package conversion has conversions and their scope. The generator checks the marker and writes
// the calls of [Object], [Guard], [Keep], [Take] and [Below].
package carry
