package serializer_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/askind/askind/internal/plain"

	"github.com/google/go-cmp/cmp"

	v1 "github.com/askind/askind/examples/fleet/api/fleet/v1"
	"github.com/askind/askind/fuzz"
	"github.com/askind/askind/internal/cputime"
	"github.com/askind/askind/internal/race"
	workshop "github.com/askind/askind/internal/workshop/v1"
	workshopv1beta1 "github.com/askind/askind/internal/workshop/v1beta1"
	"github.com/askind/askind/meta/unstructured"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/cbor"
	"github.com/askind/askind/serializer/format"
	"github.com/askind/askind/serializer/json"
)

// readAll reads a list and describes what came of it: names and errors.
func readAll(f *serializer.Factory, r io.Reader, o serializer.DecodeOptions) (out []string, head runtime.Object) {
	list := f.ReadList(r, o)
	for item, err := range list.Items() {
		text := ""
		switch m := item.(type) {
		case *machine:
			text = m.Metadata.Name + " " + m.Kind + " " + m.APIVersion
		case *machineBeta:
			text = m.Metadata.Name + " " + m.Kind + " " + m.APIVersion
		case nil:
		default:
			text = fmt.Sprintf("%T", item)
		}
		if err != nil {
			text += "! " + err.Error()
		}
		out = append(out, text)
	}
	return out, list.Head()
}

func TestReadList(t *testing.T) {
	t.Parallel()
	f := newFactory(t)
	const v1Machine, betaMachine = " Machine fleet.example.com/v1", " Machine fleet.example.com/v1beta1"
	const list = `"kind":"MachineList","apiVersion":"fleet.example.com/v1"`
	strict := serializer.DecodeOptions{Strictness: serializer.FailOnProblems, File: "f"}
	for _, c := range []struct {
		name, in string
		o        serializer.DecodeOptions
		want     []string
		head     string // the continue token, - for no head
	}{
		{"two", `{` + list + `,"metadata":{"continue":"c"},"items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"}}]}`, strict, []string{"a" + v1Machine, "b" + v1Machine}, "c"},
		{"type and metadata behind", `{"items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"}}],` + list +
			`,"metadata":{"continue":"c"}}` + "\n", strict, []string{"a" + v1Machine, "b" + v1Machine}, "c"},
		{
			"byte order mark", "\ufeff\r\n {" + list + `,"items":[{"spek":1}]}`, strict,
			[]string{v1Machine + `! f:2:70: items[0].spek: unknown field "spek" (did you mean "spec"?)`},
			"",
		},
		{"none", `{` + list + `,"items":[ ]}`, strict, nil, ""},
		{"null", `{` + list + `,"items":null}`, strict, nil, ""},
		{"null item", `{` + list + `,"items":[null]}`, strict, []string{v1Machine}, ""},
		{"no items", `{` + list + `}`, strict, nil, ""},
		{
			"items state their type", `{` + list + `,"items":[{"kind":"Machine","apiVersion":"fleet.example.com/v1"}]}`,
			strict,
			[]string{v1Machine},
			"",
		},
		{
			"items state another version",
			`{` + list + `,"items":[{"kind":"Machine","apiVersion":"fleet.example.com/v1beta1"}]}`, strict,
			[]string{
				v1Machine + `! f:1:99: items[0].apiVersion: apiVersion "fleet.example.com/v1beta1" does not match fleet.example.com/v1, Kind=Machine`,
			},
			"",
		},
		{
			"items state another kind, lenient",
			`{` + list + `,"items":[{"kind":"Note","apiVersion":"v1","metadata":{"name":"a"}}]}`,
			serializer.DecodeOptions{},
			[]string{"a" + v1Machine},
			"",
		},
		{
			"converted", `{` + list + `,"items":[{}]}`,
			serializer.DecodeOptions{Version: fleetBeta},
			[]string{betaMachine},
			"",
		},
		{
			"default kind", `{"items":[{}]}`,
			serializer.DecodeOptions{DefaultKind: fleetV1.WithKind("MachineList")},
			[]string{v1Machine},
			"",
		},
		{
			"in the wrong place", "{\n" + list + `,"metadata":{"items":[1]},"items":[{}],"extra":"[","items2":[{}]}`,
			strict,
			[]string{
				v1Machine, `! f:2:70: metadata.items: unknown field "items"` + "\n" +
					`f:2:96: extra: unknown field "extra"` + "\n" +
					`f:2:108: items2: unknown field "items2" (did you mean "items"?)`,
			},
			"",
		},
		{
			"wrong items", `{` + list + `,"items":{"a":[]}}`, strict,
			[]string{"! f:1:67: items: expected array, found object"},
			"-",
		},
		{
			"wrong item", `{` + list + ",\n\"items\":[\"]\\\"}\",{\"spec\":{\"cores\":\"x\"}},{\"a\\\"]\":[{}]}]}",
			strict,
			[]string{
				`! f:2:10: items[0]: expected object, found string`,
				`! f:2:34: items[1].spec.cores: expected integer, found string`,
				v1Machine + `! f:2:41: items[2]["a\"]"]: unknown field "a\"]"`,
			},
			"",
		},
		{"too large", `{` + list + `,"items":[{},{"metadata":{"name":"` + strings.Repeat("x", 300) +
			`"}},{"metadata":{"name":"c"}}]}`, serializer.DecodeOptions{Limits: schema.Limits{Item: 200}}, []string{
			v1Machine, "! line 1, column 71: items[1]: the item has 324 bytes, more than 200; raise Limits.Item to read it", "c" + v1Machine,
		}, ""},
		{
			"too large, before the type", `{"items":[{"spec":{"cores":"x"}},{"metadata":{"name":"` +
				strings.Repeat("x", 300) + `"}},{"spec":{"cores":"y"}}],` + list + `}`,
			serializer.DecodeOptions{Limits: schema.Limits{Item: 200}},
			[]string{
				"! line 1, column 34: items[1]: the item has 324 bytes, more than 200; raise Limits.Item to read it",
				"! line 1, column 28: items[0].spec.cores: expected integer, found string",
				"! line 1, column 376: items[2].spec.cores: expected integer, found string",
			},
			"",
		},
		{
			"head too large", `{` + list + `,"metadata":{"continue":"` + strings.Repeat("x", 300) + `"}`,
			serializer.DecodeOptions{Limits: schema.Limits{Item: 200}},
			[]string{
				"! line 1, column 385: the list without its items has more than 200 bytes; raise Limits.Item to read it",
			},
			"-",
		},
		{
			"no list", `{"kind":"Machine","apiVersion":"fleet.example.com/v1","items":[{}]}`, strict,
			[]string{"! f:1:9: kind: expected a list, found fleet.example.com/v1, Kind=Machine"},
			"-",
		},
		{
			"unknown kind", `{"kind":"MachinesList","apiVersion":"fleet.example.com/v1","items":[{}]}`,
			serializer.DecodeOptions{},
			[]string{
				`! line 1, column 9: kind: no kind "MachinesList" is registered in fleet.example.com/v1 (did you mean "MachineList"?); fleet.example.com has the versions v1, v1beta1`,
			},
			"-",
		},
		{
			"no type", `{"items":[{}]}`,
			serializer.DecodeOptions{},
			[]string{"! line 1, column 1: apiVersion is missing\nline 1, column 1: kind is missing"},
			"-",
		},
		{
			"cut in an item", `{` + list + `,"items":[{},{"spec":{`, strict,
			[]string{
				v1Machine, "! f:1:80: items[1].spec: unexpected end of text, expected ',' or '}'",
				"! f:1:80: unexpected end of text, expected ',' or ']'",
			},
			"-",
		},
		{
			"cut behind an item", `{` + list + `,"items":[{}`, strict,
			[]string{v1Machine, "! f:1:70: unexpected end of text, expected ',' or ']'"},
			"-",
		},
		{
			"cut behind the items", `{` + list + `,"items":[{}]`, strict,
			[]string{v1Machine, "! f:1:71: unexpected end of text, expected ',' or '}'"},
			"-",
		},
		{
			"junk between items", `{` + list + `,"items":[{} x]}`, strict,
			[]string{v1Machine, "! f:1:71: unexpected character 'x', expected ',' or ']'"},
			"-",
		},
		{
			"comma at the end", `{` + list + `,"items":[{},]}`, strict,
			[]string{v1Machine, "! f:1:71: unexpected character ']', expected a value"},
			"-",
		},
		{
			"junk behind", `{` + list + `,"items":[]} {}`, strict,
			[]string{"! f:1:71: unexpected text after the list"},
			"-",
		},
		{
			"array", `[{}]`,
			serializer.DecodeOptions{MediaType: "application/json"},
			[]string{"! line 1, column 1: expected an object, found another JSON value"},
			"-",
		},
		{
			"nothing", " ",
			serializer.DecodeOptions{MediaType: "application/json", File: "f"},
			[]string{"! f: the input contains no list"},
			"-",
		},
		{"yaml", "apiVersion: fleet.example.com/v1\nitems:\n- metadata: {name: a}\n- metadata:\n    name: b\n  spek: 1\nkind: MachineList\nmetadata: {continue: c}\n", strict, []string{
			"a" + v1Machine, "b" + v1Machine + `! f:6:3: items[1].spek: unknown field "spek" (did you mean "spec"?)`,
		}, "c"},
		{
			"yaml with the kind in front",
			"kind: MachineList\napiVersion: fleet.example.com/v1\nmetadata: {continue: c}\nitems:\n- metadata: {name: a}\n- spek: &x 1\n- spec: {cores: é}\n", strict,
			[]string{
				"a" + v1Machine, v1Machine + `! f:6:3: items[1].spek: unknown field "spek" (did you mean "spec"?)`,
				`! f:7:17: items[2].spec.cores: expected integer, found string "é"`,
			},
			"c",
		},
		{
			"yaml without the kind in front",
			"apiVersion: fleet.example.com/v1\nitems:\n- metadata: {name: a}\n- spek: 1\nkind: MachineList\nspek: 1\n",
			serializer.DecodeOptions{
				DefaultKind: schema.GroupVersionKind{Kind: "MachineList"}, File: "f",
				Strictness: serializer.FailOnProblems,
			},
			[]string{
				"a" + v1Machine, v1Machine + `! f:4:3: items[1].spek: unknown field "spek" (did you mean "spec"?)`,
				`! f:6:1: spek: unknown field "spek"`,
			},
			"",
		},
		{
			"yaml of another kind than the default",
			"apiVersion: fleet.example.com/v1\nitems:\n- metadata: {name: a}\nkind: RackList\n",
			serializer.DecodeOptions{DefaultKind: fleetV1.WithKind("MachineList")},
			[]string{
				"a" + v1Machine, `! line 4, column 7: kind: no kind "RackList" is registered in fleet.example.com/v1; fleet.example.com has the versions v1, v1beta1`,
			},
			"-",
		},
		{
			"yaml of another version than the default",
			"apiVersion: fleet.example.com/v1beta1\nitems:\n- metadata: {name: a}\nkind: MachineList\n",
			serializer.DecodeOptions{DefaultKind: fleetV1.WithKind("MachineList")},
			[]string{
				"a" + betaMachine,
			},
			"",
		},
		{
			"items before the type state theirs",
			`{"items":[{"kind":"Machine","apiVersion":"fleet.example.com/v1","spek":1},{"kind":"Machine","apiVersion":"fleet.example.com/v1"}],` + list + `}`, strict,
			[]string{
				v1Machine + `! f:1:65: items[0].spek: unknown field "spek" (did you mean "spec"?)`, v1Machine,
			},
			"",
		},
		{
			"an item before the type states its own, behind one that does not",
			`{"items":[{"metadata":{"name":"a"}},{"kind":"Machine","apiVersion":"fleet.example.com/v1",` +
				`"metadata":{"name":"b"}}],` + list + `}`, strict,
			[]string{"a" + v1Machine, "b" + v1Machine},
			"",
		},
		{
			"items before the type state another",
			`{"items":[{"kind":"Machine","apiVersion":"fleet.example.com/v1beta1"}],` + list +
				`}`,
			serializer.DecodeOptions{},
			[]string{
				betaMachine, `! line 1, column 79: kind: the list is of the kind fleet.example.com/v1, Kind=MachineList, but an earlier item was read as fleet.example.com/v1beta1, Kind=Machine: set the kind of the list as the default`,
			},
			"-",
		},
		{
			"yaml with items that state their type",
			"apiVersion: fleet.example.com/v1\nitems:\n- apiVersion: fleet.example.com/v1\n  kind: Machine\n- {}\nkind: MachineList\n", strict,
			[]string{v1Machine, v1Machine},
			"",
		},
		{
			"yaml with a large item",
			"apiVersion: fleet.example.com/v1\nkind: MachineList\nitems:\n- metadata: {name: a}\n- metadata:\n    name: " + strings.Repeat("x", 300) + "\n- metadata: {name: c}\n",
			serializer.DecodeOptions{Limits: schema.Limits{Item: 200}},
			[]string{
				"a" + v1Machine, "! line 5, column 3: items[1]: the item has 325 bytes, more than 200; raise Limits.Item to read it", "c" + v1Machine,
			},
			"",
		},
		{
			"yaml with a deep item",
			"apiVersion: fleet.example.com/v1\nkind: MachineList\nitems:\n- metadata:\n    labels: {a: b}\n- {}\n",
			serializer.DecodeOptions{Limits: schema.Limits{Depth: 2}},
			[]string{
				"! line 5, column 13: items[0].metadata.labels: the nesting has 3 levels, more than 2; raise Limits.Depth to read it", v1Machine,
			},
			"",
		},
		{
			"yaml with a deep item in flow style",
			"apiVersion: fleet.example.com/v1\nkind: MachineList\nitems: [{metadata: {labels: {a: b}}}, {}]\n",
			serializer.DecodeOptions{Limits: schema.Limits{Depth: 2}},
			[]string{
				"! line 3, column 29: items[0].metadata.labels: the nesting has 3 levels, more than 2; raise Limits.Depth to read it", v1Machine,
			},
			"",
		},
		{"yaml that is broken", "apiVersion: fleet.example.com/v1\nkind: MachineList\nitems:\n- metadata: {name: a}\n- metadata: [\n- {}\n", strict, []string{
			"a" + v1Machine, `! f:6:1: did not find expected node content while parsing a flow node`,
		}, "-"},
		{
			"yaml and another document",
			"apiVersion: fleet.example.com/v1\nkind: MachineList\nitems:\n- metadata: {name: a}\n---\n# c\nx: y\n",
			strict,
			[]string{
				"a" + v1Machine, `! f:7:1: a second document begins here, expected only one list`,
			},
			"-",
		},
		{
			"yaml with the items twice",
			"apiVersion: fleet.example.com/v1\nkind: MachineList\nitems:\n- metadata: {name: a}\nitems: []\n",
			strict,
			[]string{
				"a" + v1Machine, `! f:5:1: items: the list has another field "items" here, which would replace the items already read`,
			},
			"-",
		},
		{"yaml with null", "apiVersion: fleet.example.com/v1\nkind: MachineList\nitems:\n", strict, nil, ""},
		{
			"yaml without a list", "apiVersion: fleet.example.com/v1\nkind: Machine\nitems:\n- {}\n", strict,
			[]string{"! f:2:7: kind: expected a list, found fleet.example.com/v1, Kind=Machine"},
			"-",
		},
		{
			"yaml with wrong items", "apiVersion: fleet.example.com/v1\nkind: MachineList\nitems:\n  a: b\n", strict,
			[]string{"! f:4:3: items: expected array, found object"},
			"-",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if plain.Enabled && strings.HasPrefix(c.name, "yaml with a deep item") {
				t.Skip("the library stops at the depth")
			}
			for name, r := range map[string]io.Reader{
				"whole":        strings.NewReader(c.in),
				"by bytes":     iotest.OneByteReader(strings.NewReader(c.in)),
				"with the end": iotest.DataErrReader(strings.NewReader(c.in)),
			} {
				got, head := readAll(f, r, c.o)
				if diff := cmp.Diff(c.want, got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", name, diff)
				}
				token := "-"
				switch l := head.(type) {
				case *machineList:
					token = l.Metadata.Continue
				case *machineBetaList:
					token = l.Metadata.Continue
				}
				if token != c.head {
					t.Errorf("%s: head %+v, want %q", name, head, c.head)
				}
			}
		})
	}
	// CBOR states the kind before the items and the version after them.
	guessed := "\xa3\x64kind\x6bMachineList\x65items\x81\xa1\x48metadata\xa1\x44name\x41a\x6aapiVersion\x78\x19" +
		fleetBeta.String()
	got, _ := readAll(newFactory(t, cbor.Format()), strings.NewReader(guessed), serializer.DecodeOptions{
		MediaType: mediaCBOR, DefaultKind: fleetV1.WithKind(""),
	})
	if want := []string{"a" + v1Machine, "! apiVersion: the list is of the kind fleet.example.com/v1beta1, " +
		"Kind=MachineList, but its items were read as those of fleet.example.com/v1, Kind=MachineList: " +
		"set its version as the default"}; !slices.Equal(got, want) {
		t.Errorf("a wrong guess:\n got %q\nwant %q", got, want)
	}
	broken := errors.New("broken")
	in := `{` + list + `,"items":[{}`
	for n := range len(in) {
		r := io.MultiReader(strings.NewReader(in[:n]), iotest.ErrReader(broken))
		got, _ := readAll(f, r, serializer.DecodeOptions{MediaType: "application/json"})
		if len(got) != 1 || got[0] != "! broken" {
			t.Errorf("a reader that breaks after %d bytes: %q", n, got)
		}
	}
}

// TestReadListEqualsDecode reads what was written as a stream and compares it with the list that is
// decoded as a whole.
func TestReadListEqualsDecode(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	k, err := f.Scheme().Kind(v1.GroupVersion.WithKind("MachineList"))
	if err != nil {
		t.Fatal(err)
	}
	for seed := range int64(20) {
		for _, o := range []serializer.EncodeOptions{
			{},
			{Pretty: true},
			{MediaType: "application/yaml"},
			{MediaType: "application/cbor"},
		} {
			list := new(v1.MachineList)
			fuzz.Filler(seed).NumElements(0, 5).Fuzz(list)
			if err := k.SetType(list); err != nil {
				t.Fatal(err)
			}
			var text bytes.Buffer
			if err := f.Encode(&text, list, o); err != nil {
				t.Fatal(err)
			}
			whole, err := serializer.Decode[v1.MachineList](f, text.Bytes(),
				serializer.DecodeOptions{Strictness: serializer.FailOnProblems})
			if err != nil {
				t.Fatal(err)
			}
			r := f.ReadList(&text, serializer.DecodeOptions{Strictness: serializer.FailOnProblems})
			var items []v1.Machine
			for item, err := range r.Items() {
				if err != nil {
					t.Fatal(err)
				}
				items = append(items, *item.(*v1.Machine))
			}
			if len(items) != len(whole.Items) || len(items) > 0 && !reflect.DeepEqual(items, whole.Items) {
				t.Errorf("seed %d: items differ (-whole +streamed):\n%s", seed, cmp.Diff(whole.Items, items))
			}
			head, ok := r.Head().(*v1.MachineList)
			if !ok || !reflect.DeepEqual(head.ListMeta, whole.ListMeta) || head.TypeMeta != whole.TypeMeta {
				t.Errorf("seed %d: head %+v, want %+v", seed, r.Head(), whole.ListMeta)
			}
		}
	}
}

// TestReadListOddities reads lists that no program writes, item by item and as a whole.
func TestReadListOddities(t *testing.T) {
	t.Parallel()
	f := workshopFactory(t)
	const list = `"kind":"OrderList","apiVersion":"workshop.example.com/v1",`
	text := func(s string) string { return string(appendText(nil, s)) }
	pieces := "\x7f\x63ite\x62ms\xff" // a key in several pieces
	o := "\xa1Hmetadata\xa1DnameA"
	inCBOR := func(rest string) string {
		return text("kind") + text("OrderList") + text("apiVersion") + text("workshop.example.com/v1") + rest
	}
	const twice = `items: %sthe list has another field "items" here, which would replace the items already read`
	for _, c := range []struct {
		name, mediaType, in string
		want                []string // names of the items, then errors
	}{
		{"nulls", mediaJSON, `{` + list + `"items":[null,{"metadata":{"name":"a"}}]}`, []string{"", "a"}},
		{"nulls", mediaYAML, "kind: OrderList\napiVersion: workshop.example.com/v1\nitems:\n- ~\n-\n- metadata: {name: a}\n- null\n", []string{"", "", "a", ""}},
		{
			"nulls in brackets", mediaYAML, `{` + list + `"items":[null,{"metadata":{"name":"a"}},~]}`,
			[]string{"", "a", ""},
		},
		{"nulls", mediaCBOR, "\xa3" + inCBOR(text("items")+"\x82\xf6"+o+"a"), []string{"", "a"}},
		{"twice", mediaJSON, `{` + list + "\n" +
			`"items":[{"metadata":{"name":"a"}}],"items":[{"metadata":{"name":"b"}}]}`, []string{
			"a",
			"! line 2, column 37: " + fmt.Sprintf(twice, ""),
		}},
		{
			"twice, then null", mediaJSON, `{` + list + "\n" + `"items":[{"metadata":{"name":"a"}}],"it\u0065ms":null}`,
			[]string{"a", "! line 2, column 37: " + fmt.Sprintf(twice, "")},
		},
		{
			"twice", mediaCBOR, "\xa4" + inCBOR(text("items")+"\x81"+o+"a"+text("items")+"\x81"+o+"b"),
			[]string{"a", "! " + fmt.Sprintf(twice, "at byte 76: ")},
		},
		{
			"null, then items", mediaJSON, `{` + list + `"items":null,"items":[{"metadata":{"name":"b"}}]}`,
			[]string{"b"},
		},
		{"an escaped name", mediaJSON, `{` + list + `"it\u0065ms":[{"metadata":{"name":"a"}}]}`, []string{"a"}},
		{"a name in pieces", mediaCBOR, "\xa3" + inCBOR(pieces+"\x81"+o+"a"), []string{"a"}},
		{"a name with a tag", mediaCBOR, "\xa3" + inCBOR("\xd9\xd9\xf7"+text("items")+"\x81"+o+"a"), []string{"a"}},
		{"nothing", mediaCBOR, "\xd9\xd9\xf7\xa0", []string{"! apiVersion is missing\nkind is missing"}},
		{"nothing of indefinite length", mediaCBOR, "\xbf\xff", []string{"! apiVersion is missing\nkind is missing"}},
	} {
		t.Run(c.mediaType+" "+c.name, func(t *testing.T) {
			t.Parallel()
			var got, whole []string
			options := serializer.DecodeOptions{MediaType: c.mediaType}
			for item, err := range f.ReadList(iotest.OneByteReader(strings.NewReader(c.in)), options).Items() {
				if err != nil {
					got = append(got, "! "+err.Error())
				} else {
					got = append(got, item.(*workshop.Order).Name)
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
			obj, err := f.Decode([]byte(c.in), options)
			if strings.Contains(strings.Join(c.want, ""), "!") {
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, item := range obj.(*workshop.OrderList).Items {
				whole = append(whole, item.Name)
			}
			if !slices.Equal(got, whole) {
				t.Errorf("item by item %q, as a whole %q", got, whole)
			}
		})
	}
}

// appendText appends a short text as CBOR.
func appendText(dst []byte, s string) []byte { return append(append(dst, 0x60|byte(len(s))), s...) }

// TestReadListMemory is not parallel, because it looks at the memory of the whole process.
func TestReadListMemory(t *testing.T) {
	if race.Enabled {
		t.Skip("the heap of a program without the race detector is what counts")
	}
	f := newFleet(t)
	item := new(v1.Machine)
	fuzz.Filler(3).NilChance(0).NumElements(2, 4).Fuzz(item)
	for _, c := range []struct {
		mediaType string
		n         int
	}{{"application/json", 10}, {"application/json", 10_000}, {"application/yaml", 10}, {"application/yaml", 1_000}} {
		n := c.n
		rep, err := f.Negotiate([]string{c.mediaType}, serializer.Offer{})
		if err != nil {
			t.Fatal(err)
		}
		r, w := io.Pipe()
		go func() {
			err := rep.EncodeItems(w, &v1.MachineList{
				ListMeta: metav1.ListMeta{ResourceVersion: "7"},
			}, func(yield func(runtime.Object, error) bool) {
				for range n {
					if !yield(item, nil) {
						return
					}
				}
			})
			w.CloseWithError(err)
		}()
		before := live()
		var most uint64
		i := 0
		// YAML has the kind of a list behind its items.
		for _, err := range f.ReadList(r, serializer.DecodeOptions{
			MediaType:   c.mediaType,
			DefaultKind: v1.GroupVersion.WithKind("MachineList"),
		}).Items() {
			if err != nil {
				t.Fatal(err)
			}
			if i++; i%(1+n/10) == 1 {
				most = max(most, live())
			}
		}
		extra := int64(most) - int64(before)
		t.Logf("%s, %d items: %d bytes more in use", c.mediaType, n, extra)
		if i != n || extra > 256<<10 {
			t.Errorf("%s: %d items need %d bytes more", c.mediaType, i, extra)
		}
	}
}

// TestReadListValidates checks that the head of a list is not held to rules about its items.
func TestReadListValidates(t *testing.T) {
	t.Parallel()
	f := projectFactory(t, addRules)
	const list = `{"kind":"OrderList","apiVersion":"workshop.example.com/%s","items":[` +
		`{"metadata":{"name":"a"},"spec":{"%s":"c"}},{"metadata":{"name":"b"}}]}`
	for _, tt := range []struct {
		in string
		o  serializer.DecodeOptions
	}{
		{fmt.Sprintf(list, "v1beta1", "client"), serializer.DecodeOptions{Validate: true}},
		{fmt.Sprintf(list, "v1", "customer"), serializer.DecodeOptions{
			Version: workshopv1beta1.GroupVersion, ValidateConverted: true,
		}},
	} {
		var got []string
		r := f.ReadList(strings.NewReader(tt.in), tt.o)
		for item, err := range r.Items() {
			name := ""
			if o, ok := item.(*workshopv1beta1.Order); ok {
				name = o.Name
			}
			got = append(got, fmt.Sprint(name, " ", err != nil))
		}
		if want := []string{"a false", "b true"}; !slices.Equal(got, want) || r.Head() == nil {
			t.Errorf("%+v: got %q, want %q; head %v", tt.o, got, want, r.Head())
		}
	}
}

// bare returns a format without all but the functions for whole objects.
func bare(f *format.Format) *format.Format {
	return &format.Format{
		Name: f.Name, MediaTypes: f.MediaTypes, Text: f.Text, Append: f.Append, Documents: f.Documents,
		Recognize: f.Recognize,
	}
}

// TestReadListWhole reads a list in a format that can only read it as a whole: not more of it than
// the limit.
func TestReadListWhole(t *testing.T) {
	t.Parallel()
	f, err := serializer.NewFactory(newFleet(t).Scheme(), bare(json.Format()))
	if err != nil {
		t.Fatal(err)
	}
	text := `{"kind":"MachineList","apiVersion":"fleet.example.com/v1","items":[{"metadata":{"name":"a"}}]}`
	n := 0
	for item, err := range f.ReadList(strings.NewReader(text)).Items() {
		if n++; err != nil || item.(*v1.Machine).Name != "a" {
			t.Errorf("item %+v, error %v", item, err)
		}
	}
	if n != 1 {
		t.Errorf("%d items", n)
	}
	const size = 1 << 16
	in := &io.LimitedReader{R: io.MultiReader(strings.NewReader(text), endless(' ')), N: 1 << 30}
	for item, err := range f.ReadList(in, serializer.DecodeOptions{Limits: schema.Limits{Size: size}}).Items() {
		if e, ok := errors.AsType[*schema.LimitError](err); !ok || e.Limit != "Size" || item != nil {
			t.Errorf("item %v, error %v", item, err)
		}
	}
	if read := 1<<30 - in.N; read > 2*size {
		t.Errorf("%d bytes were read", read)
	}
	n = 0
	for item, err := range f.ReadList(strings.NewReader(text),
		serializer.DecodeOptions{Limits: schema.Limits{Size: math.MaxInt}}).Items() {
		if n++; err != nil || item.(*v1.Machine).Name != "a" {
			t.Errorf("without a limit: item %+v, error %v", item, err)
		}
	}
	if n != 1 {
		t.Errorf("%d items without a limit", n)
	}
}

// TestReadListOfBrokenInput checks that an error of the input is yielded wherever it occurs, also
// by a list that is read as a whole.
func TestReadListOfBrokenInput(t *testing.T) {
	t.Parallel()
	f, err := serializer.NewFactory(newFleet(t).Scheme(), bare(json.Format()))
	if err != nil {
		t.Fatal(err)
	}
	broken := errors.New("the connection is broken")
	text := `{"kind":"MachineList","apiVersion":"fleet.example.com/v1","items":[{"metadata":{"name":"a"}}]}`
	text += strings.Repeat(" ", 1<<20) // more than is read to see what the input is
	for _, n := range []int{0, 1, 50, 100, len(text)} {
		in := io.MultiReader(strings.NewReader(text[:n]), iotest.ErrReader(broken))
		var last error
		for _, err := range f.ReadList(in).Items() {
			last = err
		}
		if !errors.Is(last, broken) {
			t.Errorf("after %d bytes: %v", n, last)
		}
	}
}

// TestReadListWithoutType checks that a list that does not state its type for long is not kept
// without a bound.
func TestReadListWithoutType(t *testing.T) {
	t.Parallel()
	const size = 1 << 20
	item := strings.Repeat(`{"metadata":{"name":"a"}},`, 1000)
	read := 0
	long := io.MultiReader(strings.NewReader(`{"items":[`), readerFunc(func(p []byte) (int, error) {
		if read > 64*size {
			return 0, io.EOF
		}
		n := copy(p, item[read%len(item):])
		read += n
		return n, nil
	}))
	list := newFleet(t).ReadList(long, serializer.DecodeOptions{
		MediaType: "application/json", Limits: schema.Limits{Size: size},
	})
	var last error
	for obj, err := range list.Items() {
		if obj != nil {
			t.Fatalf("got %v", obj)
		}
		last = err
	}
	if e, ok := errors.AsType[*schema.LimitError](last); !ok || e.Limit != "Size" || read > 2*size {
		t.Errorf("got %.300v after %d bytes", last, read)
	}
}

// TestReadListInLinearTime reads lists whose type follows their items: one with much text before
// them, and one whose items are of as many kinds.
func TestReadListInLinearTime(t *testing.T) {
	t.Parallel()
	var kinds strings.Builder
	for i := range 60_000 {
		fmt.Fprintf(&kinds, `{"kind":"K%d","apiVersion":"x.example.com/v1"},`, i)
	}
	for _, tt := range []struct {
		name, text string
		items      int
	}{
		{"much text", "{" + strings.Repeat(`"x":0,`, 100_000) + `"items":[` + strings.Repeat("{},", 20_000) +
			`{}],"kind":"MachineList","apiVersion":"fleet.example.com/v1"}`, 20_001},
		{"many kinds", `{"items":[` + kinds.String() + `{"kind":"K","apiVersion":"x.example.com/v1"}],` +
			`"kind":"KList","apiVersion":"x.example.com/v1"}`, 60_001},
	} {
		n := 0
		took := cputime.Of(func() {
			o := serializer.DecodeOptions{MediaType: "application/json", Unknown: unstructured.Kind}
			for _, err := range newFleet(t).ReadList(strings.NewReader(tt.text), o).Items() {
				if n++; err != nil {
					t.Fatalf("%s: %.300v", tt.name, err)
				}
			}
		})
		if n != tt.items {
			t.Errorf("%s: %d items", tt.name, n)
		}
		if took > 10*time.Second { // otherwise it takes a minute
			t.Errorf("%s: took %v", tt.name, took)
		}
	}
}

// readerFunc is a function as a reader.
type readerFunc func([]byte) (int, error)

// Read implements [io.Reader].
func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
