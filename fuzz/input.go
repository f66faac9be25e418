package fuzz

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/wire/jsonwire"
)

// checkInput checks that lenient decoding agrees with strict decoding, that decoding does not
// modify its input, and that the object does not refer to it.
func (c *checker) checkInput(strict runtime.Object, text []byte, mediaType string) string {
	input := bytes.Clone(text)
	lenient, err := c.decode(input, mediaType, serializer.IgnoreProblems)
	switch {
	case err != nil:
		return fmt.Sprintf("lenient decoding rejects %s that strict decoding accepts: %v\n%s", mediaType, err, text)
	case !bytes.Equal(input, text):
		return fmt.Sprintf("decoding modifies its input, %s, %s", mediaType, contrast("before", text, "after ", input))
	}
	for i := range input {
		input[i] = '#'
	}
	if !reflect.DeepEqual(strict, lenient) {
		return fmt.Sprintf("lenient decoding of %s returns another object than strict decoding, or one that refers to "+
			"the input (-strict +lenient):\n%s",
			mediaType, diff(strict, lenient))
	}
	return ""
}

// damages is the number of damaged copies of each text.
const damages = 4

// damaged returns a check of damaged copies of a text: if strict decoding accepts one, lenient
// decoding must return the same object, and that object must survive a round trip. The check also
// detects panics.
func (c *checker) damaged(seed int64) func(runtime.Object, []byte, string) string {
	return func(_ runtime.Object, text []byte, mediaType string) string {
		random := rand.New(rand.NewPCG(uint64(seed), uint64(len(text))))
		for range damages {
			broken := damage(random, text)
			strict, strictErr := c.decode(broken, mediaType, serializer.FailOnProblems)
			lenient, err := c.decode(broken, mediaType, serializer.IgnoreProblems)
			switch {
			case strictErr != nil:
				continue
			case err != nil:
				return fmt.Sprintf("lenient decoding rejects %s that strict decoding accepts: %v\n%q", mediaType,
					err, broken)
			case !reflect.DeepEqual(strict, lenient):
				return fmt.Sprintf(
					"lenient decoding of %s returns another object than strict decoding (-strict +lenient):\n%s\n%q",
					mediaType, diff(strict, lenient), broken,
				)
			}
			if problem := c.checkAgain(strict, mediaType); problem != "" {
				return fmt.Sprintf("%s\nin the object read from %q", problem, broken)
			}
		}
		return ""
	}
}

// checkAgain checks that an object decoded from untrusted input can be written, and survives a
// round trip from then on.
func (c *checker) checkAgain(obj runtime.Object, mediaType string) string {
	o := serializer.EncodeOptions{MediaType: mediaType}
	text, err := c.factory.Append(nil, obj, o)
	if err != nil {
		return fmt.Sprintf("%s cannot be written: %v", mediaType, err)
	}
	k, err := c.scheme.KindOf(obj)
	if err != nil {
		return err.Error()
	}
	again, err := c.factory.Decode(text, serializer.DecodeOptions{
		MediaType: mediaType, Strictness: serializer.FailOnProblems,
		DefaultKind: k.GroupVersionKind(),
	})
	if err != nil {
		return fmt.Sprintf("%s that was just encoded cannot be read: %v\n%q", mediaType, err, text)
	}
	if repeated, err := c.factory.Append(nil, again, o); err != nil || !bytes.Equal(text, repeated) {
		return fmt.Sprintf("%s is not the same when encoded again: %v, %s", mediaType, err,
			contrast("first ", text, "second", repeated))
	}
	return ""
}

// damage returns a copy of a text with one error.
func damage(random *rand.Rand, text []byte) []byte {
	out := bytes.Clone(text)
	if len(out) == 0 {
		return out
	}
	from := random.IntN(len(out))
	to := min(len(out), from+1+random.IntN(8))
	switch random.IntN(5) {
	case 0: // flip a bit
		out[from] ^= 1 << random.IntN(8)
	case 1: // remove a piece
		return append(out[:from], out[to:]...)
	case 2: // repeat a piece
		return append(out[:to], text[from:]...)
	case 3: // remove the end
		return out[:from]
	default: // insert a byte with a meaning in one of the formats
		const marks = "\x00\n \"'{}[]:,-0189aeEnt~&*#\xC0\xF6\xFF"
		out[from] = marks[random.IntN(len(marks))]
	}
	return out
}

// checkTwin compares the JSON functions of the kind with reflection on its type.
func (c *checker) checkTwin(obj runtime.Object) string {
	if c.twin == nil {
		return ""
	}
	text, err := c.kind.AppendJSON(nil, obj)
	if err != nil {
		return fmt.Sprintf("encoding: %v", err)
	}
	if plain, err := c.twin.AppendJSON(nil, obj); err != nil || !bytes.Equal(text, plain) {
		return fmt.Sprintf("the JSON of the kind differs from that of its type: %v, %s", err,
			contrast("kind", text, "type", plain))
	}
	fast, plain := c.kind.New(), c.kind.New()
	r, twin := jsonwire.NewReader(text, jsonwire.Options{Strict: true}), jsonwire.NewReader(text,
		jsonwire.Options{Strict: true})
	if err := c.kind.DecodeJSON(r, fast); err != nil {
		return err.Error()
	}
	if err := c.twin.DecodeJSON(twin, plain); err != nil {
		return err.Error()
	}
	switch {
	case len(r.Problems()) != len(twin.Problems()):
		return fmt.Sprintf("the kind finds %d problems in its JSON, reflection %d: %v, %v\n%s", len(r.Problems()),
			len(twin.Problems()), r.Problems(), twin.Problems(), text)
	case !reflect.DeepEqual(fast, plain):
		return fmt.Sprintf("the kind decodes JSON differently from its type (-kind +type):\n%s",
			diff(fast, plain))
	}
	return ""
}
