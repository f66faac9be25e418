package etcd

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"

	"github.com/askind/askind/store"
)

// Config says how to reach etcd. Only Endpoints is required.
type Config struct {
	// Endpoints are the URLs of the members, such as "https://10.0.0.1:2379".
	Endpoints []string
	// Prefix is put before every key. A slash is appended where it is missing. The default is
	// "/askind/". It must not begin with "askind.compaction/", see [Compaction]. No prefix of
	// servers that share a cluster should begin with that of another one, whose stores would keep
	// the objects of both in memory.
	Prefix string
	// TLS holds the certificates of the client and the authority of the servers. It is required
	// for https endpoints that use a private authority.
	TLS *tls.Config
	// Username and Password authenticate the client, blank for none.
	Username, Password string
	// Past is how many revisions of the past a store reads when it is opened, so that clients can
	// resume there; the default is 10,000. etcd replays the past slowly: 1,000 revisions in a tenth
	// of a second, and more slowly the more there are.
	Past int
	// Compaction says how much of its past etcd keeps.
	Compaction Compaction
	// DialTimeout bounds how long Dial waits for the first answer; the default is 10 seconds.
	DialTimeout time.Duration
	// RequestTimeout bounds each request to etcd; the default is 5 seconds. What etcd has not
	// answered by then fails with [store.ErrUnavailable], and a write that may have been sent with
	// an [*UncertainError]. A list takes a request for each thousand keys or about two MiB, so its
	// size does not matter. Choose more for members that are far from each other, whose elections
	// take longer.
	RequestTimeout time.Duration
	// Log receives what prevents compaction, and that the revision of etcd went back, as warnings,
	// and at the level debug what the client of etcd reports, such as each request that failed and
	// was repeated. The default is [slog.Default].
	Log *slog.Logger
	// DialOptions are passed to gRPC.
	DialOptions []grpc.DialOption
}

// keepAlive is how often an idle connection is probed, and how long a probe may take. A cut network
// is noticed within their sum.
const (
	keepAliveTime    = 10 * time.Second
	keepAliveTimeout = 5 * time.Second
)

// reconnect has an engine find members that are back within about a second. By default gRPC pauses
// longer after each failure, up to two minutes.
var reconnect = grpc.WithConnectParams(grpc.ConnectParams{
	Backoff: backoff.Config{
		BaseDelay: 200 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: time.Second,
	},
	MinConnectTimeout: 20 * time.Second, // as by default
})

const (
	defaultPast           = 10_000 // revisions
	defaultChunk          = 1000   // keys
	defaultRequestTimeout = 5 * time.Second
)

// Dial connects to etcd and waits until a member answers. The error is [ErrOldVersion] if one that
// answers is too old. Close releases the connections.
func Dial(c Config) (*Engine, error) {
	if len(c.Endpoints) == 0 {
		return nil, errors.New("store/etcd: no endpoints; name at least one, such as http://127.0.0.1:2379")
	}
	e, err := newEngine(c.Prefix, c.Log)
	if err != nil {
		return nil, err
	}
	timeout := c.DialTimeout
	if timeout == 0 {
		timeout = 10 * time.Second
	}
	e.client, err = clientv3.New(clientv3.Config{
		Endpoints: c.Endpoints, TLS: c.TLS, Username: c.Username, Password: c.Password,
		DialTimeout: timeout,
		DialOptions: append([]grpc.DialOption{
			reconnect, grpc.WithChainStreamInterceptor(checkStreams), grpc.WithChainUnaryInterceptor(e.noteConnection),
		}, c.DialOptions...),
		MaxCallSendMsgSize: math.MaxInt32, // etcd knows what it accepts
		DialKeepAliveTime:  keepAliveTime, DialKeepAliveTimeout: keepAliveTimeout, PermitWithoutStream: true,
		Logger: zapTo(e.log),
	})
	if err != nil {
		e.end()
		return nil, explain("connecting to "+strings.Join(c.Endpoints, ", "), err)
	}
	e.owned = true
	if c.Past > 0 {
		e.past = uint64(c.Past)
	}
	if c.RequestTimeout > 0 {
		e.timeout = c.RequestTimeout
	}
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	// The first answer may take as long as the dial.
	if _, err := e.client.Get(clientv3.WithRequireLeader(ctx), e.prefix, clientv3.WithCountOnly()); err != nil {
		err = explain("no answer from "+strings.Join(c.Endpoints, ", "), err)
		return nil, errors.Join(fmt.Errorf("%w%s", err, e.connection()), e.Close())
	}
	if err := checkVersions(ctx, e.client); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	e.compact(c.Compaction)
	return e, nil
}

// Engine is a [store.Engine] on etcd. It is safe for any number of goroutines. The zero value is
// not usable; use [New].
type Engine struct {
	client *clientv3.Client
	prefix string
	log    *slog.Logger
	owned  bool // Close closes the client
	past   uint64
	chunk  int // how many keys a request lists at most

	timeout time.Duration // of a request

	// unconnected is why the last request had no connection; nil if it had one.
	unconnected atomic.Pointer[string]

	// life ends when the engine is closed. All watches share its gRPC metadata, and so one stream.
	life context.Context
	end  context.CancelFunc

	progress   progress
	leases     leases
	watches    sync.WaitGroup
	compaction sync.WaitGroup

	closing sync.Mutex
	closed  bool
}

var _ store.ExpiringEngine = (*Engine)(nil)

// New returns an engine that uses a client of the caller, who closes it after the engine. The
// prefix and the compaction are those of [Config], and the rest of its settings the defaults. The
// error is about the prefix.
func New(client *clientv3.Client, prefix string, c Compaction) (*Engine, error) {
	e, err := newEngine(prefix, nil)
	if err != nil {
		return nil, err
	}
	e.client = client
	e.compact(c)
	return e, nil
}

// newEngine returns an engine without a client.
func newEngine(prefix string, log *slog.Logger) (*Engine, error) {
	if prefix == "" {
		prefix = "/askind/"
	}
	if !strings.HasSuffix(prefix, "/") {
		prefix += "/"
	}
	if strings.HasPrefix(prefix, compactionPrefix) {
		return nil, fmt.Errorf("store/etcd: the prefix %q is taken by the keys with which engines elect one that "+
			"compacts; choose one that does not begin with %q", prefix, compactionPrefix)
	}
	if log == nil {
		log = slog.Default()
	}
	e := &Engine{
		prefix: prefix, log: log, progress: progress{log: log},
		past: defaultPast, chunk: defaultChunk, timeout: defaultRequestTimeout,
	}
	e.leases.window, e.leases.delay = leaseWindow, leaseDelay
	e.life, e.end = context.WithCancel(context.Background())
	return e, nil
}

// compact takes part in the compaction of the cluster until the engine is closed.
func (e *Engine) compact(c Compaction) {
	if !c.External {
		e.compaction.Go(func() { newCompactor(e.client, c).run(e.life, e.log) })
	}
}

// Close ends all watches and, after [Dial], closes the connections. A second call does nothing. An
// engine that is elected to compact gives that up first, for which it waits up to 10 seconds if
// etcd does not answer.
func (e *Engine) Close() error {
	e.closing.Lock()
	defer e.closing.Unlock()
	if e.closed {
		return nil
	}
	e.closed = true
	e.end()
	e.watches.Wait()
	e.progress.wait()
	e.compaction.Wait()
	if !e.owned {
		return nil
	}
	return e.client.Close()
}

// bound returns the context of one request, which ends with ctx, with the engine, or after the time
// that a request may take. A member that is cut off from the others refuses the request, which it
// could not answer in that time.
func (e *Engine) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(clientv3.WithRequireLeader(ctx), e.timeout)
	stop := context.AfterFunc(e.life, cancel)
	return ctx, func() { stop(); cancel() }
}

// retry makes a request again as long as the members refuse it because they have no leader, such as
// during an election. They do so before they try anything.
func (e *Engine) retry(ctx context.Context, request func() error) error {
	for {
		err := request()
		if !errors.Is(err, rpctypes.ErrNoLeader) || !sleep(ctx, e.life, retryPause) {
			return err
		}
	}
}
