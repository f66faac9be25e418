package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// figures are what was measured of a server.
type figures struct {
	start      time.Duration
	idle, full int64 // bytes
	lists      []listing
}

// listing is what one list took.
type listing struct{ took, cpu time.Duration }

// lists are the forms in which all objects are read.
var lists = []struct{ name, accept string }{
	{"JSON", "application/json"},
	{"metadata in JSON", "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"},
	{"a table in JSON", "application/json;as=Table;g=meta.k8s.io;v=v1"},
}

const (
	collection = "/apis/wardle.example.com/v1beta1/flunders?resourceVersion=0" // what the server has in memory
	flunders   = "/apis/wardle.example.com/v1beta1/namespaces/default/flunders"
)

// measure starts a server several times, fills the last one and reads lists from it.
func measure(binary string, objects, size, rounds int) (f figures, err error) {
	var starts []time.Duration
	for i := range rounds {
		s, took, err := start(binary)
		if err != nil {
			return f, err
		}
		starts = append(starts, took)
		if i < rounds-1 {
			s.stop()
			continue
		}
		defer s.stop()
		f.start = median(starts)
		if f.idle, err = s.memory(); err != nil {
			return f, err
		}
		if err := s.fill(objects, size); err != nil {
			return f, err
		}
		if f.full, err = s.memory(); err != nil {
			return f, err
		}
		for _, l := range lists {
			read, err := s.list(l.accept, rounds)
			if err != nil {
				return f, fmt.Errorf("%s: %w", l.name, err)
			}
			f.lists = append(f.lists, read)
		}
	}
	return f, nil
}

// process is a server under way.
type process struct {
	command *exec.Cmd
	url     string
}

// start starts a server and waits until it answers a list.
func start(binary string) (*process, time.Duration, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0") // to find a free port
	if err != nil {
		return nil, 0, err
	}
	address := l.Addr().String()
	l.Close()
	began := time.Now()
	s := &process{exec.Command(binary, address), "http://" + address}
	if err := s.command.Start(); err != nil {
		return nil, 0, err
	}
	for time.Since(began) < 2*time.Minute {
		if _, err = s.get("application/json"); err == nil {
			return s, time.Since(began), nil
		}
		time.Sleep(200 * time.Microsecond)
	}
	s.stop()
	return nil, 0, fmt.Errorf("the server does not answer: %w", err)
}

func (s *process) stop() {
	_ = s.command.Process.Signal(os.Interrupt)
	timer := time.AfterFunc(10*time.Second, func() { _ = s.command.Process.Kill() })
	defer timer.Stop()
	_ = s.command.Wait() // its exit code does not matter
}

// get reads all flunders and returns how many bytes they have.
func (s *process) get(accept string) (int64, error) {
	return s.do(http.MethodGet, collection, accept, "", http.StatusOK)
}

func (s *process) do(method, path, accept, body string, code int) (int64, error) {
	request, err := http.NewRequestWithContext(context.Background(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		return 0, err
	}
	request.Header.Set("Accept", accept)
	request.Header.Set("Accept-Encoding", "identity")
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	n, err := io.Copy(io.Discard, response.Body)
	if err == nil && response.StatusCode != code {
		err = fmt.Errorf("%s %s: %s", method, path, response.Status)
	}
	return n, err
}

// fill creates objects of a size.
func (s *process) fill(objects, size int) error {
	padding := strings.Repeat("x", max(0, size-400))
	var next atomic.Int64
	const writers = 16
	errs := make([]error, writers)
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := next.Add(1); i <= int64(objects) && errs[w] == nil; i = next.Add(1) {
				body := fmt.Sprintf(`{"metadata":{"name":"flunder-%06d","labels":{"app":"a-%d"},`+
					`"annotations":{"example.com/notes":%q}},"spec":{"flunderReference":"b","referenceType":"Flunder"}}`,
					i, i%100, padding)
				_, errs[w] = s.do(http.MethodPost, flunders, "application/json", body, http.StatusCreated)
			}
		})
	}
	wg.Wait()
	time.Sleep(time.Second) // for caches that follow
	return errors.Join(errs...)
}

// list reads all objects several times, after once without being measured.
func (s *process) list(accept string, rounds int) (out listing, err error) {
	var took, cpu []time.Duration
	for i := range rounds + 1 {
		used, err := s.cpu()
		if err != nil {
			return out, err
		}
		began := time.Now()
		if _, err := s.get(accept); err != nil {
			return out, err
		}
		elapsed := time.Since(began)
		now, err := s.cpu()
		if err != nil {
			return out, err
		}
		if i > 0 {
			took, cpu = append(took, elapsed), append(cpu, now-used)
		}
	}
	var sum time.Duration // the clock of the processor has steps of 10 ms, so the mean is taken
	for _, c := range cpu {
		sum += c
	}
	return listing{median(took), sum / time.Duration(len(cpu))}, nil
}

// memory returns how many bytes of the server are in memory.
func (s *process) memory() (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.command.Process.Pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(text), "VmRSS:")
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return 0, errors.New("/proc does not tell the resident memory")
	}
	n, err := strconv.ParseInt(fields[0], 10, 64)
	return n << 10, err
}

// cpu returns how long the server has used processors.
func (s *process) cpu() (time.Duration, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.command.Process.Pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(text), ") ") // behind the name of the program
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0, errors.New("/proc does not tell the processor time")
	}
	var ticks time.Duration
	for _, f := range fields[11:13] { // utime and stime, in hundredths of a second
		n, err := strconv.ParseInt(f, 10, 64)
		if err != nil {
			return 0, err
		}
		ticks += time.Duration(n)
	}
	return ticks * 10 * time.Millisecond, nil
}

func median(d []time.Duration) time.Duration {
	d = slices.Sorted(slices.Values(d))
	return d[len(d)/2]
}
