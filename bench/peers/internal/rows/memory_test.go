package rows

import (
	"runtime"
	"testing"

	corev1 "k8s.io/api/core/v1"
	kschema "k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/askind/askind/bench/peers/internal/kubedata"
	"github.com/askind/askind/conversion"
	"github.com/askind/askind/serializer"
)

// manyPods are enough to see what varies from one to the next.
const manyPods = 250

func clusterPods() []*corev1.Pod {
	pods := make([]*corev1.Pod, manyPods)
	for i := range pods {
		pods[i] = kubedata.ClusterPod(i)
	}
	return pods
}

// TestKept bounds the memory that decoded pods keep, whole and if only one short string of each is
// kept, as an index by name does. The pods differ, and what they were decoded from is dropped.
func TestKept(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second")
	}
	w, err := newWorld()
	if err != nil {
		t.Fatal(err)
	}
	pods := clusterPods()
	for _, f := range []struct {
		mediaType string
		whole     float64 // relative to a pod of theirs
	}{
		{"application/json", 1.1},
		{"application/vnd.kubernetes.protobuf", 1.05},
		{"application/cbor", 1.2},
	} {
		var texts [][]byte
		for _, pod := range pods {
			text, err := w.ours.Append(nil, pod, serializer.EncodeOptions{MediaType: f.mediaType})
			if err != nil {
				t.Fatal(err)
			}
			texts = append(texts, text)
		}
		kept := func(decode func([]byte) (any, error), part func(*corev1.Pod) any) float64 {
			list := make([]any, len(texts))
			before := heap()
			for i, text := range texts {
				obj, err := decode(text)
				if err != nil {
					t.Fatal(err)
				}
				list[i] = part(obj.(*corev1.Pod))
			}
			after := heap()
			clear(list)
			runtime.KeepAlive(texts)
			return (after - before) / manyPods
		}
		decoder := w.codecs.DecoderToVersion(w.serializers(f.mediaType).Serializer,
			kschema.GroupVersion(podKind.GroupVersion()))
		ours := func(text []byte) (any, error) {
			return w.ours.Decode(text, serializer.DecodeOptions{MediaType: f.mediaType, Default: true})
		}
		theirs := func(text []byte) (any, error) {
			obj, _, err := decoder.Decode(text, nil, nil)
			return obj, err
		}
		whole := func(pod *corev1.Pod) any { return pod }
		kept(ours, whole) // fills the pools
		kept(theirs, whole)
		own, peer := kept(ours, whole), kept(theirs, whole)
		name := kept(ours, func(pod *corev1.Pod) any { return pod.Name })
		t.Logf("%s: a pod keeps %.0f bytes, theirs %.0f, and its name %.0f", f.mediaType, own, peer, name)
		if own > f.whole*peer {
			t.Errorf("%s: a pod keeps %.2f times what theirs keeps, the budget is %.2f", f.mediaType, own/peer, f.whole)
		}
		if name > 1400 { // a block of 1 KiB, the header of the string, and what the pools took meanwhile
			t.Errorf("%s: the name of a pod keeps %.0f bytes", f.mediaType, name)
		}
	}
}

// TestLongLists bounds what lists of 5,000 pods take that are written to a connection. The rows of
// these lists are too slow to be measured in each build; their ratios are those of 500 pods or a
// little less.
func TestLongLists(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second or two")
	}
	w, err := newWorld()
	if err != nil {
		t.Fatal(err)
	}
	list := &corev1.PodList{}
	list.ResourceVersion = listVersion
	pods := clusterPods()
	for range 5000 / manyPods {
		for _, pod := range pods {
			list.Items = append(list.Items, *pod)
		}
	}
	check := func(name string, allocations float64, send func(c *connection) error) {
		var err error
		got := testing.AllocsPerRun(1, func() { err = send(new(connection)) })
		peak, failed := weigh(send)
		if err != nil || failed != nil {
			t.Fatal(err, failed)
		}
		t.Logf("%s: %.0f allocations, %.0f bytes of heap", name, got, peak)
		if got > allocations {
			t.Errorf("%s: %.0f allocations, the budget is %.0f", name, got, allocations)
		}
		if peak > maxHeap {
			t.Errorf("%s: %.0f bytes of heap, the budget is %d", name, peak, maxHeap)
		}
	}
	const text, binary = "application/json", "application/vnd.kubernetes.protobuf"
	for mediaType, allocations := range map[string]float64{text: 2600, binary: 3450, "application/cbor": 2100} {
		o := serializer.EncodeOptions{MediaType: mediaType, Version: podListKind.GroupVersion()}
		check("write-list "+mediaType, allocations, func(c *connection) error { return w.ours.Encode(c, list, o) })
	}
	for _, f := range [][2]string{{binary, text}, {binary, binary}, {text, text}} {
		var stored [][]byte
		for _, pod := range pods {
			data, err := w.ours.Append(nil, pod, serializer.EncodeOptions{MediaType: f[0]})
			if err != nil {
				t.Fatal(err)
			}
			stored = append(stored, data)
		}
		for len(stored) < 5000 {
			stored = append(stored, stored[:manyPods]...)
		}
		rep, err := w.ours.Negotiate([]string{f[1] + ";as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"},
			serializer.Offer{Kind: podListKind})
		if err != nil {
			t.Fatal(err)
		}
		rep = rep.With(conversion.ScopeOptions{Now: now})
		check("write-projected "+f[0]+" "+f[1], 60, func(c *connection) error {
			o := serializer.DecodeOptions{MediaType: f[0]}
			_, err := rep.EncodeProjected(c, &corev1.PodList{}, yielded(stored), o)
			return err
		})
	}
}
