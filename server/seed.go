package server

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"github.com/askind/askind/meta"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
)

// Seed creates the objects of the YAML and JSON files at the top of a file system when the server
// starts, in the order of the files, and leaves existing objects unchanged. Unlike in other writes,
// the status and the creation time of the files are kept. The error of [New] lists all problems of
// the files.
func Seed(files fs.FS) Option {
	return optionFunc(func(c *config) {
		c.seeds = append(c.seeds, func(s *Server, st *state) error { return s.seed(st, files) })
	})
}

// seed creates the objects of the files of a file system. [New] calls it through the configuration,
// so that a program without the option does not link it.
func (s *Server) seed(st *state, files fs.FS) error {
	names, err := fs.Glob(files, "*")
	if err != nil {
		return err
	}
	var errs []error
	for _, name := range names {
		if !slices.Contains([]string{".yaml", ".yml", ".json"}, path.Ext(name)) {
			continue
		}
		data, err := fs.ReadFile(files, name)
		if err == nil {
			err = s.seedFile(st, name, data)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// seedFile creates the objects of one file.
func (s *Server) seedFile(st *state, name string, data []byte) error {
	var errs []error
	o := serializer.DecodeOptions{File: name, Strictness: serializer.FailOnProblems, Default: true}
	for obj, err := range st.factory.DecodeAll(data, o) {
		if err == nil {
			err = s.seedObject(st, obj)
		}
		if err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// seedObject creates an object, or the items of a list.
func (s *Server) seedObject(st *state, obj runtime.Object) error {
	k, err := st.scheme.KindOf(obj)
	if err != nil {
		return err
	}
	if !k.IsList() {
		return s.seedOne(st, k, obj)
	}
	items, err := meta.Items(k, obj)
	if err != nil {
		return err
	}
	var errs []error
	for _, item := range items {
		errs = append(errs, s.seedObject(st, item))
	}
	return errors.Join(errs...)
}

// seedOne creates an object unless one of its name exists.
func (s *Server) seedOne(st *state, k *runtime.Kind, obj runtime.Object) error {
	r := st.resources[k.GroupVersionResource()]
	if r == nil || r.stored == nil {
		return fmt.Errorf("server: seed: %s is not served from the store", k)
	}
	c := &call{s: s, st: st, res: r, ctx: s.ctx, seeding: true, Request: &Request{
		ID: newUID(), Verb: verbCreate, Resource: r.gvr, Kind: k.GroupVersionKind(), User: program,
	}}
	m, err := meta.Accessor(k, obj)
	if err != nil {
		return err
	}
	c.Namespace = m.Namespace
	stored, err := c.stored(obj)
	if err != nil {
		return err
	}
	_, err = c.createObject(stored, &metav1.CreateOptions{})
	if metav1.ReasonOf(err) == metav1.StatusReasonAlreadyExists {
		return nil
	}
	if err != nil {
		return fmt.Errorf("server: seed: %s: %w", schema.GroupKind{Group: r.gvr.Group, Kind: k.Name()}, err)
	}
	return nil
}
