package serializer

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/askind/askind/schema"
)

// metaGroup is the group whose kinds every endpoint may show its objects as, without the client
// naming the group.
const metaGroup = "meta.k8s.io"

// statusKind is the name of the kind that reports errors.
const statusKind = "Status"

// tableKind is the name of the kind whose rows may hold objects.
const tableKind = "Table"

// Offer declares what an endpoint can answer with. The zero value offers all formats for the object
// itself.
type Offer struct {
	_ struct{} // literals name their fields

	// Kind is what the endpoint serves: the kind of the object or, where it answers with a list, of
	// the list, in the version of the endpoint. If it is empty, only the format is negotiated.
	Kind schema.GroupVersionKind
	// MediaTypes are the media types on offer, the preferred one first; none means all of the
	// factory.
	MediaTypes []string
	// Pretty is the form for clients that state none. It means nothing for streams, which are
	// always compact.
	Pretty bool
	// Export leaves out what the server set or filled in, for clients that do not say whether they
	// want that: the legacy ?export=1.
	Export bool
	// Stream names what the endpoint sends if it is not one document: "watch". Clients may ask for
	// that name with the parameter stream, and get nothing from an endpoint that sends another.
	// Only formats with frames for events are on offer then.
	Stream string
	// Profiles are the values of the parameter profile that the endpoint understands.
	Profiles []string
}

// NegotiateStatus chooses how to write an error that occurs before or instead of a negotiation: in
// the most preferred format of the header that can write a Status. Errors are never shown as
// another kind, so parameters that choose one are ignored. If no format is acceptable the result is
// [Factory.ReadableStatus].
func (f *Factory) NegotiateStatus(accept []string, offer Offer) *Representation {
	e, err := f.Endpoint(Offer{MediaTypes: offer.MediaTypes, Pretty: offer.Pretty})
	if err != nil {
		return f.ReadableStatus()
	}
	n := f.negotiation()
	defer f.done(n)
	n.Endpoint, n.forStatus = e, true
	rep, err := n.run(accept)
	if err != nil {
		return f.ReadableStatus()
	}
	return rep
}

// ReadableStatus is the representation of errors for clients that accept no known format: the
// indented form of the first text format. Use it for a [*NotAcceptableError].
func (f *Factory) ReadableStatus() *Representation {
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

// negotiation is one run of the choice. Used ones are kept for their memory, of which [maxClauses]
// bounds the size.
type negotiation struct {
	*Endpoint

	clauses   []clause
	forStatus bool                      // what is written is a Status
	without   []schema.GroupVersionKind // targets that could not be made of the object
	chosen    shape
}

func (f *Factory) negotiation() *negotiation {
	if n, ok := f.negotiations.Get().(*negotiation); ok {
		return n
	}
	return new(negotiation)
}

// done puts a negotiation away. It must not keep the header, to which the clauses refer.
func (f *Factory) done(n *negotiation) {
	clear(n.clauses)
	n.Endpoint, n.clauses, n.forStatus, n.without = nil, n.clauses[:0], false, nil
	n.chosen = shape{}
	f.negotiations.Put(n)
}

// choice is what a negotiation ends in. The clause is the one that asked for it, nil for an empty
// header.
type choice struct {
	media   int // in the offer; -1 if there is no choice
	clause  *clause
	quality uint16
}

// shape is all that tells the representations of an endpoint apart.
type shape struct {
	media           int // index among the media types of the factory
	target          schema.GroupVersionKind
	stated          parameters // those of the clause that the Content-Type repeats
	pretty, export  bool
	drop            bool // managedFields are left out
	unversioned     bool // a Status states no apiVersion
	as, server      string
	include, stream string
	profile         string
}

func (n *negotiation) run(accept []string) (*Representation, error) {
	f := n.factory
	n.clauses = parseAccept(n.clauses, accept, f.harmless)
	for i := range n.clauses {
		if c := &n.clauses[i]; c.fault.kind == noFault {
			f.recognize(c, n.offer.Kind.Empty())
			n.prepare(c)
		}
	}
	best := n.best()
	if best.media < 0 {
		return nil, n.notAcceptable(accept)
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

// shape fills s with the choice without the clause that it came from. All fields of s are zero
// before.
func (n *negotiation) shape(r *choice, s *shape) {
	s.media, s.target, s.pretty, s.export, s.stream = n.media[r.media].index, n.offer.Kind, n.offer.Pretty,
		n.offer.Export, n.offer.Stream
	if c := r.clause; c != nil {
		s.target, s.stated = c.target, c.has&choosing
		s.as, s.server, s.include, s.profile = c.as, c.server, c.include, c.profile
		s.pretty, s.export, s.drop = n.wantsPretty(c), n.wantsExport(c), c.drop
	}
	s.pretty = s.pretty && s.stream == ""
	s.export = s.export && !n.forStatus
}

func (n *negotiation) wantsPretty(c *clause) bool {
	if c.has&hasPretty != 0 {
		return c.pretty
	}
	return n.offer.Pretty
}

func (n *negotiation) wantsExport(c *clause) bool {
	if c.has&hasExport != 0 {
		return c.export
	}
	return n.offer.Export
}

// prepare finds out what a clause stands for. It notes a fault in a clause that asks for what does
// not exist.
func (n *negotiation) prepare(c *clause) {
	if c.media = n.covered(c); c.media == 0 {
		return // it takes no part in the choice
	}
	if n.forStatus {
		c.has &^= transforming | hasInclude | hasExport | hasProfile | hasStream | hasDrop
		c.as, c.include, c.profile, c.stream, c.drop = "", "", "", "", false
	}
	if c.has&^(hasQuality|hasCharset|hasPretty|hasExport|hasDrop) != 0 {
		n.resolve(c)
	} else {
		c.target = n.offer.Kind
	}
	if c.has&transforming == 0 && c.level == exact {
		n.show(c)
	}
	if n.without != nil && slices.Contains(n.without, c.target) {
		c.fail(fault{kind: unavailable})
	}
	c.rank = c.specificity()
}

// covered returns the media types on offer that the range of a clause covers.
func (n *negotiation) covered(c *clause) (set mediaSet) {
	switch c.level {
	case exact:
		switch {
		case c.name == nil || c.name.media < 0: // as most of what browsers ask for
		case len(n.offer.MediaTypes) == 0:
			set = 1 << c.name.media
		default:
			j := slices.IndexFunc(n.media, func(m mediaType) bool { return m.index == c.name.media })
			if j >= 0 {
				set = 1 << j
			}
		}
	case anySubtype:
		for j := range n.media {
			if equalFold(c.typ, n.media[j].typ) {
				set |= 1 << j
			}
		}
	case anyType:
		set = 1<<len(n.media) - 1
	}
	return set
}

// resolve looks up what the parameters of a clause stand for.
func (n *negotiation) resolve(c *clause) {
	switch {
	case c.has&hasServer != 0 && !n.factory.hasServerVersion(c.server):
		c.fail(fault{kind: unavailable, name: "sv", value: c.server})
		return
	case c.has&hasStream != 0 && c.stream != n.offer.Stream:
		c.fail(fault{kind: unavailable, name: "stream", value: c.stream})
		return
	case c.has&hasProfile != 0 && !slices.Contains(n.offer.Profiles, c.profile):
		c.fail(fault{kind: unavailable, name: "profile", value: c.profile})
		return
	}
	var ok bool
	switch {
	case c.has&transforming == 0:
		c.target = n.offer.Kind
	default:
		if c.target, ok = n.target(c); !ok {
			c.fail(fault{kind: unavailable})
			return
		}
	}
	if c.has&hasInclude != 0 && c.target.Kind != tableKind {
		c.fail(fault{kind: unavailable, name: "includeObject", value: c.include})
	}
}

// show lets the format of a clause say what it shows the endpoint's kind as.
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

// hasServerVersion reports whether the generic kinds can be had in that version of meta.k8s.io.
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
		if c.media == 0 || c.fault.kind != noFault || c.quality == 0 {
			continue
		}
		for rest := c.media; rest != 0; rest &= rest - 1 {
			j := bits.TrailingZeros64(uint64(rest))
			if !n.encodes(&n.media[j], c.target) {
				continue
			}
			quality := n.quality(j, c)
			// Clauses and media types are visited in order, so that among equals the first one
			// stays.
			if quality > best.quality || quality == best.quality && best.clause != nil && c.level > best.clause.level {
				best = choice{media: j, clause: c, quality: quality}
			}
		}
	}
	return best
}

// quality is the weight of what a clause asks for, in one of the media types: that of the most
// specific clause that matches it.
func (n *negotiation) quality(media int, asked *clause) uint16 {
	quality, rank := uint16(0), -1
	for i := range n.clauses {
		c := &n.clauses[i]
		if c.media>>media&1 == 0 || c.fault.kind != noFault || c.rank <= rank {
			continue
		}
		if c != asked && c.has&choosing != 0 && !n.covers(c, asked) {
			continue
		}
		quality, rank = c.quality, c.rank
	}
	return quality
}

// covers reports whether the parameters of a clause hold for what another one asks for.
func (n *negotiation) covers(c, asked *clause) bool {
	switch {
	case c.has&transforming != 0 && c.target != asked.target,
		c.has&hasServer != 0 && c.server != asked.server,
		c.has&hasInclude != 0 && c.include != asked.include,
		c.has&hasProfile != 0 && c.profile != asked.profile,
		c.has&hasExport != 0 && c.export != n.wantsExport(asked),
		c.has&hasDrop != 0 && c.drop != asked.drop,
		c.has&hasPretty != 0 && n.offer.Stream == "" && c.pretty != n.wantsPretty(asked):
		return false
	}
	return true
}

// encodes reports whether the format of a media type can write a kind, in events where those are
// what is sent.
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
	if gvk.Empty() { // the kind is not known yet
		return true
	}
	k, ok := n.factory.scheme.Lookup(gvk)
	return ok && m.encodes(k)
}

// target returns the kind that a clause asks for. ok is false if the endpoint's kind cannot be had
// as that.
func (n *negotiation) target(c *clause) (target schema.GroupVersionKind, ok bool) {
	from := n.offer.Kind
	if from.Empty() {
		return target, false
	}
	scheme, own := n.factory.scheme, from.GroupVersion()
	in := func(gv schema.GroupVersion) bool {
		if c.has&hasAs != 0 {
			target, ok = scheme.CanAs(from, gv.WithKind(c.as))
		} else {
			target, ok = n.converted(gv)
		}
		return ok
	}
	inGroup := func(group string) bool { return slices.ContainsFunc(scheme.Versions(group), in) }
	switch c.has & (hasGroup | hasVersion) {
	case hasGroup | hasVersion:
		ok = in(schema.GroupVersion{Group: c.group, Version: c.version})
	case hasVersion:
		ok = in(schema.GroupVersion{Group: own.Group, Version: c.version}) ||
			c.has&hasAs != 0 && in(schema.GroupVersion{Group: metaGroup, Version: c.version})
	case hasGroup:
		ok = c.group == own.Group && in(own) || inGroup(c.group)
	default:
		ok = in(own) || c.has&hasServer != 0 && in(schema.GroupVersion{Group: metaGroup, Version: c.server}) ||
			inGroup(metaGroup)
	}
	if !ok {
		return schema.GroupVersionKind{}, false
	}
	return target, true
}

// converted returns the kind that the endpoint's kind has in a group version: the one of the same
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
		// Equivalence goes both ways, which showing as another kind does not.
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

// notAcceptable makes the error that says what is on offer, and why nothing of what was asked for
// is.
func (n *negotiation) notAcceptable(accept []string) error {
	e := n.onOffer()
	e.Accept = slices.Clone(accept)
	for i := range n.clauses {
		c := &n.clauses[i]
		if c.fault.kind == noFault && c.quality == 0 {
			continue // nothing was asked for
		}
		e.Refused = append(e.Refused, Refusal{Clause: c.text, Reason: n.reason(c, e)})
	}
	return e
}

// onOffer makes an error that lists what is on offer, first the kinds that the client named.
func (n *negotiation) onOffer() *NotAcceptableError {
	scheme, from := n.factory.scheme, n.offer.Kind
	e := &NotAcceptableError{Kind: from}
	for i := range n.media {
		e.MediaTypes = append(e.MediaTypes, n.media[i].name)
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
	slices.SortStableFunc(e.As, func(a, b schema.GroupVersionKind) int { return cmp.Compare(n.asked(a), n.asked(b)) })
	n.leaveOut(e)
	e.Aliases = n.availableAliases()
	return e
}

// asked returns the place in the Accept header of the first clause that names a kind, whatever its
// group and version; behind all clauses if none does.
func (n *negotiation) asked(gvk schema.GroupVersionKind) int {
	i := slices.IndexFunc(n.clauses, func(c clause) bool { return c.as == gvk.Kind })
	if i < 0 {
		return len(n.clauses)
	}
	return i
}

// leaveOut notes which of the representations that the error would list cannot be written in which
// format.
func (n *negotiation) leaveOut(e *NotAcceptableError) {
	e.unwritten = make(map[string]bool)
	note := func(parameters string, target schema.GroupVersionKind) {
		for i := range n.media {
			if m := &n.media[i]; !n.encodes(m, target) {
				e.unwritten[m.name+parameters] = true
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

// reason says why a clause could not be served.
func (n *negotiation) reason(c *clause, e *NotAcceptableError) string {
	switch {
	case c.fault.kind == unavailable:
		return n.unavailable(c, e)
	case c.fault.kind != noFault:
		return c.fault.String()
	}
	switch {
	case c.media == 0:
		return "the media type is not on offer"
	case !n.writes(c):
		return "the format cannot write it" + e.instead(c)
	}
	return "excluded by the weight 0 of another"
}

// unavailable says why what a clause asks for does not exist.
func (n *negotiation) unavailable(c *clause, e *NotAcceptableError) string {
	switch {
	case slices.Contains(n.without, c.target):
		return "it could not be made of the object"
	case c.fault.name == "sv":
		return "no version " + quote(c.server) + " of the generic kinds"
	case c.fault.name == "includeObject":
		return "includeObject is for tables"
	case c.fault.name != "":
		return "the " + c.fault.name + " " + quote(c.fault.value) + " is not on offer"
	case n.offer.Kind.Empty():
		return "only the format can be chosen here"
	case c.has&hasAs == 0:
		return "not available in that group and version"
	}
	msg := fmt.Sprintf("%s cannot be shown as %s", n.offer.Kind.Kind, quote(c.as))
	for _, gvk := range e.As {
		if gvk.Kind == c.as {
			return msg + " of that group and version; ask for " + e.asForm(gvk)[1:]
		}
	}
	names := make([]string, len(e.As))
	for i, gvk := range e.As {
		names[i] = gvk.Kind
	}
	if near, ok := schema.Nearest(c.as, names); ok {
		msg += fmt.Sprintf(", did you mean %q?", near)
	}
	return msg
}

// instead names a form of what is on offer that the format of a clause can write, tables first;
// blank if there is none.
func (e *NotAcceptableError) instead(c *clause) string {
	if c.has&hasAs != 0 {
		return ""
	}
	name, _, _ := strings.Cut(c.text, ";")
	name = strings.TrimSpace(name)
	found := ""
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

// appendTarget appends the parameters that choose a target. The group without a name is left out
// where it is the endpoint's as well, because that is what a missing g means.
func appendTarget(dst []byte, target, offered schema.GroupVersionKind, as string) []byte {
	if target.Group != "" || offered.Group != "" {
		dst = appendParameter(dst, "g", target.Group)
	}
	dst = appendParameter(dst, "v", target.Version)
	if as != "" {
		dst = appendParameter(dst, "as", as)
	}
	return dst
}
