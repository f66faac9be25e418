package codegen_test

import (
	"os"
	"strings"
	"testing"
)

// TestBadInputs lists the inputs that other generators answer with shared memory, broken output,
// silence or a position in their own source, and the scenario that has our answer to each:
// TestScenarios checks the whole of it, the text here is what to look for.
func TestBadInputs(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ input, scenario, answer string }{
		{"a field of type any", "row-any", "memory is shared"},
		{"a channel", "row-undefined", "chan"},
		{"a type that there is not", "row-undefined", "undefined"},
		{"functions and fields of undefined types", "bad-undefined", "undefined: Lorry"},
		{"the builtin error", "bad-undefined", "Spec.Err: a value of an interface type cannot be copied"},
		{"an array of pointers", "row-arrays", "memory is shared"},
		{"a map whose key is a struct with a pointer", "row-map-key", "map"},
		{"a struct without a name in a map", "row-anonymous", "struct"},
		{"*url.URL: foreign, without methods", "row-foreign", "url.URL"},
		{"a foreign struct that hides references", "foreign_errors", "unexported fields that a copy would share"},
		{"a foreign struct that hides values", "foreign_hidden", "unsafe.Sizeof"},
		{"a generic struct", "row-generic", "[T any]"},
		{"a marker with a typing error", "row-marker-typos", "unknown marker"},
		{"a marker where it cannot count", "row-misplaced", "marker-place"},
		{"a marker a blank line above the type", "row-placement", "-- v1/types_test.go --"},
		{"a marker a blank line above the field", "row-placement", "func TestFields("},
		{"a bad argument of a marker", "bad-markers", "marker-argument"},
		{"a DeepCopy method with another signature", "row-signature", "deepcopy-signature"},
		{"two fields that change places between versions", "peers_field_swap", "-- v1beta1/swap_test.go --"},
		{"a field that only the source has", "peers_source_only", "convert-unmapped"},
		{"a field that only the target has", "peers_target_only", "convert-unmapped"},
		{"a default in the values of a map", "peers_map_defaults", "-- v1/maps_test.go --"},
		{"int32 to int64, and int64 to int32", "conversion_fields", "(int64 to int32)"},
		{
			"a text to a number", "conversion_errors",
			"Spec.Port (string, spec.port of Machine) to v1.Spec.Port (int32)",
		},
		{"a pointer to a value, and a value to a pointer", "conversion_fields", "unset and the zero value become one"},
		{"any to any", "conversion_fields", "any"},
		{"a target that is not exported", "conversion_errors", "v1.Hidden"},
		{"a converter that is missing", "peers_missing_function", "convert-"},
		{"nothing to do", "nothing-selected", "nothing-selected"},
	} {
		src, err := os.ReadFile("testdata/" + row.scenario + ".txtar")
		if err != nil {
			t.Errorf("%s: %v", row.input, err)
		} else if !strings.Contains(string(src), row.answer) {
			t.Errorf("%s: scenario %s does not have %q", row.input, row.scenario, row.answer)
		}
	}
}
