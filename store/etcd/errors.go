package etcd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/askind/askind/store"
)

// Errors of etcd that a user can act on; test for them with errors.Is.
var (
	// ErrTooLarge says that a value is larger than etcd accepts. It wraps [store.ErrTooLarge].
	ErrTooLarge = fmt.Errorf("%w: etcd takes 1.5 MiB in one request by default; "+
		"raise --max-request-bytes of etcd or store smaller objects", store.ErrTooLarge)
	// ErrNoSpace says that etcd has reached its quota and refuses writes. It wraps
	// [store.ErrNoSpace]. It comes with a [store.ErrUncertain] if the key has changed all the same,
	// because etcd may carry out the write by which it notices that.
	ErrNoSpace = fmt.Errorf("%w: etcd has reached its space quota; "+
		"compact and defragment it, raise --quota-backend-bytes, then disarm the alarm", store.ErrNoSpace)
	// ErrAuthentication says that etcd does not know the user or refuses the permission.
	ErrAuthentication = errors.New("etcd refuses the user; check the name, the password and the role's key range")
)

// UncertainError says that the connection broke while a write was on its way, or that etcd ran out
// of space with it: etcd may have applied the write or may still do so. It is a
// [store.ErrUncertain]. Find it with errors.AsType[*UncertainError].
type UncertainError struct {
	_ struct{} // literals name their fields

	// Key is the key that was written.
	Key string
	// Err is what broke.
	Err error
}

// Error implements error.
func (e *UncertainError) Error() string {
	return fmt.Sprintf("store/etcd: %q: %v: %v", e.Key, store.ErrUncertain, e.Err)
}

// Unwrap returns Err and [store.ErrUncertain].
func (e *UncertainError) Unwrap() []error { return []error{e.Err, store.ErrUncertain} }

// explain turns an error of the client into one of package store, or into one that says what to do.
// ctx is the context of the caller.
func (e *Engine) explain(ctx context.Context, op string, err error) error {
	switch {
	case e.life.Err() != nil:
		return store.ErrClosed
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("store/etcd: %s: %w: there was no answer within %v%s", op, store.ErrUnavailable, e.timeout, e.connection())
	}
	return explain(op, err)
}

// noteConnection keeps why a request had no connection, such as that the port is closed or the
// certificate is of another authority. gRPC appends that to the error of a request that waited for
// a connection until its context ended, and the client of etcd drops it.
func (e *Engine) noteConnection(ctx context.Context, method string, in, out any, c *grpc.ClientConn,
	invoke grpc.UnaryInvoker, o ...grpc.CallOption,
) error {
	err := invoke(ctx, method, in, out, c, o...)
	_, why, found := strings.Cut(status.Convert(err).Message(), "latest balancer error: ")
	switch {
	case found:
		e.unconnected.Store(&why)
	case err == nil:
		e.unconnected.Store(nil)
	}
	return err
}

// connection returns what noteConnection has kept, in brackets after a space, or blank.
func (e *Engine) connection() string {
	if why := e.unconnected.Load(); why != nil {
		return " (" + *why + ")"
	}
	return ""
}

// explain is [Engine.explain] for an error that is not due to the end of a context.
func explain(op string, err error) error {
	switch {
	case errors.Is(err, rpctypes.ErrCompacted):
		return store.ErrCompacted
	case errors.Is(err, rpctypes.ErrFutureRev):
		return store.ErrFuture
	case errors.Is(err, rpctypes.ErrInvalidAuthToken), errors.Is(err, rpctypes.ErrAuthOldRevision):
		// The client of etcd has asked for another token in vain, and asks again at the next call.
		return fmt.Errorf("store/etcd: %s: %w: %w (%w)", op, store.ErrUnavailable, ErrAuthentication, err)
	case isUnavailable(err):
		return fmt.Errorf("store/etcd: %s: %w: %w", op, store.ErrUnavailable, err)
	case errors.Is(err, rpctypes.ErrRequestTooLarge), status.Code(err) == codes.ResourceExhausted && !isNoSpace(err):
		return fmt.Errorf("store/etcd: %s: %w (%w)", op, ErrTooLarge, err)
	case isNoSpace(err):
		return fmt.Errorf("store/etcd: %s: %w (%w)", op, ErrNoSpace, err)
	case errors.Is(err, rpctypes.ErrAuthFailed), errors.Is(err, rpctypes.ErrPermissionDenied),
		errors.Is(err, rpctypes.ErrUserEmpty), errors.Is(err, rpctypes.ErrAuthNotEnabled):
		return fmt.Errorf("store/etcd: %s: %w (%w)", op, ErrAuthentication, err)
	}
	return fmt.Errorf("store/etcd: %s: %w", op, err)
}

// isUnavailable reports whether etcd did not answer in time, or answered that it cannot serve the
// request now.
func isUnavailable(err error) bool {
	code := codeOf(err)
	return code == codes.Unavailable || code == codes.DeadlineExceeded ||
		errors.Is(err, context.DeadlineExceeded) || errors.Is(err, rpctypes.ErrTooManyRequests) || isDropped(err)
}

// isDropped reports whether a member dropped a write before it proposed it to the others, as while
// it hands over the leadership. etcd has no code for that.
func isDropped(err error) bool { return rpctypes.ErrorDesc(err) == "raft proposal dropped" }

// codeOf returns the code of an error of the client.
func codeOf(err error) codes.Code {
	if e, ok := errors.AsType[rpctypes.EtcdError](err); ok {
		return e.Code()
	}
	return status.Code(err)
}

func isNoSpace(err error) bool { return errors.Is(err, rpctypes.ErrNoSpace) }

// uncertain reports whether a write that failed may have been applied all the same. For a lack of
// space see [Engine.applied].
func uncertain(err error) bool {
	switch codeOf(err) {
	case codes.Unavailable, codes.DeadlineExceeded, codes.Canceled, codes.Unknown, codes.Internal:
		return !errors.Is(err, rpctypes.ErrNoLeader) && !isDropped(err) // which are said before anything is tried
	}
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
