package constraint_test

import (
	"testing"

	"github.com/askind/askind/codegen/internal/constraint"
	"github.com/askind/askind/codegen/internal/marker"
)

func TestReadFalse(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"+optional=false", "+kubebuilder:validation:Required=false", "+unionMember=false",
		"+k8s:unionMember=false", "+k8s:unionDiscriminator=false",
	} {
		m := marker.ParseLine(text, 1)
		if m == nil || m.Def == nil {
			t.Fatalf("%s is not a known marker", text)
		}
		if rules := constraint.Read(marker.List{m}, nil); len(rules) != 0 {
			t.Errorf("%s states the rule %s", text, rules[0])
		}
	}
}
