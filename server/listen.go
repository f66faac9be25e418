package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"time"
)

// ErrUnauthorizedAddress: the server would listen on a non-loopback address without an authorizer.
var ErrUnauthorizedAddress = errors.New(
	"the address is reachable from other machines and nothing decides what users may do; see the options Authorize and ServeUnauthorized",
)

// ListenAndServe listens on an address and serves until the context is done, the server is closed,
// the listener fails, or an engine has ended, as one on a full disk does: then no request succeeds
// before the engine has been opened again. It ends the watches, lets other requests finish within
// [LimitSettings].ShutdownTime, and closes the server. The error is nil if the context or
// [Server.Close] ended the server. [os/signal.NotifyContext] makes a context that ends when the
// program is to stop.
//
// A non-loopback address is refused with [ErrUnauthorizedAddress] unless the server has an
// authorizer or the option [ServeUnauthorized].
func (s *Server) ListenAndServe(ctx context.Context, address string) error {
	if err := s.checkAddress(ctx, address); err != nil {
		return errors.Join(err, s.Close())
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return errors.Join(fmt.Errorf("server: %w", err), s.Close())
	}
	return s.Serve(ctx, l)
}

// checkAddress refuses an address that other machines can reach, unless that is allowed.
func (s *Server) checkAddress(ctx context.Context, address string) error {
	if s.config.authorizer != nil || s.config.unguarded {
		return nil
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("server: %w", err)
	}
	if host == "" {
		return fmt.Errorf("server: %q: %w", address, ErrUnauthorizedAddress)
	}
	ips, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return fmt.Errorf("server: %w", err)
	}
	for _, ip := range ips {
		if !ip.Unmap().IsLoopback() {
			return fmt.Errorf("server: %q: %w", address, ErrUnauthorizedAddress)
		}
	}
	return nil
}

// Serve is like [Server.ListenAndServe] with a listener, which it closes. The address of the
// listener is checked in the same way. The URL of an accepted listener is logged, with the port
// that the system chose for port 0.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	if err := s.checkListener(l); err != nil {
		return errors.Join(err, l.Close(), s.Close())
	}
	limits := s.config.limits
	h := &http.Server{
		Handler: s, MaxHeaderBytes: max(limits.Header, 0),
		ReadHeaderTimeout: max(limits.HeaderTime, 0), IdleTimeout: max(limits.IdleTime, 0),
		ErrorLog: slog.NewLogLogger(s.config.log.Handler(), slog.LevelDebug), // what net/http logs about connections
	}
	h.Protocols = new(http.Protocols)
	h.Protocols.SetHTTP1(true)
	serve, protocol := h.Serve, "http"
	var err error
	if s.config.tls != nil || s.config.tlsFiles != nil {
		protocol = "https"
		if serve, err = s.config.serveTLS(s, h); err != nil {
			return errors.Join(err, l.Close(), s.Close())
		}
	}
	s.begin()
	s.config.log.InfoContext(ctx, "serving", "url", protocol+"://"+l.Addr().String())
	failed := make(chan error, 1)
	go func() { failed <- serve(l) }()
	select {
	case err = <-failed:
		err = fmt.Errorf("server: %w", err)
	case <-ctx.Done():
	case err = <-s.stores.ended(s.ctx):
	}
	s.stop() // ends the watches
	return errors.Join(err, shutDown(ctx, h, limits.ShutdownTime), s.Close())
}

// shutDown ends an HTTP server: requests under way may take the time that is given, unless it is
// negative, and then break off.
func shutDown(ctx context.Context, h *http.Server, limit time.Duration) error {
	ctx = context.WithoutCancel(ctx)
	if limit > 0 {
		bounded, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		ctx = bounded
	}
	err := h.Shutdown(ctx)
	if err == nil {
		return nil
	}
	return errors.Join(fmt.Errorf("server: requests that had not ended %v after the shutdown began were broken off: %w",
		limit, err), h.Close())
}

// checkListener refuses a listener that other machines can reach, unless that is allowed.
func (s *Server) checkListener(l net.Listener) error {
	address, ok := l.Addr().(*net.TCPAddr)
	if !ok || s.config.authorizer != nil || s.config.unguarded {
		return nil
	}
	if ip, ok := netip.AddrFromSlice(address.IP); ok && ip.Unmap().IsLoopback() {
		return nil
	}
	return fmt.Errorf("server: %s: %w", address, ErrUnauthorizedAddress)
}
