package resource_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/askind/askind/meta/resource"
)

func ExampleMustParse() {
	limits := map[string]resource.Quantity{"cpu": resource.MustParse("1500m"), "memory": resource.MustParse("2Gi")}
	cpu := limits["cpu"]
	fmt.Println(cpu.String())
	// Output: 1500m
}

func TestMustParsePanics(t *testing.T) {
	t.Parallel()
	defer func() {
		if r := fmt.Sprint(recover()); !strings.HasPrefix(r, "resource: MustParse: ") {
			t.Errorf("got %s", r)
		}
	}()
	resource.MustParse("much")
}
