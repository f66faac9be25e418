package patch_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/askind/askind/patch"
)

func TestDuplicates(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		typ  patch.Type
		text string
		want []string
	}{
		{"none", patch.Merge, `{"a":1,"b":{"a":1}}`, nil},
		{"at the top", patch.Merge, `{"a":1,"a":2}`, []string{`patch: merge patch, a at 1:8: duplicate field "a"`}},
		{
			"below", patch.Merge, "{\"spec\":{\"x\":1,\n\"x\":2}}",
			[]string{`patch: merge patch, spec.x at 2:1: duplicate field "x"`},
		},
		{
			"in an operation", patch.JSON, `[{"op":"add","path":"/a","path":"/b","value":1}]`,
			[]string{`patch: JSON patch, [0].path at 1:26: duplicate field "path"`},
		},
		{
			"deep", patch.Merge, strings.Repeat(`{"a":1,"a":`, 100) + "1" + strings.Repeat("}", 100),
			[]string{"100 errors, 0 without a path"},
		},
		{
			"very deep", patch.Merge, strings.Repeat(`{"a":`, 5000) + strings.Repeat(`{"a":1,"a":`, 90) + "1" +
				strings.Repeat("}", 5090), []string{"90 errors, 89 without a path"},
		},
		{
			"below a long name", patch.Merge, `{"` + strings.Repeat("k", 1<<20) + `":{"a":0` +
				strings.Repeat(`,"a":1`, 90) + "}}", []string{"90 errors, 89 without a path"},
		},
		{"not JSON", patch.Merge, `{"a":1,"a"`, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			without := 0
			for _, e := range patch.Duplicates(tt.typ, []byte(tt.text), patch.Limits{}) {
				got = append(got, e.Error())
				if e.Path == "" {
					without++
				}
			}
			if len(got) > 50 {
				got = []string{fmt.Sprintf("%d errors, %d without a path", len(got), without)}
			}
			if fmt.Sprint(got) != fmt.Sprint(tt.want) {
				t.Errorf("got %q\nwant %q", got, tt.want)
			}
		})
	}
}

func ExampleDuplicates() {
	for _, e := range patch.Duplicates(patch.Merge, []byte(`{"spec":{"replicas":3,"replicas":5}}`), patch.Limits{}) {
		fmt.Println(e)
	}
	// Output: patch: merge patch, spec.replicas at 1:23: duplicate field "replicas"
}
