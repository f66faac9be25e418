package store_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	v1 "github.com/askind/askind/examples/fleet/api/fleet/v1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/store"
)

// TestDeletedDuringUpdate checks that an update of an object that is deleted meanwhile is told so,
// whether or not it states a version.
func TestDeletedDuringUpdate(t *testing.T) {
	t.Parallel()
	r := machines(t, store.Options{})
	key := store.Key{Namespace: "a", Name: "m"}
	for _, stated := range []bool{false, true} {
		var o store.WriteOptions
		if created := create(t, r, machine("a", "m")); stated {
			o.ResourceVersion = created.ResourceVersion()
		}
		_, err := r.Update(t.Context(), key, o, func(_ context.Context, obj runtime.Object) (runtime.Object, error) {
			remove(t, r, key)
			obj.(*v1.Machine).Labels = map[string]string{"x": "1"}
			return obj, nil
		})
		if metav1.ReasonOf(err) != metav1.StatusReasonNotFound {
			t.Errorf("with a version: %t: %v, want NotFound", stated, err)
		}
	}
}

// TestDeleteNeverCreates checks that an option of other writes means nothing to Delete.
func TestDeleteNeverCreates(t *testing.T) {
	t.Parallel()
	r := machines(t, store.Options{})
	key := store.Key{Namespace: "a", Name: "m"}
	_, err := r.Delete(t.Context(), key, store.WriteOptions{CreateIfMissing: true}, nil)
	if metav1.ReasonOf(err) != metav1.StatusReasonNotFound {
		t.Errorf("got %v", err)
	}
}

// TestUndecodableIsBounded checks that a list reports no more than some of what cannot be decoded,
// and finds it although an index has none of it.
func TestUndecodableIsBounded(t *testing.T) {
	t.Parallel()
	engine := memoryEngine(t)
	for i := range 150 {
		if _, err := engine.Put(t.Context(), fmt.Sprintf("%sa/m%d", machinesPrefix, i), []byte("{"), 0); err != nil {
			t.Fatal(err)
		}
	}
	inZone, err := store.ParseFieldSelector("spec.zone=a")
	if err != nil {
		t.Fatal(err)
	}
	r := addMachines(t, open(t, engine, store.Options{}), zoned)
	for _, fields := range []store.FieldSelector{{}, inZone} {
		_, err := r.List(t.Context(), store.ListOptions{Fields: fields, Undecodable: true})
		if n := undecodable(err); n != 100 {
			t.Errorf("%q: %d errors: %.300v", fields, n, err)
		}
	}
}

// undecodable counts the objects in an error that cannot be decoded.
func undecodable(err error) int {
	if e, ok := err.(interface{ Unwrap() []error }); ok {
		n := 0
		for _, inner := range e.Unwrap() {
			n += undecodable(inner)
		}
		return n
	}
	if _, ok := err.(*store.UndecodableError); ok {
		return 1
	}
	if inner := errors.Unwrap(err); inner != nil {
		return undecodable(inner)
	}
	return 0
}

// TestWatchFillsTheBuffer checks that a watch returns no more events than it was given room for,
// and the rest later.
func TestWatchFillsTheBuffer(t *testing.T) {
	t.Parallel()
	r := machines(t, store.Options{})
	w := watch(t, r, store.WatchOptions{})
	for i := range 5 {
		create(t, r, machine("a", fmt.Sprint("m", i)))
	}
	var got []int
	for range 3 {
		events, err := w.Next(make([]store.Event, 0, 2))
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, len(events))
	}
	if fmt.Sprint(got) != "[2 2 1]" {
		t.Errorf("got %v events", got)
	}
}

// TestTokensOfNobody checks that a token which no list has made is refused, however long it is.
func TestTokensOfNobody(t *testing.T) {
	t.Parallel()
	r := machines(t, store.Options{})
	for i := range 3 {
		create(t, r, machine("a", fmt.Sprint("m", i)))
	}
	page, err := r.List(t.Context(), store.ListOptions{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	token := page.Continue()
	raw, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil {
		t.Fatal(err)
	}
	_, n := binary.Uvarint(raw[1:])
	encode := base64.RawURLEncoding.EncodeToString
	bare, ok := bytes.CutSuffix(raw, []byte("a/m0"))
	if !ok {
		t.Fatalf("the token is %q", raw)
	}
	for name, text := range map[string]string{
		"cut in the revision": encode(append(raw[:1:1], bytes.Repeat([]byte{0x80}, 9)...)),
		"cut in the hash":     encode(bare[:len(bare)-1]), "without a key": encode(bare),
		"of no revision":             encode(append(binary.AppendUvarint(raw[:1:1], 1<<63), raw[1+n:]...)),
		"of a revision that is long": encode(append(raw[:1:1], bytes.Repeat([]byte{0x80}, 11)...)),
		"too long":                   token + strings.Repeat("A", 4*store.MaxKey),
		"not base64":                 token + "!", "of another format": "AAAA",
	} {
		_, err := r.List(t.Context(), store.ListOptions{Limit: 1, Continue: text})
		if metav1.ReasonOf(err) != metav1.StatusReasonBadRequest || strings.Contains(err.Error(), "another list") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestPagesOfShortNames continues after keys of a single letter.
func TestPagesOfShortNames(t *testing.T) {
	t.Parallel()
	r := machines(t, store.Options{})
	for _, name := range []string{"a", "b", "c"} {
		create(t, r, machine("a", name))
	}
	o, got := store.ListOptions{Namespace: "a", Limit: 1}, ""
	for {
		page, err := r.List(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		got += strings.Join(names(page), "")
		if o.Continue = page.Continue(); o.Continue == "" {
			break
		}
	}
	if got != "a/aa/ba/c" {
		t.Errorf("the pages have %q", got)
	}
}

// TestLongUIDIsShortened checks that a conflict does not repeat a precondition of any length.
func TestLongUIDIsShortened(t *testing.T) {
	t.Parallel()
	r := machines(t, store.Options{})
	create(t, r, machine("a", "m"))
	o := store.WriteOptions{UID: strings.Repeat("u", 100_000)}
	_, err := r.Delete(t.Context(), store.Key{Namespace: "a", Name: "m"}, o, nil)
	if metav1.ReasonOf(err) != metav1.StatusReasonConflict || len(err.Error()) > 1000 {
		t.Errorf("got %.2000v", err)
	}
}

// TestSoonerExpiryIsSeen checks that an object goes in time although the one that was to go first
// is there for long.
func TestSoonerExpiryIsSeen(t *testing.T) {
	t.Parallel()
	r := machines(t, store.Options{History: time.Hour})
	if _, err := r.Create(t.Context(), machine("a", "long"), store.WriteOptions{TTL: time.Hour}); err != nil {
		t.Fatal(err)
	}
	time.Sleep(50 * time.Millisecond) // until the store waits for that
	soon := store.WriteOptions{TTL: 20 * time.Millisecond}
	if _, err := r.Create(t.Context(), machine("a", "short"), soon); err != nil {
		t.Fatal(err)
	}
	key := store.Key{Namespace: "a", Name: "short"}
	for begin := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		_, err := r.Get(t.Context(), key, store.GetOptions{})
		if metav1.ReasonOf(err) == metav1.StatusReasonNotFound {
			return
		}
		if time.Since(begin) > time.Minute {
			t.Fatal("the object is still there")
		}
	}
}

// TestStreamFillsItsRoom holds that a stream hands over as many events at once as there is room,
// and one if there is no room.
func TestStreamFillsItsRoom(t *testing.T) {
	t.Parallel()
	orders := addOrders(t, open(t, memoryEngine(t), store.Options{}), "")
	watch, err := orders.Watch(t.Context(), store.WatchOptions{Namespace: "a"})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 8 {
		o := order(fmt.Sprint("order-", i), "ada")
		if _, err := orders.Create(t.Context(), o, store.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	stream := watch.Stream(false)
	for _, tt := range []struct{ room, want int }{{5, 5}, {0, 1}, {5, 2}} {
		events, err := stream.Next(make([]serializer.Event, 0, tt.room))
		if err != nil || len(events) != tt.want {
			t.Errorf("room for %d: %d events, %v, want %d", tt.room, len(events), err, tt.want)
		}
	}
}

// TestRestoredHistoryIsBounded checks that a store that is opened on a long past counts the nodes
// of trees, which are most of what it keeps of small objects. A store that was there counts more of
// them, those of the states between two that are kept.
func TestRestoredHistoryIsBounded(t *testing.T) {
	t.Parallel()
	engine := &selfCompacting{Engine: memoryEngine(t)}
	key := func(i int) string { return fmt.Sprintf("g/things/a/%05d", i) }
	revisions := make([]uint64, 5000)
	write := func(i int) {
		revision, err := engine.Put(t.Context(), key(i), []byte("{}"), revisions[i])
		if err != nil {
			t.Fatal(err)
		}
		revisions[i] = revision
	}
	for i := range revisions {
		write(i)
	}
	o := store.Options{HistoryBytes: 1 << 20}
	witness := open(t, engine, o)
	for i := range 5000 {
		write(i * 1237 % len(revisions))
	}
	want := witness.Revision() - witness.Floor()
	late := open(t, engine, o)
	if got := late.Revision() - late.Floor(); got < want || got > want*5/2 {
		t.Errorf("%d events are kept, %d by a store that was there", got, want)
	}
}
