package members_test

import (
	"reflect"
	"testing"

	"github.com/askind/askind/serializer/internal/members"
)

func TestOf(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]members.List{
		`{}`:   nil,
		`null`: nil,
		`[1]`:  nil,
		``:     nil,
		` { "a\u0062" : [ 1 , {} ] , "c":null,"c" : "d" } `: {
			{"ab", []byte("[ 1 , {} ]")},
			{"c", []byte("null")},
			{"c", []byte(`"d"`)},
		},
	} {
		if got := members.Of([]byte(in)); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %q, want %q", in, got, want)
		}
	}
}

func TestList(t *testing.T) {
	t.Parallel()
	l := members.Of([]byte(`{"a":1,"\"":[2],"a":3}`))
	if got := string(l.JSON()); got != `{"a":1,"\"":[2],"a":3}` {
		t.Errorf("JSON: %s", got)
	}
	if got := string(l.Without("a").JSON()); got != `{"\"":[2]}` || len(l) != 3 {
		t.Errorf("Without: %s", got)
	}
	if l.Value("b") != nil || string(l.Value("a")) != "1" || string(members.List(nil).JSON()) != "{}" {
		t.Errorf("Value: %s, %s", l.Value("b"), l.Value("a"))
	}
}

func TestChanges(t *testing.T) {
	t.Parallel()
	removed, changed := members.Changes([]byte(`{"a":1,"b":2,"c":3}`), []byte(`{"d":4,"c":5,"b":2}`))
	if !reflect.DeepEqual(removed, []string{"a"}) || string(changed.JSON()) != `{"d":4,"c":5}` {
		t.Errorf("removed %v, changed %s", removed, changed.JSON())
	}
	if removed, changed := members.Changes([]byte(`{}`), []byte(`{}`)); removed != nil || changed != nil {
		t.Errorf("removed %v, changed %s", removed, changed.JSON())
	}
}
