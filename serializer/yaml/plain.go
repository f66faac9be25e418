package yaml

import (
	"bytes"
	"strconv"
	"strings"
	"time"
)

// ambiguous reports whether a reader of YAML 1.1 would take the plain scalar s for something other
// than a string: null, a boolean, a number, or a date. Base-60 numbers count too, though few
// readers know them.
func ambiguous(s []byte) bool {
	if len(s) == 0 {
		return true
	}
	switch c := s[0]; c {
	case 'y', 'Y', 'n', 'N', 't', 'T', 'f', 'F', 'o', 'O', '~':
		return len(s) <= 5 && reserved(s)
	case '.':
		if reserved(s) {
			return true
		}
		if len(s) == 1 || !isDigit(s[1]) {
			return false
		}
		_, err := strconv.ParseFloat(string(s), 64)
		return err == nil
	case '+', '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return isInstant(s) || reserved(s) || isDate(s) || isNumber(s) || isBase60(s)
	}
	return false
}

// reserved reports whether s is one of the reserved words.
func reserved(s []byte) bool {
	switch string(s) {
	case "y", "Y", "yes", "Yes", "YES", "n", "N", "no", "No", "NO",
		"true", "True", "TRUE", "false", "False", "FALSE",
		"on", "On", "ON", "off", "Off", "OFF",
		"~", "null", "Null", "NULL",
		".nan", ".NaN", ".NAN", ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF", "-.inf", "-.Inf", "-.INF":
		return true
	}
	return false
}

// isInstant reports whether s is a time in the form of 2006-01-02T15:04:05Z, as nearly all times in
// objects are. Other times, and those of the last days of a month, are left to isDate.
func isInstant(s []byte) bool {
	const form = "0000-00-00T00:00:00Z"
	if len(s) != len(form) {
		return false
	}
	for i := range len(form) {
		if form[i] == '0' && !isDigit(s[i]) || form[i] != '0' && form[i] != s[i] {
			return false
		}
	}
	two := func(i int) int { return int(s[i]-'0')*10 + int(s[i+1]-'0') }
	month, day := two(5), two(8)
	return 1 <= month && month <= 12 && 1 <= day && day <= 28 && two(11) <= 23 && s[14] <= '5' && s[17] <= '5'
}

// isDate reports whether s is a date or a time in YAML 1.1.
func isDate(s []byte) bool {
	if len(s) < 8 || s[4] != '-' || !isDigit(s[0]) || !isDigit(s[1]) || !isDigit(s[2]) || !isDigit(s[3]) {
		return false
	}
	layout := "2006-1-2"
	switch {
	case bytes.IndexByte(s, 'T') >= 0:
		layout = "2006-1-2T15:4:5.999999999Z07:00"
	case bytes.IndexByte(s, 't') >= 0:
		layout = "2006-1-2t15:4:5.999999999Z07:00"
	case bytes.IndexByte(s, ' ') >= 0:
		layout = "2006-1-2 15:4:5.999999999"
	}
	_, err := time.Parse(layout, string(s))
	return err == nil
}

// isNumber reports whether s is an integer or a float, ignoring underscores between digits.
func isNumber(s []byte) bool {
	if c := s[0]; (c == '+' || c == '-') && len(s) == 1 {
		return false
	}
	// An exponent or very many digits can make a number too large, and a letter after a zero can be
	// a base: these are left to the parser.
	decimal, zero := len(s) < 300, leadsWithZero(s)
	for _, c := range s {
		if isDigit(c) || c == '.' || c == '+' || c == '-' || c == '_' {
			continue
		}
		if decimal = false; c|0x20 != 'e' && !zero {
			return false // such as an address, an identifier or a quantity
		}
	}
	if decimal {
		return isFloat(s)
	}
	text := strings.ReplaceAll(string(s), "_", "")
	if _, err := strconv.ParseInt(text, 0, 64); err == nil {
		return true
	}
	if _, err := strconv.ParseUint(text, 0, 64); err == nil {
		return true
	}
	if isFloat([]byte(text)) {
		_, err := strconv.ParseFloat(text, 64)
		return err == nil
	}
	if digits, ok := strings.CutPrefix(text, "0b"); ok {
		if _, err := strconv.ParseInt(digits, 2, 64); err == nil {
			return true
		}
	}
	return false
}

// leadsWithZero reports whether the first digit of s is one, as it must be in a number with letters
// for digits.
func leadsWithZero(s []byte) bool {
	s = bytes.TrimLeft(s, "+-_")
	return len(s) > 0 && s[0] == '0'
}

// isFloat reports whether s is written as a decimal number: a sign, digits with a point somewhere,
// an exponent. Underscores are skipped.
func isFloat(s []byte) bool {
	i := 0
	skip := func(digits bool) (n int) {
		for i < len(s) && (s[i] == '_' || digits && isDigit(s[i])) {
			if s[i] != '_' {
				n++
			}
			i++
		}
		return n
	}
	sign := func() {
		if skip(false); i < len(s) && (s[i] == '+' || s[i] == '-') {
			i++
		}
	}
	sign()
	whole := skip(true)
	if i < len(s) && s[i] == '.' {
		i++
		if fraction := skip(true); whole+fraction == 0 {
			return false
		}
	} else if whole == 0 {
		return false
	}
	if i < len(s) && s[i]|0x20 == 'e' {
		i++
		sign()
		if skip(true) == 0 {
			return false
		}
	}
	return i == len(s)
}

// isBase60 reports whether s is a number such as 1:30 or 190:20:30.15.
func isBase60(s []byte) bool {
	if s[0] == '+' || s[0] == '-' {
		s = s[1:]
	}
	if len(s) == 0 || !isDigit(s[0]) {
		return false
	}
	i := 1
	for i < len(s) && (isDigit(s[i]) || s[i] == '_') {
		i++
	}
	groups := 0
	for i < len(s) && s[i] == ':' {
		i++
		switch {
		case i+1 < len(s) && '0' <= s[i] && s[i] <= '5' && isDigit(s[i+1]):
			i += 2
		case i < len(s) && isDigit(s[i]):
			i++
		default:
			return false
		}
		groups++
	}
	if i < len(s) && s[i] == '.' {
		i++
		for i < len(s) && (isDigit(s[i]) || s[i] == '_') {
			i++
		}
	}
	return groups > 0 && i == len(s)
}
