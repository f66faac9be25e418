package rows

import (
	stdjson "encoding/json"
	"slices"

	goccy "github.com/goccy/go-yaml"
	sigs "sigs.k8s.io/yaml"

	"github.com/askind/askind/bench/peers/internal/compare"
)

// sameYAML compares two YAML documents by the JSON that they stand for.
func sameYAML(ours, theirs []byte) error {
	return sameAs(ours, theirs, func(text []byte) ([]byte, error) {
		var v any
		if err := sigs.Unmarshal(text, &v); err != nil {
			return nil, err
		}
		return stdjson.Marshal(v)
	})
}

func yamlRows(w *world) []*compare.Row {
	const mediaType = "application/yaml"
	var decode, encode []*compare.Row
	for _, s := range samples() {
		if !slices.Contains(s.formats, "yaml") {
			continue
		}
		reads := func(name, note string, unmarshal func([]byte, any) error) compare.Subject {
			return compare.Subject{Name: name, Note: note, Same: s.same, Prepare: func() (compare.Work, error) {
				text, err := w.encoded(&s, mediaType)
				return into(text, &s, unmarshal), err
			}}
		}
		const overJSON = "goes over JSON, as sigs.k8s.io/yaml does, because it does not know the json tags"
		decode = append(decode, &compare.Row{
			Group: "YAML decoding", Name: "decode/yaml/" + s.name, Heavy: s.heavy || s.item.Kind != "",
			Subjects: []compare.Subject{
				w.oursReads(&s, mediaType, false), w.kubeReads(&s, mediaType, false),
				reads("sigs.k8s.io/yaml", "", func(text []byte, obj any) error { return sigs.Unmarshal(text, obj) }),
				reads("goccy/go-yaml", overJSON, func(text []byte, obj any) error {
					json, err := goccy.YAMLToJSON(text)
					if err != nil {
						return err
					}
					return stdjson.Unmarshal(json, obj)
				}),
			},
		}, &compare.Row{
			Group: "YAML decoding", Name: "decode-strict/yaml/" + s.name, Heavy: s.heavy || s.item.Kind != "",
			Subjects: []compare.Subject{
				w.oursReads(&s, mediaType, true), w.kubeReads(&s, mediaType, true),
				reads("sigs.k8s.io/yaml",
					"", func(text []byte, obj any) error { return sigs.UnmarshalStrict(text, obj) }),
			},
		})
		encode = append(encode, &compare.Row{
			Group: "YAML encoding", Name: "encode/yaml/" + s.name, Heavy: s.heavy || s.item.Kind != "",
			Subjects: []compare.Subject{
				w.oursWrites(&s, mediaType), w.kubeWrites(&s, mediaType),
				peer("sigs.k8s.io/yaml", func() (compare.Work, error) { return marshaling(s.object(), sigs.Marshal) }),
				{
					Name: "goccy/go-yaml", Note: overJSON +
						"; what it writes differs in quoting and order and is compared by content", Same: sameYAML,
					Prepare: func() (compare.Work, error) {
						return marshaling(s.object(), func(obj any) ([]byte, error) {
							json, err := stdjson.Marshal(obj)
							if err != nil {
								return nil, err
							}
							return goccy.JSONToYAML(json)
						})
					},
				},
			},
		})
	}
	return append(decode, encode...)
}
