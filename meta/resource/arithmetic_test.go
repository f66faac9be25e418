package resource_test

import (
	"math"
	"testing"

	"github.com/askind/askind/meta/resource"
)

func TestArithmetic(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, a, b, sum, difference string
		cmp                         int
	}{
		{name: "same scale", a: "1", b: "2", sum: "3", difference: "-1", cmp: -1},
		{name: "other scale", a: "1", b: "500m", sum: "1500m", difference: "500m", cmp: 1},
		{name: "equal", a: "1k", b: "1000", sum: "2k", difference: "0", cmp: 0},
		{name: "format of the first", a: "1Gi", b: "1M", sum: "1074741824", difference: "1072741824", cmp: 1},
		{name: "format of the second after zero", a: "0", b: "2Ki", sum: "2Ki", difference: "-2Ki", cmp: -1},
		{name: "adding zero", a: "1.234", b: "0", sum: "1234m", difference: "1234m", cmp: 1},
		{
			name: "overflow", a: "9223372036854775807", b: "1", sum: "9223372036854775808",
			difference: "9223372036854775806", cmp: 1,
		},
		{
			name: "both wide", a: "12345678901234567890", b: "12345678901234567889", sum: "24691357802469135779",
			difference: "1", cmp: 1,
		},
		{
			name: "far apart", a: "1E", b: "1n", sum: "1000000000000000000000000001n",
			difference: "999999999999999999999999999n", cmp: 1,
		},
		{name: "binary beyond the suffixes", a: "7Ei", b: "7Ei", sum: "14Ei", difference: "0", cmp: 0},
		{name: "negative", a: "-1", b: "1m", sum: "-999m", difference: "-1001m", cmp: -1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			a, b := parse(t, c.a), parse(t, c.b)
			sum, difference := a, a
			sum.Add(b)
			difference.Sub(b)
			if sum.String() != c.sum || difference.String() != c.difference {
				t.Errorf("sum %s, difference %s, want %s and %s", sum, difference, c.sum, c.difference)
			}
			if a.Cmp(b) != c.cmp || b.Cmp(a) != -c.cmp || a.Equal(b) != (c.cmp == 0) {
				t.Errorf("Cmp %d and %d, want %d", a.Cmp(b), b.Cmp(a), c.cmp)
			}
			if a.String() != parse(t, c.a).String() || b.String() != parse(t, c.b).String() {
				t.Errorf("the operands changed: %s, %s", a, b)
			}
		})
	}
}

func TestMul(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, a, want string
		factor        int64
	}{
		{"small", "1500m", "3", 2},
		{"by zero", "1500m", "0", 0},
		{"overflow", "4E", "40E", 10},
		{"kept text", "1.234", "1234m", 1},
		{"wide comes back", "9223372036854775808", "-9223372036854775808", -1},
		{"least", "-9223372036854775808", "9223372036854775808", -1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			q := parse(t, c.a)
			q.Mul(c.factor)
			if got := q.String(); got != c.want {
				t.Errorf("%s·%d = %s, want %s", c.a, c.factor, got, c.want)
			}
		})
	}
}

func TestIntegers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text  string
		scale resource.Scale
		want  int64
	}{
		{"1500m", 0, 2},
		{"-1500m", 0, -2},
		{"1500m", resource.Milli, 1500},
		{"1500m", resource.Nano, 1_500_000_000},
		{"1", resource.Exa, 1},
		{"-1", 30, -1},
		{"0", 30, 0},
		{"10E", 0, math.MaxInt64},
		{"-10E", 0, math.MinInt64},
		{"12345678901234567890", resource.Kilo, 12345678901234568},
		{"12345678901234567890", 60, 1},
		{"-12345678901234567890", resource.Milli, math.MinInt64},
	} {
		if got := parse(t, c.text).ScaledValue(c.scale); got != c.want {
			t.Errorf("%s.ScaledValue(%d) = %d, want %d", c.text, c.scale, got, c.want)
		}
	}
	for text, want := range map[string]int64{
		"5k": 5000, "2000m": 2, "9223372036854775807": math.MaxInt64,
		"9223372036854775807000m": math.MaxInt64,
	} {
		if got, ok := parse(t, text).AsInt64(); !ok || got != want {
			t.Errorf("%s.AsInt64() = %d, %v, want %d", text, got, ok, want)
		}
	}
	for _, text := range []string{"1500m", "10E", "12345678901234567890", "12345678901234567890500m"} {
		if got, ok := parse(t, text).AsInt64(); ok {
			t.Errorf("%s.AsInt64() = %d, want none", text, got)
		}
	}
}

func TestFloat(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]float64{
		"0": 0, "1500m": 1.5, "0.1": 0.1, "-1Ki": -1024, "12345678901234567890": 12345678901234567890,
		"1e309": math.Inf(1), "-1e309": math.Inf(-1),
	} {
		if got := parse(t, text).AsFloat64(); got != want {
			t.Errorf("%s.AsFloat64() = %v, want %v", text, got, want)
		}
	}
}

func TestRoundUp(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text  string
		scale resource.Scale
		want  string
		exact bool
	}{
		{"1500m", 0, "2", false},
		{"-1500m", 0, "-2", false},
		{"2000m", 0, "2", true},
		{"5", resource.Milli, "5", true},
		{"1", resource.Mega, "1M", false},
		{"12345678901234567890", resource.Peta, "12346P", false},
	} {
		q := parse(t, c.text)
		if exact := q.RoundUp(c.scale); exact != c.exact || q.String() != c.want {
			t.Errorf("%s.RoundUp(%d) gives %s, %v, want %s, %v", c.text, c.scale, q, exact, c.want, c.exact)
		}
	}
}

func TestSign(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"0": 0, "1": 1, "-1": -1, "12345678901234567890": 1,
		"-12345678901234567890": -1,
	} {
		q := parse(t, text)
		if q.Sign() != want || q.IsZero() != (want == 0) || q.CmpInt64(0) != want {
			t.Errorf("%s: Sign %d, IsZero %v, CmpInt64(0) %d, want %d", text, q.Sign(), q.IsZero(), q.CmpInt64(0), want)
		}
	}
}
