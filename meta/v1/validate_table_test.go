package v1_test

import (
	"strings"
	"testing"

	metav1 "github.com/askind/askind/meta/v1"
)

// TestTableOptionsAreBounded holds that a request cannot ask for any number of columns, in whatever
// way it names them.
func TestTableOptionsAreBounded(t *testing.T) {
	t.Parallel()
	many := strings.Repeat("a,", 63) + "a"
	for _, tt := range []struct {
		name string
		o    metav1.TableOptions
		want string
	}{
		{"nothing", metav1.TableOptions{}, ""},
		{"in one text", metav1.TableOptions{LabelColumns: []string{many}, SortBy: []string{many}}, ""},
		{"in many texts", metav1.TableOptions{LabelColumns: strings.Split(many, ",")}, ""},
		{"one more column", metav1.TableOptions{LabelColumns: []string{many, "b"}}, "labelColumns: Too many: 65"},
		{"one more name", metav1.TableOptions{SortBy: []string{many + ",b"}}, "sortBy: Too many: 65"},
		{"a long label", metav1.TableOptions{LabelColumns: []string{"a, " + strings.Repeat("b", 317)}}, ""},
		{
			"a longer label",
			metav1.TableOptions{LabelColumns: []string{"a", "b," + strings.Repeat("c", 318)}},
			"labelColumns[1]: Too long: may not be more than 317 bytes",
		},
		{"another object", metav1.TableOptions{IncludeObject: "All"}, `includeObject: Unsupported value: "All"`},
		{
			"both",
			metav1.TableOptions{IncludeObject: "All", SortBy: []string{many + ",b"}},
			"includeObject: Unsupported value: \"All\"",
		},
	} {
		errs := metav1.ValidateTableOptions(t.Context(), &tt.o)
		if tt.want == "" && len(errs) > 0 || tt.want != "" && !strings.HasPrefix(errs.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", tt.name, errs, tt.want)
		}
		if tt.name == "both" && len(errs) != 2 {
			t.Errorf("got %v, want two problems", errs)
		}
	}
}
