package jsonwire_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/askind/askind/wire/internal/sample"
	"github.com/askind/askind/wire/jsonwire"
)

// textSource is a source that has its values from a text after all.
type textSource struct {
	r    *jsonwire.Reader
	size int
	lent []byte // valid until the next call
}

// lend returns a copy of bytes that changes with the next call.
func (s *textSource) lend(b []byte) []byte {
	if b == nil {
		return nil
	}
	s.lent = append([]byte{}, b...)
	return s.lent
}

func (s *textSource) found(kinds string) jsonwire.Found {
	for i := range s.lent {
		s.lent[i] = '#'
	}
	k := s.r.Kind()
	switch {
	case bytes.IndexByte([]byte(kinds), k) >= 0:
		return jsonwire.ValueFound
	case k == 'n' && s.r.Null():
		return jsonwire.NullFound
	}
	return jsonwire.Unusable
}

// sound is found unless the text has a problem.
func (s *textSource) sound(found jsonwire.Found) jsonwire.Found {
	if s.r.Problems() != nil {
		return jsonwire.Unusable
	}
	return found
}

func (s *textSource) Kind() byte { return s.r.Kind() }
func (s *textSource) Null() bool { return s.r.Null() }

func (s *textSource) Object() (key []byte, found jsonwire.Found) {
	if found = s.found("{"); found == jsonwire.ValueFound {
		key = s.r.Object()
	}
	return key, s.sound(found)
}

func (s *textSource) NextKey() ([]byte, jsonwire.Found) {
	key := s.r.NextKey()
	return key, s.sound(jsonwire.ValueFound)
}

func (s *textSource) Array() (more bool, found jsonwire.Found) {
	if found = s.found("["); found == jsonwire.ValueFound {
		more = s.r.Array()
	}
	return more, s.sound(found)
}

func (s *textSource) NextElem() (bool, jsonwire.Found) {
	more := s.r.NextElem()
	return more, s.sound(jsonwire.ValueFound)
}

func (s *textSource) Text() (b []byte, found jsonwire.Found) {
	if found = s.found(`"`); found == jsonwire.ValueFound {
		b = s.lend(s.r.Text())
	}
	return b, s.sound(found)
}

func (s *textSource) Bool() (v bool, found jsonwire.Found) {
	if found = s.found("t"); found == jsonwire.ValueFound {
		v = s.r.Bool(false)
	}
	return v, s.sound(found)
}

func (s *textSource) Int() (v int64, found jsonwire.Found) {
	if found = s.found("0"); found == jsonwire.ValueFound {
		v = s.r.Int64(0)
	}
	return v, s.sound(found)
}

func (s *textSource) Uint() (v uint64, found jsonwire.Found) {
	if found = s.found("0"); found == jsonwire.ValueFound {
		v = s.r.Uint64(0)
	}
	return v, s.sound(found)
}

func (s *textSource) Float() (v float64, found jsonwire.Found) {
	if found = s.found("0"); found == jsonwire.ValueFound {
		v = s.r.Float64(0)
	}
	return v, s.sound(found)
}

func (s *textSource) AppendNumber(dst []byte) ([]byte, jsonwire.Found) {
	found := s.found("0")
	if found == jsonwire.ValueFound {
		dst = append(dst, s.r.Number()...)
	}
	return dst, s.sound(found)
}

func (s *textSource) Bytes() (b []byte, found jsonwire.Found) {
	if found = s.found(`"`); found == jsonwire.ValueFound {
		b = s.lend(s.r.Bytes())
	}
	return b, s.sound(found)
}

func (s *textSource) Scalar() jsonwire.Scalar {
	v := s.r.Scalar(false)
	if s.r.Problems() != nil {
		return jsonwire.Scalar{}
	}
	return v
}

func (s *textSource) AppendRaw(dst []byte) ([]byte, bool) {
	if s.r.Null() {
		return append(dst, "null"...), true
	}
	dst = append(dst, s.r.Raw()...)
	return dst, s.r.Problems() == nil
}

func (s *textSource) Skip() bool {
	s.r.Skip()
	return s.r.Problems() == nil
}

func (s *textSource) Offset() int { return s.r.Offset() }
func (s *textSource) Rest() int   { return s.size - s.r.Offset() }

// checkSource decodes a text directly and by way of a source: both give the same, or the one has
// problems and the other gives up.
func checkSource(t *testing.T, data []byte) {
	t.Helper()
	for _, strict := range []bool{false, true} {
		direct := jsonwire.NewReader(data, jsonwire.Options{Strict: strict})
		want := new(sample.Server)
		sample.DecodeJSONServer(direct, want)
		// A number that only a float of 32 bits would round another way does not occur here, so
		// giving up means that something is wrong.
		source := &textSource{r: jsonwire.NewReader(data, jsonwire.Options{}), size: len(data)}
		r := jsonwire.NewReader(nil, jsonwire.Options{Strict: strict, Source: source})
		got := new(sample.Server)
		sample.DecodeJSONServer(r, got)
		r.End()
		if gaveUp := r.Err() != nil; gaveUp != (direct.Problems() != nil) {
			t.Fatalf("strict %v: %s: gave up: %v, but there are the problems %v", strict, data, gaveUp,
				direct.Problems())
		}
		if r.Err() == nil && !reflect.DeepEqual(got, want) {
			t.Fatalf("strict %v: %s:\n got %+v\nwant %+v", strict, data, got, want)
		}
	}
}

func TestSource(t *testing.T) {
	t.Parallel()
	sample, err := sample.AppendJSONServer(nil, sample.NewServer())
	if err != nil {
		t.Fatal(err)
	}
	rows := []string{
		string(sample), `{}`, `null`, `[]`, `7`, `{"metadata":null,"spec":null,"status":{"conditions":null}}`,
		`{"spec":{"replicas":null,"paused":null,"weight":null,"limits":null,"secret":null,"extra":null}}`,
		`{"spec":{"replicas":2147483648}}`, `{"spec":{"replicas":"1"}}`, `{"spec":{"replicas":1.5}}`,
		`{"spec":{"paused":1}}`, `{"spec":{"secret":"%"}}`, `{"spec":{"secret":"YQ=="}}`, `{"spec":{"secret":[1,2]}}`,
		`{"spec":{"weight":3}}`, `{"spec":{"weight":1e400}}`, `{"spec":{"limits":{"a":1,"a":2}}}`,
		`{"metadata":{"labels":{"a":"1","a":"2"}}}`, `{"metadata":{"labels":{"a":null},"labels":{}}}`,
		`{"metadata":{"labels":{"a":1}}}`,
		`{"spec":{"extra":{"a":[1,-1,18446744073709551615,1.5,true,false,null,"x",{}],"a":0}}}`,
		`{"spec":{"extra":{"b":[[],{}]}}}`, `{"unknown":{"a":[1,"x",null]},"kind":"Machine"}`,
		`{"kind":"A","kind":"B"}`,
		`{"metadata":{"finalizers":["a",null,""]}}`, `{"metadata":{"finalizers":["a",1]}}`,
		`{"metadata":{"finalizers":{}}}`, `{"spec":{"disks":[{"name":"a"},null,{}]}}`, `{"spec":{"disks":[1]}}`,
		`{"kind":"x"`, ``, "{\"kind\":\"\xff\"}",
	}
	for _, row := range rows {
		checkSource(t, []byte(row))
	}
	for cut := range sample {
		checkSource(t, sample[:cut])
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 7))
	for range 3000 {
		mutated := bytes.Clone(sample)
		for range 1 + rnd.IntN(3) {
			mutated[rnd.IntN(len(mutated))] = sample[rnd.IntN(len(sample))]
		}
		checkSource(t, mutated)
	}
}

// TestSourceLeaves reads by the methods that the server has no field for.
func TestSourceLeaves(t *testing.T) {
	t.Parallel()
	const text = `[127,255,32767,65535,4294967295,-5,7,0.5,16777217,1.0,"txt",{"a":1},null]`
	read := func(r *jsonwire.Reader) (out []any) {
		out = append(out, r.Array(), r.Int8(0), r.NextElem(), r.Uint8(0), r.NextElem(), r.Int16(0), r.NextElem(),
			r.Uint16(0), r.NextElem(), r.Uint32(0), r.NextElem(), r.Int(0), r.NextElem(), r.Uint(0))
		out = append(out, r.NextElem(), r.Float32(0), r.NextElem(), r.Float64(0), r.NextElem(), string(r.Number()))
		var v textValue
		r.NextElem()
		r.TextUnmarshaler(&v)
		out = append(out, v, r.NextElem(), string(r.Raw()), r.NextElem(), r.Raw(), r.NextElem())
		return out
	}
	source := func() jsonwire.Options {
		return jsonwire.Options{Source: &textSource{
			r:    jsonwire.NewReader([]byte(text), jsonwire.Options{}),
			size: len(text),
		}}
	}
	direct, r := jsonwire.NewReader([]byte(text), jsonwire.Options{}), jsonwire.NewReader(nil, source())
	want, got := read(direct), read(r)
	if direct.Err() != nil || r.Err() != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v\nwant %v, %v", got, r.Err(), want, direct.Err())
	}
	for name, op := range map[string]func(*jsonwire.Reader){
		"int8":    func(r *jsonwire.Reader) { r.NextElem(); r.Int8(0) },
		"uint8":   func(r *jsonwire.Reader) { r.NextElem(); r.NextElem(); r.Uint8(0) },
		"float32": func(r *jsonwire.Reader) { skipTo(r, 8); r.Float32(0) },
		"invalid": func(r *jsonwire.Reader) { r.Invalid(errors.New("unusable")) },
		"problem": func(r *jsonwire.Reader) { r.Bool(false) },
		"memory":  func(r *jsonwire.Reader) { r.Skip(); r.Spend(1 << 30) },
	} {
		r := jsonwire.NewReader(nil, source())
		r.Array()
		if op(r); r.Err() == nil {
			t.Errorf("%s: the reader goes on", name)
		}
		if r.NextElem() || r.Object() != nil || r.Text() != nil || r.Kind() != 0 {
			t.Errorf("%s: the reader reads on after it has given up", name)
		}
	}
}

func skipTo(r *jsonwire.Reader, index int) {
	for range index {
		r.Skip()
		r.NextElem()
	}
}

// FuzzSource decodes any text directly and by way of a source.
func FuzzSource(f *testing.F) {
	addTexts(f)
	f.Fuzz(checkSource)
}
