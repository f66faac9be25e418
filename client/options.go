package client

import (
	"fmt"
	"slices"
	"strings"

	metav1 "github.com/askind/askind/meta/v1"
)

// Option is a setting of one request. Each option says which verbs it belongs to; given to another
// one it is an error.
type Option interface{ apply(*options) }

// options are the settings of a request.
type options struct {
	list        metav1.ListOptions
	version     string // of a get
	dryRun      []string
	manager     string
	validation  string
	force       *bool
	deletion    metav1.DeleteOptions
	subresource string
	used        []use
}

// use is an option that was given, with the verbs that it belongs to.
type use struct {
	option string
	verbs  []string
}

type option struct {
	name  string
	verbs []string
	set   func(*options)
}

func (o option) apply(all *options) {
	o.set(all)
	all.used = append(all.used, use{o.name, o.verbs})
}

func gather(opts []Option) *options {
	out := &options{}
	for _, o := range opts {
		o.apply(out)
	}
	return out
}

// check returns an error for options that do not belong to a verb.
func (o *options) check(verb string) error {
	for _, u := range o.used {
		if !slices.Contains(u.verbs, verb) {
			return fmt.Errorf("client: the option %s belongs to %s, not to %s", u.option,
				strings.Join(u.verbs, ", "), verb)
		}
	}
	return nil
}

var (
	selecting = []string{"list", "watch", "deletecollection"}
	writing   = []string{"create", "update", "patch"}
)

// Labels selects objects by their labels: "app=web,tier!=test". It belongs to list, watch and
// deletecollection.
func Labels(selector string) Option {
	return option{"Labels", selecting, func(o *options) { o.list.LabelSelector = selector }}
}

// Fields selects objects by fields: "metadata.name=web". It belongs to list, watch and
// deletecollection.
func Fields(selector string) Option {
	return option{"Fields", selecting, func(o *options) { o.list.FieldSelector = selector }}
}

// Limit is the largest number of objects in one answer. It belongs to list and deletecollection.
func Limit(n int64) Option {
	return option{"Limit", []string{"list", "deletecollection"}, func(o *options) { o.list.Limit = n }}
}

// Continue asks for the part of a list behind the one that came with the token. It belongs to list.
func Continue(token string) Option {
	return option{"Continue", []string{"list"}, func(o *options) { o.list.Continue = token }}
}

// AtVersion asks for the state at a resource version, or at a later one unless Exactly is given
// too. A watch begins behind it. It belongs to get, list and watch.
func AtVersion(version string) Option {
	return option{"AtVersion", []string{"get", "list", "watch"}, func(o *options) {
		o.version,
			o.list.ResourceVersion = version, version
	}}
}

// Exactly asks for the state at the version that AtVersion names and at no later one. It belongs to
// list.
func Exactly() Option {
	return option{
		"Exactly", []string{"list"}, func(o *options) {
			o.list.ResourceVersionMatch = metav1.ResourceVersionMatchExact
		},
	}
}

// Bookmarks lets the server send bookmarks, from which a watch can go on. It belongs to watch.
func Bookmarks() Option {
	return option{"Bookmarks", []string{"watch"}, func(o *options) { o.list.AllowWatchBookmarks = true }}
}

// InitialEvents has a watch begin with the objects that are there, and a bookmark behind them. It
// belongs to watch.
func InitialEvents() Option {
	return option{"InitialEvents", []string{"watch"}, func(o *options) {
		yes := true
		o.list.SendInitialEvents, o.list.AllowWatchBookmarks, o.list.ResourceVersionMatch = &yes, true,
			metav1.ResourceVersionMatchNotOlderThan
	}}
}

// DryRun has the server go through everything without storing anything. It belongs to create,
// update, patch, delete and deletecollection.
func DryRun() Option {
	return option{"DryRun", append([]string{"delete", "deletecollection"}, writing...), func(o *options) {
		o.dryRun = []string{metav1.DryRunAll}
		o.deletion.DryRun = o.dryRun
	}}
}

// FieldManager names who makes the change. It belongs to create, update and patch, and Apply needs
// it.
func FieldManager(name string) Option {
	return option{"FieldManager", writing, func(o *options) { o.manager = name }}
}

// FieldValidation says what becomes of unknown and duplicate fields: [metav1.FieldValidationStrict]
// and so on. It belongs to create, update and patch.
func FieldValidation(value string) Option {
	return option{"FieldValidation", writing, func(o *options) { o.validation = value }}
}

// Force takes fields from their present managers. It belongs to patch, for Apply.
func Force() Option {
	return option{"Force", []string{"patch"}, func(o *options) {
		yes := true
		o.force = &yes
	}}
}

// IfUID has a deletion fail unless the object has this UID. It belongs to delete.
func IfUID(uid string) Option {
	return option{"IfUID", []string{"delete"}, func(o *options) { o.preconditions().UID = &uid }}
}

// IfVersion has a deletion fail unless the object has this resource version. It belongs to delete.
func IfVersion(version string) Option {
	return option{"IfVersion", []string{"delete"}, func(o *options) { o.preconditions().ResourceVersion = &version }}
}

// Propagation says what becomes of the dependents of what is deleted. It belongs to delete and
// deletecollection.
func Propagation(policy metav1.DeletionPropagation) Option {
	return option{
		"Propagation",
		[]string{"delete", "deletecollection"},
		func(o *options) { o.deletion.PropagationPolicy = &policy },
	}
}

// GracePeriod is how many seconds an object may take to end. It belongs to delete and
// deletecollection.
func GracePeriod(seconds int64) Option {
	return option{
		"GracePeriod",
		[]string{"delete", "deletecollection"},
		func(o *options) { o.deletion.GracePeriodSeconds = &seconds },
	}
}

// Subresource has the request be about a part of the object, such as "status". It belongs to get,
// create, update and patch.
func Subresource(name string) Option {
	return option{"Subresource", append([]string{"get"}, writing...), func(o *options) { o.subresource = name }}
}

func (o *options) preconditions() *metav1.Preconditions {
	if o.deletion.Preconditions == nil {
		o.deletion.Preconditions = &metav1.Preconditions{}
	}
	return o.deletion.Preconditions
}
