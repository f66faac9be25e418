package pbwire_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire/internal/sample"
	"github.com/askind/askind/wire/pbwire"
)

// seeds are messages sound and broken.
func seeds(t testing.TB) [][]byte {
	out := [][]byte{nil, encode(new(sample.Server)), encode(sampleServer()), []byte(pbwire.Magic)}
	for _, s := range []string{
		"08ffffffffffffffffff01", "08ffffffffffffffffff02", "0880", "0001", "0e00", "2201ff", "220361",
		"42020801 42021802", "42032203", "4a060a0161120162", "4a05080112036162",
		"52020301 5001", "5200", "52020180", "5a08000000000000f03f", "5a0900", "620161 0801 620162",
		"a00605 a1060000000000000000 a50600000000 a206020000 a3060801a406",
		"a306ab06ac06a406", "a306ac06", "0a0161 1500000000 190000000000000000 2001 2324", "6a03626164", "9a08a0068001",
	} {
		out = append(out, unhex(t, s))
	}
	for _, n := range []int{100, 5000} {
		out = append(out, bytes.Repeat([]byte{0x42, 0x80, 0x80, 1}, n), bytes.Repeat([]byte{0x62, 0}, n),
			bytes.Repeat([]byte{0x4a, 0}, n))
	}
	return out
}

// checkEverything compares the Reader with its plain twin.
func checkEverything(t testing.TB, data []byte) {
	t.Helper()
	var want everything
	sound, err := slowEverything(data, &want)
	for _, o := range []pbwire.Options{{}, {Strict: true}, {Apart: true}} {
		var got everything
		r := pbwire.NewReader(data, o)
		decodeEverything(r, &got)
		problems := r.Problems()
		for i, p := range problems {
			if p.Offset < 0 || p.Offset > p.End || p.End > len(data) || p.Message == "" || i > 0 &&
				p.Offset < problems[i-1].Offset && !p.Code.Fatal() {
				t.Errorf("%x: problem %+v", data, p)
			}
		}
		switch {
		case (r.Err() != nil) != (err != nil):
			t.Errorf("%x: got %v, want %v", data, r.Err(), err)
		case err != nil:
		case o.Strict && !sound && len(problems) == 0, !o.Strict && (len(problems) == 0) != sound:
			t.Errorf("%x: problems %v, sound is %v", data, problems, sound)
		case sound && fmt.Sprintf("%+v", flat(&got)) != fmt.Sprintf("%+v", flat(&want)): // where NaN is equal to itself
			t.Errorf("%x:\ngot  %+v\nwant %+v", data, flat(&got), flat(&want))
		}
	}
}

// flat lists a value and what is nested in it.
func flat(e *everything) []everything {
	var out []everything
	for ; e != nil; e = e.Sub {
		one := *e
		one.Sub = nil
		out = append(out, one)
	}
	return out
}

// checkServer decodes, and holds that encoding agrees with its plain twin and that decoding takes
// it back.
func checkServer(t testing.TB, data []byte) {
	t.Helper()
	var in, out sample.Server
	r := pbwire.NewReader(bytes.Clone(data), pbwire.Options{})
	sample.DecodeProtoServer(r, &in) // what could be decoded of broken input is an object, too
	once := encode(&in)
	if want := slowServer(&in); !bytes.Equal(once, want) {
		t.Errorf("%x:\nwritten %x\nwant    %x", data, once, want)
	}
	r.Reset(once, pbwire.Options{Strict: true, Limits: schema.Limits{Depth: 100_000}})
	if sample.DecodeProtoServer(r, &out); r.Problems() != nil {
		t.Errorf("%x: what was written is refused: %v", data, r.Problems())
	}
	if twice := encode(&out); !bytes.Equal(once, twice) {
		t.Errorf("%x:\nonce  %x\ntwice %x", data, once, twice)
	}
}

func checkEnvelope(t testing.TB, data []byte) {
	t.Helper()
	e, err := pbwire.ParseEnvelope(data)
	if err != nil {
		return
	}
	if !bytes.Equal(data[e.Offset:e.Offset+len(e.Raw)], e.Raw) && e.Raw != nil {
		t.Errorf("%x: %+v is not at its offset", data, e)
	}
}

// envelopeOf is a message in an envelope as it is written.
func envelopeOf(message []byte) []byte {
	var w pbwire.Writer
	mark := w.OpenEnvelope()
	w.Raw(message)
	w.CloseEnvelope(mark, schema.GroupVersionKind{Group: "g", Version: "v", Kind: "K"})
	return w.Bytes()
}

func FuzzReader(f *testing.F) {
	for _, s := range seeds(f) {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, data []byte) { checkEverything(t, data) })
}

func FuzzRoundTrip(f *testing.F) {
	for _, s := range seeds(f) {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, data []byte) { checkServer(t, data) })
}

func FuzzEnvelope(f *testing.F) {
	for _, s := range seeds(f) {
		f.Add(append([]byte(pbwire.Magic), s...))
		f.Add(envelopeOf(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) { checkEnvelope(t, data) })
}

// TestMutations feeds the checks of the fuzz targets with messages that were changed at random.
func TestMutations(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	all := seeds(t)
	for range 3000 {
		data := bytes.Clone(all[rnd.IntN(len(all))])
		for range rnd.IntN(4) {
			if len(data) == 0 {
				break
			}
			i := rnd.IntN(len(data))
			switch rnd.IntN(3) {
			case 0:
				data[i] = byte(rnd.Uint32())
			case 1:
				data = append(data[:i], data[i+1:]...)
			case 2:
				data = append(data, data[:i]...)
			}
		}
		checkEverything(t, data)
		checkServer(t, data)
		checkEnvelope(t, append([]byte(pbwire.Magic), data...))
	}
}

// TestMemory checks that no input makes a decoder allocate much more than elements that are there
// need.
func TestMemory(t *testing.T) {
	const size = 1 << 20
	for _, c := range []struct {
		name, piece string
		most        int // bytes for each byte of input
	}{
		{"a huge string", "\x22\xff\xff\xff\xff\x7f", 1},
		{"huge bytes", "\x2a\xff\xff\xff\xff\x7f", 1},
		{"packed numbers of a huge length", "\x52\xff\xff\xff\xff\x7f", 1},
		{"numbers", "\x50\x01", 4},
		{"packed numbers, again and again", "\x52\x01\x01", 8},
		{"blank strings", "\x62\x00", 16},
		{"map entries", "\x4a\x00", 64},
		{"strings between others", "\x62\x00\x08\x01", 32},
		{"unknown fields", "\xa0\x06\x01", 1},
		{"short strings", "\x62\x08abcdefgh", 8},
	} {
		data := []byte(strings.Repeat(c.piece, size/len(c.piece)))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		var out everything
		r := pbwire.NewReader(data, pbwire.Options{Strict: true})
		decodeEverything(r, &out)
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got > uint64(c.most*size+1<<17) {
			t.Errorf("%s: %d bytes for %d of input", c.name, got, len(data))
		}
	}
}
