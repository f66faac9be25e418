package client

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	metav1 "github.com/askind/askind/meta/v1"
)

// Option is a setting of one request. Each option lists its verbs; using it with another verb is an
// error.
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
	err         error // an option that cannot be used
}

// use records a given option and its verbs.
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

// check returns an error for options that a verb does not support.
func (o *options) check(verb string) error {
	for _, u := range o.used {
		if !slices.Contains(u.verbs, verb) {
			return fmt.Errorf("client: the option %s is for %s, not for %s", u.option,
				strings.Join(u.verbs, ", "), verb)
		}
	}
	return o.err
}

var (
	selecting = []string{"list", "watch", "deletecollection"}
	writing   = []string{"create", "update", "patch"}
	deleting  = []string{"delete", "deletecollection"}
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

// Shard selects the objects of one of several clients that divide the objects of a resource among
// themselves: client index of count clients, counted from 0. A hash of the uid of an object decides
// to which client it belongs, so each object belongs to exactly one. It belongs to list, watch and
// deletecollection. Servers of Kubernetes need the feature gate ShardedListAndWatch; without it
// they ignore the option.
func Shard(index, count int) Option {
	return option{"Shard", selecting, func(o *options) {
		if index < 0 || index >= count {
			o.err = fmt.Errorf("client: there is no shard %d of %d", index, count)
			return
		}
		o.list.ShardSelector = fmt.Sprintf("shardRange(object.metadata.uid, '%s', '%s')",
			shardBound(index, count), shardBound(index+1, count))
	}}
}

// shardBound returns the hash at which a shard begins.
func shardBound(index, count int) string {
	if index == count {
		return "0x10000000000000000"
	}
	hash, _ := bits.Div64(uint64(index), 0, uint64(count))
	return fmt.Sprintf("0x%016x", hash)
}

// Limit is the maximum number of objects in one response. It belongs to list and deletecollection.
func Limit(n int64) Option {
	return option{"Limit", []string{"list", "deletecollection"}, func(o *options) { o.list.Limit = n }}
}

// Continue requests the page of a list that follows the one with this token. It belongs to list.
func Continue(token string) Option {
	return option{"Continue", []string{"list"}, func(o *options) { o.list.Continue = token }}
}

// nextPage is Continue for a list whose first page may state a version, which the token implies.
func nextPage(token string) Option {
	return option{"Continue", []string{"list"}, func(o *options) {
		o.list.Continue, o.list.ResourceVersion, o.list.ResourceVersionMatch = token, "", ""
	}}
}

// AtVersion requests the state at a resource version, or at a later one unless Exactly is given
// too. A watch starts after it. It belongs to get, list and watch.
func AtVersion(version string) Option {
	return option{"AtVersion", []string{"get", "list", "watch"}, func(o *options) {
		o.version, o.list.ResourceVersion = version, version
	}}
}

// Exactly requests the state at exactly the version of AtVersion. It belongs to list.
func Exactly() Option {
	return option{"Exactly", []string{"list"}, func(o *options) {
		o.list.ResourceVersionMatch = metav1.ResourceVersionMatchExact
	}}
}

// Bookmarks lets the server send bookmarks, from which a watch can be resumed. It belongs to watch.
func Bookmarks() Option {
	return option{"Bookmarks", []string{"watch"}, func(o *options) { o.list.AllowWatchBookmarks = true }}
}

// InitialEvents makes a watch start with the existing objects, followed by a bookmark. It belongs
// to watch.
func InitialEvents() Option {
	return option{"InitialEvents", []string{"watch"}, func(o *options) {
		yes := true
		o.list.SendInitialEvents, o.list.AllowWatchBookmarks, o.list.ResourceVersionMatch = &yes, true,
			metav1.ResourceVersionMatchNotOlderThan
	}}
}

// DryRun makes the server process the request without storing anything. It belongs to create,
// update, patch, delete and deletecollection.
func DryRun() Option {
	return option{"DryRun", slices.Concat(deleting, writing), func(o *options) {
		o.dryRun = []string{metav1.DryRunAll}
		o.deletion.DryRun = o.dryRun
	}}
}

// FieldManager names the manager of the changed fields; the default is the name of the program. It
// belongs to create, update and patch; Apply requires it.
func FieldManager(name string) Option {
	return option{"FieldManager", writing, func(o *options) { o.manager = name }}
}

// FieldValidation states how the server handles unknown and duplicate fields, such as
// [metav1.FieldValidationStrict]. It belongs to create, update and patch.
func FieldValidation(value string) Option {
	return option{"FieldValidation", writing, func(o *options) { o.validation = value }}
}

// Force takes over fields that other managers own. It belongs to patch, for Apply.
func Force() Option {
	return option{"Force", []string{"patch"}, func(o *options) {
		yes := true
		o.force = &yes
	}}
}

// IfUID makes a deletion fail unless the object has this UID. It belongs to delete.
func IfUID(uid string) Option {
	return option{"IfUID", []string{"delete"}, func(o *options) { o.preconditions().UID = &uid }}
}

// IfVersion makes a deletion fail unless the object has this resource version. It belongs to
// delete.
func IfVersion(version string) Option {
	return option{"IfVersion", []string{"delete"}, func(o *options) { o.preconditions().ResourceVersion = &version }}
}

// Propagation states how dependents of a deleted object are handled. It belongs to delete and
// deletecollection.
func Propagation(policy metav1.DeletionPropagation) Option {
	return option{"Propagation", deleting, func(o *options) { o.deletion.PropagationPolicy = &policy }}
}

// GracePeriod is the number of seconds that an object has to terminate. It belongs to delete and
// deletecollection.
func GracePeriod(seconds int64) Option {
	return option{"GracePeriod", deleting, func(o *options) { o.deletion.GracePeriodSeconds = &seconds }}
}

// Subresource directs the request to a subresource, such as "status". It belongs to get, create,
// update and patch.
func Subresource(name string) Option {
	return option{"Subresource", append([]string{"get"}, writing...), func(o *options) { o.subresource = name }}
}

func (o *options) patch() *metav1.PatchOptions {
	return &metav1.PatchOptions{
		DryRun: o.dryRun, Force: o.force, FieldManager: o.manager, FieldValidation: o.validation,
	}
}

func (o *options) preconditions() *metav1.Preconditions {
	if o.deletion.Preconditions == nil {
		o.deletion.Preconditions = &metav1.Preconditions{}
	}
	return o.deletion.Preconditions
}
