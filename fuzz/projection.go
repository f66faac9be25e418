package fuzz

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/askind/askind/conversion"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/format"
)

// checkProjection projects the encoded object to every kind that it can be shown as, and compares
// that with the representation of the decoded object. It does so in the object's own version, and
// in other versions and with defaults if the scheme declares that as sufficient. This tests claims
// that cannot be proved, see [runtime.AddPartial], [runtime.AddConversionPart] and
// [runtime.KeepMetadata].
func (c *checker) checkProjection(obj runtime.Object, text []byte, mediaType string) string {
	own := c.kind.GroupVersionKind()
	for _, target := range c.scheme.AsTargets(own) {
		for _, gv := range c.scheme.VersionsOf(own.GroupKind()) {
			claimed := c.claim(target, gv)
			if claimed == nil && gv != own.GroupVersion() {
				continue
			}
			v := &view{checker: c, target: target, offered: gv.WithKind(own.Kind), claimed: claimed}
			if problem := v.check(obj, text, serializer.DecodeOptions{MediaType: mediaType}); problem != "" {
				return problem
			}
			if claimed == nil || !claimed.Undefaulted() || !hasDefaults(c.kind) {
				continue
			}
			o := serializer.DecodeOptions{MediaType: mediaType, Default: true}
			defaulted, err := c.factory.Decode(text, o)
			if err != nil {
				continue // defaulting may fail for a random object
			}
			if problem := v.check(defaulted, text, o); problem != "" {
				return problem
			}
		}
	}
	return ""
}

// claim returns the scheme's projection for objects of the kind, or of its items, shown in a
// version, or nil.
func (c *checker) claim(target schema.GroupVersionKind, gv schema.GroupVersion) *runtime.Projection {
	single := c.kind
	if k := single.ItemKind(); k != nil {
		single = k
	}
	return c.scheme.Projection(single, target, gv)
}

// view is one representation of the objects of a kind.
type view struct {
	*checker
	target, offered schema.GroupVersionKind
	claimed         *runtime.Projection
}

// check compares the representation of an object with the projection of its encoded form.
func (v *view) check(obj runtime.Object, text []byte, o serializer.DecodeOptions) string {
	if problem := v.checkItems(obj); problem != "" {
		return problem
	}
	rep, want, ok := v.shown(v.options.formats[0], obj)
	if !ok {
		return ""
	}
	got, how, err := rep.Project(nil, text, o)
	if err == nil && bytes.Equal(got, want) {
		return ""
	}
	problem := fmt.Sprintf("%s projected to %s of %s (%+v) differs from the representation of the object: %v, %s",
		o.MediaType, v.target, v.offered, how, err, contrast("bytes ", got, "object", want))
	if how.Fast > 0 {
		problem += "\n" + v.blame()
	}
	return problem
}

// shown returns the representation of the view in a format, and the object written in it. It
// returns false if there is none: not every kind can be written in every format, and a random
// object may be rejected.
func (v *view) shown(f *format.Format, obj runtime.Object) (rep *serializer.Representation, text []byte, ok bool) {
	accept := fmt.Sprintf("%s;g=%s;v=%s;as=%s", f.MediaTypes[0], v.target.Group, v.target.Version, v.target.Kind)
	rep, err := v.factory.Negotiate([]string{accept}, serializer.Offer{Kind: v.offered})
	if err != nil {
		return nil, nil, false
	}
	rep = rep.With(conversion.ScopeOptions{Now: time.Unix(2_000_000_000, 0)})
	text, err = rep.Append(nil, obj)
	return rep, text, err == nil
}

// checkItems checks, in every format, that a list written item by item has the same bytes as one
// written as a whole.
func (v *view) checkItems(list runtime.Object) string {
	if !v.kind.IsList() {
		return ""
	}
	for _, f := range v.options.formats {
		rep, want, ok := v.shown(f, list)
		if !ok {
			continue
		}
		var got bytes.Buffer
		if err := rep.Encode(&got, list); err != nil || !bytes.Equal(got.Bytes(), want) {
			return fmt.Sprintf("a list shown as %s in %s differs when it is written item by item: %v, %s",
				v.target, f.Name, err, contrast("whole   ", want, "streamed", got.Bytes()))
		}
	}
	return ""
}

// blame names the claim on which the fast path relied.
func (v *view) blame() string {
	if v.claimed == nil || v.claimed.MetadataOnly() {
		return "every conversion on the route is declared to keep metadata, see runtime.KeepMetadata"
	}
	return "the function is declared to read only " + strings.Join(v.claimed.Fields(), ", ") +
		", see runtime.AddPartial, or reads= where a column is made by a function"
}
