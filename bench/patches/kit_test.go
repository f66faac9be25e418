package patches_test

import (
	"encoding/json"
	"flag"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/askind/askind/patch/structure"
)

var (
	cases = flag.Int("cases", 3000, "how many random cases each comparison takes")
	seed  = flag.Uint64("seed", 0, "selects other cases")
)

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(m.Run())
}

// same reports whether two texts are the same JSON.
func same(t *testing.T, a, b []byte) bool {
	t.Helper()
	var x, y any
	if err := json.Unmarshal(a, &x); err != nil {
		t.Fatalf("%v: %s", err, a)
	}
	if err := json.Unmarshal(b, &y); err != nil {
		t.Fatalf("%v: %s", err, b)
	}
	return reflect.DeepEqual(x, y)
}

func encode(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return text
}

// tagged returns the structure of a Go type as strategic merge patches see it: from struct tags.
func tagged(t reflect.Type, known map[reflect.Type]*structure.Type) *structure.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if s := known[t]; s != nil {
		return s
	}
	if _, ok := reflect.PointerTo(t).MethodByName("UnmarshalJSON"); ok {
		return &structure.Type{Kind: structure.Scalar}
	}
	switch t.Kind() {
	case reflect.Struct:
		s := &structure.Type{Kind: structure.Struct}
		known[t] = s
		addFields(s, t, known)
		slices.SortFunc(s.Fields, func(a, b structure.Field) int { return strings.Compare(a.Name, b.Name) })
		return s
	case reflect.Map:
		return &structure.Type{Kind: structure.Map, Elem: tagged(t.Elem(), known)}
	case reflect.Slice:
		return &structure.Type{Kind: structure.List, Elem: tagged(t.Elem(), known)}
	}
	return &structure.Type{Kind: structure.Scalar}
}

func addFields(s *structure.Type, t reflect.Type, known map[reflect.Type]*structure.Type) {
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" {
			if f.Anonymous {
				addFields(s, f.Type, known)
			}
			continue
		}
		field := structure.Field{Name: name, Type: tagged(f.Type, known), MergeKey: f.Tag.Get("patchMergeKey")}
		for strategy := range strings.SplitSeq(f.Tag.Get("patchStrategy"), ",") {
			field.Merge = field.Merge || strategy == "merge"
			field.Replace = field.Replace || strategy == "replace"
			field.RetainKeys = field.RetainKeys || strategy == "retainKeys"
		}
		s.Fields = append(s.Fields, field)
	}
}

// picker makes random values.
type picker struct{ *rand.Rand }

// newPicker returns the picker of a comparison, whose number selects its cases.
func newPicker(comparison uint64) picker {
	return picker{rand.New(rand.NewPCG(comparison, 42+*seed))}
}

func pick[T any](r picker, list ...T) T { return list[r.IntN(len(list))] }
