// Package encrypt encrypts the values of another engine of package store.
//
//	keys := encrypt.Keys{{ID: "2026", Secret: secret}, {ID: "2025", Secret: old}}
//	db, err := encrypt.New(inner, keys)
//
// Values are sealed with AES-GCM under a fresh nonce and are bound to their key, so that a value
// that was moved to another key is refused. Keys, their number and the lengths of values are not
// hidden.
//
// # Rotation
//
// Each value states the id of the secret that it was sealed with. The first of the keys seals; all
// of them open. To rotate, add a new key behind the first in all replicas, then put it first, and
// have all objects written again, with [store.Resource.Migrate] and its option Rewrite for all of
// [store.Store.Resources]. Then the old one is not needed for the objects of these resources, but
// for the past until that is compacted, and for objects of kinds that the program does not serve.
//
// Rotate before a secret has sealed 2^32 values, counted over all replicas: up to that number NIST
// allows AES-GCM with random nonces. At a thousand writes in a second that is after seven weeks.
//
// # Existing data
//
// An engine that has values in the clear cannot be wrapped: each of them is an [ErrSealed], so that
// it is missing in all lists. Stop the servers and use [store.Copy] to copy the values into one
// that wraps a new engine. In the other direction it ends encryption, and from one encrypted engine
// to another it rotates everything.
package encrypt

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"errors"
	"fmt"
	"time"

	"github.com/askind/askind/store"
)

// Key is a secret with a name.
type Key struct {
	_ struct{} // literals name their fields

	// ID names the secret in what was sealed with it. It is not secret, and at most 255 bytes long.
	ID string
	// Secret is a key of AES: 16, 24 or 32 random bytes.
	Secret []byte
}

// Keys are the secrets that are in use. The first one seals.
type Keys []Key

// Errors of values; test for them with errors.Is.
var (
	// ErrUnknownKey says that a value was sealed with a secret that is not among the keys.
	ErrUnknownKey = errors.New("the key is not known")
	// ErrSealed says that a value is not as it was sealed: it was damaged, tampered with or moved,
	// or never sealed.
	ErrSealed = errors.New("the value cannot be opened")
)

// sealed is the first byte of what this package writes.
const sealed = 0xe1

// Engine encrypts what is kept by another engine. See [store.Engine] for its methods.
type Engine struct {
	inner store.Engine
	first string
	keys  map[string]cipher.AEAD
}

var _ store.ExpiringEngine = (*Engine)(nil)

// New returns an engine that keeps its values sealed in another one, which is closed with it.
func New(inner store.Engine, keys Keys) (*Engine, error) {
	if len(keys) == 0 {
		return nil, errors.New("encrypt: there is no key")
	}
	e := &Engine{inner: inner, first: keys[0].ID, keys: map[string]cipher.AEAD{}}
	for _, k := range keys {
		if _, ok := e.keys[k.ID]; ok || k.ID == "" || len(k.ID) > 255 {
			return nil, fmt.Errorf("encrypt: the id %q is blank, too long or there twice", k.ID)
		}
		block, err := aes.NewCipher(k.Secret)
		if err != nil {
			return nil, fmt.Errorf("encrypt: key %q: %w", k.ID, err)
		}
		if e.keys[k.ID], err = cipher.NewGCMWithRandomNonce(block); err != nil {
			return nil, fmt.Errorf("encrypt: key %q: %w", k.ID, err)
		}
	}
	return e, nil
}

// seal returns a value as the other engine keeps it.
func (e *Engine) seal(key string, value []byte) []byte {
	out := make([]byte, 0, 2+len(e.first)+len(value)+32)
	out = append(out, sealed, byte(len(e.first)))
	out = append(out, e.first...)
	return e.keys[e.first].Seal(out, nil, value, []byte(key))
}

// open returns what seal was given. No value is nil. The error does not name the key, so that it is
// the same for all that one cause concerns.
func (e *Engine) open(key string, value []byte) ([]byte, error) {
	if value == nil {
		return nil, nil
	}
	if len(value) < 2 || value[0] != sealed || len(value) < 2+int(value[1]) {
		return nil, fmt.Errorf("encrypt: %w: it does not begin like one", ErrSealed)
	}
	id := string(value[2 : 2+int(value[1])])
	aead, ok := e.keys[id]
	if !ok {
		return nil, fmt.Errorf("encrypt: %w: %q", ErrUnknownKey, id)
	}
	out, err := aead.Open(nil, nil, value[2+len(id):], []byte(key))
	switch {
	case err != nil:
		return nil, fmt.Errorf("encrypt: %w: %w", ErrSealed, err)
	case len(out) == 0:
		return nil, fmt.Errorf("encrypt: %w: it is empty", ErrSealed)
	}
	return out, nil
}

// opened returns a value or, in place of one that cannot be opened, what a store reports as such,
// so that the others can be read all the same.
func (e *Engine) opened(key string, value []byte) []byte {
	out, err := e.open(key, value)
	if err != nil {
		return store.Unreadable(err)
	}
	return out
}

// Get implements [store.Engine]. A value that cannot be opened is an error.
func (e *Engine) Get(ctx context.Context, key string) (store.GetResult, error) {
	out, err := e.inner.Get(ctx, key)
	if err == nil {
		if out.Value, err = e.open(key, out.Value); err != nil {
			err = fmt.Errorf("%w (under %q)", err, key)
		}
	}
	return out, err
}

// List implements [store.Engine]. A value that cannot be opened is one of [store.Unreadable].
func (e *Engine) List(ctx context.Context, prefix string, o store.RangeOptions) (store.Page, error) {
	page, err := e.inner.List(ctx, prefix, o)
	for i := range page.Items {
		page.Items[i].Value = e.opened(page.Items[i].Key, page.Items[i].Value)
	}
	return page, err
}

// Count implements [store.Engine].
func (e *Engine) Count(ctx context.Context, prefix string) (int64, uint64, error) {
	return e.inner.Count(ctx, prefix)
}

// Put implements [store.Engine].
func (e *Engine) Put(ctx context.Context, key string, value []byte, expected uint64) (uint64, error) {
	return e.PutUntil(ctx, key, value, expected, time.Time{})
}

// PutUntil implements [store.ExpiringEngine]. Expired values are removed if the inner engine
// removes them.
func (e *Engine) PutUntil(ctx context.Context, key string, value []byte, expected uint64, until time.Time,
) (uint64, error) {
	if err := store.CheckWrite(key, value); err != nil {
		return 0, err
	}
	return store.PutUntil(ctx, e.inner, key, e.seal(key, value), expected, until)
}

// Delete implements [store.Engine].
func (e *Engine) Delete(ctx context.Context, key string, expected uint64) (uint64, error) {
	return e.inner.Delete(ctx, key, expected)
}

// Watch implements [store.Engine]. A value that cannot be opened is one of [store.Unreadable].
func (e *Engine) Watch(ctx context.Context, prefix string, from uint64, deliver func(store.Changes) error) error {
	var list []store.Change // used again
	return e.inner.Watch(ctx, prefix, from, func(c store.Changes) error {
		list = append(list[:0], c.List...)
		for i := range list {
			list[i].Value = e.opened(list[i].Key, list[i].Value)
			list[i].Before = e.opened(list[i].Key, list[i].Before)
		}
		c.List = list
		err := deliver(c)
		clear(list)
		return err
	})
}

// Revision implements [store.Engine].
func (e *Engine) Revision(ctx context.Context) (uint64, error) { return e.inner.Revision(ctx) }

// Compact implements [store.Engine].
func (e *Engine) Compact(ctx context.Context, revision uint64) error {
	return e.inner.Compact(ctx, revision)
}

// Close implements [store.Engine].
func (e *Engine) Close() error { return e.inner.Close() }
