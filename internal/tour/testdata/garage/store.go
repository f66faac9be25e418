package garage

import (
	"testing"

	"github.com/askind/askind/store"
)

var (
	buf    []store.Event
	cars   *store.Resource
	open   func(t testing.TB) store.Engine
	reopen func(t testing.TB, e store.Engine) store.Engine
	w      *store.Watch
)
