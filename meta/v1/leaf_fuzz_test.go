package v1_test

import (
	"encoding/json"
	"testing"
	"time"

	v1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/wire/jsonwire"
	"github.com/askind/askind/wire/pbwire"
)

// FuzzTimes reads texts as times and durations: what is accepted is what package time makes of it,
// and survives JSON and protobuf.
func FuzzTimes(f *testing.F) {
	for _, s := range []string{
		"2020-01-02T03:04:05Z", "2020-01-02T03:04:05.123456Z", "2020-01-02T03:04:05+02:00", "0001-01-01T00:00:00Z",
		"9999-12-31T23:59:60Z", "2020-02-30T00:00:00Z", "1m30s", "-1h", "1h0m5s", "1ms", "99999h99999h1m",
		"2020-01-02t03:04:05z", "", "9999-12-31T23:59:59-00:01", "0000-01-01T00:00:00+00:01",
		"9999-12-31T23:59:59.999999-00:01",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		quoted := jsonwire.AppendString(nil, text)
		var unquoted string
		if err := json.Unmarshal(quoted, &unquoted); err != nil || unquoted != text {
			return // no UTF-8
		}
		r := jsonwire.NewReader(quoted, jsonwire.Options{})
		var at v1.Time
		v1.DecodeJSONTime(r, &at)
		want, err := time.Parse(time.RFC3339, text)
		fits := err == nil && want.UTC().Year() >= 0 && want.UTC().Year() <= 9999
		if accepted := len(r.Problems()) == 0; accepted != fits || accepted && !at.Time.Equal(want) {
			t.Fatalf("%q is read as %v, %v; by package time as %v, %v", text, at, r.Problems(), want, err)
		}
		if fits && !at.IsZero() {
			out, err := v1.AppendJSONTime(nil, &at)
			var again v1.Time
			if err != nil || json.Unmarshal(out, &again) != nil || !again.Time.Equal(at.Truncate(time.Second)) {
				t.Fatalf("%v: %q is written as %s and read as %v", err, text, out, again)
			}
		}
		var d v1.Duration
		r = jsonwire.NewReader(quoted, jsonwire.Options{})
		v1.DecodeJSONDuration(r, &d)
		length, err := time.ParseDuration(text)
		if accepted := len(r.Problems()) == 0; accepted != (err == nil) || accepted && d.Duration != length {
			t.Fatalf("%q is read as %v, %v; by package time as %v, %v", text, d, r.Problems(), length, err)
		}
		var micro v1.MicroTime
		r = jsonwire.NewReader(quoted, jsonwire.Options{})
		v1.DecodeJSONMicroTime(r, &micro)
		if len(r.Problems()) > 0 {
			return
		}
		w := pbwire.NewWriter(nil)
		v1.PrependProtoMicroTime(w, &micro)
		var back v1.MicroTime
		v1.DecodeProtoMicroTime(pbwire.NewReader(w.Bytes(), pbwire.Options{}), &back)
		if !back.Time.Equal(micro.Time) {
			t.Fatalf("%q is %v, and %v in protobuf", text, micro, back)
		}
		out, err := v1.AppendJSONMicroTime(nil, &micro)
		if err != nil || json.Unmarshal(out, &back) != nil || !back.Time.Equal(micro.Time) {
			t.Fatalf("%v: %q is written as %s and read as %v", err, text, out, back)
		}
	})
}

// FuzzTimesInProtobuf reads messages as times: nothing panics, and what is read is written and read
// as the same.
func FuzzTimesInProtobuf(f *testing.F) {
	f.Add([]byte("\x08\xa5\xbb\xb5\xf0\x05\x10\x00"))
	f.Add([]byte("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x10\xff\xff\xff\xff\x0f"))
	f.Add([]byte("\x08\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x10\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var at, back v1.MicroTime
		r := pbwire.NewReader(data, pbwire.Options{})
		if v1.DecodeProtoMicroTime(r, &at); len(r.Problems()) > 0 {
			return
		}
		w := pbwire.NewWriter(nil)
		v1.PrependProtoMicroTime(w, &at)
		v1.DecodeProtoMicroTime(pbwire.NewReader(w.Bytes(), pbwire.Options{}), &back)
		if !back.Time.Equal(at.Truncate(time.Microsecond)) {
			t.Errorf("%x is %v, and %v when read again", data, at, back)
		}
	})
}
