// Package kubestore puts together the storage of a Kubernetes API server as k8s.io/apiserver has
// it: objects in etcd, and the cacher in front, with the settings that are the defaults there.
package kubestore

import (
	"context"
	"io"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	etcdkubernetes "go.etcd.io/etcd/client/v3/kubernetes"
	"go.uber.org/zap"
	"k8s.io/apimachinery/pkg/api/meta"
	kmeta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/cacher"
	"k8s.io/apiserver/pkg/storage/etcd3"
	"k8s.io/apiserver/pkg/storage/value/encrypt/identity"
	"k8s.io/apiserver/pkg/util/apihelpers"
	"k8s.io/utils/clock"

	"github.com/askind/askind/bench/server/internal/machines"
)

// Prefix is what the keys of all machines begin with.
const Prefix = "/machines/"

// Store is the storage of machines, with the cacher in front.
type Store struct {
	storage.Interface
	closers []func()
}

// Key returns the key of the machine with a number.
func Key(i int) string {
	namespace, name := machines.Key(i)
	return Prefix + namespace + "/" + name
}

var resource = schema.GroupResource{Group: machines.GroupVersion.Group, Resource: "machines"}

// Open connects to etcd and waits until the cacher has all that is there.
func Open(ctx context.Context, url string) (s *Store, err error) {
	client, err := etcdkubernetes.New(clientv3.Config{
		Endpoints: []string{url}, DialTimeout: 10 * time.Second, Logger: zap.NewNop(),
	})
	if err != nil {
		return nil, err
	}
	s = &Store{closers: []func(){func() { client.Close() }}}
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	scheme := runtime.NewScheme()
	if err := machines.AddTo(scheme); err != nil {
		return s, err
	}
	codec := serializer.NewCodecFactory(scheme).LegacyCodec(machines.GroupVersion)
	versioner := storage.APIObjectVersioner{}
	newMachine := func() runtime.Object { return new(machines.Machine) }
	newList := func() runtime.Object { return new(machines.MachineList) }
	compactor := etcd3.NewCompactor(client.Client, 5*time.Minute, clock.RealClock{}, nil)
	s.closers = append(s.closers, compactor.Stop)
	inner, err := etcd3.New(client, compactor, codec, newMachine, newList, "/registry", Prefix, resource,
		identity.NewEncryptCheckTransformer(), etcd3.NewDefaultLeaseManagerConfig(),
		etcd3.NewDefaultDecoder(codec, versioner), versioner)
	if err != nil {
		return s, err
	}
	s.closers = append(s.closers, inner.Close)
	c, err := cacher.NewCacherFromConfig(cacher.Config{
		Storage: inner, Versioner: versioner, GroupResource: resource,
		EventsHistoryWindow: cacher.DefaultEventFreshDuration, ResourcePrefix: Prefix,
		KeyFunc:      func(obj runtime.Object) (string, error) { return storage.NamespaceKeyFunc(Prefix, obj) },
		GetAttrsFunc: attributes, NewFunc: newMachine, NewListFunc: newList, Codec: codec, Clock: clock.RealClock{},
	})
	if err != nil {
		return s, err
	}
	s.closers = append(s.closers, c.Stop)
	delegator := cacher.NewCacheDelegator(c, inner)
	s.closers = append(s.closers, delegator.Stop)
	s.Interface = delegator
	return s, c.Wait(ctx)
}

// Close stops everything that Open has started.
func (s *Store) Close() {
	for len(s.closers) > 0 {
		s.closers[len(s.closers)-1]()
		s.closers = s.closers[:len(s.closers)-1]
	}
}

// attributes returns what machines can be selected by.
func attributes(obj runtime.Object) (labels.Set, fields.Set, error) {
	m, err := meta.Accessor(obj)
	if err != nil {
		return nil, nil, err
	}
	return m.GetLabels(), fields.Set{"metadata.name": m.GetName(), "metadata.namespace": m.GetNamespace()}, nil
}

// Everything selects all machines, in pages of so many, 0 for all at once.
func Everything(limit int64, token string) storage.SelectionPredicate {
	return storage.SelectionPredicate{
		Label: labels.Everything(), Field: fields.Everything(), GetAttrs: attributes, Limit: limit, Continue: token,
	}
}

// Encoders encode answers in JSON as an API server does.
type Encoders struct {
	object, metadata runtime.Encoder
	frame            runtime.Encoder
}

// NewEncoders returns encoders for machines and their lists.
func NewEncoders() (*Encoders, error) {
	scheme := runtime.NewScheme()
	if err := machines.AddTo(scheme); err != nil {
		return nil, err
	}
	codecs := serializer.NewCodecFactory(scheme, serializer.WithStreamingCollectionEncodingToJSON())
	info, _ := runtime.SerializerInfoForMediaType(codecs.SupportedMediaTypes(), runtime.ContentTypeJSON)
	metadata := apihelpers.GetMetaInternalVersionCodecs()
	metaInfo, _ := runtime.SerializerInfoForMediaType(metadata.SupportedMediaTypes(), runtime.ContentTypeJSON)
	return &Encoders{
		object:   codecs.EncoderForVersion(info.Serializer, machines.GroupVersion),
		metadata: metadata.EncoderForVersion(metaInfo.Serializer, kmeta.SchemeGroupVersion),
		frame:    codecs.EncoderForVersion(info.StreamSerializer.Serializer, machines.GroupVersion),
	}, nil
}

// Encode encodes a machine or a list.
func (e *Encoders) Encode(obj runtime.Object, w io.Writer) error { return e.object.Encode(obj, w) }

// EncodeMetadata encodes the metadata of a list.
func (e *Encoders) EncodeMetadata(list *machines.MachineList, w io.Writer) error {
	out := &kmeta.PartialObjectMetadataList{ListMeta: list.ListMeta}
	out.Items = make([]kmeta.PartialObjectMetadata, 0, len(list.Items))
	for i := range list.Items {
		partial := meta.AsPartialObjectMetadata(&list.Items[i])
		partial.GetObjectKind().SetGroupVersionKind(kmeta.SchemeGroupVersion.WithKind("PartialObjectMetadata"))
		out.Items = append(out.Items, *partial)
	}
	return e.metadata.Encode(out, w)
}

// EncodeEvent encodes an event of a watch. Events that several watches get are encoded once.
func (e *Encoders) EncodeEvent(event watch.Event, w io.Writer) error {
	encode := func(obj runtime.Object, w io.Writer) error {
		embedded, frame := runtime.NewSpliceBuffer(), runtime.NewSpliceBuffer()
		if err := e.object.Encode(obj, embedded); err != nil {
			return err
		}
		out := &kmeta.WatchEvent{Type: string(event.Type), Object: runtime.RawExtension{Raw: embedded.Bytes()}}
		if err := e.frame.Encode(out, frame); err != nil {
			return err
		}
		_, err := w.Write(frame.Bytes())
		return err
	}
	if shared, ok := event.Object.(runtime.CacheableObject); ok {
		return shared.CacheEncode(runtime.Identifier(event.Type), encode, w)
	}
	return encode(event.Object, w)
}
