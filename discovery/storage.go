package discovery

import (
	"context"

	"github.com/askind/askind/discovery/v1alpha1"
)

// Storage is where servers keep their Groups and tell each other what they serve. All servers of
// one API share it. Reads see every write that ended before they began.
//
// A write at a version other than the present one fails with an error that wraps
// metav1.ErrConflict.
type Storage interface {
	// Groups returns all Groups, with the resourceVersion in their metadata. They are the caller's.
	Groups(ctx context.Context) ([]*v1alpha1.Group, error)
	// Group returns one Group, or nil if there is none.
	Group(ctx context.Context, name string) (*v1alpha1.Group, error)
	// PutGroup stores a Group: a new one if its resourceVersion is blank, else in the place of that
	// version.
	PutGroup(ctx context.Context, g *v1alpha1.Group) error
	// DeleteGroup deletes a Group of a version.
	DeleteGroup(ctx context.Context, name, resourceVersion string) error

	// Records returns the records whose keys begin with a prefix, which ends with a slash. Clients
	// never see records.
	Records(ctx context.Context, prefix string) ([]Record, error)
	// PutRecord stores a record, whatever was there before. Each key has one writer.
	PutRecord(ctx context.Context, key string, value []byte) error
	// DeleteRecord deletes a record of a revision. A record that does not exist is not an error.
	DeleteRecord(ctx context.Context, key string, revision uint64) error

	// Changed waits until a Group or a record may have changed since it was called the last time,
	// or the context is done, whose error it returns. It may return although nothing has changed.
	Changed(ctx context.Context) error
}

// Record is a small piece of data that servers share. Keys have up to three segments separated by
// slashes: "leases/SERVER" and "announcements/GROUP/SERVER".
type Record struct {
	Key   string
	Value []byte
	// Revision is different for every write of the record.
	Revision uint64
}
