package main

import (
	"strings"
	"testing"

	"github.com/askind/askind/examples/fleet/api/fleet/v1"
	"github.com/askind/askind/examples/fleet/api/fleet/v1alpha1"
	inventoryv1 "github.com/askind/askind/examples/fleet/api/inventory/v1"
	"github.com/askind/askind/meta"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/schema"
)

func oldMachine(name string) *v1alpha1.Machine {
	return &v1alpha1.Machine{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"app": name}},
		Spec:       v1alpha1.MachineSpec{Zone: "z", CPU: "2", Memory: "1Gi", Image: "i"},
	}
}

// TestStoreKeepsItsOwn holds that nothing which the caller does later reaches into the store.
func TestStoreKeepsItsOwn(t *testing.T) {
	t.Parallel()
	s := newStore(mustFactory(t).Scheme(), clock)
	in := oldMachine("m")
	if _, err := s.add(t.Context(), in, "here", false); err != nil {
		t.Fatal(err)
	}
	if in.UID != "" || in.Spec.DrainTimeout != "" {
		t.Errorf("the object of the caller was changed: %+v", in)
	}
	in.Labels["app"] = "changed"
	obj, ok := s.get(schema.GroupResource{Group: "fleet.example.com", Resource: "machines"}, "default", "m")
	if !ok {
		t.Fatal("not found")
	}
	m, ok := obj.(*v1.Machine)
	if !ok {
		t.Fatalf("got a %T", obj)
	}
	if m.Labels["app"] != "m" || m.Spec.Hardware.Cores != 2 || m.Spec.Hardware.Architecture != v1.ArchitectureAMD64 {
		t.Errorf("got %+v", m)
	}
	if m.UID == "" || m.ResourceVersion != "1" || m.Generation != 1 || !m.CreationTimestamp.Time.Equal(noon) {
		t.Errorf("got %+v", m.ObjectMeta)
	}
}

func TestStoreRefuses(t *testing.T) {
	t.Parallel()
	s := newStore(mustFactory(t).Scheme(), clock)
	if _, err := s.add(t.Context(), oldMachine("m"), "the first file", false); err != nil {
		t.Fatal(err)
	}
	bad := oldMachine("n")
	bad.Spec.BootDisk, bad.Spec.Image = "none", ""
	for name, tt := range map[string]struct {
		obj  any
		want string
	}{
		"duplicate":       {oldMachine("m"), "it is there already, from the first file"},
		"not served":      {&metav1.Scale{}, "are not served here"},
		"a list":          {&v1.MachineList{}, "are not served here"},
		"not convertible": {&v1alpha1.Machine{ObjectMeta: metav1.ObjectMeta{Name: "x"}}, "is not a whole number"},
		"not valid":       {bad, "spec.boot.disk.name"},
		"nil":             {nil, "not an object"},
	} {
		if _, err := s.add(t.Context(), tt.obj, "x", false); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %s", name, err, tt.want)
		}
	}
	if s.version != 1 {
		t.Errorf("the store has %d objects", s.version)
	}
}

func TestStoreLists(t *testing.T) {
	t.Parallel()
	s := newStore(mustFactory(t).Scheme(), clock)
	for _, name := range []string{"b", "c", "a"} {
		m := oldMachine(name)
		m.Namespace = map[string]string{"c": "alpha"}[name]
		if _, err := s.add(t.Context(), m, "here", false); err != nil {
			t.Fatal(err)
		}
	}
	selector, err := meta.ParseSelector("app!=b")
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		namespace string
		selector  meta.Selector
		want      string
	}{
		"all":         {"", meta.Everything(), "c a b"},
		"a namespace": {"default", meta.Everything(), "a b"},
		"selected":    {"", selector, "c a"},
		"none":        {"nowhere", meta.Everything(), ""},
	} {
		obj, err := s.list(schema.GroupKind{Group: "fleet.example.com", Kind: "Machine"}, selection{namespace: tt.namespace, labels: tt.selector})
		if err != nil {
			t.Fatal(err)
		}
		list, ok := obj.(*v1.MachineList)
		if !ok {
			t.Fatalf("got a %T", obj)
		}
		var names []string
		for _, m := range list.Items {
			names = append(names, m.Name)
		}
		if got := strings.Join(names, " "); got != tt.want || list.ResourceVersion != "3" || list.Items == nil {
			t.Errorf("%s: got %q at version %s, want %q", name, got, list.ResourceVersion, tt.want)
		}
	}
	if _, err := s.list(schema.GroupKind{Group: "fleet.example.com", Kind: "Rocket"}, everything()); err == nil {
		t.Error("an unknown kind has a list")
	}
	if _, err := s.add(t.Context(), &inventoryv1.Site{ObjectMeta: metav1.ObjectMeta{Name: "s"}, Spec: inventoryv1.SiteSpec{Address: "a"}}, "here", false); err != nil {
		t.Error(err)
	}
	if obj, _ := s.get(schema.GroupResource{Group: "inventory.example.com", Resource: "sites"}, "", "s"); obj == nil {
		t.Error("an object of cluster scope is not found without a namespace")
	}
}
