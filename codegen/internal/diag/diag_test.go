package diag

import (
	"go/token"
	"testing"
)

func TestSorted(t *testing.T) {
	t.Parallel()
	at := func(file string, line, col int) token.Position {
		return token.Position{Filename: file, Line: line, Column: col}
	}
	var l List
	l.Errorf(at("b.go", 1, 1), "x", "last")
	l.Errorf(at("a.go", 10, 1), "x", "tenth").Relate(at("c.go", 3, 1), "the peer").Suggest("one\ntwo")
	l.Warnf(at("a.go", 9, 1), "x", "ninth")
	l.Errorf(at("a.go", 10, 1), "x", "tenth")
	l.Errorf(token.Position{}, "x", "everywhere")
	var got string
	for _, d := range l.Sorted() {
		got += d.String() + "\n"
	}
	want := "x everywhere\na.go:9:1: warning: x ninth\na.go:10:1: x tenth\n\tc.go:3:1: the peer\n\ttry: one\n\t     two\nb.go:1:1: x last\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if !l.HasErrors() {
		t.Error("no errors")
	}
}
