package encrypt_test

import (
	"bytes"
	"context"
	"fmt"

	"github.com/askind/askind/store/encrypt"
	"github.com/askind/askind/store/memory"
)

func ExampleNew() {
	ctx := context.Background()
	inner := memory.New()
	db, err := encrypt.New(inner, encrypt.Keys{{ID: "2026", Secret: []byte("0123456789abcdef")}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer db.Close()
	if _, err := db.Put(ctx, "key", []byte("secret"), 0); err != nil {
		fmt.Println(err)
		return
	}
	kept, err := inner.Get(ctx, "key")
	fmt.Println(bytes.Contains(kept.Value, []byte("secret")), err)
	got, err := db.Get(ctx, "key")
	fmt.Printf("%s %v\n", got.Value, err)
	// Output:
	// false <nil>
	// secret <nil>
}
