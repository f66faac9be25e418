package protobuf_test

import (
	"bytes"
	"errors"
	"iter"
	"strings"
	"testing"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/json"
	"github.com/askind/askind/serializer/protobuf"
)

// TestTableIsNotInThisFormat checks that a Table in protobuf is not on offer: the client gets the
// next thing that it accepts, or 406.
func TestTableIsNotInThisFormat(t *testing.T) {
	t.Parallel()
	scheme, err := runtime.NewScheme(addTo)
	if err != nil {
		t.Fatal(err)
	}
	f, err := serializer.NewFactory(scheme, json.Format(), protobuf.Format())
	if err != nil {
		t.Fatal(err)
	}
	offer := serializer.Offer{Kind: partialSpec.GroupVersionKind}
	for accept, want := range map[string]string{
		protobuf.MediaType: protobuf.MediaType,
		protobuf.MediaType + ";as=Table, application/json;as=Table": "application/json;g=meta.k8s.io;v=v1;as=Table",
		protobuf.MediaType + ";as=Table, " + protobuf.MediaType:     protobuf.MediaType,
	} {
		rep, err := f.Negotiate([]string{accept}, offer)
		if err != nil || rep.ContentType() != want {
			t.Errorf("%s: %v, %v, want %s", accept, rep, err, want)
		}
	}
	_, err = f.Negotiate([]string{protobuf.MediaType + ";as=Table"}, offer)
	refused, ok := errors.AsType[*serializer.NotAcceptableError](err)
	if !ok {
		t.Fatalf("a table in protobuf: %v", err)
	}
	code, reason, message := refused.Status()
	if code != 406 || reason != "NotAcceptable" || !strings.Contains(message, "the format cannot write it") {
		t.Errorf("a table in protobuf: %d %s %s", code, reason, message)
	}
	// Asking for it past the negotiation is an error that names what is missing, and nothing is
	// written.
	table := &metav1.Table{TypeMeta: metav1.TypeMeta{Kind: "Table", APIVersion: "meta.k8s.io/v1"}}
	var b bytes.Buffer
	if err := f.Encode(&b, table, serializer.EncodeOptions{MediaType: protobuf.MediaType}); !errors.Is(err,
		runtime.ErrNoFunction) || b.Len() > 0 {
		t.Errorf("error %v, %d bytes", err, b.Len())
	}
}

// TestFailWithoutStatus ends a watch in a scheme that does not know the kind Status.
func TestFailWithoutStatus(t *testing.T) {
	t.Parallel()
	scheme, err := runtime.NewScheme(func(b *runtime.Builder) {
		runtime.AddKind(b, &partialSpec)
		runtime.AddKind(b,
			&partialListSpec)
	})
	if err != nil {
		t.Fatal(err)
	}
	f, err := serializer.NewFactory(scheme, protobuf.Format())
	if err != nil {
		t.Fatal(err)
	}
	rep, err := f.Negotiate(nil, serializer.Offer{Kind: partialSpec.GroupVersionKind, Stream: "watch"})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w, err := rep.Events(&b)
	if err != nil {
		t.Fatal(err)
	}
	gone := metav1.Failure(metav1.StatusReasonExpired, "too old")
	if err := w.Fail(gone); err != error(gone) {
		t.Errorf("Fail returns %v", err)
	}
	e, err := serializer.NewEventReader(&b, newMeta(t), serializer.DecodeOptions{MediaType: rep.ContentType()})
	if err != nil {
		t.Fatal(err)
	}
	next, stop := iter.Pull2(e.All())
	defer stop()
	event, err, _ := next()
	status, ok := event.Object.(*metav1.Status)
	if err != nil || event.Type != metav1.WatchError || !ok || status.Code != 410 || status.Message != "too old" ||
		status.APIVersion != "v1" {
		t.Errorf("the event is %+v, %v", event, err)
	}
}
