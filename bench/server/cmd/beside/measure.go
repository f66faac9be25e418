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
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// figures are what was measured of a server before lists are read.
type figures struct {
	start      time.Duration
	startCPU   time.Duration
	idle, full int64 // bytes
}

const flunders = "/apis/wardle.example.com/v1beta1/namespaces/default/flunders"

// compareLists measures both servers, first alone, while they start and are filled, and then in
// turn, while lists are read.
func compareLists(ours, theirs string, objects, size, rounds int) ([]row, error) {
	var a, b figures
	wardle, err := a.startAndFill(ours, objects, size, rounds)
	if err != nil {
		return nil, fmt.Errorf("wardle: %w", err)
	}
	defer wardle.stop()
	original, err := b.startAndFill(theirs, objects, size, rounds)
	if err != nil {
		return nil, fmt.Errorf("sample-apiserver: %w", err)
	}
	defer original.stop()
	floor, err := startFloor(wardle.url)
	if err != nil {
		return nil, fmt.Errorf("the floor: %w", err)
	}
	defer floor.stop()
	lists, err := listRows([]*process{wardle, original, floor}, 2*objects, size, rounds)
	if err != nil {
		return nil, err
	}
	return append([]row{
		duration("start until the first list is answered, time", a.start, b.start),
		duration("start until the first list is answered, CPU", a.startCPU, b.startCPU),
		bytes("resident memory, idle", a.idle, b.idle),
		bytes(fmt.Sprintf("resident memory with %d objects of %d bytes", objects, size), a.full, b.full),
	}, lists...), nil
}

// startAndFill starts a server several times, measures it, and fills the last one.
func (f *figures) startAndFill(binary string, objects, size, rounds int) (*process, error) {
	var starts []time.Duration
	for len(starts) < rounds-1 {
		s, err := f.startMeasured(binary, &starts)
		if err != nil {
			return nil, err
		}
		s.stop()
	}
	s, err := f.startMeasured(binary, &starts)
	if err != nil {
		return nil, err
	}
	f.start, f.startCPU = median(starts), f.startCPU/time.Duration(len(starts))
	if f.idle, err = s.memory(); err == nil {
		if err = s.fill(inAnnotations, objects, size); err == nil {
			f.full, err = s.memory()
		}
	}
	if err != nil {
		s.stop()
		return nil, err
	}
	return s, nil
}

// startMeasured starts a server and adds what that took.
func (f *figures) startMeasured(binary string, starts *[]time.Duration) (*process, error) {
	s, took, err := start(binary)
	if err != nil {
		return nil, err
	}
	cpu, err := s.cpu()
	if err != nil {
		s.stop()
		return nil, err
	}
	*starts, f.startCPU = append(*starts, took), f.startCPU+cpu
	return s, nil
}

// process is a server under way.
type process struct {
	command *exec.Cmd
	url     string
}

// start starts a server, with its address as the last argument, and waits until it answers a list.
func start(binary string, arguments ...string) (*process, time.Duration, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0") // to find a free port
	if err != nil {
		return nil, 0, err
	}
	address := l.Addr().String()
	l.Close()
	began := time.Now()
	s := &process{exec.Command(binary, append(arguments, address)...), "http://" + address}
	if err := s.command.Start(); err != nil {
		return nil, 0, err
	}
	for time.Since(began) < 2*time.Minute {
		if err = s.do(http.MethodGet, flunders, "application/json", "", http.StatusOK); err == nil {
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

const (
	pieceSize = 256 << 10
	writers   = 16
)

// reader is a client that reads large pieces, so that servers seldom have to wait for it.
var reader = &http.Client{Transport: &http.Transport{ReadBufferSize: pieceSize, MaxIdleConnsPerHost: writers}}

// do sends a request and reads the answer, which must have a status code.
func (s *process) do(method, path, accept, body string, code int) error {
	response, err := send(context.Background(), reader, method, s.url+path, accept, body)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	_, err = io.CopyBuffer(onlyWriter{io.Discard}, response.Body, make([]byte, pieceSize))
	if err == nil && response.StatusCode != code {
		err = fmt.Errorf("%s %s: %s", method, path, response.Status)
	}
	return err
}

// send sends a request for an answer that is not compressed.
func send(ctx context.Context, c *http.Client, method, url, accept, body string) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", accept)
	request.Header.Set("Accept-Encoding", "identity")
	request.Header.Set("Content-Type", "application/json")
	return c.Do(request)
}

// onlyWriter hides the other methods of a writer, which would choose the size of the pieces.
type onlyWriter struct{ io.Writer }

// fill creates objects of a size in a namespace, whose name says where the bytes lie.
func (s *process) fill(namespace string, objects, size int) error {
	annotation, reference := strings.Repeat("x", max(0, size-400)), "b"
	if namespace == inSpec {
		annotation, reference = reference, annotation
	}
	var next atomic.Int64
	errs := make([]error, writers)
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := next.Add(1); i <= int64(objects) && errs[w] == nil; i = next.Add(1) {
				body := fmt.Sprintf(`{"metadata":{"name":"flunder-%06d","labels":{"app":"a-%d"},`+
					`"annotations":{"example.com/notes":%q}},"spec":{"flunderReference":%q,"referenceType":"Flunder"}}`,
					i, i%100, annotation, reference)
				errs[w] = s.do(http.MethodPost, collection(namespace), "application/json", body, http.StatusCreated)
			}
		})
	}
	wg.Wait()
	time.Sleep(time.Second) // for caches that follow
	return errors.Join(errs...)
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

// cpu returns how long the server has used processors. The kernel adds what it does to deliver over
// loopback what a server sends.
func (s *process) cpu() (time.Duration, error) {
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", s.command.Process.Pid))
	if err != nil {
		return 0, err
	}
	var sum time.Duration
	for _, path := range threads {
		text, err := os.ReadFile(path)
		if err != nil {
			return 0, err
		}
		first, _, _ := strings.Cut(string(text), " ")
		n, err := strconv.ParseInt(first, 10, 64) // in nanoseconds
		if err != nil {
			return 0, fmt.Errorf("%s has no processor time: %w", path, err)
		}
		sum += time.Duration(n)
	}
	return sum, nil
}

// spent returns how long a function takes, and how long the server uses processors meanwhile.
func (s *process) spent(do func() error) (took, cpu time.Duration, err error) {
	before, err := s.cpu()
	if err != nil {
		return 0, 0, err
	}
	began := time.Now()
	if err := do(); err != nil {
		return 0, 0, err
	}
	took = time.Since(began)
	after, err := s.cpu()
	return took, after - before, err
}

func median(d []time.Duration) time.Duration {
	d = slices.Sorted(slices.Values(d))
	return d[len(d)/2]
}
