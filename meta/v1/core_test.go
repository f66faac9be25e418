package v1_test

import (
	"errors"
	"testing"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

func TestCore(t *testing.T) {
	t.Parallel()
	s, err := runtime.NewScheme(metav1.AddTo, metav1.AddCoreTo, metav1.AddViewsTo)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Check(); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"Status", "List", "APIVersions", "APIGroup", "APIGroupList", "APIResourceList"} {
		core, err := s.Kind(schema.GroupVersionKind{Version: "v1", Kind: name})
		if err != nil {
			t.Error(err)
			continue
		}
		if core.APIVersion() != "v1" {
			t.Errorf("%s: apiVersion %s, want v1", name, core.APIVersion())
		}
		meta, err := s.Kind(metav1.GroupVersion.WithKind(name))
		if err != nil || meta.APIVersion() != "meta.k8s.io/v1" {
			t.Errorf("%s is in the group meta.k8s.io: %v, %v", name, meta, err)
		}
	}

	k, err := s.KindOf(&metav1.BadRequest("no").Status)
	if err != nil {
		t.Fatal(err)
	}
	got, err := k.AppendJSON(nil, &metav1.BadRequest("no").Status)
	if want := `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"no","reason":"BadRequest","code":400}`; err != nil || string(got) != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
	if k, err := s.KindOf(&metav1.Status{}); !errors.Is(err, runtime.ErrAmbiguousKind) {
		t.Errorf("a status without apiVersion is %v, %v, want ErrAmbiguousKind", k, err)
	}
}

func TestAutoscaling(t *testing.T) {
	t.Parallel()
	s, err := runtime.NewScheme(metav1.AddTo, metav1.AddAutoscalingTo)
	if err != nil {
		t.Fatal(err)
	}
	k, err := s.Kind(schema.GroupVersionKind{Group: "autoscaling", Version: "v1", Kind: "Scale"})
	if err != nil {
		t.Fatal(err)
	}
	got, err := k.AppendJSON(nil, &metav1.Scale{Spec: metav1.ScaleSpec{Replicas: 3}})
	if want := `{"kind":"Scale","apiVersion":"autoscaling/v1","metadata":{},"spec":{"replicas":3},"status":{"replicas":0}}`; err != nil || string(got) != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}

func TestDescriptionIsApart(t *testing.T) {
	t.Parallel()
	description := metav1.GroupVersion.WithKind("Description")
	for _, c := range []struct {
		add  []func(*runtime.Builder)
		want bool
	}{
		{[]func(*runtime.Builder){metav1.AddTo, metav1.AddViewsTo}, false},
		{[]func(*runtime.Builder){metav1.AddTo, metav1.AddDescriptionTo, metav1.AddDescriptionTo}, true},
	} {
		s, err := runtime.NewScheme(c.add...)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := s.Lookup(description); ok != c.want {
			t.Errorf("Description is known: %v, want %v", ok, c.want)
		}
	}
}

func TestViews(t *testing.T) {
	t.Parallel()
	s, err := runtime.NewScheme(metav1.AddTo, metav1.AddViewsTo)
	if err != nil {
		t.Fatal(err)
	}
	out, err := runtime.As[metav1.TabularOutput](s,
		&metav1.Table{ColumnDefinitions: []metav1.TableColumnDefinition{{Name: "Name"}}})
	if err != nil || out.Kind != "TabularOutput" || len(out.Columns) != 1 {
		t.Errorf("got %+v, %v", out, err)
	}
}
