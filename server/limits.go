package server

import (
	"sync"
	"sync/atomic"
	"time"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/server/auth"
)

// LimitSettings bound what clients can make the server do. A zero field means the default, a
// negative one no bound.
type LimitSettings struct {
	_ struct{} // literals name their fields

	// Reads and Writes are how many requests may be under way at once, watches not counted; 400 and
	// 200 by default. More are refused with 429.
	Reads, Writes int
	// Watches are how many watches there may be at once, and UserWatches how many of one user;
	// 10,000 and 5,000 by default.
	Watches, UserWatches int
	// Body is how many bytes the body of a request may have; 3 MiB by default.
	Body int64
	// Header is how many bytes the headers of a request may have; 64 KiB by default.
	Header int
	// HeaderTime is how long a client may take to send its headers, 10 seconds by default.
	// RequestTime is how long the server may take for a request other than a watch, and how long a
	// client may take to send its body and to receive 256 KiB of the answer; one minute by default.
	// A client that goes on reading gets the whole answer, however long that takes.
	HeaderTime, RequestTime time.Duration
	// IdleTime is how long a connection may wait for its next request; 2 minutes by default.
	IdleTime time.Duration
}

// Limits sets the bounds.
func Limits(l LimitSettings) Option { return optionFunc(func(c *config) { c.limits = l.filled() }) }

func defaultLimits() LimitSettings { return LimitSettings{}.filled() }

// filled returns the limits with defaults in place of zeros.
func (l LimitSettings) filled() LimitSettings {
	fill(&l.Reads, 400)
	fill(&l.Writes, 200)
	fill(&l.Watches, 10_000)
	fill(&l.UserWatches, 5_000)
	fill(&l.Body, 3<<20)
	fill(&l.Header, 64<<10)
	fill(&l.HeaderTime, 10*time.Second)
	fill(&l.RequestTime, time.Minute)
	fill(&l.IdleTime, 2*time.Minute)
	return l
}

func fill[T int | int64 | time.Duration](field *T, value T) {
	if *field == 0 {
		*field = value
	}
}

// limiter counts what is under way.
type limiter struct {
	limits        LimitSettings
	reads, writes atomic.Int64

	mu      sync.Mutex
	watches int
	users   map[string]int // watches of each
}

func newLimiter(l LimitSettings) *limiter { return &limiter{limits: l, users: map[string]int{}} }

// request counts a request, and returns the function that ends it.
func (l *limiter) request(write bool) (release func(), err error) {
	n, most := &l.reads, l.limits.Reads
	if write {
		n, most = &l.writes, l.limits.Writes
	}
	if now := n.Add(1); most >= 0 && now > int64(most) {
		n.Add(-1)
		return nil, metav1.TooManyRequests("too many requests are under way; try again", 1)
	}
	return func() { n.Add(-1) }, nil
}

// watch counts a watch of a user, and returns the function that ends it.
func (l *limiter) watch(u *auth.User) (release func(), err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.limits.Watches >= 0 && l.watches >= l.limits.Watches:
		return nil, metav1.TooManyRequests("the server has as many watches as it allows; try again later", 5)
	case l.limits.UserWatches >= 0 && l.users[u.Name] >= l.limits.UserWatches:
		return nil, metav1.TooManyRequests("you have too many watches; end one of them, or raise the limit UserWatches of the server", 5)
	}
	l.watches++
	l.users[u.Name]++
	return sync.OnceFunc(func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.watches--
		if l.users[u.Name]--; l.users[u.Name] == 0 {
			delete(l.users, u.Name)
		}
	}), nil
}

// watching returns the number of watches.
func (l *limiter) watching() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.watches
}

// bodyTimeout returns how long the body of a request may take: RequestTime, or without a bound.
func (l LimitSettings) bodyTimeout() time.Duration {
	if l.RequestTime <= 0 {
		return -1
	}
	return l.RequestTime
}
