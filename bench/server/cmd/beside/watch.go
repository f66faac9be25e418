package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// watching is what was measured of a number of watches.
type watching struct {
	watches int
	took    time.Duration // from the request of a write until the last watch has its event
	cpu     time.Duration // of the server, for each write
}

// compareWatches runs both servers at once and writes to them in turn while clients watch.
func compareWatches(ours, theirs string, rounds int) ([]row, error) {
	a, _, err := start(ours)
	if err != nil {
		return nil, err
	}
	defer a.stop()
	b, _, err := start(theirs)
	if err != nil {
		return nil, err
	}
	defer b.stop()
	var rows []row
	for _, n := range []int{1, 100} {
		x, y, err := inTurn(a, b, n, 20*rounds)
		if err != nil {
			return nil, err
		}
		what := "write until a watch has it"
		if n > 1 {
			what = fmt.Sprintf("write until the last of %d watches has it", n)
		}
		rows = append(rows, duration(what+", time", x.took, y.took), duration(what+", CPU of the server", x.cpu, y.cpu))
	}
	return rows, nil
}

// inTurn opens a number of watches on both servers, and writes to one and the other.
func inTurn(a, b *process, watches, writes int) (x, y watching, err error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	servers := [2]*process{a, b}
	var events [2]chan error
	for i, s := range servers {
		events[i] = make(chan error, watches)
		for range watches {
			if err := s.watch(ctx, events[i]); err != nil {
				return x, y, err
			}
		}
	}
	var took [2][]time.Duration
	var used [2]time.Duration
	for w := range writes {
		for i, s := range servers {
			elapsed, cpu, err := s.spent(func() error {
				body := fmt.Sprintf(`{"metadata":{"name":"watched-%d-%d"}}`, watches, w)
				err := s.do(http.MethodPost, flunders, "application/json", body, http.StatusCreated)
				for n := 0; n < watches && err == nil; n++ {
					err = <-events[i]
				}
				return err
			})
			if err != nil {
				return x, y, err
			}
			took[i], used[i] = append(took[i], elapsed), used[i]+cpu
		}
	}
	n := time.Duration(writes)
	return watching{watches, median(took[0]), used[0] / n}, watching{watches, median(took[1]), used[1] / n}, nil
}

// watch begins a watch that sends nil to a channel for each event, and at its end an error.
func (s *process) watch(ctx context.Context, events chan<- error) error {
	version, err := s.version(ctx)
	if err != nil {
		return err
	}
	url := s.url + flunders + "?watch=true&resourceVersion=" + version
	response, err := send(ctx, http.DefaultClient, http.MethodGet, url, "application/json", "")
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		response.Body.Close()
		return fmt.Errorf("watch: %s", response.Status)
	}
	go func() {
		defer response.Body.Close()
		r := bufio.NewReader(response.Body)
		for {
			_, err := r.ReadSlice('\n')
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			select {
			case events <- err:
			case <-ctx.Done():
				return
			}
			if err != nil {
				return
			}
		}
	}()
	return nil
}

// version returns the resource version of the present state.
func (s *process) version(ctx context.Context) (string, error) {
	response, err := send(ctx, http.DefaultClient, http.MethodGet, s.url+flunders+"?limit=1", "application/json", "")
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	var list struct {
		Metadata struct {
			ResourceVersion string `json:"resourceVersion"`
		} `json:"metadata"`
	}
	if err := json.NewDecoder(response.Body).Decode(&list); err != nil {
		return "", err
	}
	return list.Metadata.ResourceVersion, nil
}
