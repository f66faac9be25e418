package compare

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"time"

	"github.com/askind/askind/bench/server/internal/machines"
	"github.com/askind/askind/examples/fleet/api/fleet/v1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/json"
	"github.com/askind/askind/store"
	"github.com/askind/askind/store/file"
	"github.com/askind/askind/store/memory"
)

// ours is package store, with its defaults.
type ours struct {
	file     bool
	engine   store.Engine
	store    *store.Store
	machines *store.Resource

	object, objects, metadata *serializer.Representation
	text                      []byte // of the latest get
}

func (s *ours) open(ctx context.Context, dir string) error {
	scheme, err := runtime.NewScheme(v1.AddTo, metav1.AddTo, metav1.AddViewsTo)
	if err != nil {
		return err
	}
	factory, err := serializer.NewFactory(scheme, json.Format())
	if err != nil {
		return err
	}
	negotiate := func(accept, kind string) *serializer.Representation {
		rep, failed := factory.Negotiate([]string{accept}, serializer.Offer{Kind: v1.GroupVersion.WithKind(kind)})
		err = errors.Join(err, failed)
		return rep
	}
	s.object, s.objects = negotiate("application/json", "Machine"), negotiate("application/json", "MachineList")
	s.metadata = negotiate("application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1", "MachineList")
	if err != nil {
		return err
	}
	s.engine = memory.New()
	if s.file {
		if s.engine, err = file.Open(filepath.Join(dir, "db")); err != nil {
			return err
		}
	}
	if s.store, err = store.Open(ctx, s.engine, store.Options{}); err != nil {
		return err
	}
	s.machines, err = s.store.Add(store.ResourceOptions{Factory: factory, Kind: v1.GroupVersion.WithKind("Machine")})
	return err
}

func (s *ours) prepare(i, size int) (any, error) { return machines.New(i, size), nil }

func (s *ours) create(ctx context.Context, object any) error {
	_, err := s.machines.Create(ctx, object.(*v1.Machine), store.WriteOptions{})
	return err
}

func key(i int) store.Key {
	namespace, name := machines.Key(i)
	return store.Key{Namespace: namespace, Name: name}
}

func (s *ours) update(ctx context.Context, i, n int) error {
	_, err := s.machines.Update(ctx, key(i), store.WriteOptions{},
		func(_ context.Context, current runtime.Object) (runtime.Object, error) {
			machines.Touch(&current.(*v1.Machine).Status, n)
			return current, nil
		})
	return err
}

func (s *ours) get(ctx context.Context, i int, current bool, w io.Writer) error {
	o := store.GetOptions{ResourceVersion: "0"}
	if current {
		o.ResourceVersion = ""
	}
	e, err := s.machines.Get(ctx, key(i), o)
	if err != nil {
		return err
	}
	if s.text, err = e.Append(s.text[:0], s.object); err != nil {
		return err
	}
	_, err = w.Write(s.text)
	return err
}

func (s *ours) list(ctx context.Context, o listOptions, w io.Writer) (string, error) {
	options := store.ListOptions{Limit: o.limit, Continue: o.token}
	if o.limit == 0 {
		options.ResourceVersion = "0"
	}
	l, err := s.machines.List(ctx, options)
	if err != nil {
		return "", err
	}
	rep := s.objects
	if o.metadata {
		rep = s.metadata
	}
	return l.Continue(), l.Encode(w, rep)
}

func (s *ours) watch(ctx context.Context) (func(io.Writer, func()) error, error) {
	watch, err := s.machines.Watch(ctx, store.WatchOptions{})
	if err != nil {
		return nil, err
	}
	return func(w io.Writer, delivered func()) error {
		defer watch.Close()
		stream := watch.Stream(false)
		out, err := s.objects.Events(w)
		if err != nil {
			return err
		}
		buf := make([]serializer.Event, 0, 16)
		for {
			events, err := stream.Next(buf[:0])
			if err != nil {
				return err
			}
			for _, e := range events {
				if err := out.Send(e.Type, e.Object); err != nil {
					return err
				}
				delivered()
			}
			if len(events) == 0 {
				if err := stream.Wait(ctx); err != nil {
					return err
				}
			}
		}
	}, nil
}

func (s *ours) cpu() (time.Duration, error) { return ownCPU() }

func (s *ours) close() error {
	if s.store == nil {
		return nil
	}
	err := errors.Join(s.store.Close(), s.engine.Close())
	s.store, s.engine, s.machines = nil, nil, nil
	return err
}
