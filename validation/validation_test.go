package validation_test

import (
	goruntime "runtime"
	"slices"
	"strings"
	"testing"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/validation"
)

func TestFormats(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		format    string
		good, bad []string
	}{
		{
			"date-time",
			[]string{"2006-01-02T15:04:05Z", "2006-01-02T15:04:05.5+01:00", "2006-01-02t15:04:05z"},
			[]string{"", "2006-01-02", "2006-01-02 15:04:05Z"},
		},
		{"date", []string{"2024-02-29"}, []string{"2023-02-29", "24-02-01", ""}},
		{"duration", []string{"1h30m", "0s", "-5ms"}, []string{"", "1", "1 hour"}},
		{"email", []string{"a@b.c", "a.b+c@example.com"}, []string{
			"", "a", "@b", "a@", "a b@c", "a..b@c", "a@b_c",
			strings.Repeat("a", 65) + "@b",
		}},
		{"hostname", []string{"a", "A.b-c.d", "a."}, []string{"", "-a", "a..b", "a_b", strings.Repeat("a", 64)}},
		{"ipv4", []string{"1.2.3.4"}, []string{"", "1.2.3", "::1", "1.2.3.256"}},
		{"ipv6", []string{"::1", "fe80::1"}, []string{"", "1.2.3.4", "fe80::1%eth0"}},
		{"cidr", []string{"10.0.0.0/8", "::/0"}, []string{"", "10.0.0.0", "10.0.0.0/33"}},
		{"mac", []string{"00:00:5e:00:53:01", "0000.5e00.5301"}, []string{"", "00:00:5e", "00:00:5e:00:53:0g"}},
		{"uri", []string{"https://a/b", "urn:a:b", "/a", "//a"}, []string{"", "a/b", "#a", "%"}},
		{
			"uuid",
			[]string{
				"123e4567-e89b-12d3-a456-426614174000", "123E4567-E89B-12D3-A456-426614174000",
				"123e4567e89b12d3-a456426614174000",
			},
			[]string{
				"", "-", "123e4567", "123e4567-e89b-12d3-a456-42661417400g", "123e4567xe89b-12d3-a456-426614174000",
				"123e4567--e89b-12d3-a456-426614174000", "123e-4567-e89b-12d3-a456426614174000",
			},
		},
		{
			"uuid4",
			[]string{"123e4567-e89b-42d3-a456-426614174000"},
			[]string{"123e4567-e89b-52d3-a456-426614174000", "123e4567-e89b-42d3-c456-426614174000"},
		},
		{"byte", []string{"", "YQ=="}, []string{"a", "YQ"}},
		{"k8s-short-name", []string{"a", "a-1", strings.Repeat("a", 63)}, []string{
			"", "A", "a.b", "-a", "a-",
			strings.Repeat("a", 64),
		}},
		{"k8s-long-name", []string{"a", "a.b-1"}, []string{"", "a..b", "A", strings.Repeat("a.", 127)}},
		{"k8s-label-key", []string{"a", "a/b", "example.com/A_b.c"}, []string{
			"", "/a", "a/", "a/b/c", "A/b",
			strings.Repeat("a", 64),
		}},
		{"k8s-label-value", []string{"", "a", "A_b.c"}, []string{"-", "a-", strings.Repeat("a", 64)}},
		{
			"k8s-uuid",
			[]string{"123e4567-e89b-12d3-a456-426614174000"},
			[]string{"123E4567-E89B-12D3-A456-426614174000", "123e4567e89b12d3a456426614174000"},
		},
		{
			"k8s-path-segment-name",
			[]string{"a", "a.b", ".a", "..a", "a..", "..."},
			[]string{"", ".", "..", "a/b", "./a", "a%2f"},
		},
		{"unknown", []string{"", "anything"}, nil},
	} {
		for _, text := range c.good {
			if !validation.Format(c.format, text) {
				t.Errorf("%q is not of the format %s", text, c.format)
			}
		}
		for _, text := range c.bad {
			if validation.Format(c.format, text) {
				t.Errorf("%q is of the format %s", text, c.format)
			}
		}
	}
}

func TestDuplicates(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 3, 64, 65, 1000} {
		list := make([]int, n)
		for i := range list {
			list[i] = i
		}
		if got := validation.Duplicates(list, nil, validation.Itself); got != nil {
			t.Errorf("%d different elements: %v", n, got)
		}
		if n == 0 {
			continue
		}
		list = append(list, list[n-1], list[0])
		if got := validation.Duplicates(list, nil, validation.Itself); len(got) != 2 || got[0] != n || got[1] != n+1 {
			t.Errorf("two of %d elements twice: %v", n, got)
		}
	}
}

// TestOldDuplicates checks that duplicates remain where there were some before, as in Kubernetes.
func TestOldDuplicates(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		list, old []int
		want      int
	}{
		{[]int{1, 2}, nil, 0},
		{[]int{1, 1}, nil, 1},
		{[]int{1, 1}, []int{1, 2}, 1},
		{[]int{1, 1}, []int{1, 1}, 0},
		{[]int{1, 1, 3}, []int{2, 1, 1}, 0},
		{[]int{1, 2}, []int{1, 1}, 0},
	} {
		if got := validation.Duplicates(tt.list, tt.old, validation.Itself); len(got) != tt.want {
			t.Errorf("%v after %v: %v, want %d", tt.list, tt.old, got, tt.want)
		}
	}
}

func TestFormer(t *testing.T) {
	t.Parallel()
	type element struct{ key, value int }
	for _, n := range []int{2, 64, 1000} {
		f := validation.Former[element, int]{Key: func(e *element) int { return e.key }}
		for i := range n {
			f.List = append(f.List, element{i, i * i})
		}
		for i := range n {
			at := n - 1 - i // in the opposite order
			if e := f.Find(at, i); e == nil || e.value != i*i {
				t.Fatalf("%d of %d: %v", i, n, e)
			}
		}
		if e := f.Find(0, n); e != nil {
			t.Errorf("found %v, which does not exist", e)
		}
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	at := schema.NewPath("spec", "a")
	pattern := &validation.Pattern{Expr: "^a"}
	if !pattern.Match("ab") || pattern.Match("b") || (&validation.Pattern{Expr: "("}).Match("(") {
		t.Error("a pattern matches something else")
	}
	for want, err := range map[string]*runtime.FieldError{
		"spec.a: Required value":                                       validation.Missing(at),
		"spec.a: Forbidden: must not be set":                           validation.NotAllowed(at),
		"spec.a: Invalid value: field is immutable":                    validation.Changed(at),
		`spec.a: Invalid value: "x": must be at least 2 characters`:    validation.TooShort(at, "x", 2),
		`spec.a: Too long: may not be more than 1 character`:           validation.TooLong(at, "xy", 1),
		"spec.a: Invalid value: 1: must have at least 2 items":         validation.TooFew(at, 1, 2),
		`spec.a: Invalid value: "b": must match ^a`:                    validation.Mismatch(at, "b", pattern),
		`spec.a: Invalid value: "b": must be an IPv4 address`:          validation.Malformed(at, "b", "ipv4"),
		"spec.a: Invalid value: 1: must be greater than or equal to 2": validation.Below(at, 1, "2", false),
		"spec.a: Invalid value: 1: must be greater than 1":             validation.Below(at, 1, "1", true),
		"spec.a: Invalid value: 3: must be less than or equal to 2":    validation.Above(at, 3, "2", false),
		"spec.a: Invalid value: 3: must be less than 3":                validation.Above(at, 3, "3", true),
		"spec.a: Invalid value: 3: must be a multiple of 2":            validation.Uneven(at, 3, "2"),
		"spec.a: Invalid value: 3: must not be equal to 3":             validation.Refused(at, 3),
		`spec.a: Invalid value: "b": must not be equal to "b"`:         validation.Refused(at, "b"),
		"spec.a: Too many: 3: must have at most 1 item":                runtime.TooMany(at, 3, 1),
		"spec.a: Too long: may not be more than 2 bytes":               runtime.TooLong(at, "abc", 2),
		`spec.a: Unsupported value: 3: supported values: "1", "2"`:     validation.NotAmong(at, 3, "1", "2"),
	} {
		if got := err.Error(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestGroups(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name             string
		set, least, most int
		want             string
	}{
		{"exactly one, none", 0, 1, 1, "Invalid value: exactly one of a, b must be set, 0 are"},
		{"exactly one", 1, 1, 1, ""},
		{"at most one, two", 2, 0, 1, "Invalid value: at most one of a, b must be set, 2 are"},
		{"at least one, none", 0, 1, 2, "Invalid value: at least one of a, b must be set, 0 are"},
	} {
		if got := validation.Choice(nil, c.set, c.least, c.most, "a", "b").Error(); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
	if got := validation.Member(nil, "a", true, false, "type", "A").Error(); got != "a: Forbidden: may only be specified when type is \"A\"" {
		t.Error(got)
	}
	if got := validation.Member(nil, "a", false, true, "type", "A").Error(); got != "a: Required value: must be specified when type is \"A\"" {
		t.Error(got)
	}
}

func TestUnderOnceAndSort(t *testing.T) {
	t.Parallel()
	found := runtime.FieldErrors{validation.Missing(schema.NewPath("b")), validation.Missing(schema.NewPath("a"))}
	errs := validation.Under(nil, schema.NewPath("spec"), found)
	if got := errs.Error(); got != "spec.b: Required value\nspec.a: Required value" {
		t.Error(got)
	}
	if got := found.Error(); got != "b: Required value\na: Required value" {
		t.Errorf("what was found has changed: %s", got)
	}
	validation.Sort(errs, 0)
	errs = append(errs, errs[0])
	if got := validation.Once(errs).Error(); got != "spec.a: Required value\nspec.b: Required value" {
		t.Error(got)
	}
}

// TestSortBelowLongNames checks that sorting does not copy the names in the paths. Such a copy for
// each comparison took gigabytes.
func TestSortBelowLongNames(t *testing.T) { // not in parallel: it counts what is allocated
	at := schema.NewPath("spec").Key(strings.Repeat("k", 1<<20))
	var errs, want runtime.FieldErrors
	for i := range 1000 {
		errs = append(errs, validation.Missing(at.Index(999-i)))
		want = append(want, validation.Missing(at.Index(i)))
	}
	var before, after goruntime.MemStats
	goruntime.ReadMemStats(&before)
	validation.Sort(errs, 0)
	goruntime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
		t.Errorf("%d bytes are allocated", n)
	}
	if !slices.EqualFunc(errs, want, func(a, b *runtime.FieldError) bool { return a.Path.Equal(b.Path) }) {
		t.Error("the errors are not in order")
	}
}

// TestRedact checks that neither values nor what resembles them are shown.
func TestRedact(t *testing.T) {
	t.Parallel()
	at := schema.NewPath("spec", "token")
	errs := runtime.FieldErrors{
		runtime.Invalid(at, "before", "d"),
		runtime.Invalid(at, "hunter2", "d"),
		runtime.NotSupported(at, "hunter2", "hunter1", "x"),
		runtime.Required(at, ""),
	}
	validation.Redact(errs, 1)
	if got := errs[0].Error(); !strings.Contains(got, "before") {
		t.Errorf("an error before the index was changed: %s", got)
	}
	for _, e := range errs[1:] {
		if got := e.Error(); strings.Contains(got, "hunter2") || strings.Contains(got, "did you mean") {
			t.Errorf("the value is shown: %s", got)
		}
	}
}

// TestLongListsAreSearchedOnce checks that the keys of a long list are computed once for each
// element, so that a request cannot cause quadratic work.
func TestLongListsAreSearchedOnce(t *testing.T) {
	t.Parallel()
	const n = 5000
	list := make([]int, n)
	for i := range list {
		list[i] = i / 2
	}
	calls := 0
	key := func(e *int) int { calls++; return *e }
	if got := validation.Duplicates(list, nil, key); len(got) != n/2 || got[0] != 1 || calls > n {
		t.Errorf("%d duplicates, %d calls", len(got), calls)
	}
	calls = 0
	former := validation.Former[int, int]{List: list, Key: key}
	for i := range list {
		if p := former.Find((i+n/2)%n, i/2); p != &list[i/2*2] && p != &list[i] {
			t.Fatalf("element %d has another one", i)
		}
	}
	if calls > 3*n {
		t.Errorf("%d calls", calls)
	}
	// The first element with a key is the former one, wherever the present one is.
	if p := former.Find(n-1, 0); p != &list[0] {
		t.Errorf("not the first element")
	}
}

// TestOnceKeepsWhatDiffers checks that errors of one field with different details are kept.
func TestOnceKeepsWhatDiffers(t *testing.T) {
	t.Parallel()
	at := schema.NewPath("a")
	errs := validation.Once(runtime.FieldErrors{
		runtime.Invalid(at, 1, "x"), runtime.Invalid(at, 1, "y"), runtime.Invalid(at, 1, "x"),
		runtime.Required(at, "x"),
	})
	if len(errs) != 3 {
		t.Errorf("%d errors: %v", len(errs), errs)
	}
}

// TestUnderIsBounded checks that the errors of very many parts do not take memory.
func TestUnderIsBounded(t *testing.T) {
	t.Parallel()
	var errs runtime.FieldErrors
	for i := range 50_000 {
		errs = validation.Under(errs, schema.NewPath("list").Index(i),
			runtime.FieldErrors{runtime.Required(schema.NewPath("name"), "")})
	}
	if len(errs) != 10_000 || errs[9999].Path.String() != "list[9999].name" {
		t.Errorf("%d errors are kept, the last is %v", len(errs), errs[len(errs)-1])
	}
}
