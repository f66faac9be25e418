package schema_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/askind/askind/schema"
)

func TestAt(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		got  error
		want string
	}{
		{"field", schema.AtField(io.EOF, "spec"), "spec: EOF"},
		{"index", schema.AtIndex(io.EOF, 2), "[2]: EOF"},
		{"key", schema.AtKey(io.EOF, "a/b"), "[a/b]: EOF"},
		{"path", schema.AtPath(io.EOF, schema.NewPath("a").Index(1)), "a[1]: EOF"},
		{"root", schema.AtPath(io.EOF, nil), "EOF"},
		{
			"nested",
			schema.AtField(schema.AtField(schema.AtIndex(schema.AtField(io.EOF, "image"), 2), "containers"), "spec"),
			"spec.containers[2].image: EOF",
		},
		{
			"around another error",
			schema.AtField(fmt.Errorf("container web: %w", schema.AtField(io.EOF, "image")), "spec"),
			"spec: container web: image: EOF",
		},
		{"at the root", &schema.PathError{Err: io.EOF}, "EOF"},
		{"literal at the root", schema.AtField(&schema.PathError{Err: io.EOF}, "a"), "a: EOF"},
		{"without a cause", schema.AtField(&schema.PathError{}, "a"), "a: unknown error"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := tt.got.Error(); got != tt.want {
				t.Errorf("Error() = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestAtKeepsNil(t *testing.T) {
	t.Parallel()
	if schema.AtField(nil, "a") != nil || schema.AtIndex(nil, 0) != nil || schema.AtKey(nil, "a") != nil ||
		schema.AtPath(nil, schema.NewPath("a")) != nil {
		t.Error("nil became an error")
	}
}

func TestAtMerges(t *testing.T) {
	t.Parallel()
	cause := &schema.ParseError{What: "kind"}
	inner := schema.AtField(cause, "b")
	outer := schema.AtField(inner, "a")
	if inner.Error() == outer.Error() || !strings.HasPrefix(inner.Error(), "b: ") {
		t.Errorf("the inner error changed: %v", inner)
	}
	e, ok := errors.AsType[*schema.PathError](outer)
	if !ok || e.Err != error(cause) || !e.Path.Equal(schema.NewPath("a", "b")) {
		t.Errorf("outer = %#v, want one PathError around the cause", outer)
	}
	if got, ok := errors.AsType[*schema.ParseError](outer); !ok || got != cause {
		t.Error("errors.AsType does not reach the cause")
	}
	if !errors.Is(schema.AtKey(schema.AtIndex(io.EOF, 1), "k"), io.EOF) {
		t.Error("errors.Is does not reach the cause")
	}
}

// An error from the bottom of a document as deep as the limit must not take quadratic time.
func TestAtManyLevels(t *testing.T) {
	t.Parallel()
	const n = 100_000
	err := io.EOF
	for i := range n {
		err = schema.AtIndex(err, i)
	}
	e, ok := errors.AsType[*schema.PathError](err)
	if !ok || e.Err != io.EOF {
		t.Fatalf("got %T", err)
	}
	if steps := e.Path.Steps(); len(steps) != n || steps[0].Index != n-1 {
		t.Errorf("%d steps, beginning with %+v", len(steps), steps[0])
	}
}

// Not parallel, because allocations are counted for the whole process.
func TestAtNilDoesNotAllocate(t *testing.T) {
	if n := testing.AllocsPerRun(100, func() {
		if schema.AtField(schema.AtIndex(schema.AtKey(nil, "k"), 1), "f") != nil {
			t.Error("nil became an error")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
