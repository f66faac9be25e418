package yaml

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// checkReused compares what a used emitter writes of a text with what a new one writes, in both
// orders.
func checkReused(t *testing.T, e *emitter, text []byte) {
	t.Helper()
	for _, declared := range []bool{false, true} {
		e.declared = declared
		got, err := e.append([]byte("# in front\n"), text)
		fresh := emitter{declared: declared}
		want, wantErr := fresh.append([]byte("# in front\n"), text)
		if fmt.Sprint(err) != fmt.Sprint(wantErr) || err == nil && !bytes.Equal(got, want) {
			t.Fatalf("%s, declared: %v\n got %s, %v\nwant %s, %v", text, declared, got, err, want, wantErr)
		}
	}
}

// randomObject writes an object whose names are drawn from a few, so that objects are alike and
// have names twice, and which are written in every way.
func randomObject(b *strings.Builder, random *rand.Rand, depth int) {
	names := []string{
		"a", "b", "kind", "apiVersion", "item2", "item10", "1", "y", "null", "<<", ".", "- x", "a: b",
		"é", `\n`, `k:{\"a\":1}`, strings.Repeat("long", 20), strings.Repeat("x", 130), "f:" +
			fmt.Sprint(random.IntN(1000)),
	}
	b.WriteByte('{')
	n := random.IntN(5)
	if random.IntN(40) == 0 {
		n = 50
	}
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		space := ""
		if random.IntN(20) == 0 {
			space = " \n"
		}
		b.WriteString(space + `"` + names[random.IntN(len(names))] + `"` + space + ":")
		switch k := random.IntN(5); {
		case k < 2 && depth < 4:
			randomObject(b, random, depth+1)
		case k == 2 && depth < 4:
			b.WriteByte('[')
			randomObject(b, random, depth+1)
			b.WriteString("," + space)
			randomObject(b, random, depth+1)
			b.WriteByte(']')
		default:
			b.WriteString([]string{
				"1", "-2.5e3", "true", "null", "[]", "{}", `"word"`, `"2026-02-25T06:13:27Z"`,
				`"10.0.0.1"`, `"a\nb"`, `"a: # b"`, `"é"`,
			}[random.IntN(12)])
		}
	}
	b.WriteByte('}')
}

// TestReused checks that texts written before make no difference.
func TestReused(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 7))
	var e emitter
	var recent []string
	for i := range 1200 {
		var b strings.Builder
		randomObject(&b, random, 0)
		text := b.String()
		if len(recent) > 100 && i%2 == 0 {
			text = recent[len(recent)-1-random.IntN(100)]
		}
		recent = append(recent, text)
		checkReused(t, &e, []byte(text))
		if i%10 == 0 {
			checkReused(t, &e, []byte(text[:random.IntN(len(text))]))
		}
	}
}

// FuzzReused is [TestReused] for any texts.
func FuzzReused(f *testing.F) {
	f.Add([]byte(`{"b":1,"a":{"c":[{"b":1,"a":2}]}}`), []byte(`{"b":1,"a":{"c":[{"b":1,"a":2,"b":3}]}}`))
	f.Add([]byte(`{"b" :1,"\u0061":{},"<<":"x"}`), []byte(`{"b":1,"a":{}`))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		var e emitter
		for _, text := range [][]byte{a, b, a, b, a, b} {
			checkReused(t, &e, text)
		}
	})
}

// TestOrder compares the order of random names, with duplicates, with a stable sort.
func TestOrder(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(8, 9))
	var e emitter
	for range 500 {
		var json, want []byte
		last := map[string]int{}
		for i := range 1 + random.IntN(60) {
			name := []string{"item", "name", "x", "itemPath", "itemName"}[random.IntN(5)]
			name += fmt.Sprint(random.IntN(12))
			json = fmt.Appendf(json, `,"%s":%d`, name, i)
			last[name] = i
		}
		json[0] = '{'
		for _, name := range slices.SortedFunc(maps.Keys(last), func(a, b string) int {
			return compareKeys([]byte(a), []byte(b))
		}) {
			want = fmt.Appendf(want, "%s: %d\n", name, last[name])
		}
		if got, err := e.append(nil, append(json, '}')); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%s:\n got %s, %v\nwant %s", json, got, err, want)
		}
	}
}

// TestRepeatedNames checks that the last of several members with equal names is written, alone,
// although the order of names can have circles.
func TestRepeatedNames(t *testing.T) {
	t.Parallel()
	texts := []string{`{"v2":1,"v10":2,"v1b":3,"v2":4}`, `{"a99":1,"a9a":2,"a11":3,"a99":4}`}
	random := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		text := ""
		for i := range 2 + random.IntN(40) {
			text += fmt.Sprintf(`,"v%s%s":%d`, []string{"", "1", "9", "10"}[random.IntN(4)],
				[]string{"", "b", "0", "01", "9a", "-"}[random.IntN(6)], i)
		}
		texts = append(texts, "{"+text[1:]+"}")
	}
	for _, text := range texts {
		want := map[string]int{}
		if err := json.Unmarshal([]byte(text), &want); err != nil {
			t.Fatal(err)
		}
		for _, declared := range []bool{false, true} {
			out, err := (&emitter{declared: declared}).append(nil, []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]int{}
			object, err := ToJSON(out)
			if err == nil {
				err = json.Unmarshal(object, &got)
			}
			if err != nil || !maps.Equal(got, want) || bytes.Count(out, []byte("\n")) != len(want) {
				t.Errorf("%s becomes\n%s%v", text, out, err)
			}
		}
	}
}
