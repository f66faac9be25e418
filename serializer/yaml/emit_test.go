package yaml_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/askind/askind/internal/plain"
	"github.com/askind/askind/internal/race"
	"github.com/askind/askind/internal/sample"
	samplev1 "github.com/askind/askind/internal/sample/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/format"
	"github.com/askind/askind/serializer/yaml"
)

// TestFromJSON has the forms of the output one by one. That they are those of sigs.k8s.io/yaml is
// tested in the module bench/peers.
func TestFromJSON(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, in, want string }{
		{"scalars", `{"a":1,"b":-1.5,"c":true,"d":null,"e":"x","f":1e21,"g":1.0,"h":-0,"i":18446744073709551615,"j":18446744073709551616}`, "a: 1\nb: -1.5\nc: true\nd: null\ne: x\nf: 1e+21\ng: 1\nh: 0\ni: 18446744073709551615\nj: 1.8446744073709552e+19\n"},
		{
			"nesting", `{"b":{"d":{"e":[]},"c":{}},"a":[1,[2,[3]],{"y":1,"x":[{"z":2}]}]}`,
			"a:\n- 1\n- - 2\n  - - 3\n- x:\n  - z: 2\n  \"y\": 1\nb:\n  c: {}\n  d:\n    e: []\n",
		},
		{
			"key order", `{"b":1,"a10":1,"a2":1,"a":1,"B":1,"_":1,"1":1,"é":1}`,
			"_: 1\n\"1\": 1\nB: 1\na: 1\na2: 1\na10: 1\nb: 1\né: 1\n",
		},
		{"equal keys", `{"a":1,"b":2,"a":3,"\u0061":4}`, "a: 4\nb: 2\n"},
		{"spaces in the input", " {\n \"a\" : [ 1 ,\t2 ] }\r\n", "a:\n- 1\n- 2\n"},
		{
			"ambiguous words", `["yes","NO","on","y","null","~","","true","Null","maybe"]`,
			"- \"yes\"\n- \"NO\"\n- \"on\"\n- \"y\"\n- \"null\"\n- \"~\"\n- \"\"\n- \"true\"\n- \"Null\"\n- maybe\n",
		},
		{"ambiguous numbers", `["1","1.5","0x1F","1_000","1e3","1:30",".5",".inf","2020-01-02","1.2.3","10.0.0.1:80","100m","+","0b2"]`, "- \"1\"\n- \"1.5\"\n- \"0x1F\"\n- \"1_000\"\n- \"1e3\"\n- \"1:30\"\n- \".5\"\n- \".inf\"\n- \"2020-01-02\"\n- 1.2.3\n- 10.0.0.1:80\n- 100m\n- +\n- 0b2\n"},
		{"special characters", `["a: b","a #b","#a","- a","-a","[a","{a","'a","a'b","\"a","a\"b","a b "," a","@a","a:","---"]`, "- 'a: b'\n- 'a #b'\n- '#a'\n- '- a'\n- -a\n- '[a'\n- '{a'\n- '''a'\n- a'b\n- '\"a'\n- a\"b\n- 'a b '\n- ' a'\n- '@a'\n- 'a:'\n- '---'\n"},
		{
			"escapes", `["a\tb","\u0000\u0007\u001b","\u007f\u0085\u00a0\ufeff","😀","a\r\nb","\\\"\t"]`,
			"- \"a\\tb\"\n- \"\\0\\a\\e\"\n- \"\\x7F\\N\u00a0\\uFEFF\"\n- \"\\U0001F600\"\n- \"a\\r\\nb\"\n- \"\\\\\\\"\\t\"\n",
		},
		{
			"blocks", `{"a":"x\ny","b":"x\n","c":"x\n\n","d":" x\n","e":"\nx","f":["x\ny\n"],"g":"x \ny"}`,
			"a: |-\n  x\n  y\nb: |\n  x\nc: |+\n  x\n\nd: |2\n   x\ne: |2-\n\n  x\nf:\n- |\n  x\n  y\ng: \"x \\ny\"\n",
		},
		{
			"complex keys", `{"a\nb":{"c":[1]},"` + strings.Repeat("k", 129) + `":[1]}`,
			"? |-\n  a\n  b\n: c:\n  - 1\n? " + strings.Repeat("k", 129) + "\n: - 1\n",
		},
		{"folding", `{"a":"` + strings.Repeat("word ", 20) + `x","b":"` + strings.Repeat("it's ", 20) + `: x","c":"` +
			strings.Repeat("x", 90) +
			` \t y"}`, "a: word word word word word word word word word word word word word word word word\n  word word word word x\nb: 'it''s it''s it''s it''s it''s it''s it''s it''s it''s it''s it''s it''s it''s\n  it''s it''s it''s it''s it''s it''s it''s : x'\nc: \"" + strings.Repeat("x", 90) + "\n  \\t y\"\n"},
		{"merge key", `{"<<":"<<"}`, "\"<<\": <<\n"},
		{"root", `"a"`, "a\n"},
		{"root block", `"a\nb\n"`, "|\n  a\n  b\n"},
		{"root list", `[{"a":1,"b":2}]`, "- a: 1\n  b: 2\n"},
		{"escaped input", `"\u00e9\ud83d\ude00\/\b\f"`, "\"é\\U0001F600/\\b\\f\"\n"},
		{"half a surrogate pair", `["\ud83d","\ud83dx","\ud83d\u0041"]`, "- \ufffd\n- \ufffdx\n- \ufffdA\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := yaml.FromJSON([]byte("---\n"), []byte(tt.in))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff("---\n"+tt.want, string(got)); diff != "" {
				t.Errorf("FromJSON(%s) (-want +got):\n%s", tt.in, diff)
			}
			// What is written is read as the same.
			back, err := yaml.ToJSON(got)
			if err != nil {
				t.Fatalf("ToJSON: %v", err)
			}
			again, err := yaml.FromJSON([]byte("---\n"), back)
			if err != nil || string(again) != string(got) {
				t.Errorf("%q is read as %s and written as %q, %v", got, back, again, err)
			}
		})
	}
}

func TestFromJSONErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		in    string
		place string
		cause error
	}{
		{"", "1:1", runtime.ErrSyntax},
		{"{\n\"a\":}", "2:5", runtime.ErrSyntax},
		{`{"a":1`, "1:7", runtime.ErrSyntax},
		{`{"a":1} x`, "1:9", runtime.ErrSyntax},
		{"\"\xff\"", "1:2", runtime.ErrSyntax},
		{strings.Repeat("[", 10001), "1:10001", runtime.ErrLimit},
	} {
		got, err := yaml.FromJSON([]byte("x"), []byte(tt.in))
		if string(got) != "x" || !errors.Is(err, tt.cause) || position(err).String() != tt.place {
			t.Errorf("FromJSON(%.50q) = %q, %v; want a problem at %s", tt.in, got, err, tt.place)
		}
	}
}

func TestAppend(t *testing.T) {
	t.Parallel()
	k := sample.Kind(t)
	m := &samplev1.Machine{
		Name: "yes", Replicas: 3, Labels: map[string]string{"b": "1", "a": "x\ny\n"},
		Args: []string{"-v"},
	}
	const want = "apiVersion: fleet.example.com/v1\nargs:\n- -v\nkind: Machine\nlabels:\n  a: |\n    x\n    y\n  b: \"1\"\nname: \"yes\"\nreplicas: 3\n"
	for _, o := range []format.Options{{}, {Pretty: true}} {
		got, err := yaml.Format().Append([]byte("---\n"), k, m, o)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff("---\n"+want, string(got)); diff != "" {
			t.Errorf("Append (-want +got):\n%s", diff)
		}
	}
	got, err := yaml.Format().Append([]byte("before"), k, new(int), format.Options{})
	if err == nil || string(got) != "before" {
		t.Errorf("Append of another type = %q, %v", got, err)
	}
}

func TestAppendReusesMemory(t *testing.T) {
	if plain.Enabled {
		t.Skip("with the tag, each call of a generated function allocates")
	}
	k := sample.Kind(t)
	m := &samplev1.Machine{Name: "a", Args: []string{"x", "1", "2020-01-02", "a\nb", "é: \"\\"}}
	dst := make([]byte, 0, 4096)
	f := yaml.Format()
	if n := testing.AllocsPerRun(100, func() {
		if _, err := f.Append(dst, k, m, format.Options{}); err != nil {
			t.Fatal(err)
		}
	}); n > 0 && !race.Enabled {
		t.Errorf("%v allocations, want none", n)
	}
}

// FuzzFromJSON checks that what is written is read back.
func FuzzFromJSON(f *testing.F) {
	for _, s := range []string{`{"a":[1,"x\ny",{}]}`, `"<<"`, `{"<<":1}`, `["\u2028","\u0085","` + strings.Repeat("a ",
		60) + `"]`, `{"a\nb":1}`, `[1e400]`, `{"a":1,"a":2}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		text, err := yaml.FromJSON(nil, data)
		if err != nil {
			return
		}
		back, err := yaml.ToJSON(text)
		if err != nil {
			t.Fatalf("%q is written as %q, which is not read: %v", data, text, err)
		}
		var want, got any
		if json.Unmarshal(data, &want) != nil {
			return // a number that is too large for a float
		}
		if err := json.Unmarshal(back, &got); err != nil || !reflect.DeepEqual(want, got) {
			t.Errorf("%q is written as %q and read as %s (%v)", data, text, back, err)
		}
	})
}

// FuzzDocuments checks that no input does harm and that every problem has a place.
func FuzzDocuments(f *testing.F) {
	for _, tt := range badInputs {
		if len(tt.in) < 1000 {
			f.Add([]byte(tt.in))
		}
	}
	f.Add([]byte("\xff\xfea\x00:\x00"))
	f.Add([]byte("a: &a [b]\nc: *a\n<<: {d: e}\n---\nf: |\n  g\n"))
	k := sample.Kind(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		check := func(err error) {
			if p := position(err); p.Line < 1 || p.Column < 1 || p.Offset < 0 || p.Offset > len(data) {
				t.Errorf("%q: %v is at %+v", data, err, p)
			}
		}
		yaml.Format().Recognize(data)
		for doc, err := range yaml.Format().Documents(data, schema.Limits{}) {
			if err != nil {
				check(err)
				continue
			}
			if _, _, err := doc.Type(); err != nil {
				check(err)
			}
			last := 0
			for _, p := range doc.Decode(k, new(samplev1.Machine), runtime.ReadOptions{Strict: true}) {
				check(&p)
				if p.Position.Offset < last {
					t.Errorf("%q: problems are not in order", data)
				}
				last = p.Position.Offset
			}
			doc.Raw()
		}
	})
}

func BenchmarkMachine(b *testing.B) {
	k := sample.Kind(b)
	m := &samplev1.Machine{Name: "machine-1", Replicas: 3, Labels: map[string]string{
		"app.kubernetes.io/name": "x",
		"tier":                   "backend", "zone": "1",
	}, Args: []string{"--listen=:8080", "-v", "true", "some text that is longer"}}
	text, err := yaml.Format().Append(nil, k, m, format.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Run("encode", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(text)))
		var dst []byte
		for b.Loop() {
			if dst, err = yaml.Format().Append(dst[:0], k, m, format.Options{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	for name, in := range map[string]string{"decode/scanner": string(text), "decode/library": "&a " + string(text)} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(in)))
			data := []byte(in)
			for b.Loop() {
				for doc, err := range yaml.Format().Documents(data, schema.Limits{}) {
					if err != nil {
						b.Fatal(err)
					}
					if p := doc.Decode(k, new(samplev1.Machine), runtime.ReadOptions{}); p != nil {
						b.Fatal(p)
					}
				}
			}
		})
	}
}

// TestDeepOutput checks that the output for deeply nested text is not much longer than the text,
// and that it has the same value.
func TestDeepOutput(t *testing.T) {
	t.Parallel()
	leaves := `1,"no",null,-0.5,true,[],{},"\u0085 a: b # c\n","{"` + strings.Repeat(",2", 1000)
	long := strings.Repeat("k", 2000)
	for _, tt := range []struct{ name, open, leaf, end string }{
		{"lists", "[", leaves, "]"},
		{"mappings", `{"z":1,"a b":`, `{"b":1,"a":2}`, `}`},
		{"lists in mappings", `{"a":[`, leaves, "]}"},
		{"lists after lists", "[[1],", leaves, "]"},
		{"long keys", `{"` + long + `":[`, leaves, "]}"},
		{"multiline keys", `{"a\nb":[`, leaves, "]}"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, depth := range []int{1, 30, 62, 63, 64, 65, 66, 67, 130, 400} {
				in := strings.Repeat(tt.open, depth) + tt.leaf + strings.Repeat(tt.end, depth)
				out, err := yaml.FromJSON(nil, []byte(in))
				if err != nil {
					t.Fatal(err)
				}
				if len(out) > 80*len(in) {
					t.Errorf("%d bytes at depth %d become %d", len(in), depth, len(out))
				}
				back, err := yaml.ToJSON(out)
				if err != nil {
					t.Fatalf("depth %d: %v\n%.3000s", depth, err, out)
				}
				var got, want any
				if err := errors.Join(json.Unmarshal(back, &got), json.Unmarshal([]byte(in), &want)); err != nil {
					t.Fatal(err)
				}
				if !reflect.DeepEqual(got, want) {
					t.Fatalf("at depth %d it is read as another value:\n%.3000s", depth, out)
				}
			}
		})
	}
}
