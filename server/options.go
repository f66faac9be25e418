package server

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/askind/askind/meta/dynamic"
	"github.com/askind/askind/patch/apply"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/server/auth"
	"github.com/askind/askind/store"
)

// Option is a setting of [New].
type Option interface{ apply(*config) }

type optionFunc func(*config)

func (f optionFunc) apply(c *config) { f(c) }

// config is the result of the options.
type config struct {
	err []error

	store  store.Options
	shards map[schema.GroupResource]store.Engine // instead of the engine of New
	// storageFormat is a media type, as are storageFormats, which come first.
	storageFormat  string
	storageFormats map[schema.GroupResource]string

	prefixes map[schema.GroupVersion]string
	prefixOf map[schema.GroupResource]string // before prefixes
	disabled []schema.GroupVersion

	hooks     []kindHooks
	admit     []AdmitFunc
	audit     []AuditFunc
	functions []functionResource
	subs      []customSubresource
	rules     dynamic.RuleCompiler

	authenticator auth.Authenticator
	authorizer    auth.Authorizer
	reviews       reviews
	anonymous     bool // requests without credentials are made by the anonymous user

	limits    LimitSettings
	hosts     []string
	cors      *CORSSettings
	log       *slog.Logger
	now       func() time.Time
	unguarded bool
	identity  string
	version   Version
	apiTitle  string

	openAPIProto func(json []byte) ([]byte, error) // nil for an outline of OpenAPI 2.0

	checks     []namedCheck
	collectors []Collector
	tls        *tls.Config
	tlsFiles   *certificateFiles
	serveTLS   func(*Server, *http.Server) (func(net.Listener) error, error) // set by the options for TLS
	handlers   []pathHandler
	delegate   Delegate
	seeds      []func(*Server, *state) error
	replicas   bool
	discovery  DiscoverySettings
	managers   apply.Policy
	managersOf map[schema.GroupResource]apply.Policy
	// impersonate finds the user as whom a request is made. The option of authorizers sets it, so
	// that a program without them does not link it.
	impersonate func(*Server, *http.Request, *auth.User) (*auth.User, error)
}

// Authenticate sets the authenticators, which find the users of requests. Without it every request
// is made by [auth.Anonymous]. With it, requests whose credentials are wrong are refused with 401,
// and so are those without credentials unless [AllowAnonymous] is given.
func Authenticate(a ...auth.Authenticator) Option {
	return optionFunc(func(c *config) { c.authenticator, c.reviews = auth.FirstOf(a...), newReviews() })
}

// AllowAnonymous accepts requests without credentials as [auth.Anonymous] even if there is an
// authenticator. The authorizer decides what they may do.
func AllowAnonymous() Option { return optionFunc(func(c *config) { c.anonymous = true }) }

// Authorize sets the authorizers, which decide what users may do; the first with an opinion
// decides. Without it everything is allowed, and the server listens on loopback addresses alone.
func Authorize(a ...auth.Authorizer) Option {
	return optionFunc(func(c *config) {
		c.authorizer, c.reviews, c.impersonate = auth.AnyOf(a...), newReviews(), (*Server).impersonated
	})
}

// ServeUnauthorized lets [Server.ListenAndServe] listen on any address without an authorizer.
// Anyone who can connect can then read and change everything.
func ServeUnauthorized() Option { return optionFunc(func(c *config) { c.unguarded = true }) }

// Prefix serves group versions below a path other than /apis, or /api for the core group. A prefix
// has no slash. The versions of a group may have different prefixes; see also [PrefixFor].
func Prefix(prefix string, versions ...schema.GroupVersion) Option {
	return optionFunc(func(c *config) {
		c.checkPrefix(prefix)
		for _, gv := range versions {
			c.prefixes[gv] = prefix
		}
	})
}

// PrefixFor serves resources, in all versions, below a path other than that of their group. This
// lets an API that began as version v1 of the core group, at its own prefix, stay where its clients
// look for it, beside the core group of another API at /api and new groups at /apis:
//
//	server.PrefixFor("oapi", schema.GroupResource{Resource: "routes"}, schema.GroupResource{Resource: "builds"})
func PrefixFor(prefix string, resources ...schema.GroupResource) Option {
	return optionFunc(func(c *config) {
		c.checkPrefix(prefix)
		for _, gr := range resources {
			c.prefixOf[gr] = prefix
		}
	})
}

// checkPrefix notes an error unless a prefix is a segment of a path that the server has not taken.
func (c *config) checkPrefix(prefix string) {
	if prefix == "" || strings.ContainsAny(prefix, "/ %?#") || slices.Contains(ownPaths, prefix) {
		c.err = append(c.err, fmt.Errorf("server: %q cannot be a prefix: use one segment of a path, not one of %s",
			prefix, strings.Join(ownPaths, ", ")))
	}
}

// ownPaths are the first segments of the paths of the server itself.
var ownPaths = []string{
	".", "..", "healthz", "livez", "metrics", "openapi", "readyz", "swaggerapi", "version",
}

// Disable stops group versions from being served. A blank version means all versions of the group.
// Objects are still stored in a disabled version and converted from and to it. [New] and
// [Server.Install] refuse to serve a group version that needs a disabled one, see
// [runtime.Builder.Requires].
func Disable(versions ...schema.GroupVersion) Option {
	return optionFunc(func(c *config) { c.disabled = append(c.disabled, versions...) })
}

// StoreOptions are the settings of the store that the server opens over its engine, and of each
// store over an engine of [StoreFor]; so the bounds on memory apply to each of them. Differences
// from the engine are logged unless the settings have a function for them.
func StoreOptions(o store.Options) Option { return optionFunc(func(c *config) { c.store = o }) }

// Hosts are names, besides those of loopback, by which clients may address a server without
// authorization. A request for another host is refused, so that a web page cannot reach the server
// through a name of its own that leads to it.
func Hosts(names ...string) Option {
	return optionFunc(func(c *config) { c.hosts = append(c.hosts, names...) })
}

// Log sets the logger, [slog.Default] without it. Requests are logged at the level debug, the URL
// of the server at the level info, failures of the server at the level error.
func Log(l *slog.Logger) Option { return optionFunc(func(c *config) { c.log = l }) }

// Rules sets the compiler of the rules in CustomResourceDefinitions, x-kubernetes-validations, such
// as that of the module validation/cel. Without it rules are logged and not evaluated.
func Rules(compile dynamic.RuleCompiler) Option {
	return optionFunc(func(c *config) { c.rules = compile })
}

// Clock sets the clock of time stamps and ages, for tests.
func Clock(now func() time.Time) Option { return optionFunc(func(c *config) { c.now = now }) }

// Identity names this server among those that share a store, see [Replicas]. The default is the
// host name and a random number.
func Identity(name string) Option { return optionFunc(func(c *config) { c.identity = name }) }

// Handle serves another path with a handler of the program, after the server's authentication and
// authorization. A path that ends in a slash includes all paths below it, except for those with a
// segment "." or "..", which may lead elsewhere than was authorized. Paths of the server itself are
// an error.
func Handle(path string, h http.Handler) Option {
	return optionFunc(func(c *config) {
		root, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
		if !strings.HasPrefix(path, "/") || slices.Contains(ownPaths, root) {
			c.err = append(c.err, fmt.Errorf("server: Handle: %q must begin with a slash, and not with that and one of %s",
				path, strings.Join(ownPaths, ", ")))
		}
		c.handlers = append(c.handlers, pathHandler{path, h})
	})
}

// pathHandler is a handler of the program.
type pathHandler struct {
	path    string
	handler http.Handler
}

// newConfig applies options to the defaults.
func newConfig(options []Option) (*config, error) {
	c := &config{
		prefixes: map[schema.GroupVersion]string{}, prefixOf: map[schema.GroupResource]string{},
		shards: map[schema.GroupResource]store.Engine{}, storageFormats: map[schema.GroupResource]string{},
		now: time.Now, limits: LimitSettings{}.filled(),
		managers: apply.FromFirstApply, managersOf: map[schema.GroupResource]apply.Policy{},
	}
	for _, o := range options {
		if o != nil {
			o.apply(c)
		}
	}
	if c.log == nil {
		c.log = slog.Default()
	}
	return c, errors.Join(c.err...)
}

// AuditFunc is called for each attempted write and for each refused request.
type AuditFunc func(ctx context.Context, e AuditEvent)

// AuditEvent is the argument of an [AuditFunc].
type AuditEvent struct {
	_ struct{} // literals name their fields

	// Time is when the request arrived.
	Time time.Time
	// Request describes the request and its user. Its Resource is empty, and its Verb the method in
	// lower case, if the path is not that of a resource. The user is [auth.Anonymous] if the
	// credentials were refused.
	Request *Request
	// Path is the path of the request, blank if the server itself made it.
	Path string
	// Object is the stored object, in the storage version, or in a dry run the one that would be
	// stored; nil if nothing was stored. It must not be modified. It has all secrets; see
	// [runtime.Scheme.Redact] for a copy without them.
	Object runtime.Object
	// Err is the error of a failed request, nil otherwise.
	Err error
}

// Audit adds a function that is called for each attempted write, whether it was allowed or not and
// whether it changed anything or not, and for each request that is refused because of its user or
// credentials. It is called before the client has its answer. A write whose body or options cannot
// be read is not an attempt.
func Audit(f AuditFunc) Option { return optionFunc(func(c *config) { c.audit = append(c.audit, f) }) }
