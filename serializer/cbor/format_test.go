package cbor_test

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/askind/askind/internal/sample"
	samplev1 "github.com/askind/askind/internal/sample/v1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer/cbor"
	"github.com/askind/askind/serializer/format"
)

const tag = "\xd9\xd9\xf7"

// header are the first entries of an encoded machine.
const header = "\x44kind\x47Machine"

func TestRecognize(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]format.Recognition{
		"": format.No, "\xd9\xd9": format.No, tag: format.Yes, tag + "\xa0": format.Yes, "\xa0": format.No,
		"{}": format.No, "k8s\x00": format.No,
	} {
		if got := cbor.Format().Recognize([]byte(in)); got != want {
			t.Errorf("Recognize(%q) = %v, want %v", in, got, want)
		}
	}
}

func TestAppend(t *testing.T) {
	t.Parallel()
	const version = "\x4aapiVersion\x54fleet.example.com/v1"
	k := sample.Kind(t)
	for _, tt := range []struct {
		name string
		in   samplev1.Machine
		want string
	}{
		{"nothing", samplev1.Machine{}, "\xa2" + header + version},
		{
			"short keys first",
			samplev1.Machine{Name: "a", Args: []string{"x", ""}, Key: []byte("k")},
			"\xa5\x43key\xd6\x41k\x44args\x82\x41x\x40" + header + "\x44name\x41a" + version,
		},
		{"an empty []byte", samplev1.Machine{Key: []byte{}}, "\xa3\x43key\xd6\x40" + header + version},
		{
			"keys in order of length and bytes",
			samplev1.Machine{Labels: map[string]string{"b": "1", "aa": "2", "": "3", "a": "4", "é": "5"}},
			"\xa3" +
				header + "\x46labels\xa5\x40\x413\x41a\x414\x41b\x411\x42aa\x412\x42é\x415" + version,
		},
		{"integers", samplev1.Machine{Replicas: -1, Parts: []samplev1.Part{
			{Size: 23},
			{Size: 24},
			{Size: 65536},
			{Size: math.MinInt64},
		}}, "\xa4" + header +
			"\x45parts\x84\xa2\x44name\x40\x44size\x17\xa2\x44name\x40\x44size\x18\x18\xa2\x44name\x40\x44size\x1a\x00\x01\x00\x00\xa2\x44name\x40\x44size\x3b\x7f\xff\xff\xff\xff\xff\xff\xff\x48replicas\x20" + version},
		{"a float without a fraction", samplev1.Machine{Ratio: 2}, "\xa3" + header + "\x45ratio\xf9\x40\x00" + version},
		{
			"floats",
			samplev1.Machine{Extra: []any{0.5, 65536.0, 0.1, 0.0, float32(0.1), math.Copysign(0, -1)}},
			"\xa3" + header + "\x45extra\x86\xf9\x38\x00\xfa\x47\x80\x00\x00\xfb\x3f\xb9\x99\x99\x99\x99\x99\x9a\xf9\x00\x00\xfa\x3d\xcc\xcc\xcd\xf9\x80\x00" + version,
		},
		{"untyped values", samplev1.Machine{Extra: map[string]any{
			"a": nil, "b": true, "c": false, "d": []any(nil),
			"e": map[string]any{}, "f": uint64(math.MaxUint64), "g": []byte("x"),
		}}, "\xa3" + header +
			"\x45extra\xa7\x41a\xf6\x41b\xf5\x41c\xf4\x41d\xf6\x41e\xa0\x41f\xfa\x5f\x80\x00\x00\x41g\xd6\x41x" + version},
		{"escapes", samplev1.Machine{Name: "<\"\\\n\u2028é😀\x00>"}, "\xa3" + header +
			"\x44name\x4f<\"\\\n\u2028é😀\x00>" + version},
		{"raw values", samplev1.Machine{
			Raw: &runtime.RawExtension{
				Raw: []byte(` {"b": [1, 1.0, 1e2], "a": "\ud83d\ude00", "b": [-0, 1.5e0, 18446744073709551616]}`),
			},
		}, "\xa3\x43raw\xa2\x41a\x44😀\x41b\x83\x00\xf9\x3e\x00\xfa\x5f\x80\x00\x00" + header + version},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, pretty := range []bool{false, true} {
				got, err := cbor.Format().Append([]byte("before"), k, &tt.in, format.Options{Pretty: pretty})
				if want := "before" + tag + tt.want; err != nil || string(got) != want {
					t.Errorf("Append: %v\ngot:  %q\nwant: %q", err, got, want)
				}
			}
		})
	}
}

func TestAppendError(t *testing.T) {
	t.Parallel()
	k := sample.Kind(t)
	var deep any
	for range 10001 {
		deep = []any{deep}
	}
	for name, obj := range map[string]any{
		"not of the kind": &samplev1.Part{}, "NaN": &samplev1.Machine{Ratio: math.NaN()},
		"infinity": &samplev1.Machine{Extra: math.Inf(1)}, "too deep": &samplev1.Machine{Extra: deep},
		"raw is not JSON":       &samplev1.Machine{Raw: &runtime.RawExtension{Raw: []byte("{")}},
		"number beyond float64": &samplev1.Machine{Raw: &runtime.RawExtension{Raw: []byte("[1e999]")}},
	} {
		if got, err := cbor.Format().Append([]byte("before"), k, obj, format.Options{}); err == nil ||
			string(got) != "before" {
			t.Errorf("%s: Append = %q, %v", name, got, err)
		}
	}
	long := "1" + strings.Repeat("0", 400)
	for want, obj := range map[string]*samplev1.Machine{
		"raw.a[1]: cannot write number 1e999: it is out of range for float64": {
			Raw: &runtime.RawExtension{Raw: []byte(`{"a":[1.0,1e999]}`)},
		},
		"raw: cannot write number -" + long[:39] +
			": it is out of range for float64": {Raw: &runtime.RawExtension{Raw: []byte("-" + long)}},
	} {
		if _, err := cbor.Format().Append(nil, k, obj, format.Options{}); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	k := sample.Kind(t)
	in := samplev1.Machine{
		TypeMeta: metav1.TypeMeta{APIVersion: "fleet.example.com/v1", Kind: "Machine"}, Name: "a\"é\x01", Replicas: -5,
		Paused: true, Ratio: 3,
		Labels: map[string]string{"x": "", strings.Repeat("k", 300): strings.Repeat("v", 70000)}, Args: make([]string,
			300), Parts: []samplev1.Part{{Name: "p", Size: math.MaxInt64}},
		Extra: map[string]any{"f": 1.0, "i": int64(1), "u": int64(math.MaxInt64), "n": nil, "s": []any{"x", true}},
		Raw:   &runtime.RawExtension{Raw: []byte(`{"a":"\u003cb","n":1}`)}, Key: []byte{0, 0xFF, '"'},
	}
	data, err := cbor.Format().Append(nil, k, &in, format.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got := sample.DecodeAll(t, cbor.Format(), "", string(data), true)
	if len(got) != 1 || got[0].Problems != nil {
		t.Fatalf("decoding: %v", got)
	}
	if diff := cmp.Diff(in, got[0].Machine, cmpopts.IgnoreUnexported(runtime.RawExtension{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	again, err := cbor.Format().Append(nil, k, &got[0].Machine, format.Options{})
	if err != nil || !bytes.Equal(again, data) {
		t.Errorf("writing again: %v\ngot:  %x\nwant: %x", err, again, data)
	}
}

func TestFromJSON(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ in, want string }{
		{`null`, "\xf6"},
		{` {"a" : [ 1 , 2.0 ] } `, "\xa1\x41a\x82\x01\xf9\x40\x00"},
		{`"\u0041\n"`, "\x42A\n"},
		{`{"b":1,"a":2,"b":3}`, "\xa2\x41a\x02\x41b\x03"},
		{
			`[-1,-9223372036854775808,-9223372036854775809]`,
			"\x83\x20\x3b\x7f\xff\xff\xff\xff\xff\xff\xff\xfa\xdf\x00\x00\x00",
		},
		{`[9223372036854775807]`, "\x81\x1b\x7f\xff\xff\xff\xff\xff\xff\xff"},
		// Kubernetes reads no integer above the highest int64 where the type is not known.
		{`[9223372036854775808,18446744073709551615]`, "\x82\xfa\x5f\x00\x00\x00\xfa\x5f\x80\x00\x00"},
		{`-0.0`, "\xf9\x80\x00"},
		{`-0`, "\x00"},
	} {
		got, err := cbor.FromJSON([]byte("x"), []byte(tt.in))
		if want := "x" + tag + tt.want; err != nil || string(got) != want {
			t.Errorf("FromJSON(%s) = %q, %v, want %q", tt.in, got, err, want)
		}
	}
	for _, in := range []string{"", "{", "[1,]", "\"\xff\"", "1e999", "1 2"} {
		got, err := cbor.FromJSON([]byte("x"), []byte(in))
		if err == nil || string(got) != "x" {
			t.Errorf("FromJSON(%q) = %q, %v", in, got, err)
		}
		if d, ok := errors.AsType[*runtime.DecodeError](err); in != "1e999" &&
			(!ok || !errors.Is(d, runtime.ErrSyntax)) {
			t.Errorf("FromJSON(%q): %v", in, err)
		}
	}
}

// TestLargeIntegers: a number of an unsigned type is exact, an untyped one is what Kubernetes
// reads.
func TestLargeIntegers(t *testing.T) {
	t.Parallel()
	var r cbor.Rewriter
	const text = "[18446744073709551615,\x0318446744073709551615,-9223372036854775808,9223372036854775807]"
	const want = "\x84\xfa\x5f\x80\x00\x00\x1b\xff\xff\xff\xff\xff\xff\xff\xff" +
		"\x3b\x7f\xff\xff\xff\xff\xff\xff\xff\x1b\x7f\xff\xff\xff\xff\xff\xff\xff"
	if got, err := r.FromJSON(nil, []byte(text)); err != nil || string(got) != want {
		t.Errorf("%x, %v, want %x", got, err, want)
	}
	// What somebody else has written is read exactly, on both ways.
	for _, item := range []string{"\x81\x1b\xff\xff\xff\xff\xff\xff\xff\xff", "\x9f\x1b\xff\xff\xff\xff\xff\xff\xff\xff\xff"} {
		if got, err := cbor.ToJSON([]byte(item)); err != nil || string(got) != "[18446744073709551615]" {
			t.Errorf("%x is read as %s, %v", item, got, err)
		}
	}
}

func TestToJSON(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ in, want string }{
		{"\xf6", "null"},
		{tag + "\xa2\x41b\x01\x41a\xf9\x3c\x00", `{"a":1,"b":1}`},
		{"\xa2\x41a\x01\x61a\x02", `{"a":2}`},
		{"\xd6\x42\xff\xff", `"//8="`},
		{"\x43<\"\x01", `"\u003c\"\u0001"`},
		{"\xfb\x7e\x37\xe4\x3c\x88\x00\x75\x9c", "1e+300"},
		{"\x9f\x5f\x41a\x41b\xff\xff", `["ab"]`},
	} {
		if got, err := cbor.ToJSON([]byte(tt.in)); err != nil || string(got) != tt.want {
			t.Errorf("ToJSON(%q) = %s, %v, want %s", tt.in, got, err, tt.want)
		}
	}
	for in, want := range map[string]error{
		"": runtime.ErrSyntax, "\x01\x02": runtime.ErrSyntax, "\x41\xff": runtime.ErrSyntax,
		"\xf7": runtime.ErrInvalidValue, "\xf9\x7e\x00": runtime.ErrInvalidValue,
		"\x3b\xff\xff\xff\xff\xff\xff\xff\xff": runtime.ErrOutOfRange, strings.Repeat("\x81", 10001) +
			"\x01": runtime.ErrLimit, strings.Repeat("\x81", 100001) + "\x01": runtime.ErrLimit,
	} {
		if got, err := cbor.ToJSON([]byte(in)); !errors.Is(err, want) || got != nil {
			t.Errorf("ToJSON(%.20q) = %s, %v, want %v", in, got, err, want)
		}
	}
}
