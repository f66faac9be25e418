package pbwire_test

import (
	"encoding/hex"
	"errors"
	"testing"

	"github.com/askind/askind/wire"
	"github.com/askind/askind/wire/pbwire"
)

// methodical is a message with one number, as other generators write it. It keeps its size, as some
// types keep results.
type methodical struct {
	number byte
	claims int
	kept   int
}

var errMethodical = errors.New("the number has more than seven bits")

func (m *methodical) Size() int {
	m.kept = 2
	return m.kept
}

func (m *methodical) MarshalToSizedBuffer(buf []byte) (int, error) {
	if m.number > 127 {
		return 0, errMethodical
	}
	buf[len(buf)-2], buf[len(buf)-1] = 1<<3, m.number
	return m.kept + m.claims, nil
}

func (m *methodical) Unmarshal(data []byte) error {
	if len(data) != 2 {
		return errMethodical
	}
	m.number = data[1]
	if cap(data) > len(data) {
		return errors.New("the bytes that follow can be reached")
	}
	return nil
}

// prepend writes a message between two other fields.
func prepend(in *methodical) *pbwire.Writer {
	w := pbwire.NewWriter(nil)
	w.String(3, "after")
	mark := w.Mark()
	pbwire.PrependByMethods(w, in)
	w.Message(2, mark)
	w.String(1, "before")
	return w
}

func TestMethods(t *testing.T) {
	t.Parallel()
	in := methodical{number: 5}
	w := prepend(&in)
	const want = "0a066265666f7265" + "12020805" + "1a056166746572"
	if got := hex.EncodeToString(w.Bytes()); got != want || w.Err() != nil {
		t.Errorf("got %s, want %s, %v", got, want, w.Err())
	}
	if in.kept != 0 {
		t.Error("the value has changed")
	}
	r := pbwire.NewReader(w.Bytes(), pbwire.Options{Strict: true})
	var out methodical
	var texts []string
	for r.Next() {
		if r.Field() == 2 {
			saved := r.Message()
			pbwire.DecodeByMethods(r, &out)
			r.EndMessage(saved)
			continue
		}
		texts = append(texts, r.String())
	}
	if r.Problems() != nil || out.number != 5 || len(texts) != 2 || texts[1] != "after" {
		t.Errorf("read %+v %q, %v", out, texts, r.Problems())
	}
}

func TestMethodProblems(t *testing.T) {
	t.Parallel()
	if w := prepend(&methodical{number: 200}); !errors.Is(w.Err(), errMethodical) {
		t.Errorf("error %v", w.Err())
	}
	for _, claims := range []int{1, -3} {
		if w := prepend(&methodical{claims: claims}); w.Err() == nil {
			t.Errorf("no error for %d bytes more than there are", claims)
		}
	}
	for _, data := range []string{"1200" + "0801", "1203080502" + "0801"} {
		encoded, err := hex.DecodeString(data)
		if err != nil {
			t.Fatal(err)
		}
		r := pbwire.NewReader(encoded, pbwire.Options{})
		var out methodical
		last := 0
		for r.Next() {
			if last = r.Field(); last == 2 {
				saved := r.Message()
				pbwire.DecodeByMethods(r, &out)
				r.EndMessage(saved)
			} else {
				r.Uint64()
			}
		}
		p := r.Problems()
		if len(p) != 1 || p[0].Code != wire.InvalidValue || !errors.Is(p[0].Err, errMethodical) || p[0].Field != 2 ||
			p[0].Offset != 0 || last != 1 {
			t.Errorf("%s: problems %v, last field %d", data, p, last)
		}
	}
	// Of a message that is broken, the method is given nothing.
	r := pbwire.NewReader([]byte{2<<3 | 2, 9, 1}, pbwire.Options{})
	r.Next()
	saved := r.Message()
	var out methodical
	pbwire.DecodeByMethods(r, &out)
	r.EndMessage(saved)
	if p := r.Problems(); len(p) != 1 || p[0].Code != wire.Syntax {
		t.Errorf("problems %v", p)
	}
}
