package httpapi

import (
	"fmt"
	"hash/fnv"
	"net/http"
	"net/url"
	"strings"

	metav1 "github.com/askind/askind/meta/v1"
)

// NotModified sets the version of the response, such as the resourceVersion of an object, and
// compares it with the If-None-Match header. If the client's copy is current, NotModified responds
// with 304 and returns true, and the handler is done. Otherwise a response with code 200 gets an
// entity tag.
//
// Tags depend on the version and the representation, so two representations of an object never have
// the same. The tag is weak if the object is shown as another kind, because ages may change while
// the object does not. A response to If-None-Match: * has none if the client accepts compression,
// because which of the two forms it would have depends on the size of the object.
func (x *Exchange) NotModified(version string) bool {
	if x.version = version; version == "" {
		return false
	}
	lines := x.r.Header["If-None-Match"]
	if len(lines) == 0 || x.r.Method != http.MethodGet && !x.head() {
		return false
	}
	plain, coded := x.entityTag(false), x.entityTag(true)
	matched, unknown := "", false
	for t := range tags(lines) {
		unknown = t == anyTag && x.acceptsGzip()
		switch t.opaque {
		case anyTag.opaque, strings.TrimPrefix(plain, "W/"):
			matched = plain
		case strings.TrimPrefix(coded, "W/"):
			matched = coded
		}
		if matched != "" {
			break
		}
	}
	if matched == "" {
		return false
	}
	if !unknown {
		x.Header().Set("Etag", matched)
	}
	x.w.WriteHeader(http.StatusNotModified)
	return true
}

// Match returns an error with code 412 if the request is conditional on another version of the
// resource: if it has an If-Match header without a tag that [Exchange.NotModified] made of this
// version, or any If-Match header if the resource does not exist, or an If-None-Match header that
// matches an existing resource. The version is blank if the resource does not exist. It does not
// matter which representation the client saw.
func (x *Exchange) Match(version string) error {
	for _, name := range []string{"If-Match", "If-None-Match"} {
		lines, matched := x.r.Header[name], false
		wanted := name == "If-Match"
		for t := range tags(lines) {
			matched = matched || version != "" && (t == anyTag || !(wanted && t.weak) &&
				strings.HasPrefix(t.opaque, `"`+tagVersion(version)+tagSeparator))
		}
		if len(lines) > 0 && matched != wanted {
			return preconditionFailed(name, strings.Join(lines, ", "))
		}
	}
	return nil
}

// preconditionFailed returns the error for a conditional header that does not hold. No StatusReason
// exists for it; clients that handle conflicts do the right thing.
func preconditionFailed(header, value string) error {
	e := metav1.Failure(metav1.StatusReasonConflict,
		fmt.Sprintf("the precondition %s: %s does not hold; read the object again", header, printable(value)))
	e.Status.Code = http.StatusPreconditionFailed
	return e
}

// tagSeparator separates the version and the representation. It does not occur in versions, see
// tagVersion.
const tagSeparator = "."

// tagVersion escapes a version for use in a tag.
func tagVersion(version string) string {
	return strings.ReplaceAll(url.QueryEscape(version), ".", "%2E")
}

// entityTag returns the tag of the response in the chosen representation.
func (x *Exchange) entityTag(coded bool) string {
	h := fnv.New32a()
	rep := x.rep
	fmt.Fprint(h, rep.ContentType(), rep.Pretty(), !rep.Whole(), rep.Target(), coded)
	tag := fmt.Sprintf(`"%s%s%08x"`, tagVersion(x.version), tagSeparator, h.Sum32())
	if rep.Target().GroupKind() != x.endpoint.offer.Kind.GroupKind() {
		return "W/" + tag
	}
	return tag
}

// tag is an entity tag with its quotes.
type tag struct {
	opaque string
	weak   bool
}

// anyTag is the asterisk.
var anyTag = tag{opaque: "*"}

// tags yields the entity tags of a header (RFC 9110, section 8.8.3). Malformed input ends the line
// that contains it.
func tags(lines []string) func(yield func(tag) bool) {
	return func(yield func(tag) bool) {
		for _, line := range lines {
			for rest := strings.TrimLeft(line, ", \t"); rest != ""; rest = strings.TrimLeft(rest, ", \t") {
				t := tag{}
				if rest[0] == '*' {
					t, rest = anyTag, rest[1:]
				} else {
					rest, t.weak = strings.CutPrefix(rest, "W/")
					if rest == "" || rest[0] != '"' {
						break
					}
					end := strings.IndexByte(rest[1:], '"')
					if end < 0 {
						break
					}
					t.opaque, rest = rest[:end+2], rest[end+2:]
				}
				if !yield(t) {
					return
				}
			}
		}
	}
}
