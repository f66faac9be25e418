package lint

import (
	"go/types"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/askind/askind/codegen/internal/model"
	"github.com/askind/askind/schema"
)

// tagRules returns the rules about the names of fields in JSON.
func tagRules() []*Rule {
	return []*Rule{
		{
			Name: "tag-missing", Doc: "An exported field has no json tag.",
			Why:   "Its name in JSON is then the Go name, with a capital letter, and renaming the field in Go changes the API.",
			field: tagMissing,
		},
		{
			Name: "tag-case", Doc: "The name in a json tag is not in lower camel case.",
			Why:   "Clients expect names like podIP and apiVersion, and names are case-sensitive.",
			field: tagCase,
		},
		{
			Name: "tag-name", Doc: "The name in a json tag differs from that of the field by more than case.",
			Why:   "A field with two names is hard to find; often the tag was copied from another field.",
			field: tagName,
		},
		{
			Name: "tag-option", Doc: "A struct tag is malformed, or a json tag has an option that encoding/json does not know.",
			Why:   "Both are silently ignored: a field with omitempy is never omitted.",
			field: tagOption,
		},
		{
			Name: "tag-conflict", Doc: "A field is hidden by another one with the same name in JSON.",
			Why:       "By Go's rules the outer field wins, and of two at the same depth neither is encoded.",
			structure: tagConflict,
		},
	}
}

func tagMissing(c *context, f *model.Field) {
	if f.Embedded || !f.Exported() || f.JSON.Present {
		return
	}
	c.report(c.pos, "%s has no json tag", c.path).Suggest("`json:%q`", LowerCamel(f.Name))
}

func tagCase(c *context, f *model.Field) {
	name := f.JSON.Name
	if name == "" || !f.Exported() {
		return
	}
	if good := LowerCamel(name); good != name {
		d := c.report(c.pos, "%s is %q in JSON, which is not in lower camel case", c.path, name)
		if good != "" {
			d.Suggest("`json:%q`", good+tagOptions(f))
		}
	}
}

func tagName(c *context, f *model.Field) {
	name := f.JSON.Name
	if name == "" || !f.Exported() || model.IsMetadata(f) {
		return
	}
	if !SameName(name, f.Name) {
		c.report(c.pos, "%s is %q in JSON", c.path, name).Suggest("`json:%q`", LowerCamel(f.Name)+tagOptions(f))
	}
}

// tagOptions returns the options in the json tag of a field, with the comma before them.
func tagOptions(f *model.Field) string {
	return strings.TrimPrefix(reflect.StructTag(f.Tag).Get("json"), f.JSON.Name)
}

// jsonOptions has the options of encoding/json, and inline, which it ignores and which is customary
// for embedded structs.
var jsonOptions = []string{"omitempty", "omitzero", "string", "inline"}

func tagOption(c *context, f *model.Field) {
	if !wellFormed(f.Tag) {
		c.report(c.pos, "%s has the struct tag %s, which is not a list of key:\"value\" pairs", c.path, "`"+f.Tag+"`")
		return
	}
	value, _ := reflect.StructTag(f.Tag).Lookup("json")
	_, options, found := strings.Cut(value, ",")
	if !found {
		return
	}
	for option := range strings.SplitSeq(options, ",") {
		if option == "" || slices.Contains(jsonOptions, option) {
			continue
		}
		d := c.report(c.pos, "%s: a json tag has no option %q", c.path, option)
		if near, ok := schema.Nearest(option, jsonOptions); ok {
			d.Suggest("`json:%q`", strings.Replace(value, option, near, 1))
		}
	}
}

// wellFormed reports whether package reflect can parse all of a struct tag.
func wellFormed(tag string) bool {
	for tag = strings.TrimLeft(tag, " "); tag != ""; tag = strings.TrimLeft(tag, " ") {
		i := strings.IndexFunc(tag, func(r rune) bool { return r == ':' || r == '"' || r <= ' ' || r == 0x7f })
		if i <= 0 || tag[i] != ':' {
			return false
		}
		lit, err := strconv.QuotedPrefix(tag[i+1:])
		if err != nil || lit[0] != '"' {
			return false
		}
		if tag = tag[i+1+len(lit):]; tag != "" && tag[0] != ' ' {
			return false
		}
	}
	return true
}

// tagConflict looks for fields that are hidden by others with the same name.
func tagConflict(c *context, st *types.Struct) {
	for _, clash := range c.u.Clashes(st) {
		first, second := clash[0], clash[1]
		if first == second {
			c.report(second.Path[0].Pos, "%s.%s is not part of the JSON form: it is embedded more than once at one depth",
				c.path, second.Selector())
			continue
		}
		c.report(second.Path[0].Pos, "%s.%s and %s.%s are both %q at one depth, so neither is part of the JSON form",
			c.path, first.Selector(), c.path, second.Selector(), first.Key).
			Relate(c.u.Position(first.Path[0].Pos), "the other field")
	}
	written := map[string]*model.JSONField{}
	byKey := map[string]*model.JSONField{}
	for _, f := range c.u.JSONFields(st) {
		written[f.Selector()], byKey[f.Key] = f, f
	}
	var walk func(st *types.Struct, prefix string, top *model.Field, above []*types.Struct)
	hidden := map[string]bool{}
	walk = func(st *types.Struct, prefix string, top *model.Field, above []*types.Struct) {
		if slices.Contains(above, st) {
			return
		}
		above = append(slices.Clone(above), st)
		for _, f := range c.u.Fields(st) {
			selector := strings.TrimPrefix(prefix+"."+f.Name, ".")
			from := top
			if from == nil {
				from = f
			}
			if inner := embeddedStruct(f); inner != nil {
				walk(inner, selector, from, above)
				continue
			}
			if f.JSON.Skip || !f.Exported() || written[selector] != nil || hidden[selector] {
				continue
			}
			hidden[selector] = true
			if winner := byKey[f.JSONName()]; winner != nil { // else it clashes
				c.report(from.Pos, "%s.%s is not part of the JSON form: another field is %q too", c.path, selector,
					f.JSONName()).
					Relate(c.u.Position(winner.Pos), "%s.%s is written", c.path, winner.Selector())
			}
		}
	}
	walk(st, "", nil, nil)
}

// embeddedStruct returns the struct of an embedded field that is flattened, or nil.
func embeddedStruct(f *model.Field) *types.Struct {
	if !f.Embedded || f.JSON.Name != "" || f.JSON.Skip {
		return nil
	}
	t := types.Unalias(f.Type)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	st, _ := t.Underlying().(*types.Struct)
	return st
}

// SameName reports whether a name in JSON equals that of a field, ignoring case and separators.
func SameName(name, field string) bool { return strings.EqualFold(letters(name), letters(field)) }

// letters returns a name without separators of words.
func letters(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, name)
}

// LowerCamel converts a name to the form of field names in JSON: PodIP becomes podIP, URLPath
// urlPath, IPs ips, and host_name hostName.
func LowerCamel(name string) string {
	var b strings.Builder
	up := false
	for _, r := range name {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			up = b.Len() > 0
		case up:
			b.WriteRune(unicode.ToUpper(r))
			up = false
		default:
			b.WriteRune(r)
		}
	}
	runes := []rune(b.String())
	n := 0
	for n < len(runes) && unicode.IsUpper(runes[n]) {
		n++
	}
	switch rest := string(runes[n:]); {
	case n <= 1, rest == "s", rest == "", unicode.IsDigit(runes[n]):
	default:
		n-- // the last capital begins the next word
	}
	for i := range n {
		runes[i] = unicode.ToLower(runes[i])
	}
	return string(runes)
}
