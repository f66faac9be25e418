package rows

import (
	"fmt"
	"slices"

	"google.golang.org/protobuf/proto"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kruntime "k8s.io/apimachinery/pkg/runtime"

	"github.com/askind/askind/bench/peers/internal/compare"
	"github.com/askind/askind/bench/peers/internal/kubeproto"
)

// messageLibrary is a library that reads and writes the messages of package kubeproto.
type messageLibrary struct {
	name      string
	unmarshal func([]byte, *kubeproto.Pod) error
	marshal   func([]byte, *kubeproto.Pod) ([]byte, error)
	clone     func(*kubeproto.Pod) *kubeproto.Pod
}

// generatedMessages are the libraries whose code is not committed: vtprotobuf, with its build tag.
var generatedMessages []messageLibrary

func messageLibraries() []messageLibrary {
	return append([]messageLibrary{
		{
			name:      "protobuf-go",
			unmarshal: func(data []byte, out *kubeproto.Pod) error { return proto.Unmarshal(data, out) },
			marshal: func(dst []byte, in *kubeproto.Pod) ([]byte, error) {
				return proto.MarshalOptions{Deterministic: true}.MarshalAppend(dst, in)
			},
			clone: func(in *kubeproto.Pod) *kubeproto.Pod { return proto.Clone(in).(*kubeproto.Pod) },
		},
	}, generatedMessages...)
}

// Missing returns what is not measured in this build and how to measure it, blank if there is
// nothing.
func Missing() string {
	if len(generatedMessages) > 0 {
		return ""
	}
	return "without vtprotobuf, whose code is not committed: go generate ./internal/kubeproto, then build with " +
		"-tags vtprotobuf"
}

// The notes of these libraries.
const (
	bareMessage   = "the message without the envelope, the kind and the defaults around it"
	anyOrder      = bareMessage + "; compared by content"
	messageCopies = "copies the message of the same content"
)

// functionsRead and functionsWrite are the functions that Kubernetes generates for a pod, without
// the codec of apimachinery around them.
func (w *world) functionsRead(s *sample) compare.Subject {
	return compare.Subject{Name: "k8s.io/api", Note: bareMessage, Prepare: func() (compare.Work, error) {
		data, err := s.object().(*corev1.Pod).Marshal()
		stated := metav1.TypeMeta{APIVersion: podKind.APIVersion(), Kind: podKind.Kind}
		return decoding(data, func(data []byte) (any, error) {
			pod := &corev1.Pod{TypeMeta: stated}
			return pod, pod.Unmarshal(data)
		}), err
	}}
}

func (w *world) functionsWrite(s *sample) compare.Subject {
	return compare.Subject{Name: "k8s.io/api", Note: anyOrder, Same: samePod, Prepare: func() (compare.Work, error) {
		pod := s.object().(*corev1.Pod)
		return encoding(func(dst []byte) ([]byte, error) {
			size := pod.Size()
			dst = slices.Grow(dst, size)
			n, err := pod.MarshalToSizedBuffer(dst[:size])
			return dst[:n], err
		})
	}}
}

// bare returns the message inside the envelope of Kubernetes.
func bare(data []byte) ([]byte, error) {
	if len(data) < 4 {
		return nil, fmt.Errorf("%d bytes are not an envelope", len(data))
	}
	var u kruntime.Unknown
	err := u.Unmarshal(data[4:])
	return u.Raw, err
}

// asPod is what the bytes of a message look like to the referee of objects.
func asPod(message []byte) ([]byte, error) {
	var pod corev1.Pod
	if err := pod.Unmarshal(message); err != nil {
		return nil, err
	}
	pod.APIVersion, pod.Kind = podKind.APIVersion(), podKind.Kind
	return seen(&pod)
}

// samePod compares an envelope of ours with a bare message by their content.
func samePod(ours, theirs []byte) error {
	message, err := bare(ours)
	if err != nil {
		return err
	}
	return sameAs(message, theirs, asPod)
}

// message reads the sample as a message.
func (w *world) message(s *sample, l *messageLibrary) ([]byte, *kubeproto.Pod, error) {
	data, err := s.object().(*corev1.Pod).Marshal()
	if err != nil {
		return nil, nil, err
	}
	pod := new(kubeproto.Pod)
	return data, pod, l.unmarshal(data, pod)
}

// shownMessage is what the content of a message looks like to the referee of objects.
func shownMessage(pod *kubeproto.Pod) ([]byte, error) {
	message, err := proto.Marshal(pod)
	if err != nil {
		return nil, err
	}
	return asPod(message)
}

func (w *world) messageReads(s *sample, l messageLibrary) compare.Subject {
	return compare.Subject{Name: l.name, Note: bareMessage, Prepare: func() (compare.Work, error) {
		data, _, err := w.message(s, &l)
		out := resulting(func() (*kubeproto.Pod, error) {
			pod := new(kubeproto.Pod)
			return pod, l.unmarshal(data, pod)
		}, shownMessage)
		out.Size = len(data)
		return out, err
	}}
}

func (w *world) messageWrites(s *sample, l messageLibrary) compare.Subject {
	return compare.Subject{Name: l.name, Note: anyOrder, Same: samePod, Prepare: func() (compare.Work, error) {
		_, pod, err := w.message(s, &l)
		if err != nil {
			return compare.Work{}, err
		}
		return encoding(func(dst []byte) ([]byte, error) { return l.marshal(dst, pod) })
	}}
}

func (w *world) messageCopies(s *sample, l messageLibrary) compare.Subject {
	return compare.Subject{Name: l.name, Note: messageCopies, Prepare: func() (compare.Work, error) {
		_, pod, err := w.message(s, &l)
		return resulting(func() (*kubeproto.Pod, error) { return l.clone(pod), nil }, shownMessage), err
	}}
}
