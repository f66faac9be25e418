package server

import (
	"errors"
	"fmt"

	"github.com/askind/askind/meta/dynamic"
	"github.com/askind/askind/meta/unstructured"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
)

// Install adds kinds, registered by functions as for [runtime.NewScheme], while the server runs. On
// error none of them is added. Objects of these kinds that are in the store already are served
// again.
func (s *Server) Install(groups ...func(*runtime.Builder)) error {
	s.installing.Lock()
	defer s.installing.Unlock()
	before := s.state.Load()
	return s.replace(before, schema.GroupKind{}, before.scheme, groups...)
}

// ReplaceKind serves another definition of a kind that is installed already, such as one with
// another schema, other columns or a new version, from the next request on. The objects stay, and
// are read as the new definition says. Watches end in the way of those whose time has expired, so
// that clients resume them without a gap. A request that is under way may be refused with code 503
// and the advice to try again.
func (s *Server) ReplaceKind(r *dynamic.Resource) error {
	s.installing.Lock()
	defer s.installing.Unlock()
	before := s.state.Load()
	scheme, err := before.scheme.WithoutKinds(r.GroupKind())
	if err != nil {
		return err
	}
	return s.replace(before, r.GroupKind(), scheme, r.AddTo)
}

// Remove stops serving group versions; a blank version means all versions of the group. Watches of
// kinds that are no longer served in any version end. The objects stay in the store. Hooks,
// functions and subresources for kinds that are removed in all versions have their effect again
// when the kinds are installed again; a version that they need is not removed alone.
func (s *Server) Remove(versions ...schema.GroupVersion) error {
	s.installing.Lock()
	defer s.installing.Unlock()
	before := s.state.Load()
	scheme, err := before.scheme.Without(versions...)
	if err != nil {
		return err
	}
	return s.replace(before, schema.GroupKind{}, scheme)
}

// RemoveKinds stops serving kinds in all versions, such as those of a [dynamic.Resource]. Other
// kinds of their groups stay. Watches and objects are treated as by [Server.Remove]; use
// [Server.DeleteKinds] to delete the objects.
func (s *Server) RemoveKinds(kinds ...schema.GroupKind) error {
	s.installing.Lock()
	defer s.installing.Unlock()
	before := s.state.Load()
	scheme, err := before.scheme.WithoutKinds(kinds...)
	if err != nil {
		return err
	}
	return s.replace(before, schema.GroupKind{}, scheme)
}

// ReadCRDs returns the resources that the CustomResourceDefinitions of a file describe, in any
// format of the server, of several documents or a list. Other objects are an error. Give the
// AddTo of each to [Server.Install] and its GroupKind to [Server.RemoveKinds]. Rules that the
// server will not evaluate are logged, see [Rules].
func (s *Server) ReadCRDs(file string, data []byte) (out []*dynamic.Resource, err error) {
	o := serializer.DecodeOptions{File: file, Strictness: serializer.FailOnProblems, Unknown: unstructured.Kind}
	for obj, err := range s.Factory().DecodeAll(data, o) {
		if err != nil {
			return nil, err
		}
		r, err := s.readCRD(obj)
		if err != nil {
			return nil, fmt.Errorf("server: %s: %w", file, err)
		}
		if ignored := r.Ignored(); len(ignored) > 0 {
			s.config.log.Warn("rules in CEL are not evaluated; see the option Rules", "file", file, "kind", r.GroupKind().String(),
				"count", len(ignored), "first", ignored[0].String())
		}
		out = append(out, r)
	}
	return out, nil
}

// readCRD returns the resource that an object describes.
func (s *Server) readCRD(obj runtime.Object) (*dynamic.Resource, error) {
	u, ok := obj.(*unstructured.Object)
	if !ok {
		return nil, fmt.Errorf("a %T is not a CustomResourceDefinition", obj)
	}
	definition, err := dynamic.FromCRD(u)
	if err != nil {
		return nil, err
	}
	definition.Rules = s.config.rules
	return dynamic.New(definition)
}

// replace makes the kinds of another scheme, and those that functions register, what is served. The
// kind that is replaced, if any, has another definition there.
func (s *Server) replace(before *state, replaced schema.GroupKind, scheme *runtime.Scheme,
	groups ...func(*runtime.Builder),
) error {
	if s.ctx.Err() != nil {
		return errors.New("server: it has been closed")
	}
	after, err := s.newState(before, replaced, scheme, groups...)
	if err != nil {
		return err
	}
	s.state.Store(after)
	s.documentsOf(after) // lets a delegate know
	s.collector.follow(after)
	s.logGroups(errors.Join(s.dropCollections(before, after), s.publish(s.ctx)))
	return nil
}
