package clientconformance_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	k8sserializer "k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/runtime/serializer/streaming"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

var podResource = schema.GroupVersionResource{Version: "v1", Resource: "pods"}

// codecs returns those of the clients.
func codecs(t *testing.T) k8sserializer.CodecFactory {
	t.Helper()
	scheme := k8sruntime.NewScheme()
	if err := corev1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	metav1.AddToGroupVersion(scheme, schema.GroupVersion{Version: "v1"})
	if err := metav1.AddMetaToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	return k8sserializer.NewCodecFactory(scheme)
}

func config(s *server) *rest.Config { return &rest.Config{Host: s.URL, QPS: -1} }

// typed returns a client with the Go types, which sends and prefers a media type.
func typed(t *testing.T, s *server, mediaType string) *rest.RESTClient {
	t.Helper()
	c := config(s)
	c.APIPath = "/api"
	c.GroupVersion = &schema.GroupVersion{Version: "v1"}
	c.NegotiatedSerializer = codecs(t).WithoutConversion()
	c.ContentType = mediaType
	c.AcceptContentTypes = mediaType + ",application/json"
	client, err := rest.RESTClientFor(c)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func aPod(name string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"app": "web"}},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i:1"}}},
	}
}

// TestTypedClient reads and writes with the Go types of Kubernetes, in JSON and in protobuf.
func TestTypedClient(t *testing.T) {
	t.Parallel()
	for _, mediaType := range []string{"application/json", "application/vnd.kubernetes.protobuf", "application/cbor"} {
		t.Run(mediaType, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			c := typed(t, s, strings.Replace(mediaType, "application/cbor", "application/yaml", 1))
			var got corev1.Pod
			if err := c.Post().Namespace("n").Resource("pods").Body(aPod("a")).Do(t.Context()).Into(&got); err != nil {
				t.Fatal(err)
			}
			if got.Name != "a" || got.Namespace != "n" || got.ResourceVersion != "1" ||
				got.Spec.Containers[0].Image != "i:1" {
				t.Errorf("created %+v", got)
			}
			got.Spec.NodeName = "node"
			if err := c.Put().Namespace("n").Resource("pods").Name("a").Body(&got).Do(t.Context()).
				Into(&got); err != nil || got.ResourceVersion != "2" {
				t.Errorf("updated %+v, %v", got, err)
			}
			var list corev1.PodList
			if err := c.Get().Resource("pods").Do(t.Context()).Into(&list); err != nil || len(list.Items) != 1 ||
				list.Items[0].Spec.NodeName != "node" || list.ResourceVersion != "2" {
				t.Errorf("listed %+v, %v", list, err)
			}
			if err := c.Delete().Namespace("n").Resource("pods").Name("a").Body(&metav1.DeleteOptions{}).
				Do(t.Context()).Error(); err != nil {
				t.Errorf("deleted: %v", err)
			}
			if err := c.Get().Namespace("n").Resource("pods").Name("a").Do(t.Context()).
				Into(&got); !apierrors.IsNotFound(err) {
				t.Errorf("gone: %v", err)
			}
		})
	}
}

// TestErrors checks that clients recognize what went wrong.
func TestErrors(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	for _, mediaType := range []string{"application/json", "application/vnd.kubernetes.protobuf"} {
		c := typed(t, s, mediaType)
		name := "p" + fmt.Sprint(len(mediaType))
		if err := c.Post().Namespace("n").Resource("pods").Body(aPod(name)).Do(t.Context()).Error(); err != nil {
			t.Fatal(err)
		}
		old := aPod(name)
		old.ResourceVersion = "999"
		version := "999"
		for what, tt := range map[string]struct {
			err error
			is  func(error) bool
		}{
			"not found": {
				c.Get().Namespace("n").Resource("pods").Name("nobody").Do(t.Context()).Error(),
				apierrors.IsNotFound,
			},
			"no such path": {c.Get().Resource("rockets").Do(t.Context()).Error(), apierrors.IsNotFound},
			"already exists": {
				c.Post().Namespace("n").Resource("pods").Body(aPod(name)).Do(t.Context()).Error(),
				apierrors.IsAlreadyExists,
			},
			"conflict": {
				c.Put().Namespace("n").Resource("pods").Name(name).Body(old).Do(t.Context()).Error(),
				apierrors.IsConflict,
			},
			"precondition": {
				c.Delete().Namespace("n").Resource("pods").Name(name).Body(
					&metav1.DeleteOptions{Preconditions: &metav1.Preconditions{ResourceVersion: &version}},
				).Do(t.Context()).Error(), apierrors.IsConflict,
			},
			"invalid": {
				c.Post().Namespace("n").Resource("pods").Body(aPod("")).Do(t.Context()).Error(),
				apierrors.IsInvalid,
			},
			"not acceptable": {
				c.Get().Resource("pods").SetHeader("Accept", "image/png").Do(t.Context()).Error(),
				apierrors.IsNotAcceptable,
			},
			"unsupported": {c.Post().Namespace("n").Resource("pods").SetHeader("Content-Type",
				"image/png").Body([]byte("x")).Do(t.Context()).Error(), apierrors.IsUnsupportedMediaType},
			"too large": {
				c.Post().Namespace("n").Resource("pods").SetHeader("Content-Type",
					"application/json").Body(bytes.Repeat([]byte(" "), 4<<20)).Do(t.Context()).Error(),
				apierrors.IsRequestEntityTooLargeError,
			},
			"bad request": {
				c.Get().Resource("pods").Param("limit", "many").Do(t.Context()).Error(),
				apierrors.IsBadRequest,
			},
			"not allowed": {c.Patch("application/merge-patch+json").Namespace("n").Resource("pods").Name(name).
				Body([]byte("{}")).Do(t.Context()).Error(), apierrors.IsMethodNotSupported},
		} {
			status := apierrors.APIStatus(nil)
			if !tt.is(tt.err) || !errors.As(tt.err, &status) || status.Status().Message == "" {
				t.Errorf("%s, %s: %v", mediaType, what, tt.err)
			}
		}
	}
}

// TestWatchDecoder reads a watch with the streaming decoder of apimachinery.
func TestWatchDecoder(t *testing.T) {
	t.Parallel()
	for _, mediaType := range []string{"application/json", "application/vnd.kubernetes.protobuf"} {
		t.Run(mediaType, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			pod := aPod("a")
			pod.Namespace = "n"
			s.store(pod, "ADDED")
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet,
				s.URL+"/api/v1/pods?watch=true&timeoutSeconds=2&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true", nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Accept", mediaType)
			resp, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			f := codecs(t)
			info, ok := k8sruntime.SerializerInfoForMediaType(f.SupportedMediaTypes(), mediaType)
			if !ok {
				t.Fatal("no serializer")
			}
			frames := info.StreamSerializer.Framer.NewFrameReader(resp.Body)
			decoder := streaming.NewDecoder(frames, info.StreamSerializer.Serializer)
			var got []string
			for {
				var e metav1.WatchEvent
				_, _, err := decoder.Decode(nil, &e)
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				obj, err := k8sruntime.Decode(f.UniversalDeserializer(), e.Object.Raw)
				if err != nil {
					t.Fatal(err)
				}
				p, ok := obj.(*corev1.Pod)
				if !ok {
					t.Fatalf("a %T", obj)
				}
				got = append(got, fmt.Sprintf("%s %s %s %v", e.Type, p.Name, p.ResourceVersion, p.Annotations))
			}
			if want := "[ADDED a 1 map[] BOOKMARK  1 map[k8s.io/initial-events-end:true]]"; fmt.Sprint(got) != want {
				t.Errorf("got %v, want %s", got, want)
			}
		})
	}
}

// names returns what a cache holds.
func names(store cache.Store) string {
	keys := store.ListKeys()
	out := make([]string, 0, len(keys))
	out = append(out, keys...)
	for i := range out {
		for j := i + 1; j < len(out); j++ {
			if out[j] < out[i] {
				out[i], out[j] = out[j], out[i]
			}
		}
	}
	return strings.Join(out, " ")
}

// follow changes pods and waits until a cache has heard of it: from the beginning, after bookmarks,
// and after its version has become too old.
func follow(t *testing.T, s *server, informer cache.SharedIndexInformer) {
	t.Helper()
	for _, name := range []string{"a", "b"} {
		p := aPod(name)
		p.Namespace = "n"
		s.store(p, "ADDED")
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan struct{})
	go func() {
		informer.RunWithContext(ctx)
		close(done)
	}()
	bounded, stop := context.WithTimeout(ctx, 30*time.Second)
	defer stop()
	if !cache.WaitForCacheSync(bounded.Done(), informer.HasSynced) {
		t.Fatalf("the cache is never in step; the requests were\n%s", strings.Join(s.asked(), "\n"))
	}
	if got := names(informer.GetStore()); got != "n/a n/b" {
		t.Errorf("at first: %s", got)
	}
	c := aPod("c")
	c.Namespace = "n"
	s.store(c, "ADDED")
	a, _ := s.find("n", "a")
	s.store(a.DeepCopy(), "DELETED")
	eventually(t, "changes", func() bool { return names(informer.GetStore()) == "n/b n/c" })
	s.bookmark(t)
	eventually(t, "a bookmark", func() bool { return informer.LastSyncResourceVersion() == "5" })
	s.forget()
	d := aPod("d")
	d.Namespace = "n"
	s.store(d, "ADDED")
	eventually(t, "a version that is too old", func() bool { return names(informer.GetStore()) == "n/b n/c n/d" })
	cancel()
	<-done
	eventually(t, "the watch of a client that is gone", func() bool { return s.watching() == 0 })
}

// watchList reports whether a watch with initial events was asked for.
func watchList(s *server) bool {
	for _, r := range s.asked() {
		if strings.Contains(r, "sendInitialEvents=true") {
			return true
		}
	}
	return false
}

// TestInformer has a typed informer follow the pods. It begins with a watch that sends the present
// objects and marks their end.
func TestInformer(t *testing.T) {
	t.Parallel()
	for _, mediaType := range []string{"application/json", "application/vnd.kubernetes.protobuf"} {
		t.Run(mediaType, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			lw := cache.NewListWatchFromClient(typed(t, s, mediaType), "pods", "", fields.Everything())
			informer := cache.NewSharedIndexInformer(lw, &corev1.Pod{}, 0, cache.Indexers{})
			follow(t, s, informer)
			if !watchList(s) {
				t.Errorf("no initial events were asked for:\n%s", strings.Join(s.asked(), "\n"))
			}
		})
	}
}

// TestMetadataInformer has an informer follow the metadata of the pods, as the garbage collector
// does.
func TestMetadataInformer(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	client, err := metadata.NewForConfig(config(s))
	if err != nil {
		t.Fatal(err)
	}
	informer := metadatainformer.NewFilteredMetadataInformer(client, podResource, "", 0, cache.Indexers{},
		nil).Informer()
	follow(t, s, informer)
	for _, r := range s.asked() {
		if !strings.Contains(r, "as=PartialObjectMetadata") {
			t.Errorf("the request %s", r)
		}
	}
	list, err := client.Resource(podResource).Namespace("n").List(t.Context(), metav1.ListOptions{})
	if err != nil || len(list.Items) != 3 || list.Items[0].Labels["app"] != "web" { // the client clears the kind
		t.Errorf("%+v, %v", list, err)
	}
	one, err := client.Resource(podResource).Namespace("n").Get(t.Context(), "b", metav1.GetOptions{})
	if err != nil || one.Name != "b" || one.Labels["app"] != "web" {
		t.Errorf("%+v, %v", one, err)
	}
}

// TestDynamicClient reads and writes objects whose type the client does not know.
func TestDynamicClient(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	client, err := dynamic.NewForConfig(config(s))
	if err != nil {
		t.Fatal(err)
	}
	pods := client.Resource(podResource).Namespace("n")
	obj := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Pod",
		"metadata": map[string]any{"name": "a"}, "spec": map[string]any{"containers": []any{}},
	}}
	if _, err := pods.Create(t.Context(), obj, metav1.CreateOptions{
		FieldManager:    "me",
		FieldValidation: "Strict",
	}); err != nil {
		t.Fatal(err)
	}
	w, err := pods.Watch(t.Context(), metav1.ListOptions{ResourceVersion: "0"})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	if e := <-w.ResultChan(); e.Type != watch.Added || e.Object.(*unstructured.Unstructured).GetName() != "a" {
		t.Errorf("got %+v", e)
	}
	obj.Object["spec"] = map[string]any{"containers": []any{}, "nodeNmae": "x"}
	obj.SetName("b")
	if _, err := pods.Create(t.Context(), obj,
		metav1.CreateOptions{FieldValidation: "Strict"}); !apierrors.IsBadRequest(err) ||
		!strings.Contains(err.Error(), `did you mean "nodeName"?`) {
		t.Errorf("an unknown field: %v", err)
	}
	list, err := pods.List(t.Context(), metav1.ListOptions{})
	if err != nil || len(list.Items) != 1 || list.GetKind() != "PodList" || list.Items[0].GetKind() != "Pod" {
		t.Errorf("%+v, %v", list, err)
	}
}

// TestTableClient asks for a table as kubectl does, and reads it with the type of Kubernetes.
func TestTableClient(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	p := aPod("a")
	p.Namespace = "n"
	s.store(p, "ADDED")
	var table metav1.Table
	body, err := typed(t, s, "application/json").Get().Resource("pods").
		SetHeader(
			"Accept", "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json",
		).
		Param("includeObject", "Object").Do(t.Context()).Raw()
	if err != nil {
		t.Fatal(err)
	}
	obj, err := k8sruntime.Decode(codecs(t).UniversalDeserializer(), body)
	if err != nil {
		t.Fatal(err)
	}
	got, ok := obj.(*metav1.Table)
	if !ok {
		t.Fatalf("a %T: %s", obj, body)
	}
	table = *got
	if len(table.Rows) != 1 || table.Rows[0].Cells[0] != "a" || table.ColumnDefinitions[0].Name != "Name" ||
		!bytes.Contains(table.Rows[0].Object.Raw, []byte(`"kind":"Pod"`)) {
		t.Errorf("got %+v", table)
	}
}
