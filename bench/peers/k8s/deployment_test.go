package k8s_test

import (
	"reflect"
	"testing"
	"time"

	kappsv1 "k8s.io/api/apps/v1"
	kcorev1 "k8s.io/api/core/v1"
	kmetav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/askind/askind/meta/v1"
)

// TestDeployment shows a type that cannot be edited as other kinds: with the columns and the scale
// that its package has declared for it.
func TestDeployment(t *testing.T) {
	t.Parallel()
	s := newScheme(t)
	replicas := int32(3)
	selector := &kmetav1.LabelSelector{
		MatchLabels: map[string]string{"app": "web"},
		MatchExpressions: []kmetav1.LabelSelectorRequirement{
			{Key: "tier", Operator: kmetav1.LabelSelectorOpIn, Values: []string{"b", "a"}}, {
				Key:      "old",
				Operator: kmetav1.LabelSelectorOpDoesNotExist,
			},
		},
	}
	in := &kappsv1.Deployment{
		ObjectMeta: kmetav1.ObjectMeta{
			Name: "web", Namespace: "shop", UID: "u",
			CreationTimestamp: kmetav1.NewTime(time.Now().Add(-time.Hour)),
		},
		Spec: kappsv1.DeploymentSpec{Replicas: &replicas, Selector: selector, Template: kcorev1.PodTemplateSpec{
			Spec: kcorev1.PodSpec{Containers: []kcorev1.Container{{Image: "a:1"}, {Image: "b:2"}}},
		}},
		Status: kappsv1.DeploymentStatus{Replicas: 2, ReadyReplicas: 1, Conditions: []kappsv1.DeploymentCondition{
			{Type: kappsv1.DeploymentProgressing, Status: kcorev1.ConditionTrue}, {
				Type:   kappsv1.DeploymentAvailable,
				Status: kcorev1.ConditionFalse,
			},
		}},
	}
	table, err := s.As(in, v1.GroupVersion.WithKind("Table"))
	if err != nil {
		t.Fatal(err)
	}
	var columns []string
	for _, c := range table.(*v1.Table).ColumnDefinitions {
		columns = append(columns, c.Name)
	}
	if want := []string{"Name", "Ready", "Available", "Images", "Age"}; !reflect.DeepEqual(columns, want) {
		t.Errorf("columns %q, want %q", columns, want)
	}
	if got, want := table.(*v1.Table).Rows[0].Cells[:4], []any{
		"web", int64(1), "False",
		"a:1,b:2",
	}; !reflect.DeepEqual(got, want) {
		t.Errorf("cells %v, want %v", got, want)
	}

	var scale *v1.Scale
	for k := range s.Kinds() {
		if k.Type() == reflect.TypeFor[v1.Scale]() && scale == nil {
			out, err := s.As(in, k.GroupVersionKind())
			if err != nil {
				t.Fatal(err)
			}
			scale = out.(*v1.Scale)
		}
	}
	want, err := kmetav1.LabelSelectorAsSelector(selector)
	if err != nil {
		t.Fatal(err)
	}
	if scale == nil || scale.Spec.Replicas != 3 || scale.Status.Replicas != 2 ||
		scale.Status.Selector != want.String() || scale.Name != "web" {
		t.Errorf("scale %+v, want the selector %q", scale, want)
	}
}
