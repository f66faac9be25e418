package file_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/askind/askind/store/file"
)

// A copy of the file for each day, while a server uses it.
func ExampleEngine_Backup() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	db, err := file.Open(filepath.Join(dir, "garage.db"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer db.Close()
	if _, err := db.Put(context.Background(), "key", []byte("value"), 0); err != nil {
		fmt.Println(err)
		return
	}
	if _, err := db.Backup(filepath.Join(dir, "garage-2026-11-26.db")); err != nil {
		fmt.Println(err)
		return
	}
	saved, err := file.Open(filepath.Join(dir, "garage-2026-11-26.db"), file.ReadOnly())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer saved.Close()
	got, err := saved.Get(context.Background(), "key")
	fmt.Printf("%s %v\n", got.Value, err)
	// Output: value <nil>
}

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
