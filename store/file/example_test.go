package file_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/askind/askind/store/file"
)

func ExampleOpen() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	for range 2 {
		db, err := file.Open(filepath.Join(dir, "garage.db"))
		if err != nil {
			fmt.Println(err)
			return
		}
		got, err := db.Get(context.Background(), "key")
		fmt.Printf("%q %v\n", got.Value, err)
		_, err = db.Put(context.Background(), "key", []byte("value"), got.Revision)
		fmt.Println(err, db.Close())
	}
	// Output:
	// "" <nil>
	// <nil> <nil>
	// "value" <nil>
	// <nil> <nil>
}
