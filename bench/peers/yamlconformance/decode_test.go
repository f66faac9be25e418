package yamlconformance

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	peer "sigs.k8s.io/yaml"

	"github.com/askind/askind/serializer/yaml"
)

// sameJSON reports whether two JSON texts mean the same, numbers by their text.
func sameJSON(t *testing.T, a, b []byte) bool {
	t.Helper()
	decode := func(b []byte) (v any) {
		d := json.NewDecoder(bytes.NewReader(b))
		d.UseNumber()
		if err := d.Decode(&v); err != nil {
			t.Fatalf("invalid JSON %q: %v", b, err)
		}
		return v
	}
	return bytes.Equal(a, b) || reflect.DeepEqual(decode(a), decode(b))
}

// compareRead reads a text with both libraries.
func compareRead(t *testing.T, text string) {
	t.Helper()
	want, err := peer.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatalf("the peer refuses %q: %v", text, err)
	}
	got, err := yaml.ToJSON([]byte(text))
	if err != nil {
		t.Errorf("ToJSON(%q): %v", text, err)
		return
	}
	if !sameJSON(t, got, want) {
		t.Errorf("ToJSON(%q)\ngot:  %s\nwant: %s", text, got, want)
	}
}

func TestGoldenDecode(t *testing.T) {
	t.Parallel()
	for _, file := range goldenFiles(t, "yaml") {
		in, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			compareRead(t, string(in))
		})
	}
}

// TestDecode has texts that both libraries read alike.
func TestDecode(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "# nothing\n", "---\n", "a: 1\n", "a: 0777\n", "a: 0o17\n", "a: 0x1F\n", "a: 0b101\n", "a: 1_000\n",
		"a: +1\n", "a: -1\n", "a: 1.10\n", "a: 1e3\n", "a: .5\n", "a: 5.\n", "a: 089\n", "a: 1.2.3\n", "a: 100m\n",
		"a: 9223372036854775807\n", "a: 18446744073709551615\n", "a: 1e400\n", "a: 0x\n", "a: '-'\n",
		"a: yes\nb: no\nc: on\nd: off\ne: y\nf: n\ng: Yes\nh: TRUE\ni: tRUE\n",
		"a: ~\nb: null\nc: Null\nd: NULL\ne:\nf: nUll\n", "a: 2020-01-02\nb: 2020-01-02T03:04:05Z\n", "a: 1:30\n",
		"a: 'yes'\nb: \"1\"\nc: !!str 1\nd: !!int '5'\ne: !!float 3\nf: !!bool 'true'\ng: !!null ''\n", "1: a\n2: b\n",
		"'1': a\n",
		"a: &x {b: 1}\nc: *x\n", "a: &x {b: 1, c: 2}\nd:\n  <<: *x\n  c: 3\n",
		"a: &x {b: 1}\nc: &y {b: 2, d: 3}\ne:\n  <<: [*x, *y]\n  f: 4\n", "- &a 1\n- *a\n",
		"a: |\n  x\n  y\n", "a: |-\n  x\n", "a: |+\n  x\n\n", "a: >\n  x\n  y\n\n  z\n", "a: >-\n  x\n   y\n",
		"a: |2\n   x\n", "a: 'x\n  y'\n", "a: \"x\n\n  y\\\n  z\"\n", "a: x\n  y\n  z\n", "a: x\n\n  y\n",
		"a: \"\\x41\\u00e9\\U0001F600\\n\\t\\0\\e\\_\\N\\L\\P\"\n", "a: [1, 'b', [c], {d: e}]\n",
		"a: {b: [1], c: {d}}\n", "[a, b]", "{\"a\": \"b\"}", "a:\n- b\n- c\n", "a:\n  - b\n  -  c: d\n     e: f\n",
		"? a\n: b\n? c\n", "- - a\n  - b\n-\n  c: d\n", "a: b # c\n# d\n", "a: b#c\n", "%YAML 1.1\n---\na: 1\n",
		"a: 1\r\nb: 2\r\n", "\ufeffa: 1\n", "a: 1\n...\n", "\"a\": 1\n'b': 2\n",
		"a: <<\n", "a: =\n", "a: x:y\n", "a: http://x/y?z=1#w\n", "a: {b: http://x}\n", "a: [http://x, y]\n",
	} {
		compareRead(t, text)
	}
}

// TestRandomDecode reads what the peer writes, in block form and as JSON.
func TestRandomDecode(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 3))
	for range 5000 {
		in, err := json.Marshal(randomValue(r, 4))
		if err != nil {
			t.Fatal(err)
		}
		text, err := peer.JSONToYAML(in)
		if err != nil {
			continue
		}
		want, err := peer.YAMLToJSON(text)
		if err != nil {
			continue // the peer cannot read some of its own output
		}
		got, err := yaml.ToJSON(text)
		if err != nil {
			t.Fatalf("ToJSON(%q): %v", text, err)
		}
		if !sameJSON(t, got, want) {
			t.Fatalf("ToJSON(%q)\ngot:  %s\nwant: %s", text, got, want)
		}
	}
}

// TestRoundTrip reads what we write.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 4))
	for range 5000 {
		in, err := json.Marshal(map[string]any{
			randomString(r): randomValue(r, 3), randomString(r): randomString(r),
			"<<": randomString(r),
		})
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(in, []byte("-0")) {
			continue // YAML has no negative zero: it is read as 0
		}
		text, err := yaml.FromJSON(nil, in)
		if err != nil {
			t.Fatal(err)
		}
		got, err := yaml.ToJSON(text)
		if err != nil {
			t.Fatalf("ToJSON(%q): %v", text, err)
		}
		// Numbers come back in another spelling: write them once more.
		again, err := yaml.FromJSON(nil, got)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(text, again) {
			t.Fatalf("%s became %q, then %s, then %q", in, text, got, again)
		}
	}
}

func BenchmarkPod(b *testing.B) {
	var in []byte
	for _, file := range goldenFiles(b, "json") {
		if filepath.Base(file) == "core.v1.Pod.json" {
			in, _ = os.ReadFile(file)
		}
	}
	text, err := peer.JSONToYAML(in)
	if err != nil {
		b.Fatal(err)
	}
	run := func(name string, size int, f func() error) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(size))
			for b.Loop() {
				if err := f(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	var dst []byte
	run("read/askind", len(text), func() error { _, err := yaml.ToJSON(text); return err })
	run("read/peer", len(text), func() error { _, err := peer.YAMLToJSON(text); return err })
	run("write/askind", len(in), func() (err error) { dst, err = yaml.FromJSON(dst[:0], in); return err })
	run("write/peer", len(in), func() error { _, err := peer.JSONToYAML(in); return err })
}
