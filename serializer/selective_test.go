package serializer_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/askind/askind/serializer"
)

// TestNotAcceptableErrorOfSelectiveFormat checks that the error offers nothing that a format cannot
// write.
func TestNotAcceptableErrorOfSelectiveFormat(t *testing.T) {
	t.Parallel()
	f := newFactory(t, csvFormat("text/csv"))
	for _, c := range []struct {
		name  string
		types []string
		want  string
	}{
		{
			"beside another",
			[]string{"application/json", "text/csv"},
			"on offer:\n- application/json\n  also with g=assets.example.com;v=v1\n  also with g=fleet.example.com;v=v1beta1\n" +
				"  also with g=assets.example.com;v=v1;as=Asset\n  also with g=meta.k8s.io;v=v1;as=PartialObjectMetadata\n" +
				"  also with g=meta.k8s.io;v=v1;as=Scale\n" +
				"- application/json, text/csv\n  with g=meta.k8s.io;v=v1;as=Table\n  with g=meta.k8s.io;v=v1beta1;as=Table",
		},
		{
			"alone",
			[]string{"text/csv"},
			"on offer:\n- text/csv\n  with g=meta.k8s.io;v=v1;as=Table\n  with g=meta.k8s.io;v=v1beta1;as=Table",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			offer := serializer.Offer{Kind: oneMachine.Kind, MediaTypes: c.types}
			_, err := f.Negotiate([]string{"application/xml"}, offer)
			e, ok := errors.AsType[*serializer.NotAcceptableError](err)
			if !ok {
				t.Fatalf("got %v, want a NotAcceptableError", err)
			}
			if !strings.HasSuffix(err.Error(), c.want) {
				t.Errorf("got  %v\nwant ... %s", err, c.want)
			}
			offered := e.Offered()
			if len(offered) == 0 || slices.Contains(offered, "text/csv") {
				t.Errorf("on offer: %q", offered)
			}
			for _, o := range offered {
				if rep, err := f.Negotiate([]string{o}, offer); err != nil {
					t.Errorf("%s: %v", o, err)
				} else if rep.ContentType() != o {
					t.Errorf("%s is answered with %s", o, rep.ContentType())
				}
			}
		})
	}
}

// TestNegotiateSelectiveFormatWithoutKind checks that a format is on offer where the kind is not
// known yet.
func TestNegotiateSelectiveFormatWithoutKind(t *testing.T) {
	t.Parallel()
	f := newFactory(t, csvFormat("text/csv"))
	rep, err := f.Negotiate([]string{"text/csv"}, serializer.Offer{})
	if err != nil || rep.ContentType() != "text/csv" {
		t.Errorf("got %v, %v", rep, err)
	}
}
