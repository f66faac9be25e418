package serializer

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/askind/askind/schema"
)

// The causes of errors of decoding that are about the input as a whole, for errors.Is.
var (
	// ErrNoDocument: there is nothing in the input.
	ErrNoDocument = errors.New("no document")
	// ErrSeveralDocuments: the input has more than the one document that [Factory.Decode] reads.
	ErrSeveralDocuments = errors.New("more than one document")
	// ErrUnknownFormat: no media type was given and no format recognizes the input.
	ErrUnknownFormat = errors.New("unknown format")
)

// NotAcceptableError says that nothing of what a client would take is on offer. It holds what a server needs for the answer: see Status.
type NotAcceptableError struct {
	_ struct{} // literals name their fields

	// Accept are the lines of the header.
	Accept []string
	// Kind is what the endpoint serves; empty where only the format was negotiated.
	Kind schema.GroupVersionKind
	// Refused are the clauses of the header, in order, with the reason why each could not be served.
	Refused []Refusal
	// MediaTypes are the media types on offer, the preferred one first.
	MediaTypes []string
	// Versions are the other group versions in which the kind is on offer, for the parameters g and v.
	Versions []schema.GroupVersion
	// As are the kinds that it can be shown as, for the parameters g, v and as.
	As []schema.GroupVersionKind
}

// Refusal is one clause of an Accept header that could not be served.
type Refusal struct {
	_ struct{} // literals name their fields

	// Clause is the clause as the client wrote it.
	Clause string
	// Reason says what is wrong with it, or with asking for it here.
	Reason string
}

// Error says what was asked for, why it cannot be had, and what can.
func (e *NotAcceptableError) Error() string { return "serializer: " + e.message() }

func (e *NotAcceptableError) message() string {
	var b strings.Builder
	b.WriteString("none of the accepted representations is on offer")
	if !e.Kind.Empty() {
		fmt.Fprintf(&b, " for %s", e.Kind)
	}
	for i, r := range e.Refused {
		if i == shownRefusals {
			fmt.Fprintf(&b, "; and %d more", len(e.Refused)-i)
			break
		}
		b.WriteString([]string{": ", "; "}[min(i, 1)])
		fmt.Fprintf(&b, "%s (%s)", shorten(r.Clause), r.Reason)
	}
	fmt.Fprintf(&b, "; on offer are the media types %s", strings.Join(e.MediaTypes, ", "))
	if forms := e.forms(); len(forms) > 0 {
		fmt.Fprintf(&b, ", each also with %s", strings.Join(forms, ", "))
	}
	return b.String()
}

// shownRefusals bounds how much of the header a message repeats.
const shownRefusals = 8

// forms lists the parameters that choose the representations on offer.
func (e *NotAcceptableError) forms() []string {
	var out []string
	for _, gv := range e.Versions {
		out = append(out, string(appendTarget(nil, gv.WithKind(e.Kind.Kind), e.Kind, "")[1:]))
	}
	for _, gvk := range e.As {
		out = append(out, string(appendTarget(nil, gvk, e.Kind, gvk.Kind)[1:]))
	}
	return out
}

// Offered lists everything on offer, each as a client can ask for it: every media type alone, then with the parameters of each version
// and of each kind that it can be shown as.
func (e *NotAcceptableError) Offered() []string {
	out := slices.Clone(e.MediaTypes)
	for _, form := range e.forms() {
		for _, m := range e.MediaTypes {
			out = append(out, m+";"+form)
		}
	}
	return out
}

// Status returns what a server writes into the Status that answers the request: the HTTP code, the reason as the Kubernetes API names it,
// and a message for people.
func (e *NotAcceptableError) Status() (code int32, reason, message string) {
	return 406, "NotAcceptable", e.message()
}

// UnsupportedMediaTypeError says that the body of a request is in a format that is not known.
type UnsupportedMediaTypeError struct {
	_ struct{} // literals name their fields

	// ContentType is the header.
	ContentType string
	// Reason says what is wrong with it.
	Reason string
	// MediaTypes are the media types that are known, the preferred one first.
	MediaTypes []string
}

// Error implements error.
func (e *UnsupportedMediaTypeError) Error() string { return "serializer: " + e.message() }

func (e *UnsupportedMediaTypeError) message() string {
	return fmt.Sprintf("unsupported content type %s: %s; the media types %s are supported", quote(e.ContentType), e.Reason, strings.Join(e.MediaTypes, ", "))
}

// Status returns what a server writes into the Status that answers the request: the HTTP code, the reason as the Kubernetes API names it,
// and a message for people.
func (e *UnsupportedMediaTypeError) Status() (code int32, reason, message string) {
	return 415, "UnsupportedMediaType", e.message()
}

// quote shows a value from outside in a message, shortened.
func quote(s string) string { return strconv.Quote(shorten(s)) }

// shorten cuts a text from outside to a length that a person reads.
func shorten(s string) string {
	const most = 120
	if len(s) <= most {
		return s
	}
	cut := most
	for cut > 0 && s[cut]&0xC0 == 0x80 { // not inside a character
		cut--
	}
	return s[:cut] + "…"
}
