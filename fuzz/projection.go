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

// checkProjection shows the encoded object as what it can be shown as, from its bytes and by way of
// the decoded object. It does so in the object's own version, and wherever the scheme says that no
// more has to be decoded than is shown: in other versions, and with defaults. That is how claims
// are held to what they say which nobody can prove, see [runtime.AddPartial],
// [runtime.AddConversionPart] and [runtime.KeepMetadata].
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
			if claimed == nil || !claimed.Undefaulted() || !c.kind.HasDefaults() {
				continue
			}
			o := serializer.DecodeOptions{MediaType: mediaType, Default: true}
			defaulted, err := c.factory.Decode(text, o)
			if err != nil {
				continue // the defaults of a random object may fail
			}
			if problem := v.check(defaulted, text, o); problem != "" {
				return problem
			}
		}
	}
	return ""
}

// claim is what the scheme says of objects of the kind, or of its items, that are shown in a
// version; nil if it says nothing.
func (c *checker) claim(target schema.GroupVersionKind, gv schema.GroupVersion) *runtime.Projection {
	single := c.kind
	if k := single.ItemKind(); k != nil {
		single = k
	}
	return c.scheme.Projection(single, target, gv)
}

// view is one way to show objects of a kind.
type view struct {
	*checker
	target, offered schema.GroupVersionKind
	claimed         *runtime.Projection
}

// check shows an object and the bytes that it was decoded from with the options.
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
	problem := fmt.Sprintf("%s shown as %s of %s from its bytes (%+v) is not what it is as an object: %v, %s",
		o.MediaType, v.target, v.offered, how, err, contrast("bytes ", got, "object", want))
	if how.Fast > 0 {
		problem += "\n" + v.blame()
	}
	return problem
}

// shown returns the representation of the view in a format, and what the object is in it. It
// reports false if there is none: not everything can be written, and a random object may be
// refused.
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

// checkItems writes a list item by item, in every format. It is the same as when the whole is
// shown.
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
		if err := rep.EncodeList(&got, list); err != nil || !bytes.Equal(got.Bytes(), want) {
			return fmt.Sprintf("a list shown as %s in %s is not the same when it is written item by item: %v, %s",
				v.target, f.Name, err, contrast("whole   ", want, "streamed", got.Bytes()))
		}
	}
	return ""
}

// blame says which claim the fast way has relied on.
func (v *view) blame() string {
	if v.claimed == nil || v.claimed.MetadataOnly() {
		return "metadata is said to be kept by every conversion on the way, see runtime.KeepMetadata"
	}
	return "no more is said to be read than " + strings.Join(v.claimed.Fields(), ", ") +
		", see runtime.AddPartial, or reads= where a column is made by a function"
}
