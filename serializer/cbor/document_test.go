package cbor_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/askind/askind/internal/sample"
	samplev1 "github.com/askind/askind/internal/sample/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/cbor"
	"github.com/askind/askind/serializer/format"
)

func TestDecode(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		in   string // the entries of a map that is ended by a break code
		want samplev1.Machine
	}{
		{
			"byte strings and text strings", "\x44name\x61a\x64args\x82\x41x\x61y",
			samplev1.Machine{Name: "a", Args: []string{"x", "y"}},
		},
		{"strings in parts", "\x5f\x42na\x42me\xff\x7f\x61a\x60\x61b\xff", samplev1.Machine{Name: "ab"}},
		{
			"containers of indefinite length", "\x44args\x9f\x41x\xff\x46labels\xbf\x41k\x41v\xff",
			samplev1.Machine{Args: []string{"x"}, Labels: map[string]string{"k": "v"}},
		},
		{"long heads", "\x58\x04name\x7b\x00\x00\x00\x00\x00\x00\x00\x01a\x48replicas\x1b\x00\x00\x00\x00\x00\x00\x00\x07", samplev1.Machine{Name: "a", Replicas: 7}},
		{"integers to a float", "\x45ratio\x03", samplev1.Machine{Ratio: 3}},
		{
			"floats to integers", "\x48replicas\xf9\x48\x80\x45parts\x81\xa1\x44size\xfb\xc3\xe0\x00\x00\x00\x00\x00\x00",
			samplev1.Machine{Replicas: 9, Parts: []samplev1.Part{{Size: -1 << 63}}},
		},
		{"no field decides", "\x45extra\x88\x01\xf9\x3c\x00\x1b\xff\xff\xff\xff\xff\xff\xff\xff\x3b\x7f\xff\xff\xff\xff\xff\xff\xff\xd6\x42\xff\xff\x41a\xa1\x41k\xf6\xf9\x80\x00", samplev1.Machine{Extra: []any{int64(1), 1.0, uint64(1<<64 - 1), int64(-1 << 63), "//8=", "a", map[string]any{"k": nil}, negativeZero()}}},
		{
			"times with a tag", "\x44args\x82\xc0\x74" + "2020-01-02T03:04:05Z\xc1\x1a\x5e\x0d\x5d\xa5",
			samplev1.Machine{Args: []string{"2020-01-02T03:04:05Z", "2020-01-02T03:04:05Z"}},
		},
		{"other tags", "\xc6\x44name\xd9\x01\x00\xc7\x41a", samplev1.Machine{Name: "a"}},
		{"a tag on a key is not one of its value", "\xd6\x64name\x41a", samplev1.Machine{Name: "a"}},
		{"a []byte as bytes", "\x43key\xd6\x43\x00\xff\"", samplev1.Machine{Key: []byte("\x00\xff\"")}},
		{"a []byte in base64", "\x43key\x44YWI=", samplev1.Machine{Key: []byte("ab")}},
		{"a []byte as an array", "\x43key\x82\x01\x18\xff", samplev1.Machine{Key: []byte{1, 255}}},
		{"null leaves a field alone", "\x44name\xf6\x48replicas\xf6\x46labels\xf6", samplev1.Machine{}},
		{
			"raw", "\x43raw\xd9\xd9\xf7\xa3\x42bb\xf9\x3c\x00\x41a\xf9\x3e\x00\x43cat\xd6\x41a",
			samplev1.Machine{Raw: &runtime.RawExtension{Raw: []byte(`{"a":1.5,"bb":1,"cat":"YQ=="}`)}},
		},
		{
			"the last of two equal keys", "\x44name\x41a\x64name\x41b\x46labels\xa2\x41k\x411\x41k\x412",
			samplev1.Machine{Name: "b", Labels: map[string]string{"k": "2"}},
		},
		{"unknown keys", "\x41x\xa1\x41y\x81\xf6\x44name\x41a", samplev1.Machine{Name: "a"}},
		{"escapes", "\x44name\x4a<\"\\\n\té\x01>x", samplev1.Machine{Name: "<\"\\\n\té\x01>x"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.want.APIVersion, tt.want.Kind = "fleet.example.com/v1", "Machine"
			for _, in := range []string{"\xbf" + tt.in + "\xff", tag + "\xbf" + tt.in + header + "\xff"} {
				got := sample.DecodeAll(t, cbor.Format(), "", in, false)
				if len(got) != 1 || got[0].Problems != nil {
					t.Fatalf("decoding %q gave %+v", in, got)
				}
				if diff := cmp.Diff(tt.want, got[0].Machine,
					cmpopts.IgnoreUnexported(runtime.RawExtension{})); diff != "" {
					t.Errorf("decoding %q (-want +got):\n%s", in, diff)
				}
			}
		})
	}
}

func negativeZero() float64 { var zero float64; return -1 / (1 / zero) }

func TestProblems(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		in     string
		strict []string
		fatal  bool // in lenient decoding as well
	}{
		{
			"unknown key", "\xa2\x48repliacs\x01\x44name\x41a",
			[]string{`repliacs: at byte 1: unknown field "repliacs" (did you mean "replicas"?)`},
			false,
		},
		{"duplicate key", "\xa2\x44name\x41a\x64name\x41b", []string{`name: at byte 8: duplicate field "name"`}, false},
		{
			"duplicate key of a map", tag + "\xa1\x46labels\xa2\x41k\x41a\x41k\x41b",
			[]string{`labels.k: at byte 16: duplicate field "k"`},
			false,
		},
		{
			"duplicate key where no field decides", "\xa1\x45extra\x81\xa2\x41k\x01\x41k\x02",
			[]string{`extra[0].k: at byte 12: duplicate field "k"`},
			false,
		},
		{
			"wrong types", "\xa3\x44name\x01\x48replicas\x41x\x44args\x82\x41a\xa0",
			[]string{
				`name: at byte 6: expected string, found number`,
				`replicas: at byte 16: expected integer, found string`,
				`args[1]: at byte 26: expected string, found object`,
			},
			true,
		},
		{
			"ranges", "\xa2\x48replicas\x1a\x80\x00\x00\x00\x45parts\x81\xa1\x44size\x1b\x80\x00\x00\x00\x00\x00\x00\x00",
			[]string{
				`replicas: at byte 10: number 2147483648 is out of range for int32`,
				`parts[0].size: at byte 28: number 9223372036854775808 is out of range for int64`,
			},
			true,
		},
		{
			"fraction to an integer", "\xa1\x48replicas\xf9\x3e\x00",
			[]string{`replicas: at byte 10: expected integer, found number 1.5`},
			true,
		},
		{
			"values without a place",
			"\xa1\x45extra\x86\xf7\xe0\xf8\xff\xf9\x7e\x00\xfa\xff\x80\x00\x00\x3b\x80\x00\x00\x00\x00\x00\x00\x00",
			[]string{
				`extra[0]: at byte 8: undefined cannot be represented in an object`,
				`extra[1]: at byte 9: the simple value 0 cannot be represented in an object`,
				`extra[2]: at byte 10: the simple value 255 cannot be represented in an object`,
				`extra[3]: at byte 12: the number NaN cannot be represented in an object`,
				`extra[4]: at byte 15: the number -Inf cannot be represented in an object`,
				`extra[5]: at byte 20: an integer below -9223372036854775808 cannot be represented in an object`,
			},
			true,
		},
		{"tags", "\xa1\x45extra\x87\xc2\x41a\xd5\x41a\xd7\x81\x41a\xc0\x61a" +
			"\xc1\x1b\xff\xff\xff\xff\xff\xff\xff\xff\xc1\x3b\xff\xff\xff\xff\xff\xff\xff\xff\xc1\xf9\x7e\x00", []string{
			`extra[0]: at byte 8: big numbers cannot be represented in an object`,
			`extra[1]: at byte 11: the tag 21 is not supported on byte strings, use 22`,
			`extra[2][0]: at byte 16: the tag 23 is not supported on byte strings, use 22`,
			`extra[3]: at byte 18: parsing time "a" as "2006-01-02T15:04:05Z07:00": cannot parse "a" as "2006"`,
			`extra[4]: at byte 21: the time is out of range`, `extra[5]: at byte 31: the time is out of range`,
			`extra[6]: at byte 41: the time is out of range`,
		}, true},
		{"long time", "\xa1\x45extra\xc0\x79\x03\xe8" + strings.Repeat("x", 1000), []string{
			`extra: at byte 7: parsing time "` + strings.Repeat("x", 61) + `\xe2\x80\xa6" as "2006-01-02T15:04:05Z07:00": ` +
				`cannot parse "` + strings.Repeat("x", 61) + `\xe2\x80\xa6" as "2006"`,
		}, true},
		{"byte strings as keys behind a tag", "\xa1\x45extra\xd6\xa1\x41a\x01", []string{
			`extra.a: at byte 9: the tag 22 is not supported on the keys of maps, ` +
				`write them as text strings or put the tag on the values`,
		}, true},
		{"tag on a key", "\xa1\xd6\x44name\x41a", []string{
			`name: at byte 1: the tag 22 is not supported on the keys of maps, ` +
				`write them as text strings or put the tag on the values`,
		}, true},
		{"two sorts in order", "\xa2\x41x\xf7\x41y\x01", []string{
			`x: at byte 1: unknown field "x"`,
			`x: at byte 3: undefined cannot be represented in an object`, `y: at byte 4: unknown field "y"`,
		}, true},
		{"invalid UTF-8", "\xa1\x44name\x42a\xff", []string{`name: at byte 6: invalid UTF-8 in a string`}, true},
		{"bad base64", "\xa1\x43key\x41%", []string{`key: at byte 5: illegal base64 data at input byte 0`}, true},
		{"bad leaf", "\xa1\x44args\x01", []string{`args: at byte 6: expected array, found number`}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := sample.DecodeAll(t, cbor.Format(), "", tt.in, true)
			if len(got) != 1 {
				t.Fatalf("decoding %q gave %d documents", tt.in, len(got))
			}
			if diff := cmp.Diff(tt.strict, got[0].Problems); diff != "" {
				t.Errorf("strict (-want +got):\n%s", diff)
			}
			lenient := sample.DecodeAll(t, cbor.Format(), "", tt.in, false)
			if fatal := lenient[0].Problems != nil; fatal != tt.fatal {
				t.Errorf("lenient decoding gave %q", lenient[0].Problems)
			}
		})
	}
}

func TestStrictKeepsTheObject(t *testing.T) {
	t.Parallel()
	got := sample.DecodeAll(t, cbor.Format(), "", "\xa3\x44name\x41a\x41x\x01\x44name\x41b", true)
	if got[0].Machine.Name != "b" || len(got[0].Errs) != 2 || !errors.Is(got[0].Errs[0], runtime.ErrUnknownField) ||
		!errors.Is(got[0].Errs[1], runtime.ErrDuplicateField) {
		t.Errorf("got %+v", got[0])
	}
}

// TestBroken has inputs that end the sequence.
func TestBroken(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, in, want string }{
		{"cut off in a head", "\xa1\x41a\x19\x01", "a: at byte 5: unexpected end of the input"},
		{"cut off in a string", "\xa1\x44name\x43a", "name: at byte 8: unexpected end of the input"},
		{"cut off in a key", "\xa1\x44nam", "at byte 5: unexpected end of the input"},
		{"cut off between", "\xa2\x44name\x41a", "at byte 8: unexpected end of the input"},
		{"cut off in a list", "\xa1\x44args\x9f\x41a", "args: at byte 9: unexpected end of the input"},
		{"tag without content", "\xd6", "at byte 1: unexpected end of the input"},
		{
			"a count that cannot be", "\x9b\xff\xff\xff\xff\xff\xff\xff\xff\x01",
			"at byte 0: an array of 18446744073709551615 entries exceeds the input",
		},
		{"more entries than can be", "\xa2\x41a\x01", "at byte 0: a map of 2 entries exceeds the input"},
		{
			"a length that cannot be", "\xa1\x41a\x5b\xff\xff\xff\xff\xff\xff\xff\xff",
			"a: at byte 12: unexpected end of the input",
		},
		{"reserved byte", "\xa1\x41a\x1c", "a: at byte 3: the byte 0x1c does not begin an item"},
		{"break code", "\xa1\x41a\xff", "a: at byte 3: unexpected break code, expected an item"},
		{"break code for a value", "\xbf\x41a\xff", "a: at byte 3: unexpected break code, expected an item"},
		{"break code at the start", "\xff", "at byte 0: unexpected break code, expected an item"},
		{"short simple value", "\xa1\x41a\xf8\x14", "a: at byte 3: the simple value 20 is written in two bytes"},
		{
			"wrong part", "\xa1\x41a\x5f\x61b\xff",
			"a: at byte 4: expected another part of the string, found a text string",
		},
		{
			"a character in two parts", "\xa1\x41a\x7f\x61\xc3\x61\xa9\xff",
			"a: at byte 4: invalid UTF-8 in a part of a text string",
		},
		{
			"key of another type", "\xa1\x41a\xa1\x01\x02",
			"a: at byte 4: expected a string as the key of a map, found an integer",
		},
		{
			"time of another type", "\xa1\x41a\xc1\x41b",
			"a: at byte 3: the content of the time tag 1 is a byte string",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, before := range []string{"", "\xa1\x44name\x41a"} {
				got := sample.DecodeAll(t, cbor.Format(), "", before+tt.in, true)
				if n := min(len(before), 1) + 1; len(got) != n {
					t.Fatalf("decoding %q gave %+v", before+tt.in, got)
				}
				last := got[len(got)-1].Problems
				if before == "" && (len(last) != 1 || last[0] != tt.want) {
					t.Errorf("decoding %q:\ngot:  %q\nwant: %q", tt.in, last, tt.want)
				}
			}
		})
	}
}

func TestSequence(t *testing.T) {
	t.Parallel()
	got := sample.DecodeAll(t, cbor.Format(), "", tag+"\xa1\x44name\x41a"+"\x01"+"\xa1\x44name\x01"+tag+
		"\xa1\x44name\x41b\xd6\xf6", true)
	var names, problems []string
	for _, r := range got {
		names = append(names, r.Machine.Name)
		problems = append(problems, strings.Join(r.Problems, ";"))
	}
	if want := []string{"a", "", "", "b", ""}; !slices.Equal(names, want) {
		t.Errorf("names %q, want %q", names, want)
	}
	want := []string{
		"", "at byte 11: expected a map, found an integer",
		"name: at byte 18: expected string, found number", "", "at byte 30: expected a map, found null",
	}
	if !slices.Equal(problems, want) {
		t.Errorf("problems\ngot:  %q\nwant: %q", problems, want)
	}
	if got := sample.DecodeAll(t, cbor.Format(), "", "", true); got != nil {
		t.Errorf("an empty input gave %+v", got)
	}
}

func TestType(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, in, apiVersion, kind, err string }{
		{"usual", "\xa3\x44kind\x41K\x44spec\xa1\x44kind\x41X\x4aapiVersion\x42v1", "v1", "K", ""},
		{"only nested", "\xa1\x44spec\xa1\x44kind\x41X", "", "", ""},
		{"the first counts", "\xa2\x44kind\x41K\x44kind\x41L", "", "K", ""},
		{"beyond ASCII", "\xa1\x44kind\x43é\"", "", "é\"", ""},
		{"null", "\xa2\x44kind\xf6\x6aapiVersion\x62v1", "v1", "", ""},
		{
			"no string", "\xa2\x44kind\x41K\x4aapiVersion\x01", "", "K",
			"apiVersion: at byte 19: apiVersion is not a string: expected string, found number",
		},
	} {
		for doc, err := range cbor.Format().Documents([]byte(tt.in), schema.Limits{}) {
			if err != nil {
				t.Fatal(err)
			}
			apiVersion, kind, err := doc.Type()
			text := ""
			if err != nil {
				text = err.Error()
			}
			if apiVersion != tt.apiVersion || kind != tt.kind || text != tt.err {
				t.Errorf("%s: Type() = %q, %q, %q", tt.name, apiVersion, kind, text)
			}
		}
	}
}

// TestAgain uses a document for several purposes, in an order in which nobody would.
func TestAgain(t *testing.T) {
	t.Parallel()
	k := sample.Kind(t)
	data := []byte("\xbf\x44name\x41a\x44args\x82\x41x\x41y\x46labels\xa1\x45a.b/c\x41v\xff")
	for doc, err := range cbor.Format().Documents(data, schema.Limits{}) {
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			var m samplev1.Machine
			if problems := doc.Decode(k, &m, runtime.ReadOptions{Strict: true}); problems != nil || m.Name != "a" {
				t.Errorf("Decode: %v, %+v", problems, m)
			}
			if got := string(doc.Raw()); got != `{"args":["x","y"],"labels":{"a.b/c":"v"},"name":"a"}` {
				t.Errorf("Raw() = %s", got)
			}
			for path, want := range map[string]int{
				"": 0, "name": 6, "args": 13, "args[1]": 16, "args[7]": 13,
				"labels[a.b/c]": 32, "spec": 0,
			} {
				p, err := schema.ParsePath(path)
				if err != nil {
					t.Fatal(err)
				}
				if got := doc.Locate(p); got != (schema.Position{Offset: want}) {
					t.Errorf("Locate(%s) = %+v, want offset %d", path, got, want)
				}
			}
			if _, kind, err := doc.Type(); kind != "" || err != nil {
				t.Errorf("Type: %q, %v", kind, err)
			}
		}
		data[0] = 0xFF // not allowed, but no reason to fail badly
		_, _, _ = doc.Type()
		_ = doc.Decode(k, &samplev1.Machine{}, runtime.ReadOptions{})
		_, _, _ = doc.Type()
		_ = doc.Raw()
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	k := sample.Kind(t)
	deep := "\xa1\x45extra" + strings.Repeat("\x81", 50) + "\x01"
	decode := func(in string, o runtime.ReadOptions) (problems []runtime.Problem) {
		for doc, err := range cbor.Format().Documents([]byte(in), schema.Limits{}) {
			if err != nil {
				t.Fatal(err)
			}
			problems = doc.Decode(k, &samplev1.Machine{}, o)
		}
		return problems
	}
	if problems := decode(deep, runtime.ReadOptions{Limits: schema.Limits{Depth: 51}}); problems != nil {
		t.Errorf("51 levels: %v", problems)
	}
	if problems := decode(deep, runtime.ReadOptions{Limits: schema.Limits{Depth: 50}}); len(problems) != 1 ||
		!errors.Is(&problems[0], runtime.ErrLimit) || problems[0].Position.Offset != 7+49 {
		t.Errorf("50 levels: %v", problems)
	}
	if problems := decode("\xa1\x45extra\x98\xff"+strings.Repeat("\xf7", 255),
		runtime.ReadOptions{}); len(problems) != 101 || problems[100].More != 155 {
		t.Errorf("%d problems", len(problems))
	}
	if problems := decode("\xa1\x45extra\x98\xff"+strings.Repeat("\xf7", 255),
		runtime.ReadOptions{Limits: schema.Limits{Problems: 3}}); len(problems) != 4 || problems[3].More != 252 {
		t.Errorf("%d problems", len(problems))
	}
	if problems := decode("\xa1\x45extra\x99\x07\xd0"+strings.Repeat("\xf7", 2000),
		runtime.ReadOptions{Limits: schema.Limits{Problems: 1500}}); len(problems) != 1001 ||
		problems[1000].More != 1000 {
		t.Errorf("%d problems, want as many as a reader keeps", len(problems))
	}
}

// TestLimitsAreMet checks that an object may have as much as each limit says, and no more, in the
// usual form and in others, which are read another way.
func TestLimitsAreMet(t *testing.T) {
	t.Parallel()
	k := sample.Kind(t)
	ofStrings := func(n int) schema.Limits { return schema.Limits{String: n} }
	ofLists := func(n int) schema.Limits { return schema.Limits{Items: n} }
	ofDepth := func(n int) schema.Limits { return schema.Limits{Depth: n} }
	ofSize := func(n int) schema.Limits { return schema.Limits{Size: n} }
	for _, tt := range []struct {
		name, in string
		limits   func(n int) schema.Limits
		most     int
	}{
		{"string", "\xa1\x44name\x45abcde", ofStrings, 5},
		{"string in parts", "\xa1\x44name\x5f\x43abc\x42de\xff", ofStrings, 5},
		{"name", "\xa1\x45extra\xa1\x46abcdef\x01", ofStrings, 6},
		{"list", "\xa1\x44args\x83\x40\x40\x40", ofLists, 3},
		{"list without a length", "\xa1\x44args\x9f\x40\x40\x40\xff", ofLists, 3},
		{"map", "\xa1\x45extra\xa2\x41a\x01\x41b\x02", ofLists, 2},
		{"depth", "\xa1\x45extra\x81\x81\x01", ofDepth, 3},
		{"depth without a length", "\xa1\x45extra\x9f\x9f\x01\xff\xff", ofDepth, 3},
		{"size", "\xa1\x44name\x45abcde", ofSize, 12},
		{"size without a length", "\xa1\x45extra\x9f\x01\xff", ofSize, 10},
	} {
		for more, want := range map[int]bool{0: true, 1: false} {
			for _, strict := range []bool{false, true} {
				o := runtime.ReadOptions{Strict: strict, Limits: tt.limits(tt.most - more)}
				for doc, err := range cbor.Format().Documents([]byte(tt.in), schema.Limits{}) {
					if err != nil {
						t.Fatal(err)
					}
					problems := doc.Decode(k, &samplev1.Machine{}, o)
					if ok := len(problems) == 0; ok != want || !ok && !errors.Is(&problems[0], runtime.ErrLimit) {
						t.Errorf("%s, %d less than there is, strict %v: %v", tt.name, more, strict, problems)
					}
				}
			}
		}
	}
}

// TestDepthOfOutput checks that an object is written whose nesting can be read again by default,
// and no deeper one.
func TestDepthOfOutput(t *testing.T) {
	t.Parallel()
	k := sample.Kind(t)
	for name, around := range map[string]func(v any) any{
		"lists":   func(v any) any { return []any{v} },
		"objects": func(v any) any { return map[string]any{"a": v} },
	} {
		for depth, want := range map[int]bool{10_000: true, 10_001: false} {
			m := &samplev1.Machine{Extra: 1}
			for range depth - 1 { // in the object itself
				m.Extra = around(m.Extra)
			}
			data, err := cbor.Format().Append(nil, k, m, format.Options{})
			if (err == nil) != want {
				t.Errorf("%d levels of %s: %v", depth, name, err)
			}
			if err != nil {
				continue
			}
			for doc, err := range cbor.Format().Documents(data, schema.Limits{}) {
				if err != nil {
					t.Fatal(err)
				}
				o := runtime.ReadOptions{Limits: schema.Limits{Memory: 1000}} // each map takes 300 bytes
				if problems := doc.Decode(k, &samplev1.Machine{}, o); problems != nil {
					t.Errorf("%d levels of %s are not read again: %.100v", depth, name, problems)
				}
			}
		}
	}
}

// TestDepthOfInput checks that no option allows an item to be nested more than a fixed limit, and
// that a deep one is not read in part, which would not count its levels.
func TestDepthOfInput(t *testing.T) {
	t.Parallel()
	nested := func(n int) []byte { return []byte(strings.Repeat("\x81", n) + "\x01") }
	_, err := cbor.ToJSON(nested(100_001))
	if !errors.Is(err, runtime.ErrLimit) || !strings.Contains(err.Error(), "nested deeper than 100000") {
		t.Errorf("more than the limit: %.100v", err)
	}
	for n, want := range map[int]bool{240: true, 251: false} {
		data := append([]byte("\xa1\x45extra"), nested(n)...)
		_, _, ok := cbor.Format().Project.Excerpt(nil, data, func() *format.FieldTree { return nil })
		if ok != want {
			t.Errorf("%d levels are read in part: %v", n, ok)
		}
	}
}
