package resource_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/askind/askind/meta/resource"
)

var parseCases = []struct {
	name, text, want string
	format           resource.Format
	value, milli     int64
}{
	{name: "zero", text: "0", want: "0"},
	{name: "integer", text: "12", want: "12", value: 12, milli: 12_000},
	{name: "fraction becomes milli", text: "1.5", want: "1500m", value: 2, milli: 1500},
	{
		name: "fraction of a binary unit", text: "1.5Gi", want: "1536Mi", format: resource.BinarySI, value: 3 << 29,
		milli: 3 << 29 * 1000,
	},
	{name: "no whole part", text: ".5", want: "500m", value: 1, milli: 500},
	{name: "largest suffix", text: "1000k", want: "1M", value: 1e6, milli: 1e9},
	{name: "binary below 1024", text: "0.5Ki", want: "512", format: resource.BinarySI, value: 512, milli: 512_000},
	{name: "binary below one", text: "0.0001Ki", want: "102400u", value: 1, milli: 103},
	{name: "exponent", text: "1e3", want: "1e3", format: resource.DecimalExponent, value: 1000, milli: 1e6},
	{
		name: "exponent in steps of three", text: "1e5", want: "100e3", format: resource.DecimalExponent, value: 1e5,
		milli: 1e8,
	},
	{name: "negative", text: "-1.5Ki", want: "-1536", format: resource.BinarySI, value: -1536, milli: -1_536_000},
	{name: "rounded up below nano", text: "0.0000000001", want: "1n", value: 1, milli: 1},
	{name: "rounded away from zero", text: "-0.0000000001", want: "-1n", value: -1, milli: -1},
	{
		name: "binary is capped", text: "8Ei", want: "9223372036854775807", format: resource.BinarySI, value: 1<<63 - 1,
		milli: 1<<63 - 1,
	},
	{
		name: "beyond 64 bits", text: "12345678901234567890", want: "12345678901234567890", value: 1<<63 - 1,
		milli: 1<<63 - 1,
	},
	{name: "beyond the suffixes", text: "1000E", want: "1000E", value: 1<<63 - 1, milli: 1<<63 - 1},
	{name: "kept fraction", text: "1.234", want: "1.234", value: 2, milli: 1234},
	{name: "kept sign", text: "+5", want: "+5", value: 5, milli: 5000},
	{name: "kept zeros", text: "007", want: "007", value: 7, milli: 7000},
}

func TestParse(t *testing.T) {
	t.Parallel()
	for _, c := range parseCases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			q, err := resource.Parse(c.text)
			if err != nil {
				t.Fatal(err)
			}
			if q.String() != c.want || q.Format() != c.format || q.Value() != c.value || q.MilliValue() != c.milli {
				t.Errorf("Parse(%q) = %s (%s), value %d, milli %d, want %s (%s), %d, %d", c.text, q, q.Format(),
					q.Value(), q.MilliValue(), c.want, c.format, c.value, c.milli)
			}
		})
	}
}

func TestParseErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		cause      error
	}{
		{"blank", "", resource.ErrSyntax},
		{"only a sign", "-", resource.ErrSyntax},
		{"only a point", ".", resource.ErrSyntax},
		{"only a suffix", "Ki", resource.ErrSyntax},
		{"space before", " 1", resource.ErrSyntax},
		{"space after", "1 ", resource.ErrSuffix},
		{"unknown suffix", "1x", resource.ErrSuffix},
		{"wrong case", "1ki", resource.ErrSuffix},
		{"no exponent", "1e", resource.ErrSuffix},
		{"sign without exponent", "1e+", resource.ErrSuffix},
		{"suffix after exponent", "1e5Ki", resource.ErrSuffix},
		{"two points", "1.2.3", resource.ErrSuffix},
		{"huge exponent", "1e1025", resource.ErrRange},
		{"exponent that overflows", "1e99999999999999999999", resource.ErrRange},
		{"long text", strings.Repeat("1", 1025), resource.ErrRange},
		{"long canonical form", strings.Repeat("1", 1021) + ".1E", resource.ErrRange},
		{"long canonical form of an exponent", strings.Repeat("1", 1019) + "e1022", resource.ErrRange},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			q, err := resource.Parse(c.text)
			e, ok := errors.AsType[*resource.ParseError](err)
			if !ok || !errors.Is(err, c.cause) || !strings.HasPrefix(c.text, e.Text) || !q.IsZero() {
				t.Errorf("Parse(%q) = %v, %v, want %v", c.text, q, err, c.cause)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	for _, c := range parseCases {
		f.Add(c.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q, err := resource.Parse(text)
		if err != nil {
			return
		}
		again, err := resource.Parse(q.String())
		if err != nil || !again.Equal(q) || again.String() != q.String() {
			t.Errorf("Parse(%q) is written %q, which is %v, %v", text, q, again, err)
		}
	})
}
