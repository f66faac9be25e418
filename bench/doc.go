// Package bench has realistic objects and benchmarks of the operations that a server performs for
// each request.
//
// The objects are generated from numbers: Machine(7) is always the same object, and differs from
// Machine(8) in its names, numbers and times, like the objects of one cluster. [Machines] and
// [MetadataList] return lists of them, [Small] an object of a few hundred bytes. Their sizes are
// realistic: most of the metadata is managed fields, and a list repeats its keys and many of its
// values in every item. Defaults are set, as in every stored object, so that defaulting an object
// changes nothing.
//
// # Running
//
//	go test -bench . ./bench
//	go test -bench 'Decode/json' -benchtime 2s ./bench
//
// Sub-benchmarks are named operation/format/size. A loop performs the whole operation, through
// [github.com/askind/askind/serializer.Factory] or [github.com/askind/askind/runtime.Scheme], like
// a program; a sub-benchmark named function calls only the generated function. Bytes per second
// refer to the encoded form.
//
// # Related packages
//
// The nested module bench/peers compares these operations with those of other libraries on the same
// data, in one process; docs/performance.md has its latest table.
package bench
