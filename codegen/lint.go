package codegen

import "github.com/askind/askind/codegen/internal/lint"

// Rule describes one kind of mistake that [Lint] reports. Its name is the code of the diagnostics.
type Rule struct {
	Name string `json:"name"`
	// Doc says what is reported, Why what goes wrong otherwise.
	Doc string `json:"doc"`
	Why string `json:"why"`
}

// Rules returns the rules of [Lint] in order of name.
func Rules() []Rule {
	var out []Rule
	for _, r := range lint.Rules() {
		out = append(out, Rule{Name: r.Name, Doc: r.Doc, Why: r.Why})
	}
	return out
}
