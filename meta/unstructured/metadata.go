package unstructured

import (
	"slices"

	"github.com/askind/askind/internal/sorted"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire/jsonwire"
)

// The methods of this file read and write members of metadata. Reading a value that is missing, or
// has another type, yields the zero value; the methods with a path distinguish these cases. Writing
// the zero value removes the member.

// Name returns metadata.name.
func (o *Object) Name() string { return o.textAt("metadata", "name") }

// SetName sets metadata.name.
func (o *Object) SetName(name string) { o.setText(name, "metadata", "name") }

// GenerateName returns metadata.generateName.
func (o *Object) GenerateName() string { return o.textAt("metadata", "generateName") }

// SetGenerateName sets metadata.generateName.
func (o *Object) SetGenerateName(name string) { o.setText(name, "metadata", "generateName") }

// Namespace returns metadata.namespace.
func (o *Object) Namespace() string { return o.textAt("metadata", "namespace") }

// SetNamespace sets metadata.namespace.
func (o *Object) SetNamespace(namespace string) { o.setText(namespace, "metadata", "namespace") }

// UID returns metadata.uid.
func (o *Object) UID() string { return o.textAt("metadata", "uid") }

// SetUID sets metadata.uid.
func (o *Object) SetUID(uid string) { o.setText(uid, "metadata", "uid") }

// ResourceVersion returns metadata.resourceVersion.
func (o *Object) ResourceVersion() string { return o.textAt("metadata", "resourceVersion") }

// SetResourceVersion sets metadata.resourceVersion.
func (o *Object) SetResourceVersion(version string) {
	o.setText(version, "metadata", "resourceVersion")
}

// Generation returns metadata.generation.
func (o *Object) Generation() int64 {
	n, _, _ := o.Int64("metadata", "generation")
	return n
}

// SetGeneration sets metadata.generation.
func (o *Object) SetGeneration(n int64) {
	if n == 0 {
		_, _ = o.Delete("metadata", "generation")
		return
	}
	_ = o.put(scalarView(TypeInt64, uint64(n)), []string{"metadata", "generation"})
}

// Label returns one label, and whether the object has it.
func (o *Object) Label(name string) (string, bool) {
	return o.entryAt("metadata", "labels", name)
}

// entryAt returns the value of an entry of a map of strings, and whether there is one.
func (o *Object) entryAt(path ...string) (string, bool) {
	at, found, _ := o.find(path)
	if !found {
		return "", false
	}
	return at.entry()
}

// Labels returns a copy of metadata.labels.
func (o *Object) Labels() map[string]string {
	m, _, _ := o.StringMap("metadata", "labels")
	return m
}

// SetLabels replaces metadata.labels.
func (o *Object) SetLabels(labels map[string]string) { o.setMap(labels, "metadata", "labels") }

// Annotation returns one annotation, and whether the object has it.
func (o *Object) Annotation(name string) (string, bool) {
	return o.entryAt("metadata", "annotations", name)
}

// Annotations returns a copy of metadata.annotations.
func (o *Object) Annotations() map[string]string {
	m, _, _ := o.StringMap("metadata", "annotations")
	return m
}

// SetAnnotations replaces metadata.annotations.
func (o *Object) SetAnnotations(annotations map[string]string) {
	o.setMap(annotations, "metadata", "annotations")
}

func (o *Object) setMap(m map[string]string, path ...string) {
	if len(m) == 0 {
		_, _ = o.Delete(path...)
		return
	}
	_ = o.Set(m, path...)
}

// Finalizers returns a copy of metadata.finalizers.
func (o *Object) Finalizers() []string {
	s, _, _ := o.Strings("metadata", "finalizers")
	return s
}

// SetFinalizers replaces metadata.finalizers.
func (o *Object) SetFinalizers(finalizers []string) {
	if len(finalizers) == 0 {
		_, _ = o.Delete("metadata", "finalizers")
		return
	}
	_ = o.Set(finalizers, "metadata", "finalizers")
}

// DropManagedFields removes metadata.managedFields.
func (o *Object) DropManagedFields() { _, _ = o.Delete("metadata", "managedFields") }

// CreationTimestamp returns metadata.creationTimestamp.
func (o *Object) CreationTimestamp() metav1.Time {
	t, _ := o.timeAt("metadata", "creationTimestamp")
	return t
}

// DeletionTimestamp returns metadata.deletionTimestamp, or nil.
func (o *Object) DeletionTimestamp() *metav1.Time {
	if t, ok := o.timeAt("metadata", "deletionTimestamp"); ok {
		return &t
	}
	return nil
}

func (o *Object) timeAt(path ...string) (t metav1.Time, ok bool) {
	at, found, _ := o.lookup(path)
	if !found || at.typ() != TypeString {
		return t, false
	}
	var r jsonwire.Reader
	r.Reset(appendView(nil, at), jsonwire.Options{})
	metav1.DecodeJSONTime(&r, &t)
	return t, len(r.Problems()) == 0
}

// ObjectMeta returns a copy of all of metadata. The error is a [*runtime.DecodeError] if it has
// values of wrong types.
func (o *Object) ObjectMeta() (*metav1.ObjectMeta, error) {
	out := new(metav1.ObjectMeta)
	at, found, err := o.lookup([]string{"metadata"})
	if !found {
		return out, err
	}
	err = readInto(at, func(r *jsonwire.Reader) error {
		metav1.DecodeJSONObjectMeta(r, out)
		return nil
	})
	return out, beneath(err, schema.NewPath("metadata"))
}

// beneath prefixes the paths of all problems with steps.
func beneath(err error, p *schema.Path) error {
	if e, ok := err.(*runtime.DecodeError); ok {
		for i := range e.Problems {
			inner, parseErr := schema.ParsePath(e.Problems[i].Path)
			if parseErr != nil {
				inner = nil
			}
			e.Problems[i].Path = p.Join(inner).String()
		}
	}
	return err
}

// SetObjectMeta replaces the known members of metadata. It preserves members that ObjectMeta does
// not have.
func (o *Object) SetObjectMeta(m *metav1.ObjectMeta) error {
	if m == nil {
		m = new(metav1.ObjectMeta)
	}
	text, err := metav1.AppendJSONObjectMeta(nil, m)
	if err != nil {
		return err
	}
	var in jsonwire.Reader
	in.Reset(text, jsonwire.Options{})
	b := newBuilder()
	defer b.release()
	fresh := b.flush(b.read(&in, metadataPlace))
	old, _ := o.step("metadata")
	if old.typ() == TypeObject {
		members := slices.Clone(fresh.members())
		for _, e := range old.members() {
			if i, ok := search(members, e.key.text); !ok && !slices.Contains(objectMetaNames[:], e.key.text) {
				members = sorted.Insert(members, i, e)
			}
		}
		fresh = objectView(members)
	}
	return o.put(fresh, []string{"metadata"})
}

// objectMetaNames are the members of metadata of ObjectMeta.
var objectMetaNames = [...]string{
	"annotations", "creationTimestamp", "deletionGracePeriodSeconds", "deletionTimestamp", "finalizers", "generateName",
	"generation", "labels",
	"managedFields", "name", "namespace", "ownerReferences", "resourceVersion", "selfLink", "uid",
}
