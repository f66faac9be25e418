package v1_test

import (
	"encoding/hex"
	"testing"
	"time"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/wire/pbwire"
)

func TestDurationProto(t *testing.T) {
	t.Parallel()
	for in, want := range map[time.Duration]string{
		0: "0800", 90 * time.Second: "088088aca3cf02",
		-1: "08ffffffffffffffffff01",
	} {
		w := pbwire.NewWriter(nil)
		metav1.PrependProtoDuration(w, &metav1.Duration{Duration: in})
		if got := hex.EncodeToString(w.Bytes()); got != want {
			t.Errorf("%v is written %s, want %s", in, got, want)
		}
		var out metav1.Duration
		if metav1.DecodeProtoDuration(pbwire.NewReader(w.Bytes(), pbwire.Options{}), &out); out.Duration != in {
			t.Errorf("%v is read as %v", in, out)
		}
	}
	out := metav1.NewDuration(time.Hour)
	r := pbwire.NewReader(unhex(t, "1001"), pbwire.Options{Strict: true})
	if metav1.DecodeProtoDuration(r, &out); len(r.Problems()) != 1 || out.Duration != time.Hour {
		t.Errorf("an unknown field gives %v, %v", out, r.Problems())
	}
}
