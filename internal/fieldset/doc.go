// Package fieldset recognizes sets of fields, the JSON texts of managed fields, that can be written as they are. A set is an object whose members are such
// objects again:
//
//	{"f:spec":{"f:replicas":{},"f:ports":{".":{},"k:{\"name\":\"web\"}":{"f:port":{}}}}}
//
// Managed fields are a large part of the metadata of many objects, and looking at each of their bytes would be most of the work of writing metadata. The
// objects of one kind have the same sets, or ones that differ in an address or a UID, because the same programs wrote them. So there are two ways to
// know that a text is a set: [End] reads it, and [Alike] compares it with one that has been read, which takes a quarter of the time. A [Memo] remembers sets
// for that.
package fieldset
