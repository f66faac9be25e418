package validation

import (
	"go/types"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/askind/askind/codegen/internal/constraint"
	"github.com/askind/askind/codegen/internal/feature/defaults"
	"github.com/askind/askind/codegen/internal/model"
	"github.com/askind/askind/codegen/internal/schemas"
)

// bounds are the pairs of rules that limit the same thing from below and from above.
var bounds = [][2]constraint.Kind{
	{constraint.Minimum, constraint.Maximum},
	{constraint.MinLength, constraint.MaxLength},
	{constraint.MinItems, constraint.MaxItems},
	{constraint.MinProperties, constraint.MaxProperties},
}

// contradictions reports rules that together allow no value of a type, and a default that the rules
// refuse. The rules are those of a field, an element or a type; those of the type of a field are
// added here.
func (p *plan) contradictions(rules constraint.Rules, t types.Type, name string) {
	all := slices.Concat(rules, p.rulesOfType(t))
	for _, pair := range bounds {
		for _, low := range all.All(pair[0]) {
			for _, high := range all.All(pair[1]) {
				c := amount(low).Cmp(amount(high))
				if c > 0 || c == 0 && (low.Exclusive || high.Exclusive) {
					at := high
					if !slices.Contains(rules, high) { // at the field rather than at its type
						at = low
					}
					p.once(at, "markers %s=%s and %s=%s together allow no value of %s", low, low.Marker.Value, high,
						high.Marker.Value, name)
				}
			}
		}
	}
	p.limits(rules, t, name)
	if r := rules.Get(constraint.Default); r != nil {
		if refused := refusedBy(all, t, defaults.JSON(p.u, p.c.Package, t, r.Marker)); refused != nil {
			p.once(r, "the default %s of %s is refused by marker %s", r.Text, name, refused)
		}
	}
}

// rulesOfType returns the rules at the declaration of a type.
func (p *plan) rulesOfType(t types.Type) constraint.Rules {
	n, ok := types.Unalias(deref(types.Unalias(t))).(*types.Named)
	if !ok {
		return nil
	}
	if mt := p.u.Type(n); mt != nil {
		return constraint.Read(mt.Markers, nil)
	}
	return nil
}

// limits reports bounds that are outside of the range of a Go type.
func (p *plan) limits(rules constraint.Rules, t types.Type, name string) {
	var least, most *big.Int
	low, high := constraint.Minimum, constraint.Maximum
	switch u := deref(t).Underlying().(type) {
	case *types.Basic:
		least, most = rangeOf(u)
	case *types.Array:
		least, most = big.NewInt(u.Len()), big.NewInt(u.Len())
		low, high = constraint.MinItems, constraint.MaxItems
	}
	if least == nil {
		return
	}
	for _, r := range rules {
		if r.Kind == low && amount(r).Cmp(new(big.Rat).SetInt(most)) > 0 ||
			r.Kind == high && amount(r).Cmp(new(big.Rat).SetInt(least)) < 0 {
			p.once(r, "marker %s=%s allows no value of %s, which has type %s", r, r.Marker.Value, name, p.typeName(t))
		}
	}
}

// rangeOf returns the least and the greatest integer of a type, nil for other types.
func rangeOf(b *types.Basic) (least, most *big.Int) {
	if b.Info()&types.IsInteger == 0 {
		return nil, nil
	}
	bits := uint(types.SizesFor("gc", "amd64").Sizeof(b)) * 8
	one := big.NewInt(1)
	if b.Info()&types.IsUnsigned != 0 {
		most = new(big.Int).Lsh(one, bits)
		return new(big.Int), most.Sub(most, one)
	}
	most = new(big.Int).Lsh(one, bits-1)
	return new(big.Int).Neg(most), new(big.Int).Sub(most, one)
}

// holds reports whether a type can hold a number.
func holds(b *types.Basic, number string) bool {
	n, ok := new(big.Rat).SetString(number)
	least, most := rangeOf(b)
	if !ok || least == nil {
		_, err := strconv.ParseFloat(number, int(types.SizesFor("gc", "amd64").Sizeof(b))*8)
		return ok && err == nil
	}
	return n.IsInt() && n.Num().Cmp(least) >= 0 && n.Num().Cmp(most) <= 0
}

// amount returns the bound of a rule.
func amount(r *constraint.Rule) *big.Rat {
	switch r.Kind {
	case constraint.Minimum, constraint.Maximum, constraint.MultipleOf:
		n, _ := new(big.Rat).SetString(r.Text) // it is a number if there is a rule
		return n
	}
	return new(big.Rat).SetInt64(r.N)
}

// refusedBy returns the rule that refuses a value, given as JSON, or nil. It judges texts and
// numbers.
func refusedBy(rules constraint.Rules, t types.Type, json string) *constraint.Rule {
	b, ok := deref(t).Underlying().(*types.Basic)
	if !ok || json == "" {
		return nil
	}
	text, err := strconv.Unquote(json)
	isText := b.Info()&types.IsString != 0
	n, isNumber := new(big.Rat).SetString(json)
	if isText && err != nil || !isText && !isNumber {
		return nil
	}
	length := int64(utf8.RuneCountInString(text))
	for _, r := range rules {
		refused := false
		switch r.Kind {
		case constraint.Minimum:
			refused = isNumber && (n.Cmp(amount(r)) < 0 || r.Exclusive && n.Cmp(amount(r)) == 0)
		case constraint.Maximum:
			refused = isNumber && (n.Cmp(amount(r)) > 0 || r.Exclusive && n.Cmp(amount(r)) == 0)
		case constraint.MultipleOf:
			refused = isNumber && !new(big.Rat).Quo(n, amount(r)).IsInt()
		case constraint.MinLength:
			refused = isText && length < r.N
		case constraint.MaxLength:
			refused = isText && length > r.N
		case constraint.MaxBytes:
			refused = isText && int64(len(text)) > r.N
		case constraint.Neq:
			other, isOther := new(big.Rat).SetString(r.Text)
			refused = isText && schemas.Literals(true, []string{r.Text})[0] == json ||
				isNumber && isOther && n.Cmp(other) == 0
		case constraint.Pattern:
			pattern, err := regexp.Compile(r.Text)
			refused = isText && err == nil && !pattern.MatchString(text)
		case constraint.Enum:
			refused = isText && len(r.Values) > 0 && !slices.Contains(schemas.Literals(true, r.Values), json) ||
				!isText && len(r.Values) > 0 && !slices.ContainsFunc(r.Values, func(v string) bool {
					other, ok := new(big.Rat).SetString(v)
					return !ok || other.Cmp(n) == 0
				})
		case constraint.EnumConstants:
			if named, ok := types.Unalias(deref(types.Unalias(t))).(*types.Named); ok {
				constants := schemas.Constants(named)
				refused = len(constants) > 0 && !slices.Contains(constants, json)
			}
		}
		if refused {
			return r
		}
	}
	return nil
}

// unions reports members of unions that count as set whatever they hold, and discriminators that
// are not text or name the member of no union.
func (p *plan) unions(fields []*model.JSONField, owner string) {
	members, discriminators := map[string]bool{}, constraint.Rules{}
	for _, f := range fields {
		rules := constraint.Read(f.Markers, nil)
		for _, r := range rules {
			switch r.Kind {
			case constraint.Member, constraint.OptionalMember:
				members[r.Text] = true
			case constraint.Discriminator:
				discriminators = append(discriminators, r)
			}
		}
		if len(f.Path) > 1 {
			continue // at the struct that has the field
		}
		for _, r := range rules {
			switch r.Kind {
			case constraint.Discriminator:
				if b, ok := f.Type.Underlying().(*types.Basic); !ok || b.Info()&types.IsString == 0 {
					p.once(r, "%s of %s names a member of a union, so it must be a string", f.Key, owner)
				}
			case constraint.Member, constraint.OptionalMember:
				if present(f, "x") == "true" {
					p.once(r, "%s of %s is always written, so it counts as set; add omitempty, or make it a pointer",
						f.Key, owner)
				}
			}
		}
	}
	for _, r := range discriminators {
		if !members[r.Text] {
			p.once(r, "%s has no field that is marked +unionMember, so marker %s has no effect", owner, r)
		}
	}
}
