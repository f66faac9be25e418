package discovery

import (
	"context"

	"github.com/askind/askind/discovery/v1alpha1"
)

// Storage is where servers store their Groups and tell each other what they serve. All servers of
// one API share it. A read sees every write that completed before the read began.
//
// A write that states a version other than the current one fails with an error that wraps
// metav1.ErrConflict.
type Storage interface {
	// Groups returns all Groups, with the resourceVersion in their metadata. The caller owns them.
	Groups(ctx context.Context) ([]*v1alpha1.Group, error)
	// Group returns the named Group, or nil if it does not exist. A Group that cannot be decoded is
	// deleted and reported as nonexistent.
	Group(ctx context.Context, name string) (*v1alpha1.Group, error)
	// PutGroup stores a Group. It creates the Group if its resourceVersion is blank, and otherwise
	// replaces that version.
	PutGroup(ctx context.Context, g *v1alpha1.Group) error
	// DeleteGroup deletes the given version of a Group.
	DeleteGroup(ctx context.Context, name, resourceVersion string) error

	// Records returns the records whose keys begin with a prefix, which ends with a slash. Clients
	// never see records.
	Records(ctx context.Context, prefix string) ([]Record, error)
	// PutRecord creates or overwrites a record. Each key has only one writer.
	PutRecord(ctx context.Context, key string, value []byte) error
	// DeleteRecord deletes the given revision of a record. It is not an error if the record does
	// not exist.
	DeleteRecord(ctx context.Context, key string, revision uint64) error

	// Changed blocks until a Group or a record may have changed since the previous call. If the
	// context is done first, it returns the error of the context. Spurious returns are allowed.
	Changed(ctx context.Context) error
}

// Record is a small piece of data that servers share. Keys have up to three segments separated by
// slashes: "leases/SERVER" and "announcements/GROUP/SERVER".
type Record struct {
	Key   string
	Value []byte
	// Revision changes with every write of the record.
	Revision uint64
}
