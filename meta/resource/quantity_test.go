package resource_test

import (
	"math"
	"strings"
	"testing"

	"github.com/askind/askind/meta/resource"
	"github.com/askind/askind/runtime"
)

func TestConstructors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, want string
		q          resource.Quantity
	}{
		{"zero value", "0", resource.Quantity{}},
		{"integer", "5", resource.NewQuantity(5, resource.DecimalSI)},
		{"binary", "5Gi", resource.NewQuantity(5<<30, resource.BinarySI)},
		{"exponent", "5e3", resource.NewQuantity(5000, resource.DecimalExponent)},
		{"milli", "1500m", resource.NewMilliQuantity(1500, resource.DecimalSI)},
		{"milli without fraction", "2", resource.NewMilliQuantity(2000, resource.DecimalSI)},
		{"binary fraction has no binary suffix", "1500m", resource.NewMilliQuantity(1500, resource.BinarySI)},
		{"scaled", "5M", resource.NewScaledQuantity(5, resource.Mega)},
		{"scaled beyond the suffixes", "5000E", resource.NewScaledQuantity(5, 21)},
		{"scaled below the suffixes", "1n", resource.NewScaledQuantity(5, -12)},
		{"scaled below the suffixes, negative", "-1n", resource.NewScaledQuantity(-5, -1<<30)},
		{"least", "-9223372036854775808", resource.NewQuantity(math.MinInt64, resource.DecimalSI)},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := c.q.String(); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestSet(t *testing.T) {
	t.Parallel()
	q := parse(t, "1.234")
	q.SetFormat(resource.DecimalSI)
	if got := q.String(); got != "1234m" {
		t.Errorf("after SetFormat: %s, want 1234m", got)
	}
	q = parse(t, "2Gi")
	q.Set(1 << 20)
	if got := q.String(); got != "1Mi" {
		t.Errorf("after Set: %s, want 1Mi", got)
	}
	q.SetMilli(2500)
	if got := q.String(); got != "2500m" {
		t.Errorf("after SetMilli: %s, want 2500m", got)
	}
}

// TestEqualValues checks that a parsed quantity in canonical form is the value that a constructor
// makes.
func TestEqualValues(t *testing.T) {
	t.Parallel()
	if got, want := parse(t, "1500m"), resource.NewMilliQuantity(1500, resource.DecimalSI); got != want {
		t.Errorf("got %#v, want %#v", got, want)
	}
	if got, want := parse(t, "0Ki"), resource.NewQuantity(0, resource.BinarySI); got != want {
		t.Errorf("got %#v, want %#v", got, want)
	}
}

func TestDeepCopy(t *testing.T) {
	t.Parallel()
	type holder struct{ Q []resource.Quantity }
	in := &holder{Q: []resource.Quantity{parse(t, "12345678901234567890")}}
	out, ok := runtime.DeepCopyAny(in).(*holder)
	if !ok || &out.Q[0] == &in.Q[0] {
		t.Fatalf("copying by reflection shares memory")
	}
	out.Q[0].Neg()
	if got := in.Q[0].String(); got != "12345678901234567890" {
		t.Errorf("changing the copy made the original %s", got)
	}
}

func TestFormatString(t *testing.T) {
	t.Parallel()
	for f, want := range map[resource.Format]string{
		resource.DecimalSI: "DecimalSI", resource.BinarySI: "BinarySI", resource.DecimalExponent: "DecimalExponent",
		7: "Format(7)",
	} {
		if got := f.String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func parse(t testing.TB, text string) resource.Quantity {
	t.Helper()
	q, err := resource.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// TestScaleLimit checks that every quantity can be read again: scales are limited, and so are the
// exponents that are written.
func TestScaleLimit(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]func(){
		"NewScaledQuantity": func() { resource.NewScaledQuantity(5, 1<<30) },
		"one above":         func() { resource.NewScaledQuantity(5, 1025) },
		"SetScaled":         func() { new(resource.Quantity).SetScaled(5, 1<<30) },
		"RoundUp":           func() { q := resource.MustParse("1"); q.RoundUp(1 << 30) },
	} {
		func() {
			defer func() {
				if text, _ := recover().(string); !strings.Contains(text, "is greater than 1024") {
					t.Errorf("%s: panic %q", name, text)
				}
			}()
			f()
		}()
	}
	for _, q := range []resource.Quantity{
		resource.NewScaledQuantity(math.MinInt64, 1024), resource.NewScaledQuantity(1e18, 1024),
		resource.NewScaledQuantity(10, 1023), resource.NewScaledQuantity(0, 1024),
		resource.MustParse("1000e1024"), resource.MustParse("-1" + strings.Repeat("0", 900) + "e1024"),
		resource.MustParse("1e-1024"), resource.MustParse("1e1022"), resource.NewScaledQuantity(7, -1024),
		resource.MustParse(strings.Repeat("1", 1019) + ".1E"), resource.MustParse(strings.Repeat("1", 1023) + "k"),
	} {
		again, err := resource.Parse(q.String())
		if err != nil || !again.Equal(q) {
			t.Errorf("%s is read as %v, %v", q, again, err)
		}
	}
}
