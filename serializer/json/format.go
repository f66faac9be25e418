package json

import (
	"iter"

	"github.com/askind/askind/runtime"
)

// Serializer is the JSON format. It has no state and is safe for concurrent use.
type Serializer struct{}

// Format returns the JSON format.
func Format() *Serializer { return &Serializer{} }

// Name returns "json".
func (*Serializer) Name() string { return "json" }

// MediaTypes returns application/json.
func (*Serializer) MediaTypes() []string { return []string{"application/json"} }

// Text returns true: JSON is text.
func (*Serializer) Text() bool { return true }

// Recognize answers Yes if the first character behind white space and a byte order mark is an opening brace. JSON of other types holds no
// object, and much of it is YAML as well.
func (*Serializer) Recognize(data []byte) runtime.Recognition {
	if i := skipSpace(data, start(data)); i < len(data) && data[i] == '{' {
		return runtime.Yes
	}
	return runtime.No
}

// Documents yields every object in data. The first text that is no object is yielded as an error and ends the sequence, because there is no
// telling where the next one would begin.
// An input of white space only yields nothing.
func (*Serializer) Documents(data []byte) iter.Seq2[runtime.Document, error] { return documents(data) }

// Append appends an object to dst: on one line that ends with a line feed, or indented by two spaces without a line feed at the end.
func (s *Serializer) Append(dst []byte, k *runtime.Kind, obj runtime.Object, o runtime.EncodeOptions) ([]byte, error) {
	from := len(dst)
	dst, err := k.AppendJSON(dst, obj)
	if err != nil {
		return dst[:from], err
	}
	return s.FinishText(dst, from, o)
}
