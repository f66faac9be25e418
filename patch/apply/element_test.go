package apply

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
)

// TestCompareKeys checks that keys with one member, whose texts are compared, are ordered like all
// other keys, whose values are compared.
func TestCompareKeys(t *testing.T) {
	t.Parallel()
	key := func(members ...string) string { return "{" + strings.Join(members, ",") + "}" }
	keys := []string{
		key(), key(`"a":null`), key(`"a":true`), key(`"a":false`), key(`"port":9`), key(`"port":80`),
		key(`"port":80`, `"protocol":"TCP"`), key(`"a":1`, `"b":"x"`), key(`"a":2`, `"b":"x"`),
	}
	for _, value := range []string{
		"", "a", "b", "ab", "a b", "a!", "a#", `a"`, `a\`, "a\n", "a\u007f", "ä", "\U0001f600",
	} {
		text, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"", "a", "aa", "name", "b"} {
			keys = append(keys, key(strconv.Quote(name)+":"+string(text)))
		}
		for _, second := range []string{`"b":1`, `"b":10`, `"b":"x"`, `"c":"x"`} {
			keys = append(keys, key(`"a":`+string(text), second))
		}
	}
	for _, a := range keys {
		for _, b := range keys {
			if got, want := compareKeys(a, b), compareMembers(a, b); got != want {
				t.Errorf("%s and %s: got %d, want %d", a, b, got, want)
			}
		}
	}
}
