package conversion_test

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"testing"

	"github.com/askind/askind/conversion"
)

type (
	small  int8
	amount float32
)

// exact returns a number as a fraction, and false for NaN and the infinities.
func exact[T conversion.Number](v T) (*big.Rat, bool) {
	switch v := any(v).(type) {
	case float32:
		r := new(big.Rat).SetFloat64(float64(v))
		return r, r != nil
	case float64:
		r := new(big.Rat).SetFloat64(v)
		return r, r != nil
	case amount:
		r := new(big.Rat).SetFloat64(float64(v))
		return r, r != nil
	case uint, uint8, uint16, uint32, uint64, uintptr:
		r, ok := new(big.Rat).SetString(fmt.Sprint(v))
		return r, ok
	default:
		r, ok := new(big.Rat).SetString(fmt.Sprintf("%d", v))
		return r, ok
	}
}

// fits says by exact arithmetic whether a type has the number.
func fits[To conversion.Number](r *big.Rat) bool {
	integer := func(least *big.Int, bits uint) bool {
		greatest := new(big.Int).Lsh(big.NewInt(1), bits)
		return r.IsInt() && r.Num().Cmp(least) >= 0 && r.Num().Cmp(greatest) < 0
	}
	signed := func(bits uint) bool {
		return integer(new(big.Int).Neg(new(big.Int).Lsh(big.NewInt(1), bits-1)), bits-1)
	}
	unsigned := func(bits uint) bool { return integer(new(big.Int), bits) }
	switch any(To(0)).(type) {
	case int8, small:
		return signed(8)
	case int16:
		return signed(16)
	case int32:
		return signed(32)
	case int64:
		return signed(64)
	case int:
		return signed(strconv.IntSize)
	case uint8:
		return unsigned(8)
	case uint16:
		return unsigned(16)
	case uint32:
		return unsigned(32)
	case uint64:
		return unsigned(64)
	case uint, uintptr:
		return unsigned(strconv.IntSize)
	case float32, amount:
		f, _ := r.Float32()
		return equals(r, float64(f))
	case float64:
		f, _ := r.Float64()
		return equals(r, f)
	}
	panic("BUG: a type without a rule")
}

// equals compares exactly; the flag that Rat.Float32 returns is not right for fractions too small
// for a float32.
func equals(r *big.Rat, f float64) bool {
	same := new(big.Rat).SetFloat64(f)
	return same != nil && same.Cmp(r) == 0
}

func testNarrow[To, From conversion.Number](t *testing.T, values []From) {
	t.Helper()
	for _, v := range values {
		got, err := conversion.Narrow[To](v)
		number, finite := exact(v)
		if !finite {
			fractions := fits[To](big.NewRat(1, 2))
			same := float64(got) == float64(v) || math.IsNaN(float64(got)) && math.IsNaN(float64(v))
			if fractions && (err != nil || !same) || !fractions && !errors.Is(err, conversion.ErrOutOfRange) {
				t.Errorf("Narrow[%T](%T %v) = %v, %v", got, v, v, got, err)
			}
			continue
		}
		if !fits[To](number) {
			e, ok := errors.AsType[*conversion.RangeError](err)
			if !ok || got != 0 || !errors.Is(err, conversion.ErrOutOfRange) || e.Type != fmt.Sprintf("%T", got) {
				t.Errorf("Narrow[%T](%T %v) = %v, %v, want a *RangeError", got, v, v, got, err)
			}
			continue
		}
		if r, _ := exact(got); err != nil || r == nil || r.Cmp(number) != 0 {
			t.Errorf("Narrow[%T](%T %v) = %v, %v", got, v, v, got, err)
		}
	}
}

func testNarrowFrom[From conversion.Number](t *testing.T, values ...From) {
	t.Run(fmt.Sprintf("%T", From(0)), func(t *testing.T) {
		t.Parallel()
		testNarrow[int](t, values)
		testNarrow[int8](t, values)
		testNarrow[int16](t, values)
		testNarrow[int32](t, values)
		testNarrow[int64](t, values)
		testNarrow[uint](t, values)
		testNarrow[uint8](t, values)
		testNarrow[uint16](t, values)
		testNarrow[uint32](t, values)
		testNarrow[uint64](t, values)
		testNarrow[uintptr](t, values)
		testNarrow[float32](t, values)
		testNarrow[float64](t, values)
		testNarrow[small](t, values)
		testNarrow[amount](t, values)
	})
}

// around returns every power of two that a type has, with its neighbours and their negatives, and
// some more.
func around[T conversion.Number]() []T {
	values := []T{0, 1, 3, 100}
	for p, n := T(1), 0; n < 64; p, n = p*2, n+1 {
		for _, v := range []T{p - 1, p, p + 1} {
			values = append(values, v, -v) // integers wrap, which gives other values of the type
		}
	}
	return values
}

func TestNarrow(t *testing.T) {
	t.Parallel()
	testNarrowFrom(t, around[int]()...)
	testNarrowFrom(t, around[int8]()...)
	testNarrowFrom(t, around[int16]()...)
	testNarrowFrom(t, around[int32]()...)
	testNarrowFrom(t, around[int64]()...)
	testNarrowFrom(t, around[uint]()...)
	testNarrowFrom(t, around[uint8]()...)
	testNarrowFrom(t, around[uint16]()...)
	testNarrowFrom(t, around[uint32]()...)
	testNarrowFrom(t, around[uint64]()...)
	testNarrowFrom(t, around[uintptr]()...)
	testNarrowFrom(t, around[small]()...)
	nan, inf := math.NaN(), math.Inf(1)
	testNarrowFrom(t, append(around[float32](), 0.5, -0.5, math.MaxFloat32, math.SmallestNonzeroFloat32, float32(nan),
		float32(inf), float32(-inf))...)
	testNarrowFrom(t, append(around[amount](), 0.1)...)
	testNarrowFrom(t, append(around[float64](),
		0.1, -0.5, math.Copysign(0, -1), 1e18, -1e18, 1e19, 1e20, -1e20, math.MaxFloat64, math.SmallestNonzeroFloat64,
		math.MaxFloat32,
		math.Nextafter(1<<63, 0), math.Nextafter(1<<64, 0), math.Nextafter(-1<<63, -inf), nan, inf, -inf)...)
}

func TestRangeErrorText(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		err  error
		want string
	}{
		{"signed", second(conversion.Narrow[int32](int64(3_000_000_000))), "value 3000000000 does not fit into int32"},
		{"negative", second(conversion.Narrow[uint8](-1)), "value -1 does not fit into uint8"},
		{
			"unsigned", second(conversion.Narrow[int64](uint64(math.MaxUint64))),
			"value 18446744073709551615 does not fit into int64",
		},
		{"fraction", second(conversion.Narrow[int](2.5)), "value 2.5 does not fit into int"},
		{"digits", second(conversion.Narrow[float32](16777217)), "value 16777217 does not fit into float32"},
		{"NaN", second(conversion.Narrow[int](math.NaN())), "value NaN does not fit into int"},
		{"named type", second(conversion.Narrow[small](200)), "value 200 does not fit into conversion_test.small"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.err == nil || tt.err.Error() != tt.want {
				t.Errorf("got %v, want %s", tt.err, tt.want)
			}
		})
	}
}

func second[T any](_ T, err error) error { return err }

// Not parallel, because allocations are counted for the whole process.
func TestNarrowDoesNotAllocate(t *testing.T) {
	if n := testing.AllocsPerRun(100, func() {
		if _, err := conversion.Narrow[int32](int64(7)); err != nil {
			t.Error(err)
		}
		if _, err := conversion.Narrow[uint8](7.0); err != nil {
			t.Error(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkNarrow(b *testing.B) {
	b.Run("int64/int32", func(b *testing.B) {
		b.ReportAllocs()
		v := int64(7)
		for b.Loop() {
			if _, err := conversion.Narrow[int32](v); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("float64/int32", func(b *testing.B) {
		b.ReportAllocs()
		v := 7.0
		for b.Loop() {
			if _, err := conversion.Narrow[int32](v); err != nil {
				b.Fatal(err)
			}
		}
	})
}
