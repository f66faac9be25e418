package k8s_test

import (
	"bytes"
	"testing"

	kcorev1 "k8s.io/api/core/v1"
	kruntime "k8s.io/apimachinery/pkg/runtime"
	kserializer "k8s.io/apimachinery/pkg/runtime/serializer"

	"github.com/askind/askind/k8s/corev1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/protobuf"
	"github.com/askind/askind/wire/pbwire"
)

// protoBench is the pod of the other benchmarks as protobuf.
type protoBench struct {
	bench
	raw []byte // without the envelope
}

func newProtoBench(t testing.TB) *protoBench {
	t.Helper()
	p := &protoBench{bench: *newBench(t)}
	s, err := runtime.NewScheme(corev1.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	if p.factory, err = serializer.NewFactory(s, protobuf.Format()); err != nil {
		t.Fatal(err)
	}
	ks := kruntime.NewScheme()
	if err := kcorev1.AddToScheme(ks); err != nil {
		t.Fatal(err)
	}
	info, ok := kruntime.SerializerInfoForMediaType(kserializer.NewCodecFactory(ks).SupportedMediaTypes(),
		kruntime.ContentTypeProtobuf)
	if !ok {
		t.Fatal("the peer has no protobuf")
	}
	p.peer = info.Serializer
	var buf bytes.Buffer
	if err := p.peer.Encode(p.pod, &buf); err != nil {
		t.Fatal(err)
	}
	p.data = buf.Bytes()
	envelope, err := pbwire.ParseEnvelope(p.data)
	if err != nil {
		t.Fatal(err)
	}
	p.raw = envelope.Raw
	return p
}

// BenchmarkPodProto compares with the protobuf serializer of a Kubernetes codec factory, and the
// generated functions with the peer's generated methods. With GOGC=3000 it shows what is left
// without the collector:
//
//	go test ./k8s -run '^$' -bench PodProto -count 6
func BenchmarkPodProto(b *testing.B) {
	p := newProtoBench(b)
	o := serializer.DecodeOptions{MediaType: protobuf.MediaType}
	b.Run("decode/askind", p.run(func() error {
		_, err := p.factory.Decode(p.data, o)
		return err
	}))
	b.Run("decode/kubernetes", p.run(func() error {
		_, _, err := p.peer.Decode(p.data, nil, nil)
		return err
	}))
	var r pbwire.Reader
	b.Run("functions/decode/askind", p.run(func() error {
		r.Reset(p.raw, pbwire.Options{})
		corev1.DecodeProtoPod(&r, new(kcorev1.Pod))
		return r.Err()
	}))
	b.Run("functions/decode/kubernetes", p.run(func() error {
		return new(kcorev1.Pod).Unmarshal(p.raw)
	}))
	// What decoding cannot do without is the memory of the object. A copy of it, by methods that
	// both sides share, is the least that it costs.
	b.Run("memory", p.run(func() error {
		_ = p.pod.DeepCopy()
		return nil
	}))
	var dst []byte
	b.Run("encode/askind", p.run(func() error {
		var err error
		dst, err = p.factory.Append(dst[:0], p.pod, serializer.EncodeOptions{MediaType: protobuf.MediaType})
		return err
	}))
	var buf bytes.Buffer
	b.Run("encode/kubernetes", p.run(func() error {
		buf.Reset()
		return p.peer.Encode(p.pod, &buf)
	}))
	var w pbwire.Writer
	b.Run("functions/encode/askind", p.run(func() error {
		w.Reset(nil)
		corev1.PrependProtoPod(&w, p.pod)
		return w.Err()
	}))
	b.Run("functions/encode/kubernetes", p.run(func() error {
		_, err := p.pod.Marshal()
		return err
	}))
}
