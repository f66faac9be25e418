// Package coding reads which content codings an HTTP client accepts.
package coding

import "strings"

// AcceptsGzip reports whether a client accepts gzip and does not prefer an uncompressed response,
// according to the lines of its Accept-Encoding header (RFC 9110, section 12.5.3).
func AcceptsGzip(lines []string) bool {
	zip, identity, any := -1, -1, -1 // weights in thousandths; negative if not stated
	for _, line := range lines {
		for element := range strings.SplitSeq(line, ",") {
			coding, weight, ok := parseCoding(element)
			if !ok {
				continue
			}
			switch strings.ToLower(coding) {
			case "gzip", "x-gzip":
				zip = max(zip, weight)
			case "identity":
				identity = weight
			case "*":
				any = weight
			}
		}
	}
	if zip < 0 {
		zip = any
	}
	return zip > 0 && zip >= identity
}

// parseCoding reads one element: a coding and its weight.
func parseCoding(element string) (coding string, weight int, ok bool) {
	coding, parameters, has := strings.Cut(element, ";")
	coding = strings.Trim(coding, " \t")
	if coding == "" {
		return "", 0, false
	}
	if !has {
		return coding, 1000, true
	}
	name, value, ok := strings.Cut(parameters, "=")
	if !ok || !strings.EqualFold(strings.Trim(name, " \t"), "q") {
		return "", 0, false
	}
	weight, ok = parseWeight(strings.Trim(value, " \t"))
	return coding, weight, ok
}

// parseWeight reads a weight: 0 or 1 with up to three decimals, at most 1.
func parseWeight(s string) (int, bool) {
	whole, decimals, _ := strings.Cut(s, ".")
	if whole != "0" && whole != "1" || len(decimals) > 3 {
		return 0, false
	}
	w := 0
	for i := range 3 {
		w *= 10
		if i < len(decimals) {
			if decimals[i] < '0' || decimals[i] > '9' {
				return 0, false
			}
			w += int(decimals[i] - '0')
		}
	}
	if whole == "1" {
		return 1000, w == 0
	}
	return w, true
}
