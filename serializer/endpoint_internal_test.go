package serializer

import (
	"errors"
	"fmt"
	"hash/maphash"
	"strings"
	"testing"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/json"
)

// newEndpoint returns an endpoint that serves a Status as JSON.
func newEndpoint(t *testing.T) *Endpoint {
	t.Helper()
	scheme, err := runtime.NewScheme(metav1.AddTo, metav1.AddCoreTo)
	if err != nil {
		t.Fatal(err)
	}
	f, err := NewFactory(scheme, json.Format())
	if err != nil {
		t.Fatal(err)
	}
	e, err := f.Endpoint(Offer{Kind: schema.GroupVersion{Version: "v1"}.WithKind("Status")})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestEndpointKeepsItsOffer checks that an endpoint does not see later changes of its offer.
func TestEndpointKeepsItsOffer(t *testing.T) {
	t.Parallel()
	profiles := []string{"a"}
	e, err := newEndpoint(t).factory.Endpoint(Offer{Profiles: profiles})
	if err != nil {
		t.Fatal(err)
	}
	profiles[0] = "b"
	if _, err := e.Negotiate([]string{"application/json;profile=a"}); err != nil {
		t.Error(err)
	}
}

// keeps reports whether an endpoint has a header in its cache.
func (e *Endpoint) keeps(header string) bool {
	known := e.recent[maphash.String(headerSeed, header)%recentHeaders].choice.Load()
	return known != nil && known.header == header
}

// TestRecentHeaders checks which headers an endpoint keeps.
func TestRecentHeaders(t *testing.T) {
	t.Parallel()
	padded := func(n int) string {
		const header = "application/json"
		return header + strings.Repeat(" ", n-len(header))
	}
	for _, tt := range []struct {
		name, header string
		times        int
		keeps        bool
	}{
		{"a header that came once", "application/json", 1, false},
		{"a header that came twice in a row", "application/json", 2, true},
		{"a header that came often", "application/json", 5, true},
		{"the longest header", padded(maxRecentHeader), 2, true},
		{"a longer header", padded(maxRecentHeader + 1), 5, false},
		{"a header that cannot be served", "text/plain", 5, false},
	} {
		e := newEndpoint(t)
		for i := range tt.times {
			rep, err := e.Negotiate([]string{tt.header})
			if _, refused := errors.AsType[*NotAcceptableError](err); refused != (tt.header == "text/plain") ||
				(rep == nil) != refused {
				t.Fatalf("%s, time %d: %v, %v", tt.name, i, rep, err)
			}
		}
		if got := e.keeps(tt.header); got != tt.keeps {
			t.Errorf("%s: kept %v, want %v", tt.name, got, tt.keeps)
		}
	}
}

// TestHeadersInOneSlot checks that headers which displace each other in the cache get their own
// representations. There are more of them than slots.
func TestHeadersInOneSlot(t *testing.T) {
	t.Parallel()
	e := newEndpoint(t)
	for round := range 3 {
		for i := range 4 * recentHeaders {
			header := fmt.Sprintf("application/json;pretty=%d;q=0.%d", i%2, i+1)
			for range 2 {
				rep, err := e.Negotiate([]string{header})
				if err != nil || rep.Pretty() != (i%2 == 1) {
					t.Fatalf("round %d: %s: pretty %v, %v", round, header, rep.Pretty(), err)
				}
			}
		}
	}
	// A header of two lines does not decide for one that has the first of them alone.
	const plain = "application/json;q=0.05"
	for range 3 {
		if rep, err := e.Negotiate([]string{plain, "application/json;pretty=1"}); err != nil || !rep.Pretty() {
			t.Errorf("two lines: %v, %v", rep, err)
		}
	}
	if rep, err := e.Negotiate([]string{plain}); err != nil || rep.Pretty() {
		t.Errorf("one line: %v, %v", rep, err)
	}
}

// TestSharedRepresentationsAreBounded checks that an endpoint does not keep more representations
// than its limit, and that those that it does not keep are right, too.
func TestSharedRepresentationsAreBounded(t *testing.T) {
	t.Parallel()
	e := newEndpoint(t)
	plain, err := e.Negotiate([]string{"application/json"})
	if err != nil {
		t.Fatal(err)
	}
	for i := 1; i < 2*maxMade; i++ { // plain is one of them
		s := plain.shape
		s.profile = fmt.Sprint("p", i)
		first, again := e.representation(&s), e.representation(&s)
		if first.Profile() != s.profile || again.Profile() != s.profile || (first == again) != (i < maxMade) {
			t.Fatalf("%s: %q and %q, shared %v", s.profile, first.Profile(), again.Profile(), first == again)
		}
	}
	if got := len(*e.made.Load()); got != maxMade {
		t.Errorf("%d representations are shared, want %d", got, maxMade)
	}
}
