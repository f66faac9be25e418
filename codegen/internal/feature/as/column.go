package as

import (
	"cmp"
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/askind/askind/codegen/internal/feature"
	"github.com/askind/askind/codegen/internal/jsonpath"
	"github.com/askind/askind/codegen/internal/marker"
	"github.com/askind/askind/codegen/internal/model"
	"github.com/askind/askind/schema"
)

// column is one column of a table.
type column struct {
	name, typ, format, description string
	priority                       int32
	// source describes the origin of the cells in the comment of the generated code.
	source string
	// route leads to the value, unless call computes it.
	route *route
	call  *types.Func
	// reads holds the routes to what call reads, or nil if that is not declared. callPos is where
	// the marker names the function.
	reads   []*route
	callPos token.Pos
	// leaf is the type of the value and kind its class.
	leaf types.Type
	kind leafKind
	// helper is the name of the function that computes the cell, if any.
	helper string
}

// columnTypes lists the types of columns in the order in which messages list them.
var columnTypes = []string{"string", "integer", "number", "boolean", "date"}

// planColumns returns all columns: the name, those of the markers in source order, and the age
// unless one of them already shows it, or when the object was created.
func planColumns(c *feature.Context, k *model.Kind) []*column {
	nameRoute, _ := resolve(c.Universe, k.Named, ".metadata.name")
	ageRoute, _ := resolve(c.Universe, k.Named, ".metadata.creationTimestamp")
	columns := []*column{{
		name: "Name", typ: "string", format: "name", source: ".metadata.name", route: nameRoute, leaf: nameRoute.leaf,
		kind:        leafString,
		description: "The name of the object, unique among the objects of its resource in its namespace.",
	}}
	hasAge := false
	taken := map[string]*marker.Marker{"Name": nil}
	for _, m := range k.Markers {
		if m.Name != "kubebuilder:printcolumn" && m.Name != "askind:column" {
			continue
		}
		col := planColumn(c, k, m)
		if col == nil {
			continue
		}
		if first, ok := taken[col.name]; ok {
			d := c.Errorf(m.ArgAt("name").ValuePos, "column-name", "duplicate column %q", col.name)
			if first != nil {
				d.Relate(c.Universe.Position(first.Pos), "the first column with this name")
			} else {
				d.Relate(token.Position{}, "every table has a first column with this name, which shows .metadata.name")
			}
			continue
		}
		taken[col.name] = m
		if strings.EqualFold(col.name, "age") ||
			col.route != nil && col.route.path.String() == ".metadata.creationTimestamp" {
			hasAge = true
		}
		columns = append(columns, col)
	}
	if !hasAge {
		columns = append(columns, &column{
			name: "Age", typ: "string", source: ".metadata.creationTimestamp", route: ageRoute, leaf: ageRoute.leaf,
			kind:        leafAge,
			description: "The time since the object was created.",
		})
	}
	return columns
}

// planColumn plans the column of one marker. It returns nil after reporting an error.
func planColumn(c *feature.Context, k *model.Kind, m *marker.Marker) *column {
	col := &column{}
	ok := true
	for _, a := range m.Args {
		if a.Bare {
			c.Errorf(a.Pos, "column-argument", "argument %q needs a value", a.Name)
			return nil
		}
		switch a.Name {
		case "name":
			col.name = a.Value
			if strings.TrimSpace(a.Value) == "" {
				c.Errorf(a.ValuePos, "column-name", "a column needs a heading")
				ok = false
			}
		case "type":
			col.typ = a.Value
			if !slices.Contains(columnTypes, a.Value) {
				d := c.Errorf(a.ValuePos, "column-type", "unknown column type %q; use one of %s", a.Value,
					strings.Join(columnTypes, ", "))
				if near, found := schema.Nearest(a.Value, columnTypes); found {
					d.Suggest("type=%s", near)
				}
				ok = false
			}
		case "format":
			col.format = a.Value
		case "description":
			col.description = a.Value
		case "priority":
			n, err := strconv.ParseInt(a.Value, 10, 32)
			if err != nil || n < 0 {
				c.Errorf(a.ValuePos, "column-priority", "priority %q is not a non-negative integer", a.Value)
				ok = false
			}
			col.priority = int32(n)
		}
	}
	// Missing arguments are reported where the syntax of markers is checked.
	if m.ArgAt("name") == nil || m.ArgAt("type") == nil {
		return nil
	}
	if m.Name == "askind:column" {
		a := m.ArgAt("func")
		if a == nil || !col.planCall(c, k, m, a) {
			return nil
		}
		if a := m.ArgAt("reads"); a != nil && !col.planCallReads(c, k, m, a) {
			return nil
		}
	} else {
		a := m.ArgAt("JSONPath")
		if a == nil || !col.planPath(c, k, m, a, ok) {
			return nil
		}
	}
	if !ok {
		return nil
	}
	return col
}

// planPath resolves the path of a column and, if its type is valid, checks that the two fit.
func (col *column) planPath(c *feature.Context, k *model.Kind, m *marker.Marker, a *marker.Arg, check bool) bool {
	r, bad := resolve(c.Universe, k.Named, a.Value)
	if bad == nil && check {
		col.route, col.leaf, col.source = r, r.leaf, r.path.String()
		bad = col.fitPath()
	}
	if bad != nil {
		bad.report(c, "column-path", m, a, 0)
		return false
	}
	return true
}

// fitPath checks the values of the path against the type of the column.
func (col *column) fitPath() *pathError {
	last := &col.route.path.Steps[len(col.route.path.Steps)-1]
	bad := &pathError{offset: last.Offset, end: last.End}
	text := strings.TrimPrefix(col.route.path.Text, "$")
	for i := range col.route.path.Steps {
		s := &col.route.path.Steps[i]
		if s.Kind == jsonpath.Wildcard && col.typ != "string" {
			bad.offset, bad.end = s.Offset, s.End
			bad.message = fmt.Sprintf("%s selects several values, which only a column of type string can show, joined",
				text)
			bad.suggestion = "type=string"
			return bad
		}
	}
	// The error is in the name of .name, not in its dot.
	if last.Kind == jsonpath.Field || last.Kind == jsonpath.Length {
		bad.offset++
	}
	kind, message, suggestion := fit(col.leaf, col.typ)
	switch {
	case message != "":
		bad.message, bad.suggestion = text+" is "+message, suggestion
		if suggestion == "[*]" {
			bad.suggestion = col.route.path.Text + suggestion
		}
		return bad
	case col.route.quoted && col.typ != "string":
		bad.message = fmt.Sprintf(
			"%s is a string in JSON because of the string option of its field; a column of type %s cannot show it", text, col.typ,
		)
		bad.suggestion = "type=string"
		return bad
	}
	col.kind = kind
	return nil
}

// planCall finds the function of a column: func(*T) V or func(*T) (V, bool), where V fits the
// column.
func (col *column) planCall(c *feature.Context, k *model.Kind, m *marker.Marker, a *marker.Arg) bool {
	want := map[string]string{"integer": "int64", "number": "float64", "boolean": "bool", "date": "time.Time"}[col.typ]
	declaration := fmt.Sprintf("func %s(in *%s) %s", a.Value, k.Name, cmp.Or(want, "string"))
	fn := c.Package.Lookup(a.Value)
	if fn == nil {
		d := c.Errorf(a.ValuePos, "column-func", "package %s has no function %s", c.Package.Name, a.Value)
		var names []string
		for _, f := range c.Package.Functions() {
			names = append(names, f.Name())
		}
		if near, ok := schema.Nearest(a.Value, names); ok {
			d.Suggest("func=%s", near)
		} else if token.IsIdentifier(a.Value) {
			d.Suggest("%s", declaration)
		}
		return false
	}
	s := fn.Signature()
	results := s.Results()
	var param types.Type
	if s.Params().Len() == 1 {
		if p, ok := types.Unalias(s.Params().At(0).Type()).(*types.Pointer); ok {
			param = p.Elem()
		}
	}
	good := param != nil && types.Identical(param, k.Named) && !s.Variadic() && s.TypeParams().Len() == 0 &&
		(results.Len() == 1 || results.Len() == 2 && types.Identical(results.At(1).Type(), types.Typ[types.Bool]))
	if !good {
		c.Errorf(a.ValuePos, "column-func",
			"a column function takes a *%s and returns a value, optionally with a bool that reports whether it exists; "+
				"%s does not", k.Name, a.Value).
			Relate(c.Universe.Position(fn.Pos()), "the function").Suggest("%s", declaration)
		return false
	}
	col.call, col.callPos, col.leaf, col.source = fn, a.ValuePos, results.At(0).Type(), a.Value
	if !slices.Contains(columnTypes, col.typ) {
		return false
	}
	kind, message, _ := fit(col.leaf, col.typ)
	if message != "" {
		c.Errorf(a.ValuePos, "column-func", "the result of %s is %s", a.Value, message).
			Relate(c.Universe.Position(fn.Pos()), "the function").Suggest("%s", declaration)
		return false
	}
	col.kind = kind
	return true
}

// planCallReads resolves the paths of the fields that the function of a column reads.
func (col *column) planCallReads(c *feature.Context, k *model.Kind, m *marker.Marker, a *marker.Arg) bool {
	ok, begin := true, 0
	for text := range strings.SplitSeq(a.Value, ";") {
		at := begin + len(text) - len(strings.TrimLeft(text, " "))
		begin += len(text) + 1
		r, bad := resolve(c.Universe, k.Named, strings.TrimSpace(text))
		if bad == nil && k.TypeMeta != nil && r.ops[0].name == k.TypeMeta.Name {
			bad = &pathError{message: "kind and apiVersion are always available and need not be listed"}
		}
		if bad != nil {
			bad.report(c, "column-reads", m, a, at)
			ok = false
			continue
		}
		col.reads = append(col.reads, r)
		if len(col.reads) > 1 {
			col.source += ","
		} else {
			col.source += " of"
		}
		col.source += " " + r.path.String()
	}
	return ok
}

// nameHelpers chooses the names of the helper functions of all columns, from the letters of kind
// and heading. A duplicate name gets the number of its column as a suffix.
func nameHelpers(c *feature.Context, kinds []*kindPlan) {
	taken := map[string]bool{}
	for _, p := range kinds {
		for i, col := range p.columns {
			if !p.writeTable || !col.helped() {
				continue
			}
			col.helper = "cell" + p.kind.Name + identifier(col.name)
			for taken[col.helper] {
				col.helper += "_" + strconv.Itoa(i)
			}
			taken[col.helper] = true
			if obj := c.Package.Go.Scope().Lookup(col.helper); obj != nil {
				c.Errorf(obj.Pos(), "as-name",
					"%s has the name of a generated function, for the column %q of %s; rename it", col.helper, col.name,
					p.kind.Name)
			}
		}
	}
}

// identifier keeps the ASCII letters and digits of s and capitalizes every word.
func identifier(s string) string {
	var b strings.Builder
	begin := true
	for _, c := range s {
		switch {
		case c >= '0' && c <= '9', c >= 'A' && c <= 'Z':
			b.WriteRune(c)
			begin = false
		case c >= 'a' && c <= 'z':
			if begin {
				c -= 'a' - 'A'
			}
			b.WriteRune(c)
			begin = false
		default:
			begin = true
		}
	}
	return b.String()
}

// argPos returns the position of a byte of an argument's value. In the source, values are unquoted,
// in back quotes, or in double quotes, where one byte of the value may take several.
func argPos(m *marker.Marker, a *marker.Arg, offset int) token.Pos {
	start := int(a.ValuePos - m.Pos)
	if start < 0 || start >= len(m.Line) {
		return a.ValuePos
	}
	source := m.Line[start:]
	switch source[0] {
	case '`':
		return a.ValuePos + 1 + token.Pos(offset)
	case '"':
		at := 1
		for n := 0; n < offset && at < len(source); {
			c, multibyte, rest, err := strconv.UnquoteChar(source[at:], '"')
			if err != nil {
				break
			}
			if multibyte {
				n += len(string(c))
			} else {
				n++
			}
			at = len(source) - len(rest)
		}
		return a.ValuePos + token.Pos(at)
	default:
		blanks := len(source) - len(strings.TrimLeft(source, " \t"))
		return a.ValuePos + token.Pos(blanks+offset)
	}
}
