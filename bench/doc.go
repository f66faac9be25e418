// Package bench has realistic objects and the benchmarks of every operation that a server does for
// each request.
//
// The objects come from numbers: [Machine] of 7 is the same object on every machine and on every
// day, and differs from that of 8 in its names, numbers and times as the objects of one cluster do.
// [Machines] and [MetadataList] make lists of them, [Small] an object of a few hundred bytes. Their
// sizes are those of objects in the field: most of the metadata is the record of who set which
// field, and a list repeats its keys and many of its values in every item. Defaults are filled in
// already, as they are in everything that a server has stored, so that defaulting an object changes
// nothing.
//
// # Running
//
//	go test -bench . ./bench
//	go test -bench 'Decode/json' -benchtime 2s ./bench
//
// Sub-benchmarks are named operation/format/size. A loop does the whole operation, through
// [github.com/askind/askind/serializer.Factory] or [github.com/askind/askind/runtime.Scheme] as a
// program would call it; where that is to be told apart from the generated function below it, a
// sub-benchmark named function calls the latter alone. Bytes per second count the encoded form.
//
// # Related packages
//
// The nested module bench/peers compares these operations with those of other libraries on the same
// data, in one process; docs/performance.md has its latest table.
package bench
