package protobuf

import "os"

// Number returns the recorded number of a field by its message and JSON name.
func Number(ledgerFile, message, jsonName string) (int, bool) {
	src, err := os.ReadFile(ledgerFile)
	if err != nil {
		return 0, false
	}
	l, problem := parseLedger(ledgerFile, string(src))
	if problem != nil {
		return 0, false
	}
	m := l.message(message)
	if m == nil {
		return 0, false
	}
	for _, f := range m.fields {
		if f.identity == jsonName {
			return f.number, true
		}
	}
	return 0, false
}
