package validation_test

import (
	"fmt"
	"strings"
	"testing"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/meta/validation"
	"github.com/askind/askind/schema"
)

func TestObjectMeta(t *testing.T) {
	t.Parallel()
	yes := true
	for _, c := range []struct {
		name  string
		meta  metav1.ObjectMeta
		paths []string // of the findings
	}{
		{"nothing is wrong", metav1.ObjectMeta{
			Name: "web-1", Namespace: "default", Labels: map[string]string{"app": "web"},
			Annotations: map[string]string{"Example.com/a": "any\ntext"},
			Finalizers: []string{
				"example.com/stop",
				"orphan",
			}, OwnerReferences: []metav1.OwnerReference{{
				APIVersion: "v1", Kind: "K", Name: "n", UID: "u",
				Controller: &yes,
			}},
		}, nil},
		{"no name and no namespace", metav1.ObjectMeta{}, []string{"metadata.name", "metadata.namespace"}},
		{
			"a name and a namespace in capitals",
			metav1.ObjectMeta{Name: "Web", Namespace: "Default"},
			[]string{"metadata.name", "metadata.namespace"},
		},
		{
			"a prefix of no name",
			metav1.ObjectMeta{Name: "a", GenerateName: "A-", Namespace: "b"},
			[]string{"metadata.generateName"},
		},
		{
			"labels",
			metav1.ObjectMeta{Name: "a", Namespace: "b", Labels: map[string]string{"a b": "c", "d": "-"}},
			[]string{"metadata.labels", "metadata.labels"},
		},
		{"annotations", metav1.ObjectMeta{
			Name: "a", Namespace: "b", Annotations: map[string]string{"a b": strings.Repeat("x", 256<<10)},
		}, []string{"metadata.annotations", "metadata.annotations"}},
		{"owners", metav1.ObjectMeta{Name: "a", Namespace: "b", OwnerReferences: []metav1.OwnerReference{
			{APIVersion: "v1", Kind: "K", Name: "n", UID: "u", Controller: &yes}, {
				APIVersion: "a/b/c",
				Controller: &yes,
			},
		}}, []string{
			"metadata.ownerReferences[1].apiVersion", "metadata.ownerReferences[1].kind",
			"metadata.ownerReferences[1].name", "metadata.ownerReferences[1].uid",
			"metadata.ownerReferences",
		}},
		{"finalizers", metav1.ObjectMeta{Name: "a", Namespace: "b", Finalizers: []string{
			"a b", "orphan",
			"foregroundDeletion",
		}}, []string{"metadata.finalizers", "metadata.finalizers"}},
		{
			"managers",
			metav1.ObjectMeta{
				Name: "a", Namespace: "b",
				ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "a\x00", Operation: "Guess", FieldsType: "V2"}},
			},
			[]string{
				"metadata.managedFields[0].operation", "metadata.managedFields[0].fieldsType",
				"metadata.managedFields[0].manager",
			},
		},
	} {
		var paths []string
		for _, e := range validation.ObjectMeta(&c.meta, validation.Options{Namespaced: true}) {
			paths = append(paths, e.Path.String())
		}
		if fmt.Sprint(paths) != fmt.Sprint(c.paths) {
			t.Errorf("%s: got %v, want %v", c.name, paths, c.paths)
		}
	}
	if found := validation.ObjectMeta(&metav1.ObjectMeta{Name: "a", Namespace: "b"},
		validation.Options{}); len(found) != 1 || found[0].Path.String() != "metadata.namespace" {
		t.Errorf("a namespace on a cluster-scoped object: got %v", found)
	}
	if found := validation.ObjectMeta(&metav1.ObjectMeta{Name: "system:a"},
		validation.Options{Name: validation.PathSegment}); found != nil {
		t.Errorf("another rule for names: got %v", found)
	}
}

func TestObjectMetaUpdate(t *testing.T) {
	t.Parallel()
	old := metav1.ObjectMeta{
		Name: "a", Namespace: "b", UID: "u", DeletionTimestamp: &metav1.Time{},
		Finalizers: []string{"x/y"},
	}
	if found := validation.ObjectMetaUpdate(&old, &old); found != nil {
		t.Errorf("no change: got %v", found)
	}
	changed := metav1.ObjectMeta{Name: "A", Namespace: "B", UID: "U", Finalizers: []string{"x/y", "x/z"}}
	if found := validation.ObjectMetaUpdate(&changed, &old); len(found) != 4 {
		t.Errorf("got %v", found)
	}
}

func Example() {
	m := metav1.ObjectMeta{Name: "Red Car", Labels: map[string]string{"color": "red!"}}
	for _, e := range validation.ObjectMeta(&m, validation.Options{}) {
		fmt.Println(e)
	}
	fmt.Println(validation.FieldManager(schema.NewPath("fieldManager"), "kubectl") == nil)
	// Output:
	// metadata.name: Invalid value: "Red Car": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')
	// metadata.labels: Invalid value: "red!": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')
	// true
}
