package serializer

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/askind/askind/internal/sorted"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/internal/accept"
)

// metaGroup is the group of the kinds that every endpoint may show its objects as; clients do not
// have to name it.
const metaGroup = "meta.k8s.io"

// statusKind is the name of the kind that reports errors.
const statusKind = "Status"

// tableKind is the name of the kind whose rows may hold objects.
const tableKind = "Table"

// Offer declares the representations of an endpoint. The zero value offers all formats for the
// object itself.
type Offer struct {
	_ struct{} // literals name their fields

	// Kind is the kind that the endpoint serves: that of the object or, if it returns a list, of
	// the list, in the version of the endpoint. If it is empty, only the format is negotiated.
	Kind schema.GroupVersionKind
	// MediaTypes lists the media types offered, preferred first; if empty, all of the factory.
	MediaTypes []string
	// Pretty is the default for clients that do not specify the form. It does not apply to streams,
	// which are always compact.
	Pretty bool
	// Export omits server-populated fields and defaults for clients that do not specify it: the
	// legacy ?export=1.
	Export bool
	// Stream is the name of the stream that the endpoint sends instead of one document: "watch".
	// Clients may request it with the parameter stream; a request for another stream is not
	// acceptable. Only formats with frames for events are then offered.
	Stream string
	// Profiles lists the values of the parameter profile that the endpoint supports.
	Profiles []string
	// Unversioned affects only [Factory.NegotiateStatus]: a Status then has a kind but no
	// apiVersion, unless the client chose a version with the parameter sv. It is for servers that
	// do not want to state a version before they know that of the request. Clients of the
	// Kubernetes API expect apiVersion v1.
	Unversioned bool
}

// NegotiateStatus chooses how to write an error that occurs before or instead of a negotiation: in
// the most preferred format of the header that can write a Status. Errors are never shown as
// another kind, so parameters that select one are ignored. If no format is acceptable, as after a
// [*NotAcceptableError], the result is the indented form of the first text format.
func (f *Factory) NegotiateStatus(accept []string, offer Offer) *Representation {
	rep := *f.negotiateStatus(accept, offer)
	rep.shape.unversioned = offer.Unversioned
	return rep.ForStatus()
}

func (f *Factory) negotiateStatus(accept []string, offer Offer) *Representation {
	e, err := f.Endpoint(Offer{MediaTypes: offer.MediaTypes, Pretty: offer.Pretty})
	if err != nil {
		return f.readableStatus()
	}
	n := f.negotiation()
	defer f.done(n)
	n.Endpoint, n.forStatus = e, true
	rep, err := n.run(accept)
	if err != nil {
		return f.readableStatus()
	}
	return rep
}

// readableStatus is the representation of errors for clients that accept no known format.
func (f *Factory) readableStatus() *Representation {
	best := 0
	for i := range f.mediaTypes {
		if m := &f.mediaTypes[i]; f.formats[m.format].Text && f.writesStatus(m) {
			best = i
			break
		}
	}
	return f.representation(&shape{media: best, pretty: true}, schema.GroupVersionKind{})
}

// writesStatus reports whether a format can write a Status.
func (f *Factory) writesStatus(m *mediaType) bool {
	return m.encodes == nil || m.encodes(f.status)
}

// negotiation holds the state of one negotiation. Instances are pooled; [accept.MaxClauses] bounds
// their memory.
type negotiation struct {
	*Endpoint

	parsed    []accept.Clause
	clauses   []clause                  // of parsed
	forStatus bool                      // a Status is written
	without   []schema.GroupVersionKind // targets to which the object could not be converted
	chosen    shape
}

func (f *Factory) negotiation() *negotiation {
	if n, ok := f.negotiations.Get().(*negotiation); ok {
		return n
	}
	return new(negotiation)
}

// done returns a negotiation to the pool. It must not retain the header, to which the clauses
// refer.
func (f *Factory) done(n *negotiation) {
	clear(n.parsed)
	clear(n.clauses)
	n.parsed = n.parsed[:0]
	n.Endpoint, n.clauses, n.forStatus, n.without = nil, n.clauses[:0], false, nil
	n.chosen = shape{}
	f.negotiations.Put(n)
}

// clause is a clause of the header with its meaning at the endpoint.
type clause struct {
	*accept.Clause
	name   *name                   // nil unless the range is a media type of the factory or an alias
	target schema.GroupVersionKind // the kind that the parameters select
	media  mediaSet                // the offered media types that the range covers
	rank   int                     // the specificity of the clause
}

// covers reports whether the parameters of c apply to what another clause requests.
func (c *clause) covers(asked *clause) bool {
	return (c.Has&accept.Transforming == 0 || c.target == asked.target) && c.Covers(asked.Clause)
}

// choice is the result of a negotiation. The clause is the one that requested it, or nil for an
// empty header.
type choice struct {
	media   int // index in the offer; -1 if nothing is acceptable
	clause  *clause
	quality uint16
}

// shape holds everything that distinguishes the representations of an endpoint.
type shape struct {
	media           int // index among the media types of the factory
	target          schema.GroupVersionKind
	stated          accept.Parameters // parameters of the clause that the Content-Type repeats
	pretty, export  bool
	drop            bool // omit managedFields
	status          bool // errors are written, see ForStatus
	unversioned     bool // write a Status without apiVersion
	as, server      string
	include, stream string
	profile         string
}

func (n *negotiation) run(header []string) (*Representation, error) {
	f := n.factory
	n.parsed = accept.Parse(n.parsed, header, f.harmless)
	for i := range n.parsed {
		n.clauses = append(n.clauses, clause{Clause: &n.parsed[i]})
		if c := &n.clauses[i]; c.Fault.Kind == accept.NoFault {
			f.recognize(c, n.offer.Kind.Empty())
			n.prepare(c)
		}
	}
	best := n.best()
	if best.media < 0 {
		return nil, n.notAcceptable(header)
	}
	s := &n.chosen
	n.shape(&best, s)
	if n.without == nil {
		return n.representation(s), nil
	}
	rep := f.representation(s.clone(), n.offer.Kind)
	rep.failed = n.without
	return rep, nil
}

// shape fills s with the choice, without its clause. All fields of s must be zero.
func (n *negotiation) shape(r *choice, s *shape) {
	s.media, s.target, s.pretty, s.export, s.stream = n.media[r.media].index, n.offer.Kind, n.offer.Pretty,
		n.offer.Export, n.offer.Stream
	if c := r.clause; c != nil {
		s.target, s.stated = c.target, c.Has&accept.Choosing
		s.as, s.server, s.include, s.profile = c.As, c.Server, c.Include, c.Profile
		s.pretty, s.export, s.drop = c.Pretty, c.Export, c.Drop
	}
	s.pretty = s.pretty && s.stream == ""
	s.export = s.export && !n.forStatus
}

// prepare determines the meaning of a clause. It records a fault in a clause that requests
// something that does not exist.
func (n *negotiation) prepare(c *clause) {
	if c.media = n.covered(c); c.media == 0 {
		return // faulty clauses are ignored
	}
	if n.forStatus {
		c.Has &^= accept.Choosing &^ (accept.HasServer | accept.HasPretty)
		c.As, c.Include, c.Profile, c.Stream, c.Drop = "", "", "", "", false
	}
	if c.Has&^(accept.HasQuality|accept.HasCharset|accept.HasPretty|accept.HasExport|accept.HasDrop) != 0 {
		n.resolve(c)
	} else {
		c.target = n.offer.Kind
	}
	if c.Has&accept.Transforming == 0 && c.Level == accept.Exact {
		n.show(c)
	}
	if n.without != nil && slices.Contains(n.without, c.target) {
		c.Fail(accept.Fault{Kind: accept.Unavailable})
	}
	c.rank = c.Specificity()
	if c.Has&accept.HasPretty == 0 {
		c.Pretty = n.offer.Pretty
	}
	if n.offer.Stream != "" { // always compact, so that the parameter excludes nothing
		c.Pretty = false
	}
	if c.Has&accept.HasExport == 0 {
		c.Export = n.offer.Export
	}
}

// covered returns the offered media types that the range of a clause covers.
func (n *negotiation) covered(c *clause) (set mediaSet) {
	switch c.Level {
	case accept.Exact:
		switch {
		case c.name == nil || c.name.media < 0: // like most ranges of browsers
		case len(n.offer.MediaTypes) == 0:
			set = 1 << c.name.media
		default:
			j := slices.IndexFunc(n.media, func(m mediaType) bool { return m.index == c.name.media })
			if j >= 0 {
				set = 1 << j
			}
		}
	case accept.AnySubtype:
		for j := range n.media {
			if strings.EqualFold(c.Range, n.media[j].Type) {
				set |= 1 << j
			}
		}
	case accept.AnyType:
		set = 1<<len(n.media) - 1
	}
	return set
}

// resolve looks up the target that the parameters of a clause select.
func (n *negotiation) resolve(c *clause) {
	switch {
	case c.Has&accept.HasServer != 0 && !n.factory.hasServerVersion(c.Server):
		c.Fail(accept.Fault{Kind: accept.Unavailable, Name: "sv", Value: c.Server})
		return
	case c.Has&accept.HasStream != 0 && c.Stream != n.offer.Stream:
		c.Fail(accept.Fault{Kind: accept.Unavailable, Name: "stream", Value: c.Stream})
		return
	case c.Has&accept.HasProfile != 0 && !slices.Contains(n.offer.Profiles, c.Profile):
		c.Fail(accept.Fault{Kind: accept.Unavailable, Name: "profile", Value: c.Profile})
		return
	}
	var ok bool
	switch {
	case c.Has&accept.Transforming == 0:
		c.target = n.offer.Kind
	default:
		if c.target, ok = n.target(c); !ok {
			c.Fail(accept.Fault{Kind: accept.Unavailable})
			return
		}
	}
	if c.Has&accept.HasInclude != 0 && c.target.Kind != tableKind {
		c.Fail(accept.Fault{Kind: accept.Unavailable, Name: "includeObject", Value: c.Include})
	}
}

// show lets the format of a clause select the kind that it shows the endpoint's kind as.
func (n *negotiation) show(c *clause) {
	shows := n.factory.formats[n.factory.mediaTypes[c.name.media].format].Shows
	if shows == nil || n.offer.Kind.Empty() {
		return
	}
	k, ok := n.factory.scheme.Lookup(n.offer.Kind)
	if !ok {
		return
	}
	if as := shows(k); !as.Empty() {
		if target, ok := n.factory.scheme.CanAs(n.offer.Kind, as); ok {
			c.target = target
		}
	}
}

// hasServerVersion reports whether the generic kinds exist in that version of meta.k8s.io.
func (f *Factory) hasServerVersion(version string) bool {
	gvk := schema.GroupVersionKind{Group: metaGroup, Version: version, Kind: statusKind}
	k, ok := f.scheme.Lookup(gvk)
	return ok && k.GroupVersionKind() == gvk
}

// best makes the choice. Its media type is negative if nothing is acceptable.
func (n *negotiation) best() choice {
	best := choice{media: -1}
	if len(n.clauses) == 0 {
		for j := range n.media {
			if n.encodes(&n.media[j], n.offer.Kind) && !slices.Contains(n.without, n.offer.Kind) {
				return choice{media: j}
			}
		}
		return best
	}
	for i := range n.clauses {
		c := &n.clauses[i]
		if c.media == 0 || c.Fault.Kind != accept.NoFault || c.Quality == 0 {
			continue
		}
		for rest := c.media; rest != 0; rest &= rest - 1 {
			j := bits.TrailingZeros64(uint64(rest))
			if !n.encodes(&n.media[j], c.target) {
				continue
			}
			quality := n.quality(j, c)
			// Clauses and media types are visited in order, so that the first of equals is kept.
			if quality > best.quality || quality == best.quality && best.clause != nil && c.Level > best.clause.Level {
				best = choice{media: j, clause: c, quality: quality}
			}
		}
	}
	return best
}

// quality returns the weight of a clause's target in one of the media types: that of the most
// specific clause that matches it.
func (n *negotiation) quality(media int, asked *clause) uint16 {
	quality, rank := uint16(0), -1
	for i := range n.clauses {
		c := &n.clauses[i]
		if c.media>>media&1 == 0 || c.Fault.Kind != accept.NoFault || c.rank <= rank {
			continue
		}
		if c != asked && !c.covers(asked) {
			continue
		}
		quality, rank = c.Quality, c.rank
	}
	return quality
}

// encodes reports whether the format of a media type can write a kind, as events if the endpoint
// sends those.
func (n *negotiation) encodes(m *mediaType, gvk schema.GroupVersionKind) bool {
	if n.offer.Stream != "" && !m.events {
		return false
	}
	if m.encodes == nil {
		return true
	}
	if n.forStatus {
		return n.factory.writesStatus(m)
	}
	if gvk.Empty() { // the kind is unknown
		return true
	}
	k, ok := n.factory.scheme.Lookup(gvk)
	return ok && m.encodes(k)
}

// target returns the kind that a clause requests. ok is false if the endpoint's kind cannot be
// shown as that kind.
func (n *negotiation) target(c *clause) (target schema.GroupVersionKind, ok bool) {
	from := n.offer.Kind
	if from.Empty() {
		return target, false
	}
	scheme, own := n.factory.scheme, from.GroupVersion()
	in := func(gv schema.GroupVersion) bool {
		if c.Has&accept.HasAs != 0 {
			target, ok = scheme.CanAs(from, gv.WithKind(c.As))
		} else {
			target, ok = n.converted(gv)
		}
		return ok
	}
	inGroup := func(group string) bool { return slices.ContainsFunc(scheme.Versions(group), in) }
	switch c.Has & (accept.HasGroup | accept.HasVersion) {
	case accept.HasGroup | accept.HasVersion:
		ok = in(schema.GroupVersion{Group: c.Group, Version: c.Version})
	case accept.HasVersion:
		ok = in(schema.GroupVersion{Group: own.Group, Version: c.Version}) ||
			c.Has&accept.HasAs != 0 && in(schema.GroupVersion{Group: metaGroup, Version: c.Version})
	case accept.HasGroup:
		ok = c.Group == own.Group && in(own) || inGroup(c.Group)
	default:
		ok = in(own) || c.Has&accept.HasServer != 0 && in(schema.GroupVersion{Group: metaGroup, Version: c.Server}) ||
			inGroup(metaGroup)
	}
	if !ok {
		return schema.GroupVersionKind{}, false
	}
	return target, true
}

// converted returns the counterpart of the endpoint's kind in a group version: the kind of the same
// name or, in another group, the one declared equivalent.
func (n *negotiation) converted(gv schema.GroupVersion) (schema.GroupVersionKind, bool) {
	from, scheme := n.offer.Kind, n.factory.scheme
	if gv == from.GroupVersion() {
		return from, true
	}
	if !scheme.CanConvert(from, gv) {
		return schema.GroupVersionKind{}, false
	}
	same := gv.WithKind(from.Kind)
	if k, err := scheme.Kind(same); err == nil && k.GroupVersionKind() == same {
		return k.GroupVersionKind(), true
	}
	for k := range scheme.Kinds() {
		if k.GroupVersion() != gv {
			continue
		}
		// Equivalence is symmetric; showing as another kind is not.
		to, ok := scheme.CanAs(from, k.GroupVersionKind())
		if !ok || to != k.GroupVersionKind() {
			continue
		}
		if back, ok := scheme.CanAs(to, from); ok && back == from {
			return to, true
		}
	}
	return schema.GroupVersionKind{}, false
}

// notAcceptable returns the error that lists what is available, and the reason for each clause.
func (n *negotiation) notAcceptable(header []string) error {
	e := n.onOffer()
	e.Accept = slices.Clone(header)
	for i := range n.clauses {
		c := &n.clauses[i]
		if c.Fault.Kind == accept.NoFault && c.Quality == 0 {
			continue // the clause requests nothing
		}
		e.Refused = append(e.Refused, Refusal{Clause: c.Text, Reason: n.reason(c, e)})
	}
	return e
}

// onOffer returns an error that lists what is available, first the kinds that the client named.
func (n *negotiation) onOffer() *NotAcceptableError {
	scheme, from := n.factory.scheme, n.offer.Kind
	e := &NotAcceptableError{Kind: from}
	for i := range n.media {
		e.MediaTypes = append(e.MediaTypes, n.media[i].Name)
	}
	if from.Empty() {
		return e
	}
	for k := range scheme.Kinds() {
		gv := k.GroupVersion()
		if gv == from.GroupVersion() || slices.Contains(e.Versions, gv) {
			continue
		}
		if _, ok := n.converted(gv); ok {
			e.Versions = append(e.Versions, gv)
		}
	}
	e.As = scheme.AsTargets(from)
	sorted.Func(e.As, func(a, b schema.GroupVersionKind) int { return cmp.Compare(n.asked(a), n.asked(b)) })
	n.leaveOut(e)
	e.Aliases = n.availableAliases()
	return e
}

// asked returns the index of the first clause in the Accept header that names a kind, ignoring its
// group and version, or the number of clauses.
func (n *negotiation) asked(gvk schema.GroupVersionKind) int {
	i := slices.IndexFunc(n.clauses, func(c clause) bool { return c.As == gvk.Kind })
	if i < 0 {
		return len(n.clauses)
	}
	return i
}

// leaveOut records which of the listed representations cannot be written in which format.
func (n *negotiation) leaveOut(e *NotAcceptableError) {
	e.unwritten = make(map[string]bool)
	note := func(parameters string, target schema.GroupVersionKind) {
		for i := range n.media {
			if m := &n.media[i]; !n.encodes(m, target) {
				e.unwritten[m.Name+parameters] = true
			}
		}
	}
	note("", e.Kind)
	for _, gv := range e.Versions {
		target, _ := n.converted(gv)
		note(e.versionForm(gv), target)
	}
	for _, gvk := range e.As {
		note(e.asForm(gvk), gvk)
	}
}

// reason returns the reason why a clause could not be served.
func (n *negotiation) reason(c *clause, e *NotAcceptableError) string {
	switch {
	case c.Fault.Kind == accept.Unavailable:
		return n.unavailable(c, e)
	case c.Fault.Kind != accept.NoFault:
		return c.Fault.String()
	}
	switch {
	case c.media == 0:
		return "the media type is not available"
	case !n.writes(c):
		return "the format cannot write it" + e.instead(c)
	}
	return "excluded by the weight 0 of another clause"
}

// unavailable returns the reason why a clause's target does not exist.
func (n *negotiation) unavailable(c *clause, e *NotAcceptableError) string {
	switch {
	case slices.Contains(n.without, c.target):
		return "the object could not be converted to it"
	case c.Fault.Name == "sv":
		return "no version " + schema.Quote(c.Server) + " of the generic kinds"
	case c.Fault.Name == "includeObject":
		return "includeObject is for tables"
	case c.Fault.Name != "":
		return "the " + c.Fault.Name + " " + schema.Quote(c.Fault.Value) + " is not available"
	case n.offer.Kind.Empty():
		return "only the format can be selected here"
	case c.Has&accept.HasAs == 0:
		return "not available in that group and version"
	}
	msg := fmt.Sprintf("%s cannot be shown as %s", n.offer.Kind.Kind, schema.Quote(c.As))
	var names []string
	for _, gvk := range e.As {
		form := e.asForm(gvk)
		if e.unwritten[mediaTypeOf(c)+form] {
			continue // asking for it would be refused, too
		}
		if gvk.Kind == c.As {
			return msg + " of that group and version; ask for " + form[1:]
		}
		names = append(names, gvk.Kind)
	}
	if near, ok := schema.Nearest(c.As, names); ok {
		msg += fmt.Sprintf(", did you mean %q?", near)
	}
	return msg
}

// instead returns a hint that names an available form that the format of the clause can write,
// tables first; blank if it can write none.
func (e *NotAcceptableError) instead(c *clause) string {
	if c.Has&accept.HasAs != 0 {
		return ""
	}
	name, found := mediaTypeOf(c), ""
	for _, f := range e.forms() {
		if f.parameters == "" || !slices.Contains(f.mediaTypes, name) {
			continue
		}
		if strings.HasSuffix(f.parameters, ";as="+tableKind) {
			return "; ask for " + name + ";as=" + tableKind
		}
		if found == "" {
			found = "; ask for " + name + f.parameters
		}
	}
	return found
}

// mediaTypeOf returns the media type of a clause in lower case, without parameters.
func mediaTypeOf(c *clause) string {
	name, _, _ := strings.Cut(c.Text, ";")
	return strings.ToLower(strings.TrimSpace(name))
}

// appendTarget appends the parameters that choose a target. The core group is omitted if it is also
// the endpoint's, because that is the default of g.
func appendTarget(dst []byte, target, offered schema.GroupVersionKind, as string) []byte {
	if target.Group != "" || offered.Group != "" {
		dst = accept.AppendParameter(dst, "g", target.Group)
	}
	dst = accept.AppendParameter(dst, "v", target.Version)
	if as != "" {
		dst = accept.AppendParameter(dst, "as", as)
	}
	return dst
}
