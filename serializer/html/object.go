package html

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer/format"
	"github.com/askind/askind/serializer/yaml"
)

// view is the page of an object.
type view struct {
	*page
	Kind, APIVersion string
	Labels           []link
	Sections         []metav1.DescriptionSection
	YAML             string
	// Hidden reports whether the managed fields are omitted from the YAML, and Redacted whether
	// secrets are.
	Hidden, Redacted bool
}

var descriptionKind = metav1.GroupVersion.WithKind("Description")

// newObject describes an object.
func (p *parsed) newObject(k *runtime.Kind, obj runtime.Object, o format.Options) (*view, error) {
	v := &view{page: p.newPage(o)}
	v.APIVersion, v.Kind = k.APIVersion(), k.Name()
	if v.Title == "" {
		v.Title = v.Kind
	}
	text, err := k.AppendJSON(nil, obj)
	if err != nil {
		return nil, err
	}
	if text, v.Hidden, err = withoutManagedFields(text); err != nil {
		return nil, err
	}
	if v.place.Scheme != nil {
		if text, v.Redacted, err = v.place.Scheme.RedactJSON(nil, k, text); err != nil {
			return nil, err
		}
	}
	out, err := yaml.FromJSON(nil, text)
	if err != nil {
		return nil, err
	}
	v.YAML = string(out)
	if m, ok := k.Metadata(obj).(*metav1.ObjectMeta); ok {
		v.addLabels(m)
	}
	v.Sections, err = sectionsOf(k, obj, text, v.place)
	return v, err
}

// addLabels adds the labels of the object, with links to all objects that have them.
func (v *view) addLabels(m *metav1.ObjectMeta) {
	for _, key := range slices.Sorted(maps.Keys(m.Labels)) {
		l := link{Text: key + "=" + m.Labels[key]}
		if r := v.place.Resource; r != nil {
			list := &page{}
			l.Href = collection(r, r.Root, r.Namespace) + list.with("labelSelector", l.Text, "limit", "250")
		}
		v.Labels = append(v.Labels, l)
	}
}

// withoutManagedFields returns the JSON of an object without its managed fields, which are for
// programs, and whether it has any.
func withoutManagedFields(text []byte) ([]byte, bool, error) {
	if !bytes.Contains(text, []byte(`"managedFields"`)) {
		return text, false, nil
	}
	var members, metadata map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil {
		return nil, false, err
	}
	if json.Unmarshal(members["metadata"], &metadata) != nil || metadata["managedFields"] == nil {
		return text, false, nil
	}
	delete(metadata, "managedFields")
	var err error
	if members["metadata"], err = json.Marshal(metadata); err != nil {
		return nil, false, err
	}
	out, err := json.Marshal(members)
	return out, true, err
}

// sectionsOf describes an object that has metadata: with its Description if the scheme has one, and
// otherwise by its JSON alone.
func sectionsOf(k *runtime.Kind, obj runtime.Object, text []byte, p *format.Place) ([]metav1.DescriptionSection,
	error,
) {
	if d, ok := obj.(*metav1.Description); ok {
		return d.Sections, nil
	}
	if p.Scheme != nil {
		if _, ok := p.Scheme.CanAs(k.GroupVersionKind(), descriptionKind); ok {
			shown, err := p.Scheme.As(obj, descriptionKind)
			if d, ok := shown.(*metav1.Description); err == nil && ok {
				return d.Sections, nil
			}
		}
	}
	m, ok := k.Metadata(obj).(*metav1.ObjectMeta)
	if !ok {
		return nil, nil
	}
	spec := runtime.KindSpec[[]byte]{
		GroupVersionKind: k.GroupVersionKind(),
		AppendJSONFields: func(dst []byte, text *[]byte) ([]byte, error) {
			members, _ := bytes.CutPrefix(bytes.TrimSpace(*text), []byte{'{'})
			return append(append(dst, ','), bytes.TrimSuffix(members, []byte{'}'})...), nil
		},
	}
	var d metav1.Description
	err := metav1.Describe(&d, &spec, &text, m, []metav1.DescribedType{{
		Name: k.Name(), Fields: []metav1.DescribedField{{Name: "apiVersion", Omit: true}, {Name: "kind", Omit: true}},
	}}, nil)
	return d.Sections, err
}
