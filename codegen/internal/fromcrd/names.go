package fromcrd

import (
	"fmt"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/askind/askind/codegen/internal/emit"
)

// initialisms are words that Go names spell in capitals.
var initialisms = []string{
	"acl", "api", "ca", "cidr", "cpu", "crd", "dns", "grpc", "http", "https", "id", "ip", "json", "jwt", "oidc", "sni",
	"ssh", "ssl", "tcp", "tls", "ttl", "udp", "uid", "uri", "url", "vm", "xml", "yaml",
}

// goName converts a name in JSON to the name of a Go field, or to a part of the name of a type.
func goName(name string) string {
	var b strings.Builder
	for word := range strings.FieldsFuncSeq(name, separates) {
		head := strings.IndexFunc(word, func(r rune) bool { return !unicode.IsLower(r) })
		if head < 0 {
			head = len(word)
		}
		if slices.Contains(initialisms, word[:head]) {
			b.WriteString(strings.ToUpper(word[:head]) + word[head:])
			continue
		}
		b.WriteString(emit.UpperFirst(word))
	}
	out := b.String()
	if out == "" || !token.IsIdentifier(out) || !token.IsExported(out) {
		out = "F" + out
	}
	return out
}

// separates reports whether a character separates the words of a name.
func separates(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// singular returns the name of an element of a list.
func singular(name string) string {
	for _, s := range []struct{ plural, singular string }{
		{"ies", "y"}, {"sses", "ss"}, {"ches", "ch"}, {"shes", "sh"}, {"xes", "x"}, {"ss", "ss"}, {"us", "us"}, {
			"is", "is",
		}, {"s", ""},
	} {
		if rest, ok := strings.CutSuffix(name, s.plural); ok && len(rest) > 1 {
			return rest + s.singular
		}
	}
	return name
}

// vague has names that are not descriptive without the name of the struct.
var vague = []string{
	"type", "kind", "name", "mode", "operator", "operation", "policy", "value", "key", "status",
	"state", "group",
}

// typeName chooses a name for the type of a field.
func (f *file) typeName(parent, field string, element, scalar bool) string {
	if element {
		field = singular(field)
	}
	base := goName(field)
	kind := f.def.Kind
	top := parent == kind || parent == kind+"Spec"
	candidates := []string{kind + base, parent + base}
	if scalar && !top && slices.Contains(vague, strings.ToLower(field)) {
		candidates = candidates[1:]
	}
	for i := 2; ; i++ {
		for _, name := range candidates {
			if !f.taken[name] && !f.taken[name+"List"] && !(strings.HasSuffix(name, "List") &&
				f.taken[strings.TrimSuffix(name, "List")]) {
				f.taken[name] = true
				return name
			}
		}
		candidates = []string{parent + base + strconv.Itoa(i)}
	}
}

// constantName returns the name of the constant for a value of a type.
func constantName(typ, value string) string {
	words := strings.FieldsFunc(value, separates)
	if len(words) == 0 || strings.ContainsFunc(value, func(r rune) bool {
		return separates(r) && !strings.ContainsRune("-_./ :", r)
	}) {
		return ""
	}
	for _, word := range words {
		typ += emit.UpperFirst(word)
	}
	return typ
}

// quoted returns a string for a marker, raw if possible, because patterns are full of backslashes.
func quoted(s string) string {
	if strconv.CanBackquote(s) && !strings.Contains(s, "\t") {
		return "`" + s + "`"
	}
	return strconv.Quote(s)
}

// docWidth is the maximum width of a comment in columns.
const docWidth = 100

// tagName reports whether a json tag can have a name: encoding/json ignores others.
func tagName(name string) bool {
	return name != "" && name != "-" && !strings.ContainsFunc(name, func(r rune) bool {
		return separates(r) && !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", r)
	})
}

// doc returns the lines of a comment for a description. It never moves a word to the beginning of a
// line where it would have a special meaning. ok is false if a line would end the description or be
// omitted from it.
func doc(text string, indent int) (lines []string, ok bool) {
	ok = true
	paragraph := ""
	end := func() {
		for paragraph != "" {
			line := paragraph
			if width := docWidth - indent - len("// "); len(line) > width {
				line = line[:breakAt(line, width)]
			}
			paragraph = strings.TrimSpace(paragraph[len(line):])
			lines = append(lines, strings.TrimRight(line, " "))
		}
	}
	for _, line := range strings.Split(strings.ToValidUTF8(text, "?"), "\n") {
		line = strings.TrimRight(strings.Map(printable, strings.ReplaceAll(line, "\t", "  ")), " ")
		bare := strings.TrimSpace(line)
		switch {
		case bare == "":
			end()
			if len(lines) > 0 && lines[len(lines)-1] != "" {
				lines = append(lines, "")
			}
		case strings.HasPrefix(bare, "TODO"), strings.HasPrefix(bare, "FIXME"), strings.HasPrefix(bare, "nolint:"),
			bare == "---":
			ok = false
			end()
			lines = append(lines, line)
		case strings.HasPrefix(bare, "+"):
			end()
			lines = append(lines, "  "+bare)
		case line != bare, strings.HasPrefix(bare, "- "), strings.HasPrefix(bare, "* "):
			end()
			lines = append(lines, line)
		case paragraph == "":
			paragraph = bare
		default:
			paragraph += " " + bare
		}
	}
	end()
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines, ok
}

// printable returns a character in a form that is valid in a comment.
func printable(r rune) rune {
	if unicode.IsControl(r) || r == '\ufeff' {
		return ' '
	}
	return r
}

// breakAt returns the position of a line break: before the last word that fits and has no special
// meaning at the beginning of a line.
func breakAt(line string, width int) int {
	last := 0
	for i, r := range line {
		if r != ' ' {
			continue
		}
		if i > width && last > 0 {
			break
		}
		next := line[i+1:]
		special := false
		for _, p := range []string{"+", "TODO", "FIXME", "nolint:", "---", "- ", "* ", "#", "Deprecated:", "//", " "} {
			special = special || strings.HasPrefix(next, p)
		}
		if number := strings.TrimLeft(next, "0123456789"); len(number) < len(next) && (strings.HasPrefix(number,
			".") || strings.HasPrefix(number, ")")) {
			special = true
		}
		if !special {
			last = i
		}
	}
	if last == 0 {
		return len(line)
	}
	return last
}

// comment returns the lines of a comment in Go, with a line before the markers.
func comment(text string, markers []string, indent string) (out string, ok bool) {
	lines, ok := doc(text, len(indent)*4)
	if len(lines) > 0 && len(markers) > 0 {
		lines = append(lines, "")
	}
	for _, m := range markers {
		lines = append(lines, "+"+strings.Map(printable, strings.ToValidUTF8(m, "?")))
	}
	var b strings.Builder
	for _, line := range lines {
		fmt.Fprintln(&b, strings.TrimRight(indent+"// "+line, " "))
	}
	return b.String(), ok
}
