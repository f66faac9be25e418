package serializer_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	goruntime "runtime"
	"slices"
	"strings"
	"testing"

	"github.com/askind/askind/internal/race"
	workshop "github.com/askind/askind/internal/workshop/v1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/json/reflectjson"
	"github.com/askind/askind/wire/jsonwire"
)

// bag is a kind whose values can be anything. It is decoded by a function as the generator writes
// them, and by reflection where it is a plainBag.
type bag struct {
	metav1.TypeMeta
	Any   any               `json:"any,omitempty"`
	Texts map[string]string `json:"texts,omitempty"`
	Large []struct {
		Digits [100]int32 `json:"digits"`
	} `json:"large,omitempty"`
	Named map[string]*metav1.ObjectMeta `json:"named,omitempty"`
}

type plainBag bag

func decodeBag(r *jsonwire.Reader, out *bag) {
	for key := r.Object(); key != nil; key = r.NextKey() {
		switch string(key) {
		case "any":
			out.Any = r.Any()
		case "texts":
			out.Texts = r.StringMap()
		default:
			r.Skip()
		}
	}
}

func addBags(b *runtime.Builder) {
	gv := schema.GroupVersion{Group: "bags.example.com", Version: "v1"}
	runtime.AddKind(b, reflectjson.Complete(runtime.KindSpec[bag]{
		GroupVersionKind: gv.WithKind("Bag"),
		DecodeJSON:       decodeBag,
	}))
	runtime.AddKind(b, reflectjson.Complete(runtime.KindSpec[plainBag]{GroupVersionKind: gv.WithKind("PlainBag")}))
}

// costly is an input whose every byte costs as much as can be.
type costly struct{ name, mediaType, data string }

// costlyInputs are inputs of n bytes.
func costlyInputs(n int) (all []costly) {
	add := func(name, mediaType, data string) { all = append(all, costly{name, mediaType, data}) }
	rep := func(pre, s, post string) string { return pre + strings.Repeat(s, (n-len(pre)-len(post))/len(s)) + post }
	arr := func(pre string, head byte, s string) string {
		k := (n - len(pre) - 5) / len(s)
		return pre + string(binary.BigEndian.AppendUint32([]byte{head}, uint32(k))) + strings.Repeat(s, k)
	}
	pb := func(body string) string { return envelope("Order", body) }
	type memberOf struct{ name, pre, s, post string }

	order := `{"kind":"Order",` + orderVersion + `,`
	for _, c := range []memberOf{
		{"lines", `"spec":{"lines":[`, "{},", "{}]}}"},
		{"steps", `"spec":{"lines":[`, `{"steps":[{}]},`, "{}]}}"},
		{"conditions", `"status":{"conditions":[`, `{},`, "{}]}}"},
		{"tags", `"spec":{"tags":[`, `"",`, `""]}}`},
		{"delivery", `"spec":{`, `"delivery":{},"delivery":null,`, `"x":1}}`},
		{"stamp", `"spec":{"stamp":[`, `0,`, `0]}}`},
		{"unknown", ``, `"a":1,`, `"b":1}`},
	} {
		add("json "+c.name, mediaJSON, rep(order+c.pre, c.s, c.post))
	}
	add("json map", mediaJSON, order+`"spec":{"drawings":{`+keys(n/10, `:""`)+`}}}`)
	add("json quantities", mediaJSON, order+`"spec":{"stock":{`+keys(n/10, `:1`)+`}}}`)
	orderY, orderC := "kind: Order\napiVersion: workshop.example.com/v1\n",
		"\xa3\x64kind\x65Order\x6aapiVersion\x77workshop.example.com/v1"
	add("yaml lines", mediaYAML, rep(orderY+"spec:\n  lines:\n", "  - {}\n", ""))
	add("yaml anchored lines", mediaYAML, rep(orderY+"spec:\n  customer: &a c\n  lines: [", "{},", "{}]\n"))
	add("cbor lines", mediaCBOR, arr(orderC+"\x64spec\xa1\x65lines", 0x9a, "\xa0"))
	add("cbor indefinite lines", mediaCBOR, rep(orderC+"\x64spec\xa1\x65lines\x9f", "\xa0", "\xff"))
	add("cbor conditions", mediaCBOR, arr(orderC+"\x66status\xa1\x6aconditions", 0x9a, "\xa0"))
	for _, deep := range []string{"\x81", "\x9f", "\xa1\x61a", "\xbf\x61a", "\xd8\x20\x81"} {
		open := strings.Repeat(deep, n/len(deep))
		add(fmt.Sprintf("cbor deep, unfinished %x", deep), mediaCBOR, orderC+"\x64spec"+open)
		add(fmt.Sprintf("cbor deep, not a map %x", deep), mediaCBOR, open)
	}
	add("cbor deep", mediaCBOR, rep(orderC+"\x64spec\x9f", strings.Repeat("\x81", 9000)+"\x00", "\xff"))
	add("cbor tags", mediaCBOR, arr(orderC+"\x64spec\xa1\x64tags", 0x9a, "\x60"))
	add("protobuf lines", mediaProtobuf, pb("\x12"+uvs(strings.Repeat("\x2a\x00", n/2))))
	add("protobuf conditions", mediaProtobuf, pb("\x1a"+uvs(strings.Repeat("\x1a\x00", n/2))))
	add("protobuf tags", mediaProtobuf, pb("\x12"+uvs(strings.Repeat("\x3a\x00", n/2))))
	add("protobuf map", mediaProtobuf, pb("\x12"+uvs(strings.Repeat("\x52\x00", n/2))))
	add("protobuf unknown", mediaProtobuf, pb(strings.Repeat("\x50\x00", n/2)))

	// Values of any type, in objects of unknown kinds and in fields of known ones.
	for _, kind := range []string{"Other", "Bag", "PlainBag"} {
		intoJSON := `{"kind":"` + kind + `","apiVersion":"bags.example.com/v1","any":`
		intoCBOR := "\xa3\x44kind" + string(rune(0x40+len(kind))) + kind +
			"\x4aapiVersion\x53bags.example.com/v1\x43any"
		for _, c := range []memberOf{
			{"ints", `[`, `0,`, `0]}`},
			{"large ints", `[`, `999,`, `0]}`},
			{"floats", `[`, `1e9,`, `0]}`},
			{"lists", `[`, `[],`, `0]}`},
			{"objects", `[`, `{},`, `0]}`},
			{"small objects", `[`, `{"":0},`, `0]}`},
			{"nested", `[`, `{"a":[0]},`, `0]}`},
			{"texts", `[`, `"a",`, `0]}`},
			{"one key", `{`, `"a":1,`, `"b":1}}`},
			{"escapes", `"`, `\n`, `"}`},
		} {
			add(kind+" json "+c.name, mediaJSON, rep(intoJSON+c.pre, c.s, c.post))
		}
		add(kind+" json keys", mediaJSON, intoJSON+"{"+keys(n/10, ":1")+"}}")
		for _, c := range []struct {
			name string
			head byte
			s    string
		}{
			{"ints", 0x9a, "\x00"},
			{"large ints", 0x9a, "\x19\xff\xff"},
			{"floats", 0x9a, "\xf9\x3c\x00"},
			{"lists", 0x9a, "\x80"},
			{"objects", 0x9a, "\xa0"},
			{"small objects", 0x9a, "\xa1\x40\x00"},
			{"small lists", 0x9a, "\x81\x00"},
			{"texts", 0x9a, "\x41a"},
			{"one key", 0xba, "\x40\x00"},
		} {
			add(kind+" cbor "+c.name, mediaCBOR, arr(intoCBOR, c.head, c.s))
		}
		add(kind+" cbor indefinite", mediaCBOR, rep(intoCBOR+"\x9f", "\x9f\xff", "\xff"))
		add(kind+" cbor promised", mediaCBOR, intoCBOR+"\x9b\x00\x00\xff\xff\xff\xff\xff\xff"+strings.Repeat("\x00", n))
		add(kind+" cbor keys", mediaCBOR, intoCBOR+"\xb9\x20\x00"+shortKeys(1<<13))
	}
	for _, kind := range []string{"Bag", "PlainBag"} {
		intoJSON := `{"kind":"` + kind + `","apiVersion":"bags.example.com/v1",`
		intoCBOR := "\xa3\x44kind" + string(rune(0x40+len(kind))) + kind + "\x4aapiVersion\x53bags.example.com/v1"
		add(kind+" json texts", mediaJSON, rep(intoJSON+`"texts":{`, `"":"",`, `"":""}}`))
		add(kind+" json large", mediaJSON, rep(intoJSON+`"large":[`, `{},`, `{}]}`))
		add(kind+" json named", mediaJSON, intoJSON+`"named":{`+keys(n/10, `:{}`)+`}}`)
		add(kind+" cbor texts", mediaCBOR, arr(intoCBOR+"\x45texts", 0xba, "\x40\x40"))
		add(kind+" cbor large", mediaCBOR, arr(intoCBOR+"\x45large", 0x9a, "\xa0"))
	}

	// Many problems below a long name have long paths.
	name := strings.Repeat("k", n-4096)
	nameC := string(binary.BigEndian.AppendUint32([]byte{0x5a}, uint32(len(name)))) + name
	bagJSON, bagC := `{"kind":"PlainBag","apiVersion":"bags.example.com/v1",`, "\xa3\x44kind\x48PlainBag"+
		"\x4aapiVersion\x53bags.example.com/v1"
	bagY := "kind: PlainBag\napiVersion: bags.example.com/v1\nnamed:\n  ? " + name + "\n  : "
	many := func(s string) string { return strings.Repeat(s, 200) }
	add("json unknown below a name", mediaJSON, bagJSON+`"named":{"`+name+`":{`+many(`"a":1,`)+`"b":1}}}`)
	add("json duplicate below a name", mediaJSON, bagJSON+`"named":{"`+name+`":{`+many(`"name":"",`)+`"name":""}}}`)
	add("json wrong below a name", mediaJSON, bagJSON+`"named":{"`+name+`":{"finalizers":[`+many(`1,`)+`1]}}}`)
	add("cbor undefined below a name", mediaCBOR, bagC+"\x43any\xa1"+nameC+"\x98\xc8"+many("\xf7"))
	add("cbor wrong below a name", mediaCBOR, bagC+"\x45named\xa1"+nameC+"\xa1\x4afinalizers\x98\xc8"+many("\x01"))
	add("yaml unknown below a name", mediaYAML, bagY+"{"+many("a: 1,")+"b: 1}\n")
	add("yaml duplicate below a name", mediaYAML, bagY+"{"+many(`name: "",`)+"name: a}\n")
	add("yaml anchored duplicate below a name", mediaYAML, bagY+"{"+many(`name: "",`)+"name: &a a}\n")

	otherY := "kind: Other\napiVersion: example.com/v1\n"
	add("yaml flow", mediaYAML, rep(otherY+"x: [", "a,", "a]\n"))
	add("yaml list", mediaYAML, rep(otherY+"x:\n", "- a\n", "- a\n"))
	// An anchor has the YAML library read the document.
	for _, s := range []string{
		"a,", "[],", "{},", "&a a,", "*a ,", "a: b,", "a:,", ": ,", "?,", ":,", "{a},", "{a: b},", "{b: 1}, ", `"",`,
		"!a b,", "[", "{", "[{a,b}],",
	} {
		add(fmt.Sprintf("yaml flow of %q", s), mediaYAML, rep(otherY+"y: &a c\nx: [", s, "a]\n"))
	}
	for _, s := range []string{"a,", "a: b,", "{},", "[a],", "a,\n  "} {
		add(fmt.Sprintf("yaml flow mapping of %q", s), mediaYAML, rep(otherY+"y: &a c\nx: {", s, "a}\n"))
	}
	for _, s := range []string{
		"- a\n", "-\n", "- - a\n", "- {}\n", "- a: b\n", "- ?\n", "- :\n", "- #\n", "- #a\n",
		"?\n", ":\n", " a:\n", " a: *a\n", "#\n", "#\n\n", "- !!str a\n", "\n", "- |\n  a\n", "- 'a\n  b'\n",
	} {
		add(fmt.Sprintf("yaml lines of %q", s), mediaYAML, rep(otherY+"y: &a c\nx:\n", s, "- a\n"))
	}
	return all
}

// TestLimitedMemory checks that what is allocated for an input, garbage included, is at most so
// many times its size, beyond the first MiB that every input may have: what [schema.Limits] say of
// Memory.
func TestLimitedMemory(t *testing.T) {
	if race.Enabled {
		t.Skip("pools forget at random, and what is read takes other memory")
	}
	scheme, err := runtime.NewScheme(metav1.AddTo, workshop.AddTo, addBags)
	if err != nil {
		t.Fatal(err)
	}
	f, err := serializer.NewFactory(scheme, formatsOf(t, workshopFactory(t))...)
	if err != nil {
		t.Fatal(err)
	}
	most := map[string]float64{mediaJSON: 110, mediaYAML: 200, mediaCBOR: 150, mediaProtobuf: 60}
	for _, c := range costlyInputs(1 << 16) {
		for _, strict := range []serializer.Strictness{serializer.IgnoreProblems, serializer.FailOnProblems} {
			var before, after goruntime.MemStats
			goruntime.ReadMemStats(&before)
			_, err := f.Decode([]byte(c.data), serializer.DecodeOptions{
				MediaType: c.mediaType, Unknown: untypedKind,
				Strictness: strict,
			})
			goruntime.ReadMemStats(&after)
			got := (float64(after.TotalAlloc-before.TotalAlloc) - 1<<20) / float64(len(c.data))
			if got > most[c.mediaType] {
				t.Errorf(
					"%s, strictness %d: %.1f bytes are allocated for each byte of the input, want at most %.0f (error %.200v)", c.name, strict, got, most[c.mediaType], err,
				)
			}
		}
	}
	// So it is for objects one after the other, each with memory for its own text.
	one := `{"kind":"Order",` + orderVersion + `,"metadata":{"name":"a"}}`
	objects, n := []byte(strings.Repeat(one, 1<<16/len(one))), 0
	var before, after goruntime.MemStats
	goruntime.ReadMemStats(&before)
	for _, err := range f.DecodeAll(objects, serializer.DecodeOptions{MediaType: mediaJSON}) {
		if n++; err != nil {
			t.Fatal(err)
		}
	}
	goruntime.ReadMemStats(&after)
	got := float64(after.TotalAlloc-before.TotalAlloc) / float64(len(objects))
	if got > 15 || n != len(objects)/len(one) {
		t.Errorf("%d objects: %.1f bytes are allocated for each byte of the input, want at most 15", n, got)
	}
	// Twice the size of the limit of memory is refused in every format.
	for _, mediaType := range mediaTypes {
		data := encoded(t, f, mediaType,
			orderWith(func(s *workshop.OrderSpec) { s.Lines = make([]workshop.Line, 1<<15) }))
		decode := func(l schema.Limits) error {
			_, err := f.Decode(data, serializer.DecodeOptions{MediaType: mediaType, Limits: l})
			return err
		}
		if err := decode(schema.Limits{}); err != nil {
			t.Errorf("%s: %v", mediaType, err)
		}
		exceeded(t, decode(schema.Limits{Memory: 1}), "Memory", 1)
	}
	// So it is for objects of unknown kinds, for values of any type, by reflection, and for the
	// nodes of YAML.
	// Words of 32 bits take half as much, so it takes twice as many to exceed the first MiB.
	inputs := costlyInputs(1 << 24 / bits.UintSize)
	for _, name := range []string{
		"Other json ints", "Other cbor ints", "Other cbor indefinite", "Bag json small objects", "Bag cbor ints",
		"Bag json keys", "PlainBag json named", "PlainBag cbor large",
		`yaml flow of "a,"`, `yaml lines of "- a\n"`,
	} {
		i := slices.IndexFunc(inputs, func(c costly) bool { return c.name == name })
		decode := func(l schema.Limits) error {
			_, err := f.Decode([]byte(inputs[i].data), serializer.DecodeOptions{
				MediaType: inputs[i].mediaType,
				Unknown:   untypedKind, Limits: l,
			})
			return err
		}
		t.Run(name, func(t *testing.T) {
			if err := decode(schema.Limits{Memory: 1 << 10}); err != nil {
				t.Error(err)
			}
			exceeded(t, decode(schema.Limits{Memory: 1}), "Memory", 1)
		})
	}
}

// TestLimitedMemoryOfStreams checks the same for an item of a list and for the object of an event,
// which come from a stream. What is around them is read into memory that grows.
func TestLimitedMemoryOfStreams(t *testing.T) {
	if race.Enabled {
		t.Skip("pools forget at random, and what is read takes other memory")
	}
	f := workshopFactory(t)
	const n = 1 << 16
	version := "\x6aapiVersion\x77workshop.example.com/v1"
	inJSON := `{"kind":"Order",` + orderVersion + `,"spec":{"lines":[` + strings.Repeat("{},", n/3) + "{}]}}"
	inCBOR := "\xa3\x64kind\x65Order" + version + "\x64spec\xa1\x65lines\x9a" +
		string(binary.BigEndian.AppendUint32(nil, n)) + strings.Repeat("\xa0", n)
	spec := "\x12" + uvs(strings.Repeat("\x2a\x00", n/2))
	inProto := envelope("Order", spec)
	event := "\x0a\x05ADDED\x12" + uvs("\x0a"+uvs(inProto))
	for _, c := range []struct {
		mediaType, list, event string
		most                   float64
	}{
		{mediaJSON, `{"kind":"OrderList",` + orderVersion + `,"items":[` + inJSON + `]}`, `{"type":"ADDED","object":` +
			inJSON + "}\n", 110},
		{
			mediaYAML, "kind: OrderList\napiVersion: workshop.example.com/v1\nitems:\n- " + inJSON + "\n",
			"---\ntype: ADDED\nobject: " + inJSON + "\n...\n", 200,
		},
		{
			mediaCBOR, "\xa3\x64kind\x69OrderList" + version + "\x65items\x81" + inCBOR,
			"\xa2\x64type\x65ADDED\x66object" + inCBOR, 150,
		},
		{
			mediaProtobuf, envelope("OrderList", "\x12"+uvs(spec)),
			string(binary.BigEndian.AppendUint32(nil, uint32(len(event)))) + event, 60,
		},
	} {
		o := serializer.DecodeOptions{MediaType: c.mediaType, Strictness: serializer.FailOnProblems}
		for name, read := range map[string]func() (int, error){
			"list": func() (int, error) {
				for _, err := range f.ReadList(strings.NewReader(c.list), o).Items() {
					return len(c.list), err
				}
				return 0, errors.New("there is no item")
			},
			"watch": func() (int, error) {
				r, err := serializer.NewEventReader(strings.NewReader(c.event), f, o)
				if err != nil {
					return 0, err
				}
				for _, err := range r.All() {
					return len(c.event), err
				}
				return 0, errors.New("there is no event")
			},
		} {
			var before, after goruntime.MemStats
			goruntime.ReadMemStats(&before)
			size, err := read()
			goruntime.ReadMemStats(&after)
			if err != nil && !errors.Is(err, schema.ErrLimit) {
				t.Errorf("%s %s: %.200v", c.mediaType, name, err)
			}
			if got := (float64(after.TotalAlloc-before.TotalAlloc) - 1<<20) / float64(size); got > c.most {
				t.Errorf("%s %s: %.1f bytes are allocated for each byte of the input, want at most %.0f (error %.200v)",
					c.mediaType, name, got, c.most, err)
			}
		}
	}
}

// envelope is an object in protobuf, of a kind of the workshop.
func envelope(kind, body string) string {
	return "k8s\x00\x0a" + uvs("\x0a\x17workshop.example.com/v1\x12"+uvs(kind)) + "\x12" + uvs(body)
}

// shortKeys are n different members of two bytes each, with a number.
func shortKeys(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("\x42" + string([]byte{byte(i % 128), byte(i / 128)}) + "\x00")
	}
	return b.String()
}

func uv(n int) string     { return string(binary.AppendUvarint(nil, uint64(n))) }
func uvs(s string) string { return uv(len(s)) + s }
func keys(n int, v string) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('"')
		for x := i; ; x /= 64 {
			b.WriteByte("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_"[x%64])
			if x < 64 {
				break
			}
		}
		b.WriteString(`"` + v)
	}
	return b.String()
}
