package conformance

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"testing"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	peerv1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/wire/jsonwire"
)

// pair is a type of ours and the peer's type of the same meaning.
type pair struct {
	name         string
	ours, theirs reflect.Type
	appendJSON   func(dst []byte, in any) ([]byte, error)
	decodeJSON   func(r *jsonwire.Reader, out any)
}

// of makes a pair of the types and of the package functions that write and read ours.
func of[Theirs, Ours any](appendJSON func([]byte, *Ours) ([]byte, error),
	decodeJSON func(*jsonwire.Reader, *Ours),
) pair {
	return pair{
		name: reflect.TypeFor[Ours]().Name(), ours: reflect.TypeFor[Ours](), theirs: reflect.TypeFor[Theirs](),
		appendJSON: func(dst []byte, in any) ([]byte, error) { return appendJSON(dst, in.(*Ours)) },
		decodeJSON: func(r *jsonwire.Reader, out any) { decodeJSON(r, out.(*Ours)) },
	}
}

// decode reads a whole text strictly.
func (p pair) decode(text []byte, out any) []jsonwire.Problem {
	r := jsonwire.NewReader(text, jsonwire.Options{Strict: true})
	p.decodeJSON(r, out)
	r.End()
	return r.Problems()
}

// TestFieldTables compares the names, the order and the options of all fields, and their protobuf
// numbers.
func TestFieldTables(t *testing.T) {
	t.Parallel()
	for _, p := range pairs() {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			compareFields(t, p.name, p.ours, p.theirs, map[reflect.Type]bool{})
		})
	}
}

func compareFields(t *testing.T, path string, ours, theirs reflect.Type, seen map[reflect.Type]bool) {
	for ours.Kind() == reflect.Pointer || ours.Kind() == reflect.Slice || ours.Kind() == reflect.Map {
		if ours.Kind() != theirs.Kind() {
			break
		}
		ours, theirs = ours.Elem(), theirs.Elem()
	}
	if ours.Kind() != theirs.Kind() {
		t.Errorf("%s: %s, peer's %s", path, ours, theirs)
		return
	}
	if ours.Kind() != reflect.Struct || seen[ours] || ours.Implements(reflect.TypeFor[json.Marshaler]()) {
		return
	}
	seen[ours] = true
	mine, others := fieldsOf(ours), fieldsOf(theirs)
	// These have fields of ours behind those of the peer, with numbers that leave the peer room.
	if path == "TableOptions" || path == "APIVersions" {
		for _, f := range mine[min(len(others), len(mine)):] {
			if n, err := strconv.Atoi(f.number); err != nil || n <= 100 || !strings.HasSuffix(f.json, ",omitempty") {
				t.Errorf("%s.%s: json tag %q, protobuf number %q", path, f.Name, f.json, f.number)
			}
		}
		mine = mine[:min(len(others), len(mine))]
	}
	if len(mine) != len(others) {
		t.Errorf("%s: %d fields, peer's %d", path, len(mine), len(others))
		return
	}
	for i, f := range mine {
		g := others[i]
		at := path + "." + f.Name
		if f.json != g.json {
			t.Errorf("%s: json tag %q, peer's %q", at, f.json, g.json)
		}
		if f.number != g.number {
			t.Errorf("%s: protobuf number %q, peer's %q", at, f.number, g.number)
		}
		if f.Anonymous != g.Anonymous || f.Name != g.Name && path != "TableRowCondition" {
			t.Errorf("%s: embedded %v, peer's %s embedded %v", at, f.Anonymous, g.Name, g.Anonymous)
		}
		compareFields(t, at, f.Type, g.Type, seen)
	}
}

type field struct {
	reflect.StructField
	json, number string
}

func fieldsOf(t reflect.Type) []field {
	var out []field
	for i := range t.NumField() {
		f := field{StructField: t.Field(i)}
		f.json = f.Tag.Get("json")
		switch f.json {
		case "-":
			continue
		case ",inline": // a word that encoding/json ignores and other tools want
			f.json = ""
		}
		if parts := strings.Split(f.Tag.Get("protobuf"), ","); len(parts) > 1 {
			f.number = parts[1]
		}
		out = append(out, f)
	}
	return out
}

// TestKinds compares the bytes of random values, written by both libraries, and those of what is
// read from them.
func TestKinds(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	for i, p := range pairs() {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			f := filler{rand.New(rand.NewPCG(seed, uint64(i)))}
			for n := range 500 {
				theirs := reflect.New(p.theirs)
				if n > 0 { // the first one is the zero value
					f.fill(theirs.Elem())
				}
				want, err := json.Marshal(theirs.Interface())
				if err != nil {
					t.Fatal(err)
				}
				ours := reflect.New(p.ours).Interface()
				if problems := p.decode(want, ours); len(problems) > 0 {
					t.Fatalf("decoding %s: %v", want, problems)
				}
				got, err := p.appendJSON([]byte("kept"), ours)
				if err != nil || !bytes.HasPrefix(got, []byte("kept")) {
					t.Fatalf("encoding %s: %v", want, err)
				}
				got = got[len("kept"):]
				if !bytes.Equal(got, want) {
					t.Fatalf("written otherwise:\n got %s\nwant %s", got, want)
				}
				slow, err := json.Marshal(ours)
				if err != nil || !bytes.Equal(slow, got) {
					t.Fatalf("encoding/json writes ours otherwise (%v):\n got %s\nwant %s", err, slow, got)
				}
			}
		})
	}
}

// TestPointerToZeroTime compares the one value that does not survive a round trip.
func TestPointerToZeroTime(t *testing.T) {
	t.Parallel()
	want, err := json.Marshal(peerv1.ObjectMeta{DeletionTimestamp: &peerv1.Time{}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := v1.AppendJSONObjectMeta(nil, &v1.ObjectMeta{DeletionTimestamp: &v1.Time{}})
	if err != nil || string(got) != string(want) {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}

func pairs() []pair {
	return []pair{
		of[peerv1.Time](v1.AppendJSONTime, v1.DecodeJSONTime),
		of[peerv1.MicroTime](v1.AppendJSONMicroTime, v1.DecodeJSONMicroTime),
		of[peerv1.FieldsV1](v1.AppendJSONFieldsV1, v1.DecodeJSONFieldsV1),
		of[peerv1.TypeMeta](v1.AppendJSONTypeMeta, v1.DecodeJSONTypeMeta),
		of[peerv1.ObjectMeta](v1.AppendJSONObjectMeta, v1.DecodeJSONObjectMeta),
		of[peerv1.ListMeta](v1.AppendJSONListMeta, v1.DecodeJSONListMeta),
		of[peerv1.OwnerReference](v1.AppendJSONOwnerReference, v1.DecodeJSONOwnerReference),
		of[peerv1.ManagedFieldsEntry](v1.AppendJSONManagedFieldsEntry, v1.DecodeJSONManagedFieldsEntry),
		of[peerv1.LabelSelector](v1.AppendJSONLabelSelector, v1.DecodeJSONLabelSelector),
		of[peerv1.Condition](v1.AppendJSONCondition, v1.DecodeJSONCondition),
		of[peerv1.Status](v1.AppendJSONStatus, v1.DecodeJSONStatus),
		of[peerv1.ListOptions](v1.AppendJSONListOptions, v1.DecodeJSONListOptions),
		of[peerv1.GetOptions](v1.AppendJSONGetOptions, v1.DecodeJSONGetOptions),
		of[peerv1.CreateOptions](v1.AppendJSONCreateOptions, v1.DecodeJSONCreateOptions),
		of[peerv1.UpdateOptions](v1.AppendJSONUpdateOptions, v1.DecodeJSONUpdateOptions),
		of[peerv1.PatchOptions](v1.AppendJSONPatchOptions, v1.DecodeJSONPatchOptions),
		of[peerv1.DeleteOptions](v1.AppendJSONDeleteOptions, v1.DecodeJSONDeleteOptions),
		of[peerv1.TableOptions](v1.AppendJSONTableOptions, v1.DecodeJSONTableOptions),
		of[peerv1.List](v1.AppendJSONList, v1.DecodeJSONList),
		of[peerv1.WatchEvent](v1.AppendJSONWatchEvent, v1.DecodeJSONWatchEvent),
		of[peerv1.Table](v1.AppendJSONTable, v1.DecodeJSONTable),
		of[peerv1.PartialObjectMetadata](v1.AppendJSONPartialObjectMetadata, v1.DecodeJSONPartialObjectMetadata),
		of[peerv1.PartialObjectMetadataList](v1.AppendJSONPartialObjectMetadataList,
			v1.DecodeJSONPartialObjectMetadataList),
		of[autoscalingv1.Scale](v1.AppendJSONScale, v1.DecodeJSONScale),
		of[peerv1.APIVersions](v1.AppendJSONAPIVersions, v1.DecodeJSONAPIVersions),
		of[peerv1.APIGroup](v1.AppendJSONAPIGroup, v1.DecodeJSONAPIGroup),
		of[peerv1.APIGroupList](v1.AppendJSONAPIGroupList, v1.DecodeJSONAPIGroupList),
		of[peerv1.APIResource](v1.AppendJSONAPIResource, v1.DecodeJSONAPIResource),
		of[peerv1.APIResourceList](v1.AppendJSONAPIResourceList, v1.DecodeJSONAPIResourceList),
	}
}
