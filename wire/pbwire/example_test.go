package pbwire_test

import (
	"fmt"

	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire/pbwire"
)

// A message is written from its last field to its first.
func ExampleWriter() {
	var w pbwire.Writer
	mark := w.Mark()
	w.Int32(2, 3)
	w.String(1, "root")
	w.Message(2, mark) // the two fields above are a message
	w.String(1, "web")
	fmt.Printf("%q\n", w.Bytes())
	// Output: "\n\x03web\x12\b\n\x04root\x10\x03"
}

// Every field that Next announces is taken by one call.
func ExampleReader() {
	r := pbwire.NewReader([]byte("\n\x03web\x12\x04disk\x12\x02io\x18\x07"), pbwire.Options{Strict: true})
	var name string
	var tags []string
	for r.Next() {
		switch r.Field() {
		case 1:
			name = r.String()
		case 2:
			tags = r.Strings(tags)
		default:
			r.Unknown()
		}
	}
	fmt.Println(name, tags, r.Err())
	for _, p := range r.Problems() {
		fmt.Println(p)
	}
	// Output:
	// web [disk io] <nil>
	// offset 15: unknown field 3
}

// Messages takes the address of the list and the function that reads the fields of an element, and
// reads all elements that follow one another.
func ExampleReader_Messages() {
	type disk struct {
		name string
		size int64
	}
	decode := func(r *pbwire.Reader, out *disk) {
		for r.Next() {
			switch r.Field() {
			case 1:
				out.name = r.String()
			case 2:
				out.size = r.Int64()
			default:
				r.Unknown()
			}
		}
	}
	r := pbwire.NewReader([]byte("\n\x08\n\x04root\x10\x03\n\x06\n\x04data\x12\x06\n\x04swap"), pbwire.Options{})
	var disks []disk
	var spare *disk
	for r.Next() {
		switch r.Field() {
		case 1:
			r.Messages(&disks, decode)
		case 2:
			r.Pointee(&spare, decode)
		default:
			r.Unknown()
		}
	}
	fmt.Println(disks, *spare, r.Err())
	// Output: [{root 3} {data 0}] {swap 0} <nil>
}

// An envelope says what the message inside it is.
func ExampleParseEnvelope() {
	var w pbwire.Writer
	mark := w.OpenEnvelope()
	w.String(1, "web")
	w.CloseEnvelope(mark, schema.GroupVersionKind{Group: "fleet.example.com", Version: "v1", Kind: "Machine"})

	e, err := pbwire.ParseEnvelope(w.Bytes())
	fmt.Printf("%s, %s, %q, %v\n", e.APIVersion, e.Kind, e.Raw, err)
	// Output: fleet.example.com/v1, Machine, "\n\x03web", <nil>
}
