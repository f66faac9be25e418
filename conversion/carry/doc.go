// Package carry preserves data that a version cannot express, so that it survives a round trip.
//
// When an object is converted to a version that has no place for some field, the field's value goes
// into one annotation of the object, [Annotation]. When the object is converted back, the value
// leaves the annotation and returns to its field. Fields are chosen by the marker
// +askind:carry; the generated conversions of their kinds do the rest. Call this package only to list the values that an object
// carries ([Entries]) or to refuse objects whose annotation is damaged ([Check]).
//
// # What is written
//
// The annotation is a JSON object. Its keys name the kinds that have the fields, as
// apiVersion/Kind; under each of them is one entry for each path:
//
//	{"fleet.example.com/v1/Machine":{"spec.disks[root].encrypted":{"hash":"s5mSQn…","value":true}}}
//
// Elements of lists are identified by their key if they have one, and by their index otherwise.
// Entries of other kinds pass through untouched, so the values that one version carries survive a
// chain of conversions. An object never carries entries of its own kind: its fields hold those
// values.
//
// # When a value comes back
//
// An entry is removed when the object is converted to the entry's kind. Its value returns to the
// field only if the hash still matches. The hash covers the guard, which is what the value depends
// on: the innermost struct around the field, as far as the other version expresses it, or the
// fields that the marker names. The hash omits fields marked +askind:sensitive. So a value does not
// return to a disk that has been edited in the meantime. A field directly in a kind, its spec or
// its status has no guard unless the marker names one. With guard=none there is no guard either:
// the hash is then the text none, and the value always comes back. The hash detects edits; it is
// not a signature.
//
// # What is not trusted
//
// Clients that can write annotations can write this one. Its content therefore never makes a
// conversion fail: a malformed annotation has no entries, and an entry with another hash, or with a
// value that its field cannot hold, counts as stale. The annotation can set only marked fields, and
// only to values of their types. Validate a field in the version that has it. Reading takes time
// and memory proportional to the size of the object.
//
// # Limits
//
// Writing more than [conversion.ScopeOptions] allow is a [*LimitError]; values are never truncated.
// The limit is 128 KiB by default, half of what Kubernetes accepts as annotations of an object.
//
// # Related packages
//
// Package conversion defines conversions and their scope. The generator checks the marker and
// writes the calls of [Object], [Guard], [Keep], [Take] and [Below].
package carry
