package jsonwire_test

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/askind/askind/wire/jsonwire"
)

// numbers are rows for every reading method.
var numbers = []string{
	"0", "-0", "1", "-1", "7", "127", "128", "-128", "-129", "255", "256", "32767", "32768", "-32768", "-32769",
	"65535", "65536",
	"2147483647", "2147483648", "-2147483648", "-2147483649", "4294967295", "4294967296", "9223372036854775807",
	"9223372036854775808", "-9223372036854775808",
	"-9223372036854775809", "18446744073709551615", "18446744073709551616", "99999999999999999999999",
	"100000000000000000", "999999999999999999", "1000000000000000000",
	"1.0", "1e3", "1E3", "0.1", "-0.0", "1e-7", "3.4028235e38", "3.5e38", "1.7976931348623157e308", "1e309", "5e-324",
	"1e-400", "0.30000000000000004",
	"00", "01", "-", "-a", "1.", "1.e1", "1e", "1e+", ".1", "+1", "0x1", "1_0", "null", `"1"`, "true", "[]", "{}",
}

// sameAsStd compares a reading method with encoding/json for each number, alone and inside an
// array.
func sameAsStd[T comparable](t *testing.T, old T, read func(r *jsonwire.Reader, old T) T) {
	t.Run(fmt.Sprintf("%T", old), func(t *testing.T) {
		t.Parallel()
		for _, text := range numbers {
			want := old
			wantErr := json.Unmarshal([]byte(text), &want)
			for _, form := range []string{"%s", "[%s]", "[ %s ]", "[0,%s]"} {
				r := jsonwire.NewReader(fmt.Appendf(nil, form, text), jsonwire.Options{})
				var got T
				if form == "%s" {
					got = read(r, old)
				} else {
					for more := r.Array(); more; more = r.NextElem() {
						got = read(r, old)
					}
				}
				r.End()
				if bad := len(r.Problems()) > 0; bad != (wantErr != nil) {
					t.Errorf("%s: problems %v, encoding/json %v", text, r.Problems(), wantErr)
				} else if bad && r.Err() == nil && got != old {
					t.Errorf("%s: got %v in spite of a problem", text, got)
				} else if !bad && got != want {
					t.Errorf("%s: got %v, want %v", text, got, want)
				}
			}
		}
	})
}

func TestNumbers(t *testing.T) {
	t.Parallel()
	sameAsStd(t, int64(42), (*jsonwire.Reader).Int64)
	sameAsStd(t, int32(42), (*jsonwire.Reader).Int32)
	sameAsStd(t, int16(42), (*jsonwire.Reader).Int16)
	sameAsStd(t, int8(42), (*jsonwire.Reader).Int8)
	sameAsStd(t, 42, (*jsonwire.Reader).Int)
	sameAsStd(t, uint64(42), (*jsonwire.Reader).Uint64)
	sameAsStd(t, uint32(42), (*jsonwire.Reader).Uint32)
	sameAsStd(t, uint16(42), (*jsonwire.Reader).Uint16)
	sameAsStd(t, uint8(42), (*jsonwire.Reader).Uint8)
	sameAsStd(t, uint(42), (*jsonwire.Reader).Uint)
	sameAsStd(t, 42.5, (*jsonwire.Reader).Float64)
	sameAsStd(t, float32(42.5), (*jsonwire.Reader).Float32)
}

func TestNumberText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"1.50": "1.50", " -1e5": "-1e5", "null": "", `"1"`: ""} {
		r := jsonwire.NewReader([]byte(text), jsonwire.Options{})
		if got := string(r.Number()); got != want {
			t.Errorf("Number(%s) = %s, want %s", text, got, want)
		}
	}
}

func TestFloatsRoundTrip(t *testing.T) {
	t.Parallel()
	for _, v := range []float64{
		0.1, 1 / 3.0, math.Pi * 1e100, math.SmallestNonzeroFloat64, math.MaxFloat64,
		123456789.125, 1e22, 1e23, 9007199254740993,
	} {
		b, err := jsonwire.AppendFloat64(nil, v)
		if err != nil {
			t.Fatal(err)
		}
		r := jsonwire.NewReader(b, jsonwire.Options{})
		if got := r.Float64(0); got != v {
			t.Errorf("%s reads as %v, want %v", b, got, v)
		}
	}
}
