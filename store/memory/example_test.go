package memory_test

import (
	"context"
	"fmt"

	"github.com/askind/askind/store/memory"
)

func ExampleNew() {
	ctx := context.Background()
	db := memory.New()
	defer db.Close()
	first, err := db.Put(ctx, "key", []byte("1"), 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	second, err := db.Put(ctx, "key", []byte("2"), first)
	fmt.Println(second-first, err)
	_, err = db.Put(ctx, "key", []byte("3"), first)
	fmt.Println(err != nil)
	// Output:
	// 1 <nil>
	// true
}
