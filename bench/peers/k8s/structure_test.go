package k8s_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/askind/askind/k8s/appsv1"
	"github.com/askind/askind/k8s/corev1"
	"github.com/askind/askind/patch/structure"
	"github.com/askind/askind/runtime"
)

// TestStructureFollowsTheTags compares the structures of kinds, which the generator writes, with
// the struct tags that strategic merge patches of Kubernetes follow.
func TestStructureFollowsTheTags(t *testing.T) {
	t.Parallel()
	scheme, err := runtime.NewScheme(corev1.AddTo, appsv1.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	fields := 0
	for k := range scheme.Kinds() {
		if k.IsList() || k.Metadata(k.New()) == nil {
			continue
		}
		s := structure.Of(k)
		if s == nil {
			t.Errorf("%v: no structure", k)
			continue
		}
		fields += follows(t, k.Name(), k.Type(), s, map[reflect.Type]bool{})
	}
	if fields < 100 {
		t.Errorf("only %d fields have a patch strategy", fields)
	}
}

// follows compares the fields of a type and of all types below it, and returns how many have a
// strategy.
func follows(t *testing.T, path string, typ reflect.Type, s *structure.Type, seen map[reflect.Type]bool) (found int) {
	for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice || typ.Kind() == reflect.Map {
		typ = typ.Elem()
	}
	if _, leaf := reflect.PointerTo(typ).MethodByName("UnmarshalJSON"); typ.Kind() != reflect.Struct ||
		seen[typ] || leaf {
		return 0
	}
	seen[typ] = true
	for f := range typ.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" {
			if f.Anonymous {
				found += follows(t, path, f.Type, s, seen)
			}
			continue
		}
		at := path + "." + name
		strategies := strings.Split(f.Tag.Get("patchStrategy"), ",")
		field := s.Field(name)
		if field == nil {
			field = &structure.Field{}
		}
		for _, want := range []struct {
			name string
			got  bool
		}{{"merge", field.Merge}, {"replace", field.Replace}, {"retainKeys", field.RetainKeys}} {
			has := false
			for _, s := range strategies {
				has = has || s == want.name
			}
			if has {
				found++
			}
			if has != want.got {
				t.Errorf("%s: patch strategy %s: %t, and %t by the tag", at, want.name, want.got, has)
			}
		}
		if key := f.Tag.Get("patchMergeKey"); field.MergeKey != key {
			t.Errorf("%s: merge key %q, and %q by the tag", at, field.MergeKey, key)
		}
		below := s.Member(name)
		if below.Kind == structure.List || below.Kind == structure.Map {
			below = below.Elem
		}
		if below != nil {
			found += follows(t, at, f.Type, below, seen)
		}
	}
	return found
}
