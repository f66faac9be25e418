package rows

import (
	"fmt"
	"iter"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kruntime "k8s.io/apimachinery/pkg/runtime"

	"github.com/askind/askind/bench/peers/internal/compare"
	"github.com/askind/askind/bench/peers/internal/kubedata"
	"github.com/askind/askind/conversion"
	"github.com/askind/askind/serializer"
)

// storedPods returns the first n pods as a store has them, each encoded on its own.
func (w *world) storedPods(n int, mediaType string) ([][]byte, error) {
	out := make([][]byte, n)
	for i := range out {
		data, err := w.ours.Append(nil, kubedata.ClusterPod(i), serializer.EncodeOptions{MediaType: mediaType})
		if err != nil {
			return nil, err
		}
		out[i] = data
	}
	return out, nil
}

// yielded yields the stored objects.
func yielded(stored [][]byte) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for _, data := range stored {
			if !yield(data, nil) {
				return
			}
		}
	}
}

// listVersion is the resource version of the lists.
const listVersion = "481999999"

// projectRows are lists that are made of stored pods and shown as metadata, so that most of what is
// stored is not needed.
func projectRows(w *world) []*compare.Row {
	var out []*compare.Row
	for _, n := range []int{500, 5000} {
		out = append(out, w.projectRow(n, "protobuf", "json"), w.projectRow(n, "protobuf", "protobuf"),
			w.projectRow(n, "json", "json"))
	}
	return out
}

// projectRow lists n stored pods by their metadata. What decodes a pod does so as a server: into
// its type, with defaults where there are any.
func (w *world) projectRow(n int, from, to string) *compare.Row {
	stored := func() ([][]byte, error) { return w.storedPods(n, mediaTypes[from]) }
	row := newRow("Stored objects written to a connection as metadata",
		fmt.Sprintf("write-projected/%s-%s/pods-%d", from, to, n),
		peer(ours, with(stored, func(stored [][]byte) (compare.Work, error) {
			rep, err := w.ours.Negotiate([]string{mediaTypes[to] + ";as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"},
				serializer.Offer{Kind: podListKind})
			if err != nil {
				return compare.Work{}, err
			}
			rep = rep.With(conversion.ScopeOptions{Now: now})
			head := &corev1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: listVersion}}
			return sending(func(c *connection) error {
				how, err := rep.EncodeProjected(c, head, yielded(stored),
					serializer.DecodeOptions{MediaType: mediaTypes[from], Default: true})
				if err == nil && how.Decoded > 0 {
					err = fmt.Errorf("%d pods were decoded", how.Decoded)
				}
				return err
			})
		})),
		peer(kube, with(stored, func(stored [][]byte) (compare.Work, error) {
			decoder := w.codecs.DecoderToVersion(w.serializers(mediaTypes[from]).Serializer, corev1.SchemeGroupVersion)
			encoder := w.encoder(mediaTypes[to], metav1.SchemeGroupVersion)
			return sending(func(c *connection) error {
				list := &corev1.PodList{
					ListMeta: metav1.ListMeta{ResourceVersion: listVersion},
					Items:    make([]corev1.Pod, 0, n),
				}
				for _, data := range stored {
					obj, _, err := decoder.Decode(data, nil, nil)
					if err != nil {
						return err
					}
					list.Items = append(list.Items, *obj.(*corev1.Pod))
				}
				partial, err := metadataOf(list)
				if err != nil {
					return err
				}
				return encoder.Encode(partial, c)
			})
		})))
	if from == "protobuf" {
		row.Subjects = append(row.Subjects, w.metadataMessages(n, to, stored))
	}
	row.Heavy = n > 1000
	return row
}

// metadataMessages reads of each message what the type for metadata has, which apimachinery could
// do and does not.
func (w *world) metadataMessages(n int, to string, stored func() ([][]byte, error)) compare.Subject {
	name, note := "metadata-only", "apimachinery's message of the metadata alone, decoded from that of the pod"
	if to == "json" {
		name, note = "metadata-only+sonic", note+", encoded by sonic"
	}
	return compare.Subject{Name: name, Note: note, Prepare: with(stored, func(stored [][]byte) (compare.Work, error) {
		encoder := w.encoder(mediaTypes[to], metav1.SchemeGroupVersion)
		return sending(func(c *connection) error {
			list := &metav1.PartialObjectMetadataList{
				ListMeta: metav1.ListMeta{ResourceVersion: listVersion},
				Items:    make([]metav1.PartialObjectMetadata, n),
			}
			var u kruntime.Unknown
			for i, data := range stored {
				item := &list.Items[i]
				u.Reset()
				if err := u.Unmarshal(data[4:]); err != nil {
					return err
				}
				if err := item.Unmarshal(u.Raw); err != nil {
					return err
				}
				item.SetGroupVersionKind(metav1.SchemeGroupVersion.WithKind("PartialObjectMetadata"))
			}
			if to == "json" {
				list.SetGroupVersionKind(metav1.SchemeGroupVersion.WithKind("PartialObjectMetadataList"))
				text, err := sonicAppend(nil, list)
				if err != nil {
					return err
				}
				_, err = c.Write(text)
				return err
			}
			return encoder.Encode(list, c)
		})
	})}
}
