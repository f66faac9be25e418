// Package v1 holds the types of the API group meta.k8s.io, version v1: what every
// object carries, and the other answers of a server.
//
// A kind of your own embeds two of them:
//
//	type Machine struct {
//		metav1.TypeMeta   `json:",inline"`
//		metav1.ObjectMeta `json:"metadata,omitempty"`
//
//		Spec   MachineSpec   `json:"spec"`
//		Status MachineStatus `json:"status,omitzero"`
//	}
//
// [TypeMeta] says which kind and version a document is, [ObjectMeta] names and labels
// one object, and [ListMeta] takes the place of ObjectMeta in lists. None of the three
// has methods: a struct that embeds them would inherit those methods, and encode or copy
// nothing but its metadata. What is done with them is done by package functions and
// by the package meta.
//
// A server answers a failed request with a [Status], which [StatusError] carries as a Go error. Its
// constructors: [BadRequest], [NotFound], [AlreadyExists], [Conflict], [Forbidden], [Invalid],
// [MethodNotAllowed], [NotAcceptable], [UnsupportedMediaType], [TooManyRequests], [InternalError],
// and [Failure] for every other [StatusReason]. [StatusOf] and [ReasonOf] read any error, and
// [Success] makes a Status where there is no object to return.
//
// The functions called AppendJSON, DecodeJSON, DeepCopyInto, PrependProto and DecodeProto, followed
// by the name of a type, are generated. Generated code of other packages calls them.
//
// The other types fall into four families.
// [ListOptions] and its siblings are the parameters of requests. [Table],
// [TabularOutput], [PartialObjectMetadata] and [Scale] are representations: the form in
// which any other kind can be asked for. [APIGroup], [APIResource] and their lists describe
// what a server offers. [Time], [MicroTime], [Duration] and [FieldsV1] are leaf values
// with a text form of their own.
//
// # Wire format
//
// Field names, their order and the omission of empty values are those of the Kubernetes wire
// format, so that the encoded bytes are equal. The protobuf tags give the field numbers of that
// format. Types without such tags have no protobuf form.
//
// A Time is written in UTC with whole seconds, as RFC 3339 says, and the zero Time is written
// null. Decoding yields local time.
//
// # Related packages
//
// Package meta reads and writes the metadata of any object, walks lists and keeps
// conditions. Packages meta/resource and meta/intstr hold the two other leaf types of
// the field, quantities and numbers that may be percentages.
//
// +groupName=meta.k8s.io
// +askind:protobuf
// +k8s:openapi-model-package=io.k8s.apimachinery.pkg.apis.meta.v1
package v1
