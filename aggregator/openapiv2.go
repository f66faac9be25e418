package aggregator

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/askind/askind/schema"
)

// addV2 adds the paths of some group versions to an OpenAPI 2.0 document, with the definitions,
// parameters and responses that they refer to. One that differs from that of the same name in the
// document is renamed, as kube-aggregator does. If a part is malformed, nothing is added.
func addV2(into, from map[string]any, versions []schema.GroupVersion) error {
	paths := section(into, "paths")
	added := map[string]any{}
	for path, item := range section(from, "paths") {
		ours := slices.ContainsFunc(versions, func(gv schema.GroupVersion) bool {
			rest, ok := strings.CutPrefix(path, "/"+pathOf(gv))
			return ok && (rest == "" || rest[0] == '/')
		})
		if _, ok := item.(map[string]any); ok && ours && paths[path] == nil {
			added[path] = item
		}
	}
	needed := closure(from, added)
	if err := mapOf(checkPathItem)(added); err != nil {
		return fmt.Errorf("paths: %w", err)
	}
	for r := range needed {
		if err := sections[r.section](r.in(from)); err != nil {
			return fmt.Errorf("%.200s: %w", r, err)
		}
	}
	names := rename(into, from, needed)
	for r := range needed {
		value := r.in(from)
		retarget(value, names)
		section(into, r.section)[cmp.Or(names[r], r.name)] = value
	}
	for path, item := range added {
		retarget(item, names)
		paths[path] = item
	}
	return nil
}

// reference is the target of a $ref, such as #/definitions/com.example.v1.Car.
type reference struct{ section, name string }

// sections are the parts of a document that references lead to, with the checks of their values.
var sections = map[string]check{
	"definitions": checkSchema, "parameters": checkParameter, "responses": checkResponse,
}

// parseReference reads a $ref. ok is false if it does not lead to a part of sections.
func parseReference(text string) (r reference, ok bool) {
	rest, ok := strings.CutPrefix(text, "#/")
	if !ok {
		return r, false
	}
	r.section, r.name, ok = strings.Cut(rest, "/")
	r.name = strings.NewReplacer("~1", "/", "~0", "~").Replace(r.name)
	return r, ok && sections[r.section] != nil
}

func (r reference) String() string {
	return "#/" + r.section + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(r.name)
}

// in returns the target in a document, nil if there is none.
func (r reference) in(doc map[string]any) any {
	all, _ := doc[r.section].(map[string]any)
	return all[r.name]
}

// eachReference calls a function with each object in a value that has a $ref to one of sections.
func eachReference(value any, f func(reference, map[string]any)) {
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			eachReference(item, f)
		}
	case map[string]any:
		if text, ok := v["$ref"].(string); ok {
			if r, ok := parseReference(text); ok {
				f(r, v)
			}
		}
		for _, item := range v {
			eachReference(item, f)
		}
	}
}

// closure returns what a value refers to in a document, and what that refers to.
func closure(doc map[string]any, value any) map[reference]bool {
	found := map[reference]bool{}
	for open := []any{value}; len(open) > 0; {
		next := open[len(open)-1]
		open = open[:len(open)-1]
		eachReference(next, func(r reference, _ map[string]any) {
			if target := r.in(doc); target != nil && !found[r] {
				found[r] = true
				open = append(open, target)
			}
		})
	}
	return found
}

// rename returns new names for what would replace something else in a document: what differs, and
// what refers to that.
func rename(into, from map[string]any, needed map[reference]bool) map[reference]string {
	names := map[reference]string{}
	choose := func(r reference) {
		for n := 2; ; n++ {
			name := fmt.Sprintf("%s_v%d", r.name, n)
			other := reference{r.section, name}
			if other.in(into) == nil && !needed[other] {
				names[r] = name
				return
			}
		}
	}
	var renamed []reference                  // whose referrers are still to be looked at
	referrers := map[reference][]reference{} // those that would replace something
	for r := range needed {
		there := r.in(into)
		if there == nil {
			continue
		}
		if !reflect.DeepEqual(there, r.in(from)) {
			choose(r)
			renamed = append(renamed, r)
		}
		eachReference(r.in(from), func(to reference, _ map[string]any) {
			referrers[to] = append(referrers[to], r)
		})
	}
	for len(renamed) > 0 {
		to := renamed[len(renamed)-1]
		renamed = renamed[:len(renamed)-1]
		for _, r := range referrers[to] {
			if names[r] == "" {
				choose(r)
				renamed = append(renamed, r)
			}
		}
	}
	return names
}

// retarget changes the references in a value to what has been renamed.
func retarget(value any, names map[reference]string) {
	eachReference(value, func(r reference, at map[string]any) {
		if name := names[r]; name != "" {
			at["$ref"] = reference{r.section, name}.String()
		}
	})
}
