package etcd_test

import (
	"fmt"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/askind/askind/store"
)

// BenchmarkReplicas writes through one of several replicas until all of them have seen the write.
// The processor time is that of etcd, which has one member in this process, and of all replicas.
func BenchmarkReplicas(b *testing.B) {
	for n := 1; n <= 5; n++ {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			all := replicas(b, startCluster(b, 1, nil), n)
			key := store.Key{Namespace: "default", Name: "a"}
			begin := processorTime(b)
			for i := range b.N {
				written, err := set(b.Context(), all[0], "a", i)
				if err != nil {
					b.Fatal(err)
				}
				var reading sync.WaitGroup
				for _, r := range all[1:] {
					reading.Go(func() {
						how := store.GetOptions{ResourceVersion: written.ResourceVersion()}
						if _, err := r.Get(b.Context(), key, how); err != nil {
							b.Error(err)
						}
					})
				}
				reading.Wait()
			}
			b.ReportMetric(float64((processorTime(b)-begin).Microseconds())/float64(b.N), "cpu-µs/write")
		})
	}
}

// processorTime returns that of the process, which other programs do not disturb.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
