package yaml_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/askind/askind/internal/dice"
	"github.com/askind/askind/internal/rounds"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/yaml"
)

// layout writes random values in random styles of YAML, with comments that are all different.
type layout struct {
	dice.Dice
	out      bytes.Buffer
	comments int
	text     int               // the end of the last text in a block
	lines    map[string]string // those of scalars in blocks with a comment, by path
	anchors  map[string]string // by value
}

// scalars are values in JSON, with the ways in which they may be written.
var scalars = []struct{ json, texts string }{
	{`1`, "1"},
	{`2`, "2|!!int 2"},
	{`true`, "true"},
	{`null`, "null|~"},
	{`""`, `""|''`},
	{`"x"`, `x|"x"|'x'|!!str x`},
	{`"a b"`, `a b|"a b"|'a b'`},
	{`"it's # no: comment"`, `"it's # no: comment"|'it''s # no: comment'`},
	{`"é, [x]"`, `"é, [x]"`},
	{`"10Gi"`, `10Gi|"10Gi"`},
	{`1.5`, "1.5"},
	{`"1"`, `"1"|'1'`},
	{`"#x"`, `"#x"|'#x'`},
	{`"a#b"`, `a#b`},
	{`"- x"`, `"- x"`},
}

var keys = []string{"name", "size", "a", "b", "c d", "x/y", "1", "true"}

// value returns a random value.
func (l *layout) value(depth int) any {
	switch n := l.IntN(10); {
	case n < 4 && depth > 0:
		m := map[string]any{}
		for range l.IntN(4) {
			m[dice.Of(l.Dice, keys...)] = l.value(depth - 1)
		}
		return m
	case n < 6 && depth > 0:
		list := []any{}
		for range l.IntN(4) {
			list = append(list, l.value(depth-1))
		}
		return list
	case n < 7:
		return dice.Of(l.Dice, "line\nline # no\n", "x\n  y\n\n z\n", "# no\n", "a\n\n", "a\nb")
	}
	return decoded(scalars[l.IntN(len(scalars))].json)
}

func decoded(text string) (v any) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		panic(err)
	}
	return v
}

func encoded(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// comment writes a comment with a probability of one in n.
func (l *layout) comment(n int, before string) string {
	if l.IntN(n) > 0 {
		return ""
	}
	l.comments++
	return fmt.Sprintf(`%s# c%d. - a: "b, it's [`, before, l.comments)
}

// between writes blank lines and comments.
func (l *layout) between(indent string) {
	if l.IntN(8) == 0 && l.out.Len() != l.text { // not where it may belong to the text
		l.out.WriteString(dice.Of(l.Dice, "\n", "  \n"))
	}
	if c := l.comment(4, indent); c != "" {
		l.out.WriteString(c + "\n")
	}
}

// scalar returns a scalar. Its further lines, if any, begin with an indentation.
func (l *layout) scalar(v any, indent string) string {
	text := encoded(v)
	if anchor := l.anchors[text]; anchor != "" && l.IntN(2) == 0 {
		return "*" + anchor + " "
	}
	if text == `"a b"` && l.IntN(3) == 0 {
		return dice.Of(l.Dice, "\"a\n"+indent+" b\"", "'a\n"+indent+"  b'")
	}
	for _, s := range scalars {
		if s.json == text {
			text = dice.Of(l.Dice, strings.Split(s.texts, "|")...)
		}
	}
	if l.anchors != nil && l.IntN(8) == 0 && text != "" {
		l.comments++ // a number of its own
		name := fmt.Sprintf("x%d", l.comments)
		l.anchors[encoded(v)] = name
		text = "&" + name + " " + text
	}
	return text
}

func (l *layout) key(name string) string {
	if strings.ContainsAny(name, "1t/") && l.IntN(2) == 0 || l.IntN(4) == 0 {
		return dice.Of(l.Dice, encoded(name), "'"+name+"'")
	}
	return name
}

// flow returns a value in flow style.
func (l *layout) flow(v any, indent string) string {
	gap := func() string { return dice.Of(l.Dice, "", "", " ", "\n"+indent+" ", l.comment(4, " ")+"\n"+indent) }
	last := func() string { return dice.Of(l.Dice, "", "", ",") }
	switch v := v.(type) {
	case map[string]any:
		var members []string
		for _, name := range shuffled(l.Dice, slices.Sorted(maps.Keys(v))) {
			members = append(members, gap()+l.key(name)+": "+l.flow(v[name], indent)+gap())
		}
		if len(members) == 0 {
			return "{}"
		}
		return "{" + strings.Join(members, ",") + last() + gap() + "}"
	case []any:
		var elements []string
		for _, e := range v {
			elements = append(elements, gap()+l.flow(e, indent)+gap())
		}
		if len(elements) == 0 {
			return "[]"
		}
		return "[" + strings.Join(elements, ",") + last() + gap() + "]"
	}
	return l.scalar(v, indent)
}

func shuffled[T any](d dice.Dice, s []T) []T {
	d.Shuffle(len(s), func(i, j int) { s[i], s[j] = s[j], s[i] })
	return s
}

// block writes the entries of a value, whose first line has begun. path is blank where lines are
// not recorded.
func (l *layout) block(v any, indent, path string) {
	switch v := v.(type) {
	case map[string]any:
		for i, name := range shuffled(l.Dice, slices.Sorted(maps.Keys(v))) {
			if i > 0 {
				l.between(indent)
				l.out.WriteString(indent)
			}
			from := l.out.Len()
			l.out.WriteString(l.key(name) + dice.Of(l.Dice, ":", ":", ":", " :"))
			place := path + "/" + name
			if path == "" {
				place = ""
			}
			l.inner(v[name], indent, dice.Of(l.Dice, " ", "  ", "    "), place, from)
		}
	case []any:
		for i, e := range v {
			if i > 0 {
				l.between(indent)
				l.out.WriteString(indent)
			}
			l.out.WriteString("-")
			if e, ok := e.(map[string]any); ok && len(e) > 0 && l.IntN(3) > 0 {
				gap := dice.Of(l.Dice, " ", " ", "   ")
				l.out.WriteString(gap)
				l.block(e, indent+" "+gap, "")
				continue
			}
			if e, ok := e.([]any); ok && len(e) > 0 && l.IntN(3) > 0 {
				l.out.WriteString(" ")
				l.block(e, indent+"  ", "")
				continue
			}
			l.inner(e, indent, "  ", "", 0)
		}
	}
}

// inner writes the value of an entry after its colon or hyphen.
func (l *layout) inner(v any, indent, more, path string, from int) {
	list, isList := v.([]any)
	m, isMap := v.(map[string]any)
	text, isText := v.(string)
	switch {
	case (len(list) > 0 || len(m) > 0) && l.IntN(4) > 0:
		l.out.WriteString(l.comment(3, " ") + "\n")
		if isList && path != "" && l.IntN(2) == 0 {
			more = ""
		}
		l.between(indent + more)
		l.out.WriteString(indent + more)
		l.block(v, indent+more, path)
	case isList || isMap:
		l.out.WriteString(" " + l.flow(v, indent+more) + l.comment(3, " ") + "\n")
	case isText && strings.HasSuffix(text, "\n") && text[0] != ' ' && l.IntN(4) > 0:
		keep := ""
		if strings.HasSuffix(text, "\n\n") {
			keep = "+"
		}
		digit := dice.Of(l.Dice, "", "", fmt.Sprint(len(more)))
		l.out.WriteString(" |" + digit + keep + l.comment(3, " ") + "\n")
		for line := range strings.Lines(text) {
			if line != "\n" {
				l.out.WriteString(indent + more)
			}
			l.out.WriteString(line)
		}
		l.text = l.out.Len()
	default:
		c := l.comment(3, dice.Of(l.Dice, " ", "   "))
		l.out.WriteString(" " + l.scalar(v, indent+more) + c)
		if path != "" && c != "" {
			l.lines[path] = l.out.String()[from:]
		}
		l.out.WriteString("\n")
	}
}

// document writes a document.
func (l *layout) document(v any) {
	l.between("")
	switch {
	case isEmpty(v) || l.IntN(8) == 0:
		l.out.WriteString(l.flow(v, "") + "\n")
	default:
		l.block(v, "", "/")
	}
	l.between("")
}

func isEmpty(v any) bool {
	m, _ := v.(map[string]any)
	list, _ := v.([]any)
	return len(m)+len(list) == 0
}

// changed returns a value with random changes, which may change the value itself.
func (l *layout) changed(v any) any {
	switch v := v.(type) {
	case map[string]any:
		names := slices.Sorted(maps.Keys(v))
		if len(names) == 0 {
			v[dice.Of(l.Dice, keys...)] = l.value(1)
			return v
		}
		name := dice.Of(l.Dice, names...)
		switch l.IntN(8) {
		case 0:
			delete(v, name)
		case 1:
			v[dice.Of(l.Dice, keys...)] = l.value(2)
		case 2: // a name
			inner := v[name]
			delete(v, name)
			v[dice.Of(l.Dice, keys...)] = inner
		case 3: // one level deeper
			inner := v[name]
			delete(v, name)
			v[dice.Of(l.Dice, keys...)] = dice.Of[any](l.Dice, map[string]any{name: inner}, []any{inner})
		case 4: // one level less deep
			if inner, ok := v[name].(map[string]any); ok {
				delete(v, name)
				maps.Copy(v, inner)
			}
		default:
			v[name] = l.changed(v[name])
		}
		return v
	case []any:
		if len(v) == 0 {
			return []any{l.value(1)}
		}
		i := l.IntN(len(v))
		switch l.IntN(6) {
		case 0:
			return slices.Delete(v, i, i+1)
		case 1:
			return slices.Insert(v, i, l.value(1))
		case 2:
			return append(v, l.value(1))
		case 3:
			return shuffled(l.Dice, v)
		}
		v[i] = l.changed(v[i])
		return v
	}
	return l.value(1)
}

// at returns the value at the path of a line, or nil.
func at(v any, path string) any {
	for name := range strings.SplitSeq(strings.TrimPrefix(path, "//"), "/") {
		m, _ := v.(map[string]any)
		v = m[name]
	}
	return v
}

// changesOf returns the changes of the members that differ, or of the whole value.
func changesOf(was, want any) (out []yaml.Change) {
	old, ok := was.(map[string]any)
	m, isMap := want.(map[string]any)
	if !ok || !isMap || len(m) == 0 {
		return []yaml.Change{{Value: []byte(encoded(want))}}
	}
	for name, v := range m {
		if is, ok := old[name]; !ok || !reflect.DeepEqual(is, v) {
			out = append(out, yaml.Change{Path: schema.NewPath().Member(name).String(), Value: []byte(encoded(v))})
		}
	}
	for name := range old {
		if _, ok := m[name]; !ok {
			out = append(out, yaml.Change{Path: schema.NewPath().Member(name).String()})
		}
	}
	return out
}

var anyComment = regexp.MustCompile(`# c\d+\.`)

// comments returns the comments of a document, sorted.
func comments(text string) []string {
	return slices.Sorted(slices.Values(anyComment.FindAllString(text, -1)))
}

// TestEditRandom changes random documents in random ways. Everything that does not change has its
// lines and its order, the value is the wanted one, and no comment is lost.
func TestEditRandom(t *testing.T) {
	t.Parallel()
	kept, dropped, refused := 0, 0, 0
	for n := range rounds.Of(2000) {
		l := &layout{Dice: dice.New(n, 1), lines: map[string]string{}}
		if l.IntN(4) == 0 {
			l.anchors = map[string]string{}
		}
		before, after := "", ""
		if l.IntN(3) == 0 {
			before = "# before\nx: [1] # c\n---\n"
		}
		was := l.value(4)
		for isEmpty(was) && l.IntN(20) > 0 {
			was = l.value(4)
		}
		isJSON := l.IntN(10) == 0
		if isJSON {
			indent, err := json.MarshalIndent(was, "", dice.Of(l.Dice, "", "  "))
			if err != nil {
				t.Fatal(err)
			}
			l.out.Write(append(indent, '\n'))
		} else {
			l.document(was)
		}
		text := l.out.String()
		if l.IntN(3) == 0 {
			after = "---\n# after\n- x # c\n"
		}
		whole := before + text + after
		want := decoded(encoded(was))
		for range 1 + l.IntN(3) {
			want = l.changed(want)
		}
		crlf := l.IntN(4) == 0
		if crlf {
			whole = strings.ReplaceAll(whole, "\n", "\r\n")
		}
		changes := changesOf(was, want)
		if l.IntN(2) == 0 {
			changes = []yaml.Change{{Value: []byte(encoded(want))}}
		}
		for i := range changes {
			if before != "" {
				changes[i].Document = 1
			}
		}
		out, err := yaml.Edit([]byte(whole), changes...)
		drop := errors.Is(err, yaml.ErrComment)
		if drop {
			dropped++
			for i := range changes {
				changes[i].DropComments = true
			}
			out, err = yaml.Edit([]byte(whole), changes...)
		}
		if _, ok := errors.AsType[*yaml.EditError](err); ok && len(l.anchors) > 0 {
			refused++
			continue
		}
		if err != nil {
			t.Errorf("%d: %v\n%s\nwant %s", n, err, whole, encoded(want))
			continue
		}
		kept++
		got := string(out)
		if crlf {
			if strings.Count(got, "\n") != strings.Count(got, "\r\n") {
				t.Errorf("%d: not all lines end with CR LF: %q", n, got)
			}
			got = strings.ReplaceAll(got, "\r\n", "\n")
		}
		if !strings.HasPrefix(got, before) || !strings.HasSuffix(got, after) {
			t.Errorf("%d: another document has changed:\n%s", n, got)
			continue
		}
		got = strings.TrimSuffix(strings.TrimPrefix(got, before), after)
		if is, err := yaml.ToJSON([]byte(got)); err != nil || !reflect.DeepEqual(decoded(string(is)), want) {
			t.Errorf("%d: got %s, %v, want %s from\n%s\n%s", n, is, err, encoded(want), text, got)
		}
		if old, all := comments(text), comments(got); !drop && !slices.Equal(old, all) {
			t.Errorf("%d: comments %v became %v\n%s\n%s", n, old, all, text, got)
		}
		var stay []string
		for path, line := range l.lines {
			if v := at(was, path); v != nil && reflect.DeepEqual(v, at(want, path)) {
				stay = append(stay, line)
				if !strings.Contains(got, line) {
					t.Errorf("%d: %q is not in\n%s", n, line, got)
				}
			}
		}
		place := func(text string) func(a, b string) int {
			return func(a, b string) int { return strings.Index(text, a) - strings.Index(text, b) }
		}
		slices.SortFunc(stay, place(text))
		if !slices.IsSortedFunc(stay, place(got)) {
			t.Errorf("%d: %v are in another order in\n%s", n, stay, got)
		}
		if isJSON && !json.Valid([]byte(got)) {
			t.Errorf("%d: no longer JSON: %s", n, got)
		}
		c := yaml.Change{Document: strings.Count(before, "---"), Value: []byte(encoded(want))}
		if again, err := yaml.Edit(out, c); err != nil || !bytes.Equal(again, out) {
			t.Errorf("%d: the same change again: %v\n%s\n%s", n, err, out, again)
		}
	}
	if dropped > kept/3 || refused > kept/10 {
		t.Errorf("of %d edits, %d lose comments, and %d are refused because of anchors", kept, dropped, refused)
	}
	t.Logf("of %d edits, %d lose comments, and %d are refused because of anchors", kept, dropped, refused)
}
