package conversion_test

import (
	"testing"
	"time"

	"github.com/askind/askind/conversion"
)

func TestScope(t *testing.T) {
	t.Parallel()
	now := time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC)
	s := conversion.NewScope(conversion.ScopeOptions{Sharing: true, Options: "wide", Now: now})
	if !s.Sharing() || s.Options() != "wide" || !s.Now().Equal(now) {
		t.Errorf("Sharing = %v, Options = %v, Now = %v", s.Sharing(), s.Options(), s.Now())
	}
}

func TestScopeWithoutTerms(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		scope *conversion.Scope
	}{
		{"nil", nil},
		{"zero", &conversion.Scope{}},
		{"zero options", conversion.NewScope(conversion.ScopeOptions{})},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			before := time.Now()
			got := tt.scope.Now()
			if got.Before(before) || got.After(time.Now()) {
				t.Errorf("Now() = %v", got)
			}
			if tt.scope.Sharing() || tt.scope.Options() != nil {
				t.Errorf("Sharing = %v, Options = %v", tt.scope.Sharing(), tt.scope.Options())
			}
		})
	}
}

func TestWithSharing(t *testing.T) {
	t.Parallel()
	now := time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC)
	s := conversion.NewScope(conversion.ScopeOptions{Options: "wide", Now: now})
	sharing := s.WithSharing(true)
	if s.Sharing() || !sharing.Sharing() || sharing.Options() != "wide" || !sharing.Now().Equal(now) {
		t.Errorf("WithSharing = %+v of %+v", sharing, s)
	}
	if again := sharing.WithSharing(true); again != sharing {
		t.Error("a scope that shares already was copied")
	}
	if back := sharing.WithSharing(false); back.Sharing() || back.Options() != "wide" {
		t.Errorf("back = %+v", back)
	}
	var none *conversion.Scope
	if none.WithSharing(false) != nil || !none.WithSharing(true).Sharing() {
		t.Error("WithSharing of the nil scope")
	}
}

func TestFixed(t *testing.T) {
	t.Parallel()
	now := time.Unix(1000, 0)
	stated := conversion.NewScope(conversion.ScopeOptions{Sharing: true, Options: "wide", Now: now})
	if stated.Fixed() != stated {
		t.Error("a scope that states a time is not its own fixed one")
	}
	for name, s := range map[string]*conversion.Scope{
		"nil":     nil,
		"no time": conversion.NewScope(conversion.ScopeOptions{Sharing: true, Options: "wide"}),
	} {
		before := time.Now()
		fixed := s.Fixed()
		first := fixed.Now()
		if first.Before(before) || first.After(time.Now()) || !fixed.Now().Equal(first) {
			t.Errorf("%s: the time is %v, then %v", name, first, fixed.Now())
		}
		if fixed.Sharing() != s.Sharing() || fixed.Options() != s.Options() {
			t.Errorf("%s: the other terms have changed", name)
		}
	}
	hour := now
	clock := conversion.NewScope(conversion.ScopeOptions{Clock: func() time.Time {
		hour = hour.Add(time.Hour)
		return hour
	}})
	if first, second := clock.Now(), clock.Now(); second.Sub(first) != time.Hour {
		t.Errorf("the clock shows %v, then %v", first, second)
	}
	if fixed := clock.Fixed(); !fixed.Now().Equal(fixed.Now()) || !fixed.Now().Equal(now.Add(3*time.Hour)) {
		t.Errorf("the fixed time is %v, then %v", fixed.Now(), fixed.Now())
	}
}

func TestCarryLimit(t *testing.T) {
	t.Parallel()
	var none *conversion.Scope
	if got := none.CarryLimit(); got != conversion.DefaultCarryLimit {
		t.Errorf("got %d without a scope", got)
	}
	s := conversion.NewScope(conversion.ScopeOptions{CarryLimit: 5, Options: "wide"})
	off := s.WithCarryLimit(-1)
	if s.CarryLimit() != 5 || off.CarryLimit() != -1 || off.Options() != "wide" ||
		none.WithCarryLimit(7).CarryLimit() != 7 {
		t.Errorf("%+v and %+v", s, off)
	}
}
