// Package validation checks the metadata of objects by the rules that clients of the Kubernetes API
// know.
//
// [ObjectMeta] checks the metadata of one object: its name, labels, annotations, owners and
// finalizers. [ObjectMetaUpdate] checks what may change between two states of an object. Both
// return every finding with the path of its field:
//
//	found := validation.ObjectMeta(&car.ObjectMeta, validation.Options{Namespaced: true})
//	if len(found) > 0 {
//		return metav1.Invalid(kind, car.Name, found)
//	}
//
// The functions on texts, such as [DNSSubdomain], return what is wrong with a text, in words that
// can follow "must", and a blank text if nothing is.
package validation
