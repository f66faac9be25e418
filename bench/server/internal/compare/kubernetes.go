package compare

import (
	"context"
	"io"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/storage"

	"github.com/askind/askind/bench/server/internal/kubestore"
	"github.com/askind/askind/bench/server/internal/machines"
)

// kubernetes is the storage of k8s.io/apiserver with its cacher, and etcd in a process of its own,
// so that its memory and its garbage are not those of the API server.
type kubernetes struct {
	etcd     *child
	url      string
	store    *kubestore.Store
	encoders *kubestore.Encoders
}

func (s *kubernetes) open(ctx context.Context, dir string) (err error) {
	if s.encoders, err = kubestore.NewEncoders(); err != nil {
		return err
	}
	if s.etcd == nil {
		if s.etcd, err = start(ctx, "etcd"); err != nil {
			return err
		}
		out, err := s.etcd.call(request{Open: dir})
		if err != nil {
			return err
		}
		s.url = out.URL
	}
	s.store, err = kubestore.Open(ctx, s.url)
	return err
}

func (s *kubernetes) prepare(i, size int) (any, error) { return machines.Theirs(machines.New(i, size)) }

func (s *kubernetes) create(ctx context.Context, object any) error {
	m := object.(*machines.Machine)
	return s.store.Create(ctx, kubestore.Prefix+m.Namespace+"/"+m.Name, m, new(machines.Machine), 0)
}

func (s *kubernetes) update(ctx context.Context, i, n int) error {
	return s.store.GuaranteedUpdate(ctx, kubestore.Key(i), new(machines.Machine), false, nil,
		func(current runtime.Object, _ storage.ResponseMeta) (runtime.Object, *uint64, error) {
			machines.Touch(&current.(*machines.Machine).Status, n)
			return current, nil, nil
		}, nil)
}

func (s *kubernetes) get(ctx context.Context, i int, current bool, w io.Writer) error {
	o := storage.GetOptions{ResourceVersion: "0"}
	if current {
		o.ResourceVersion = ""
	}
	m := new(machines.Machine)
	if err := s.store.Get(ctx, kubestore.Key(i), o, m); err != nil {
		return err
	}
	return s.encoders.Encode(m, w)
}

func (s *kubernetes) list(ctx context.Context, o listOptions, w io.Writer) (string, error) {
	options := storage.ListOptions{Recursive: true, Predicate: kubestore.Everything(o.limit, o.token)}
	if o.limit == 0 { // the cacher ignores the limit of a list of any state
		options.ResourceVersion = "0"
	}
	list := new(machines.MachineList)
	if err := s.store.GetList(ctx, kubestore.Prefix, options, list); err != nil {
		return "", err
	}
	if o.metadata {
		return list.Continue, s.encoders.EncodeMetadata(list, w)
	}
	return list.Continue, s.encoders.Encode(list, w)
}

func (s *kubernetes) watch(ctx context.Context) (func(io.Writer, func()) error, error) {
	list := new(machines.MachineList)
	o := storage.ListOptions{Predicate: kubestore.Everything(1, ""), Recursive: true}
	if err := s.store.GetList(ctx, kubestore.Prefix, o, list); err != nil {
		return nil, err
	}
	o = storage.ListOptions{
		Predicate: kubestore.Everything(0, ""), Recursive: true, ResourceVersion: list.ResourceVersion,
	}
	watch, err := s.store.Watch(ctx, kubestore.Prefix, o)
	if err != nil {
		return nil, err
	}
	return func(w io.Writer, delivered func()) error {
		defer watch.Stop()
		for {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case event, ok := <-watch.ResultChan():
				if !ok {
					return io.ErrUnexpectedEOF
				}
				if err := s.encoders.EncodeEvent(event, w); err != nil {
					return err
				}
				delivered()
			}
		}
	}, nil
}

func (s *kubernetes) cpu() (time.Duration, error) {
	own, err := ownCPU()
	if err != nil {
		return 0, err
	}
	out, err := s.etcd.call(request{CPU: true})
	return own + out.CPU, err
}

// close ends the cacher. The etcd goes on, with what it has, for the next open.
func (s *kubernetes) close() error {
	if s.store != nil {
		s.store.Close()
		s.store = nil
	}
	return nil
}
