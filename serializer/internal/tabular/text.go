package tabular

import (
	"strings"

	"github.com/askind/askind/wire/jsonwire"
)

// Text returns the text of a cell: a string unchanged, nothing for nil, and JSON for any other
// value, without the quotes of a string. quoted is false if the JSON is not a string.
func Text(cell any) (text string, quoted bool, err error) {
	switch v := cell.(type) {
	case nil:
		return "", true, nil
	case string:
		return v, true, nil
	}
	value, err := jsonwire.AppendAny(nil, cell)
	if err != nil {
		return "", false, err
	}
	if value[0] == '"' { // a time, a quantity
		return jsonwire.NewReader(value, jsonwire.Options{}).String(""), true, nil
	}
	return Plain(value), false, nil
}

// Plain returns JSON as text, without the escapes that JSON does not require.
func Plain(value []byte) string { return unescapeHTML.Replace(string(value)) }

// unescapeHTML reverses the escapes that JSON does not require. A backslash that is escaped itself
// does not begin one.
var unescapeHTML = strings.NewReplacer(`\\`, `\\`, `\u003c`, "<", `\u003e`, ">", `\u0026`, "&")
