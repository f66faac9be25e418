package etcd

import (
	"context"
	"errors"
	"fmt"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// ErrOldVersion reports that a member of etcd is too old for this package. Test for it with
// errors.Is.
var ErrOldVersion = errors.New("etcd is too old: use 3.4.31, 3.5.13, 3.6 or newer, " +
	"because older versions say that a watch is complete before it is")

// statusTime bounds the time that a member may take to return its version.
const statusTime = 2 * time.Second

// checkVersions returns an error if a member that answers is too old. Members that do not answer
// count as new enough.
func checkVersions(ctx context.Context, client *clientv3.Client) error {
	for _, endpoint := range client.Endpoints() {
		ctx, cancel := context.WithTimeout(ctx, statusTime)
		status, err := client.Status(ctx, endpoint)
		cancel()
		if err == nil && isOld(status.Version) {
			return fmt.Errorf("store/etcd: %s runs %s: %w", endpoint, status.Version, ErrOldVersion)
		}
	}
	return nil
}

// isOld reports whether progress notifications of a version of etcd overtake changes: etcd issue
// 15220. What cannot be read as a version is not old.
func isOld(version string) bool {
	var major, minor, patch int
	if n, _ := fmt.Sscanf(version, "%d.%d.%d", &major, &minor, &patch); n < 3 {
		return false
	}
	switch {
	case major != 3:
		return major < 3
	case minor == 4:
		return patch < 31
	case minor == 5:
		return patch < 13
	}
	return minor < 4
}
