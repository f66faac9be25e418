package codegen

import (
	"strings"

	"github.com/askind/askind/codegen/internal/marker"
)

// Marker describes a comment marker that means something to the generator.
type Marker struct {
	Name string `json:"name"`
	// Usage is the marker with its arguments, without the "+".
	Usage string `json:"usage"`
	// Place says where it stands: "a package comment", "a type", "a field", "a function", joined by
	// "or".
	Place string           `json:"place"`
	Doc   string           `json:"doc"`
	Args  []MarkerArgument `json:"args,omitempty"`
}

// MarkerArgument is a named argument of a marker.
type MarkerArgument struct {
	Name     string `json:"name"`
	Doc      string `json:"doc"`
	Required bool   `json:"required,omitempty"`
}

// Markers returns the known markers in order of name. It is the table by which the generator checks
// its input.
func Markers() []Marker {
	var out []Marker
	for _, def := range marker.Known() {
		m := Marker{Name: def.Name, Usage: def.Name, Place: def.Place.String(), Doc: def.Doc}
		switch def.Form {
		case marker.Text:
			m.Usage += "=value"
		case marker.JSON:
			m.Usage += "=json"
		case marker.Args:
			var args []string
			for _, a := range def.Args {
				m.Args = append(m.Args, MarkerArgument{Name: a.Name, Doc: a.Doc, Required: a.Required})
				if a.Required {
					args = append(args, a.Name+"=...")
				}
			}
			if len(args) == 0 {
				m.Usage += "[:" + def.Args[0].Name + "=...]"
			} else {
				m.Usage += ":" + strings.Join(args, ",")
			}
		}
		out = append(out, m)
	}
	return out
}
