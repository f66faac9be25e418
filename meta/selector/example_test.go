package selector_test

import (
	"fmt"

	"github.com/askind/askind/meta/selector"
)

func ExampleParse() {
	s, err := selector.Parse("tier in (front, middle), !debug")
	fmt.Println(s, err)
	fmt.Println(s.Matches(map[string]string{"tier": "front"}))
	fmt.Println(s.Matches(map[string]string{"tier": "front", "debug": "yes"}))

	_, err = selector.Parse("tier in front")
	fmt.Println(err)
	// Output:
	// !debug,tier in (front,middle) <nil>
	// true
	// false
	// label selector "tier in front", offset 8: expected values in parentheses, found "front"
}
