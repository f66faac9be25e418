package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/askind/askind/client"
	"github.com/askind/askind/examples/notes/api/v1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/server"
	"github.com/askind/askind/server/auth"
	"github.com/askind/askind/store"
	"github.com/askind/askind/store/memory"
)

// notesServer returns a server for notes in memory.
func notesServer(o ...server.Option) *server.Server {
	scheme, err := runtime.NewScheme(v1.AddTo)
	if err != nil {
		panic(err)
	}
	srv, err := server.New(scheme, memory.New(), o...)
	if err != nil {
		panic(err)
	}
	return srv
}

// note returns a note with a text.
func note(name, text string) *v1.Note {
	return &v1.Note{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: v1.NoteSpec{Text: text}}
}

func ExampleHooks() {
	srv := notesServer(server.For[v1.Note](server.Hooks[v1.Note]{
		Validate: func(_ context.Context, _ *server.Request, _, new *v1.Note) runtime.FieldErrors {
			if len(new.Spec.Text) > 20 {
				return runtime.FieldErrors{runtime.TooLong(schema.NewPath("spec", "text"), new.Spec.Text, 20)}
			}
			return nil
		},
		Admit: func(_ context.Context, r *server.Request, old, new *v1.Note) error {
			if new == nil && !old.Status.Done {
				return r.Forbidden("the note is not done")
			}
			return nil
		},
		AfterCommit: func(_ context.Context, r *server.Request, _, _ *v1.Note) {
			fmt.Println("stored:", r.Verb, r.Name)
		},
	}))
	defer srv.Close()
	ctx, notes := context.Background(), client.Of[v1.Note](srv.Client()).In("default")
	_, err := notes.Create(ctx, note("milk", "milk and then more milk"))
	_, cause, _ := strings.Cut(err.Error(), "invalid: ")
	fmt.Println(cause)
	if _, err = notes.Create(ctx, note("milk", "buy milk")); err != nil {
		panic(err)
	}
	fmt.Println(notes.Delete(ctx, "milk"))
	// Output:
	// spec.text: Too long: may not be more than 20 bytes
	// stored: create milk
	// notes.notes.example.com "milk" is forbidden: the note is not done
}

func ExampleSubresource() {
	srv := notesServer(server.Subresource("done",
		func(_ context.Context, _ *server.Request, note, in *v1.Note) (*v1.Note, error) {
			note.Spec.Color, note.Status.Done = in.Spec.Color, true
			return note, nil
		}))
	defer srv.Close()
	notes := client.Of[v1.Note](srv.Client()).In("default")
	if _, err := notes.Create(context.Background(), note("milk", "buy milk")); err != nil {
		panic(err)
	}
	// Others send a POST to /apis/notes.example.com/v1/namespaces/default/notes/milk/done.
	in := &v1.Note{Spec: v1.NoteSpec{Color: "green"}}
	if _, err := client.Act(context.Background(), notes, "milk", "done", in); err != nil {
		panic(err)
	}
	milk, err := notes.Get(context.Background(), "milk")
	if err != nil {
		panic(err)
	}
	fmt.Println(milk.Spec.Color, milk.Status.Done)
	// Output: green true
}

// A view counts the bytes of a note. Its kind need not be that of the object.
func ExampleSubresourceView() {
	srv := notesServer(server.SubresourceView("size",
		func(_ context.Context, _ *server.Request, note *v1.Note) (*metav1.Scale, error) {
			return &metav1.Scale{Status: metav1.ScaleStatus{Replicas: int32(len(note.Spec.Text))}}, nil
		}))
	defer srv.Close()
	notes := client.Of[v1.Note](srv.Client()).In("default")
	if _, err := notes.Create(context.Background(), note("milk", "buy milk")); err != nil {
		panic(err)
	}
	size, err := client.Show[metav1.Scale](context.Background(), notes, "milk", client.Subresource("size"))
	if err != nil {
		panic(err)
	}
	fmt.Println(size.Status.Replicas)
	// Output: 8
}

// A program with pages and users of its own serves objects beside them.
func ExampleServer_ServeHTTP() {
	srv := notesServer(
		// The user that the program has found; a request without one is refused.
		server.Authenticate(auth.AuthenticatorFunc(func(r *http.Request) (*auth.User, error) {
			return auth.UserOf(r.Context()), nil
		})),
		server.Authorize(auth.AllowAll()),
	)
	defer srv.Close()
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "the page of the program") })
	for _, path := range []string{"/api", "/api/", "/apis", "/apis/", "/openapi/", "/version"} {
		mux.Handle(path, srv)
	}
	login := func(w http.ResponseWriter, r *http.Request) { // stands for the middleware of the program
		if name, _, ok := r.BasicAuth(); ok {
			r = r.WithContext(auth.WithUser(r.Context(), &auth.User{Name: name}))
		}
		mux.ServeHTTP(w, r)
	}
	get := func(path, user string) {
		r := httptest.NewRequest(http.MethodGet, path, nil)
		if user != "" {
			r.SetBasicAuth(user, "")
		}
		w := httptest.NewRecorder()
		login(w, r)
		fmt.Println(path, w.Code)
	}
	get("/", "")
	get("/apis/notes.example.com/v1/notes", "")
	get("/apis/notes.example.com/v1/notes", "ann")
	// Output:
	// / 200
	// /apis/notes.example.com/v1/notes 401
	// /apis/notes.example.com/v1/notes 200
}

// The controller marks each note as done.
func ExampleServer_Go() {
	srv := notesServer()
	notes := client.Of[v1.Note](srv.Client()).In("default")
	srv.Go(func(ctx context.Context) {
		for change, err := range notes.Follow(ctx) {
			if err != nil || change.Object == nil || change.Object.Status.Done {
				continue // Follow tries again
			}
			done := func(n *v1.Note) error { n.Status.Done = true; return nil }
			if _, err := notes.Change(ctx, change.Key.Name, done, client.Subresource("status")); err != nil {
				fmt.Println(err)
			}
		}
	})
	ctx := context.Background()
	if _, err := notes.Create(ctx, note("milk", "buy milk")); err != nil {
		panic(err)
	}
	for change, err := range notes.Follow(ctx) {
		if err == nil && change.Object != nil && change.Object.Status.Done {
			fmt.Println(change.Key.Name, "is done")
			break
		}
	}
	if err := srv.Close(); err != nil { // waits for the controller
		panic(err)
	}
	// Output: milk is done
}

func ExampleServer_Install() {
	scheme, err := runtime.NewScheme()
	if err != nil {
		panic(err)
	}
	srv, err := server.New(scheme, memory.New())
	if err != nil {
		panic(err)
	}
	defer srv.Close()
	list := func() {
		w := httptest.NewRecorder()
		srv.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://localhost/apis/notes.example.com/v1/notes", nil))
		fmt.Println(w.Code)
	}
	list()
	if err := srv.Install(v1.AddTo); err != nil {
		panic(err)
	}
	list()
	if err := srv.Remove(v1.GroupVersion); err != nil {
		panic(err)
	}
	list()
	// Output:
	// 404
	// 200
	// 404
}

func ExampleServer_DeleteKinds() {
	srv := notesServer()
	defer srv.Close()
	ctx := context.Background()
	notes := client.Of[v1.Note](srv.Client()).In("default")
	if _, err := notes.Create(ctx, note("milk", "buy milk")); err != nil {
		panic(err)
	}
	if err := srv.DeleteKinds(ctx, v1.GroupVersion.WithKind("Note").GroupKind()); err != nil {
		panic(err)
	}
	if err := srv.Install(v1.AddTo); err != nil {
		panic(err)
	}
	_, err := notes.Get(ctx, "milk")
	fmt.Println(err)
	// Output: notes.notes.example.com "milk" not found
}

func ExampleAuthenticate() {
	policy, err := auth.NewPolicy(auth.Policy{
		Roles: []auth.Role{{Name: "reader", Rules: []auth.Rule{
			{
				Verbs: []string{"get", "list", "watch"}, Groups: []string{v1.GroupVersion.Group},
				Resources: []string{"notes"},
			},
		}}},
		Bindings: []auth.Binding{{Role: "reader", Users: []string{"ann"}, Namespace: "default"}},
	})
	if err != nil {
		panic(err)
	}
	srv := notesServer(
		server.Authenticate(auth.Tokens(map[string]auth.User{"token-of-ann": {Name: "ann"}})),
		server.Authorize(policy),
	)
	defer srv.Close()
	list := func(namespace, token string) {
		r := httptest.NewRequest(http.MethodGet,
			"http://localhost/apis/notes.example.com/v1/namespaces/"+namespace+"/notes", nil)
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		w := httptest.NewRecorder()
		srv.ServeHTTP(w, r)
		fmt.Println(w.Code, http.StatusText(w.Code))
	}
	list("default", "")
	list("default", "token-of-ann")
	list("secret", "token-of-ann")
	// Output:
	// 401 Unauthorized
	// 200 OK
	// 403 Forbidden
}

func ExampleCORS() {
	srv := notesServer(server.CORS(server.CORSSettings{
		Origins: []string{"https://dashboard.example.com"}, Credentials: true, MaxAge: time.Hour,
	}))
	defer srv.Close()
	ask := func(origin, method string) {
		r := httptest.NewRequest(method, "http://localhost/apis/notes.example.com/v1/notes", nil)
		r.Header.Set("Origin", origin)
		r.Header.Set("Access-Control-Request-Method", http.MethodPut) // in a preflight request
		w := httptest.NewRecorder()
		srv.ServeHTTP(w, r)
		fmt.Printf("%s: %d %q", method, w.Code, w.Header().Get("Access-Control-Allow-Origin"))
		fmt.Printf(" %q %q\n", w.Header().Get("Access-Control-Allow-Credentials"), w.Header().Get("Access-Control-Max-Age"))
	}
	ask("https://dashboard.example.com", http.MethodOptions)
	ask("https://dashboard.example.com", http.MethodGet)
	ask("https://other.example.com", http.MethodGet)
	// Output:
	// OPTIONS: 204 "https://dashboard.example.com" "true" "3600"
	// GET: 200 "https://dashboard.example.com" "true" ""
	// GET: 200 "" "" ""
}

// Notes have an engine of their own, and everything else is in that of New.
func ExampleStoreFor() {
	own := memory.New()
	defer own.Close()
	srv := notesServer(server.StoreFor(own, v1.GroupVersion.WithResource("notes").GroupResource()))
	defer srv.Close()
	ctx := context.Background()
	_, err := client.Of[v1.Note](srv.Client()).In("default").Create(ctx, note("milk", "milk"))
	fmt.Println(err)
	page, err := own.List(ctx, "", store.RangeOptions{})
	fmt.Println(page.Items[0].Key, err)
	// Output:
	// <nil>
	// notes.example.com/notes/default/milk <nil>
}

// Notes are stored as CBOR, the kinds of the server itself as JSON.
func ExampleStorageFormat() {
	db := memory.New()
	defer db.Close()
	scheme, err := runtime.NewScheme(v1.AddTo)
	if err != nil {
		panic(err)
	}
	srv, err := server.New(scheme, db,
		server.StorageFormat("application/cbor", v1.GroupVersion.WithResource("notes").GroupResource()))
	if err != nil {
		panic(err)
	}
	defer srv.Close()
	ctx := context.Background()
	_, err = client.Of[v1.Note](srv.Client()).In("default").Create(ctx, note("milk", "milk"))
	fmt.Println(err)
	stored, err := db.Get(ctx, "notes.example.com/notes/default/milk")
	fmt.Printf("% x %v\n", stored.Value[:3], err) // what documents of CBOR begin with
	// Output:
	// <nil>
	// d9 d9 f7 <nil>
}

func ExamplePrefixFor() {
	srv := notesServer(server.PrefixFor("board", schema.GroupResource{Group: "notes.example.com", Resource: "notes"}))
	defer srv.Close()
	for _, path := range []string{"/board/notes.example.com/v1/notes", "/apis/notes.example.com/v1/notes"} {
		w := httptest.NewRecorder()
		srv.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://127.0.0.1"+path, nil))
		fmt.Println(path, w.Code)
	}
	// Output:
	// /board/notes.example.com/v1/notes 200
	// /apis/notes.example.com/v1/notes 404
}

func ExampleDiscovery() {
	srv := notesServer(server.Discovery(server.DiscoverySettings{Addresses: []metav1.ServerAddressByClientCIDR{
		{ClientCIDR: "0.0.0.0/0", ServerAddress: "notes.example.com:443"},
		{ClientCIDR: "10.0.0.0/8", ServerAddress: "10.0.0.7:443"},
	}}))
	defer srv.Close()
	r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1/apis/notes.example.com", nil)
	r.Header.Set("X-Real-Ip", "10.3.2.1")
	w := httptest.NewRecorder()
	srv.ServeHTTP(w, r)
	var group metav1.APIGroup
	if err := json.Unmarshal(w.Body.Bytes(), &group); err != nil {
		panic(err)
	}
	for _, a := range group.ServerAddressByClientCIDRs {
		fmt.Println(a.ClientCIDR, a.ServerAddress)
	}
	// Output:
	// 10.0.0.0/8 10.0.0.7:443
	// 0.0.0.0/0 notes.example.com:443
}
