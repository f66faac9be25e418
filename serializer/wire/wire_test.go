package wire_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/askind/askind/internal/race"
	"github.com/askind/askind/serializer/jsonwire"
	"github.com/askind/askind/serializer/pbwire"
	"github.com/askind/askind/serializer/wire"
)

type gate struct{ Number int32 }

func decodeJSONGate(r *jsonwire.Reader, p *gate) { p.Number = r.Int32(p.Number) }

func decodeProtoGate(r *pbwire.Reader, p *gate) {
	for r.Next() {
		p.Number = r.Int32()
	}
}

// gates writes a message with a gate in field 1 for each number, and a 0 as field 2 where the number is negative.
func gates(numbers ...int32) []byte {
	w := pbwire.NewWriter(nil)
	for _, n := range slices.Backward(numbers) {
		if n < 0 {
			w.Int32(2, 0)
			continue
		}
		mark := w.Mark()
		if n > 0 {
			w.Int32(1, n)
		}
		w.Message(1, mark)
	}
	return slices.Clone(w.Bytes())
}

func TestListOfJSON(t *testing.T) {
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
		for name, read := range map[string]func(*jsonwire.Reader, *[]gate, func(*jsonwire.Reader, *gate)){"list": wire.List[*jsonwire.Reader, gate], "items": wire.Items[*jsonwire.Reader, gate]} {
			r := jsonwire.NewReader([]byte(tt.text), jsonwire.Options{})
			old := []gate{{99}, {98}}
			got := old[:1]
			read(r, &got, decodeJSONGate)
			r.End()
			if !reflect.DeepEqual(got, tt.want) || len(r.Problems()) != tt.problems {
				t.Errorf("%s of %s: got %v with %v, want %v with %d problems", name, tt.text, got, r.Problems(), tt.want, tt.problems)
			}
			if len(got) != cap(got) {
				t.Errorf("%s of %s: the capacity is %d", name, tt.text, cap(got))
			}
			if old[0].Number != 99 || old[1].Number != 98 {
				t.Errorf("%s of %s wrote into the list before: %v", name, tt.text, old)
			}
		}
	}
}

func TestListOfProtobuf(t *testing.T) {
	t.Parallel()
	dirty := []gate{{7}, {8}, {9}}
	for _, tt := range []struct {
		name string
		old  []gate
		data []byte
		want []gate
	}{
		{"one", nil, gates(1), []gate{{1}}},
		{"some", nil, gates(1, 2, 3), []gate{{1}, {2}, {3}}},
		{"behind what is there", []gate{{9}}, gates(1, 2), []gate{{9}, {1}, {2}}},
		{"with another field in between", nil, gates(1, -1, 2, 3, -1, 4), []gate{{1}, {2}, {3}, {4}}},
		{"into capacity that was used", dirty[:1], gates(0, 5), []gate{{7}, {0}, {5}}},
		{"of another type", []gate{{9}}, []byte{1 << 3, 4}, []gate{{9}}},
		{"of nothing", nil, nil, nil},
	} {
		got := tt.old
		r := pbwire.NewReader(tt.data, pbwire.Options{})
		for r.Next() {
			if r.Field() == 1 {
				wire.List(r, &got, decodeProtoGate)
			} else {
				r.Unknown()
			}
		}
		if r.Err() != nil || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: got %v, want %v; %v", tt.name, got, tt.want, r.Err())
		}
	}
}

func TestPointee(t *testing.T) {
	t.Parallel()
	old := &gate{7}
	p := old
	r := jsonwire.NewReader([]byte("1"), jsonwire.Options{})
	if at := wire.Pointee(r, &p); at != old || p != old {
		t.Errorf("what is pointed to was replaced")
	}
	p = nil
	if at := wire.Pointee(r, &p); at == nil || at != p || *at != (gate{}) {
		t.Errorf("a new value is %v, the pointer %v", at, p)
	}
	r.Reset([]byte(" null"), jsonwire.Options{})
	if at := wire.Pointee(r, &p); at != nil || p != nil {
		t.Errorf("null is %v, the pointer %v", at, p)
	}
	r.End()
	if r.Err() != nil {
		t.Error(r.Err())
	}
	proto := pbwire.NewReader(gates(1), pbwire.Options{})
	proto.Next()
	if at := wire.Pointee(proto, &p); at == nil || at != p || *at != (gate{}) {
		t.Errorf("a new value is %v, the pointer %v", at, p)
	}
	if at := wire.Pointee(proto, &old); at != old || *at != (gate{7}) {
		t.Errorf("what is pointed to was replaced")
	}
	var empty *struct{}
	if at := wire.Pointee(proto, &empty); at == nil || at != empty {
		t.Errorf("a value without size is %v", at)
	}
}

// tree has lists in lists, pointers between them, and lists of values without size.
type tree struct {
	Name     string     `json:"name"`
	Children []tree     `json:"children"`
	Next     *tree      `json:"next"`
	Empty    []struct{} `json:"empty"`
}

func decodeJSONTree(r *jsonwire.Reader, out *tree) {
	for key := r.Object(); key != nil; key = r.NextKey() {
		switch string(key) {
		case "name":
			out.Name = r.String(out.Name)
		case "children":
			wire.List(r, &out.Children, decodeJSONTree)
		case "next":
			if p := wire.Pointee(r, &out.Next); p != nil {
				decodeJSONTree(r, p)
			}
		case "empty":
			wire.List(r, &out.Empty, func(r *jsonwire.Reader, _ *struct{}) { r.Skip() })
		}
	}
}

func prependProtoTree(w *pbwire.Writer, in *tree) {
	for range in.Empty {
		w.Message(4, w.Mark())
	}
	if in.Next != nil {
		mark := w.Mark()
		prependProtoTree(w, in.Next)
		w.Message(3, mark)
	}
	for i := range slices.Backward(in.Children) {
		mark := w.Mark()
		prependProtoTree(w, &in.Children[i])
		w.Message(2, mark)
	}
	w.String(1, in.Name)
}

func decodeProtoTree(r *pbwire.Reader, out *tree) {
	for r.Next() {
		switch r.Field() {
		case 1:
			out.Name = r.String()
		case 2:
			wire.List(r, &out.Children, decodeProtoTree)
		case 3:
			saved := r.Message()
			decodeProtoTree(r, wire.Pointee(r, &out.Next))
			r.EndMessage(saved)
		case 4:
			wire.List(r, &out.Empty, func(*pbwire.Reader, *struct{}) {})
		}
	}
}

func grow(rng *rand.Rand, depth int) tree {
	t := tree{Name: fmt.Sprint(rng.IntN(1000))}
	if depth == 0 {
		return t
	}
	for range rng.IntN(5) {
		t.Children = append(t.Children, grow(rng, rng.IntN(depth)))
	}
	if rng.IntN(2) == 0 {
		next := grow(rng, depth-1)
		t.Next = &next
	}
	t.Empty = make([]struct{}, rng.IntN(2)*3)
	if len(t.Empty) == 0 {
		t.Empty = nil
	}
	return t
}

// TestNestedLists reads trees with one reader of each format, which knows from the tree before how many values there will be, and compares with package
// encoding/json. The trees before must stay as they were.
func TestNestedLists(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	var fromJSON jsonwire.Reader
	var fromProto pbwire.Reader
	var w pbwire.Writer
	var wants, texts, protos []tree
	for range 200 {
		in := grow(rng, 5)
		data, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		var want, text, proto tree
		if err := json.Unmarshal(data, &want); err != nil {
			t.Fatal(err)
		}
		fromJSON.Reset(data, jsonwire.Options{})
		decodeJSONTree(&fromJSON, &text)
		w.Reset(nil)
		prependProtoTree(&w, &in)
		fromProto.Reset(w.Bytes(), pbwire.Options{})
		decodeProtoTree(&fromProto, &proto)
		if fromJSON.Err() != nil || fromProto.Err() != nil {
			t.Fatal(fromJSON.Err(), fromProto.Err())
		}
		wants, texts, protos = append(wants, want), append(texts, text), append(protos, proto)
	}
	for i, want := range wants {
		if !reflect.DeepEqual(texts[i], want) {
			t.Errorf("JSON of tree %d: got %+v, want %+v", i, texts[i], want)
		}
		if !reflect.DeepEqual(protos[i], want) {
			t.Errorf("protobuf of tree %d: got %+v, want %+v", i, protos[i], want)
		}
	}
}

// TestAllocations holds that a reader which is used again makes one block for the pointers and lists of a type. It is not parallel, because allocations are
// counted for the whole process.
func TestAllocations(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	for _, text := range []string{`{"next":{"next":{"next":{}}}}`, `{"children":[{},{},{},{},{},{},{}]}`} {
		data := []byte(text + strings.Repeat(" ", 2000)) // blocks are small where little text is left
		var r jsonwire.Reader
		read := func() {
			r.Reset(data, jsonwire.Options{})
			decodeJSONTree(&r, new(tree))
		}
		read()
		if got := testing.AllocsPerRun(20, read); got != 2 {
			t.Errorf("%s: %v allocations, want the root and one block", text, got)
		}
	}
}
