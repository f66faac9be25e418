package main

import (
	"bufio"
	"flag"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/askind/askind/aggregator"
	"github.com/askind/askind/aggregator/v1alpha1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/server"
	"github.com/askind/askind/store/memory"
)

var original = flag.String("original", "", "`binary` of testdata/original, for the test of an aggregator before it")

// TestAggregatorBeforeOriginal registers k8s.io/sample-apiserver, with its etcd, at an aggregator:
// a server of Kubernetes' own library, which knows nothing of Groups. It takes a binary, which is
// large, so it is run by hand:
//
//	go build -C ../testdata/original -o /tmp/original . && go test -run Original -original /tmp/original .
func TestAggregatorBeforeOriginal(t *testing.T) {
	t.Parallel()
	if *original == "" {
		t.Skip("run with -original BINARY")
	}
	address := freeAddress(t)
	stop := startOriginal(t, address)
	agg, err := aggregator.New(aggregator.Config{Period: 200 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = agg.Close() })
	scheme, err := runtime.NewScheme(v1alpha1.AddTo, metav1.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	front, err := server.New(scheme, memory.New(), server.DelegateTo(agg))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = front.Close() })
	var services []*v1alpha1.APIService
	for _, version := range []string{"v1alpha1", "v1beta1"} {
		services = append(services, &v1alpha1.APIService{
			ObjectMeta: metav1.ObjectMeta{Name: version + ".wardle.example.com"},
			Spec: v1alpha1.APIServiceSpec{
				Group: "wardle.example.com", Version: version, URL: "http://" + address,
			},
		})
	}
	agg.Set(services...)
	available := func(want string) func() bool {
		return func() bool {
			for _, c := range agg.Conditions("v1beta1.wardle.example.com") {
				if c.Type == v1alpha1.ConditionAvailable {
					return string(c.Status)+" "+c.Reason == want
				}
			}
			return false
		}
	}
	eventually(t, "sample-apiserver is available", available("True Answers"))

	client := &http.Client{Transport: front.Transport()}
	const flunders = "http://front/apis/wardle.example.com/v1beta1/namespaces/default/flunders"
	watch := request(t, client, "GET", flunders+"?watch=1&resourceVersion=0", "", "")
	defer watch.Body.Close()
	const yaml = "application/apply-patch+yaml"
	table := "application/json;as=Table;g=meta.k8s.io;v=v1"
	for _, c := range []struct {
		name, method, url, body, header string // Content-Type of writes, Accept of reads
		code                            int
		want                            string
	}{
		{
			"discovery has both versions", "GET", "http://front/apis", "",
			"application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
			200, `"resource":"flunders"`,
		},
		{"the older document", "GET", "http://front/apis/wardle.example.com/v1alpha1", "", "", 200, `"fischers"`},
		{"OpenAPI", "GET", "http://front/openapi/v3/apis/wardle.example.com/v1beta1", "", "", 200, "flunderReference"},
		{"create", "POST", flunders, `{"metadata":{"name":"a"}}`, "application/json", 201, `"name":"a"`},
		{
			"invalid", "POST", flunders, `{"metadata":{"name":"b"},"spec":{"flunderReference":"x"}}`, "application/json",
			422, "Invalid",
		},
		{
			"apply", "PATCH", flunders + "/a?fieldManager=me",
			"apiVersion: wardle.example.com/v1beta1\nkind: Flunder\nmetadata: {name: a, labels: {tier: web}}", yaml,
			200, `"tier":"web"`,
		},
		{"table", "GET", flunders, "", table, 200, `"columnDefinitions"`},
		{"a name that is not there", "GET", flunders + "/none", "", "", 404, "NotFound"},
		{"delete", "DELETE", flunders + "/a", "", "", 200, "Success"},
	} {
		resp := request(t, client, c.method, c.url, c.body, c.header)
		text, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != c.code || !strings.Contains(string(text), c.want) {
			t.Errorf("%s: %d %.500s, %v; want %d and %s", c.name, resp.StatusCode, text, err, c.code, c.want)
		}
	}
	lines := bufio.NewScanner(watch.Body)
	lines.Buffer(nil, 1<<20)
	for _, want := range []string{"ADDED", "MODIFIED", "DELETED"} {
		if !lines.Scan() || !strings.HasPrefix(lines.Text(), `{"type":"`+want+`"`) {
			t.Fatalf("the watch has %q, %v; want %s", lines.Text(), lines.Err(), want)
		}
	}

	stop()
	eventually(t, "sample-apiserver is gone", available("False DoesNotAnswer"))
	resp := request(t, client, "GET", flunders, "", "")
	resp.Body.Close()
	if resp.StatusCode != http.StatusServiceUnavailable || resp.Header.Get("Retry-After") == "" {
		t.Errorf("after its end: %d", resp.StatusCode)
	}
	startOriginal(t, address)
	eventually(t, "sample-apiserver is back", available("True Answers"))
}

// freeAddress returns an address that a server can listen on again and again. It is below those
// that connections are given.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:18473")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// startOriginal runs the binary until the test ends or the function is called.
func startOriginal(t *testing.T, address string) (stop func()) {
	t.Helper()
	command := exec.Command(*original, address)
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	stopped := false
	stop = func() {
		if !stopped {
			stopped = true
			_ = command.Process.Signal(os.Interrupt)
			_ = command.Wait() // its exit code does not matter
		}
	}
	t.Cleanup(stop)
	return stop
}

// request sends a request with a header: the Content-Type of a body, or else the Accept header.
func request(t *testing.T, client *http.Client, method, url, body, header string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	switch {
	case header == "":
	case body != "":
		r.Header.Set("Content-Type", header)
	default:
		r.Header.Set("Accept", header)
	}
	resp, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

// eventually waits until a function returns true.
func eventually(t *testing.T, what string, f func() bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !f(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("still waiting until " + what)
		}
	}
}
