package validation

import (
	"encoding/base64"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/askind/askind/internal/names"
)

// formats maps the name of each supported format to its check.
var formats = map[string]func(string) bool{
	"date-time": isDateTime,
	"date":      func(s string) bool { _, err := time.Parse(time.DateOnly, s); return err == nil },
	"duration":  func(s string) bool { _, err := time.ParseDuration(s); return err == nil },
	"email":     isEmail,
	"hostname":  IsHostname,
	"ipv4":      func(s string) bool { a, err := netip.ParseAddr(s); return err == nil && a.Is4() },
	"ipv6": func(s string) bool {
		a, err := netip.ParseAddr(s)
		return err == nil && a.Is6() &&
			a.Zone() == ""
	},
	"cidr":            func(s string) bool { _, err := netip.ParsePrefix(s); return err == nil },
	"mac":             func(s string) bool { _, err := net.ParseMAC(s); return err == nil },
	"uri":             func(s string) bool { _, err := url.ParseRequestURI(s); return err == nil },
	"uuid":            func(s string) bool { return isUUID(s, 0) },
	"uuid3":           func(s string) bool { return isUUID(s, '3') },
	"uuid4":           func(s string) bool { return isUUID(s, '4') },
	"uuid5":           func(s string) bool { return isUUID(s, '5') },
	"byte":            func(s string) bool { _, err := base64.StdEncoding.DecodeString(s); return err == nil },
	"k8s-short-name":  IsShortName,
	"k8s-long-name":   IsLongName,
	"k8s-label-key":   isLabelKey,
	"k8s-label-value": isLabelValue,
	"k8s-uuid":        func(s string) bool { return len(s) == 36 && isUUID(s, 0) && s == strings.ToLower(s) },
	"k8s-path-segment-name": func(s string) bool {
		return s != "" && s != "." && s != ".." && !strings.ContainsAny(s, "/%")
	},
}

// describedFormats maps formats to descriptions for error messages.
var describedFormats = map[string]string{
	"date-time": "an RFC 3339 time, such as 2006-01-02T15:04:05Z", "date": "a date such as 2006-01-02",
	"duration": "a duration such as 1h30m", "email": "an address such as user@example.com",
	"hostname": "a host name", "ipv4": "an IPv4 address", "ipv6": "an IPv6 address",
	"cidr": "a CIDR block such as 10.0.0.0/8", "mac": "a MAC address",
	"uri": "a URI with a scheme, or a path that begins with /", "uuid": "a UUID", "uuid3": "a UUID of version 3",
	"uuid4": "a UUID of version 4", "uuid5": "a UUID of version 5", "byte": "base64",
	"k8s-short-name": "a lowercase RFC 1123 label: at most 63 letters, digits and hyphens, with a letter or digit " +
		"at both ends",
	"k8s-long-name":   "a lowercase RFC 1123 subdomain: labels separated by dots, at most 253 characters",
	"k8s-label-key":   "a label key, such as example.com/name",
	"k8s-label-value": "letters, digits, hyphens, dots and underscores, at most 63, with a letter or digit at both ends",
	"k8s-uuid":        "a UUID in lower case", "k8s-path-segment-name": "a text without / and %, other than . and ..",
}

// Format reports whether a text has a format, by its name in OpenAPI or in the k8s family. It
// returns true for unknown formats.
func Format(name, text string) bool {
	f, ok := formats[name]
	return !ok || f(text)
}

func isDateTime(s string) bool {
	_, err := time.Parse(time.RFC3339, strings.ToUpper(s)) // RFC 3339 permits t and z
	return err == nil
}

// isEmail reports whether a text is an RFC 5321 address without a quoted local part.
func isEmail(s string) bool {
	at := strings.LastIndexByte(s, '@')
	if at < 1 || at > 64 || !IsHostname(s[at+1:]) {
		return false
	}
	for part := range strings.SplitSeq(s[:at], ".") {
		if part == "" || strings.ContainsFunc(part, func(r rune) bool {
			return r >= 0x7f || !names.IsAlphanumeric(byte(r)) && !strings.ContainsRune("!#$%&'*+-/=?^_`{|}~", r)
		}) {
			return false
		}
	}
	return true
}

// IsShortName reports whether a text is an RFC 1123 label: lower-case letters, digits and hyphens,
// at most 63, with a letter or digit at both ends.
func IsShortName(s string) bool { return len(s) <= 63 && names.IsLabel(s) }

// IsLongName reports whether a text consists of RFC 1123 labels separated by dots, with at most 253
// characters in total.
func IsLongName(s string) bool { return len(s) <= 253 && names.IsSubdomain(s) }

// IsHostname reports whether a text is an RFC 1123 host name, in any case.
func IsHostname(s string) bool {
	s = strings.TrimSuffix(s, ".")
	if len(s) > 253 {
		return false
	}
	for part := range strings.SplitSeq(s, ".") {
		if len(part) > 63 || !names.IsWord(part) || strings.Contains(part, "_") {
			return false
		}
	}
	return true
}

func isLabelValue(s string) bool {
	return s == "" || len(s) <= 63 && names.IsWord(s)
}

func isLabelKey(s string) bool {
	prefix, name, ok := strings.Cut(s, "/")
	if !ok {
		prefix, name = "", s
	}
	return (!ok || IsLongName(prefix)) && len(name) <= 63 && names.IsWord(name)
}

// isUUID reports whether a text is a UUID of a version; 0 is any version. As in Kubernetes each of
// the four hyphens may be missing.
func isUUID(s string, version byte) bool {
	digits := 0
	for i := range len(s) {
		c := s[i]
		switch {
		case c == '-':
			if digits != 8 && digits != 12 && digits != 16 && digits != 20 || s[i-1] == '-' {
				return false
			}
			continue
		case digits == 12 && version != 0 && c != version:
			return false
		case digits == 16 && version > '3' && !strings.ContainsRune("89abAB", rune(c)):
			return false
		case !(c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'):
			return false
		}
		digits++
	}
	return digits == 32
}

// Length returns the number of characters in a text.
func Length(s string) int { return utf8.RuneCountInString(s) }
