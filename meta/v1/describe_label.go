package v1

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// labelOf returns a heading for the JSON name of a field: drainTimeout becomes Drain Timeout,
// podIPs becomes Pod IPs.
func labelOf(name string) string {
	words := splitWords(name)
	for i, w := range words {
		if isAcronym(w) {
			words[i] = strings.ToUpper(w)
		} else {
			first, size := utf8.DecodeRuneInString(w)
			words[i] = string(unicode.ToUpper(first)) + w[size:]
		}
	}
	return strings.Join(words, " ")
}

// isAcronym reports whether a word in lower case is conventionally written in capitals.
func isAcronym(word string) bool {
	switch word {
	case "api", "ca", "cidr", "cpu", "csi", "dns", "fs", "gid", "gpu", "http", "https", "id", "ip", "nfs", "os", "pid",
		"qos", "ssd", "ssl", "tcp", "tls", "ttl", "tty", "udp", "ui", "uid", "uri", "url", "uuid", "vm":
		return true
	}
	return false
}

// splitWords splits a name in camel case, or with dashes or underscores, into words. A run of
// capitals is one word, including a following s.
func splitWords(name string) []string {
	var words []string
	start := 0
	cut := func(end int) {
		if end > start {
			words = append(words, name[start:end])
		}
		start = end
	}
	for i := 0; i < len(name); i++ {
		switch c := name[i]; {
		case c == '-' || c == '_' || c == ' ':
			cut(i)
			start = i + 1
		case !isUpper(c) || i == start:
		case !isUpper(name[i-1]):
			cut(i)
		case i+1 < len(name) && isLower(name[i+1]) && !pluralAt(name, i+1):
			cut(i)
		}
	}
	cut(len(name))
	return words
}

// pluralAt reports whether an s ends a word there: at the end, or before a capital.
func pluralAt(name string, i int) bool {
	return name[i] == 's' && (i+1 == len(name) || isUpper(name[i+1]) || name[i+1] == '-' || name[i+1] == '_')
}

func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }

func isLower(c byte) bool { return c >= 'a' && c <= 'z' }
