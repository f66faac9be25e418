package cbor_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/askind/askind/serializer/cbor"
)

// checkReused compares what a used encoder and decoder write of a text with what new ones write.
func checkReused(t *testing.T, r *cbor.Rewriter, text []byte) {
	t.Helper()
	dst := []byte("in front")
	got, err := r.FromJSON(dst, text)
	want, wantErr := new(cbor.Rewriter).FromJSON(dst, text)
	if fmt.Sprint(err) != fmt.Sprint(wantErr) || !bytes.Equal(got, want) {
		t.Fatalf("%s:\n got %x, %v\nwant %x, %v", text, got, err, want, wantErr)
	}
	if err != nil {
		return
	}
	item := got[len(dst):]
	back, ok := r.ToJSON(dst, item)
	wantBack, wantOK := new(cbor.Rewriter).ToJSON(dst, item)
	if ok != wantOK || !bytes.Equal(back, wantBack) {
		t.Fatalf("%x:\n got %s, %v\nwant %s, %v", item, back, ok, wantBack, wantOK)
	}
}

// randomText returns an object whose names are drawn from a few, so that some occur twice.
func randomText(rnd *rand.Rand, depth int) string {
	names := []string{
		"a", "b", "kind", "name", "apiVersion", "ab", "aa", "a-name-of-22-bytes----",
		"a-name-of-23-bytes-----", strings.Repeat("long", 20), `esc\"aped`, `\u0061`, "é", "f:" +
			fmt.Sprint(rnd.IntN(1000)),
	}
	var b strings.Builder
	b.WriteByte('{')
	n := rnd.IntN(6)
	if rnd.IntN(30) == 0 {
		n = 50
	}
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		space := ""
		if rnd.IntN(20) == 0 {
			space = " \n"
		}
		b.WriteString(space + `"` + names[rnd.IntN(len(names))] + `"` + space + ":")
		switch k := rnd.IntN(6); {
		case k == 0 && depth < 4:
			b.WriteString(randomText(rnd, depth+1))
		case k == 1 && depth < 4:
			b.WriteString(randomNames(rnd, depth))
		case k == 2 && depth < 4:
			b.WriteString("[" + randomText(rnd, depth+1) + "," + space + randomText(rnd, depth+1) + "]")
		case k == 3:
			b.WriteString(`"` + strings.Repeat("text", rnd.IntN(20)) + `"`)
		default:
			b.WriteString([]string{
				"1", "-2.5e3", "1e5", "true", "null", "[]", "{}", "18446744073709551615",
				`"\n"`,
			}[rnd.IntN(9)])
		}
	}
	return b.String() + "}"
}

// randomNames returns an object that has nothing in it but names, as managed fields are, some of
// them twice.
func randomNames(rnd *rand.Rand, depth int) string {
	names := []string{
		".", "f:a", "f:bb", `k:{\"type\":\"Ready\"}`, "f:" + strings.Repeat("long", 5),
		"f:" + fmt.Sprint(rnd.IntN(100)),
	}
	var members []string
	for range rnd.IntN(4) {
		value := "{}"
		switch k := rnd.IntN(40); {
		case k == 0:
			value = "null"
		case k == 1:
			value = "{ }"
		case k < 25 && depth < 6:
			value = randomNames(rnd, depth+1)
		}
		members = append(members, `"`+names[rnd.IntN(len(names))]+`":`+value)
	}
	return "{" + strings.Join(members, ",") + "}"
}

// TestReused checks that texts written before make no difference.
func TestReused(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 5))
	var r cbor.Rewriter
	var recent []string
	for i := range 1200 {
		text := randomText(rnd, 0)
		if len(recent) > 100 && i%2 == 0 {
			text = recent[len(recent)-1-rnd.IntN(100)]
		}
		recent = append(recent, text)
		if !json.Valid([]byte(text)) {
			t.Fatalf("no JSON: %s", text)
		}
		checkReused(t, &r, []byte(text))
		if i%10 == 0 {
			checkReused(t, &r, []byte(text[:rnd.IntN(len(text))]))
		}
	}
}

// TestNames is [TestReused] for objects that consist of names only, and checks that a repeated name
// is a problem in strict reading.
func TestNames(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 6))
	var r cbor.Rewriter
	for range 3000 {
		checkReused(t, &r, []byte(`{"a":`+randomNames(rnd, 0)+`,"b":[`+randomNames(rnd, 0)+`]}`))
	}
	item := []byte("\xa1\x43f:a\xa2\x43f:b\xa0\x43f:b\xa0")
	for range 3 {
		for strict, want := range map[bool]bool{false: true, true: false} {
			if got, ok := r.ToJSONStrictly(nil, item, strict); ok != want || ok && string(got) != `{"f:a":{"f:b":{}}}` {
				t.Errorf("strict %v: %s, %v", strict, got, ok)
			}
		}
	}
}

// TestDepthOfNames nests objects around the limit.
func TestDepthOfNames(t *testing.T) {
	t.Parallel()
	var r cbor.Rewriter
	nested := strings.Repeat(`{"a":`, 500) + "{}" + strings.Repeat("}", 500)
	for _, around := range []int{0, 100, 9500, 9500, 9501, 9999} {
		checkReused(t, &r, []byte(strings.Repeat("[", around)+nested+strings.Repeat("]", around)))
	}
}

// TestRoom writes texts whose items take more room than the texts do, next to texts of nothing
// else.
func TestRoom(t *testing.T) {
	t.Parallel()
	long := `"` + strings.Repeat("x", 300) + `"`
	huge := `"` + strings.Repeat("x", 70_000) + `"`
	list := "[" + strings.Repeat(long+",", 299) + long + "]"
	for _, text := range []string{
		"[" + strings.Repeat("1e0,", 5000) + "1e0]",
		"[" + strings.Repeat("1.1,", 5000) + "1.1]",
		"[" + strings.Repeat(list+",", 70) + list + "]",
		"[" + strings.Repeat(huge+",", 20) + huge + "]",
		`{"` + strings.Repeat("k", 70_000) + `":` + list + `,"a":[` + strings.Repeat("0,", 70_000) + "0]}",
	} {
		back, err := cbor.FromJSON(nil, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		got, err := cbor.ToJSON(back)
		if err != nil {
			t.Fatal(err)
		}
		var a, b any
		if err := json.Unmarshal([]byte(text), &a); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(got, &b); err != nil {
			t.Fatal(err)
		}
		x, _ := json.Marshal(a)
		y, _ := json.Marshal(b)
		if !bytes.Equal(x, y) {
			t.Errorf("%.40s… comes back as %.40s…", text, got)
		}
		for _, room := range []int{0, len(text) / 2, len(back), len(text) + 64} {
			if again, err := cbor.FromJSON(make([]byte, 0, room), []byte(text)); err != nil ||
				!bytes.Equal(again, back) {
				t.Errorf("%.40s… is written otherwise into %d bytes, error %v", text, room, err)
			}
		}
	}
}

// FuzzReused is [TestReused] for any texts.
func FuzzReused(f *testing.F) {
	f.Add([]byte(`{"b":1,"a":{"c":[{"b":1,"a":2}]}}`), []byte(`{"b":1,"a":{"c":[{"b":1,"a":2,"b":3}]}}`))
	f.Add([]byte(`{"b" :1,"\u0061":{}}`), []byte(`{"b":1,"a":{}`))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		var r cbor.Rewriter
		for _, text := range [][]byte{a, b, a, b, a, b} {
			checkReused(t, &r, text)
		}
	})
}

// TestOrder compares the order of random names, with duplicates, with a sort: by length and then by
// bytes in CBOR, by bytes in JSON.
func TestOrder(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(8, 9))
	var r cbor.Rewriter
	for range 500 {
		last := map[string]int{}
		var text []byte
		for i := range 1 + rnd.IntN(60) {
			name := strings.Repeat("x", rnd.IntN(3)*rnd.IntN(5)) + fmt.Sprint(rnd.IntN(12)) +
				strings.Repeat("y", rnd.IntN(8)*rnd.IntN(5)*rnd.IntN(10))
			text = fmt.Appendf(text, `,"%s":%d`, name, i%24)
			last[name] = i % 24
		}
		text[0] = '{'
		text = append(text, '}')
		var want []byte
		for _, name := range slices.SortedFunc(maps.Keys(last), func(a, b string) int {
			return cmp.Or(len(a)-len(b), strings.Compare(a, b))
		}) {
			switch n := len(name); {
			case n < 24:
				want = append(want, 0x40|byte(n))
			case n < 1<<8:
				want = append(want, 0x58, byte(n))
			default:
				want = append(want, 0x59, byte(n>>8), byte(n))
			}
			want = append(append(want, name...), byte(last[name]))
		}
		got, err := r.FromJSON(nil, text)
		if err != nil || !bytes.HasSuffix(got, want) || len(got)-len(want) > 2 {
			t.Fatalf("%s:\n got %x, %v\nwant %x", text, got, err, want)
		}
		wantBack, _ := json.Marshal(last)
		if back, ok := r.ToJSON(nil, got); !ok || !bytes.Equal(back, wantBack) {
			t.Fatalf("%x:\n got %s, %v\nwant %s", got, back, ok, wantBack)
		}
	}
}
