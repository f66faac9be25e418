package jsonwire_test

import (
	"reflect"
	"testing"

	"github.com/askind/askind/wire/jsonwire"
)

type gate struct{ number int32 }

func decodeGate(r *jsonwire.Reader, p *gate) { p.number = r.Int32(p.number) }

func TestList(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text     string
		want     []gate
		problems int
	}{
		{"null", nil, 0},
		{"[]", []gate{}, 0},
		{"[1]", []gate{{1}}, 0},
		{"[1, 2,3]", []gate{{1}, {2}, {3}}, 0},
		{`[1,"x"]`, []gate{{1}, {0}}, 1},
		{`{"a":1}`, []gate{}, 1},
	} {
		for name, read := range map[string]func(*jsonwire.Reader, any, any){
			"list":  (*jsonwire.Reader).List,
			"items": (*jsonwire.Reader).Items,
		} {
			r := jsonwire.NewReader([]byte(tt.text), jsonwire.Options{})
			got := []gate{{99}}
			read(r, &got, decodeGate)
			r.End()
			if !reflect.DeepEqual(got, tt.want) || len(r.Problems()) != tt.problems {
				t.Errorf("%s of %s: got %v with %v, want %v with %d problems", name, tt.text, got, r.Problems(),
					tt.want, tt.problems)
			}
		}
	}
}

// TestListOfOtherType checks that what the compiler does not check is checked before memory is
// taken for what it is not, also when the type was met before.
func TestListOfOtherType(t *testing.T) {
	t.Parallel()
	r := jsonwire.NewReader([]byte("[1]"), jsonwire.Options{})
	var list []gate
	r.List(&list, decodeGate)
	for _, apart := range []bool{false, true} {
		for _, tt := range []struct {
			name         string
			list, decode any
		}{
			{"a list of others", new([]int64), decodeGate},
			{"a function of others", &list, func(*jsonwire.Reader, *int64) {}},
			{"a function of another reader", &list, func(*int, *gate) {}},
			{"a function of a list", &list, func(*jsonwire.Reader, *[]gate) {}},
			{"a function with a result", &list, func(*jsonwire.Reader, *gate) error { return nil }},
			{"a function of more", &list, func(*jsonwire.Reader, *gate, int) {}},
			{"no function", &list, &gate{}},
			{"no pointer", list, decodeGate},
			{"a pointer to no list", new(gate), decodeGate},
		} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s is taken, apart: %v", tt.name, apart)
					}
				}()
				r.Reset([]byte("[1]"), jsonwire.Options{Apart: apart})
				r.List(tt.list, tt.decode)
			}()
		}
	}
}

func TestPointee(t *testing.T) {
	t.Parallel()
	for _, apart := range []bool{false, true} {
		old := &gate{7}
		p := old
		r := jsonwire.NewReader([]byte("1"), jsonwire.Options{Apart: apart})
		if !r.Pointee(&p) || p != old {
			t.Errorf("what is pointed to was replaced")
		}
		seen := map[*gate]bool{}
		for range 40 {
			p = nil
			if !r.Pointee(&p) || p == nil || *p != (gate{}) || seen[p] {
				t.Errorf("a new value is %v", p)
			}
			p.number = 1
			seen[p] = true
		}
		r.Reset([]byte(" null"), jsonwire.Options{})
		if r.Pointee(&p) || p != nil {
			t.Errorf("null is %v", p)
		}
		r.End()
		if r.Err() != nil {
			t.Error(r.Err())
		}
	}
}

func TestAppendComma(t *testing.T) {
	t.Parallel()
	for i, want := range []string{"x", "x,", "x,"} {
		if got := jsonwire.AppendComma([]byte("x"), i); string(got) != want {
			t.Errorf("before element %d: %s, want %s", i, got, want)
		}
	}
}

func TestAppendMembers(t *testing.T) {
	t.Parallel()
	const text = `,"name":`
	for _, tt := range []struct {
		name      string
		got, want []byte
	}{
		{"text", jsonwire.AppendText(nil, text), []byte(text)},
		{"string", jsonwire.AppendStringMember(nil, text, "a<b"), jsonwire.AppendString([]byte(text), "a<b")},
		{"strings", jsonwire.AppendStringsMember(nil, text, []string{"a", "b"}), jsonwire.AppendStrings([]byte(text),
			[]string{"a", "b"})},
		{
			"map", jsonwire.AppendStringMapMember(nil, text, map[string]string{"b": "c", "a": ""}),
			[]byte(text + `{"a":"","b":"c"}`),
		},
		{"bool", jsonwire.AppendBoolMember(nil, text, false), []byte(text + "false")},
		{"int", jsonwire.AppendIntMember(nil, text, -12), []byte(text + "-12")},
	} {
		if string(tt.got) != string(tt.want) {
			t.Errorf("%s: got %s, want %s", tt.name, tt.got, tt.want)
		}
	}
}
