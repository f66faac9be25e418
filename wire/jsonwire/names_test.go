package jsonwire

import (
	"strconv"
	"strings"
	"testing"
)

// object writes an object with members n0, n1 and so on up to a number.
func object(members int) string {
	var b strings.Builder
	for i := range members {
		b.WriteString(`,"n` + strconv.Itoa(i) + `":` + strconv.Itoa(i))
	}
	return "{" + b.String()[1:] + "}"
}

// TestNameSetSuspects tells which values are looked at once more: what is kept raw mostly is a set
// of fields, and that should not be.
func TestNameSetSuspects(t *testing.T) {
	t.Parallel()
	const long = "f:topology.example.com/zone"
	for _, row := range []struct {
		name, text string
		suspect    bool
	}{
		{"a scalar", `"a"`, false},
		{"a set of fields", `{"f:m":{".":{},"f:` + long + `":{},"f:` + long +
			`s":{}},"f:s":{"f:p":{".":{},"k:{\"port\":8080,\"protocol\":\"TCP\"}":{".":{}},"k:{\"port\":8443,\"protocol\":\"TCP\"}":{".":{}}}}}`, false},
		{"the same names in several objects", `[{"a":{"a":1,"b":{"a":2}},"b":{"a":3}},{"a":4}]`, false},
		{
			"names of all lengths",
			`{"":0,"a":0,"ab":0,"abc":0,"abcd":0,"abcde":0,"abcdef":0,"abcdefg":0,"abcdefgh":0,"abcdefghi":0,"abcdefghabcdefgh":0}`, false,
		},
		{"a backslash", `{"a\\b":0,"a\\c":0}`, false},
		{"white space", "{ \"a\" : 0 ,\n\"b\" : [ { \"a\" : 1 } ] }", false},
		{"64 members", object(64), false},
		{"a short name twice", `{"a":{"b":0,"c":0,"b":0}}`, true},
		{"a long name twice", `{"` + long + `":0,"a":{},"` + long + `":0}`, true},
		{"twice around an object", `{"a":{"b":{"a":0}},"a":0}`, true},
		{"an escaped name twice", `{"k:{\"port\":8080}":0,"k:{\"port\":8080}":0}`, true},
		{"a name at the end of the text twice", `{"a":0,"a":0}`, true},
		{"escaped in another way", `{"a\"b":0,"a\u0022b":0}`, true},
		{"an escape for a letter", `{"\u0061":0}`, true},
		{"a letter outside of ASCII", `{"ä":0}`, true},
		{"many members", object(65), true},
	} {
		var seen nameSet
		var r Reader
		for range 2 { // the second time with what the first left behind
			r.Reset([]byte(row.text), Options{})
			seen.reset()
			r.skip(&seen, nil)
			if r.End(); r.Err() != nil {
				t.Fatalf("%s: %v", row.name, r.Err())
			}
			if seen.suspect != row.suspect {
				t.Errorf("%s: suspect is %v, want %v", row.name, seen.suspect, row.suspect)
			}
			if !seen.suspect && len(seen.stack) > 0 {
				t.Errorf("%s: %d entries are left", row.name, len(seen.stack))
			}
		}
	}
}
