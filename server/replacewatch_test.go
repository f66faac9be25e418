package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/askind/askind/internal/rounds"
	"github.com/askind/askind/meta/dynamic"
	"github.com/askind/askind/server"
)

// sent is what answers and events show of a boat.
type sent struct {
	Metadata struct{ Name, ResourceVersion string }
}

// String returns the name and the revision.
func (b sent) String() string { return b.Metadata.Name + " " + b.Metadata.ResourceVersion }

// whileReplaced sends a request again until the kind is not being replaced.
func whileReplaced(s *server.Server, method, path, body string) (code int, text string) {
	media := "Content-Type: application/json"
	if method == http.MethodPatch {
		media = "Content-Type: application/merge-patch+json"
	}
	for {
		w := request(s, method, path, body, media)
		if w.Code != http.StatusServiceUnavailable {
			return w.Code, w.Body.String()
		}
	}
}

// follow returns all events after a revision, with the revision of each, until a boat called end
// is there.
func follow(t *testing.T, s *server.Server, revision string) (events []string) {
	for t.Context().Err() == nil && !t.Failed() {
		code, text := whileReplaced(s, "GET", boats+"?watch=true&timeoutSeconds=1&resourceVersion="+revision, "")
		if code != http.StatusOK {
			t.Errorf("watch from %s: code %d: %s", revision, code, text)
			return events
		}
		for line := range strings.Lines(text) {
			var e struct {
				Type   string
				Object sent
			}
			if err := json.Unmarshal([]byte(line), &e); err != nil || e.Type == "ERROR" {
				t.Errorf("%s: %v", line, err)
				return events
			}
			if e.Object.Metadata.Name == "end" {
				return events
			}
			before, _ := strconv.ParseUint(revision, 10, 64)
			revision = e.Object.Metadata.ResourceVersion
			if now, err := strconv.ParseUint(revision, 10, 64); err != nil || now <= before {
				t.Errorf("an event of revision %s after %d: %v", revision, before, err)
			}
			events = append(events, e.Type+" "+e.Object.String())
		}
	}
	return events
}

// TestWatchDuringReplacement checks that watches which resume while their kind is replaced see
// every write once and in order.
func TestWatchDuringReplacement(t *testing.T) {
	t.Parallel()
	s, r := withBoats(t)
	both := []*dynamic.Resource{changedBoats(t, s, "name: Crew", "name: Sailors"), r}
	var list sent
	if _, text := whileReplaced(s, "GET", boats, ""); json.Unmarshal([]byte(text), &list) != nil {
		t.Fatal(text)
	}
	var seen [2][]string
	var watches, writes sync.WaitGroup
	for i := range seen {
		watches.Go(func() { seen[i] = follow(t, s, list.Metadata.ResourceVersion) })
	}
	var mu sync.Mutex
	var written, gone []string
	done := make(chan struct{})
	for writer := range 3 {
		writes.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-done:
					return
				default:
				}
				name := fmt.Sprintf("w%d-%d", writer, i)
				for _, step := range []struct{ method, path, body, event string }{
					{"POST", boats, boat(name), "ADDED "},
					{"PATCH", boats + "/" + name, `{"spec":{"crew":7}}`, "MODIFIED "},
					{"DELETE", boats + "/" + name, "", "DELETED "},
				} {
					code, text := whileReplaced(s, step.method, step.path, step.body)
					var b sent
					if err := json.Unmarshal([]byte(text), &b); err != nil || code > http.StatusCreated {
						t.Errorf("%s %s: code %d: %s", step.method, name, code, text)
						return
					}
					mu.Lock()
					if step.method == "DELETE" {
						gone = append(gone, step.event+name)
					} else {
						written = append(written, step.event+b.String())
					}
					mu.Unlock()
				}
			}
		})
	}
	for i := range max(20, rounds.Of(100)) {
		if err := s.ReplaceKind(both[i%2]); err != nil {
			t.Error(err)
		}
		time.Sleep(time.Millisecond)
	}
	close(done)
	writes.Wait()
	if code, text := whileReplaced(s, "POST", boats, boat("end")); code != http.StatusCreated {
		t.Error(text)
	}
	watches.Wait()
	slices.Sort(written)
	slices.Sort(gone)
	for i, events := range seen {
		var others, deletions []string
		for _, e := range events {
			if event, revision, _ := strings.Cut(e, " w"); event == "DELETED" {
				name, _, _ := strings.Cut(revision, " ")
				deletions = append(deletions, "DELETED w"+name)
			} else {
				others = append(others, e)
			}
		}
		slices.Sort(others)
		slices.Sort(deletions)
		if !slices.Equal(others, written) || !slices.Equal(deletions, gone) {
			t.Errorf("watch %d saw %d writes of %d and %d deletions of %d", i, len(others), len(written),
				len(deletions), len(gone))
		}
	}
	t.Logf("%d writes, %d deletions", len(written), len(gone))
}
