package validation

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

// MaxAnnotations is the maximum total size in bytes of the keys and values of an object's
// annotations.
const MaxAnnotations = 256 << 10

// maxFieldManager is the maximum length of the name of a field manager, in bytes.
const maxFieldManager = 128

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
	found = append(found, names(at, m, o)...)
	if m.Generation < 0 {
		found = append(found, runtime.Invalid(at.Child("generation"), m.Generation, "must not be negative"))
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
	for _, f := range []struct{ name, now, was string }{
		{"name", m.Name, old.Name}, {"namespace", m.Namespace, old.Namespace}, {"uid", m.UID, old.UID},
	} {
		if f.now != f.was {
			found = append(found, runtime.Invalid(at.Child(f.name), f.now, "field is immutable"))
		}
	}
	if old.DeletionTimestamp == nil {
		return found
	}
	for _, name := range m.Finalizers {
		if !slices.Contains(old.Finalizers, name) {
			found = append(found, runtime.Forbidden(at.Child("finalizers"),
				"no finalizer can be added to an object that is being deleted, such as "+name))
		}
	}
	return found
}

// names checks the identity of the object.
func names(at *schema.Path, m *metav1.ObjectMeta, o Options) (found runtime.FieldErrors) {
	rule := o.Name
	if rule == nil {
		rule = DNSSubdomain
	}
	if m.GenerateName != "" {
		if reason := rule(m.GenerateName, true); reason != "" {
			found = append(found, runtime.Invalid(at.Child("generateName"), m.GenerateName, reason))
		}
	}
	if m.Name == "" {
		found = append(found, runtime.Required(at.Child("name"), "name or generateName is required"))
	} else if reason := rule(m.Name, false); reason != "" {
		found = append(found, runtime.Invalid(at.Child("name"), m.Name, reason))
	}
	switch {
	case !o.Namespaced && m.Namespace != "":
		found = append(found, runtime.Forbidden(at.Child("namespace"), "objects of this kind are not in namespaces"))
	case o.Namespaced && m.Namespace == "":
		found = append(found, runtime.Required(at.Child("namespace"), ""))
	case o.Namespaced:
		if reason := DNSLabel(m.Namespace, false); reason != "" {
			found = append(found, runtime.Invalid(at.Child("namespace"), m.Namespace, reason))
		}
	}
	return found
}

// Labels returns the errors in labels, in the order of their keys.
func Labels(at *schema.Path, labels map[string]string) (found runtime.FieldErrors) {
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		if reason := QualifiedName(key); reason != "" {
			found = append(found, runtime.Invalid(at, key, reason))
		}
		if reason := LabelValue(labels[key]); reason != "" {
			found = append(found, runtime.Invalid(at.Key(key), labels[key], reason))
		}
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
		if reason := QualifiedName(strings.ToLower(key)); reason != "" {
			found = append(found, runtime.Invalid(at, key, reason))
		}
	}
	if size > MaxAnnotations {
		found = append(found, runtime.Invalid(at, fmt.Sprintf("%d bytes", size),
			fmt.Sprintf("must have at most %d bytes together", MaxAnnotations)))
	}
	return found
}

// owners checks the owners of an object: each must be complete, and at most one may be the
// controller.
func owners(at *schema.Path, refs []metav1.OwnerReference) (found runtime.FieldErrors) {
	controller := ""
	for i := range refs {
		ref, at := &refs[i], at.Index(i)
		gv, err := schema.ParseGroupVersion(ref.APIVersion)
		if err != nil || gv.Version == "" {
			found = append(found, runtime.Invalid(at.Child("apiVersion"), ref.APIVersion, "must be group/version"))
		}
		for _, f := range []struct{ name, value string }{{"kind", ref.Kind}, {"name", ref.Name}, {"uid", ref.UID}} {
			if f.value == "" {
				found = append(found, runtime.Required(at.Child(f.name), ""))
			}
		}
		if ref.Controller == nil || !*ref.Controller {
			continue
		}
		if controller != "" {
			found = append(found, runtime.Invalid(at.Child("controller"), true,
				"only one owner can be the controller, and it is "+controller))
		}
		controller = ref.Kind + "/" + ref.Name
	}
	return found
}

// finalizers checks the names of finalizers.
func finalizers(at *schema.Path, names []string) (found runtime.FieldErrors) {
	for i, name := range names {
		if reason := QualifiedName(name); reason != "" {
			found = append(found, runtime.Invalid(at.Index(i), name, reason))
		}
	}
	if slices.Contains(names, metav1.FinalizerOrphanDependents) &&
		slices.Contains(names, metav1.FinalizerDeleteDependents) {
		found = append(found, runtime.Invalid(at, strings.Join(names, ","), fmt.Sprintf("cannot have both %s and %s",
			metav1.FinalizerOrphanDependents, metav1.FinalizerDeleteDependents)))
	}
	return found
}

// managedFields checks the records of field managers.
func managedFields(at *schema.Path, entries []metav1.ManagedFieldsEntry) (found runtime.FieldErrors) {
	for i := range entries {
		e, at := &entries[i], at.Index(i)
		switch e.Operation {
		case metav1.ManagedFieldsOperationApply, metav1.ManagedFieldsOperationUpdate:
		default:
			found = append(found, runtime.NotSupported(at.Child("operation"), e.Operation,
				metav1.ManagedFieldsOperationApply, metav1.ManagedFieldsOperationUpdate))
		}
		if e.FieldsType != "" && e.FieldsType != "FieldsV1" {
			found = append(found, runtime.NotSupported(at.Child("fieldsType"), e.FieldsType, "FieldsV1"))
		}
		found = append(found, FieldManager(at.Child("manager"), e.Manager)...)
	}
	return found
}

// FieldManager returns the errors in the name of a field manager: more than 128 bytes, or
// characters that cannot be printed.
func FieldManager(at *schema.Path, name string) (found runtime.FieldErrors) {
	if len(name) > maxFieldManager {
		found = append(found, runtime.TooLong(at, name, maxFieldManager))
	}
	if strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f || r == '\uFFFD' }) {
		found = append(found, runtime.Invalid(at, name, "must consist of printable characters"))
	}
	return found
}
