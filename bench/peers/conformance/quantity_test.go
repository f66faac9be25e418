package conformance

import (
	"encoding/json"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	peer "k8s.io/apimachinery/pkg/api/resource"

	"github.com/askind/askind/meta/resource"
)

// exact returns the number that a text denotes, computed by neither library: digits, point and
// suffix in plain big arithmetic.
func exact(t *testing.T, text string) *big.Rat {
	t.Helper()
	number, suffix := text, ""
	if i := strings.IndexFunc(text, func(c rune) bool { return !strings.ContainsRune("+-.0123456789", c) }); i >= 0 {
		number, suffix = text[:i], text[i:]
	}
	if strings.HasSuffix(number, ".") {
		number += "0"
	}
	units := map[string]*big.Rat{
		"n": big.NewRat(1, 1e9), "u": big.NewRat(1, 1e6), "m": big.NewRat(1, 1e3), "": big.NewRat(1, 1),
		"k": big.NewRat(1e3, 1), "M": big.NewRat(1e6, 1), "G": big.NewRat(1e9, 1), "T": big.NewRat(1e12,
			1), "P": big.NewRat(1e15, 1), "E": big.NewRat(1e18, 1),
	}
	for i, s := range []string{"Ki", "Mi", "Gi", "Ti", "Pi", "Ei"} {
		units[s] = new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(10*(i+1))))
	}
	unit, ok := units[suffix]
	if !ok {
		number, unit = number+suffix, big.NewRat(1, 1)
	}
	v, ok := new(big.Rat).SetString(number)
	if !ok {
		t.Fatalf("the text %q denotes no number", text)
	}
	return v.Mul(v, unit)
}

// rounded returns a number rounded away from zero to a multiple of 10^scale.
func rounded(v *big.Rat, scale int) *big.Rat {
	unit := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(scale, -scale))), nil))
	if scale < 0 {
		unit.Inv(unit)
	}
	n := new(big.Rat).Quo(v, unit)
	whole, rest := new(big.Int).QuoRem(n.Num(), n.Denom(), new(big.Int))
	whole.Add(whole, big.NewInt(int64(rest.Sign())))
	return unit.Mul(unit, new(big.Rat).SetInt(whole))
}

// limited returns the nearest number that fits in an int64, whose absolute value is at most most.
func limited(v *big.Rat, most int64) *big.Rat {
	limit := new(big.Rat).SetInt64(most)
	switch {
	case v.Cmp(limit) > 0:
		return limit
	case v.Cmp(new(big.Rat).Neg(limit)) < 0:
		return limit.Neg(limit)
	}
	return v
}

// parsed returns the number that a quantity has: fractions of a nano are rounded away from zero,
// and binary quantities are at most 2^63-1, as the documentation of Kubernetes says.
func parsed(t *testing.T, text string) *big.Rat {
	t.Helper()
	v := rounded(exact(t, text), -9)
	if strings.HasSuffix(text, "i") && new(big.Rat).Abs(v).Cmp(big.NewRat(1, 1)) >= 0 {
		v = limited(v, math.MaxInt64)
	}
	return v
}

// cut reports whether the peer's text is another number than the quantity. It has no suffix for
// powers of ten below -9 and above 18, and then writes the digits without one: CanonicalizeBytes
// ignores that constructBytes has not found a suffix. Ours appends zeros or an exponent.
func cut(t *testing.T, q peer.Quantity) bool {
	d := q.AsDec()
	want := new(big.Rat).SetInt(d.UnscaledBig())
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(d.Scale(), -d.Scale()))), nil)
	if d.Scale() > 0 {
		want.Quo(want, new(big.Rat).SetInt(scale))
	} else {
		want.Mul(want, new(big.Rat).SetInt(scale))
	}
	return exact(t, q.String()).Cmp(want) != 0
}

func randomQuantity(r *rand.Rand) string {
	digits := func(most int) string {
		b := make([]byte, r.IntN(most+1))
		for i := range b {
			switch r.IntN(3) {
			case 0:
				b[i] = '0'
			default:
				b[i] = byte('0' + r.IntN(10))
			}
		}
		return string(b)
	}
	var b strings.Builder
	b.WriteString([]string{"", "", "", "-", "+"}[r.IntN(5)])
	b.WriteString(digits([]int{2, 4, 18, 30}[r.IntN(4)]))
	if r.IntN(3) == 0 {
		b.WriteByte('.')
		b.WriteString(digits([]int{1, 3, 9, 20}[r.IntN(4)]))
	}
	suffixes := []string{
		"", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "e", "E",
		"i", "ki", "x", " ", "e", "E",
	}
	suffix := suffixes[r.IntN(len(suffixes))]
	b.WriteString(suffix)
	if suffix == "e" || suffix == "E" {
		b.WriteString([]string{"", "-", "+"}[r.IntN(3)])
		b.WriteString(digits(2))
	}
	return b.String()
}

var quantityTexts = []string{
	"0", "1", "-1", "+1", "1500m", "1.5", "1.5Gi", "0.1", "1e3", "1E3", "1e5", "1Ki", "1024", "1024Ki", "1023Ki",
	"0.5Ki", "0.0001Ki", "-1.5Ki",
	"1.234", "1.500", "007", "+5Ki", "5.", "5.Ki", ".5", "1e03", "1e+3", "1e-3", "1e0", "1e-12", "1e30", "0.0000000001",
	"-0.0000000001", "123456789.123456789123",
	"8Ei", "-8Ei", "1024Ei", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
	"9223372036854775807Ki", "999999999999999999", "1000000000000000000",
	"100000000000000000000", "12345678901234567890123E", "1000E", "1000000E", "0.000000000000000000000000", "000", "-0",
	"0Ki", "0e5", "12e", "1Ee", "1ee5", "1 ", " 1", "", "m", ".", "+", "-",
	"1_000", "0x10", "1e1e1", "--1", "1.1.1", "1Zi", "1mi", "1µ", "1e5Ki",
}

func TestQuantityText(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	n := 100_000
	if testing.Short() {
		n = 10_000
	}
	for i := range n + len(quantityTexts) {
		var text string
		if i < len(quantityTexts) {
			text = quantityTexts[i]
		} else {
			text = randomQuantity(r)
		}
		theirs, theirErr := peer.ParseQuantity(text)
		ours, err := resource.Parse(text)
		if number := strings.TrimLeft(text, "+-."); number == "" || number[0] < '0' || number[0] > '9' {
			// The peer takes a suffix without a number for zero, although a quantity has at least
			// one digit in the grammar of its documentation. A missing number is more likely a
			// mistake than a zero.
			if err == nil {
				t.Errorf("Parse(%q) = %v, want an error: it has no digits", text, ours)
			}
			continue
		}
		if (err == nil) != (theirErr == nil) {
			t.Errorf("Parse(%q): error %v, peer's %v", text, err, theirErr)
			continue
		}
		if err != nil {
			continue
		}
		number := parsed(t, text)
		if got := exact(t, ours.String()); got.Cmp(number) != 0 {
			t.Errorf("Parse(%q).String() = %q, another number", text, ours)
		}
		if want := limited(rounded(number, 0), math.MaxInt64); ours.Value() > -math.MaxInt64 &&
			want.Cmp(new(big.Rat).SetInt64(ours.Value())) != 0 {
			t.Errorf("Parse(%q).Value() = %d, want %s", text, ours.Value(), want.RatString())
		}
		if cut(t, theirs) {
			continue
		}
		if ours.String() != theirs.String() {
			t.Errorf("Parse(%q).String() = %q, peer's %q", text, ours, theirs.String())
		}
		if got, want := ours.Format().String(), string(theirs.Format); got != want {
			t.Errorf("Parse(%q).Format() = %s, peer's %s", text, got, want)
		}
		got, err := json.Marshal(ours)
		want, theirErr := json.Marshal(theirs)
		if string(got) != string(want) || err != nil || theirErr != nil {
			t.Errorf("json.Marshal(Parse(%q)) = %s, %v, peer's %s, %v", text, got, err, want, theirErr)
		}
		// Beyond 64 bits, the peer returns the low bits. Its scaledValue adds one to the quotient
		// of a negative number too, so -0.474Mi, which is -497025.024, becomes -497024, and takes
		// any negative number for one that fits in 64 bits. The value was compared with the exact
		// number above.
		if v := theirs.Value(); theirs.Sign() >= 0 && theirs.CmpInt64(math.MaxInt64) <= 0 && ours.Value() != v {
			t.Errorf("Parse(%q).Value() = %d, peer's %d", text, ours.Value(), v)
		}
	}
}

func TestQuantityArithmetic(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for range 50_000 {
		a, b := randomQuantity(r), randomQuantity(r)
		x, err := resource.Parse(a)
		if err != nil {
			continue
		}
		y, err := resource.Parse(b)
		if err != nil {
			continue
		}
		// The peer changes the representation even when it compares, so each step gets quantities
		// of its own.
		fresh := func(text string) *peer.Quantity {
			q, err := peer.ParseQuantity(text)
			if err != nil {
				t.Fatal(err)
			}
			return &q
		}
		px, py := fresh(a), fresh(b)
		if got, want := x.Cmp(y), px.Cmp(*py); got != want {
			t.Errorf("%q.Cmp(%q) = %d, peer's %d", a, b, got, want)
		}
		if got, want := x.Sign(), px.Sign(); got != want {
			t.Errorf("%q.Sign() = %d, peer's %d", a, got, want)
		}
		number, other := parsed(t, a), parsed(t, b)
		for _, c := range []struct {
			name   string
			ours   func(x *resource.Quantity)
			theirs func(x *peer.Quantity)
			want   *big.Rat
		}{
			{
				"Add", func(x *resource.Quantity) { x.Add(y) }, func(x *peer.Quantity) { x.Add(*fresh(b)) },
				new(big.Rat).Add(number, other),
			},
			{
				"Sub", func(x *resource.Quantity) { x.Sub(y) }, func(x *peer.Quantity) { x.Sub(*fresh(b)) },
				new(big.Rat).Sub(number, other),
			},
			{
				"Neg", func(x *resource.Quantity) { x.Neg() }, func(x *peer.Quantity) { x.Neg() },
				new(big.Rat).Neg(number),
			},
			{
				"RoundUp", func(x *resource.Quantity) { x.RoundUp(resource.Milli) },
				func(x *peer.Quantity) { x.RoundUp(peer.Milli) }, rounded(number, -3),
			},
		} {
			got, p := x, fresh(a)
			c.ours(&got)
			c.theirs(p)
			if exact(t, got.String()).Cmp(c.want) != 0 {
				t.Errorf("%q.%s(%q) = %q, another number than %s", a, c.name, b, got, c.want.RatString())
			}
			if got.String() != p.String() && !cut(t, *p) {
				t.Errorf("%q.%s(%q) = %q, peer's %q", a, c.name, b, got, p.String())
			}
		}
		if v := px.AsApproximateFloat64(); math.Abs(x.AsFloat64()-v) > math.Abs(v)*1e-12 {
			t.Errorf("%q.AsFloat64() = %v, peer's %v", a, x.AsFloat64(), v)
		}
	}
}

func TestQuantityJSON(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`"1"`, `1`, `1.5`, `1e3`, `-0`, `" 1Gi "`, `null`, `true`, `{}`, `[]`, `""`, `"x"`,
		`1E400`, `"\t5m\n"`,
	} {
		var ours resource.Quantity
		var theirs peer.Quantity
		err, theirErr := json.Unmarshal([]byte(text), &ours), json.Unmarshal([]byte(text), &theirs)
		if text == `"\t5m\n"` { // the peer does not undo escapes
			theirErr, theirs = nil, peer.MustParse("5m")
		}
		if (err == nil) != (theirErr == nil) || ours.String() != theirs.String() {
			t.Errorf("json.Unmarshal(%s) = %v, %v, peer's %v, %v", text, ours, err, theirs.String(), theirErr)
		}
	}
}
