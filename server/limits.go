package server

import (
	"sync"
	"sync/atomic"
	"time"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/server/auth"
)

// LimitSettings bound the resources that clients can use. A zero field means the default, a
// negative one no bound.
type LimitSettings struct {
	_ struct{} // literals name their fields

	// Reads and Writes bound the concurrent requests, without watches and those of /livez; the
	// defaults are 400 and 200. Further requests are refused with 429.
	Reads, Writes int
	// Watches bounds the concurrent watches, and UserWatches those of one user; the defaults are
	// 10,000 and 5,000.
	Watches, UserWatches int
	// Body bounds the bytes of a request body; the default is 3 MiB. It does not apply to requests
	// that are passed on to a [Delegate].
	Body int64
	// Header bounds the bytes of the request headers; the default is 64 KiB.
	Header int
	// HeaderTime bounds the time for sending the headers; the default is 10 seconds. RequestTime
	// bounds the time of the server for a request other than a watch, and of a client for sending
	// its body and for receiving each 1 MiB of the answer; the default is one minute. A client that
	// keeps reading gets the whole answer, however long that takes.
	HeaderTime, RequestTime time.Duration
	// IdleTime bounds how long a connection waits for its next request; the default is 2 minutes.
	IdleTime time.Duration
	// ShutdownTime bounds how long requests under way may take once [Server.ListenAndServe] or
	// [Server.Serve] has been asked to end; the default is 10 seconds. Then they are broken off.
	// Watches end at once.
	ShutdownTime time.Duration
}

// Limits sets bounds on the resources that clients can use.
func Limits(l LimitSettings) Option { return optionFunc(func(c *config) { c.limits = l.filled() }) }

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
	fill(&l.ShutdownTime, 10*time.Second)
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
