package cbor_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/askind/askind/serializer/cbor"
)

// checkRemembered holds what is written of a text with a memory of other texts against what is
// written without one, both ways.
func checkRemembered(t *testing.T, r *cbor.Rewriter, text []byte) {
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

// randomText returns an object whose names are drawn from a few, so that objects are alike, have
// names twice, and have ones that are not remembered.
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

// TestRememberedShapes checks that what is remembered of the shapes of objects makes no difference.
func TestRememberedShapes(t *testing.T) {
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
		checkRemembered(t, &r, []byte(text))
		if i%10 == 0 {
			checkRemembered(t, &r, []byte(text[:rnd.IntN(len(text))]))
		}
	}
}

// TestRememberedNames is [TestRememberedShapes] for objects in which there is hardly more than
// names, and holds that names which occur twice stay a problem in strict reading.
func TestRememberedNames(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 6))
	var r cbor.Rewriter
	for range 3000 {
		checkRemembered(t, &r, []byte(`{"a":`+randomNames(rnd, 0)+`,"b":[`+randomNames(rnd, 0)+`]}`))
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

// TestDepthOfNames checks that names that were seen before nest no deeper than others.
func TestDepthOfNames(t *testing.T) {
	t.Parallel()
	var r cbor.Rewriter
	nested := strings.Repeat(`{"a":`, 500) + "{}" + strings.Repeat("}", 500)
	for _, around := range []int{0, 100, 9500, 9500, 9501, 9999} {
		checkRemembered(t, &r, []byte(strings.Repeat("[", around)+nested+strings.Repeat("]", around)))
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

// FuzzShapes is [TestRememberedShapes] for any texts.
func FuzzShapes(f *testing.F) {
	f.Add([]byte(`{"b":1,"a":{"c":[{"b":1,"a":2}]}}`), []byte(`{"b":1,"a":{"c":[{"b":1,"a":2,"b":3}]}}`))
	f.Add([]byte(`{"b" :1,"\u0061":{}}`), []byte(`{"b":1,"a":{}`))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		var r cbor.Rewriter
		for _, text := range [][]byte{a, b, a, b, a, b} {
			checkRemembered(t, &r, text)
		}
	})
}
