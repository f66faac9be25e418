package client_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/askind/askind/client"
	metav1 "github.com/askind/askind/meta/v1"
)

// TestCacheLists checks that the lists of a cache follow changes, and that one of a namespace has
// nothing of another whose name begins with the same letters.
func TestCacheLists(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		lists := []*CarList{
			carsAt("1", car("a", "van", 4), car("a-b", "bus", 6)),
			carsAt("2", car("a", "beetle", 4), car("a", "van", 4), car("a-b", "bus", 6)),
			carsAt("3", car("a", "beetle", 4)),
		}
		backend := &script{
			list: func() (*CarList, error) {
				next := lists[0]
				lists = lists[1:]
				return next, nil
			},
			watch: func(string) error {
				if len(lists) == 0 {
					cancel()
					return nil
				}
				return metav1.Failure(metav1.StatusReasonExpired, "too old")
			},
		}
		var got []string
		var cache *client.Cache[Car]
		names := func(namespace string) (out []string) {
			for _, c := range cache.List(namespace) {
				out = append(out, c.Name)
			}
			return out
		}
		cars := client.Of[Car](client.New(backend, newFactory(t).Scheme()))
		cache = client.NewCache(cars, client.CacheOptions[Car]{OnChange: func(c client.Change[Car]) {
			// The cache has the version of a list with its last object, not with the first one.
			if (cache.ResourceVersion() == c.ResourceVersion) != (c.Type == client.Synced) {
				t.Errorf("%s of %s: the cache has the version %s", c.Type, c.ResourceVersion, cache.ResourceVersion())
			}
			if c.Type == client.Synced {
				got = append(got, fmt.Sprint(names(""), names("a"), names("a-b")))
			}
		}})
		if err := cache.Run(ctx); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		want := []string{"[van bus] [van] [bus]", "[beetle van bus] [beetle van] [bus]", "[beetle] [beetle] []"}
		if !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}
