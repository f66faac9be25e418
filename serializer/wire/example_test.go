package wire_test

import (
	"fmt"

	"github.com/askind/askind/serializer/jsonwire"
	"github.com/askind/askind/serializer/wire"
)

// A generated decoder calls List for a list of structs, with the decoder of the struct.
func ExampleList() {
	type port struct{ number int32 }
	decode := func(r *jsonwire.Reader, out *port) { out.number = r.Int32(out.number) }

	var ports []port
	r := jsonwire.NewReader([]byte(`[80, 443]`), jsonwire.Options{})
	wire.List(r, &ports, decode)
	fmt.Println(ports, r.Err())
	// Output: [{80} {443}] <nil>
}
