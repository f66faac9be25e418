package patches_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/askind/askind/patch/structure"
)

var cases = flag.Int("cases", 3000, "how many random cases each comparison takes")

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(m.Run())
}

// same reports whether two texts are the same JSON.
func same(t *testing.T, a, b []byte) bool {
	t.Helper()
	var x, y any
	if err := json.Unmarshal(a, &x); err != nil {
		t.Fatalf("%v: %s", err, a)
	}
	if err := json.Unmarshal(b, &y); err != nil {
		t.Fatalf("%v: %s", err, b)
	}
	return reflect.DeepEqual(x, y)
}

func encode(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return text
}

// tagged returns the structure of a Go type as strategic merge patches see it: from struct tags.
func tagged(t reflect.Type, known map[reflect.Type]*structure.Type) *structure.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if s := known[t]; s != nil {
		return s
	}
	if _, ok := reflect.PointerTo(t).MethodByName("UnmarshalJSON"); ok {
		return &structure.Type{Kind: structure.Scalar}
	}
	switch t.Kind() {
	case reflect.Struct:
		s := &structure.Type{Kind: structure.Struct}
		known[t] = s
		addFields(s, t, known)
		slices.SortFunc(s.Fields, func(a, b structure.Field) int { return strings.Compare(a.Name, b.Name) })
		return s
	case reflect.Map:
		return &structure.Type{Kind: structure.Map, Elem: tagged(t.Elem(), known)}
	case reflect.Slice:
		return &structure.Type{Kind: structure.List, Elem: tagged(t.Elem(), known)}
	}
	return &structure.Type{Kind: structure.Scalar}
}

func addFields(s *structure.Type, t reflect.Type, known map[reflect.Type]*structure.Type) {
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" {
			if f.Anonymous {
				addFields(s, f.Type, known)
			}
			continue
		}
		field := structure.Field{Name: name, Type: tagged(f.Type, known), MergeKey: f.Tag.Get("patchMergeKey")}
		for strategy := range strings.SplitSeq(f.Tag.Get("patchStrategy"), ",") {
			field.Merge = field.Merge || strategy == "merge"
			field.Replace = field.Replace || strategy == "replace"
			field.RetainKeys = field.RetainKeys || strategy == "retainKeys"
		}
		s.Fields = append(s.Fields, field)
	}
}

// pod returns a Pod of about 10 KB.
func pod() *corev1.Pod {
	p := &corev1.Pod{}
	if err := json.Unmarshal(podText, p); err != nil {
		panic(err)
	}
	return p
}

// podText is a Pod as a cluster has it, with managed fields and a status.
var podText = func() []byte {
	var b strings.Builder
	b.WriteString(
		`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web-7d4b9c6f5-x2x9k","generateName":"web-7d4b9c6f5-","namespace":"shop","uid":"5f9c2f0e-5b5e-4d0d-9a39-0c1f4c1b1a11","resourceVersion":"123456","creationTimestamp":"2026-01-02T03:04:05Z","labels":{"app":"web","pod-template-hash":"7d4b9c6f5","tier":"front"},"annotations":{"prometheus.io/scrape":"true","checksum/config":"0123456789abcdef0123456789abcdef"},"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"web-7d4b9c6f5","uid":"aa9c2f0e-5b5e-4d0d-9a39-0c1f4c1b1a11","controller":true,"blockOwnerDeletion":true}]},"spec":{"volumes":[`,
	)
	for i := range 4 {
		fmt.Fprintf(
			&b, `{"name":"config-%d","configMap":{"name":"web-config-%d","items":[{"key":"a.yaml","path":"a.yaml"},{"key":"b.yaml","path":"b.yaml"}],"defaultMode":420}},`, i, i,
		)
	}
	b.WriteString(`{"name":"tmp","emptyDir":{}}],"containers":[`)
	for i := range 5 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(
			&b, `{"name":"c%d","image":"registry.example.com/shop/web-%d:1.2.3","command":["/bin/web","--listen=:8080","--verbose"],"ports":[{"name":"http","containerPort":%d,"protocol":"TCP"},{"name":"metrics","containerPort":%d,"protocol":"TCP"}],"env":[`, i, i, 8080+i, 9090+i,
		)
		for j := range 8 {
			if j > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, `{"name":"SETTING_%d","value":"value number %d of container %d"}`, j, j, i)
		}
		fmt.Fprintf(
			&b, `],"resources":{"limits":{"cpu":"500m","memory":"128Mi"},"requests":{"cpu":"250m","memory":"64Mi"}},"volumeMounts":[{"name":"config-0","mountPath":"/etc/config"},{"name":"tmp","mountPath":"/tmp"}],"livenessProbe":{"httpGet":{"path":"/healthz","port":8080,"scheme":"HTTP"},"timeoutSeconds":1,"periodSeconds":10,"successThreshold":1,"failureThreshold":3},"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File","imagePullPolicy":"IfNotPresent"}`,
		)
	}
	b.WriteString(
		`],"restartPolicy":"Always","terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst","serviceAccountName":"web","nodeName":"node-17","securityContext":{},"tolerations":[{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute","tolerationSeconds":300},{"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}]},"status":{"phase":"Running","conditions":[`,
	)
	for i, c := range []string{"Initialized", "Ready", "ContainersReady", "PodScheduled"} {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"type":%q,"status":"True","lastProbeTime":null,"lastTransitionTime":"2026-01-02T03:04:0%dZ"}`,
			c, i)
	}
	b.WriteString(
		`],"hostIP":"10.0.0.17","podIP":"10.1.0.5","podIPs":[{"ip":"10.1.0.5"}],"startTime":"2026-01-02T03:04:05Z","qosClass":"Burstable","containerStatuses":[`,
	)
	for i := range 5 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(
			&b, `{"name":"c%d","state":{"running":{"startedAt":"2026-01-02T03:04:09Z"}},"lastState":{},"ready":true,"restartCount":0,"image":"registry.example.com/shop/web-%d:1.2.3","imageID":"registry.example.com/shop/web@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef","containerID":"containerd://0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcde%d","started":true}`, i, i, i,
		)
	}
	b.WriteString(`]}}`)
	return []byte(b.String())
}()

// picker makes random values.
type picker struct{ *rand.Rand }

func newPicker(seed uint64) picker { return picker{rand.New(rand.NewPCG(seed, 42))} }

func pick[T any](r picker, list ...T) T { return list[r.IntN(len(list))] }
