package rows

import (
	"strings"

	"github.com/munnerz/goautoneg"

	"github.com/askind/askind/bench"
	"github.com/askind/askind/bench/peers/internal/compare"
	"github.com/askind/askind/serializer"
)

// choice is the result of a negotiation.
type choice struct{ mediaType, as string }

// show returns the choice as it is compared.
func (c choice) show() ([]byte, error) { return []byte(c.mediaType + " as " + c.as), nil }

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
func autoneg(header string) choice {
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
				return choice{o.name, bench.MachineListKind.Kind}
			case (as == "Table" || as == "PartialObjectMetadataList") && group == "meta.k8s.io" && version == "v1":
				return choice{o.name, as}
			}
		}
	}
	return choice{}
}

func negotiateRows(w *world) []*compare.Row {
	const note = "goautoneg.ParseAccept and the loop of an API server over its result; it keeps nothing from one request to the next"
	var out []*compare.Row
	for _, novelty := range []string{"seen", "new"} {
		for _, h := range bench.Headers {
			headers := [][]string{{h.Accept}}
			if novelty == "new" {
				headers = h.New()
			}
			out = append(out, newRow("Content negotiation", "negotiate/"+novelty+"/"+h.Name,
				peer(ours, func() (compare.Work, error) {
					endpoint, err := w.ours.Endpoint(serializer.Offer{Kind: bench.MachineListKind})
					i := 0
					return resulting(func() (*serializer.Representation, error) {
						rep, err := endpoint.Negotiate(headers[i])
						i = (i + 1) % len(headers)
						return rep, err
					}, func(rep *serializer.Representation) ([]byte, error) {
						mediaType, _, _ := strings.Cut(rep.ContentType(), ";")
						return choice{mediaType, rep.Target().Kind}.show()
					}), err
				}),
				compare.Subject{Name: "goautoneg", Note: note, Prepare: func() (compare.Work, error) {
					i := 0
					return resulting(func() (choice, error) {
						chosen := autoneg(headers[i][0])
						i = (i + 1) % len(headers)
						return chosen, nil
					}, choice.show), nil
				}}))
		}
	}
	return out
}
