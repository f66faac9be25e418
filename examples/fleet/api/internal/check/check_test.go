package check_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/askind/askind/examples/fleet/api/internal/check"
	"github.com/askind/askind/meta/intstr"
	"github.com/askind/askind/meta/resource"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

func TestRules(t *testing.T) {
	t.Parallel()
	at := schema.NewPath("x")
	seconds := func(d time.Duration) *metav1.Duration { return new(metav1.NewDuration(d)) }
	share := func(v intstr.IntOrString) *intstr.IntOrString { return &v }
	self := func(s *string) string { return *s }
	union := func(kind string, a, b bool) runtime.FieldErrors {
		return check.Union(at, kind, check.Member{Name: "A", Field: "a", Set: a},
			check.Member{Name: "B", Field: "b", Set: b})
	}
	for name, tt := range map[string]struct {
		got  runtime.FieldErrors
		want string // the errors, separated by bars
	}{
		"one of": {check.OneOf(at, "b", "a", "b"), ""},
		"none of": {
			check.OneOf(at, "aa", "ab", "c"),
			`x: Unsupported value: "aa": supported values: "ab", "c" (did you mean "ab"?)`,
		},
		"positive":     {check.Positive(at, int32(1)), ""},
		"not positive": {check.Positive(at, int64(0)), "x: Invalid value: 0: must be greater than zero"},
		"negative":     {check.NotNegative(at, int32(-1)), "x: Invalid value: -1: must not be negative"},
		"fits":         {check.Fits[int32](at, int64(1)<<31-1), ""},
		"does not fit": {
			check.Fits[int32](at, int64(1)<<31),
			"x: Invalid value: 2147483648: value 2147483648 does not fit into int32",
		},
		"size": {check.Size(at, resource.NewQuantity(1<<20, resource.BinarySI)), ""},
		"no size": {
			check.Size(at, resource.Quantity{}),
			`x: Invalid value: "0": must be greater than zero`,
		},
		"seconds":    {check.Seconds(at, seconds(90*time.Second)), ""},
		"no seconds": {check.Seconds(at, nil), ""},
		"fraction": {
			check.Seconds(at, seconds(time.Millisecond)),
			`x: Invalid value: "1ms": must be whole seconds`,
		},
		"negative seconds": {
			check.Seconds(at, seconds(-time.Second)),
			`x: Invalid value: "-1s": must not be negative`,
		},
		"port":         {check.Port(at, intstr.FromInt32(443)), ""},
		"port by name": {check.Port(at, intstr.FromString("http-2")), ""},
		"port too large": {
			check.Port(at, intstr.FromInt32(65536)),
			"x: Invalid value: 65536: the number of a port is between 1 and 65535",
		},
		"port like a number": {
			check.Port(at, intstr.FromString("443")),
			`x: Invalid value: "443": the name of a port consists of lower-case letters, digits and hyphens, with at least one letter`,
		},
		"no share": {check.Share(at, nil), ""},
		"share":    {check.Share(at, share(intstr.FromString("25%"))), ""},
		"no percentage": {
			check.Share(at, share(intstr.FromString("half"))),
			`x: Invalid value: "half": must be a number or a percentage, such as 25%`,
		},
		"negative share": {
			check.Share(at, share(intstr.FromInt32(-1))),
			`x: Invalid value: "-1": must not be negative`,
		},
		"unique": {check.Unique(at, []string{"a", "b"}, "name", self), ""},
		"not unique": {
			check.Unique(at, []string{"a", "b", "a", "a"}, "name", self),
			`x[2].name: Duplicate value: "a"|x[3].name: Duplicate value: "a"`,
		},
		"zones": {check.Zones(at, []string{"a", "b"}), ""},
		"bad zones": {
			check.Zones(at, []string{"a", "b,c", "a", ""}),
			`x[1]: Invalid value: "b,c": the name of a zone is not blank and has no comma|x[2]: Duplicate value: "a"|x[3]: Invalid value: "": the name of a zone is not blank and has no comma`,
		},
		"union":                 {union("B", false, true), ""},
		"union without type":    {union("", true, false), "x.type: Required value: one of A, B"},
		"union of other type":   {union("C", true, false), `x.type: Unsupported value: "C": supported values: "A", "B"`},
		"union with the wrong":  {union("A", false, true), "x.a: Required value: type is A|x.b: Forbidden: type is A"},
		"union with everything": {union("A", true, true), "x.b: Forbidden: type is A"},
	} {
		lines := make([]string, len(tt.got))
		for i, e := range tt.got {
			lines[i] = e.Error()
		}
		if got := strings.Join(lines, "|"); got != tt.want {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, tt.want)
		}
	}
	if errs := check.Name(at, strings.Repeat("a", 254)); len(errs) != 1 || errs[0].Code != runtime.FieldTooLong {
		t.Errorf("a long name: %v", errs)
	}
}

func TestSorted(t *testing.T) {
	t.Parallel()
	m := map[string]int{"b": 2, "a": 1, "c": 3}
	var keys []string
	for k, v := range check.Sorted(m) {
		if m[k] != v {
			t.Errorf("%s is %d", k, v)
		}
		if keys = append(keys, k); k == "b" {
			break
		}
	}
	if !slices.Equal(keys, []string{"a", "b"}) || !maps.Equal(m, map[string]int{"b": 2, "a": 1, "c": 3}) {
		t.Errorf("got %v", keys)
	}
}
