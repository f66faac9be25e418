package encrypt_test

import (
	"bytes"
	"errors"
	"path/filepath"
	"strings"
	"testing"

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
		storetest.Kit{Open: func(t testing.TB) store.Engine { return wrap(t, memory.New(), key("a")) }}.Run(t)
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
