package cborconformance

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	_ "k8s.io/api" // its module holds the golden files
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	peer "k8s.io/apimachinery/pkg/runtime/serializer/cbor"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor/direct"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer/cbor"
)

// goldenFiles returns the JSON files of the compatibility data of k8s.io/api.
func goldenFiles(tb testing.TB) []string {
	tb.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "k8s.io/api").Output()
	if err != nil {
		tb.Fatalf("finding k8s.io/api: %v", err)
	}
	files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(dir)), "testdata", "HEAD", "*.json"))
	if err != nil || len(files) == 0 {
		tb.Fatalf("no *.json in the test data of k8s.io/api (%v)", err)
	}
	return files
}

// TestGolden converts every kind of k8s.io/api as an untyped object, to CBOR and back.
func TestGolden(t *testing.T) {
	t.Parallel()
	for _, file := range goldenFiles(t) {
		if strings.HasSuffix(file, "core.v1.WatchEvent.json") {
			continue // it has no kind, so the peer does not take it for an object
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			in, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var u unstructured.Unstructured
			if err := u.UnmarshalJSON(in); err != nil {
				t.Fatal(err)
			}
			var want bytes.Buffer
			if err := peer.NewSerializer(nil, nil).Encode(&u, &want); err != nil {
				t.Fatal(err)
			}
			got, err := cbor.FromJSON(nil, in)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want.Bytes()) {
				t.Errorf("CBOR differs\ngot:  %x\nwant: %x", got, want.Bytes())
			}
			back, err := cbor.ToJSON(got)
			if err != nil {
				t.Fatal(err)
			}
			if wantJSON, _ := json.Marshal(u.Object); !bytes.Equal(back, wantJSON) {
				t.Errorf("JSON differs\ngot:  %s\nwant: %s", back, wantJSON)
			}
			var v unstructured.Unstructured
			if _, _, err := peer.NewSerializer(nil, nil).Decode(got, nil, &v); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(u.Object, v.Object) {
				t.Errorf("the peer reads another object from our bytes")
			}
		})
	}
}

// item writes a value as the peer does.
func item(t *testing.T, v any) []byte {
	t.Helper()
	out, err := direct.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// compareWrite writes a value with both libraries, ours by way of JSON, and reads the result back.
func compareWrite(t *testing.T, v any) {
	t.Helper()
	want := append([]byte("\xd9\xd9\xf7"), item(t, v)...)
	text := annotatedJSON(t, v)
	got, err := cbor.FromJSON(nil, text)
	if err != nil {
		t.Fatalf("FromJSON(%s): %v", text, err)
	}
	if !bytes.Equal(got, want) {
		t.Fatalf("FromJSON(%s)\ngot:  %x\nwant: %x", text, got, want)
	}
}

// annotatedJSON writes floats so that they can be told from integers.
func annotatedJSON(t *testing.T, v any) []byte {
	t.Helper()
	var float func(v any) any
	float = func(v any) any {
		switch v := v.(type) {
		case float64:
			b, _ := json.Marshal(v)
			if !bytes.ContainsAny(b, ".e") {
				b = append(b, ".0"...)
			}
			return json.Number(b)
		case []any:
			out := make([]any, len(v))
			for i := range v {
				out[i] = float(v[i])
			}
			return out
		case map[string]any:
			out := map[string]any{}
			for k := range v {
				out[k] = float(v[k])
			}
			return out
		}
		return v
	}
	b, err := json.Marshal(float(v))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func randomString(r *rand.Rand) string {
	n := r.IntN(12)
	if r.IntN(10) == 0 {
		n = r.IntN(400)
	}
	var b strings.Builder
	for range n {
		switch r.IntN(20) {
		case 0:
			b.WriteRune(rune(r.IntN(0x20)))
		case 1:
			b.WriteString([]string{"\"", "\\", "<", "é", "漢", "😀", "\u2028", "\x7f"}[r.IntN(8)])
		default:
			b.WriteByte("abcdefghijklmnopqrstuvwxyz0123456789-./:"[r.IntN(40)])
		}
	}
	return b.String()
}

func randomValue(r *rand.Rand, depth int) any {
	n := 10
	if depth <= 0 {
		n = 7
	}
	switch r.IntN(n) {
	case 0:
		return nil
	case 1:
		return r.IntN(2) == 0
	case 2:
		return int64(r.Uint64() >> r.IntN(64) * uint64(1-2*r.IntN(2)))
	case 3:
		for {
			if f := randomFloat(r); !math.IsNaN(f) && !math.IsInf(f, 0) {
				return f
			}
		}
	case 4, 5, 6:
		return randomString(r)
	case 7, 8:
		m := map[string]any{}
		for range r.IntN(40) {
			m[randomString(r)] = randomValue(r, depth-1)
		}
		return m
	default:
		l := []any{}
		for range r.IntN(30) {
			l = append(l, randomValue(r, depth-1))
		}
		return l
	}
}

func randomFloat(r *rand.Rand) float64 {
	switch r.IntN(5) {
	case 0:
		return math.Float64frombits(r.Uint64())
	case 1:
		return float64(math.Float32frombits(r.Uint32()))
	case 2:
		return float64(r.IntN(1<<20) - 1<<19)
	case 3:
		return math.Ldexp(float64(r.IntN(2048)), r.IntN(60)-30)
	}
	return float64(int64(r.Uint64()))
}

func TestRandomTrees(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	for range 600 {
		v := randomValue(r, 3)
		compareWrite(t, v)
		compareRead(t, item(t, v))
	}
}

// TestFloats has all that a float16 can hold, and the borders of the widths.
func TestFloats(t *testing.T) {
	t.Parallel()
	for half := range 1 << 16 {
		compareRead(t, []byte{0xF9, byte(half >> 8), byte(half)})
	}
	for _, f := range []float64{
		0, math.Copysign(0, -1), 1, -1, 1.5, 65504, 65505, 65519, 65520, 65536, 5.960464477539063e-08,
		2.980232238769531e-08, 6.103515625e-05, 6.097555160522461e-05, 6.1e-5,
		math.MaxFloat32, math.MaxFloat32 * 2, math.SmallestNonzeroFloat32, math.SmallestNonzeroFloat32 / 2,
		math.MaxFloat64, math.SmallestNonzeroFloat64, 0.1, float64(float32(0.1)), 1 << 53, 1<<53 +
			1, 1 << 60, 1 << 63, -1 << 63, 1 << 64, 1e20, 1e21, 1e22, 1e-6, 1e-7,
	} {
		compareWrite(t, f)
		compareRead(t, item(t, f))
	}
}

func TestIntegers(t *testing.T) {
	t.Parallel()
	for _, n := range []int64{
		0, 1, -1, 23, 24, 255, 256, 65535, 65536, math.MaxUint32, math.MaxUint32 + 1,
		math.MaxInt64, -24, -25, -256, -257, -65536, -65537, math.MinInt32, -math.MaxUint32 - 1, -math.MaxUint32 - 2,
		math.MinInt64,
	} {
		compareWrite(t, n)
		compareRead(t, item(t, n))
	}
}

// deviates names the difference to the peer that makes one of two readers accept an input that the
// other refuses, or "".
func deviates(data []byte, ours, theirs error) string {
	switch {
	case ours == nil && strings.Contains(theirs.Error(), "duplicate map key"):
		return "a key that occurs twice is a matter of strict decoding"
	case ours == nil && strings.Contains(theirs.Error(), "overflows Go's int64"):
		return "integers beyond int64 are read"
	case ours == nil && strings.Contains(theirs.Error(), "exceeded max number of key-value pairs"), ours == nil &&
		strings.Contains(theirs.Error(), "exceeded max nested level"):
		return "the limits are other ones"
	case ours == nil && strings.Contains(theirs.Error(), "tag number 0 must be followed by text string"):
		return "a time may be a byte string, as all strings may"
	case ours != nil && strings.Contains(ours.Error(), "invalid UTF-8"):
		return "byte strings are UTF-8 as well"
	case ours != nil && strings.Contains(ours.Error(), "as the key of a map, found null"), ours != nil &&
		strings.Contains(ours.Error(), "as the key of a map, found undefined"):
		return "null is not a key, which it is to the peer, with the meaning of a blank one"
	case ours != nil && strings.Contains(ours.Error(), "is not supported on byte strings"):
		return "the tags 21 and 23"
	case ours != nil && strings.Contains(ours.Error(), "is not supported on the keys of maps"):
		return "the tags 21 to 23 on keys, which would make other names of fields"
	case ours != nil && strings.Contains(ours.Error(), "out of range"), ours != nil &&
		strings.Contains(ours.Error(), "cannot represent"):
		return "times that have no text"
	}
	return ""
}

// compareRead reads an item with both libraries.
func compareRead(t *testing.T, data []byte) {
	t.Helper()
	var v any
	theirs := direct.Unmarshal(data, &v)
	got, ours := cbor.ToJSON(data)
	if (ours == nil) != (theirs == nil) {
		if deviates(data, ours, theirs) == "" {
			t.Fatalf("ours: %v, theirs: %v, of %x", ours, theirs, data)
		}
		return
	}
	if ours != nil {
		if e, ok := errors.AsType[*runtime.DecodeError](ours); !ok || len(e.Problems) == 0 ||
			e.Problems[0].Position.Offset > len(data) {
			t.Fatalf("%x: the error has no place: %v", data, ours)
		}
		return
	}
	want, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) && !sameButForDigits(got, want) {
		t.Fatalf("%x\ngot:  %s\nwant: %s", data, got, want)
	}
}

// sameButForDigits reports whether two texts have the same values. Floats without a fraction have
// all digits of their value with us, and as few as make them unique with encoding/json. Bad UTF-8,
// which the peer lets pass in byte strings, is not ours to compare.
func sameButForDigits(a, b []byte) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

// TestReadForms has forms that neither library writes.
func TestReadForms(t *testing.T) {
	t.Parallel()
	for _, data := range []string{
		"\x5f\x42ab\x40\x41c\xff", "\x7f\x62ab\x61c\xff", "\x5f\xff", "\x7f\xff", "\x5f\x61a\xff", "\x5f\x5f\xff\xff",
		"\x5f\x01\xff", "\x5f", "\x5f\x41",
		"\x9f\x01\x02\xff", "\x9f\xff", "\x9f", "\xbf\x41a\x01\x61b\x02\xff", "\xbf\x41a\xff", "\xbf\xff", "\xbf",
		"\xff", "\x81\xff",
		"\x18\x01", "\x19\x00\x01", "\x1a\x00\x00\x00\x01", "\x1b\x00\x00\x00\x00\x00\x00\x00\x01", "\x58\x01a",
		"\xb8\x01\x41a\x01", "\x98\x00",
		"\x1b\x7f\xff\xff\xff\xff\xff\xff\xff", "\x1b\x80\x00\x00\x00\x00\x00\x00\x00",
		"\x1b\xff\xff\xff\xff\xff\xff\xff\xff", "\x3b\x7f\xff\xff\xff\xff\xff\xff\xff",
		"\x3b\x80\x00\x00\x00\x00\x00\x00\x00",
		"\xf4", "\xf5", "\xf6", "\xf7", "\xe0", "\xf0", "\xf8\x20", "\xf8\x14", "\xf8\xff", "\xf8", "\xfc", "\x1c",
		"\x1f", "\x3f", "\xdf",
		"\xd9\xd9\xf7\x01", "\xd9\xd9\xf7\xd9\xd9\xf7\x41a", "\xc6\x01", "\xd6\x42\x00\xff", "\xd6\x40", "\xd6\x60",
		"\xd6\x61a", "\xd6\x82\x41a\xa1\x61k\x41b", "\xd6\xc6\x41a", "\xc6\xd6\x41a", "\x82\xd6\x81\x41a\x41b",
		"\xd6\x5f\x41a\x41b\xff", "\xd5\x41a", "\xd7\x41a", "\xd5\x61a", "\xd5\x81\xd6\x41a",
		"\xc0\x74" + "2020-01-02T03:04:05Z", "\xc0\x78\x1c" + "2020-01-02T03:04:05.1200000Z", "\xc0\x61a", "\xc0\x01",
		"\xc0\x54" + "2020-01-02T03:04:05Z", "\xc1\x1a\x5e\x0d\x58\xf5", "\xc1\x20",
		"\xc1\xfb\x41\xd7\x83\x56\x3d\x60\x00\x00", "\xc1\xf9\x3e\x00", "\xc1\x41a",
		"\xc1\x1b\x7f\xff\xff\xff\xff\xff\xff\xff", "\xc0\xc0\x61a",
		"\xc2\x41\x01", "\xc3\x41\x01", "\xc2\x01", "\xc2", "\xd6",
		"\xa1\x01\x02", "\xa1\xf6\x02", "\xa1\x80\x02", "\xa1\xd9\xd9\xf7\x41a\x01", "\xa2\x41a\x01\x41a\x02",
		"\xa2\x41a\x01\x61a\x02", "\xa1\x41a", "\xa1", "\xbb\xff\xff\xff\xff\xff\xff\xff\xff",
		"\x9b\x00\x00\x00\x01\x00\x00\x00\x00", "\x5b\xff\xff\xff\xff\xff\xff\xff\xff",
		"\x7b\x00\x00\x00\x00\xff\xff\xff\xff",
		"\x61\xff", "\x41\xff", "\x62\xc3\xa9", "\x42\xc3\xa9", "\x7f\x61\xc3\x61\xa9\xff", "\x43\xed\xa0\x80",
		"\x63\xed\xa0\x80",
		"\xfa\x7f\xc0\x00\x00", "\xfa\x7f\x80\x00\x00", "\xfb\x7f\xf8\x00\x00\x00\x00\x00\x00",
		"\xfb\xff\xf0\x00\x00\x00\x00\x00\x00", "", "\x01\x02",
		strings.Repeat("\x81", 9999) + "\x01", strings.Repeat("\x81", 10000) + "\x01", strings.Repeat("\x81", 10001) +
			"\x01", strings.Repeat("\xc6", 20000) + "\x01",
	} {
		compareRead(t, []byte(data))
	}
}

// TestMutations changes bytes of what the peer writes.
func TestMutations(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 2))
	for range 1500 {
		data := item(t, []any{randomValue(r, 1), randomValue(r, 1), randomValue(r, 0)})
		for range 20 {
			b := bytes.Clone(data)
			for range 1 + r.IntN(3) {
				switch i := r.IntN(len(b)); r.IntN(3) {
				case 0:
					b[i] = byte(r.Uint32())
				case 1:
					b = append(b[:i], append([]byte{byte(r.Uint32())}, b[i:]...)...)
				default:
					b = append(b[:i:i], b[i+1:]...)
					if len(b) == 0 {
						b = []byte{0xF6}
					}
				}
			}
			compareRead(t, b)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("\xa2\x41a\x01\x41b\xd6\x41c"))
	f.Add([]byte("\x9f\x5f\x41a\xff\xf9\x3c\x00\xff"))
	f.Fuzz(func(t *testing.T, data []byte) { compareRead(t, data) })
}

// TestContent compares the two ways of a []byte.
func TestContent(t *testing.T) {
	t.Parallel()
	for n := range 300 {
		content := bytes.Repeat([]byte{0xFF, byte(n), 0}, n)
		data := item(t, map[string]any{"a": content})
		got, err := cbor.ToJSON(data)
		if want := `{"a":"` + base64.StdEncoding.EncodeToString(content) + `"}`; err != nil || string(got) != want {
			t.Fatalf("ToJSON(%x) = %s, %v", data, got, err)
		}
	}
}
