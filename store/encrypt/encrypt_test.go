package encrypt_test

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/askind/askind/store"
	"github.com/askind/askind/store/encrypt"
	"github.com/askind/askind/store/file"
	"github.com/askind/askind/store/memory"
	"github.com/askind/askind/store/storetest"
)

func key(id string) encrypt.Key {
	return encrypt.Key{ID: id, Secret: bytes.Repeat([]byte(id[:1]), 32)}
}

func wrap(t testing.TB, inner store.Engine, keys ...encrypt.Key) *encrypt.Engine {
	t.Helper()
	e, err := encrypt.New(inner, keys)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

func TestEngine(t *testing.T) {
	t.Parallel()
	t.Run("memory", func(t *testing.T) {
		t.Parallel()
		var inner sync.Map // of engines
		storetest.Kit{
			Open: func(t testing.TB) store.Engine {
				far := &remote{Engine: memory.New()}
				e := wrap(t, far, key("a"))
				inner.Store(e, far)
				return e
			},
			Outage: func(_ testing.TB, e store.Engine) (end func()) {
				far, _ := inner.Load(e)
				far.(*remote).down.Store(true)
				return func() { far.(*remote).down.Store(false) }
			},
		}.Run(t)
	})
	t.Run("file", func(t *testing.T) {
		t.Parallel()
		open := func(t testing.TB, path string) store.Engine {
			f, err := file.Open(path, file.Sync(-1))
			if err != nil {
				t.Fatal(err)
			}
			return &named{wrap(t, f, key("b"), key("a")), path}
		}
		storetest.Kit{
			Open: func(t testing.TB) store.Engine { return open(t, filepath.Join(t.TempDir(), "db")) },
			Reopen: func(t testing.TB, e store.Engine) store.Engine {
				if err := e.Close(); err != nil {
					t.Fatal(err)
				}
				return open(t, e.(*named).path)
			},
		}.Run(t)
	})
}

// remote is an engine that can be out of reach. What is put then takes effect, and the answer is
// lost.
type remote struct {
	store.Engine
	down atomic.Bool
}

func (r *remote) err() error {
	if r.down.Load() {
		return fmt.Errorf("no route to host: %w", store.ErrUnavailable)
	}
	return nil
}

func (r *remote) Get(ctx context.Context, key string) (store.GetResult, error) {
	if err := r.err(); err != nil {
		return store.GetResult{}, err
	}
	return r.Engine.Get(ctx, key)
}

func (r *remote) List(ctx context.Context, prefix string, o store.RangeOptions) (store.Page, error) {
	if err := r.err(); err != nil {
		return store.Page{}, err
	}
	return r.Engine.List(ctx, prefix, o)
}

func (r *remote) Count(ctx context.Context, prefix string) (int64, uint64, error) {
	if err := r.err(); err != nil {
		return 0, 0, err
	}
	return r.Engine.Count(ctx, prefix)
}

func (r *remote) Put(ctx context.Context, key string, value []byte, expected uint64) (uint64, error) {
	revision, err := r.Engine.Put(ctx, key, value, expected)
	if r.down.Load() {
		return 0, errors.Join(store.ErrUncertain, r.err())
	}
	return revision, err
}

func (r *remote) Delete(ctx context.Context, key string, expected uint64) (uint64, error) {
	if err := r.err(); err != nil {
		return 0, err
	}
	return r.Engine.Delete(ctx, key, expected)
}

func (r *remote) Revision(ctx context.Context) (uint64, error) {
	if err := r.err(); err != nil {
		return 0, err
	}
	return r.Engine.Revision(ctx)
}

func (r *remote) Compact(ctx context.Context, revision uint64) error {
	if err := r.err(); err != nil {
		return err
	}
	return r.Engine.Compact(ctx, revision)
}

// named is an engine that knows its file.
type named struct {
	*encrypt.Engine
	path string
}

func TestNothingIsKeptInTheClear(t *testing.T) {
	t.Parallel()
	inner := memory.New()
	e := wrap(t, inner, key("a"))
	secret := []byte("a secret that nobody may read")
	if _, err := e.Put(t.Context(), "k", secret, 0); err != nil {
		t.Fatal(err)
	}
	kept, err := inner.Get(t.Context(), "k")
	if err != nil || bytes.Contains(kept.Value, secret[:8]) || !bytes.Contains(kept.Value[:4], []byte("a")) {
		t.Errorf("%q, %v", kept.Value, err)
	}
	got, err := e.Get(t.Context(), "k")
	if err != nil || !bytes.Equal(got.Value, secret) {
		t.Errorf("%q, %v", got.Value, err)
	}
}

func TestKeysRotate(t *testing.T) {
	t.Parallel()
	inner := memory.New()
	old := wrap(t, inner, key("a"))
	r, err := old.Put(t.Context(), "k", []byte("1"), 0)
	if err != nil {
		t.Fatal(err)
	}
	both := wrap(t, inner, key("b"), key("a"))
	if got, err := both.Get(t.Context(), "k"); err != nil || string(got.Value) != "1" {
		t.Fatalf("%q, %v", got.Value, err)
	}
	if _, err := both.Put(t.Context(), "k", []byte("2"), r); err != nil {
		t.Fatal(err)
	}
	if got, err := wrap(t, inner, key("b")).Get(t.Context(), "k"); err != nil || string(got.Value) != "2" {
		t.Errorf("with the new key: %q, %v", got.Value, err)
	}
	if _, err := old.Get(t.Context(), "k"); !errors.Is(err, encrypt.ErrUnknownKey) {
		t.Errorf("with the old key: %v", err)
	}
}

// TestExistingData checks that a copy encrypts what an engine has in the clear, gives it another
// key, and ends encryption.
func TestExistingData(t *testing.T) {
	t.Parallel()
	plain, sealed, again, back := memory.New(), memory.New(), memory.New(), memory.New()
	defer plain.Close()
	defer back.Close()
	if _, err := plain.Put(t.Context(), "k", []byte("v"), 0); err != nil {
		t.Fatal(err)
	}
	first := wrap(t, sealed, key("a"))
	for _, c := range []struct{ to, from store.Engine }{
		{first, plain}, {wrap(t, again, key("b")), first}, {back, wrap(t, again, key("b"))},
	} {
		if _, err := store.Copy(t.Context(), c.to, c.from); err != nil {
			t.Fatal(err)
		}
	}
	for _, e := range []store.Engine{sealed, again} {
		if kept, err := e.Get(t.Context(), "k"); err != nil || string(kept.Value) == "v" {
			t.Errorf("kept in the clear: %q, %v", kept.Value, err)
		}
	}
	if got, err := back.Get(t.Context(), "k"); err != nil || string(got.Value) != "v" {
		t.Errorf("after all: %q, %v", got.Value, err)
	}
}

// TestEmptyValue checks the error for a sealed value that is empty, which no engine is given.
func TestEmptyValue(t *testing.T) {
	t.Parallel()
	inner := memory.New()
	e := wrap(t, inner, key("a"))
	if _, err := e.Put(t.Context(), "k", []byte("1"), 0); err != nil {
		t.Fatal(err)
	}
	kept, err := inner.Get(t.Context(), "k")
	if err != nil {
		t.Fatal(err)
	}
	block, err := aes.NewCipher(key("a").Secret)
	if err != nil {
		t.Fatal(err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		t.Fatal(err)
	}
	head := bytes.Clone(kept.Value[:len(kept.Value)-len("1")-aead.Overhead()])
	if _, err := inner.Put(t.Context(), "k", aead.Seal(head, nil, nil, []byte("k")), kept.Revision); err != nil {
		t.Fatal(err)
	}
	const want = `encrypt: the value cannot be opened: it is empty (under "k")`
	if _, err := e.Get(t.Context(), "k"); !errors.Is(err, encrypt.ErrSealed) || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestWhatCannotBeOpened(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		spoil  func(sealed []byte) []byte
		target string
		want   error
	}{
		{"in the clear", func([]byte) []byte { return []byte("{}") }, "k", encrypt.ErrSealed},
		{"cut short", func(b []byte) []byte { return b[:len(b)-1] }, "k", encrypt.ErrSealed},
		{"cut within the id", func(b []byte) []byte { return b[:2] }, "k", encrypt.ErrSealed},
		{
			"a bit changed", func(b []byte) []byte { b = bytes.Clone(b); b[len(b)-1] ^= 1; return b }, "k",
			encrypt.ErrSealed,
		},
		{"moved to another key", func(b []byte) []byte { return b }, "other", encrypt.ErrSealed},
		{"an id of 255 bytes", func(b []byte) []byte {
			return append(
				[]byte{b[0], 255}, bytes.Repeat([]byte("x"), 300)...,
			)
		}, "k", encrypt.ErrUnknownKey},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			inner := memory.New()
			e := wrap(t, inner, key("a"))
			if _, err := e.Put(t.Context(), "first", []byte("1"), 0); err != nil {
				t.Fatal(err)
			}
			kept, err := inner.Get(t.Context(), "first")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := inner.Put(t.Context(), tt.target, tt.spoil(kept.Value), 0); err != nil {
				t.Fatal(err)
			}
			if _, err := e.Get(t.Context(), tt.target); !errors.Is(err, tt.want) {
				t.Errorf("Get: %v", err)
			}
			page, err := e.List(t.Context(), "", store.RangeOptions{})
			if err != nil || len(page.Items) != 2 || string(page.Items[0].Value) != "1" {
				t.Errorf("List: %v, %v", page.Items, err)
			}
		})
	}
}

// TestEveryByteCounts checks that no byte of a sealed value can be changed or cut off unnoticed.
func TestEveryByteCounts(t *testing.T) {
	t.Parallel()
	inner := memory.New()
	e := wrap(t, inner, key("a"))
	r, err := e.Put(t.Context(), "k", []byte("value"), 0)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := inner.Get(t.Context(), "k")
	if err != nil {
		t.Fatal(err)
	}
	refused := func(what string, value []byte) {
		t.Helper()
		if r, err = inner.Put(t.Context(), "k", value, r); err != nil {
			t.Fatal(err)
		}
		_, err := e.Get(t.Context(), "k")
		if !errors.Is(err, encrypt.ErrSealed) && !errors.Is(err, encrypt.ErrUnknownKey) {
			t.Errorf("%s: %v", what, err)
		}
	}
	for i := range kept.Value {
		changed := bytes.Clone(kept.Value)
		changed[i] ^= 1
		refused(fmt.Sprintf("byte %d changed", i), changed)
		if i > 0 {
			refused(fmt.Sprintf("the first %d bytes", i), kept.Value[:i])
		}
	}
	if _, err = inner.Put(t.Context(), "k", kept.Value, r); err != nil {
		t.Fatal(err)
	}
	if got, err := e.Get(t.Context(), "k"); err != nil || string(got.Value) != "value" {
		t.Errorf("as it was: %q, %v", got.Value, err)
	}
}

// expiring is an engine that notes until when a value is to be kept.
type expiring struct {
	store.Engine
	until time.Time
}

func (e *expiring) PutUntil(ctx context.Context, key string, value []byte, expected uint64, until time.Time,
) (uint64, error) {
	e.until = until
	return e.Put(ctx, key, value, expected)
}

// TestValuesExpire checks that the inner engine is told when a value expires.
func TestValuesExpire(t *testing.T) {
	t.Parallel()
	inner := &expiring{Engine: memory.New()}
	until := time.Now().Add(time.Hour)
	e := wrap(t, inner, key("a"))
	if _, err := e.PutUntil(t.Context(), "k", []byte("v"), 0, until); err != nil || !inner.until.Equal(until) {
		t.Errorf("the value expires at %v, %v; want %v", inner.until, err, until)
	}
}

// shared is an engine whose watches get their changes in one slice, which belongs to it.
type shared struct {
	store.Engine
	t testing.TB
}

func (e *shared) Watch(ctx context.Context, prefix string, from uint64, deliver func(store.Changes) error) error {
	return e.Engine.Watch(ctx, prefix, from, func(c store.Changes) error {
		list := slices.Clone(c.List)
		before := slices.Clone(list)
		c.List = list
		err := deliver(c)
		if !reflect.DeepEqual(list, before) {
			e.t.Errorf("the changes have become %v, were %v", list, before)
		}
		return err
	})
}

// TestChangesStaySealed checks that the changes of the inner engine, which other watches of it may
// get too, are not replaced by opened ones.
func TestChangesStaySealed(t *testing.T) {
	t.Parallel()
	e := wrap(t, &shared{memory.New(), t}, key("a"))
	r, err := e.Put(t.Context(), "k", []byte("1"), 0)
	if err == nil {
		_, err = e.Put(t.Context(), "k", []byte("2"), r)
	}
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	done := errors.New("done")
	if err := e.Watch(t.Context(), "", 0, func(c store.Changes) error {
		for _, change := range c.List {
			got = append(got, string(change.Before)+" to "+string(change.Value))
		}
		return done
	}); err != done || !slices.Equal(got, []string{" to 1", "1 to 2"}) {
		t.Errorf("%q, %v", got, err)
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	for name, keys := range map[string]encrypt.Keys{
		"no key":         nil,
		"a blank id":     {{Secret: make([]byte, 32)}},
		"an id twice":    {key("a"), key("a")},
		"a long id":      {key(strings.Repeat("a", 256))},
		"a short secret": {{ID: "a", Secret: make([]byte, 5)}},
	} {
		if _, err := encrypt.New(memory.New(), keys); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
