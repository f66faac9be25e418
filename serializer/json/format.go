package json

import (
	"iter"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/format"
)

// Format returns the JSON format.
func Format() *format.Format {
	return &format.Format{
		Name: "json", MediaTypes: []string{"application/json"}, Text: true,
		Append:    appendObject,
		List:      &format.List{Head: appendListHead, Items: appendListItems, Tail: appendListTail},
		Documents: func(data []byte, _ schema.Limits) iter.Seq2[format.Document, error] { return documents(data) },
		First:     first,
		Recognize: recognize,
		ReadList:  readList,
		Events:    &format.Events{Append: appendEvent, NewFramer: newFramer, Open: openEvent},
		Splice:    &format.Splice{Member: splice},
		Project:   &format.Project{Excerpt: excerpt, Finish: finishText},
	}
}

// recognize returns Yes if the first character after white space and a byte order mark is an
// opening brace, and Maybe if a letter or a single quote follows it, as in a flow mapping of YAML.
// JSON values of other types contain no object, and many of them are also YAML.
func recognize(data []byte) format.Recognition {
	i := skipSpace(data, start(data))
	if i == len(data) || data[i] != '{' {
		return format.No
	}
	if i = skipSpace(data, i+1); i < len(data) && (data[i] == '\'' || 'a' <= data[i]|0x20 && data[i]|0x20 <= 'z') {
		return format.Maybe
	}
	return format.Yes
}

// appendObject appends an object to dst: on one line that ends with a line feed, or indented by two
// spaces without a line feed at the end.
func appendObject(dst []byte, k *runtime.Kind, obj runtime.Object, o format.Options) ([]byte, error) {
	from := len(dst)
	dst, err := k.AppendJSON(dst, obj)
	if err != nil {
		return dst[:from], err
	}
	return finishText(dst, from, o)
}
