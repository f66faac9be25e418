package compare

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"github.com/askind/askind/bench/server/internal/kubestore"
)

// Each side is a process of its own, so that its memory, garbage and processor time are not those
// of another. The processes take requests on their standard input, one at a time.

// childVariable names the side that a process is.
const childVariable = "BENCH_SERVER_SIDE"

// request is what a process is to do. One of the members is set.
type request struct {
	Open   string        `json:",omitempty"` // begin, with the contents of the directory
	Fill   *dataset      `json:",omitempty"` // create objects
	Show   bool          `json:",omitempty"` // answer with an object and a list
	Sample string        `json:",omitempty"` // measure the row with this name
	For    time.Duration `json:",omitempty"` // about how long to measure
	CPU    bool          `json:",omitempty"` // answer with the processor time that was used
}

// response is the answer to a request.
type response struct {
	Error  string            `json:",omitempty"`
	URL    string            `json:",omitempty"`
	CPU    time.Duration     `json:",omitempty"`
	Texts  []json.RawMessage `json:",omitempty"`
	Sample sample
}

// sample is what was measured.
type sample struct {
	CPU, Time float64 // nanoseconds for each operation
	Bytes     float64 // for each object or watch
}

// child is a process that carries out requests.
type child struct {
	name string
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *json.Decoder
}

// start starts a process for a side, which ends with the context at the latest.
func start(ctx context.Context, name string) (*child, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := &child{name: name, cmd: exec.CommandContext(ctx, self)}
	c.cmd.Env = append(os.Environ(), childVariable+"="+name)
	c.cmd.Stderr = os.Stderr
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	c.out = json.NewDecoder(out)
	return c, c.cmd.Start()
}

// call sends a request and waits for the answer.
func (c *child) call(r request) (response, error) {
	text, err := json.Marshal(r)
	if err != nil {
		return response{}, err
	}
	var out response
	if _, err = c.in.Write(append(text, '\n')); err == nil {
		err = c.out.Decode(&out)
	}
	if err == nil && out.Error != "" {
		err = errors.New(out.Error)
	}
	if err != nil {
		return out, fmt.Errorf("%s: %s: %w", c.name, text, err)
	}
	return out, nil
}

// stop ends the process.
func (c *child) stop() error { return errors.Join(c.in.Close(), c.cmd.Wait()) }

// Child carries out requests if this process is one of the sides, and reports whether it is. The
// command and its test call it first.
func Child() (bool, error) {
	name := os.Getenv(childVariable)
	if name == "" {
		return false, nil
	}
	s := &served{ctx: context.Background()}
	if name != "etcd" {
		s.side = sides[name]()
	}
	in, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var r request
		if err := in.Decode(&r); err != nil {
			return true, s.close()
		}
		answer, err := s.carryOut(r)
		if err != nil {
			answer.Error = err.Error()
		}
		if err := out.Encode(answer); err != nil {
			return true, errors.Join(err, s.close())
		}
	}
}

// served is the state of a process.
type served struct {
	ctx   context.Context
	dir   string
	side  side            // nil in the process of etcd
	etcd  *kubestore.Etcd // set in the process of etcd
	data  dataset         // what was filled in
	more  int             // counts what rows have written beside
	empty float64         // the bytes of live objects before there were any
}

func (s *served) close() error {
	if s.etcd != nil {
		s.etcd.Close()
	}
	if s.side == nil {
		return nil
	}
	err := s.side.close()
	if k, ok := s.side.(*kubernetes); ok && k.etcd != nil {
		err = errors.Join(err, k.etcd.stop())
	}
	return err
}

func (s *served) carryOut(r request) (out response, err error) {
	switch {
	case r.Open != "" && s.side == nil:
		if s.etcd, err = kubestore.StartEtcd(r.Open); err == nil {
			out.URL = s.etcd.URL
		}
	case r.Open != "":
		s.dir = r.Open
		err = s.side.open(s.ctx, r.Open)
		s.empty = heap()
	case r.Fill != nil:
		s.data = *r.Fill
		err = s.fill(*r.Fill)
	case r.Show:
		out.Texts, err = s.show()
	case r.Sample != "":
		for _, row := range rows {
			if row.name == r.Sample {
				out.Sample, err = row.run(s, r.For)
				return out, err
			}
		}
		err = errors.New("there is no such row")
	case r.CPU:
		out.CPU, err = ownCPU()
	}
	return out, err
}
