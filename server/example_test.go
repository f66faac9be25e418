package server_test

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/askind/askind/client"
	"github.com/askind/askind/examples/notes/api/v1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/server"
	"github.com/askind/askind/store/memory"
)

func Example() {
	scheme, err := runtime.NewScheme(v1.AddTo)
	if err != nil {
		panic(err)
	}
	srv, err := server.New(scheme, memory.New())
	if err != nil {
		panic(err)
	}
	defer srv.Close()
	// srv.ListenAndServe(ctx, "127.0.0.1:8080") serves it to kubectl. This is a client in the
	// process:
	notes := client.Of[v1.Note](srv.Client()).In("default")
	milk := &v1.Note{ObjectMeta: metav1.ObjectMeta{Name: "milk"}, Spec: v1.NoteSpec{Text: "buy milk"}}
	if _, err := notes.Create(context.Background(), milk); err != nil {
		panic(err)
	}
	// And this is a request as curl sends it.
	r, err := http.NewRequest(http.MethodGet, "http://server/apis/notes.example.com/v1/notes", nil)
	if err != nil {
		panic(err)
	}
	r.Header.Set("Accept", "text/plain")
	response, err := srv.Transport().RoundTrip(r)
	if err != nil {
		panic(err)
	}
	defer response.Body.Close()
	table, err := io.ReadAll(response.Body)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s", table)
	// Output:
	// NAME   TEXT       DONE   AGE
	// milk   buy milk          0s
}

func ExampleFor() {
	scheme, err := runtime.NewScheme(v1.AddTo)
	if err != nil {
		panic(err)
	}
	srv, err := server.New(scheme, memory.New(), server.For[v1.Note](server.Hooks[v1.Note]{
		Prepare: func(_ context.Context, r *server.Request, old, new *v1.Note) error {
			if old == nil && new.Spec.Color == "yellow" {
				new.Spec.Color = "green"
			}
			return nil
		},
	}))
	if err != nil {
		panic(err)
	}
	defer srv.Close()
	notes := client.Of[v1.Note](srv.Client()).In("default")
	note, err := notes.Create(context.Background(), &v1.Note{
		ObjectMeta: metav1.ObjectMeta{Name: "a"},
		Spec:       v1.NoteSpec{Text: "b"},
	})
	fmt.Println(note.Spec.Color, err)
	// Output: green <nil>
}
