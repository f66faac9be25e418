package aggregator

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/askind/askind/aggregator/v1alpha1"
	"github.com/askind/askind/discovery"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/schema"
)

// The reasons of conditions.
const (
	reasonAccepted  = "Accepted"
	reasonLocal     = "ServedLocally"
	reasonDuplicate = "DuplicateRegistration"
	reasonNames     = "NamesConflict"
	reasonInvalid   = "InvalidRegistration"
	reasonAnswers   = "Answers"
	reasonSilent    = "DoesNotAnswer"
	reasonPending   = "NotAskedYet"
	reasonMissing   = "NotServed"
	reasonLoop      = "LoopDetected"
	reasonMalformed = "MalformedDescription"
)

// rebuild creates the view from the registrations and the knowledge of their servers. The caller
// holds the lock.
func (a *Aggregator) rebuild() {
	m := merge{
		aggregator: a,
		view: &view{
			local: a.local, registered: a.services != nil, routes: map[schema.GroupVersion]*route{},
			conditions: map[string][]metav1.Condition{},
		},
		kinds: map[schema.GroupResource]string{}, resources: map[schema.GroupKind]string{},
	}
	if a.local != nil {
		for _, r := range a.local.Resources() {
			m.remember(r)
		}
		for _, gv := range a.local.GroupVersions() {
			if _, ok := a.local.Find(pathOf(gv)); ok { // not under another prefix alone
				m.localVersions = append(m.localVersions, gv)
			}
		}
	}
	for _, s := range a.services {
		m.add(s, a.backends[keyOf(&s.Spec)])
	}
	m.sort()
	if a.local != nil {
		m.document(a.local)
	}
	a.view.Swap(m.view).endOthers(m.view)
	close(a.changed)
	a.changed = make(chan struct{})
}

// merge is a view under construction.
type merge struct {
	aggregator    *Aggregator
	view          *view
	localVersions []schema.GroupVersion
	kinds         map[schema.GroupResource]string // the kind of each resource of a group
	resources     map[schema.GroupKind]string     // the resource of each kind of a group
	accepted      []registration
}

// registration is an accepted registration with the resources of its server.
type registration struct {
	service   *v1alpha1.APIService
	resources []discovery.Resource
	stale     bool
	missing   bool // the server has said that it does not serve the group version
}

// add accepts or rejects one registration.
func (m *merge) add(s *v1alpha1.APIService, b *backend) {
	gv := groupVersion(s)
	accept := func(ok bool, reason, message string) {
		m.condition(s, v1alpha1.ConditionAccepted, ok, reason, message)
		if !ok { // in place of what was known while it was accepted
			m.condition(s, v1alpha1.ConditionAvailable, false, reason, message)
		}
	}
	local := slices.Contains(m.localVersions, gv)
	switch {
	case invalid(gv) != nil:
		accept(false, reasonInvalid, "the group or the version cannot be used: "+invalid(gv).Error())
		return
	case s.Spec.URL == "":
		accept(true, reasonAccepted, "the server of this process serves the group version")
		if local {
			m.condition(s, v1alpha1.ConditionAvailable, true, reasonAnswers, "")
		} else {
			m.condition(s, v1alpha1.ConditionAvailable, false, reasonMissing, "this process does not serve "+
				gv.String())
		}
		return
	case b == nil:
		accept(false, reasonInvalid, "the URL or the CA bundle cannot be used")
		return
	case local:
		accept(false, reasonLocal, "the server of this process serves "+gv.String())
		return
	case m.view.routes[gv] != nil:
		accept(false, reasonDuplicate, "an older registration has "+gv.String())
		return
	}
	known := b.known()
	found := known.resources[gv]
	if known.loops[gv] {
		found = nil
	}
	if conflict := m.conflict(found); conflict != "" {
		accept(false, reasonNames, conflict)
		return
	}
	for _, r := range found {
		m.remember(r)
	}
	m.view.routes[gv] = m.aggregator.routeOf(gv, b)
	stale := !known.fresh() || known.stale[gv]
	missing := known.resources != nil && len(found) == 0
	m.accepted = append(m.accepted, registration{s, found, stale, missing})
	accept(true, reasonAccepted, "")
	m.availability(s, known, len(found) > 0)
}

// availability reports whether the server of a registration answers.
func (m *merge) availability(s *v1alpha1.APIService, known *knowledge, serves bool) {
	set := func(ok bool, reason, message string) {
		m.condition(s, v1alpha1.ConditionAvailable, ok, reason, message)
	}
	switch {
	case known.problem() != nil:
		set(false, reasonSilent, "the server does not answer properly; see the log of the aggregator for the cause")
	case !known.fresh():
		set(false, reasonPending, "")
	case known.loops[groupVersion(s)]:
		set(false, reasonLoop, "the server passes requests for "+groupVersion(s).String()+" on, and they come back")
	case known.stale[groupVersion(s)]:
		set(false, reasonSilent, "the server marks its description of "+groupVersion(s).String()+
			" as stale: a server behind it does not answer")
	case !serves:
		set(false, reasonMissing, "the server does not serve "+groupVersion(s).String())
	default:
		set(true, reasonAnswers, "")
	}
}

func (m *merge) condition(s *v1alpha1.APIService, kind string, ok bool, reason, message string) {
	status := metav1.ConditionFalse
	if ok {
		status = metav1.ConditionTrue
	}
	m.view.conditions[s.Name] = append(m.view.conditions[s.Name], metav1.Condition{
		Type: kind, Status: status, Reason: reason, Message: message, ObservedGeneration: s.Generation,
	})
}

// remember records the names of a resource.
func (m *merge) remember(r discovery.Resource) {
	m.kinds[r.GroupResource()] = r.Kind.Kind
	m.resources[schema.GroupKind{Group: r.Group, Kind: r.Kind.Kind}] = r.Resource
}

// conflict describes how resources contradict those of other versions of their group. It returns ""
// if they do not.
func (m *merge) conflict(resources []discovery.Resource) string {
	for _, r := range resources {
		if kind, ok := m.kinds[r.GroupResource()]; ok && kind != r.Kind.Kind {
			return fmt.Sprintf("the resource %s has the kind %s here and %s in another version of the group",
				r.GroupResource(), r.Kind.Kind, kind)
		}
		gk := schema.GroupKind{Group: r.Group, Kind: r.Kind.Kind}
		if resource, ok := m.resources[gk]; ok && resource != r.Resource {
			return fmt.Sprintf("the kind %s has the resource %s here and %s in another version of the group",
				gk, r.Resource, resource)
		}
	}
	return ""
}

// sort sorts the accepted registrations by preference.
func (m *merge) sort() {
	priority := map[string]int32{}
	for _, r := range m.accepted {
		group := r.service.Spec.Group
		priority[group] = max(priority[group], r.service.Spec.GroupPriority)
	}
	slices.SortStableFunc(m.accepted, func(x, y registration) int {
		a, b := &x.service.Spec, &y.service.Spec
		return cmp.Or(
			cmp.Compare(priority[b.Group], priority[a.Group]), strings.Compare(a.Group, b.Group),
			cmp.Compare(b.VersionPriority, a.VersionPriority), schema.CompareVersions(a.Version, b.Version))
	})
	for _, r := range m.accepted {
		m.view.versions = append(m.view.versions, groupVersion(r.service))
	}
}

// document creates the documents of all servers: those of local, with the groups of registrations.
func (m *merge) document(local *discovery.Documents) {
	m.view.docs = local
	var c discovery.Config
	shared := map[string]bool{} // the groups of registrations
	for _, r := range m.accepted {
		if r.missing {
			continue
		}
		shared[r.service.Spec.Group] = true
		c.Versions = append(c.Versions, discovery.Version{GroupVersion: groupVersion(r.service), Stale: r.stale})
		c.Resources = append(c.Resources, r.resources...)
	}
	if len(shared) == 0 {
		return
	}
	// A group that is also served locally is replaced as a whole, so its local versions are added.
	for _, gv := range m.localVersions {
		if shared[gv.Group] {
			c.Versions = append(c.Versions, discovery.Version{GroupVersion: gv})
		}
	}
	for _, r := range local.Resources() {
		if r.Prefix == discovery.PrefixOf(r.Group) && shared[r.Group] {
			c.Resources = append(c.Resources, r)
		}
	}
	docs, err := local.With(c)
	if err != nil {
		// A server reports invalid resources: omit its registrations, one by one.
		m.leaveOut(local, c)
		return
	}
	m.view.docs = docs
}

// leaveOut adds the groups of a config one by one and omits those that are rejected.
func (m *merge) leaveOut(local *discovery.Documents, c discovery.Config) {
	var groups []string
	for _, v := range c.Versions {
		if !slices.Contains(groups, v.Group) {
			groups = append(groups, v.Group)
		}
	}
	for _, group := range groups {
		one := discovery.Config{}
		for _, v := range c.Versions {
			if v.Group == group {
				one.Versions = append(one.Versions, v)
			}
		}
		for _, r := range c.Resources {
			if r.Group == group {
				one.Resources = append(one.Resources, r)
			}
		}
		docs, err := m.view.docs.With(one)
		if err != nil {
			m.blame(group, err)
			continue
		}
		m.view.docs = docs
	}
}

// blame states in the conditions of the registrations of a group why it is not in the documents.
func (m *merge) blame(group string, err error) {
	const most = 1000 // bytes of the message, which quotes what servers send
	message := err.Error()
	if len(message) > most {
		message = strings.ToValidUTF8(message[:most], "") + "…"
	}
	for _, r := range m.accepted {
		if r.service.Spec.Group != group {
			continue
		}
		conditions := m.view.conditions[r.service.Name]
		for i := range conditions {
			if c := &conditions[i]; c.Type == v1alpha1.ConditionAvailable {
				c.Status, c.Reason, c.Message = metav1.ConditionFalse, reasonMalformed, message
			}
		}
	}
}

// pathOf returns the path of the discovery document of a group version, without the leading slash.
func pathOf(gv schema.GroupVersion) string { return discovery.PrefixOf(gv.Group) + "/" + gv.String() }

// invalid returns why a group version cannot be part of a path, or nil.
func invalid(gv schema.GroupVersion) error {
	_, err := discovery.New(discovery.Config{Versions: []discovery.Version{{GroupVersion: gv}}})
	return cmp.Or(err, gv.Check())
}
