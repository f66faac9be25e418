package k8s_test

import (
	"bytes"
	"testing"

	kcorev1 "k8s.io/api/core/v1"
	kruntime "k8s.io/apimachinery/pkg/runtime"
	kcbor "k8s.io/apimachinery/pkg/runtime/serializer/cbor"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor/direct"

	"github.com/askind/askind/k8s/corev1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/cbor"
)

// BenchmarkPodCBOR compares with the CBOR serializer of Kubernetes:
//
//	go test ./k8s -run '^$' -bench PodCBOR -count 6
func BenchmarkPodCBOR(b *testing.B) {
	p := newBench(b)
	s, err := runtime.NewScheme(corev1.AddTo)
	if err != nil {
		b.Fatal(err)
	}
	if p.factory, err = serializer.NewFactory(s, cbor.Format()); err != nil {
		b.Fatal(err)
	}
	if p.data, err = p.factory.Append(nil, p.pod, serializer.EncodeOptions{}); err != nil {
		b.Fatal(err)
	}
	ks := kruntime.NewScheme()
	if err := kcorev1.AddToScheme(ks); err != nil {
		b.Fatal(err)
	}
	peer := kcbor.NewSerializer(ks, ks)
	b.Run("decode/askind", p.run(func() error {
		_, err := p.factory.Decode(p.data)
		return err
	}))
	b.Run("decode/kubernetes", p.run(func() error {
		_, _, err := peer.Decode(p.data, nil, nil)
		return err
	}))
	b.Run("decode/fxamacker", p.run(func() error { return direct.Unmarshal(p.data, new(kcorev1.Pod)) }))
	var dst []byte
	b.Run("encode/askind", p.run(func() error {
		var err error
		dst, err = p.factory.Append(dst[:0], p.pod, serializer.EncodeOptions{})
		return err
	}))
	var buf bytes.Buffer
	b.Run("encode/kubernetes", p.run(func() error {
		buf.Reset()
		return peer.Encode(p.pod, &buf)
	}))
}
