package runtime

import (
	"bytes"
	"errors"

	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire"
	"github.com/askind/askind/wire/jsonwire"
	"github.com/askind/askind/wire/pbwire"
)

// checker checks embedded objects of the kinds of a scheme for strict readers: the bytes of a
// [RawExtension] are kept unchanged and also decoded, to find unknown and duplicate fields. It
// implements [jsonwire.Checker] and [pbwire.Checker].
type checker struct {
	// owned by the scheme, so that converting a checker to an interface does not allocate; nil
	// without a scheme
	terms *checkTerms
}

// checkTerms are the settings of a [checker].
type checkTerms struct {
	scheme     *Scheme
	embedded   bool       // decode objects in fields of type Embedded, see ReadOptions
	transcoder transcoder // for objects embedded as bytes; may be nil
}

// checker returns the checker of embedded objects for readers. embedded reports whether they decode
// objects in fields of type [Embedded]. The checker of a nil scheme knows no kinds.
func (s *Scheme) checker(embedded bool) checker {
	switch {
	case s == nil:
		return checker{}
	case s.checks == nil: // the zero Scheme, which has no kinds
		return checker{&checkTerms{scheme: s, embedded: embedded}}
	case embedded:
		return checker{&s.checks[1]}
	}
	return checker{&s.checks[0]}
}

// scheme returns the scheme of the kinds of embedded objects, or nil.
func (c checker) scheme() *Scheme {
	if c.terms == nil {
		return nil
	}
	return c.terms.scheme
}

// embedded reports whether objects in fields of type [Embedded] are decoded.
func (c checker) embedded() bool { return c.terms != nil && c.terms.embedded }

// lookup returns the kind that an embedded object states, or nil if it is unknown.
func (c checker) lookup(apiVersion, kind []byte) *Kind {
	if c.terms == nil {
		return nil
	}
	return c.terms.scheme.LookupStated(apiVersion, kind)
}

// CheckJSON implements [jsonwire.Checker].
func (c checker) CheckJSON(r *jsonwire.Reader, apiVersion, kind []byte) bool {
	k := c.lookup(apiVersion, kind)
	if k == nil || !k.hasJSON() {
		return false
	}
	return k.DecodeJSON(r, k.New()) == nil
}

// CheckEmbedded implements [pbwire.Checker]: the bytes may be an envelope, JSON, or a format that
// the transcoder recognizes.
func (c checker) CheckEmbedded(r *pbwire.Reader, raw []byte) {
	text, err := c.transcode(raw, r.Below())
	if err != nil {
		r.RecordEmbedded(pbwire.Problem{Code: wire.InvalidEmbedded, End: len(raw), Message: "the embedded object: " +
			schema.MessageOf(err), Err: err}, len(raw))
	}
	switch {
	case text != nil:
		c.checkText(r, raw, text, -1)
	case err != nil:
	case pbwire.HasMagic(raw):
		c.checkEnvelope(r, raw)
	case isJSONObject(raw):
		c.checkJSONIn(r, raw, 0, len(raw))
	}
}

// isJSONObject reports whether bytes begin like a JSON object.
func isJSONObject(raw []byte) bool {
	raw = bytes.TrimLeft(raw, " \t\r\n")
	return len(raw) > 0 && raw[0] == '{'
}

func (c checker) checkEnvelope(r *pbwire.Reader, raw []byte) {
	e, err := pbwire.ParseEnvelope(raw)
	if err != nil {
		p := pbwire.Problem{Code: wire.InvalidEmbedded, Message: schema.MessageOf(err)}
		if at, ok := errors.AsType[*pbwire.Error](err); ok {
			p.Offset, p.End, p.Message = at.Offset, at.Offset, "the envelope of the embedded object: "+at.Message
		}
		r.RecordEmbedded(p, len(raw))
		return
	}
	if holdsJSON(&e) && isJSONObject(e.Raw) {
		c.checkJSONIn(r, raw, e.Offset, e.Offset+len(e.Raw))
		return
	}
	k := c.lookup(e.APIVersion, e.Kind)
	if k == nil || !k.hasProto() || !holdsMessage(&e) {
		return
	}
	r.CheckMessage(raw, e.Offset, e.Offset+len(e.Raw), func(sub *pbwire.Reader) { _ = k.DecodeProto(sub, k.New()) })
}

// checkJSONIn checks the JSON at raw[from:to] in a message. The paths of its problems are relative
// to that JSON.
func (c checker) checkJSONIn(r *pbwire.Reader, raw []byte, from, to int) {
	c.checkText(r, raw, raw[from:to], from)
}

// checkText checks the JSON in raw from an offset on or, if the offset is negative, JSON that was
// made from raw. In the latter case problems refer to raw as a whole.
func (c checker) checkText(r *pbwire.Reader, raw, text []byte, from int) {
	sub := jsonwire.NewReader(text, jsonwire.Options{Strict: true, Limits: r.Below(), Checker: c})
	sub.RawObject()
	sub.End()
	for _, p := range sub.Problems() {
		message := p.Message
		if path := jsonwire.PathAt(text, p.Offset).Short(); path != "" {
			message = shortPath(path) + ": " + message
		}
		found := pbwire.Problem{
			Code: p.Code, Offset: from + p.Offset, End: from + p.End, Message: message,
			Nearest: p.Nearest, Err: p.Err,
		}
		if from < 0 {
			found.Offset, found.End = 0, len(raw)
		}
		r.RecordEmbedded(found, len(raw))
	}
}
