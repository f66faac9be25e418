package k8s_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	kcorev1 "k8s.io/api/core/v1"
	kruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/duration"
	"k8s.io/client-go/util/jsonpath"

	"github.com/askind/askind/conversion"
	v1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/json"
)

// podPaths are the paths of the columns of a Pod that corev1/types.go asks for, as the peer writes
// them; a length is that of what its path finds.
var podPaths = map[string]string{
	"Name":       "{.metadata.name}",
	"Status":     "{.status.phase}",
	"Restarts":   "{.status.containerStatuses[0].restartCount}",
	"Age":        "{.metadata.creationTimestamp}",
	"IP":         "{.status.podIP}",
	"Node":       "{.spec.nodeName}",
	"Scheduled":  `{.status.conditions[?(@.type=="PodScheduled")].status}`,
	"Containers": "{.spec.containers}",
	"Images":     "{.spec.containers[*].image}",
	"App":        `{.metadata.labels.app\.kubernetes\.io/name}`,
}

// TestPodColumns checks the compiled columns of random Pods equal to what the JSONPath of client-go
// finds by reflection in their JSON form.
func TestPodColumns(t *testing.T) {
	t.Parallel()
	s := newScheme(t)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	f := filler{rand.New(rand.NewPCG(seed, 1))}
	now := time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)
	found := map[string]int{}
	for range 100 {
		pod := new(kcorev1.Pod)
		f.fill(reflect.ValueOf(pod).Elem(), 0)
		pod.Name = f.word() // every object that is shown has one
		for i := range pod.Status.Conditions {
			pod.Status.Conditions[i].Type = []kcorev1.PodConditionType{
				kcorev1.PodReady, kcorev1.PodScheduled,
				kcorev1.PodInitialized,
			}[i%3]
		}
		if f.IntN(2) == 0 {
			pod.Labels = map[string]string{"app.kubernetes.io/name": f.word()}
		}
		obj, err := s.AsWith(pod, v1.GroupVersion.WithKind("Table"),
			conversion.NewScope(conversion.ScopeOptions{Now: now}))
		if err != nil {
			t.Fatal(err)
		}
		table := obj.(*v1.Table)
		form, err := kruntime.DefaultUnstructuredConverter.ToUnstructured(pod)
		if err != nil {
			t.Fatal(err)
		}
		if len(table.ColumnDefinitions) != len(podPaths) {
			t.Fatalf("%d columns", len(table.ColumnDefinitions))
		}
		for i, column := range table.ColumnDefinitions {
			got := table.Rows[0].Cells[i]
			if want := peerCell(t, column, pod, form, now); !reflect.DeepEqual(got, want) {
				t.Fatalf("%s: got %#v, want %#v", column.Name, got, want)
			}
			if got != nil {
				found[column.Name]++
			}
		}
	}
	for name := range podPaths {
		if found[name] == 0 {
			t.Errorf("column %s was never filled", name)
		}
	}
}

// peerCell returns the cell that the values make that the peer finds.
func peerCell(t *testing.T, column v1.TableColumnDefinition, pod *kcorev1.Pod, form map[string]any, now time.Time) any {
	t.Helper()
	path := jsonpath.New(column.Name).AllowMissingKeys(true)
	if err := path.Parse(podPaths[column.Name]); err != nil {
		t.Fatal(err)
	}
	results, err := path.FindResults(form)
	if err != nil {
		// The peer has no word for an index that is out of range but an error.
		if strings.Contains(err.Error(), "out of bounds") {
			return nil
		}
		t.Fatal(err)
	}
	var values []reflect.Value
	for _, r := range results {
		for _, v := range r {
			values = append(values, reflect.ValueOf(v.Interface()))
		}
	}
	switch {
	case column.Name == "Containers":
		return int64(len(pod.Spec.Containers))
	case len(values) == 0:
		return nil
	case column.Type == "integer":
		return values[0].Int()
	case column.Type == "date":
		if pod.CreationTimestamp.IsZero() {
			return nil
		}
		return duration.HumanDuration(now.Sub(pod.CreationTimestamp.Time))
	}
	var texts []string
	for _, v := range values {
		texts = append(texts, v.String())
	}
	return strings.Join(texts, ",")
}

// A program that knows the types of Kubernetes shows a Pod that it has read as a table, by
// functions that were generated for types which nobody here can edit.
func Example() {
	scheme, err := runtime.NewScheme(append(groups(), v1.AddTo)...)
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := serializer.NewFactory(scheme, json.Format())
	if err != nil {
		fmt.Println(err)
		return
	}
	pod, err := serializer.Decode[kcorev1.Pod](f, []byte(`{
		"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "web"},
		"spec": {"containers": [{"name": "nginx", "image": "nginx:1.29"}, {"name": "log", "image": "fluentbit:4"}]},
		"status": {"phase": "Running", "containerStatuses": [{"name": "nginx", "ready": true, "restartCount": 2}]}}`), serializer.DecodeOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	table, err := runtime.As[v1.Table](scheme, pod)
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, column := range table.ColumnDefinitions {
		if cell := table.Rows[0].Cells[i]; cell != nil && cell != "" {
			fmt.Println(column.Name, cell)
		}
	}
	// Output:
	// Name web
	// Status Running
	// Restarts 2
	// Containers 2
	// Images nginx:1.29,fluentbit:4
}
