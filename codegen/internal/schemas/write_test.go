package schemas

import "testing"

func count(n int64) *int64 { return &n }

func TestDialects(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name                     string
		schema                   *Schema
		openapi, jsonSchema, crd string
	}{
		{
			name: "string", schema: &Schema{
				Type: "string", MinLength: count(1), Patterns: []string{"^a", "b$"},
				Default: `"ab"`, Example: `"axb"`,
			},
			openapi:    `{"type":"string","default":"ab","example":"axb","minLength":1,"pattern":"^a","allOf":[{"pattern":"b$"}]}`,
			jsonSchema: `{"type":"string","default":"ab","examples":["axb"],"minLength":1,"pattern":"^a","allOf":[{"pattern":"b$"}]}`,
			crd:        `{"type":"string","default":"ab","example":"axb","minLength":1,"pattern":"^a","allOf":[{"pattern":"b$"}]}`,
		},
		{
			name: "exclusive bounds", schema: &Schema{
				Type: "integer", Minimum: "0", ExclusiveMinimum: true,
				Maximum: "9",
			},
			openapi:    `{"type":"integer","minimum":0,"exclusiveMinimum":true,"maximum":9}`,
			jsonSchema: `{"type":"integer","exclusiveMinimum":0,"maximum":9}`,
			crd:        `{"type":"integer","minimum":0,"exclusiveMinimum":true,"maximum":9}`,
		},
		{
			name: "null", schema: &Schema{Type: "string", Nullable: true, Enum: []string{`"a"`}},
			openapi:    `{"type":"string","nullable":true,"enum":["a",null]}`,
			jsonSchema: `{"type":["string","null"],"enum":["a",null]}`,
			crd:        `{"type":"string","nullable":true,"enum":["a"]}`,
		},
		{
			name: "reference", schema: &Schema{Ref: "a.B"},
			openapi: `{"$ref":"#/a.B"}`, jsonSchema: `{"$ref":"#/a.B"}`, crd: `{"$ref":"#/a.B"}`,
		},
		{
			name: "reference with more", schema: &Schema{Ref: "a.B", Description: "x", Nullable: true},
			openapi:    `{"description":"x","nullable":true,"allOf":[{"$ref":"#/a.B"}]}`,
			jsonSchema: `{"description":"x","anyOf":[{"$ref":"#/a.B"},{"type":"null"}]}`,
			crd:        `{"description":"x","anyOf":[{"$ref":"#/a.B"},{"type":"null"}],"nullable":true}`,
		},
		{
			name: "number or string", schema: &Schema{
				Union: []string{"integer", "string"}, IntOrString: true,
				Format: "int-or-string",
			},
			openapi:    `{"oneOf":[{"type":"integer"},{"type":"string"}],"format":"int-or-string","x-kubernetes-int-or-string":true}`,
			jsonSchema: `{"anyOf":[{"type":"integer"},{"type":"string"}]}`,
			crd:        `{"anyOf":[{"type":"integer"},{"type":"string"}],"x-kubernetes-int-or-string":true}`,
		},
		{
			name:       "exactly one of",
			schema:     &Schema{Type: "object", Groups: []Group{{Names: []string{"a", "b"}, Least: 1}}},
			openapi:    `{"type":"object","allOf":[{"oneOf":[{"required":["a"]},{"required":["b"]}]}]}`,
			jsonSchema: `{"type":"object","allOf":[{"oneOf":[{"required":["a"]},{"required":["b"]}]}]}`,
			crd:        `{"type":"object","allOf":[{"oneOf":[{"required":["a"]},{"required":["b"]}]}]}`,
		},
		{
			name: "list map",
			schema: &Schema{
				Type: "array", Items: &Schema{Ref: "a.B"}, ListType: "map", ListMapKeys: []string{"k"},
				PatchStrategy: "merge", PatchMergeKey: "k",
			},
			openapi:    `{"type":"array","items":{"$ref":"#/a.B"},"x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],"x-kubernetes-patch-merge-key":"k","x-kubernetes-patch-strategy":"merge"}`,
			jsonSchema: `{"type":"array","items":{"$ref":"#/a.B"}}`,
			crd:        `{"type":"array","items":{"$ref":"#/a.B"},"x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"]}`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for dialect, want := range map[Dialect]string{
				OpenAPI30: c.openapi, JSONSchema: c.jsonSchema,
				Structural: c.crd,
			} {
				if got := string(c.schema.Append(nil, dialect, "#/")); got != want {
					t.Errorf("dialect %d:\n got %s\nwant %s", dialect, got, want)
				}
			}
		})
	}
}

func TestDescribe(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, comment, want string
		deprecated          bool
	}{
		{name: "one line", comment: "Name of it.", want: "Name of it."},
		{name: "lines of a paragraph", comment: "One\ntwo.", want: "One two."},
		{name: "paragraphs", comment: "One.\n\nTwo.", want: "One.\n\nTwo."},
		{name: "list", comment: "One:\n- a\n- b", want: "One:\n- a\n- b"},
		{name: "indented", comment: "Run:\n\taskind\n", want: "Run:\naskind"},
		{name: "link", comment: "See [Machine] and [*v1.Pool].", want: "See Machine and v1.Pool."},
		{name: "link to a method", comment: "See [runtime.Scheme.Kind].", want: "See runtime.Scheme.Kind."},
		{name: "index", comment: "conditions[x] and conditions[Ready]", want: "conditions[x] and conditions[Ready]"},
		{name: "note", comment: "One.\nTODO: later", want: "One."},
		{name: "after a line", comment: "One.\n---\nTwo.", want: "One."},
		{
			name: "deprecated", comment: "One.\n\nDeprecated: use Two.", want: "One.\n\nDeprecated: use Two.",
			deprecated: true,
		},
	} {
		if got, deprecated := describe(c.comment); got != c.want || deprecated != c.deprecated {
			t.Errorf("%s: got %q, %t", c.name, got, deprecated)
		}
	}
}
