//go:build vtprotobuf

package rows

import "github.com/askind/askind/bench/peers/internal/kubeproto"

func init() {
	generatedMessages = append(generatedMessages, messageLibrary{
		name:      "vtprotobuf",
		unmarshal: func(data []byte, out *kubeproto.Pod) error { return out.UnmarshalVT(data) },
		marshal: func(dst []byte, in *kubeproto.Pod) ([]byte, error) {
			n := in.SizeVT()
			if cap(dst) < n {
				dst = make([]byte, n)
			}
			written, err := in.MarshalToSizedBufferVT(dst[:n])
			return dst[n-written : n], err
		},
		clone: func(in *kubeproto.Pod) *kubeproto.Pod { return in.CloneVT() },
	})
}
