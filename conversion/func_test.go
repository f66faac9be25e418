package conversion_test

import (
	"testing"

	"github.com/askind/askind/conversion"
)

func TestLossString(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		loss conversion.Loss
		want string
	}{
		{
			"path and reason",
			conversion.Loss{Path: "spec.rack", Reason: "v1alpha1 has no racks"},
			"spec.rack: v1alpha1 has no racks",
		},
		{"path", conversion.Loss{Path: "spec.rack"}, "spec.rack"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := tt.loss.String(); got != tt.want {
				t.Errorf("String() = %q, want %q", got, tt.want)
			}
		})
	}
}
