package discovery

import (
	"slices"
	"sync"

	"github.com/askind/askind/discovery/apidiscovery/v2"
	"github.com/askind/askind/discovery/apidiscovery/v2beta1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire/jsonwire"
	"github.com/askind/askind/wire/pbwire"
)

// joined is an aggregated document in either version. Its JSON form is the concatenation of its
// encoded groups. Each group is encoded once and shared by all Documents that have it, so that a
// change of one group encodes one group. The JSON of the two versions differs only in the
// apiVersion.
//
// It is a [runtime.Untyped] object, so that the scheme accepts it in place of an
// APIGroupDiscoveryList: formats that need the Go type convert it.
type joined struct {
	kind   *runtime.Kind // joinedKind or joinedKindBeta
	groups []*group
}

func (j *joined) APIVersion() string                  { return j.kind.APIVersion() }
func (j *joined) Kind() string                        { return j.kind.Name() }
func (j *joined) RuntimeKind() (*runtime.Kind, error) { return j.kind, nil }

// SetType does nothing: the kind of the document is fixed.
func (j *joined) SetType(string, string) {}

var (
	joinedKind = runtime.NewKind(kindAggregated, joinedSpec(func(w *pbwire.Writer, in *joined) {
		v2.PrependProtoAPIGroupDiscoveryList(w, aggregated(in.groups))
	}))
	joinedKindBeta = runtime.NewKind(kindAggregatedBeta, joinedSpec(func(w *pbwire.Writer, in *joined) {
		v2beta1.PrependProtoAPIGroupDiscoveryList(w, aggregatedBeta(in.groups))
	}))
)

func joinedSpec(prepend func(*pbwire.Writer, *joined)) *runtime.KindSpec[joined] {
	return &runtime.KindSpec[joined]{
		Source:           "github.com/askind/askind/discovery",
		DeepCopyInto:     func(in, out *joined) { *out = *in }, // groups never change
		AppendJSONFields: appendJoined,
		PrependProto:     prepend,
	}
}

// appendJoined appends all fields, kind and apiVersion included.
func appendJoined(dst []byte, in *joined) ([]byte, error) {
	const head, tail = `,"metadata":{},"items":[`, `]`
	kind, apiVersion := in.Kind(), in.APIVersion()
	size := len(head) + len(tail) + len(kind) + len(apiVersion) + 64 // the names of the two members and the end
	parts := make([][]byte, len(in.groups))
	for i, g := range in.groups {
		part, err := g.json()
		if err != nil {
			return dst, schema.AtField(schema.AtIndex(err, i), "items")
		}
		parts[i] = part
		size += len(part) + 1
	}
	dst = slices.Grow(dst, size)
	dst = jsonwire.AppendStringMember(dst, `,"kind":`, kind)
	dst = jsonwire.AppendStringMember(dst, `,"apiVersion":`, apiVersion)
	dst = append(dst, head...)
	for i, part := range parts {
		dst = jsonwire.AppendComma(dst, i)
		dst = append(dst, part...)
	}
	return append(dst, tail...), nil
}

// texts are buffers in which groups are encoded before they are copied at their final size.
var texts = sync.Pool{New: func() any { return new([]byte) }}

// maxText is the limit of the buffers that are kept for the next group.
const maxText = 1 << 20

// encodeGroup returns a group as an item of an aggregated document.
func encodeGroup(g *group) ([]byte, error) {
	buf := texts.Get().(*[]byte)
	in := g.aggregated()
	out, err := v2.AppendJSONAPIGroupDiscovery((*buf)[:0], &in)
	if err != nil {
		return nil, err
	}
	if *buf = out; cap(out) <= maxText {
		defer texts.Put(buf)
	}
	return slices.Clone(out), nil
}
