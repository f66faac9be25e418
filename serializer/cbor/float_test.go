package cbor

import (
	"math"
	"testing"
)

// TestHalf converts every float16 to a float64 and back.
func TestHalf(t *testing.T) {
	t.Parallel()
	for i := range 1 << 16 {
		half := uint16(i)
		v := fromHalf(half)
		if math.IsNaN(v) || math.IsInf(v, 0) {
			if half&0x7C00 != 0x7C00 {
				t.Fatalf("fromHalf(%#04x) = %v", half, v)
			}
			continue
		}
		if got, ok := toHalf(math.Float32bits(float32(v))); !ok || got != half {
			t.Fatalf("toHalf(%v) = %#04x, %v, want %#04x", v, got, ok, half)
		}
		// Between two neighbours there is no float16.
		if between := math.Float32frombits(math.Float32bits(float32(v)) + 1); half&0x7FFF < 0x7BFF {
			if got, ok := toHalf(math.Float32bits(between)); ok {
				t.Fatalf("toHalf(%v) = %#04x", between, got)
			}
		}
	}
}

func TestAppendFloatText(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		v    float64
		want string
	}{
		{0, "0.0"},
		{math.Copysign(0, -1), "-0.0"},
		{1, "1.0"},
		{-2.5, "-2.5"},
		{1 << 60, "1152921504606846976.0"},
		{1 << 63, "9223372036854775808.0"},
		{-1 << 63, "-9223372036854775808.0"},
		{1e20, "100000000000000000000.0"},
		{1e21, "1e+21"},
		{1e-7, "1e-7"},
		{0.1, "0.1"},
	} {
		if got := string(appendFloatText(nil, tt.v)); got != tt.want {
			t.Errorf("appendFloatText(%v) = %s, want %s", tt.v, got, tt.want)
		}
	}
}
