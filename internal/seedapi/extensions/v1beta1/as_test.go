package v1beta1_test

import (
	"reflect"
	"testing"

	core "github.com/askind/askind/internal/seedapi/core/v1"
	extensions "github.com/askind/askind/internal/seedapi/extensions/v1beta1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
)

func controller() *core.ReplicationController {
	replicas := int32(3)
	rc := &core.ReplicationController{ObjectMeta: metav1.ObjectMeta{Name: "web"}}
	rc.Spec.Replicas, rc.Spec.Selector = &replicas, map[string]string{"app": "web"}
	rc.Status.Replicas = 2
	return rc
}

// TestReplicationControllerAsReplicaSet shows one kind as another of the same data: by an edge of
// the program, then by the kinds of another group that are declared equivalent to what it leads to,
// for objects and for lists.
func TestReplicationControllerAsReplicaSet(t *testing.T) {
	t.Parallel()
	s, err := runtime.NewScheme(core.AddTo, core.AddReplicaSetViewTo, extensions.AddTo, metav1.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	in := controller()
	own, err := runtime.As[core.ReplicaSet](s, in)
	if err != nil || own.Name != "web" || *own.Spec.Replicas != 3 || own.Spec.Selector.MatchLabels["app"] != "web" ||
		own.Status.Replicas != 2 {
		t.Errorf("in its own group: got %+v, %v", own, err)
	}
	other, err := runtime.As[extensions.ReplicaSet](s, in)
	if err != nil || other.APIVersion != "extensions/v1beta1" || other.Name != "web" || *other.Spec.Replicas != 3 ||
		other.Spec.Selector.MatchLabels["app"] != "web" {
		t.Errorf("in another group: got %+v, %v", other, err)
	}
	equivalent, err := runtime.As[extensions.ReplicaSet](s, own)
	if err != nil || !reflect.DeepEqual(equivalent, other) {
		t.Errorf("by equivalence alone: got %+v, %v", equivalent, err)
	}
	list, err := s.As(&core.ReplicationControllerList{Items: []core.ReplicationController{*in, *in}},
		extensions.GroupVersion.WithKind("ReplicaSet"))
	if err != nil || len(list.(*extensions.ReplicaSetList).Items) != 2 ||
		list.(*extensions.ReplicaSetList).Items[1].Name != "web" {
		t.Errorf("a list: got %+v, %v", list, err)
	}
	other.Spec.Selector.MatchLabels["app"] = "changed"
	*other.Spec.Replicas = 9
	if !reflect.DeepEqual(in, controller()) {
		t.Error("the controller was changed, or shares memory with what it is shown as")
	}
	if _, err := s.As(&core.ReplicationController{}, core.GroupVersion.WithKind("ReplicaSet")); err == nil {
		t.Error("a controller without a selector is shown as a replica set")
	}
}
