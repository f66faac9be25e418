package fieldset_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/askind/askind/internal/fieldset"
	"github.com/askind/askind/serializer/jsonwire"
)

// TestEnd tells sets of fields from other texts.
func TestEnd(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		`{}`: 2, `{}}`: 2, `{"a":{}}`: 8, `{"a":{"b":{}},"c":{}}x`: 21, ``: 0, `{`: 0, `{"a"}`: 0, `{"a":{}`: 0, `{"a":{},}`: 0, `{"a":{}{}}`: 0, `{,}`: 0,
		`{"a":1}`: 0, `{"a\n":{}}`: 0, `{"\\":{}}`: 9, `{"a":{}},{}`: 8,
	} {
		if got := fieldset.End([]byte(text)); got != want {
			t.Errorf("%s: got %d, want %d", text, got, want)
		}
	}
}

// TestAlike holds that whatever is like a set of fields is one.
func TestAlike(t *testing.T) {
	t.Parallel()
	const set = `{"f:a":{".":{},"k:{\"ip\":\"10.1.0.17\"}":{"f:ip":{}},"f:b":{}}}`
	for text, want := range map[string]bool{
		set: true,
		`{"f:a":{".":{},"k:{\"ip\":\"10.1.0.9\"}":{"f:ip":{}},"f:b":{}}}`:        true,
		`{"f:aa":{".":{},"k:{\"ip\":\"110.1.0.178\"}":{"f:ip":{}},"f:bbb":{}}}`:  true,
		`{"f:a":{".":{},"k:{\"ip\":\"\"}":{"f:ip":{}},"f:b":{}}}`:                true,
		`{"f:a":{"":{},"k:{\"ip\":\"10.1.0.17\"}":{"f:ip":{}},"f:b":{}}}`:        true,
		`{"f:a":{".":{},"k:{\"ip\":\"10.1.0.1<\"}":{"f:ip":{}},"f:b":{}}}`:       false,
		`{"f:a":{".":{},"k:{\"ip\":\"10.1.0.\xc3\xa9\"}":{"f:ip":{}},"f:b":{}}}`: false,
		`{"f:a":{".":{},"k:{\nip\":\"10.1.0.17\"}":{"f:ip":{}},"f:b":{}}}`:       false,
		`{"f:a":{".":{},"k:{\"ip\":\"10.1.0.17"}":{"f:ip":{}},"f:b":{}}}`:        false,
		`{"f:a":{".":{}x,"k:{\"ip\":\"10.1.0.17\"}":{"f:ip":{}},"f:b":{}}}`:      false,
		`{"f:a":{".":{} ,"k:{\"ip\":\"10.1.0.17\"}":{"f:ip":{}},"f:b":{}}}`:      false,
		`{"f:a":{".":{1},"k:{\"ip\":\"10.1.0.17\"}":{"f:ip":{}},"f:b":{}}}`:      false,
		`{"f:a":{".":{},"k:{\"ip\":\"10.1.0.17\"}":{"f:ip":{}},"f:b":{}}`:        false,
		set + "}": false,
		set + "x": false,
		"x" + set: false,
		`{`:       false,
		``:        false,
	} {
		if got := fieldset.Alike([]byte(set), []byte(text)); got != want {
			t.Errorf("%s: got %v", text, got)
		}
	}
	if fieldset.Alike(nil, nil) {
		t.Error("nothing is like nothing")
	}
}

func FuzzAlike(f *testing.F) {
	f.Add([]byte(`{"f:a":{".":{},"k:{\"ip\":\"10\"}":{}}}`), []byte(`{"f:a":{".":{},"k:{\"ip\":\"117\"}":{}}}`))
	f.Add([]byte(`{"\\":{}}`), []byte(`{"\\n":{}}`))
	f.Add([]byte(`{"a\\b":{}}`), []byte(`{"a\nb":{}}`))
	f.Add([]byte(`{"":{}}`), []byte(`{"a":{}}`))
	f.Fuzz(func(t *testing.T, known, text []byte) {
		if fieldset.End(known) != len(known) || len(known) == 0 || !fieldset.Alike(known, text) {
			return
		}
		if fieldset.End(text) != len(text) && !jsonwire.Valid(text) {
			t.Errorf("%s is called like %s", text, known)
		}
		if out, err := jsonwire.AppendRaw(nil, text); err != nil || !bytes.Equal(out, text) {
			t.Errorf("%s is written as %s, %v", text, out, err)
		}
	})
}

// TestMemo holds what a Memo knows after a text, and that it never knows what would be written in another way.
func TestMemo(t *testing.T) {
	t.Parallel()
	set := func(program, address string) string {
		return fmt.Sprintf(`{"f:%s":{"f:addresses":{".":{},"k:{\"ip\":\"%s\"}":{".":{},"f:ip":{},"f:port":{}}},"f:phase":{}}}`, program, address)
	}
	var m fieldset.Memo
	for i, c := range []struct {
		text string
		want bool
	}{
		{set("agent", "10.1.0.17"), false}, // seen, not read
		{set("agent", "10.1.0.18"), true},  // read
		{set("agent", "10.1.0.117"), true}, // like the one before
		{set("scheduler", "10.1.0.17"), false},
		{set("agent", "10.1.0.9"), true}, // another program does not matter
		{set("agent", "10.1.0.<"), false},
		{set("agent", `\n`), false},
		{set("agent", "10.1.0.9") + " ", false},
		{set("agent", ""), true},
		{set("agent", "") + "}", false},
		{strings.Replace(set("agent", ""), `".":{},`, "", 1), true}, // another set that ends alike
		{set("agent", "10.1.0.9"), true},
		{"", false},
		{`{"f:a":{}}`, false}, // too short
		{set("agent", strings.Repeat("a", 5000)), false},
		{set("agent", strings.Repeat("a", 5000)), false}, // too long
	} {
		got := m.Known([]byte(c.text))
		if got != c.want {
			t.Errorf("%d: %.200s: got %v", i, c.text, got)
		}
		if out, err := jsonwire.AppendRaw(nil, []byte(c.text)); got && (err != nil || string(out) != c.text) {
			t.Errorf("%d: %s is written as %s, %v", i, c.text, out, err)
		}
	}
}

// FuzzMemo shows a Memo texts, one in a line, and compares what it knows with what a reader finds.
func FuzzMemo(f *testing.F) {
	const set = `{"f:status":{"f:addresses":{".":{},"k:{\"ip\":\"10.1.0.17\"}":{".":{},"f:ip":{},"f:port":{}}},"f:phase":{}}}`
	f.Add([]byte(strings.Repeat(set+"\n", 3)))
	f.Add([]byte(set + "\n" + set + "\n" + strings.Replace(set, "10.1", "10\"1", 1) + "\n" + strings.Replace(set, "phase", "ph<se", 1)))
	f.Fuzz(func(t *testing.T, texts []byte) {
		var m fieldset.Memo
		for text := range bytes.SplitSeq(texts, []byte("\n")) {
			if !m.Known(text) {
				continue
			}
			if out, err := jsonwire.AppendRaw(nil, text); err != nil || !bytes.Equal(out, text) {
				t.Fatalf("%s is written as %s, %v", text, out, err)
			}
		}
	})
}

// BenchmarkKnown compares the two ways to know a set, and both with writing any value.
func BenchmarkKnown(b *testing.B) {
	text := []byte(`{"f:status":{"f:conditions":{"k:{\"type\":\"ContainersReady\"}":{".":{},"f:lastTransitionTime":{},"f:status":{},"f:type":{}},"k:{\"type\":\"Ready\"}":{".":{},"f:lastTransitionTime":{},"f:status":{},"f:type":{}}},"f:hostIP":{},"f:phase":{},"f:podIPs":{".":{},"k:{\"ip\":\"10.1.0.17\"}":{".":{},"f:ip":{}}},"f:startTime":{}}}`)
	var m fieldset.Memo
	m.Known(text) // so that it reads the text when it sees it again
	var dst []byte
	for _, c := range []struct {
		name string
		f    func() bool
	}{
		{"memo", func() bool { return m.Known(text) }},
		{"end", func() bool { return fieldset.End(text) == len(text) }},
		{"raw", func() bool {
			out, err := jsonwire.AppendRaw(dst[:0], text)
			dst = out
			return err == nil
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if !c.f() {
					b.Fatal("not known")
				}
			}
		})
	}
}
