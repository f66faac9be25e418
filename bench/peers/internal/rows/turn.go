package rows

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/askind/askind/bench/peers/internal/compare"
	"github.com/askind/askind/bench/peers/internal/kubedata"
)

// different is how many objects the rows have that take many in turn.
const different = 256

// turnRows read and write the pods of a cluster one after the other, so that none is like the one
// before, and none is in the caches nearest to the processor. They are written to a connection.
func turnRows(w *world) []*compare.Row {
	var pods []sample
	for i := range different {
		pods = append(pods, of[corev1.Pod](fmt.Sprintf("pod %d", i), podKind, kubedata.ClusterPod, i))
	}
	var out []*compare.Row
	for _, format := range []string{"json", "yaml", "protobuf", "cbor"} {
		row := func(operation string, subjects ...func(s *sample, mediaType string) compare.Subject) {
			r := newRow("Many pods in turn", operation+"/"+format+"/pods-in-turn")
			for _, subject := range subjects {
				r.Subjects = append(r.Subjects, inTurn(pods, func(s *sample) compare.Subject {
					return subject(s, mediaTypes[format])
				}))
			}
			out = append(out, r)
		}
		reads := func(s *sample, mediaType string) compare.Subject { return w.oursReads(s, mediaType, false) }
		theirReads := func(s *sample, mediaType string) compare.Subject { return w.kubeReads(s, mediaType, false) }
		row("decode", reads, theirReads)
		row("encode", w.oursSends, w.kubeSends)
	}
	return out
}

// inTurn returns a subject that does one piece of work after the other, and begins anew after the
// last.
func inTurn(samples []sample, subject func(*sample) compare.Subject) compare.Subject {
	out := subject(&samples[0])
	out.Prepare = func() (compare.Work, error) {
		var all []compare.Work
		size := 0
		for i := range samples {
			s := subject(&samples[i])
			one, err := s.Prepare()
			if err != nil {
				return one, err
			}
			all, size = append(all, one), size+one.Size
		}
		next := 0
		return compare.Work{
			Size:  size / len(all),
			Cycle: len(all),
			Run: func() error {
				next = (next + 1) % len(all)
				return all[next].Run()
			},
			Result: func() (out []byte, err error) {
				for i := range all {
					if err := all[i].Run(); err != nil {
						return nil, err
					}
					one, err := all[i].Result()
					if err != nil {
						return nil, err
					}
					out = append(append(out, one...), '\n')
				}
				return out, nil
			},
			Forget: func() {
				for i := range all {
					if all[i].Forget != nil {
						all[i].Forget()
					}
				}
			},
		}, nil
	}
	return out
}
