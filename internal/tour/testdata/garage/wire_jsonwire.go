package garage

import "github.com/askind/askind/wire/jsonwire"

var (
	names []string
	r     *jsonwire.Reader
	seen  uint64
)

func DecodeJSONPort(r *jsonwire.Reader, out *Port)
