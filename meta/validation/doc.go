// Package validation checks the metadata of objects by the rules of the Kubernetes API.
//
// [ObjectMeta] checks the metadata of one object: its name, labels, annotations, owners and
// finalizers. [ObjectMetaUpdate] checks the changes between two states of an object. Both return
// all errors with the paths of their fields:
//
//	found := validation.ObjectMeta(&car.ObjectMeta, validation.Options{Namespaced: true})
//	if len(found) > 0 {
//		return metav1.Invalid(kind, car.Name, found)
//	}
//
// The functions on strings, such as [DNSSubdomain], return the violated rules. Rules and errors are
// worded as in Kubernetes, because people and scripts search for them.
package validation
