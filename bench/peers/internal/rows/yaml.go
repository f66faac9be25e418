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
	const overJSON = "goes over JSON, as sigs.k8s.io/yaml does, because it does not know the json tags"
	mediaType := mediaTypes["yaml"]
	var decode, encode []*compare.Row
	for _, s := range samples() {
		if !slices.Contains(s.formats, "yaml") {
			continue
		}
		decodeRow := newRow("YAML decoding", "decode/yaml/"+s.name,
			w.oursReads(&s, mediaType, false), w.kubeReads(&s, mediaType, false),
			w.reads(&s, mediaType, "sigs.k8s.io/yaml", "",
				func(text []byte, obj any) error { return sigs.Unmarshal(text, obj) }),
			w.reads(&s, mediaType, "goccy/go-yaml", overJSON, func(text []byte, obj any) error {
				json, err := goccy.YAMLToJSON(text)
				if err != nil {
					return err
				}
				return stdjson.Unmarshal(json, obj)
			}))
		strictRow := newRow("YAML decoding", "decode-strict/yaml/"+s.name,
			w.oursReads(&s, mediaType, true), w.kubeReads(&s, mediaType, true),
			w.reads(&s, mediaType, "sigs.k8s.io/yaml", "",
				func(text []byte, obj any) error { return sigs.UnmarshalStrict(text, obj) }))
		encodeRow := newRow("YAML encoding", "encode/yaml/"+s.name,
			w.oursWrites(&s, mediaType), w.kubeWrites(&s, mediaType),
			peer("sigs.k8s.io/yaml", func() (compare.Work, error) { return marshaling(s.object(), sigs.Marshal) }),
			compare.Subject{
				Name: "goccy/go-yaml", Same: sameYAML,
				Note: overJSON + "; what it writes differs in quoting and order and is compared by content",
				Prepare: func() (compare.Work, error) {
					return marshaling(s.object(), func(obj any) ([]byte, error) {
						json, err := stdjson.Marshal(obj)
						if err != nil {
							return nil, err
						}
						return goccy.JSONToYAML(json)
					})
				},
			})
		for _, row := range []*compare.Row{decodeRow, strictRow, encodeRow} {
			row.Heavy = s.heavy || s.item.Kind != ""
		}
		decode, encode = append(decode, decodeRow, strictRow), append(encode, encodeRow)
	}
	return append(decode, encode...)
}
