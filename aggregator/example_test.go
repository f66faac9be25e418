package aggregator_test

import (
	"fmt"
	"io"
	"net/http"

	"github.com/askind/askind/aggregator"
	"github.com/askind/askind/aggregator/v1alpha1"
	fleetv1 "github.com/askind/askind/examples/fleet/api/fleet/v1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/server"
	"github.com/askind/askind/store/memory"
)

// The server in front forwards requests for the fleet to another server. Here both are in one
// process; without Transport the requests go to the URL of the registration.
func Example() {
	check := func(err error) {
		if err != nil {
			panic(err)
		}
	}
	scheme, err := runtime.NewScheme(fleetv1.AddTo, metav1.AddTo)
	check(err)
	behind, err := server.New(scheme, memory.New())
	check(err)
	defer behind.Close()

	agg, err := aggregator.New(aggregator.Config{
		Transport: func(*v1alpha1.APIServiceSpec) http.RoundTripper { return behind.Transport() },
	})
	check(err)
	defer agg.Close()
	agg.Set(&v1alpha1.APIService{
		ObjectMeta: metav1.ObjectMeta{Name: "v1.fleet.example.com"},
		Spec:       v1alpha1.APIServiceSpec{Group: "fleet.example.com", Version: "v1", URL: "https://fleet.internal"},
	})
	own, err := runtime.NewScheme(v1alpha1.AddTo, metav1.AddTo)
	check(err)
	front, err := server.New(own, memory.New(), server.DelegateTo(agg))
	check(err)
	defer front.Close()

	c := http.Client{Transport: front.Transport()}
	resp, err := c.Get("http://front/apis/fleet.example.com/v1/machines?pretty=0&resourceVersion=0")
	check(err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	check(err)
	fmt.Printf("%s %.60s\n", resp.Status, body)
	// Output: 200 OK {"kind":"MachineList","apiVersion":"fleet.example.com/v1","m
}
