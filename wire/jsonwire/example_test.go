package jsonwire_test

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire/jsonwire"
)

type port struct {
	Name   string
	Number int32
}

var portNames = []string{"name", "number"}

// What a generator writes for a struct with two fields.
func appendJSONPort(dst []byte, in *port) []byte {
	start := len(dst)
	if in.Name != "" {
		dst = append(dst, `,"name":`...)
		dst = jsonwire.AppendString(dst, in.Name)
	}
	dst = append(dst, `,"number":`...)
	dst = jsonwire.AppendInt(dst, int64(in.Number))
	return jsonwire.CloseObject(dst, start)
}

func decodeJSONPort(r *jsonwire.Reader, out *port) {
	var seen uint64
	for key := r.Object(); key != nil; key = r.NextKey() {
		switch string(key) {
		case "name":
			r.Seen(&seen, 0, key)
			out.Name = r.String(out.Name)
		case "number":
			r.Seen(&seen, 1, key)
			out.Number = r.Int32(out.Number)
		default:
			r.Unknown(key, portNames)
		}
	}
}

// An appender writes every member with a comma before it and closes the object last.
func ExampleCloseObject() {
	fmt.Printf("%s\n", appendJSONPort(nil, &port{Name: "http", Number: 8080}))
	// Output: {"name":"http","number":8080}
}

// A decoder loops over keys and never looks at an error. All problems are there at the end.
func ExampleReader() {
	text := []byte(`{"name":"http","numbr":80,"number":"8080"}`)
	r := jsonwire.NewReader(text, jsonwire.Options{Strict: true})
	var p port
	decodeJSONPort(r, &p)
	r.End()
	fmt.Println(p.Name, r.Err())
	for _, problem := range r.Problems() {
		position := schema.PositionOf(text, problem.Offset)
		fmt.Printf("%v: %v: %s (%s)\n", position, jsonwire.PathAt(text, problem.Offset), problem.Message,
			problem.Nearest)
	}
	// Output:
	// http <nil>
	// 1:16: numbr: unknown field "numbr" (number)
	// 1:36: number: expected integer, found string ()
}

// List takes the address of the list and the function that reads an element; Pointee prepares a
// pointer. An empty array is not a nil list.
func ExampleReader_List() {
	r := jsonwire.NewReader(
		[]byte(
			`{"ports":[{"name":"http","number":80},{"name":"https","number":443}],"default":{"name":"http"},"more":[]}`,
		), jsonwire.Options{},
	)
	var ports, more []port
	var preset *port
	for key := r.Object(); key != nil; key = r.NextKey() {
		switch string(key) {
		case "ports":
			r.List(&ports, decodeJSONPort)
		case "more":
			r.List(&more, decodeJSONPort)
		case "default":
			if r.Pointee(&preset) {
				decodeJSONPort(r, preset)
			}
		}
	}
	fmt.Println(ports, *preset, more != nil, r.Err())
	// Output: [{http 80} {https 443}] {http 0} true <nil>
}

// A list decoder starts each item with Item, so that items share no memory, and grows the slice
// with Extend.
func ExampleExtend() {
	r := jsonwire.NewReader([]byte(`[{"name":"http","number":80},{"name":"https","number":443}]`), jsonwire.Options{})
	var ports []port
	start := r.Offset()
	for more := r.Array(); more; more = r.NextElem() {
		ports = jsonwire.Extend(r, ports, start)
		r.Item()
		decodeJSONPort(r, &ports[len(ports)-1])
	}
	fmt.Println(ports)
	// Output: [{http 80} {https 443}]
}

// A leaf decoder parses the text in place and reports what it cannot use.
func ExampleReader_Text() {
	r := jsonwire.NewReader([]byte(`"12x"`), jsonwire.Options{})
	if text := r.Text(); text != nil {
		_, err := strconv.Atoi(string(text))
		r.Invalid(err)
	}
	fmt.Println(r.Problems())
	// Output: [offset 0: strconv.Atoi: parsing "12x": invalid syntax]
}

// A leaf decoder says which types of JSON values it takes.
func ExampleReader_WrongType() {
	for _, text := range []string{`"5s"`, `true`} {
		r := jsonwire.NewReader([]byte(text), jsonwire.Options{})
		if r.Kind() == '"' {
			fmt.Println(r.String(""))
			continue
		}
		r.Skip()
		r.WrongType("expected a duration such as \"5s\"")
		fmt.Println(r.Problems())
	}
	// Output:
	// 5s
	// [offset 0: expected a duration such as "5s"]
}

// In an annotated text the reading method decides the type of a plain scalar.
func ExampleOptions_annotated() {
	text := []byte("{\"name\":\x01\"0x50\",\"number\":\x01\"0x50\"}")
	r := jsonwire.NewReader(text, jsonwire.Options{Annotated: true})
	var p port
	decodeJSONPort(r, &p)
	fmt.Println(p.Name, p.Number)

	r.Reset(text, jsonwire.Options{Annotated: true})
	fmt.Println(r.Any())
	// Output:
	// 0x50 80
	// map[name:80 number:80]
}

func ExampleReader_Any() {
	r := jsonwire.NewReader([]byte(`[9007199254740993, 18446744073709551615, 1.0]`), jsonwire.Options{})
	for _, v := range r.Any().([]any) {
		fmt.Printf("%T %v\n", v, v)
	}
	// Output:
	// int64 9007199254740993
	// uint64 18446744073709551615
	// float64 1
}

func ExampleSniffType() {
	fmt.Println(jsonwire.SniffType([]byte(`{"kind":"Machine","apiVersion":"fleet.example.com/v1","spec":{`)))
	// Output: fleet.example.com/v1 Machine <nil>
}

// What is found is part of the text: it is compared without a copy.
func ExampleSniffTypeBytes() {
	text := []byte(`{"kind":"Machine","apiVersion":"fleet.example.com/v1","spec":{`)
	apiVersion, kind, err := jsonwire.SniffTypeBytes(text)
	fmt.Println(bytes.HasPrefix(apiVersion, []byte("fleet.example.com/")), string(kind) == "Machine", err)
	// Output: true true <nil>
}

func ExampleOffsetOf() {
	text := []byte(`{"spec":{"ports":[{"number":80},{"number":443}]}}`)
	path := schema.NewPath("spec", "ports").Index(1).Child("number")
	start, end, ok := jsonwire.OffsetOf(text, path)
	fmt.Println(path, string(text[start:end]), ok)
	// Output: spec.ports[1].number 443 true
}

func ExampleAppendRaw() {
	text, err := jsonwire.AppendRaw(nil, []byte(`{ "a" : "<b>" }`))
	fmt.Println(string(text), err)
	// Output: {"a":"\u003cb\u003e"} <nil>
}

func ExampleAppendIndent() {
	fmt.Printf("%s\n", jsonwire.AppendIndent(nil, []byte(`{"a":[1,2],"b":{}}`), "", "  "))
	// Output:
	// {
	//   "a": [
	//     1,
	//     2
	//   ],
	//   "b": {}
	// }
}
