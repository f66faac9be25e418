package serializer

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/askind/askind/schema"
)

// The causes of decoding errors that concern the input as a whole, for errors.Is.
var (
	// ErrNoDocument: the input is empty.
	ErrNoDocument = errors.New("no document")
	// ErrSeveralDocuments: the input has more than the one document that [Factory.Decode] reads.
	ErrSeveralDocuments = errors.New("more than one document")
	// ErrUnknownFormat: no media type was given and no format recognizes the input.
	ErrUnknownFormat = errors.New("unknown format")
)

// NotAcceptableError reports that no representation that a client accepts is available.
// [NotAcceptableError.Status] has the content of a server's answer.
type NotAcceptableError struct {
	_ struct{} // literals name their fields

	// Accept holds the lines of the header.
	Accept []string
	// Kind is what the endpoint serves; empty if only the format was negotiated.
	Kind schema.GroupVersionKind
	// Refused lists the clauses of the header, in order, each with the reason why it could not be
	// served.
	Refused []Refusal
	// MediaTypes lists the media types offered, preferred first.
	MediaTypes []string
	// Versions lists the other group versions in which the kind is offered, for the parameters g
	// and v.
	Versions []schema.GroupVersion
	// As lists the kinds that it can be shown as, for the parameters g, v and as.
	As []schema.GroupVersionKind
	// Aliases lists the aliases that can be used at the endpoint.
	Aliases []string

	unwritten map[string]bool // media types with parameters that a format cannot write
}

// Refusal is a clause of an Accept header that could not be served.
type Refusal struct {
	_ struct{} // literals name their fields

	// Clause is the clause as the client sent it.
	Clause string
	// Reason describes the problem of the clause.
	Reason string
}

// Error states what was requested, why it is unavailable, and the alternatives: one line for each
// clause of the header, and one for each set of media types with their parameters.
func (e *NotAcceptableError) Error() string { return "serializer: " + e.message() }

func (e *NotAcceptableError) message() string {
	var b strings.Builder
	b.WriteString("none of the accepted representations is available")
	if !e.Kind.Empty() {
		fmt.Fprintf(&b, " for %s", e.Kind)
	}
	for i, r := range e.Refused {
		if i == shownRefusals {
			fmt.Fprintf(&b, "\n- and %d more", len(e.Refused)-i)
			break
		}
		fmt.Fprintf(&b, "\n- %s: %s", schema.Shorten(r.Clause, 120), r.Reason)
	}
	b.WriteString("\non offer:")
	var groups []offeredForm // of the forms with the same media types, whose parameters are lines of text
	for _, f := range e.forms() {
		i := slices.IndexFunc(groups, func(g offeredForm) bool { return slices.Equal(g.mediaTypes, f.mediaTypes) })
		if i < 0 {
			i = len(groups)
			groups = append(groups, offeredForm{mediaTypes: f.mediaTypes})
		}
		switch {
		case f.parameters == "":
		case i == 0: // like the object itself
			groups[i].parameters += "\n  also with " + f.parameters[1:]
		default:
			groups[i].parameters += "\n  with " + f.parameters[1:]
		}
	}
	lines := ""
	for _, g := range groups {
		if len(g.mediaTypes) > 0 {
			lines += "\n- " + strings.Join(g.mediaTypes, ", ") + g.parameters
		}
	}
	return b.String() + cmp.Or(lines, " nothing")
}

// shownRefusals bounds the number of clauses that a message repeats.
const shownRefusals = 8

// offeredForm is a form of the endpoint's object and the media types of the formats that can write
// it.
type offeredForm struct {
	parameters string // with a leading semicolon; blank for the object itself
	mediaTypes []string
}

// forms lists the available forms: first the object itself, even if no format can write it, then
// its other versions, then the kinds that it can be shown as.
func (e *NotAcceptableError) forms() []offeredForm {
	out := []offeredForm{{mediaTypes: e.writtenAs("")}}
	add := func(parameters string) {
		if names := e.writtenAs(parameters); len(names) > 0 {
			out = append(out, offeredForm{parameters, names})
		}
	}
	for _, gv := range e.Versions {
		add(e.versionForm(gv))
	}
	for _, gvk := range e.As {
		add(e.asForm(gvk))
	}
	return out
}

// writtenAs returns the media types that support some parameters.
func (e *NotAcceptableError) writtenAs(parameters string) []string {
	out := make([]string, 0, len(e.MediaTypes))
	for _, m := range e.MediaTypes {
		if !e.unwritten[m+parameters] {
			out = append(out, m)
		}
	}
	return out
}

// versionForm returns the parameters that select another version, and asForm those that select
// another kind.
func (e *NotAcceptableError) versionForm(gv schema.GroupVersion) string {
	return string(appendTarget(nil, gv.WithKind(e.Kind.Kind), e.Kind, ""))
}

func (e *NotAcceptableError) asForm(gvk schema.GroupVersionKind) string {
	return string(appendTarget(nil, gvk, e.Kind, gvk.Kind))
}

// Offered lists all available representations in the form in which a client can request them: first
// the media types alone, then with the parameters of each version and of each kind that the object
// can be shown as, without the formats that cannot write that kind.
func (e *NotAcceptableError) Offered() []string {
	var out []string
	for _, f := range e.forms() {
		for _, m := range f.mediaTypes {
			out = append(out, m+f.parameters)
		}
	}
	return out
}

// Status returns the content of the Status that answers the request: the HTTP code, the reason in
// the terms of the Kubernetes API, and a message for users.
func (e *NotAcceptableError) Status() (code int32, reason, message string) {
	return 406, "NotAcceptable", e.message()
}

// UnsupportedMediaTypeError reports that the format of a request body is not supported.
type UnsupportedMediaTypeError struct {
	_ struct{} // literals name their fields

	// ContentType is the header.
	ContentType string
	// Reason describes the problem of the header.
	Reason string
	// MediaTypes lists the known media types, preferred first.
	MediaTypes []string
}

// Error implements error.
func (e *UnsupportedMediaTypeError) Error() string { return "serializer: " + e.message() }

func (e *UnsupportedMediaTypeError) message() string {
	return fmt.Sprintf("unsupported content type %s: %s; the media types %s are supported", schema.Quote(e.ContentType),
		e.Reason, strings.Join(e.MediaTypes, ", "))
}

// Status returns the content of the Status that answers the request: the HTTP code, the reason in
// the terms of the Kubernetes API, and a message for users.
func (e *UnsupportedMediaTypeError) Status() (code int32, reason, message string) {
	return 415, "UnsupportedMediaType", e.message()
}
