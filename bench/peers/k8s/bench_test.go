package k8s_test

import (
	"bytes"
	"os"
	"reflect"
	"testing"

	kcorev1 "k8s.io/api/core/v1"
	kruntime "k8s.io/apimachinery/pkg/runtime"
	kserializer "k8s.io/apimachinery/pkg/runtime/serializer"

	"github.com/askind/askind/k8s/corev1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/json"
	"github.com/askind/askind/wire/jsonwire"
)

// bench is a pod of about ten kilobytes, as a cluster holds it, with the means of both libraries.
type bench struct {
	data         []byte
	pod          *kcorev1.Pod
	factory      *serializer.Factory
	peer, strict kruntime.Serializer
}

func newBench(t testing.TB) *bench {
	t.Helper()
	b := &bench{}
	var err error
	if b.data, err = os.ReadFile("testdata/pod.json"); err != nil {
		t.Fatal(err)
	}
	s, err := runtime.NewScheme(corev1.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	if b.factory, err = serializer.NewFactory(s, json.Format()); err != nil {
		t.Fatal(err)
	}
	ks := kruntime.NewScheme()
	if err := kcorev1.AddToScheme(ks); err != nil {
		t.Fatal(err)
	}
	info, ok := kruntime.SerializerInfoForMediaType(kserializer.NewCodecFactory(ks).SupportedMediaTypes(),
		kruntime.ContentTypeJSON)
	if !ok {
		t.Fatal("the peer has no JSON")
	}
	b.peer, b.strict = info.Serializer, info.StrictSerializer
	if b.pod, err = serializer.Decode[kcorev1.Pod](b.factory, b.data,
		serializer.DecodeOptions{Strictness: serializer.FailOnProblems}); err != nil {
		t.Fatal(err)
	}
	return b
}

// TestBenchmarkedPod checks that what the benchmarks compare is the same.
func TestBenchmarkedPod(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	peer, _, err := b.strict.Decode(b.data, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(b.pod, peer) {
		t.Errorf("decoded differently:\n got %+v\nwant %+v", b.pod, peer)
	}
	var want bytes.Buffer
	if err := b.peer.Encode(peer, &want); err != nil {
		t.Fatal(err)
	}
	got, err := b.factory.Append(nil, b.pod, serializer.EncodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want.Bytes()) {
		t.Errorf("encoded differently:\n got %s\nwant %s", got, want.Bytes())
	}
}

// TestPodAllocates checks how often decoding and encoding allocate. It is not parallel, because
// allocations are counted for the whole process.
func TestPodAllocates(t *testing.T) {
	b := newBench(t)
	o := serializer.DecodeOptions{MediaType: "application/json"}
	for _, strictness := range []serializer.Strictness{serializer.IgnoreProblems, serializer.FailOnProblems} {
		o.Strictness = strictness
		if n := testing.AllocsPerRun(100, func() { _, _ = b.factory.Decode(b.data, o) }); n > 80 {
			t.Errorf("decoding with strictness %d allocates %v times", strictness, n)
		}
	}
	var dst []byte
	if n := testing.AllocsPerRun(100, func() {
		dst, _ = b.factory.Append(dst[:0], b.pod,
			serializer.EncodeOptions{})
	}); n > 0 {
		t.Errorf("encoding allocates %v times", n)
	}
}

// BenchmarkPod compares with the serializers of a Kubernetes codec factory:
//
//	go test ./k8s -run '^$' -bench Pod -count 6
func BenchmarkPod(b *testing.B) {
	p := newBench(b)
	decode := func(o serializer.DecodeOptions) func(*testing.B) {
		return p.run(func() error {
			_, err := p.factory.Decode(p.data, o)
			return err
		})
	}
	peerDecode := func(s kruntime.Serializer) func(*testing.B) {
		return p.run(func() error {
			_, _, err := s.Decode(p.data, nil, nil)
			return err
		})
	}
	jsonType := "application/json"
	b.Run("decode/askind", decode(serializer.DecodeOptions{MediaType: jsonType}))
	b.Run("decode/kubernetes", peerDecode(p.peer))
	b.Run("strict/askind", decode(serializer.DecodeOptions{MediaType: jsonType, Strictness: serializer.FailOnProblems}))
	b.Run("strict/kubernetes", peerDecode(p.strict))
	var dst []byte
	b.Run("encode/askind", p.run(func() error {
		var err error
		dst, err = p.factory.Append(dst[:0], p.pod, serializer.EncodeOptions{MediaType: jsonType})
		return err
	}))
	var buf bytes.Buffer
	b.Run("encode/kubernetes", p.run(func() error {
		buf.Reset()
		return p.peer.Encode(p.pod, &buf)
	}))
	// The generated functions alone.
	b.Run("functions/decode", p.run(func() error {
		r := jsonwire.NewReader(p.data, jsonwire.Options{})
		corev1.DecodeJSONPod(r, new(kcorev1.Pod))
		return r.Err()
	}))
	b.Run("functions/encode", p.run(func() error {
		var err error
		dst, err = corev1.AppendJSONPod(dst[:0], p.pod)
		return err
	}))
}

func (p *bench) run(op func() error) func(*testing.B) {
	return func(b *testing.B) {
		b.SetBytes(int64(len(p.data)))
		b.ReportAllocs()
		for b.Loop() {
			if err := op(); err != nil {
				b.Fatal(err)
			}
		}
	}
}
