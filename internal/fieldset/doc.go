// Package fieldset recognizes field sets, the JSON texts of managed fields, that can be copied to
// the output. A field set is an object whose members are such objects again:
//
//	{"f:spec":{"f:replicas":{},"f:ports":{".":{},"k:{\"name\":\"web\"}":{"f:port":{}}}}}
//
// Managed fields are a large part of the metadata of many objects. [End] reads one in a single pass
// that is faster than reading JSON in general.
package fieldset
