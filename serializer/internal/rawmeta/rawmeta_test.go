package rawmeta

import (
	"bytes"
	"encoding/hex"
	"math"
	"math/rand/v2"
	"reflect"
	"strconv"
	"testing"
	"time"

	"github.com/askind/askind/internal/plain"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/wire/jsonwire"
	"github.com/askind/askind/wire/pbwire"
)

// TestMain skips all tests where the package does nothing.
func TestMain(m *testing.M) {
	if !plain.Enabled {
		m.Run()
	}
}

// The slow twins: decode, then encode.

func decodeProto(b []byte) (*metav1.ObjectMeta, bool) {
	var m metav1.ObjectMeta
	r := pbwire.NewReader(b, pbwire.Options{})
	metav1.DecodeProtoObjectMeta(r, &m)
	return &m, len(r.Problems()) == 0
}

func encodeProto(m *metav1.ObjectMeta) []byte {
	var w pbwire.Writer
	metav1.PrependProtoObjectMeta(&w, m)
	return w.Bytes()
}

func decodeJSON(b []byte) (*metav1.ObjectMeta, bool) {
	var m metav1.ObjectMeta
	r := jsonwire.NewReader(b, jsonwire.Options{})
	metav1.DecodeJSONObjectMeta(r, &m)
	r.End()
	return &m, len(r.Problems()) == 0
}

func encodeJSON(m *metav1.ObjectMeta) ([]byte, bool) {
	out, err := metav1.AppendJSONObjectMeta(nil, m)
	return out, err == nil
}

// checkProto holds the two functions for protobuf to what decoding and encoding do. It returns
// which of them took the message.
func checkProto(t *testing.T, b []byte) (canonical, transcoded bool) {
	t.Helper()
	m, ok := decodeProto(b)
	if canonical = CanonicalProto(b); canonical {
		if !ok {
			t.Fatalf("%x is called canonical, and cannot be decoded", b)
		}
		if again := encodeProto(m); !bytes.Equal(again, b) {
			t.Fatalf("%x is called canonical, and written again as\n%x", b, again)
		}
	}
	const before = "before"
	out, transcoded := AppendJSON([]byte(before), b)
	switch {
	case !transcoded && string(out) != before:
		t.Fatalf("declined with %q", out)
	case !transcoded:
		return canonical, false
	case !ok:
		t.Fatalf("%x was written as %s, and cannot be decoded", b, out)
	}
	want, ok := encodeJSON(m)
	if !ok || string(out) != before+string(want) {
		t.Fatalf("%x: %v\n got %s\nwant %s", b, ok, out[len(before):], want)
	}
	return canonical, true
}

// checkJSON does the same for JSON.
func checkJSON(t *testing.T, text []byte) (canonical bool) {
	t.Helper()
	end := CanonicalJSON(text)
	if end == 0 {
		return false
	}
	m, ok := decodeJSON(text[:end])
	if !ok {
		t.Fatalf("%s is called canonical, and cannot be decoded", text[:end])
	}
	if again, ok := encodeJSON(m); !ok || !bytes.Equal(again, text[:end]) {
		t.Fatalf("called canonical, and written again differently:\n%s\n%s", text[:end], again)
	}
	return true
}

// full is metadata in which everything is set.
func full() *metav1.ObjectMeta {
	at := metav1.Unix(1_772_000_000, 0)
	return &metav1.ObjectMeta{
		//lint:ignore SA1019 old data has the field
		Name: "web-1", GenerateName: "web-", Namespace: "production", SelfLink: "/old", UID: "0f8fad5b",
		ResourceVersion: "4711", Generation: 3,
		CreationTimestamp: at, DeletionTimestamp: &at, DeletionGracePeriodSeconds: new(int64(30)),
		Labels: map[string]string{"app": "web", "tier": "front", "": "blank"},
		Annotations: map[string]string{
			"text": "a \"quoted\" <b> & \u2028 é\n\x01 line", "list": `[{"port":9100}]`,
			"empty": "",
		},
		OwnerReferences: []metav1.OwnerReference{{
			APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "web", UID: "u",
			Controller: new(true), BlockOwnerDeletion: new(false),
		}, {}},
		Finalizers: []string{"a.example.com/x", ""},
		ManagedFields: []metav1.ManagedFieldsEntry{
			{
				Manager: "m", Operation: "Update", APIVersion: "v1", Time: &at, FieldsType: "FieldsV1",
				FieldsV1:    &metav1.FieldsV1{Raw: []byte(`{"f:a":{".":{},"k:{\"x\":\"y\"}":{}},"f:b":{}}`)},
				Subresource: "status",
			},
			{},
		},
	}
}

// TestAll checks that the functions know every field there is: a field more of ObjectMeta makes
// this test fail, so that it is added here.
func TestAll(t *testing.T) {
	t.Parallel()
	m := full()
	v := reflect.ValueOf(m).Elem()
	for i := range v.NumField() {
		if v.Field(i).IsZero() {
			t.Errorf("the field %s is not tested", v.Type().Field(i).Name)
		}
	}
	for _, part := range []any{m.OwnerReferences[0], m.ManagedFields[0]} {
		for v, i := reflect.ValueOf(part), 0; i < v.NumField(); i++ {
			if v.Field(i).IsZero() {
				t.Errorf("the field %s.%s is not tested", v.Type(), v.Type().Field(i).Name)
			}
		}
	}
	if canonical, transcoded := checkProto(t, encodeProto(m)); !canonical || !transcoded {
		t.Errorf("canonical %v, transcoded %v", canonical, transcoded)
	}
	text, _ := encodeJSON(m)
	if !checkJSON(t, text) {
		t.Errorf("%s is not called canonical", text)
	}
}

// random makes metadata whose fields are set or not by chance.
func random(r *rand.Rand) *metav1.ObjectMeta {
	maybe := func() bool { return r.IntN(3) > 0 }
	text := func() string {
		const letters = "abcdefghijklmnopqrstuvwxyz0123456789-./<>&\"\\\x00\n\t\x7fé\u2028\ufffd"
		runes := []rune(letters)
		switch r.IntN(8) {
		case 0:
			return ""
		case 1:
			return strconv.Quote(string(runes[r.IntN(len(runes))]))
		case 2:
			return "\xff" + string(runes[r.IntN(len(runes))])
		}
		out := make([]rune, r.IntN(40))
		for i := range out {
			out[i] = runes[r.IntN(len(runes)/(1+i%2))]
		}
		return string(out)
	}
	moment := func() metav1.Time {
		seconds := []int64{
			0, 1, -1, 59, 86_399, 86_400, 1_772_000_000, lastSecond, firstSecond, zeroSecond,
			zeroSecond + 1, 951_782_400,
		}
		return metav1.Unix(min(seconds[r.IntN(len(seconds))]+r.Int64N(3)*r.Int64N(100_000_000), lastSecond), 0)
	}
	texts := func() map[string]string {
		m := map[string]string{}
		for range r.IntN(6) {
			m[text()] = text()
		}
		return m
	}
	m := new(metav1.ObjectMeta)
	//lint:ignore SA1019 old data has the field
	for _, s := range []*string{&m.Name, &m.GenerateName, &m.Namespace, &m.SelfLink, &m.UID, &m.ResourceVersion} {
		if maybe() {
			*s = text()
		}
	}
	if maybe() {
		m.Generation = []int64{1, -1, 127, 128, math.MaxInt64, math.MinInt64, r.Int64()}[r.IntN(7)]
	}
	if maybe() {
		m.CreationTimestamp = moment()
	}
	if !maybe() {
		m.DeletionTimestamp = new(moment())
		m.DeletionGracePeriodSeconds = new(r.Int64N(3) - 1)
	}
	if maybe() {
		m.Labels = texts()
	}
	if maybe() {
		m.Annotations = texts()
	}
	for range r.IntN(3) {
		o := metav1.OwnerReference{APIVersion: text(), Kind: text(), Name: text(), UID: text()}
		if maybe() {
			o.Controller = new(maybe())
		}
		if maybe() {
			o.BlockOwnerDeletion = new(maybe())
		}
		m.OwnerReferences = append(m.OwnerReferences, o)
	}
	for range r.IntN(3) {
		m.Finalizers = append(m.Finalizers, text())
	}
	for range r.IntN(4) {
		e := metav1.ManagedFieldsEntry{
			Manager: text(), Operation: metav1.ManagedFieldsOperation(text()),
			APIVersion: text(), FieldsType: text(), Subresource: text(),
		}
		if maybe() {
			e.Time = new(moment())
		}
		if maybe() {
			sets := []string{
				`{}`, `{"f:a":{}}`, `{"f:a":{},"f:b":{"v:\"x\\\"y\"":{}}}`, `{"f:a" : {}}`, `{"f:é":{}}`,
				`{"f:<":{}}`, `{"a":1}`, `null`, `{"a":[{}]}`, `x`, ` {}`, `{"":{"":{"":{}}}}`,
			}
			e.FieldsV1 = &metav1.FieldsV1{Raw: []byte(sets[r.IntN(len(sets))])}
		}
		m.ManagedFields = append(m.ManagedFields, e)
	}
	return m
}

// TestRandom compares the functions with decoding and encoding for metadata of all sorts, and sees
// that they take what they are made for.
func TestRandom(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	const n = 20_000
	transcoded := 0
	for range n {
		m := random(r)
		b := encodeProto(m)
		// The message of the second of the zero time is not written by anybody; as a deletion time
		// it is that of a pointer to it.
		canonical, ok := checkProto(t, b)
		if !canonical {
			t.Fatalf("%x was written just so, and is not called canonical", b)
		}
		if ok {
			transcoded++
		}
		if text, ok := encodeJSON(m); ok {
			checkJSON(t, text)
		}
	}
	if transcoded < n/2 {
		t.Errorf("%d of %d messages were transcoded", transcoded, n)
	}
}

// TestSeveral writes several messages behind each other.
func TestSeveral(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 2))
	var out, want []byte
	for range 2000 {
		m := random(r)
		ok := false
		if out, ok = AppendJSON(out, encodeProto(m)); !ok {
			continue
		}
		m, _ = decodeProto(encodeProto(m))
		text, ok := encodeJSON(m)
		if want = append(want, text...); !ok || !bytes.Equal(out, want) {
			t.Fatalf("%v\n got %s\nwant %s", ok, out[len(want)-len(text):], text)
		}
	}
}

// TestNotCanonical has messages and texts that decoding reads, and encoding writes in another way.
func TestNotCanonical(t *testing.T) {
	t.Parallel()
	const zero = "0a0012001a0022002a00320038004200"
	if b, _ := hex.DecodeString(zero); !CanonicalProto(b) {
		t.Errorf("%s is not called canonical", zero)
	}
	for name, message := range map[string]string{
		"nothing":                    "",
		"a field is missing":         "0a0012001a0022002a0038004200",
		"a field twice":              "0a000a0012001a0022002a00320038004200",
		"out of order":               "12000a001a0022002a00320038004200",
		"an unknown field":           zero + "7a00",
		"an unknown number":          zero + "ca0100",
		"a length in two bytes":      "0a800012001a0022002a00320038004200",
		"a number in two bytes":      "0a0012001a0022002a0032003880004200",
		"a number of another type":   "0a0012001a0022002a0032003a004200",
		"zero time in seconds":       "0a0012001a0022002a0032003800420f0880eaa2c1f8ffffffff011000",
		"a time of the year 10000":   "0a0012001a0022002a00320038004209088083d1ffaf071000",
		"a time before the year 0":   "0a0012001a0022002a0032003800420d08ff87aeb498feffffff011000",
		"nanoseconds":                "0a0012001a0022002a0032003800420408011001",
		"no nanoseconds":             "0a0012001a0022002a00320038004202" + "0801",
		"a time twice":               zero + "4200",
		"labels out of order":        zero + "5a060a01621201785a060a0161120178",
		"a label twice":              zero + "5a060a01611201785a060a0161120179",
		"a label without value":      zero + "5a030a0161",
		"labels behind annotations":  zero + "62060a01611201785a060a0161120178",
		"an owner of few fields":     zero + "6a020a00",
		"true as two":                zero + "6a0a0a001a0022002a003002",
		"a manager of few fields":    zero + "8a01020a00",
		"an empty set":               zero + "8a010e0a0012001a0032003a020a004200",
		"a field behind managers":    zero + "8a010a0a0012001a00320042007200",
		"the end is missing":         "0a0012001a0022002a003200380042",
		"a length beyond the end":    "0a0112001a0022002a00320038004207",
		"a grace period twice":       zero + "50005000",
		"a deletion time twice":      zero + "4a004a00",
		"an end of a group":          zero + "54",
		"a number of eleven bytes":   "0a0012001a0022002a003200388080808080808080808000" + "4200",
		"a number of 65 bits":        "0a0012001a0022002a003200388080808080808080800" + "24200",
		"a length of many bits":      zero + "5affffffffffffffffff01",
		"text behind a set":          zero + "8a01120a0012001a0032003a060a027b7d10004200",
		"set of fields of wire type": zero + "8a010e0a0012001a0032003a0208004200",
	} {
		b, err := hex.DecodeString(message)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if CanonicalProto(b) {
			t.Errorf("%s: %s is called canonical", name, message)
		}
		checkProto(t, b)
	}
	for name, text := range map[string]string{
		"white space":              `{ "name":"a"}`,
		"white space at the end":   `{"name":"a" }`,
		"out of order":             `{"namespace":"a","name":"b"}`,
		"twice":                    `{"name":"a","name":"b"}`,
		"unknown":                  `{"name":"a","nam":"b"}`,
		"unknown at first":         `{"a":"b"}`,
		"blank":                    `{"name":""}`,
		"null":                     `{"name":null}`,
		"a slash with escape":      `{"name":"\/"}`,
		"a letter with escape":     `{"name":"\u0061"}`,
		"upper case escape":        `{"name":"\u003C"}`,
		"long form of a tab":       `{"name":"\u0009"}`,
		"delete with escape":       `{"name":"\u007f"}`,
		"half a pair":              `{"name":"\ud800"}`,
		"a raw <":                  `{"name":"<"}`,
		"a raw separator":          "{\"name\":\"\u2028\"}",
		"invalid UTF-8":            "{\"name\":\"\xff\"}",
		"a control character":      "{\"name\":\"\x01\"}",
		"zero":                     `{"generation":0}`,
		"a leading zero":           `{"generation":01}`,
		"a fraction":               `{"generation":1.0}`,
		"minus nothing":            `{"generation":-}`,
		"minus zero":               `{"deletionGracePeriodSeconds":-0}`,
		"no time zone":             `{"creationTimestamp":"2026-01-02T03:04:05"}`,
		"an offset":                `{"creationTimestamp":"2026-01-02T03:04:05+01:00"}`,
		"a fraction of a second":   `{"creationTimestamp":"2026-01-02T03:04:05.5Z"}`,
		"the zero time":            `{"creationTimestamp":"0001-01-01T00:00:00Z"}`,
		"a month too many":         `{"creationTimestamp":"2026-13-02T03:04:05Z"}`,
		"the 30th of February":     `{"creationTimestamp":"2026-02-30T03:04:05Z"}`,
		"no day":                   `{"creationTimestamp":"2026-02-00T03:04:05Z"}`,
		"the 31st of April":        `{"creationTimestamp":"2026-04-31T03:04:05Z"}`,
		"hour 24":                  `{"creationTimestamp":"2026-04-30T24:04:05Z"}`,
		"no labels":                `{"labels":{}}`,
		"labels out of order":      `{"labels":{"b":"","a":""}}`,
		"a label twice":            `{"labels":{"a":"","a":""}}`,
		"a key with escapes":       `{"labels":{"\"":""}}`,
		"no finalizers":            `{"finalizers":[]}`,
		"a comma too many":         `{"finalizers":["a",]}`,
		"an owner of few fields":   `{"ownerReferences":[{"kind":"a"}]}`,
		"truth as a number":        `{"ownerReferences":[{"apiVersion":"","kind":"","name":"","uid":"","controller":1}]}`,
		"an unknown field inside":  `{"managedFields":[{"a":"b"}]}`,
		"a set with white space":   `{"managedFields":[{"fieldsV1":{"f:a": {}}}]}`,
		"a set that is null":       `{"managedFields":[{"fieldsV1":null}]}`,
		"a set with a raw >":       `{"managedFields":[{"fieldsV1":{"f:>":{}}}]}`,
		"a list that is not ended": `{"finalizers":["a"}`,
		"a map that is not ended":  `{"labels":{"a":"b"`,
		"not ended":                `{"name":"a"`,
		"nothing":                  ``,
		"not an object":            `[]`,
	} {
		if n := CanonicalJSON([]byte(text)); n != 0 {
			t.Errorf("%s: %s is called canonical up to %d", name, text, n)
		}
	}
	for _, text := range []string{`{}`, `{"managedFields":[{}]}`, `{"name":"\u0001\u003c\u2028\"\\é"},`} {
		if !checkJSON(t, []byte(text)) {
			t.Errorf("%s is not called canonical", text)
		}
	}
}

func FuzzProto(f *testing.F) {
	f.Add(encodeProto(full()))
	f.Add(encodeProto(new(metav1.ObjectMeta)))
	r := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		f.Add(encodeProto(random(r)))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		checkProto(t, b)
	})
}

func FuzzJSON(f *testing.F) {
	text, _ := encodeJSON(full())
	f.Add(text)
	r := rand.New(rand.NewPCG(1, 3))
	for range 20 {
		if text, ok := encodeJSON(random(r)); ok {
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) { checkJSON(t, text) })
}

func BenchmarkMetadata(b *testing.B) {
	m := full()
	delete(m.Labels, "")
	message := encodeProto(m)
	text, _ := encodeJSON(m)
	var dst []byte
	for name, f := range map[string]func(){
		"canonical/protobuf": func() { CanonicalProto(message) },
		"canonical/json":     func() { CanonicalJSON(text) },
		"transcode":          func() { dst, _ = AppendJSON(dst[:0], message) },
		"decode-encode/json": func() { m, _ := decodeProto(message); dst, _ = metav1.AppendJSONObjectMeta(dst[:0], m) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				f()
			}
		})
	}
}
