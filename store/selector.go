package store

import (
	"fmt"
	"slices"
	"strings"

	"github.com/askind/askind/meta/selector"
	metav1 "github.com/askind/askind/meta/v1"
)

// The fields that every object can be selected by.
const (
	fieldName      = "metadata.name"
	fieldNamespace = "metadata.namespace"
)

// FieldSelector selects objects whose fields meet all of its requirements. The zero FieldSelector
// selects everything. It never changes.
type FieldSelector struct{ requirements []FieldRequirement }

// FieldRequirement is a condition on one field: that it has the value or, with Not, a different
// one.
type FieldRequirement struct {
	Path, Value string
	Not         bool
}

// ParseFieldSelector parses the fieldSelector parameter of requests: requirements joined by commas.
//
//	spec.nodeName=a      the field has the value; == is the same
//	spec.nodeName!=a     it has another one
//
// In values a backslash stands before a backslash, a comma and an equals sign that belong to the
// value. The error is a BadRequest.
func ParseFieldSelector(text string) (FieldSelector, error) {
	var s FieldSelector
	for _, term := range splitEscaped(text) {
		if term == "" {
			continue
		}
		f, err := parseFieldRequirement(term)
		if err != nil {
			return FieldSelector{}, err
		}
		s.requirements = append(s.requirements, f)
	}
	return s, nil
}

// splitEscaped splits a text at commas that have no backslash before them.
func splitEscaped(text string) (terms []string) {
	from := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case ',':
			terms = append(terms, text[from:i])
			from = i + 1
		}
	}
	return append(terms, text[from:])
}

func parseFieldRequirement(term string) (FieldRequirement, error) {
	i := strings.IndexByte(term, '=')
	if i <= 0 {
		return FieldRequirement{}, invalidOption("fieldSelector",
			fmt.Sprintf("%.64q is not of the form field=value", term))
	}
	f := FieldRequirement{Path: term[:i]}
	value := term[i+1:]
	if f.Not = strings.HasSuffix(f.Path, "!"); f.Not {
		f.Path = f.Path[:i-1]
	} else {
		value = strings.TrimPrefix(value, "=")
	}
	if f.Path = strings.TrimSpace(f.Path); f.Path == "" {
		return FieldRequirement{}, invalidOption("fieldSelector", fmt.Sprintf("%.64q names no field", term))
	}
	var ok bool
	if f.Value, ok = unescape(value); !ok {
		return FieldRequirement{}, invalidOption("fieldSelector",
			fmt.Sprintf("the value in %.64q has a backslash or an equals sign without a backslash before it", term))
	}
	return f, nil
}

// unescape takes away the backslashes before characters that have a meaning.
func unescape(s string) (string, bool) {
	if !strings.ContainsAny(s, `\=`) {
		return s, true
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '=':
			return "", false
		case '\\':
			i++
			if i == len(s) || !strings.ContainsRune(`\,=`, rune(s[i])) {
				return "", false
			}
		}
		b.WriteByte(s[i])
	}
	return b.String(), true
}

// Empty reports whether the selector selects everything.
func (s FieldSelector) Empty() bool { return len(s.requirements) == 0 }

// Requirements returns the requirements.
func (s FieldSelector) Requirements() []FieldRequirement { return slices.Clone(s.requirements) }

// String returns the selector in the grammar of [ParseFieldSelector].
func (s FieldSelector) String() string {
	terms := make([]string, len(s.requirements))
	escape := strings.NewReplacer(`\`, `\\`, `,`, `\,`, `=`, `\=`)
	for i, f := range s.requirements {
		operator := "="
		if f.Not {
			operator = "!="
		}
		terms[i] = f.Path + operator + escape.Replace(f.Value)
	}
	return strings.Join(terms, ",")
}

// selection is what a list or watch selects of a resource.
type selection struct {
	// Every event reads these. They come first, because events find little of a watch in the caches
	// of a processor that serves thousands of them.
	resource *Resource
	prefix   string // what the keys begin with
	exact    bool   // the prefix is the whole key
	all      bool   // there are no conditions on labels, fields and shards
	none     bool   // nothing can be selected

	namespace string // blank for all
	name      string // blank for all
	labels    selector.Selector
	shards    ShardSelector
	terms     []fieldTerm
	index     int // the number of the term that is answered by an index, -1 for none
	scratch   map[string]string
}

// fieldTerm is a requirement on a field.
type fieldTerm struct {
	field int // the number of a declared field, or one of those below
	value string
	not   bool
}

// The numbers of the fields that are not declared.
const (
	termName      = -1
	termNamespace = -2
)

// selects returns what a list or watch selects.
func (r *Resource) selects(o *ListOptions) (*selection, error) {
	s := &selection{
		resource: r, namespace: o.Namespace, name: o.Name, labels: o.Labels, shards: o.Shards, index: -1,
	}
	for _, f := range o.Fields.requirements {
		switch {
		case f.Path == fieldName && !f.Not:
			s.none = s.none || s.name != "" && s.name != f.Value || f.Value == ""
			s.name = f.Value
		case f.Path == fieldNamespace && !f.Not:
			s.none = s.none || s.namespace != "" && s.namespace != f.Value || f.Value == "" && r.namespaced()
			s.namespace = f.Value
		case f.Path == fieldName:
			s.terms = append(s.terms, fieldTerm{field: termName, value: f.Value, not: true})
		case f.Path == fieldNamespace:
			s.terms = append(s.terms, fieldTerm{field: termNamespace, value: f.Value, not: true})
		default:
			if err := s.addTerm(f); err != nil {
				return nil, err
			}
		}
	}
	s.all = o.Labels.Empty() && o.Shards.Empty() && len(s.terms) == 0
	s.setPrefix()
	return s, nil
}

// addTerm adds a requirement on a declared field.
func (s *selection) addTerm(f FieldRequirement) error {
	r := s.resource
	i := slices.IndexFunc(r.fields, func(d field) bool { return d.Path == f.Path })
	if i < 0 {
		known := []string{fieldName, fieldNamespace}
		for _, d := range r.fields {
			known = append(known, d.Path)
		}
		return invalidOption("fieldSelector", fmt.Sprintf("%s cannot be selected by %.64q; use one of %s", r.resource,
			f.Path, strings.Join(known, ", ")))
	}
	if s.index < 0 && r.fields[i].Index && !f.Not {
		s.index = len(s.terms)
	}
	s.terms = append(s.terms, fieldTerm{i, f.Value, f.Not})
	return nil
}

// setPrefix sets the prefix of all keys that may be selected.
func (s *selection) setPrefix() {
	r := s.resource
	s.prefix = r.prefix
	switch cluster := !r.namespaced(); {
	case cluster && s.namespace != "":
		s.none = true
	case cluster:
		s.prefix += "/"
	case s.namespace != "":
		s.prefix += s.namespace + "/"
	}
	if s.name == "" {
		return
	}
	if key, err := r.engineKey(Key{Namespace: s.namespace, Name: s.name}); err == nil {
		s.prefix, s.exact = key, true
		return
	}
	if r.namespaced() && s.namespace == "" && segment(s.name) {
		s.terms, s.all = append(s.terms, fieldTerm{field: termName, value: s.name}), false // one name in all namespaces
		return
	}
	s.none = true
}

// covers reports whether the object under a key may be selected.
func (s *selection) covers(key string) bool {
	if s.exact {
		return key == s.prefix
	}
	return strings.HasPrefix(key, s.prefix)
}

// matches reports whether an entry of the resource whose key is covered is selected. Entries that
// cannot be decoded are not.
func (s *selection) matches(e *Entry) bool {
	return e.decodable() && (s.all || s.meets(e, e.known.Load()))
}

func (s *selection) meets(e *Entry, k *known) bool {
	for _, t := range s.terms {
		var value string
		switch t.field {
		case termName:
			value = e.Key().Name
		case termNamespace:
			value = e.Key().Namespace
		default:
			value = k.fields[t.field]
		}
		if (value == t.value) == t.not {
			return false
		}
	}
	if !s.shards.Empty() && !s.shards.has(s.shards.hash(e)) {
		return false
	}
	if s.labels.Empty() {
		return true
	}
	if s.scratch == nil {
		s.scratch = map[string]string{}
	}
	clear(s.scratch)
	for i := 0; i < len(k.labels); i += 2 {
		s.scratch[k.labels[i]] = k.labels[i+1]
	}
	return s.labels.Matches(s.scratch)
}

// topic returns the topic of watches with this selection.
func (s *selection) topic() topicKey {
	if s.index >= 0 && !s.exact {
		t := s.terms[s.index]
		return topicKey{s.resource.prefix, s.resource.fields[t.field].Path, t.value}
	}
	if s.exact || s.namespace != "" {
		return topicKey{prefix: s.prefix}
	}
	if !s.shards.Empty() {
		return topicKey{s.resource.prefix, shardTopic, s.shards.text}
	}
	return topicKey{prefix: s.resource.prefix}
}

// ListOptions converts the options of a request. The error is a BadRequest for malformed selectors.
func (r *Resource) ListOptions(namespace string, o *metav1.ListOptions) (ListOptions, error) {
	out := ListOptions{
		Namespace: namespace, ResourceVersion: o.ResourceVersion,
		ResourceVersionMatch: o.ResourceVersionMatch, Limit: o.Limit, Continue: o.Continue,
	}
	var err error
	if out.Labels, err = selector.Parse(o.LabelSelector); err != nil {
		return out, invalidOption("labelSelector", err.Error())
	}
	if out.Fields, err = ParseFieldSelector(o.FieldSelector); err != nil {
		return out, err
	}
	out.Shards, err = ParseShardSelector(o.ShardSelector)
	return out, err
}

// WatchOptions converts the options of a request. The error is a BadRequest for malformed
// selectors and for a token of a list.
func (r *Resource) WatchOptions(namespace string, o *metav1.ListOptions) (WatchOptions, error) {
	l, err := r.ListOptions(namespace, o)
	if err == nil && o.Continue != "" {
		err = invalidOption("continue", "not allowed for a watch, which has no pages")
	}
	recent := o.ResourceVersion == "" || o.ResourceVersion == "0"
	initial := recent
	if o.SendInitialEvents != nil {
		initial = *o.SendInitialEvents
	}
	return WatchOptions{
		Namespace: namespace, Labels: l.Labels, Fields: l.Fields, Shards: l.Shards,
		ResourceVersion: o.ResourceVersion, Initial: initial, Bookmarks: o.AllowWatchBookmarks,
	}, err
}
