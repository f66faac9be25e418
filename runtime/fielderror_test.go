package runtime_test

import (
	"testing"

	"github.com/askind/askind/runtime"
)

func TestNotSupported(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		allowed []string
		want    string
	}{
		{nil, `Unsupported value: "roott": no value is supported`},
		{[]string{"data"}, `Unsupported value: "roott": supported values: "data"`},
		{[]string{"data", "root"}, `Unsupported value: "roott": supported values: "data", "root" (did you mean "root"?)`},
	} {
		if got := runtime.NotSupported(nil, "roott", tt.allowed...).Error(); got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
}
