package model

import (
	"go/types"
	"testing"
)

// TestOmitsZero checks that omitempty never omits a struct or an array, as in encoding/json.
func TestOmitsZero(t *testing.T) {
	t.Parallel()
	text := types.Typ[types.String]
	structure, array := types.NewStruct(nil, nil), types.NewArray(text, 2)
	for _, row := range []struct {
		name string
		typ  types.Type
		tag  string
		want bool
	}{
		{"text", text, `json:"a,omitempty"`, true},
		{"pointer to a struct", types.NewPointer(structure), `json:"a,omitempty"`, true},
		{"list", types.NewSlice(text), `json:"a,omitempty"`, true},
		{"struct", structure, `json:"a,omitempty"`, false},
		{"array", array, `json:"a,omitempty"`, false},
		{"struct with omitzero", structure, `json:"a,omitzero"`, true},
		{"array with both", array, `json:"a,omitempty,omitzero"`, true},
		{"text that is always written", text, `json:"a"`, false},
	} {
		f := &Field{Type: row.typ, JSON: parseTag(row.tag)}
		if got := f.OmitsZero(); got != row.want {
			t.Errorf("%s: got %v, want %v", row.name, got, row.want)
		}
	}
}
