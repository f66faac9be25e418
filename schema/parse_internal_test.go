package schema

import "testing"

// TestPlainNamesAreNames checks that what is taken for a plain name is one for the rule that knows
// all characters, and that the common characters are plain.
func TestPlainNamesAreNames(t *testing.T) {
	t.Parallel()
	for c := range 256 {
		name := string([]byte{byte(c)})
		common := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '.'
		if plainName(name) != common {
			t.Errorf("plainName(%q) = %v", name, !common)
		}
		if err := checkNameSlow("name", name, name, 0); common && err != nil {
			t.Errorf("%q is plain, but %v", name, err)
		}
	}
}
