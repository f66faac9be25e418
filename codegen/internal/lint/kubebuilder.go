package lint

import (
	"go/types"
	"os"
	"path/filepath"
	"strings"

	"github.com/askind/askind/codegen/internal/constraint"
	"github.com/askind/askind/codegen/internal/model"
	"github.com/askind/askind/codegen/internal/schemas"
)

// kubebuilderRules returns the rules that compare with controller-gen and a cluster: what a marker
// means there, and in packages with definitions for a cluster, what a field means.
func kubebuilderRules() []*Rule {
	return []*Rule{{
		Name: "controller-gen", Doc: "A marker or, in a package from which definitions for a cluster are made, a field means " +
			"something else here than for controller-gen and a cluster.",
		Why:   "The types need no change, but their behavior differs. Each finding says what to do if that matters.",
		warns: true,
		field: kubebuilderField, typ: kubebuilderType, kind: kubebuilderKind,
	}}
}

// isForCluster reports whether definitions for a cluster are made of a package: it has the marker
// of controller-gen, or its module a folder of definitions.
func isForCluster(p *model.Package) bool {
	if p.Markers.Has("kubebuilder:object:generate") {
		return true
	}
	there := func(path string) bool {
		_, err := os.Stat(path)
		return err == nil
	}
	for dir := p.Dir; ; dir = filepath.Dir(dir) {
		if there(filepath.Join(dir, "config", "crd")) || there(filepath.Join(dir, "crds")) {
			return true
		}
		if there(filepath.Join(dir, "go.mod")) || dir == filepath.Dir(dir) {
			return false
		}
	}
}

func kubebuilderType(c *context, t *model.Type) {
	rules := constraint.Read(t.Markers, nil)
	celRules(c, rules, t.Name)
	unknownFields(c, rules, t.Named, t.Name)
}

// unknownFields reports a struct whose unknown fields a cluster keeps.
func unknownFields(c *context, rules constraint.Rules, t types.Type, name string) {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	if n, ok := types.Unalias(t).(*types.Named); ok {
		if json, text := schemas.Writes(n); json || text {
			return
		}
	}
	_, isStruct := t.Underlying().(*types.Struct)
	if r := rules.Get(constraint.PreserveUnknown); r != nil && isStruct {
		c.report(r.Marker.Pos, "a cluster keeps the unknown fields of %s, which a Go struct has no place for", name).
			Suggest("a field of type runtime.RawExtension keeps an object as it is")
	}
}

// optionalKeys reports keys of a list that its elements may lack, which API servers refuse.
func optionalKeys(c *context, rules constraint.Rules, t types.Type) {
	list := rules.Get(constraint.ListType)
	s, ok := t.Underlying().(*types.Slice)
	if list == nil || list.Text != "map" || !ok {
		return
	}
	elem, ok := types.Unalias(s.Elem()).(*types.Named)
	if !ok {
		return
	}
	st, ok := elem.Underlying().(*types.Struct)
	if !ok {
		return
	}
	for _, f := range c.u.JSONFields(st) {
		of := constraint.Read(f.Markers, nil)
		for _, key := range rules.All(constraint.ListMapKey) {
			if key.Text == f.Key && !of.Has(constraint.Default) &&
				!schemas.IsRequired(f, of, c.u.Package(elem.Obj().Pkg().Path())) {
				c.report(key.Marker.Pos, "the key %s of %s may be missing, and API servers refuse such definitions", f.Key,
					c.path).Suggest("mark %s of %s with +required, or give it a default", f.Key, c.typeName(elem))
			}
		}
	}
}

// celRules reports rules in CEL.
func celRules(c *context, rules constraint.Rules, in string) {
	how := ""
	for _, m := range c.markers[0].All("askind:cel") {
		how = m.Value
	}
	for _, r := range rules.All(constraint.CEL) {
		switch d := c.report(r.Marker.Pos, "a cluster evaluates this rule in CEL, this program does not%s", map[string]string{
			"function": ": a function enforces it",
			"crd":      ", and nothing here checks it",
		}[how]); how {
		case "function":
			d.Suggest("change func Validate%s and the rule together", in)
		default:
			d.Suggest("write func Validate%s and mark the rule with +askind:cel=function", in)
		}
	}
}

func kubebuilderKind(c *context, k *model.Kind) {
	columns := k.Markers.All("kubebuilder:printcolumn")
	if !c.forCluster || len(columns) == 0 {
		return
	}
	for _, m := range columns {
		if name, _ := m.Arg("name"); strings.EqualFold(name, "age") {
			return
		}
	}
	c.report(columns[0].Pos, "tables of %s get the column Age, which those of a cluster do not have", k.Name).
		Suggest("+kubebuilder:printcolumn:name=\"Age\",type=date,JSONPath=`.metadata.creationTimestamp`")
}

func kubebuilderField(c *context, f *model.Field) {
	if f.JSON.Skip || !f.Exported() || f.Embedded && f.JSON.Name == "" {
		return
	}
	rules := constraint.Read(f.Markers, nil)
	outer, _, _ := strings.Cut(c.path, ".")
	celRules(c, rules, outer)
	if r := rules.Get(constraint.UniqueItems); r != nil && strings.HasPrefix(r.Marker.Name, "kubebuilder:") {
		c.report(r.Marker.Pos, "the elements of %s are compared here; controller-gen writes uniqueItems, which API "+
			"servers refuse",
			c.path).Suggest("+listType=set")
	}
	if r := rules.Get(constraint.EmbeddedResource); r != nil {
		c.report(r.Marker.Pos, "a cluster checks apiVersion, kind and metadata of the object in %s, this program does not",
			c.path).Suggest("check them in func Validate%s", outer)
	}
	unknownFields(c, rules, f.Type, c.path)
	if !c.forCluster {
		return
	}
	optionalKeys(c, rules, f.Type)
	switch u := f.Type.Underlying().(type) {
	case *types.Basic:
		basic(c, f, rules, u)
	case *types.Slice, *types.Map, *types.Pointer:
		k := c.pkg.Kind(outer)
		written := !f.JSON.OmitEmpty && !f.JSON.OmitZero && (k == nil || !k.IsList) // lists have no definition
		limited := rules.Has(constraint.MinItems) || rules.Has(constraint.MinProperties)
		if written && !limited && !rules.Has(constraint.Required) && !rules.Has(constraint.Nullable) {
			c.report(c.pos, "%s is written as null if it is nil, so askind crd allows null; controller-gen does not", c.path).
				Suggest("`json:\"%s,omitempty\"`, or +required", f.JSONName())
		}
	}
}

// basic reports a field of a basic type whose zero value Go cannot tell from a missing value.
func basic(c *context, f *model.Field, rules constraint.Rules, b *types.Basic) {
	if d := rules.Get(constraint.Default); d != nil {
		if text := strings.Trim(d.Text, "\"`-0."); text != "" && text != "false" {
			c.report(d.Marker.Pos, "%s that is explicitly %s becomes the default, unlike in a cluster", c.path, zeroOf(b)).
				Suggest("a pointer distinguishes unset from %s", zeroOf(b))
		}
		return
	}
	if rules.Has(constraint.Optional) || f.JSON.OmitEmpty || f.JSON.OmitZero ||
		!rules.Has(constraint.Required) && c.pkg.Markers.Has("kubebuilder:validation:Optional") {
		return
	}
	if t, ok := types.Unalias(f.Type).(*types.Named); ok {
		if mt := c.u.Type(t); mt != nil {
			rules = append(rules, constraint.Read(mt.Markers, nil)...)
		}
	}
	if refusesZero(rules) {
		return
	}
	d := c.report(c.pos, "a cluster refuses an object without %s; here it is %s, which no rule refuses", c.path, zeroOf(b))
	if b.Info()&types.IsString != 0 {
		d.Suggest("+kubebuilder:validation:MinLength=1")
	} else {
		d.Suggest("+k8s:required if %s is not allowed, or a pointer", zeroOf(b))
	}
}

// refusesZero reports whether the zero value violates one of the rules.
func refusesZero(rules constraint.Rules) bool {
	for _, r := range rules {
		switch r.Kind {
		case constraint.Required:
			if r.Set {
				return true
			}
		case constraint.MinLength:
			if r.N > 0 {
				return true
			}
		case constraint.Minimum:
			if !strings.HasPrefix(r.Text, "-") && (r.Exclusive || strings.Trim(r.Text, "0.") != "") {
				return true
			}
		case constraint.Enum, constraint.EnumConstants, constraint.Format, constraint.Pattern:
			return true // nearly always
		}
	}
	return false
}

func zeroOf(b *types.Basic) string {
	switch {
	case b.Info()&types.IsString != 0:
		return "blank"
	case b.Info()&types.IsBoolean != 0:
		return "false"
	}
	return "0"
}
