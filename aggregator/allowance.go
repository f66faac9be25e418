package aggregator

import (
	"errors"
	"io"
	"sync"
	"time"
)

// errFlood reports that a server sends more about its resources than anybody needs.
var errFlood = errors.New("the server sends too much: its lists and watches of Groups do not end")

// allowance limits how many bytes the aggregator reads from a server to learn its resources: most
// at once, and as many again in each period.
type allowance struct {
	most   int64
	period time.Duration

	mu   sync.Mutex
	left int64
	at   time.Time // when left was computed
}

func newAllowance(most int64, period time.Duration) *allowance {
	return &allowance{most: most, period: period, left: most, at: time.Now()}
}

// take counts bytes that were read, and reports whether they are allowed.
func (a *allowance) take(n int) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := time.Now()
	more := float64(a.most) * min(float64(now.Sub(a.at))/float64(a.period), 1)
	a.left, a.at = min(a.left+int64(more), a.most)-int64(n), now
	return a.left >= 0
}

// limitedBody is a response body within an allowance.
type limitedBody struct {
	io.ReadCloser
	allowed *allowance
}

// Read implements [io.Reader].
func (b limitedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if n > 0 && !b.allowed.take(n) {
		return 0, errFlood
	}
	return n, err
}
