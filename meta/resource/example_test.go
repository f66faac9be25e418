package resource_test

import (
	"errors"
	"fmt"

	"github.com/askind/askind/meta/resource"
)

// A request of one and a half gibibytes, twice.
func Example() {
	memory, err := resource.Parse("1.5Gi")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(memory, memory.Value())

	memory.Mul(2)
	fmt.Println(memory)

	memory.Sub(resource.NewQuantity(1<<20, resource.BinarySI))
	fmt.Println(memory)
	// Output:
	// 1536Mi 1610612736
	// 3Gi
	// 3071Mi
}

func ExampleParse_error() {
	_, err := resource.Parse("100mb")
	fmt.Println(err)
	fmt.Println(errors.Is(err, resource.ErrSuffix))
	// Output:
	// resource: invalid quantity "100mb": the suffix must be one of n u m k M G T P E, Ki Mi Gi Ti Pi Ei, or e with an exponent
	// true
}
