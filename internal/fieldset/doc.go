// Package fieldset recognizes sets of fields, the JSON texts of managed fields, that can be written
// as they are. A set is an object whose members are such objects again:
//
//	{"f:spec":{"f:replicas":{},"f:ports":{".":{},"k:{\"name\":\"web\"}":{"f:port":{}}}}}
//
// Managed fields are a large part of the metadata of many objects. [End] reads one in a single pass
// that is faster than reading JSON in general.
package fieldset
