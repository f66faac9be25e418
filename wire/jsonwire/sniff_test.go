package jsonwire_test

import (
	"errors"
	"testing"

	"github.com/askind/askind/wire"
	"github.com/askind/askind/wire/jsonwire"
)

func TestSniffType(t *testing.T) {
	t.Parallel()
	rows := []struct {
		name, text       string
		apiVersion, kind string
		code             wire.Code
		offset           int
	}{
		{name: "first", text: `{"kind":"Pod","apiVersion":"v1","x":`, apiVersion: "v1", kind: "Pod"},
		{name: "last", text: ` { "metadata" : {"kind":"no","x":["]}",{}]} , "a":-1.5e3,"b":null, "apiVersion" : "apps/v1" , "kind" : "Deployment" } `, apiVersion: "apps/v1", kind: "Deployment"},
		{name: "other case", text: `{"Kind":"Pod","APIVERSION":"v1"}`},
		{name: "escapes", text: `{"k\u0069nd":"P\u006fd","\u0061piVersion":"v1"}`, apiVersion: "v1", kind: "Pod"},
		{name: "first of duplicates", text: `{"kind":"A","kind":"B","apiVersion":"v1"}`, apiVersion: "v1", kind: "A"},
		{name: "null", text: `{"kind":null,"apiVersion":"v1"}`, apiVersion: "v1"},
		{name: "null before the value", text: `{"kind":null,"kind":"A"}`, kind: "A"},
		{name: "blank", text: `{"kind":"","apiVersion":""}`},
		{name: "empty object", text: ` {} `},
		{
			name: "plain scalars", text: "{\"apiVersion\":\x01\"v1\",\"kind\":\x01\"Pod\"}", apiVersion: "v1",
			kind: "Pod",
		},
		{name: "plain null", text: "{\"apiVersion\":\x01\"~\",\"kind\":\x01\"Pod\"}", kind: "Pod"},
		{
			name: "wrong type", text: `{"apiVersion":"v1","kind":7}`, apiVersion: "v1", code: wire.WrongType,
			offset: 26,
		},
		{name: "array", text: ` []`, code: wire.WrongType, offset: 1},
		{name: "string", text: `"x"`, code: wire.WrongType},
		{name: "empty", text: " ", code: wire.Syntax, offset: 1},
		{name: "not JSON", text: "kind: Pod", code: wire.Syntax},
		{name: "cut off", text: `{"kind":"Pod"`, kind: "Pod", code: wire.Syntax, offset: 13},
		{name: "cut off in a string", text: `{"kind":"Po`, code: wire.Syntax, offset: 11},
		{
			name: "cut off in a member", text: `{"kind":"Pod","spec":{"a":[`, kind: "Pod", code: wire.Syntax,
			offset: 27,
		},
		{name: "no colon", text: `{"kind" "Pod"}`, code: wire.Syntax, offset: 8},
		{name: "no value", text: `{"x":}`, code: wire.Syntax, offset: 5},
		{name: "no comma", text: `{"x":1 "kind":"Pod"}`, code: wire.Syntax, offset: 7},
		{name: "bad value", text: `{"kind":?}`, code: wire.Syntax, offset: 8},
		{name: "invalid UTF-8", text: "{\"kind\":\"\xff\"}", code: wire.Syntax, offset: 9},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			apiVersion, kind, err := jsonwire.SniffType([]byte(row.text))
			if apiVersion != row.apiVersion || kind != row.kind {
				t.Errorf("got %q, %q, want %q, %q", apiVersion, kind, row.apiVersion, row.kind)
			}
			e, ok := errors.AsType[*jsonwire.Error](err)
			switch {
			case row.code == 0 && err != nil:
				t.Errorf("error %v", err)
			case row.code != 0 && (!ok || e.Code != row.code || e.Offset != row.offset):
				t.Errorf("error %#v, want code %v at %d", err, row.code, row.offset)
			}
		})
	}
}
