package k8s_test

import (
	"testing"

	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/protobuf"
)

func TestZZAlloc(t *testing.T) {
	p := newProtoBench(t)
	o := serializer.DecodeOptions{MediaType: protobuf.MediaType}
	t.Log(testing.AllocsPerRun(200, func() { p.factory.Decode(p.data, o) }))
	var dst []byte
	t.Log(testing.AllocsPerRun(200, func() {
		dst, _ = p.factory.Append(dst[:0], p.pod, serializer.EncodeOptions{MediaType: protobuf.MediaType})
	}))
}
