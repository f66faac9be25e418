package client_test

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askind/askind/client"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/serializer"
)

// script is a backend whose lists and watches are functions of a test.
type script struct {
	list  func() (*CarList, error)
	watch func(version string) error // that ends the watch
}

// Do implements [client.Backend].
func (s *script) Do(context.Context, *client.Request) (*client.Response, error) {
	list, err := s.list()
	if err != nil {
		return nil, err
	}
	return &client.Response{Code: 200, Object: list}, nil
}

// Watch implements [client.Backend].
func (s *script) Watch(_ context.Context, r *client.Request) iter.Seq2[serializer.Event, error] {
	return func(yield func(serializer.Event, error) bool) {
		if err := s.watch(r.Options.(*metav1.ListOptions).ResourceVersion); err != nil {
			yield(serializer.Event{}, err)
		}
	}
}

// Document implements [client.Backend].
func (*script) Document(context.Context, *client.DocumentRequest) (*client.Document, error) {
	return nil, errors.New("there are no documents")
}

// follow follows the cars of a backend.
func follow(ctx context.Context, t *testing.T, b client.Backend) iter.Seq2[client.Change[Car], error] {
	t.Helper()
	return client.Of[Car](client.New(b, newFactory(t).Scheme())).Follow(ctx)
}

// carsAt returns a list at a version.
func carsAt(version string, items ...*Car) *CarList {
	out := &CarList{ListMeta: metav1.ListMeta{ResourceVersion: version}}
	for _, c := range items {
		out.Items = append(out.Items, *c)
	}
	return out
}

// TestFollowOfEndlessExpiry checks that Follow lists less and less often if every watch ends at
// once because the version of the list has expired already.
func TestFollowOfEndlessExpiry(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		lists := 0
		backend := &script{
			list: func() (*CarList, error) {
				if lists++; lists == 1000 {
					cancel()
				}
				return carsAt("1"), nil
			},
			watch: func(string) error { return metav1.Failure(metav1.StatusReasonExpired, "too old") },
		}
		for _, err := range follow(ctx, t, backend) {
			if err != nil {
				t.Error(err)
			}
		}
		// About ten lists until the delay has grown to between 15 and 30 s, and then one for each.
		if lists < 20 || lists > 60 {
			t.Errorf("%d lists in ten minutes", lists)
		}
	})
}

// TestFollowOfGoneWithoutReason checks that Follow lists again after the code of an expired
// version, which not every server explains with a reason.
func TestFollowOfGoneWithoutReason(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		lists := 0
		backend := &script{
			list: func() (*CarList, error) { lists++; return carsAt(strconv.Itoa(lists)), nil },
			watch: func(version string) error {
				if version == "2" {
					cancel()
				}
				e := metav1.Failure(metav1.StatusReasonUnknown, "too old")
				e.Status.Code = http.StatusGone
				return e
			},
		}
		for _, err := range follow(ctx, t, backend) {
			if err != nil {
				t.Fatal(err)
			}
		}
		if lists != 2 {
			t.Errorf("%d lists", lists)
		}
	})
}

// TestFollowAfterRestore checks that Follow lists again if the server has gone back to a version
// before the last one that was seen.
func TestFollowAfterRestore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		van := car("default", "van", 4)
		van.ResourceVersion = "5" // it does not change
		lists := []*CarList{carsAt("100", car("default", "beetle", 4), van), carsAt("7", van)}
		backend := &script{
			list: func() (*CarList, error) {
				next := lists[0]
				lists = lists[1:]
				return next, nil
			},
			watch: func(version string) error {
				if version == "7" {
					cancel()
					return nil
				}
				e := metav1.Failure(metav1.StatusReasonTimeout, "Too large resource version: 100, current: 7")
				e.Status.Details = &metav1.StatusDetails{
					Causes: []metav1.StatusCause{{Type: metav1.CauseTypeResourceVersionTooLarge}},
				}
				return e
			},
		}
		var got []string
		for c, err := range follow(ctx, t, backend) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, string(c.Type)+" "+c.Key.Name)
		}
		want := []string{"Added beetle", "Added van", "Synced ", "Deleted beetle", "Synced "}
		if !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

// TestFollowOfExpiredPages checks that Follow yields the error of a list whose version expires
// between two pages, and begins the list again after a pause.
func TestFollowOfExpiredPages(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		lists := 0
		backend := &script{
			list: func() (*CarList, error) {
				if lists++; lists == 2 {
					return nil, metav1.Failure(metav1.StatusReasonExpired, "too old")
				}
				list := carsAt("1", car("default", "beetle", 4))
				if lists == 1 {
					list.Continue = "more"
				}
				return list, nil
			},
			watch: func(string) error { cancel(); return nil },
		}
		began := time.Now()
		var got []string
		for c, err := range follow(ctx, t, backend) {
			if err != nil {
				got = append(got, string(metav1.ReasonOf(err)))
				continue
			}
			got = append(got, string(c.Type)+" "+c.Key.Name)
		}
		if want := []string{"Expired", "Added beetle", "Synced "}; !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
		if time.Since(began) == 0 {
			t.Error("there was no pause")
		}
	})
}
