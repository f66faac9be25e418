package cbor_test

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/askind/askind/internal/plain"

	"github.com/askind/askind/internal/sample"
	samplev1 "github.com/askind/askind/internal/sample/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/cbor"
	"github.com/askind/askind/serializer/format"
)

// checkFast reads the first item both ways, which must not differ, and returns whether it was read
// the fast way.
func checkFast(t *testing.T, data []byte) bool {
	t.Helper()
	k := sample.Kind(t)
	plainEnd, isMap := cbor.PlainEnd(data)
	for doc, err := range cbor.Format().Documents(data, schema.Limits{}) {
		if (err == nil) != isMap {
			t.Fatalf("%x: error %v, but the plain way finds a map: %v", data, err, isMap)
		}
		if err != nil {
			return false
		}
		plain, end := cbor.Plainly(doc)
		if end != plainEnd {
			t.Fatalf("%x: the item ends at %d, the plain way at %d", data, end, plainEnd)
		}
		for _, o := range []runtime.ReadOptions{{}, {Strict: true}, {Limits: schema.Limits{Depth: 3}}} {
			apiVersion, kind, err := doc.Type()
			wantVersion, wantKind, wantErr := plain.Type()
			if apiVersion != wantVersion || kind != wantKind || !reflect.DeepEqual(err, wantErr) {
				t.Fatalf("%x: Type() = %q, %q, %v; plainly %q, %q, %v", data, apiVersion, kind, err, wantVersion,
					wantKind, wantErr)
			}
			var got, want samplev1.Machine
			problems, wantProblems := doc.Decode(k, &got, o), plain.Decode(k, &want, o)
			if !reflect.DeepEqual(problems, wantProblems) {
				t.Fatalf("%x %+v:\n got %v\nwant %v", data, o, problems, wantProblems)
			}
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("%x %+v:\n got %#v\nwant %#v", data, o, got, want)
			}
		}
		if got, want := doc.Raw(), plain.Raw(); !bytes.Equal(got, want) {
			t.Fatalf("%x: Raw() = %s, plainly %s", data, got, want)
		}
		return cbor.IsUsual(doc)
	}
	return false
}

var fastTexts = []string{
	"\xa0", tag + "\xa1\x44name\x41a", "\xa1\x48replicas\xf9\x3c\x00", "\xa1\x48replicas\xf9\x3e\x00",
	"\xa2\x44kind\x47Machine\x4aapiVersion\x42v1", "\xa2\x44kind\xf6\x64kind\x41a", "\xa1\x44kind\x5f\x41a\xff",
	"\xa1\x43key\xd6\x41k", "\xa1\x43key\x44YQ==", "\xa1\x44name\xd6\x41k", "\xa1\x45extra\x85\x01\x20\xf5\xf4\xf6",
	"\xa1\x45extra\xa2\x41b\xd6\x41\xff\x41a\xfb\x43\xe0\x00\x00\x00\x00\x00\x00",
	"\xa1\x43raw\xa3\x42bb\xf9\x3c\x00\x41a\x1b\xff\xff\xff\xff\xff\xff\xff\xff\x41a\xd6\x43\xff\xfe\xfd",
	"\xa1\x43raw\xf6", "\xa1\x43raw\x3b\x7f\xff\xff\xff\xff\xff\xff\xff",
	"\xa1\x43raw\x82\xfa\x7f\x7f\xff\xff\xf9\x80\x00",
	"\xa1\x46labels\xa2\x41k\x41a\x41k\x41b", "\xa1\x46labels\xa1\x41k\x01",
	"\xa1\x45ratio\x1b\xff\xff\xff\xff\xff\xff\xff\xff", "\xa1\x45ratio\xf9\x7e\x00", "\xa1\x41x\xf7",
	"\xa1\x41x\xd9\xd9\xf7\xa0", "\xa1\x41x\xd6\xf6",
	"\xa1\x01\x02", "\xa1\xd6\x41a\x41a", "\xa1\x41\xff\x41a", "\xa1\x41a\x49\xc3\xa9aaaaaaa",
	"\xa1\x41a\x49aaaaaaaa\xff", "\xa1\x41a\x43\xffab", "\x80", "\x01", "\xa1\x41a",
	"\xa1\x41a\x9b\xff\xff\xff\xff\xff\xff\xff\xff",
	"\xa1\x45parts\x82\xa1\x44size\x3b\x7f\xff\xff\xff\xff\xff\xff\xff\xf6", "\xa1\x45extra\x81\x81\x81\x81\x01",
	"\xa1\x44args\x80", "\xa1\x44args\x82\x41<\xf6",
}

// TestFastEqualsPlain checks that items read without a text give the same as those read by way of
// one.
func TestFastEqualsPlain(t *testing.T) {
	t.Parallel()
	if plain.Enabled {
		t.Skip("no item goes the fast way")
	}
	fast := 0
	for _, text := range fastTexts {
		if checkFast(t, []byte(text)) {
			fast++
		}
	}
	if fast < len(fastTexts)/2 {
		t.Errorf("%d of %d texts go the fast way, which makes this test a weak one", fast, len(fastTexts))
	}
	k := sample.Kind(t)
	whole, err := cbor.Format().Append(nil, k, large(), format.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !checkFast(t, whole) {
		t.Error("what is written does not go the fast way")
	}
	for cut := range whole {
		checkFast(t, whole[:cut])
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 3))
	for range 4000 {
		mutated := bytes.Clone(whole)
		if rnd.IntN(2) == 0 {
			mutated = []byte(fastTexts[rnd.IntN(len(fastTexts))])
		}
		for range 1 + rnd.IntN(3) {
			mutated[rnd.IntN(len(mutated))] = byte(rnd.Uint32())
		}
		checkFast(t, mutated)
	}
}

// FuzzFast is [TestFastEqualsPlain] for any bytes.
func FuzzFast(f *testing.F) {
	for _, text := range fastTexts {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) { checkFast(t, data) })
}
