package rows

import (
	"strings"

	"github.com/munnerz/goautoneg"

	"github.com/askind/askind/bench"
	"github.com/askind/askind/bench/peers/internal/compare"
	"github.com/askind/askind/serializer"
)

// choice is what a negotiation came to, the way both sides tell it.
func choice(mediaType, as string) []byte { return []byte(mediaType + " as " + as) }

// offered are the media types of the factory, split as an API server keeps them.
var offered = []struct{ name, typ, sub string }{
	{"application/json", "application", "json"},
	{"application/yaml", "application", "yaml"},
	{"application/vnd.kubernetes.protobuf", "application", "vnd.kubernetes.protobuf"},
	{"application/cbor", "application", "cbor"},
}

// autoneg chooses in the way of an API server: it parses the header with goautoneg, which orders
// the clauses, and takes the first clause that matches a media type and whose parameters it can
// follow.
func autoneg(header string) (mediaType, as string) {
	for _, clause := range goautoneg.ParseAccept(header) {
		for i := range offered {
			o := &offered[i]
			if clause.Type != o.typ && clause.Type != "*" || clause.SubType != o.sub && clause.SubType != "*" {
				continue
			}
			as, group, version, ok := "", "", "", true
			for name, value := range clause.Params {
				switch name {
				case "as":
					as = value
				case "g":
					group = value
				case "v":
					version = value
				default:
					ok = false
				}
			}
			switch {
			case !ok:
			case as == "" && group == "" && version == "":
				return o.name, bench.MachineListKind.Kind
			case (as == "Table" || as == "PartialObjectMetadataList") && group == "meta.k8s.io" && version == "v1":
				return o.name, as
			}
		}
	}
	return "", ""
}

func negotiateRows(w *world) []*compare.Row {
	const note = "goautoneg.ParseAccept and the loop of an API server over its result; it keeps nothing from one request to the next"
	var out []*compare.Row
	for _, novelty := range []string{"seen", "new"} {
		for _, h := range bench.Headers {
			row := &compare.Row{Group: "Content negotiation", Name: "negotiate/" + novelty + "/" + h.Name}
			headers := [][]string{{h.Accept}}
			if novelty == "new" {
				headers = h.New()
			}
			row.Subjects = []compare.Subject{
				{Name: ours, Prepare: func() (compare.Work, error) {
					endpoint, err := w.ours.Endpoint(serializer.Offer{Kind: bench.MachineListKind})
					if err != nil {
						return compare.Work{}, err
					}
					i := 0
					var last *serializer.Representation
					return compare.Work{
						Run: func() (err error) {
							last, err = endpoint.Negotiate(headers[i])
							i = (i + 1) % len(headers)
							return err
						},
						Result: func() ([]byte, error) {
							mediaType, _, _ := strings.Cut(last.ContentType(), ";")
							return choice(mediaType, last.Target().Kind), nil
						},
					}, nil
				}},
				{Name: "goautoneg", Note: note, Prepare: func() (compare.Work, error) {
					var mediaType, as string
					i := 0
					return compare.Work{
						Run: func() error {
							mediaType, as = autoneg(headers[i][0])
							i = (i + 1) % len(headers)
							return nil
						},
						Result: func() ([]byte, error) { return choice(mediaType, as), nil },
					}, nil
				}},
			}
			out = append(out, row)
		}
	}
	return out
}
