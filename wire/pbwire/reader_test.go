package pbwire_test

import (
	"encoding/hex"
	"errors"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"weak"

	plainbuild "github.com/askind/askind/internal/plain"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire"
	"github.com/askind/askind/wire/pbwire"
)

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	data, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// everything holds a field of each type, to see what a Reader makes of odd input.
type everything struct {
	Int     int64
	Uint    uint32
	Bool    bool
	Str     string
	Bytes   []byte
	Double  float64
	Float   float32
	Sub     *everything
	Map     map[string]string
	Ints    []int32
	Doubles []float64
	Strs    []string
	Text    string
}

func decodeEverything(r *pbwire.Reader, out *everything) {
	for r.Next() {
		switch r.Field() {
		case 1:
			out.Int = r.Int64()
		case 2:
			out.Uint = r.Uint32()
		case 3:
			out.Bool = r.Bool()
		case 4:
			out.Str = r.String()
		case 5:
			out.Bytes = r.Bytes()
		case 6:
			out.Double = r.Float64()
		case 7:
			out.Float = r.Float32()
		case 8:
			if out.Sub == nil {
				out.Sub = new(everything)
			}
			saved := r.Message()
			decodeEverything(r, out.Sub)
			r.EndMessage(saved)
		case 9:
			r.StringMap(&out.Map)
		case 10:
			out.Ints = pbwire.Int32s(r, out.Ints)
		case 11:
			out.Doubles = pbwire.Float64s(r, out.Doubles)
		case 12:
			out.Strs = r.Strings(out.Strs)
		case 13:
			if out.Text = string(r.Text()); out.Text == "bad" {
				r.Invalid(errBad)
			}
		default:
			r.Unknown()
		}
	}
}

var errBad = errors.New("bad text")

func TestReaderValues(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, data string
		want       everything
	}{
		{"nothing", "", everything{}},
		{"last scalar wins", "0801 0802", everything{Int: 2}},
		{"negative", "08ffffffffffffffffff01", everything{Int: -1}},
		{"varint longer than it needs to be", "08818000", everything{Int: 1}},
		{"tag longer than it needs to be", "888000 07", everything{Int: 7}},
		{"low 32 bits", "108180808010", everything{Uint: 1}},
		{"any number is true", "1802", everything{Bool: true}},
		{"invalid UTF-8", "2201ff", everything{Str: "\xff"}},
		{"long string", "22ac02" + strings.Repeat("61", 300), everything{Str: strings.Repeat("a", 300)}},
		{"empty bytes", "2a00", everything{Bytes: []byte{}}},
		{"last bytes win", "2a0101 2a020203", everything{Bytes: []byte{2, 3}}},
		{"double", "31000000000000f03f", everything{Double: 1}},
		{"float", "3d0000803f", everything{Float: 1}},
		{"messages merge", "42020801 42021802", everything{Sub: &everything{Int: 1, Bool: true}}},
		{"empty message", "4200", everything{Sub: &everything{}}},
		{"map", "4a060a0161120162 4a040a001200 4a00", everything{Map: map[string]string{"a": "b", "": ""}}},
		{"map entry the other way round", "4a06120162 0a0161", everything{Map: map[string]string{"a": "b"}}},
		{"numbers", "5001 5002", everything{Ints: []int32{1, 2}}},
		{"packed numbers", "520301 ac02 5003", everything{Ints: []int32{1, 300, 3}}},
		{"no packed numbers", "5200", everything{Ints: []int32{}}},
		{"doubles", "59000000000000f03f 59000000000000f03f", everything{Doubles: []float64{1, 1}}},
		{"packed doubles", "5a10 000000000000f03f 0000000000000040", everything{Doubles: []float64{1, 2}}},
		{"strings apart from each other", "620161 0801 620162", everything{Int: 1, Strs: []string{"a", "b"}}},
		{
			"unknown fields", "a00605 a106 0000000000000000 a506 00000000 a20602 0000 a3060801a406 0807",
			everything{Int: 7},
		},
		{"groups in a group", "a306 ab06 ac06 ab06 a00601 ac06 a406 0807", everything{Int: 7}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			data := unhex(t, c.data)
			for _, o := range []pbwire.Options{{}, {Apart: true}} {
				var got everything
				r := pbwire.NewReader(data, o)
				decodeEverything(r, &got)
				if r.Problems() != nil || r.Err() != nil {
					t.Fatalf("problems: %v", r.Problems())
				}
				if !reflect.DeepEqual(got, c.want) {
					t.Errorf("got  %+v\nwant %+v", got, c.want)
				}
				if r.Offset() != len(data) {
					t.Errorf("offset %d of %d", r.Offset(), len(data))
				}
			}
		})
	}
}

func TestReaderProblems(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, data string
		options    pbwire.Options
		want       []string
	}{
		{name: "tag cut off", data: "80", want: []string{"offset 1: the message ends in the middle of a field"}},
		{name: "varint cut off", data: "0880", want: []string{"offset 2: the message ends in the middle of a field"}},
		{name: "no value", data: "08", want: []string{"offset 1: the message ends in the middle of a field"}},
		{
			name: "varint of eleven bytes", data: "08ffffffffffffffffffff01",
			want: []string{"offset 1: an integer has more than 64 bits"},
		},
		{
			name: "varint of 65 bits", data: "08ffffffffffffffffff02",
			want: []string{"offset 1: an integer has more than 64 bits"},
		},
		{
			name: "string too long", data: "220361",
			want: []string{"offset 1: a field states a length of 3 bytes, but 1 are left in its message"},
		},
		{
			name: "bytes of a huge length", data: "2affffffffffffffffff0161",
			want: []string{
				"offset 1: a field states a length of 18446744073709551615 bytes, but 1 are left in its message",
			},
		},
		{
			name: "message too long", data: "42050801",
			want: []string{"offset 1: a field states a length of 5 bytes, but 2 are left in its message"},
		},
		{
			name: "string beyond its message", data: "4203220361 6161",
			want: []string{"offset 3: a field states a length of 3 bytes, but 1 are left in its message"},
		},
		{
			name: "double cut off", data: "3100000000",
			want: []string{"offset 5: the message ends in the middle of a field"},
		},
		{name: "float cut off", data: "3d0000", want: []string{"offset 3: the message ends in the middle of a field"}},
		{
			name: "packed doubles cut off", data: "5a09 000000000000f03f 00",
			want: []string{"offset 11: the message ends in the middle of a field"},
		},
		{
			name: "packed numbers cut off", data: "52020180",
			want: []string{"offset 4: the message ends in the middle of a field"},
		},
		{name: "field 0", data: "0001", want: []string{"offset 0: field number 0 does not exist"}},
		{
			name: "field beyond the last", data: "f0ffffff1f01",
			want: []string{"offset 0: field number 1073741822 does not exist"},
		},
		{name: "wire type 6", data: "0e00", want: []string{"offset 1: wire type 6 does not exist"}},
		{name: "wire type 7", data: "a706", want: []string{"offset 2: wire type 7 does not exist"}},
		{name: "end of no group", data: "a406", want: []string{"offset 2: a group ends that has not begun"}},
		{
			name: "group without end", data: "a3060801",
			want: []string{"offset 4: the message ends in the middle of a field"},
		},
		{name: "group that ends as another", data: "a306ac06", want: []string{"offset 4: group 100 ends as group 101"}},
		{name: "unknown, lenient", data: "a00605"},
		{
			name: "unknown, strict", data: "a00605 42020801 4203a20600 4a04a00601 0a",
			options: pbwire.Options{Strict: true},
			want: []string{
				"offset 0: unknown field 100", "offset 9: unknown field 100", "offset 14: unknown field 100",
				"offset 18: the message ends in the middle of a field",
			},
		},
		{name: "invalid", data: "6a03626164 0801", want: []string{"offset 0: bad text"}},
		{
			name: "limit of problems", data: "6a03626164 6a03626164 6a03626164",
			options: pbwire.Options{Limits: schema.Limits{Problems: 2}}, want: []string{
				"offset 0: bad text",
				"offset 5: bad text",
			},
		},
		{name: "depth reached", data: "42044202 4200", options: pbwire.Options{Limits: schema.Limits{Depth: 3}}},
		{
			name: "too deep", data: "42044202 4200", options: pbwire.Options{Limits: schema.Limits{Depth: 2}},
			want: []string{"offset 4: the nesting has 3 levels, more than 2; raise Limits.Depth to read it"},
		},
		{
			name: "entry too deep", data: "4202 4a00", options: pbwire.Options{Limits: schema.Limits{Depth: 1}},
			want: []string{"offset 2: the nesting has 2 levels, more than 1; raise Limits.Depth to read it"},
		},
		{
			name: "plain entry too deep", data: "4208 4a060a0161120162",
			options: pbwire.Options{Limits: schema.Limits{Depth: 1}},
			want:    []string{"offset 2: the nesting has 2 levels, more than 1; raise Limits.Depth to read it"},
		},
		{
			name: "groups beside each other", data: "a306a406 a306a406 a306a406",
			options: pbwire.Options{Limits: schema.Limits{Depth: 1}},
		},
		{
			name: "group too deep", data: "a306ab06ac06a406", options: pbwire.Options{Limits: schema.Limits{Depth: 1}},
			want: []string{"offset 0: the nesting has 2 levels, more than 1; raise Limits.Depth to read it"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var out everything
			r := pbwire.NewReader(unhex(t, c.data), c.options)
			decodeEverything(r, &out)
			var got []string
			for _, p := range r.Problems() {
				got = append(got, p.String())
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

func TestReaderWrongType(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]string{
		"0a0161":             "field 1 is an integer, found a value with a length",
		"1500000000":         "field 2 is an integer, found a 32-bit value",
		"190000000000000000": "field 3 is an integer, found a 64-bit value",
		"2001":               "field 4 is a string, found a varint",
		"2324":               "field 4 is a string, found a group",
		"2801":               "field 5 is bytes, found a varint",
		"3001":               "field 6 is a double, found a varint",
		"3801":               "field 7 is a float, found a varint",
		"4001":               "field 8 is a message, found a varint",
		"4801":               "field 9 is a map entry, found a varint",
		"5500000000":         "field 10 is an integer, found a 32-bit value",
		"5801":               "field 11 is a double, found a varint",
		"6001":               "field 12 is a string, found a varint",
		"6801":               "field 13 is a string, found a varint",
	} {
		var out everything
		r := pbwire.NewReader(unhex(t, "0803"+data+"620161"), pbwire.Options{})
		decodeEverything(r, &out)
		got := r.Problems()
		if len(got) != 1 || got[0].Code != wire.WrongType || got[0].Message != want || got[0].Offset != 2 ||
			got[0].End != 2+len(data)/2 || r.Err() != nil {
			t.Errorf("%s: got %v, %v, want %s", data, got, r.Err(), want)
		}
		if len(out.Strs) != 1 {
			t.Errorf("%s: what follows was not read: %+v", data, out)
		}
	}
}

// TestReaderAfterFailure calls everything on a Reader that has met broken input.
func TestReaderAfterFailure(t *testing.T) {
	t.Parallel()
	for _, tag := range []string{"20", "21", "22", "23", "24", "25", "26"} { // of each wire type
		r := pbwire.NewReader(unhex(t, "4202"+tag+"80 0801"), pbwire.Options{Strict: true})
		r.Next()
		outer := r.Message()
		r.Next()
		r.Unknown() // goes beyond the end
		err, ok := errors.AsType[*pbwire.Error](r.Err())
		if !ok || err.Code != wire.Syntax || !err.Code.Fatal() || !strings.HasPrefix(err.Error(), "pbwire: offset ") {
			t.Fatalf("%s: got %v", tag, r.Err())
		}
		var m map[string]string
		saved := r.Message()
		got := []any{
			r.Next(), r.Int64(), r.Uint32(), r.Bool(), r.String(), r.Bytes() == nil, r.Text() == nil, r.Float64(),
			r.Float32(), r.Count(),
			len(r.Strings(nil)), len(pbwire.Int32s[int32](r, nil)), len(pbwire.Float64s[float64](r, nil)),
			len(pbwire.Float32s[float32](r, nil)),
		}
		want := []any{false, int64(0), uint32(0), false, "", true, true, 0.0, float32(0), 0, 0, 0, 0, 0}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got  %v\nwant %v", got, want)
		}
		r.StringMap(&m)
		r.Unknown()
		r.Skip()
		r.Invalid(errBad)
		r.EndMessage(saved)
		r.EndMessage(outer)
		if r.Next() || len(r.Problems()) != 1 || len(m) != 0 {
			t.Errorf("problems %v, map %v", r.Problems(), m)
		}
	}
}

func TestEndMessageLeavesOutTheRest(t *testing.T) {
	t.Parallel()
	r := pbwire.NewReader(unhex(t, "4204 0801 1801 0805"), pbwire.Options{})
	r.Next()
	saved := r.Message()
	r.EndMessage(saved)
	if !r.Next() || r.Field() != 1 || r.Int64() != 5 || r.Next() {
		t.Errorf("what follows a message was not found: %v", r.Problems())
	}
}

func TestCount(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, data string
		want       int
	}{
		{"one", "620161", 1},
		{"three", "620161 6200 620162", 3},
		{"another between", "620161 6200 0801 620162", 2},
		{"tag of two bytes", "82010161 820100 82010161", 3},
		{"varints", "5001 50ac02 5003", 3},
		{"doubles", "590000000000000000 590000000000000000", 2},
		{"floats", "3d00000000 3d00000000", 2},
		{"another type", "620161 6001", 1},
		{"broken length", "620161 620561", 2},
		{"cut off", "5980", 1},
		{"a group", "6364", 1},
	} {
		r := pbwire.NewReader(unhex(t, c.data), pbwire.Options{})
		r.Next()
		if got := r.Count(); got != c.want {
			t.Errorf("%s: got %d, want %d", c.name, got, c.want)
		}
	}
}

func TestProblemsAreLimited(t *testing.T) {
	t.Parallel()
	r := pbwire.NewReader([]byte(strings.Repeat("\xa0\x06\x05", 250)), pbwire.Options{Strict: true})
	var out everything
	decodeEverything(r, &out)
	if len(r.Problems()) != 100 || r.Dropped() != 150 || !r.Strict() {
		t.Errorf("%d problems, %d dropped", len(r.Problems()), r.Dropped())
	}
	if p := r.Problems()[1]; p.Field != 100 || p.Offset != 3 || p.End != 6 || !p.Code.Strict() ||
		p.Code.String() != "unknown field" {
		t.Errorf("got %+v", p)
	}
}

func TestDeepInput(t *testing.T) {
	t.Parallel()
	for _, n := range []int{10_000, 10_001, 300_000} {
		var w pbwire.Writer
		for range n {
			w.Message(8, 0)
		}
		var out everything
		r := pbwire.NewReader(w.Bytes(), pbwire.Options{})
		decodeEverything(r, &out)
		if (r.Err() == nil) != (n <= 10_000) {
			t.Errorf("%d levels: %v", n, r.Err())
		}
		// Groups do not cost the stack either.
		r.Reset([]byte(strings.Repeat("\xa3\x06", n)+strings.Repeat("\xa4\x06", n)), pbwire.Options{})
		decodeEverything(r, &out)
		if (r.Err() == nil) != (n <= 10_000) {
			t.Errorf("%d groups: %v", n, r.Err())
		}
	}
}

func TestProblemCodes(t *testing.T) {
	t.Parallel()
	for c, want := range map[wire.Code]string{
		wire.Syntax: "syntax", wire.Limit: "limit", wire.UnknownField: "unknown field",
		wire.WrongType: "wrong type", wire.InvalidValue: "invalid value",
		99: "wire.Code(99)",
	} {
		if c.String() != want {
			t.Errorf("got %s, want %s", c, want)
		}
	}
}

// TestItemsAreApart checks that a value of one item of a list does not keep those of the item
// before in memory, and neither does a reader that has been released.
func TestItemsAreApart(t *testing.T) {
	if plainbuild.Enabled {
		t.Skip("values do not share memory")
	}
	t.Parallel()
	data := make([]byte, 1000)
	r := pbwire.NewReader(data, pbwire.Options{})
	need := func(n int) (last *[2]*int) {
		r.Item()
		for range n {
			last = pbwire.New[[2]*int](r)
		}
		return last
	}
	need(2) // which the next item is expected to need, too
	first := weak.Make(need(1))
	second := need(2)
	runtime.GC()
	if first.Value() != nil {
		t.Error("a value of the first item is in memory with one of the second")
	}
	runtime.KeepAlive(second)
	last := weak.Make(need(1))
	r.Release()
	runtime.GC()
	if last.Value() != nil {
		t.Error("a reader that has been released keeps the values of its last item in memory")
	}
	runtime.KeepAlive(r)
}

// TestReset checks that nothing of what was read before is left, whatever fields a Reader has.
func TestReset(t *testing.T) {
	t.Parallel()
	for _, o := range []pbwire.Options{{}, {
		Strict: true, Apart: true, Embedded: 2,
		Limits: schema.Limits{Depth: 3, String: 5},
	}} {
		data := []byte{8, 1}
		var r pbwire.Reader
		pbwire.Fill(&r)
		if reflect.DeepEqual(pbwire.State(&r), pbwire.State(pbwire.NewReader(data, o))) {
			t.Fatal("the reader has nothing that could be left")
		}
		r.Reset(data, o)
		if got, want := pbwire.State(&r), pbwire.State(pbwire.NewReader(data, o)); !reflect.DeepEqual(got, want) {
			t.Errorf("got  %+v\nwant %+v", got, want)
		}
	}
}
