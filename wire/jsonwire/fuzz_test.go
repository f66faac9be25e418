package jsonwire_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire"
	"github.com/askind/askind/wire/internal/sample"
	"github.com/askind/askind/wire/jsonwire"
)

// texts are documents sound and broken: rows of the differential tests and seeds of the fuzz
// targets.
var texts = []string{
	"", " ", "null", "true", "false", "nul", "nulll", "tru", "truefalse", "fals", "x", "\x00", "\x01", "\"\x01\"",
	`""`, `"a"`, `"abcdefgh"`, `"abcdefghi"`, `"abcdefg"`, `"a`, `"abcdefghijklmnop`, `"\`, `"\"`, `"\u`, `"\u12`,
	`"\u12g4"`, `"\x"`, `"\'"`,
	`"\u0041\n\t\r\b\f\/\\\""`, `"\ud83d\ude00"`, `"\ud83d"`, `"\ud83dx"`, `"\ud83d\u0041"`, `"\ude00\ud83d"`,
	`"\ud83d\ud83d\ude00"`, `"\uD83D\uDE00"`,
	"\"a\nb\"", "\"a\x1fb\"", "\"\x7f\"", "\"ünïcödé and more of it\"", "\"日本語\"", "\"\xff\"", "\"abc\xc3\"",
	"\"\xed\xa0\x80\"", "\"\xf4\x90\x80\x80\"", "\xff",
	"\"\u2028\u2029<>&\"", "\"abcdefgh\u00e9ijklmnop\\nqrstuvwxyz\"",
	"0", "-0", "-", "01", "-01", "1.", ".5", "1.5", "1e", "1e+", "1e5", "1E-5", "1.5e300", "1e999", "-1e999", "1e-999",
	"+1", "1_000", "0x10", "--1", "1-", "NaN", "Infinity",
	"9223372036854775807", "-9223372036854775808", "9223372036854775808", "18446744073709551615",
	"18446744073709551616", "123456789012345678", "1234567890123456789",
	"[", "]", "[]", "[ ]", "[,]", "[1,]", "[1,2,3]", "[1 2]", "[1,2", "[[[]]]", "[[1],[2,[3]]]", "[}", "[1}",
	"[\"a\",null,true]",
	"{", "}", "{}", "{ }", "{,}", `{"a"}`, `{"a":}`, `{"a":1}`, `{"a":1,}`, `{"a":1 "b":2}`, `{"a":1,"b":2}`, `{"a":1]`,
	`{a:1}`, `{"a":1,"a":2}`, `{"":0}`, `{1:2}`, `{"a" :1}`, `{"\u0061":1}`,
	`{"a":{"b":[{"c":null}]},"d":"e"}`, "{\"a\":1}x", "1 2", "{} {}", "[] ]", " \t\r\n{ \"a\" :\t[ 1 , 2 ] } \n",
	"\ufeff{}", "\v1", "[1,\v2]",
	`{"kind":"Machine","apiVersion":"v1","metadata":{"name":"a","labels":{"a":"b","c":null}},"spec":{"disks":[{"name":"d","sizeGiB":3,"env":[]}],"replicas":2,"paused":true,"weight":1.5,"limits":{"cpu":3},"secret":"aGVsbG8="}}`,
	`{"metadata":null,"spec":{"replicas":null,"disks":null,"limits":null,"secret":null,"extra":[1,2.5,-3,{"x":1e3}]},"status":{"conditions":[{"type":"Ready"},null]}}`,
	`{"spec":{"replicas":"2","paused":1,"weight":"x","limits":[],"secret":"!","disks":{}},"metadata":[],"status":7}`,
	`{"spec":{"replicas":3000000000,"weight":1e999,"limits":{"a":1.0,"b":1e2,"c":99999999999999999999},"secret":[1,2,256,"x"]}}`,
	`{"spec":{"paused":true,"paused":false,"unknown":[{"x":1}],"Paused":true,"replicaz":1}}`,
}

func addTexts(f *testing.F) {
	for _, text := range texts {
		f.Add([]byte(text))
	}
}

func TestTexts(t *testing.T) {
	t.Parallel()
	for _, text := range texts {
		checkServer(t, []byte(text))
	}
	for _, n := range []int{9999, 10000, 10001, 20000} {
		for _, brackets := range []struct{ open, middle, end string }{
			{"[", "", "]"},
			{`{"a":`, "1", "}"},
			{"[[],", "1", "]"},
			{`[{"a":1},{"b":`, "{}", "}]"},
		} {
			checkAny(t, []byte(strings.Repeat(brackets.open, n)))
			checkAny(t, []byte(strings.Repeat(brackets.open, n)+brackets.middle+strings.Repeat(brackets.end, n)))
			checkAny(t, []byte(strings.Repeat(brackets.open, n)+brackets.middle+strings.Repeat(brackets.end, n-1)))
		}
	}
}

// TestMutations feeds the checks of the fuzz targets with texts that were changed at random, some
// more with each run of the fuzz targets themselves.
func TestMutations(t *testing.T) {
	t.Parallel()
	const seed = 20240607
	rnd := rand.New(rand.NewPCG(seed, seed))
	const alphabet = "{}[]\",: \n\\u0019eE+-.tfnabl\x01\x00\xff\xe2\x80\xa8<>&"
	for range 6000 {
		text := []byte(texts[rnd.IntN(len(texts))])
		for range rnd.IntN(4) {
			i := rnd.IntN(len(text) + 1)
			switch other := texts[rnd.IntN(len(texts))]; rnd.IntN(5) {
			case 0:
				text = slices.Insert(text, i, alphabet[rnd.IntN(len(alphabet))])
			case 1:
				text = text[:i]
			case 2:
				text = slices.Insert(text, i, []byte(other)...)
			case 3:
				text = slices.Delete(text, i, min(i+1+rnd.IntN(3), len(text)))
			default:
				if i < len(text) {
					text[i] = alphabet[rnd.IntN(len(alphabet))]
				}
			}
		}
		checkAny(t, text)
		checkServer(t, text)
		checkRaw(t, text)
		checkSniff(t, text)
		checkAppend(t, string(text))
		if rnd.IntN(20) == 0 {
			checkPaths(t, text)
		}
		ops := make([]byte, 20)
		for i := range ops {
			ops[i] = byte(rnd.Uint32())
		}
		drive(t, text, ops)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// randomJSON appends a random document.
func randomJSON(rnd *rand.Rand, dst []byte, depth int) []byte {
	space := func() {
		for rnd.IntN(4) == 0 {
			dst = append(dst, " \n\t\r"[rnd.IntN(4)])
			if rnd.IntN(3) == 0 {
				dst = append(dst, "          "[:rnd.IntN(10)]...)
			}
		}
	}
	str := func() {
		dst = append(dst, '"')
		for n := rnd.IntN(20); n > 0; n-- {
			switch rnd.IntN(12) {
			case 0:
				dst = append(dst, '\\', `"\/bfnrt`[rnd.IntN(8)])
			case 1:
				dst = fmt.Appendf(dst, `\u%04x`, rnd.IntN(0x10000))
			case 2:
				dst = fmt.Appendf(dst, `\uD%X%02x\ud%x%02X`, 8+rnd.IntN(4), rnd.IntN(256), 12+rnd.IntN(4),
					rnd.IntN(256))
			case 3:
				dst = utf8.AppendRune(dst, rune(0x80+rnd.IntN(0x10FF00)))
			default:
				dst = append(dst, "abcdefghijklmnopqrstuvwxyzABC0123456789<>&'/{}[]:,"[rnd.IntN(50)])
			}
		}
		dst = append(dst, '"')
	}
	space()
	kind := rnd.IntN(9)
	if depth > 5 && kind >= 6 {
		kind = rnd.IntN(6)
	}
	switch kind {
	case 0:
		dst = append(dst, []string{"null", "true", "false"}[rnd.IntN(3)]...)
	case 1:
		dst = strconv.AppendInt(dst, rnd.Int64()>>rnd.IntN(64)*int64(1-2*rnd.IntN(2)), 10)
	case 2:
		dst = strconv.AppendUint(dst, rnd.Uint64(), 10)
	case 3:
		dst = strconv.AppendFloat(dst, rnd.NormFloat64()*math.Pow(10, float64(rnd.IntN(40)-20)), "efg"[rnd.IntN(3)],
			rnd.IntN(22)-1, 64)
	case 4, 5:
		str()
	case 6:
		dst = append(dst, '[')
		for i := range rnd.IntN(6) {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = randomJSON(rnd, dst, depth+1)
		}
		space()
		dst = append(dst, ']')
	default:
		dst = append(dst, '{')
		for i := range rnd.IntN(6) {
			if i > 0 {
				dst = append(dst, ',')
			}
			space()
			str()
			space()
			dst = append(dst, ':')
			dst = randomJSON(rnd, dst, depth+1)
		}
		space()
		dst = append(dst, '}')
	}
	space()
	return dst
}

func TestRandomDocuments(t *testing.T) {
	t.Parallel()
	const seed = 20240608
	rnd := rand.New(rand.NewPCG(seed, seed))
	for range 3000 {
		text := randomJSON(rnd, nil, 0)
		if !json.Valid(text) {
			t.Fatalf("seed %d: the generator wrote %q", seed, text)
		}
		checkAny(t, text)
		checkRaw(t, text)
		checkServer(t, text)
		if rnd.IntN(20) == 0 {
			checkPaths(t, text)
		}
		r := jsonwire.NewReader(text, jsonwire.Options{})
		v := r.Any()
		want, wantErr := json.Marshal(v)
		got, err := jsonwire.AppendAny(nil, v)
		if (err == nil) != (wantErr == nil) || !bytes.Equal(got, want) {
			t.Fatalf("AppendAny(%#v) = %s, %v, want %s, %v", v, got, err, want, wantErr)
		}
	}
}

// slowAny decodes with encoding/json into the types of Reader.Any.
func slowAny(data []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("trailing text")
	}
	return exactNumbers(v), nil
}

func exactNumbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		s := v.String()
		if !strings.ContainsAny(s, ".eE") {
			if n, err := strconv.ParseInt(s, 10, 64); err == nil {
				return n
			}
			if n, err := strconv.ParseUint(s, 10, 64); err == nil {
				return n
			}
		}
		n, err := v.Float64()
		if err != nil {
			return nil
		}
		return n
	case []any:
		for i := range v {
			v[i] = exactNumbers(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = exactNumbers(v[k])
		}
	}
	return v
}

func checkAny(t *testing.T, data []byte) {
	t.Helper()
	want, wantErr := slowAny(data)
	if !utf8.Valid(data) {
		wantErr = errors.New("invalid UTF-8")
	}
	r := jsonwire.NewReader(data, jsonwire.Options{})
	got := r.Any()
	r.End()
	if (r.Err() == nil) != (wantErr == nil) {
		t.Fatalf("Any(%q): error %v, encoding/json %v", data, r.Err(), wantErr)
	}
	if r.Err() == nil && !reflect.DeepEqual(got, want) {
		t.Fatalf("Any(%q) = %#v, encoding/json %#v", data, got, want)
	}
	for _, p := range r.Problems() {
		if p.Offset < 0 || p.End < p.Offset || p.End > len(data) {
			t.Fatalf("Any(%q): problem out of the text: %+v", data, p)
		}
	}

	s := jsonwire.NewReader(data, jsonwire.Options{})
	s.Skip()
	s.End()
	if !reflect.DeepEqual(s.Err(), r.Err()) {
		t.Fatalf("Skip(%q): error %v, Any %v", data, s.Err(), r.Err())
	}
	if got, want := jsonwire.Valid(data), json.Valid(data) && utf8.Valid(data); got != want {
		t.Fatalf("Valid(%q) = %v, want %v", data, got, want)
	}
	w := jsonwire.NewReader(data, jsonwire.Options{})
	raw := w.Raw()
	w.End()
	if w.Err() == nil && raw != nil && !bytes.Equal(raw, bytes.Trim(data, " \t\r\n")) {
		t.Fatalf("Raw(%q) = %q", data, raw)
	}
}

func FuzzAny(f *testing.F) {
	addTexts(f)
	f.Fuzz(func(t *testing.T, data []byte) { checkAny(t, data) })
}

// checkServer compares the decoder of Server, in strict mode, with encoding/json.
func checkServer(t *testing.T, data []byte) {
	t.Helper()
	want := new(sample.Server)
	wantErr := json.Unmarshal(data, want)
	if wantErr == nil && !utf8.Valid(data) {
		wantErr = errors.New("invalid UTF-8")
	}
	copied := bytes.Clone(data)
	r := jsonwire.NewReader(copied, jsonwire.Options{Strict: true})
	got := new(sample.Server)
	sample.DecodeJSONServer(r, got)
	r.End()
	problems := r.Problems()
	for _, p := range problems {
		if p.Offset < 0 || p.End < p.Offset || p.End > len(data) || p.Message == "" {
			t.Fatalf("%q: bad problem %+v", data, p)
		}
	}
	// What was decoded must not change with the input.
	before, err := sample.AppendJSONServer(nil, got)
	if err != nil {
		t.Fatalf("%q: append: %v", data, err)
	}
	for i := range copied {
		copied[i] ^= 0x55
	}
	after, _ := sample.AppendJSONServer(nil, got)
	if !bytes.Equal(before, after) {
		t.Fatalf("%q: the result aliases the input:\n%q\n%q", data, before, after)
	}

	fatal, defects, strict := r.Err() != nil, 0, 0
	for _, p := range problems {
		switch {
		case p.Code.Strict():
			strict++
		case !p.Code.Fatal():
			defects++
		}
	}
	if valid := json.Valid(data) && utf8.Valid(data); valid == fatal {
		t.Fatalf("%q: fatal %v, valid %v", data, r.Err(), valid)
	}
	// Other case and duplicates lead encoding/json to other results.
	if fatal || strict > 0 {
		return
	}
	if (defects > 0) != (wantErr != nil) {
		t.Fatalf("%q: problems %v, encoding/json %v", data, problems, wantErr)
	}
	if defects > 0 {
		return
	}
	want.Spec.Extra, _ = exactAny(want.Spec.Extra, data)
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("%q:\n got %+v\nwant %+v", data, got, want)
	}
	text, err := json.Marshal(got)
	if err != nil || !bytes.Equal(text, before) {
		t.Fatalf("append:\n got %s\nwant %s, %v", before, text, err)
	}
}

// exactAny reads the extra field again, with exact numbers.
func exactAny(old any, data []byte) (any, error) {
	if old == nil {
		return nil, nil
	}
	var v struct {
		Spec struct {
			Extra json.RawMessage `json:"extra"`
		} `json:"spec"`
	}
	if err := json.Unmarshal(data, &v); err != nil {
		return nil, err
	}
	return slowAny(v.Spec.Extra)
}

func FuzzMachine(f *testing.F) {
	addTexts(f)
	f.Fuzz(func(t *testing.T, data []byte) { checkServer(t, data) })
}

// standardText is a string as encoding/json writes it, with the replacement character escaped where
// it stands for a byte that is not UTF-8: from Go 1.27 on the package writes it as it is.
func standardText(t *testing.T, s string) []byte {
	t.Helper()
	out := []byte{'"'}
	for s != "" {
		n := 0
		for n < len(s) {
			r, size := utf8.DecodeRuneInString(s[n:])
			if r == utf8.RuneError && size == 1 {
				break
			}
			n += size
		}
		valid, err := json.Marshal(s[:n])
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, valid[1:len(valid)-1]...)
		if n < len(s) {
			out = append(out, `\ufffd`...)
			n++
		}
		s = s[n:]
	}
	return append(out, '"')
}

func checkAppend(t *testing.T, s string) {
	t.Helper()
	want := standardText(t, s)
	for _, dst := range [][]byte{nil, make([]byte, 3, 64), make([]byte, 1, 2)} {
		n := len(dst)
		if got := jsonwire.AppendString(dst, s); !bytes.Equal(got[n:], want) {
			t.Fatalf("AppendString(%q) = %s, want %s", s, got[n:], want)
		}
	}
	m := map[string]string{s: s, "": "x", s + s: "y", "b": "&"}
	want, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	if utf8.ValidString(s) {
		if got := jsonwire.AppendStringMap(nil, m); !bytes.Equal(got, want) {
			t.Fatalf("AppendStringMap(%q) = %s, want %s", m, got, want)
		}
	}
	r := jsonwire.NewReader(jsonwire.AppendString(nil, s), jsonwire.Options{})
	if got := r.String(""); got != strings.ToValidUTF8(s, "\ufffd") && utf8.ValidString(s) {
		t.Fatalf("String(AppendString(%q)) = %q", s, got)
	}
	if r.End(); r.Err() != nil {
		t.Fatalf("String(AppendString(%q)): %v", s, r.Err())
	}
}

func FuzzAppendString(f *testing.F) {
	for _, s := range append(texts, strings.Repeat("a", 300), strings.Repeat("é", 200)+"<") {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { checkAppend(t, s) })
}

func checkRaw(t *testing.T, data []byte) {
	t.Helper()
	want, wantErr := json.Marshal(json.RawMessage(data))
	if len(data) == 0 {
		want, wantErr = []byte("null"), nil
	}
	if wantErr == nil && !utf8.Valid(data) {
		wantErr = errors.New("invalid UTF-8")
	}
	got, err := jsonwire.AppendRaw([]byte("x"), data)
	if (err == nil) != (wantErr == nil) {
		t.Fatalf("AppendRaw(%q): %v, encoding/json %v", data, err, wantErr)
	}
	if err != nil {
		if string(got) != "x" {
			t.Fatalf("AppendRaw(%q): dst changed to %q", data, got)
		}
		return
	}
	if string(got) != "x"+string(want) {
		t.Fatalf("AppendRaw(%q) = %q, want %q", data, got[1:], want)
	}
	if len(data) == 0 {
		return
	}
	var b bytes.Buffer
	if err := json.Compact(&b, data); err != nil {
		t.Fatal(err)
	}
	if got, err := jsonwire.Compact(nil, data); err != nil || !bytes.Equal(got, b.Bytes()) {
		t.Fatalf("Compact(%q) = %q, %v, want %q", data, got, err, b.Bytes())
	}
	if len(data) > 2000 {
		return // deep texts grow by the square of their depth
	}
	checkDuplicates(t, string(data))
	if bytes.Count(data, []byte("["))+bytes.Count(data, []byte("{")) > 64 {
		return // deeper levels are not indented
	}
	for _, row := range []struct{ prefix, indent string }{{"", "  "}, {">", "\t"}, {"", ""}} {
		b.Reset()
		if err := json.Indent(&b, data, row.prefix, row.indent); err != nil {
			t.Fatal(err)
		}
		// White space behind the value is kept by one version of Go and indented by the next.
		got := bytes.TrimRight(jsonwire.AppendIndent(nil, data, row.prefix, row.indent), " \t\r\n>")
		if want := bytes.TrimRight(b.Bytes(), " \t\r\n>"); !bytes.Equal(got, want) {
			t.Fatalf("AppendIndent(%q) = %q, want %q", data, got, want)
		}
	}
}

func FuzzRaw(f *testing.F) {
	addTexts(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		checkRaw(t, data)
		jsonwire.AppendIndent(nil, data[:min(len(data), 1000)], "", " ") // no panic on anything
	})
}

func FuzzFloat(f *testing.F) {
	for _, v := range []float64{
		0, math.Copysign(0, -1), 1, 0.1, 1e-6, 9.99e-7, 1e20, 1e21, 1.5e-9, 1e-10,
		math.MaxFloat64, math.SmallestNonzeroFloat64, math.MaxFloat32, math.NaN(), math.Inf(1),
	} {
		f.Add(math.Float64bits(v))
	}
	f.Fuzz(func(t *testing.T, bits uint64) {
		v := math.Float64frombits(bits)
		want, wantErr := json.Marshal(v)
		got, err := jsonwire.AppendFloat64(nil, v)
		if (err == nil) != (wantErr == nil) || string(got) != string(want) {
			t.Fatalf("AppendFloat64(%v) = %s, %v, want %s, %v", v, got, err, want, wantErr)
		}
		want, wantErr = json.Marshal(float32(v))
		got, err = jsonwire.AppendFloat32(nil, float32(v))
		if (err == nil) != (wantErr == nil) || string(got) != string(want) {
			t.Fatalf("AppendFloat32(%v) = %s, %v, want %s, %v", v, got, err, want, wantErr)
		}
		small := math.Float32frombits(uint32(bits))
		want, _ = json.Marshal(small)
		if got, _ = jsonwire.AppendFloat32(nil, small); string(got) != string(want) {
			t.Fatalf("AppendFloat32(%v) = %s, want %s", small, got, want)
		}
	})
}

func checkPaths(t *testing.T, data []byte) {
	t.Helper()
	data = data[:min(len(data), 400)]
	valid := jsonwire.Valid(data)
	for i := -1; i <= len(data)+1; i++ {
		p := jsonwire.PathAt(data, i)
		start, end, ok := jsonwire.OffsetOf(data, p)
		if start < 0 || end < start || end > len(data) {
			t.Fatalf("OffsetOf(%q, %v) = %d, %d", data, p, start, end)
		}
		if valid && !ok {
			t.Fatalf("OffsetOf(%q, PathAt(%d) = %v) finds nothing", data, i, p)
		}
	}
}

func FuzzPath(f *testing.F) {
	addTexts(f)
	f.Fuzz(func(t *testing.T, data []byte) { checkPaths(t, data) })
}

func checkSniff(t *testing.T, data []byte) {
	t.Helper()
	apiVersion, kind, err := jsonwire.SniffType(data)
	if !json.Valid(data) || !utf8.Valid(data) {
		return
	}
	r := jsonwire.NewReader(data, jsonwire.Options{Strict: true})
	var want struct{ apiVersion, kind string }
	var seen uint64
	for key := r.Object(); key != nil; key = r.NextKey() {
		switch string(key) {
		case "apiVersion":
			r.Seen(&seen, 0, key)
			want.apiVersion = r.String("")
		case "kind":
			r.Seen(&seen, 1, key)
			want.kind = r.String("")
		default:
			r.Skip()
		}
	}
	for _, p := range r.Problems() {
		if p.Code == wire.DuplicateField || p.Code == wire.WrongType {
			return
		}
	}
	if err != nil && string(bytes.TrimSpace(data)) != "null" {
		t.Fatalf("SniffType(%q): %v", data, err)
	}
	if apiVersion != want.apiVersion || kind != want.kind {
		t.Fatalf("SniffType(%q) = %q, %q, want %q, %q", data, apiVersion, kind, want.apiVersion, want.kind)
	}
}

func FuzzSniffType(f *testing.F) {
	addTexts(f)
	f.Add([]byte(`{"a":[{"kind":"x"},"]"],"k\u0069nd":"Pod","apiVersion":"v\u0031"}`))
	f.Fuzz(func(t *testing.T, data []byte) { checkSniff(t, data) })
}

// drive calls reading methods as the bytes of ops say, on an annotated text.
func drive(t *testing.T, data, ops []byte) {
	t.Helper()
	r := jsonwire.NewReader(data, jsonwire.Options{
		Annotated: true, Strict: true,
		Limits: schema.Limits{Depth: 50, Problems: 10},
	})
	var mask uint64
	var key []byte
	last := 0
	for _, op := range ops {
		switch op % 32 {
		case 0:
			key = r.Object()
		case 1:
			key = r.NextKey()
		case 2:
			r.Array()
		case 3:
			r.NextElem()
		case 4:
			r.Null()
		case 5:
			r.Kind()
		case 6:
			_ = r.String("")
		case 7:
			r.Bool(false)
		case 8:
			r.Int64(0)
		case 9:
			r.Int8(0)
		case 10:
			r.Uint64(0)
		case 11:
			r.Uint8(0)
		case 12:
			r.Float64(0)
		case 13:
			r.Float32(0)
		case 14:
			r.Bytes()
		case 15:
			r.StringMap()
		case 16:
			r.Strings()
		case 17:
			r.Any()
		case 18:
			if raw := r.Raw(); raw != nil && !jsonwire.Valid(raw) {
				t.Fatalf("Raw of %q is %q", data, raw)
			}
		case 19:
			r.Skip()
		case 20:
			r.Seen(&mask, uint(op), key)
		case 21:
			r.Unknown(key, []string{"disks", "paused", "replicas"})
		case 22:
			r.Duplicate(key)
		case 23:
			r.Invalid(errors.New("invalid"))
		case 24:
			r.Unmarshaler(new(json.RawMessage))
		case 25:
			r.TextUnmarshaler(new(textValue))
		case 26:
			r.End()
		case 27:
			r.Text()
		case 28:
			r.Number()
		case 29:
			r.Item()
		case 30:
			_ = r.KeyString(key)
		case 31:
			r.Int32(0)
		}
		if r.Offset() < last || r.Offset() > len(data) {
			t.Fatalf("%q %v: offset went from %d to %d", data, ops, last, r.Offset())
		}
		last = r.Offset()
	}
	for _, p := range r.Problems() {
		if p.Offset < 0 || p.End < p.Offset || p.End > len(data) || p.Message == "" {
			t.Fatalf("%q %v: bad problem %+v", data, ops, p)
		}
	}
}

type textValue string

func (v *textValue) UnmarshalText(text []byte) error {
	if len(text) > 3 {
		return errors.New("too long")
	}
	*v = textValue(text)
	return nil
}

func FuzzDrive(f *testing.F) {
	for i, text := range texts {
		f.Add([]byte(text), []byte{byte(i), 0, 1, 2, 3, 17})
		f.Add([]byte("\x01"+text), []byte{byte(i), byte(i + 1), 26})
	}
	f.Add([]byte("{\"a\":\x01\"0x10\",\"b\":[\x01\"yes\",\x01\"~\",\x01\".inf\",\x01\"a\\n\"]}"), []byte{0, 8, 1, 18})
	f.Add([]byte("[\x01\"0x10\",\x01\"yes\",\x01\"~\",\x01\".inf\",\x01\"1e999\"]"),
		[]byte{2, 12, 3, 7, 3, 4, 3, 17, 3, 12, 3})
	f.Fuzz(func(t *testing.T, data, ops []byte) { drive(t, data, ops[:min(len(ops), 100)]) })
}
