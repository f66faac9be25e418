package conversion

import "testing"

func TestJoin(t *testing.T) {
	t.Parallel()
	for _, test := range [][3]string{{"", "a", "a"}, {"a", "", "a"}, {"a", "b", "a.b"}, {"a", "[*].b", "a[*].b"}} {
		if got := join(test[0], test[1]); got != test[2] {
			t.Errorf("join(%q, %q) = %q", test[0], test[1], got)
		}
	}
}
