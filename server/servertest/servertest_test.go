package servertest_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/askind/askind/client"
	"github.com/askind/askind/examples/notes/api/v1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/server/servertest"
	"github.com/askind/askind/store"
)

func newServer(t testing.TB) *servertest.Server {
	t.Helper()
	scheme, err := runtime.NewScheme(v1.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	return servertest.New(t, scheme)
}

func note(name string) *v1.Note {
	return &v1.Note{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: v1.NoteSpec{Text: "buy milk"}}
}

func TestClock(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	notes := client.Of[v1.Note](s.Client()).In("default")
	s.Clock.Set(time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC))
	got, err := notes.Create(t.Context(), note("a"))
	if err != nil || !got.CreationTimestamp.Time.Equal(s.Clock.Now()) {
		t.Errorf("got %v, %v", got, err)
	}
	s.Clock.Add(time.Hour)
	table, err := client.Show[metav1.Table](t.Context(), notes, "a")
	if err != nil || !strings.Contains(fmt.Sprint(table.Rows), "60m") {
		t.Errorf("got %v, %v", table, err)
	}
}

// TestClockOfWatch checks that events have the ages of the time when they are sent, not of the time
// when the watch began.
func TestClockOfWatch(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	notes := client.Of[v1.Note](s.Client()).In("default")
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet,
		"http://localhost/apis/notes.example.com/v1/notes?watch=1", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", "application/json;as=Table;g=meta.k8s.io;v=v1")
	response, err := (&http.Client{Transport: s.Transport()}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	events := bufio.NewReader(response.Body)
	shows := func(age string) {
		t.Helper()
		if line, err := events.ReadString('\n'); err != nil || !strings.Contains(line, `"`+age+`"]`) {
			t.Errorf("got %q, %v, want the age %s", line, err, age)
		}
	}
	s.Clock.Add(2 * time.Hour)
	made, err := notes.Create(t.Context(), note("a"))
	if err != nil {
		t.Fatal(err)
	}
	shows("0s")
	s.Clock.Add(3 * time.Hour)
	made.Spec.Text = "buy bread"
	if _, err := notes.Update(t.Context(), made); err != nil {
		t.Fatal(err)
	}
	shows("3h")
}

func TestFaults(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	notes := client.Of[v1.Note](s.Client()).In("default")
	for fault, code := range map[error]int32{
		errors.New("the disk is burning"): http.StatusInternalServerError,
		store.ErrNoSpace:                  http.StatusInsufficientStorage,
		store.ErrReadOnly:                 http.StatusMethodNotAllowed,
		store.ErrUnavailable:              http.StatusServiceUnavailable,
		store.ErrUncertain:                http.StatusGatewayTimeout,
	} {
		s.Engine.Fail(servertest.Put, fault, 1)
		before := s.Engine.Calls(servertest.Put)
		_, err := notes.Create(t.Context(), note("a"))
		e, ok := errors.AsType[*metav1.StatusError](err)
		if !ok || e.Status.Code != code || strings.Contains(err.Error(), "burning") {
			t.Errorf("%v: the client gets %v, not %d", fault, err, code)
		}
		if n := s.Engine.Calls(servertest.Put) - before; n != 1 {
			t.Errorf("%v: %d calls", fault, n)
		}
	}
	if _, err := notes.Create(t.Context(), note("a")); err != nil {
		t.Errorf("after the fault: %v", err)
	}
}

// BenchmarkNew is how long it takes until a server is ready.
func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		s := newServer(b)
		if _, err := client.Of[v1.Note](s.Client()).List(context.Background()); err != nil {
			b.Fatal(err)
		}
		if err := s.Server.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// TestManyServers has fifty servers in one process.
func TestManyServers(t *testing.T) {
	t.Parallel()
	for range 50 {
		s := newServer(t)
		if _, err := client.Of[v1.Note](s.Client()).In("default").Create(t.Context(), note("a")); err != nil {
			t.Fatal(err)
		}
	}
}
