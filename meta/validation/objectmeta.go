package validation

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

// MaxAnnotations is the maximum total size in bytes of the keys and values of an object's
// annotations.
const MaxAnnotations = 256 << 10

// The maximum lengths of the names of a field manager and of its subresource, in bytes.
const (
	maxFieldManager = 128
	maxSubresource  = 256
)

// notEmpty is the rule for required fields.
const notEmpty = "must not be empty"

// mostKept is how many errors are kept for each field. They take hundreds of times the memory of
// the values that they are about, and at most a hundred are shown.
const mostKept = 1000

// Options are the requirements of a kind on the metadata of its objects.
type Options struct {
	// Namespaced states that objects live in namespaces.
	Namespaced bool
	// Name is the rule for names, by default [DNSSubdomain].
	Name NameFunc
}

// ObjectMeta returns the errors in the metadata of an object.
func ObjectMeta(m *metav1.ObjectMeta, o Options) (found runtime.FieldErrors) {
	at := schema.NewPath("metadata")
	found = append(found, identity(at, m, o)...)
	if m.Generation < 0 {
		found = append(found, runtime.Invalid(at.Child("generation"), m.Generation, "must be greater than or equal to 0"))
	}
	found = append(found, Labels(at.Child("labels"), m.Labels)...)
	found = append(found, Annotations(at.Child("annotations"), m.Annotations)...)
	found = append(found, owners(at.Child("ownerReferences"), m.OwnerReferences)...)
	found = append(found, finalizers(at.Child("finalizers"), m.Finalizers)...)
	return append(found, managedFields(at.Child("managedFields"), m.ManagedFields)...)
}

// ObjectMetaUpdate returns the errors in a change of metadata: changes to immutable fields, and
// finalizers added to an object that is being deleted.
func ObjectMetaUpdate(m, old *metav1.ObjectMeta) (found runtime.FieldErrors) {
	at := schema.NewPath("metadata")
	if old.DeletionTimestamp != nil {
		had := make(map[string]bool, len(old.Finalizers)) // clients determine their number
		for _, name := range old.Finalizers {
			had[name] = true
		}
		var added []string
		for _, name := range m.Finalizers {
			if !had[name] {
				added = append(added, name)
			}
		}
		if len(added) > 0 {
			slices.Sort(added)
			found = append(found, runtime.Forbidden(at.Child("finalizers"), fmt.Sprintf(
				"no new finalizers can be added if the object is being deleted, found new finalizers %#v",
				slices.Compact(added))))
		}
	}
	for _, f := range []struct{ name, now, was string }{
		{"name", m.Name, old.Name}, {"namespace", m.Namespace, old.Namespace}, {"uid", m.UID, old.UID},
	} {
		if f.now != f.was {
			found = append(found, runtime.Invalid(at.Child(f.name), f.now, "field is immutable"))
		}
	}
	return found
}

// identity checks the names of the object.
func identity(at *schema.Path, m *metav1.ObjectMeta, o Options) (found runtime.FieldErrors) {
	rule := o.Name
	if rule == nil {
		rule = DNSSubdomain
	}
	if m.GenerateName != "" {
		found = invalid(found, at.Child("generateName"), m.GenerateName, rule(m.GenerateName, true))
	}
	if m.Name == "" {
		found = append(found, runtime.Required(at.Child("name"), "name or generateName is required"))
	} else {
		found = invalid(found, at.Child("name"), m.Name, rule(m.Name, false))
	}
	switch {
	case !o.Namespaced && m.Namespace != "":
		found = append(found, runtime.Forbidden(at.Child("namespace"), "not allowed on this type"))
	case o.Namespaced && m.Namespace == "":
		found = append(found, runtime.Required(at.Child("namespace"), ""))
	case o.Namespaced:
		found = invalid(found, at.Child("namespace"), m.Namespace, DNSLabel(m.Namespace, false))
	}
	return found
}

// invalid adds an error for each violated rule. Inlined it would take 4 KB.
//
//go:noinline
func invalid(found runtime.FieldErrors, at *schema.Path, value string, violated []string) runtime.FieldErrors {
	for _, rule := range violated {
		found = append(found, runtime.Invalid(at, value, rule))
	}
	return found
}

// Labels returns the errors in labels, in the order of their keys.
func Labels(at *schema.Path, labels map[string]string) (found runtime.FieldErrors) {
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		if len(found) >= mostKept {
			break
		}
		found = invalid(found, at, key, QualifiedName(key))
		found = invalid(found, at, labels[key], LabelValue(labels[key]))
	}
	return found
}

// Annotations returns the errors in annotations, in the order of their keys. Their keys may have
// upper-case letters before the slash.
func Annotations(at *schema.Path, annotations map[string]string) (found runtime.FieldErrors) {
	size := 0
	for key, value := range annotations {
		size += len(key) + len(value)
	}
	for _, key := range slices.Sorted(maps.Keys(annotations)) {
		if len(found) >= mostKept {
			break
		}
		found = invalid(found, at, key, QualifiedName(strings.ToLower(key)))
	}
	if size > MaxAnnotations {
		found = append(found, runtime.TooLong(at, "", MaxAnnotations))
	}
	return found
}

// owners checks the owners of an object: each must be complete, and at most one may be the
// controller.
func owners(at *schema.Path, refs []metav1.OwnerReference) (found runtime.FieldErrors) {
	controller, all := "", at
	for i := range refs {
		if len(found) >= mostKept {
			break
		}
		ref, at := &refs[i], all.Index(i)
		gv, err := schema.ParseGroupVersion(ref.APIVersion)
		if ref.APIVersion != "" && (err != nil || gv.Version == "") {
			found = append(found, runtime.Invalid(at.Child("apiVersion"), ref.APIVersion,
				"must be <group>/<version> or <version>"))
		}
		for _, f := range []struct{ name, value string }{
			{"apiVersion", ref.APIVersion}, {"kind", ref.Kind}, {"name", ref.Name}, {"uid", ref.UID},
		} {
			if f.value == "" {
				found = append(found, runtime.Required(at.Child(f.name), notEmpty))
			}
		}
		if ref.APIVersion == "v1" && ref.Kind == "Event" {
			found = append(found, runtime.Invalid(at, nil, "/v1, Kind=Event is disallowed from being an owner"))
		}
		if ref.Controller == nil || !*ref.Controller {
			continue
		}
		this := ref.Kind + "/" + ref.Name
		if controller == "" {
			controller = this
			continue
		}
		found = append(found, runtime.Invalid(all, nil, "Only one reference can have Controller set to true. "+
			`Found "true" in references for `+controller+" and "+this))
	}
	return found
}

// finalizers checks the names of finalizers.
func finalizers(at *schema.Path, names []string) (found runtime.FieldErrors) {
	for _, name := range names {
		if len(found) >= mostKept {
			break
		}
		found = invalid(found, at, name, QualifiedName(name))
	}
	if slices.Contains(names, metav1.FinalizerOrphanDependents) &&
		slices.Contains(names, metav1.FinalizerDeleteDependents) {
		found = append(found, runtime.Invalid(at, nil, fmt.Sprintf("finalizer %s and %s cannot be both set",
			metav1.FinalizerOrphanDependents, metav1.FinalizerDeleteDependents)))
	}
	return found
}

// managedFields checks the records of field managers.
func managedFields(at *schema.Path, entries []metav1.ManagedFieldsEntry) (found runtime.FieldErrors) {
	for i := range entries {
		if len(found) >= mostKept {
			break
		}
		e, at := &entries[i], at.Index(i)
		switch e.Operation {
		case metav1.ManagedFieldsOperationApply, metav1.ManagedFieldsOperationUpdate:
		case "":
			found = append(found, runtime.Required(at.Child("operation"), notEmpty))
		default:
			found = append(found, runtime.NotSupported(at.Child("operation"), e.Operation,
				metav1.ManagedFieldsOperationApply, metav1.ManagedFieldsOperationUpdate))
		}
		if e.FieldsType != "" && e.FieldsType != "FieldsV1" {
			found = append(found, runtime.Invalid(at.Child("fieldsType"), e.FieldsType, "must be `FieldsV1`"))
		}
		found = append(found, FieldManager(at.Child("manager"), e.Manager)...)
		if len(e.Subresource) > maxSubresource {
			found = append(found, runtime.TooLong(at.Child("subresource"), "", maxSubresource))
		}
	}
	return found
}

// FieldManager returns the errors in the name of a field manager: more than 128 bytes, or
// characters that cannot be printed.
func FieldManager(at *schema.Path, name string) (found runtime.FieldErrors) {
	if len(name) > maxFieldManager {
		found = append(found, runtime.TooLong(at, name, maxFieldManager))
	}
	for i, r := range name {
		if len(found) >= mostKept {
			break
		}
		if !strconv.IsPrint(r) {
			found = append(found, runtime.Invalid(at, name, fmt.Sprintf("invalid character %#U (at position %d)", r, i)))
		}
	}
	return found
}
