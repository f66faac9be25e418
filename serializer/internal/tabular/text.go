package tabular

import (
	"strings"

	"github.com/askind/askind/wire/jsonwire"
)

// Text returns the text of a cell: a text as it is, nothing for nil, and what JSON has for anything
// else, a text without its quotes. quoted is false if JSON has something other than a text.
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
	return unescapeHTML.Replace(string(value)), false, nil
}

// unescapeHTML undoes what JSON escapes beyond its syntax.
var unescapeHTML = strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&")
