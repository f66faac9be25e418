package jsonwire_test

import (
	"errors"
	"reflect"
	"testing"

	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/jsonwire"
)

type gate struct{ number int32 }

func decodeGate(r *jsonwire.Reader, p *gate) { p.number = r.Int32(p.number) }

func appendGate(dst []byte, p *gate) ([]byte, error) {
	if p.number < 0 {
		return dst, errors.New("negative")
	}
	return jsonwire.AppendInt(dst, int64(p.number)), nil
}

func appendGateMembers(dst []byte, p *gate) ([]byte, error) {
	if p.number == 0 {
		return dst, nil
	}
	dst, err := appendGate(jsonwire.AppendText(dst, `,"port":`), p)
	return dst, err
}

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
		for name, read := range map[string]func(*jsonwire.Reader, *[]gate, func(*jsonwire.Reader, *gate)){"list": jsonwire.List[gate], "items": jsonwire.Items[gate]} {
			r := jsonwire.NewReader([]byte(tt.text), jsonwire.Options{})
			got := []gate{{99}}
			read(r, &got, decodeGate)
			r.End()
			if !reflect.DeepEqual(got, tt.want) || len(r.Problems()) != tt.problems {
				t.Errorf("%s of %s: got %v with %v, want %v with %d problems", name, tt.text, got, r.Problems(), tt.want, tt.problems)
			}
		}
	}
}

func TestPointee(t *testing.T) {
	t.Parallel()
	old := &gate{7}
	p := old
	r := jsonwire.NewReader([]byte("1"), jsonwire.Options{})
	if at := jsonwire.Pointee(r, &p); at != old || p != old {
		t.Errorf("what is pointed to was replaced")
	}
	p = nil
	if at := jsonwire.Pointee(r, &p); at == nil || at != p || *at != (gate{}) {
		t.Errorf("a new value is %v, the pointer %v", at, p)
	}
	r.Reset([]byte(" null"), jsonwire.Options{})
	if at := jsonwire.Pointee(r, &p); at != nil || p != nil {
		t.Errorf("null is %v, the pointer %v", at, p)
	}
	r.End()
	if r.Err() != nil {
		t.Error(r.Err())
	}
}

func TestAppendList(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		list        []gate
		want, items string
		failsAt     string
	}{
		{nil, "null", "null", ""},
		{[]gate{}, "[]", "[]", ""},
		{[]gate{{1}}, "[1]", `[{"port":1}]`, ""},
		{[]gate{{1}, {0}, {3}}, "[1,0,3]", `[{"port":1},{},{"port":3}]`, ""},
		{[]gate{{1}, {-1}}, "", "", "[1]"},
	} {
		for _, form := range []struct {
			append func([]byte, []gate, func([]byte, *gate) ([]byte, error)) ([]byte, error)
			elem   func([]byte, *gate) ([]byte, error)
			want   string
		}{{jsonwire.AppendList[gate], appendGate, tt.want}, {jsonwire.AppendItems[gate], appendGateMembers, tt.items}} {
			got, err := form.append([]byte("x"), tt.list, form.elem)
			if tt.failsAt != "" {
				if at, ok := errors.AsType[*schema.PathError](err); !ok || at.Path.String() != tt.failsAt {
					t.Errorf("%v: the error is %v", tt.list, err)
				}
				continue
			}
			if err != nil || string(got) != "x"+form.want {
				t.Errorf("%v: got %s, %v; want %s", tt.list, got, err, form.want)
			}
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
		{"strings", jsonwire.AppendStringsMember(nil, text, []string{"a", "b"}), jsonwire.AppendStrings([]byte(text), []string{"a", "b"})},
		{"map", jsonwire.AppendStringMapMember(nil, text, map[string]string{"b": "c", "a": ""}), []byte(text + `{"a":"","b":"c"}`)},
		{"bool", jsonwire.AppendBoolMember(nil, text, false), []byte(text + "false")},
		{"int", jsonwire.AppendIntMember(nil, text, -12), []byte(text + "-12")},
	} {
		if string(tt.got) != string(tt.want) {
			t.Errorf("%s: got %s, want %s", tt.name, tt.got, tt.want)
		}
	}
}
