package resource_test

import (
	"encoding/json"
	"flag"
	"testing"

	"github.com/askind/askind/meta/resource"
	"github.com/askind/askind/wire"
	"github.com/askind/askind/wire/jsonwire"
)

func TestJSON(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, want string }{
		{"string", `"1.5Gi"`, `"1536Mi"`},
		{"number", `0.25`, `"250m"`},
		{"number with exponent", `1e3`, `"1e3"`},
		{"null", `null`, `"0"`},
		{"blanks around", `" 1 "`, `"1"`},
		{"escapes", `"\u0031Gi"`, `"1Gi"`},
		{"kept", `"1.234"`, `"1.234"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			q := parse(t, "7")
			if err := json.Unmarshal([]byte(c.text), &q); err != nil {
				t.Fatal(err)
			}
			got, err := json.Marshal(q)
			if err != nil || string(got) != c.want {
				t.Errorf("%s is written %s, %v, want %s", c.text, got, err, c.want)
			}
		})
	}
}

func TestJSONErrors(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`true`, `{}`, `[1]`, `""`, `"  "`, `"x"`, `"1`} {
		q := parse(t, "7")
		if err := json.Unmarshal([]byte(text), &q); err == nil || q.String() != "7" {
			t.Errorf("%s gives %s, %v, want an error and 7", text, q, err)
		}
	}
}

// TestPlainScalar reads what YAML has without quotes: a number there is the same as in JSON.
func TestPlainScalar(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"100m": "100m", "1Gi": "1Gi", "1": "1", "0x10": "16", "1e3": "1k",
		"1_000": "1k", "~": "0",
	} {
		annotated := append([]byte{1}, jsonwire.AppendString(nil, text)...)
		r := jsonwire.NewReader(annotated, jsonwire.Options{Annotated: true})
		q := parse(t, "7")
		resource.DecodeJSONQuantity(r, &q)
		if r.End(); len(r.Problems()) > 0 || q.String() != want {
			t.Errorf("%s gives %s, %v, want %s", text, q, r.Problems(), want)
		}
	}
}

// TestPlainWords: a word of YAML that is a boolean elsewhere is an invalid quantity, and not 0.
func TestPlainWords(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"yes", "no", "true", "y", "off", "2001-01-01", ".inf"} {
		annotated := append([]byte{1}, jsonwire.AppendString(nil, text)...)
		r := jsonwire.NewReader(annotated, jsonwire.Options{Annotated: true})
		q := parse(t, "7")
		resource.DecodeJSONQuantity(r, &q)
		if r.End(); len(r.Problems()) != 1 || q.String() != "7" {
			t.Errorf("%s gives %s, %v", text, q, r.Problems())
		}
	}
}

func TestInvalidPosition(t *testing.T) {
	t.Parallel()
	r := jsonwire.NewReader([]byte(`  "5x"`), jsonwire.Options{})
	var q resource.Quantity
	resource.DecodeJSONQuantity(r, &q)
	p := r.Problems()
	if len(p) != 1 || p[0].Code != wire.InvalidValue || p[0].Offset != 2 || p[0].End != 6 {
		t.Errorf("problems %+v, want one invalid value from 2 to 6", p)
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	var q resource.Quantity
	flags.TextVar(&q, "memory", resource.NewQuantity(1<<30, resource.BinarySI), "")
	if q.String() != "1Gi" {
		t.Errorf("default %s, want 1Gi", q)
	}
	if err := flags.Parse([]string{"-memory", "2Gi"}); err != nil || q.String() != "2Gi" {
		t.Errorf("flag %s, %v, want 2Gi", q, err)
	}
	if err := q.UnmarshalText([]byte("x")); err == nil || q.String() != "2Gi" {
		t.Errorf("after bad text %s, %v, want 2Gi and an error", q, err)
	}
}

func TestAllocations(t *testing.T) {
	buf := make([]byte, 0, 64)
	for _, text := range []string{"100m", "1536Mi", "2", "1.5", "0", "-3Gi"} {
		data := []byte(`"` + text + `"`)
		var r jsonwire.Reader
		var q resource.Quantity
		if n := testing.AllocsPerRun(100, func() {
			r.Reset(data, jsonwire.Options{})
			resource.DecodeJSONQuantity(&r, &q)
		}); n != 0 {
			t.Errorf("decoding %s allocates %v times", text, n)
		}
		if n := testing.AllocsPerRun(100, func() {
			buf, _ = resource.AppendJSONQuantity(buf[:0], &q)
		}); n != 0 {
			t.Errorf("encoding %s allocates %v times", text, n)
		}
	}
}

func BenchmarkQuantity(b *testing.B) {
	for _, text := range []string{"100m", "1536Mi", "1.5Gi", "12345678901234567890"} {
		data := []byte(`"` + text + `"`)
		b.Run("decode/"+text, func(b *testing.B) {
			b.ReportAllocs()
			var r jsonwire.Reader
			var q resource.Quantity
			for b.Loop() {
				r.Reset(data, jsonwire.Options{})
				resource.DecodeJSONQuantity(&r, &q)
			}
		})
		b.Run("encode/"+text, func(b *testing.B) {
			b.ReportAllocs()
			q := parse(b, text)
			buf := make([]byte, 0, 64)
			for b.Loop() {
				buf, _ = resource.AppendJSONQuantity(buf[:0], &q)
			}
		})
	}
}
