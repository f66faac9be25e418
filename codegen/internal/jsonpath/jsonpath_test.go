package jsonpath_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/askind/askind/codegen/internal/jsonpath"
)

// accepted are paths with their canonical form; they also seed the fuzz target.
var accepted = []struct{ name, text, want string }{
	{"member", ".phase", ".phase"},
	{"members", ".status.phase", ".status.phase"},
	{"dollar", "$.status.phase", ".status.phase"},
	{"quoted member", ".metadata['labels']", ".metadata.labels"},
	{"quoted key", ".metadata.labels['app.example.com/name']", `.metadata.labels['app\.example\.com/name']`},
	{
		"quoted key with escaped dots", `.metadata.labels['app\.example\.com/name']`,
		`.metadata.labels['app\.example\.com/name']`,
	},
	{"escaped dots", `.metadata.labels.app\.example\.com/name`, `.metadata.labels['app\.example\.com/name']`},
	{"double quotes", `.a["b c"]`, `.a['b c']`},
	{"escapes in quotes", `.a['it\'s\n']`, `.a['it\'s\n']`},
	{"name that is not ASCII", ".größe", ".größe"},
	{"dashes", ".a-b.c_d", ".a-b.c_d"},
	{"index", ".spec.containers[0].image", ".spec.containers[0].image"},
	{"index from the end", ".spec.containers[-1].image", ".spec.containers[-1].image"},
	{"blanks in brackets", ".a[ 0 ][ 'k' ][ * ]", ".a[0].k[*]"},
	{"wildcard", ".spec.containers[*].image", ".spec.containers[*].image"},
	{"dotted wildcard", ".spec.containers.*.image", ".spec.containers[*].image"},
	{"starts with a bracket", "['spec'].image", ".spec.image"},
	{"filter", `.status.conditions[?(@.type=="Ready")].status`, `.status.conditions[?(@.type=="Ready")].status`},
	{"filter, single quotes", `.c[?(@.type=='Ready')].s`, `.c[?(@.type=="Ready")].s`},
	{"filter with blanks", `.c[?( @.type == "Ready" )].s`, `.c[?(@.type=="Ready")].s`},
	{"filter on a number", `.ports[?(@.port>=1024)].name`, `.ports[?(@.port>=1024)].name`},
	{"filter on a negative fraction", `.p[?(@.x<-1.5e3)].name`, `.p[?(@.x<-1.5e3)].name`},
	{"filter on a boolean", `.owners[?(@.controller==true)].name`, `.owners[?(@.controller==true)].name`},
	{"filter on the element", `.tags[?(@!="x")]`, `.tags[?(@!="x")]`},
	{"filter on presence", `.a[?(@.b.c)].d`, `.a[?(@.b.c)].d`},
	{"filter through an index", `.a[?(@.b[0]['c d']=="x")].d`, `.a[?(@.b[0]['c d']=="x")].d`},
	{"length", ".spec.containers.length()", ".spec.containers.length()"},
	{"member named length", ".rope.length", ".rope.length"},
}

func TestParse(t *testing.T) {
	t.Parallel()
	for _, tt := range accepted {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, err := jsonpath.Parse(tt.text)
			if err != nil {
				t.Fatal(err)
			}
			if got := p.String(); got != tt.want {
				t.Errorf("Parse(%s) = %s, want %s", tt.text, got, tt.want)
			}
			again, err := jsonpath.Parse(p.String())
			if err != nil {
				t.Fatalf("canonical form: %v", err)
			}
			if got := again.String(); got != tt.want {
				t.Errorf("second round: got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestParseSteps(t *testing.T) {
	t.Parallel()
	text := `$.a['b'][2][*][?(@.t=="R")].length()`
	p, err := jsonpath.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range p.Steps {
		got = append(got, fmt.Sprintf("%d %q %d %s", s.Kind, s.Name, s.Index, text[s.Offset:s.End]))
	}
	want := []string{
		fmt.Sprintf(`%d "a" 0 .a`, jsonpath.Field),
		fmt.Sprintf(`%d "b" 0 ['b']`, jsonpath.Field),
		fmt.Sprintf(`%d "" 2 [2]`, jsonpath.Index),
		fmt.Sprintf(`%d "" 0 [*]`, jsonpath.Wildcard),
		fmt.Sprintf(`%d "" 0 [?(@.t=="R")]`, jsonpath.Filter),
		fmt.Sprintf(`%d "" 0 .length()`, jsonpath.Length),
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	f := p.Steps[4].Filter
	if f.Op != "==" || text[f.OpOffset:f.OpOffset+2] != "==" || text[f.Value.Offset:f.Value.End] != `"R"` ||
		f.Value.Text != "R" || f.Value.Kind != jsonpath.String {
		t.Errorf("filter = %+v", *f)
	}
	if got := p.Prefix(1); got != ".a['b']" {
		t.Errorf("Prefix(1) = %s", got)
	}
	if got := p.Prefix(-1); got != "$" {
		t.Errorf("Prefix(-1) = %s", got)
	}
}

// refused are texts in which the mistake is enclosed in « and », which are not part of the text.
var refused = []struct{ name, text, message, suggestion string }{
	{"empty", "«»", "the path is empty; a path names a value, such as .status.phase", ""},
	{"blank", "«  »", "the path is empty; a path names a value, such as .status.phase", ""},
	{"root", "«$»", "the path names the whole object; a column shows one value of it, such as .status.phase", ""},
	{"no dot", "«»status.phase", "a path starts with a dot", ".status.phase"},
	{"no dot after dollar", "$«»status", "a path starts with a dot", ".status"},
	{"braces", "«{».status.phase}", "a path stands here without braces", ".status.phase"},
	{"other start", "«*».a", `a path starts with a dot, not "*"`, ""},
	{"trailing dot", ".status«.»", "a name is missing after the last dot", ""},
	{"only a dot", "«.»", "a name is missing after the last dot", ""},
	{"descent", ".a«..»b", "recursive descent (..) is not supported; name each step", ""},
	{"dot before bracket", ".a«.»[0]", "a dot before a bracket", ".a[0]"},
	{"name missing", ".a.«=»b", `a name is missing before "="`, ""},
	{"blank inside", ".a« ».b", "a blank inside a path; quote a name that holds one: ['two words']", ""},
	{"stray bracket", ".a«]»", `"]" without its opening bracket`, ""},
	{"stray comma", ".a«,».b", `"," cannot stand here; a step starts with . or [`, ""},
	{"unclosed bracket", ".a«[0»", "the bracket is not closed", ""},
	{"open bracket", ".a«[»", "the bracket is not closed", ""},
	{"empty bracket", ".a«[]»", "nothing between the brackets; name an element: [0], [-1], [*]", ""},
	{"slice", ".a«[0:»2]", "slices are not supported; name one element or all of them: [0], [-1], [*]", ""},
	{"open slice", ".a«[:»2]", "slices are not supported; name one element or all of them: [0], [-1], [*]", ""},
	{"union", ".a[0«,»1]", "unions are not supported; a path names one value", ""},
	{"index too large", ".a[«99999999999»]", `"99999999999" is not an element number`, ""},
	{"index that cannot be negated", ".a[«-2147483648»]", `"-2147483648" is not an element number`, ""},
	{"only a minus", ".a[«-»]", `"-" is not an element number`, ""},
	{"unquoted key", ".a[«b»].c", `the name "b" needs quotes`, ".a['b'].c"},
	{"unclosed quote", ".a[«'b].c»", "the quoted text is not closed", ""},
	{"empty key", ".a[«''»]", "the name between the quotes is empty", ""},
	{"bad escape", `.a['b«\q»']`, `unknown escape \q`, ""},
	{"backslash at the end", `.a«\»`, "a character is missing after the backslash", ""},
	{"control character", ".a['b«\x01»']", "a control character inside a path", ""},
	{"not UTF-8", ".a\xc3\xbc«\xff».b", "the path is not valid UTF-8", ""},
	{"unknown function", ".a«.count»()", `unknown function "count"`, ".a.length()"},
	{"misspelt function", ".a«.lenght»()", `unknown function "lenght"`, ".a.length()"},
	{"length with argument", ".a«.length»(1)", "length takes no argument", ".a.length()"},
	{"after length", ".a.length()«.b»", ".length() is a number, nothing follows it", ""},
	{"filter without parentheses", `.a[?«»@.b=="c"]`, `a filter stands in parentheses: [?(@.type=="Ready")]`, ""},
	{"filter without at", `.a[?(«.»b=="c")]`, `a filter starts with @, the element: @.type=="Ready"`, ""},
	{"single equals", `.a[?(@.b«=»"c")].d`, "a comparison is written ==", `.a[?(@.b=="c")].d`},
	{"unknown comparison", `.a[?(@.b«=~»"c")].d`, "unknown comparison =~; the known ones are == != < <= > >=", ""},
	{
		"filter, two comparisons", `.a[?(@.b=="c" «&»& @.d=="e")].f`,
		"a filter makes one comparison; && and || are not supported", "",
	},
	{"filter without constant", `.a[?(@.b==«»)].d`, "a constant is missing after the comparison", ""},
	{
		"filter with bare word", `.a[?(@.type==«Ready»)].status`, "the string Ready needs quotes",
		`.a[?(@.type=="Ready")].status`,
	},
	{"filter with path", `.a[?(@.b==«@».c)].d`, "a filter compares with a constant, not with another value", ""},
	{"filter with bad number", `.a[?(@.b==«01»)].d`, "01 is not a number", ""},
	{"filter not closed", `.a[?«(@.b=="c"»`, "the filter's parenthesis is not closed", ""},
	{"filter cut off", `.a[?(@.b«»`, "the filter is not closed: )] is missing", ""},
	{
		"filter inside a filter", `.a[?(@«[?(@.b)]»)]`, "a filter compares one value; [?(@.b)] cannot stand inside it",
		"",
	},
	{"too long", "." + strings.Repeat("a", 4095) + "«a»", "the path is longer than 4096 bytes", ""},
}

func TestParseError(t *testing.T) {
	t.Parallel()
	for _, tt := range refused {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			text, start, end := cut(tt.text)
			_, err := jsonpath.Parse(text)
			e, ok := errors.AsType[*jsonpath.Error](err)
			if !ok {
				t.Fatalf("Parse(%q) = %v, want an *Error", text, err)
			}
			if e.Offset != start || e.End != end {
				t.Errorf("Parse(%q): bytes [%d:%d], want [%d:%d]", text, e.Offset, e.End, start, end)
			}
			if e.Message != tt.message || e.Suggestion != tt.suggestion {
				t.Errorf("Parse(%q):\ngot  %s | %s\nwant %s | %s", text, e.Message, e.Suggestion, tt.message,
					tt.suggestion)
			}
		})
	}
}

// cut removes the two marks from text and returns where they were.
func cut(text string) (plain string, start, end int) {
	before, rest, _ := strings.Cut(text, "«")
	middle, after, _ := strings.Cut(rest, "»")
	return before + middle + after, len(before), len(before) + len(middle)
}

func FuzzParse(f *testing.F) {
	for _, tt := range accepted {
		f.Add(tt.text)
	}
	for _, tt := range refused {
		text, _, _ := cut(tt.text)
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := jsonpath.Parse(text)
		if err != nil {
			e, ok := errors.AsType[*jsonpath.Error](err)
			if !ok || e.Offset < 0 || e.Offset > e.End || e.End > len(text) || e.Message == "" {
				t.Fatalf("Parse(%q): unusable error %#v", text, err)
			}
			return
		}
		at := 0
		for i, s := range p.Steps {
			if s.Offset < at || s.End <= s.Offset || s.End > len(text) {
				t.Fatalf("Parse(%q): step %d covers [%d:%d] after %d", text, i, s.Offset, s.End, at)
			}
			at = s.End
		}
		canonical := p.String()
		again, err := jsonpath.Parse(canonical)
		if err != nil && len(canonical) <= 4096 {
			t.Fatalf("Parse(%q): canonical form %q: %v", text, canonical, err)
		}
		if err == nil && again.String() != canonical {
			t.Fatalf("Parse(%q): canonical form %q becomes %q", text, canonical, again)
		}
	})
}

func Example() {
	p, err := jsonpath.Parse(`$.status.conditions[?(@.type == 'Ready')].status`)
	fmt.Println(p, err)
	_, err = jsonpath.Parse("status.phase")
	fmt.Println(err)
	// Output:
	// .status.conditions[?(@.type=="Ready")].status <nil>
	// jsonpath: offset 0: a path starts with a dot; write .status.phase
}
