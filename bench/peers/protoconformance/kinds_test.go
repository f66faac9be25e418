package protoconformance

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	peerresource "k8s.io/apimachinery/pkg/api/resource"
	peerv1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	peerruntime "k8s.io/apimachinery/pkg/runtime"
	peerintstr "k8s.io/apimachinery/pkg/util/intstr"

	"github.com/askind/askind/meta/intstr"
	"github.com/askind/askind/meta/resource"
	v1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/wire/pbwire"
)

// peer is what the peer's generated types can do.
type peer interface {
	Marshal() ([]byte, error)
	Unmarshal([]byte) error
}

// pair is a type of ours and the peer's type of the same meaning.
type pair struct {
	name   string
	theirs func() peer
	ours   func() any
	write  func(w *pbwire.Writer, in any)
	read   func(r *pbwire.Reader, out any)
}

func of[Theirs, Ours any, P interface {
	*Theirs
	peer
}](write func(*pbwire.Writer, *Ours), read func(*pbwire.Reader, *Ours),
) pair {
	return pair{
		name: reflect.TypeFor[Ours]().Name(), theirs: func() peer { return P(new(Theirs)) },
		ours:  func() any { return new(Ours) },
		write: func(w *pbwire.Writer, in any) { write(w, in.(*Ours)) },
		read:  func(r *pbwire.Reader, out any) { read(r, out.(*Ours)) },
	}
}

func pairs() []pair {
	return []pair{
		of[peerv1.Time](v1.PrependProtoTime, v1.DecodeProtoTime),
		of[peerv1.MicroTime](v1.PrependProtoMicroTime, v1.DecodeProtoMicroTime),
		of[peerv1.Duration](v1.PrependProtoDuration, v1.DecodeProtoDuration),
		of[peerv1.FieldsV1](v1.PrependProtoFieldsV1, v1.DecodeProtoFieldsV1),
		of[peerresource.Quantity](resource.PrependProtoQuantity, resource.DecodeProtoQuantity),
		of[peerintstr.IntOrString](intstr.PrependProtoIntOrString, intstr.DecodeProtoIntOrString),
		of[peerruntime.RawExtension](runtime.PrependProtoRawExtension, runtime.DecodeProtoRawExtension),
		of[peerv1.TypeMeta](v1.PrependProtoTypeMeta, v1.DecodeProtoTypeMeta),
		of[peerv1.ObjectMeta](v1.PrependProtoObjectMeta, v1.DecodeProtoObjectMeta),
		of[peerv1.ListMeta](v1.PrependProtoListMeta, v1.DecodeProtoListMeta),
		of[peerv1.OwnerReference](v1.PrependProtoOwnerReference, v1.DecodeProtoOwnerReference),
		of[peerv1.ManagedFieldsEntry](v1.PrependProtoManagedFieldsEntry, v1.DecodeProtoManagedFieldsEntry),
		of[peerv1.LabelSelector](v1.PrependProtoLabelSelector, v1.DecodeProtoLabelSelector),
		of[peerv1.Condition](v1.PrependProtoCondition, v1.DecodeProtoCondition),
		of[peerv1.Status](v1.PrependProtoStatus, v1.DecodeProtoStatus),
		of[peerv1.ListOptions](v1.PrependProtoListOptions, v1.DecodeProtoListOptions),
		of[peerv1.GetOptions](v1.PrependProtoGetOptions, v1.DecodeProtoGetOptions),
		of[peerv1.CreateOptions](v1.PrependProtoCreateOptions, v1.DecodeProtoCreateOptions),
		of[peerv1.UpdateOptions](v1.PrependProtoUpdateOptions, v1.DecodeProtoUpdateOptions),
		of[peerv1.PatchOptions](v1.PrependProtoPatchOptions, v1.DecodeProtoPatchOptions),
		of[peerv1.DeleteOptions](v1.PrependProtoDeleteOptions, v1.DecodeProtoDeleteOptions),
		of[peerv1.TableOptions](v1.PrependProtoTableOptions, v1.DecodeProtoTableOptions),
		of[peerv1.List](v1.PrependProtoList, v1.DecodeProtoList),
		of[peerv1.WatchEvent](v1.PrependProtoWatchEvent, v1.DecodeProtoWatchEvent),
		of[peerv1.PartialObjectMetadata](v1.PrependProtoPartialObjectMetadata, v1.DecodeProtoPartialObjectMetadata),
		of[peerv1.PartialObjectMetadataList](v1.PrependProtoPartialObjectMetadataList,
			v1.DecodeProtoPartialObjectMetadataList),
		of[autoscalingv1.Scale](v1.PrependProtoScale, v1.DecodeProtoScale),
		of[peerv1.APIVersions](v1.PrependProtoAPIVersions, v1.DecodeProtoAPIVersions),
		of[peerv1.APIGroup](v1.PrependProtoAPIGroup, v1.DecodeProtoAPIGroup),
		of[peerv1.APIGroupList](v1.PrependProtoAPIGroupList, v1.DecodeProtoAPIGroupList),
		of[peerv1.APIResource](v1.PrependProtoAPIResource, v1.DecodeProtoAPIResource),
		of[peerv1.APIResourceList](v1.PrependProtoAPIResourceList, v1.DecodeProtoAPIResourceList),
	}
}

// TestKinds reads what the peer has written, writes the same bytes, and means the same by them.
func TestKinds(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	for i, p := range pairs() {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			f := filler{rand.New(rand.NewPCG(seed, uint64(i)))}
			for n := range 500 {
				theirs := p.theirs()
				if n > 0 { // the first one is the zero value
					f.fill(reflect.ValueOf(theirs).Elem())
				}
				want, err := theirs.Marshal()
				if err != nil {
					t.Fatal(err)
				}
				ours := p.ours()
				r := pbwire.NewReader(want, pbwire.Options{Strict: true})
				p.read(r, ours)
				if problems := r.Problems(); len(problems) > 0 {
					t.Fatalf("decoding %x: %v", want, problems)
				}
				w := pbwire.NewWriter(nil)
				p.write(w, ours)
				if got := w.Bytes(); w.Err() != nil || !bytes.Equal(got, want) {
					t.Fatalf("written otherwise (%v):\n got %x\nwant %x", w.Err(), got, want)
				}
				back := p.theirs()
				if err := back.Unmarshal(w.Bytes()); err != nil {
					t.Fatalf("the peer cannot read %x: %v", w.Bytes(), err)
				}
				w.Measure()
				p.write(w, ours)
				if w.Len() != len(want) {
					t.Fatalf("measured %d bytes, want %d", w.Len(), len(want))
				}
				sameJSON(t, ours, back)

				// A value of ours, made from the peer's without protobuf in between, gives the same
				// bytes too.
				text, err := json.Marshal(back)
				if err != nil {
					t.Fatal(err)
				}
				fresh := p.ours()
				if err := json.Unmarshal(text, fresh); err != nil {
					t.Fatalf("%v in %s", err, text)
				}
				if p.name == "WatchEvent" || p.name == "List" || p.name == "RawExtension" || p.name == "MicroTime" ||
					p.name == "IntOrString" {
					continue // JSON cannot tell nil from null, years beyond 9999, and which field of a value is unused
				}
				w.Reset(nil)
				p.write(w, fresh)
				again, err := fromJSON(p, text)
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(w.Bytes(), again) {
					t.Fatalf("from %s:\n got %x\nwant %x", text, w.Bytes(), again)
				}
			}
		})
	}
}

// fromJSON is what the peer writes after reading a text.
func fromJSON(p pair, text []byte) ([]byte, error) {
	theirs := p.theirs()
	if err := json.Unmarshal(text, theirs); err != nil {
		return nil, err
	}
	return theirs.Marshal()
}

func sameJSON(t *testing.T, ours, theirs any) {
	t.Helper()
	got, err := json.Marshal(ours)
	if err != nil {
		t.Fatal(err)
	}
	want, err := json.Marshal(theirs)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Fatalf("read otherwise:\n got %s\nwant %s", got, want)
	}
}

// filler fills values of the peer's types with random content.
type filler struct{ *rand.Rand }

func (f filler) word() string {
	words := []string{
		"", "a", "kube-system", "app.kubernetes.io/name", "größe", "日本", "a<b>&c", "line\nbreak",
		"\x00\x7f", "a text that is longer than a hundred and twenty-seven bytes, so that its length takes two bytes: a text that is longer than a hundred and twenty-seven bytes",
	}
	return words[f.IntN(len(words))]
}

func (f filler) time() time.Time {
	const first, last = -62135596800, 253402300799 // from year 1 to 9999
	return time.Unix(first+1+f.Int64N(last-first-2*86400), f.Int64N(1e9))
}

func (f filler) fill(v reflect.Value) {
	switch x := v.Addr().Interface().(type) {
	case *peerv1.Time:
		if f.IntN(4) > 0 {
			x.Time = f.time()
		}
		return
	case *peerv1.MicroTime:
		x.Time = f.time()
		return
	case *peerruntime.RawExtension:
		x.Raw = [][]byte{nil, []byte(`{"kind":"A"}`), []byte(`[1,2]`)}[f.IntN(3)]
		return
	case *peerv1.FieldsV1:
		x.SetRawBytes([][]byte{[]byte(`{}`), []byte(`{"f:a":{}}`)}[f.IntN(2)])
		return
	case *peerresource.Quantity:
		*x = peerresource.MustParse([]string{
			"0", "1", "-1500m", "1Gi", "3e9", "0.5",
			"999999999999999999999",
		}[f.IntN(7)])
		return
	case *peerintstr.IntOrString:
		*x = []peerintstr.IntOrString{{}, peerintstr.FromInt32(f.Int32()), peerintstr.FromString("50%")}[f.IntN(3)]
		return
	case *peerv1.TypeMeta:
		if f.IntN(2) == 0 {
			return
		}
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(f.word())
	case reflect.Bool:
		v.SetBool(f.IntN(2) == 0)
	case reflect.Int32, reflect.Int64:
		v.SetInt([]int64{0, 1, -1, f.Int64() >> (64 - v.Type().Bits())}[f.IntN(4)])
	case reflect.Pointer:
		if f.IntN(3) > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			f.fill(v.Elem())
		}
	case reflect.Slice:
		if n := f.IntN(4) - 1; n >= 0 {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
			for i := range n {
				f.fill(v.Index(i))
			}
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range f.IntN(5) {
			key, elem := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			key.SetString(f.word())
			f.fill(elem)
			v.SetMapIndex(key, elem)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f.fill(v.Field(i))
		}
	default:
		panic("BUG: no filling for " + v.Type().String())
	}
}
