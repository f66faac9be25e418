package server

import (
	"net/http"
	"strings"
	"testing"

	kmetav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kmetav1beta1 "k8s.io/apimachinery/pkg/apis/meta/v1beta1"
	kruntime "k8s.io/apimachinery/pkg/runtime"
	kschema "k8s.io/apimachinery/pkg/runtime/schema"
	kserializer "k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apiserver/pkg/endpoints/handlers/negotiation"

	"github.com/askind/askind/bench"
	"github.com/askind/askind/serializer"
)

// negotiator returns the media type and the kind that are chosen for an Accept header.
type negotiator func(accept string) (mediaType, kind string, err error)

func ourNegotiator(tb testing.TB) negotiator {
	f, err := bench.NewFactory()
	if err != nil {
		tb.Fatal(err)
	}
	endpoint, err := f.Endpoint(serializer.Offer{Kind: bench.MachineListKind})
	if err != nil {
		tb.Fatal(err)
	}
	headers := make([]string, 1)
	return func(accept string) (mediaType, kind string, err error) {
		headers[0] = accept
		r, err := endpoint.Negotiate(headers)
		if err != nil {
			return "", "", err
		}
		mediaType, _, _ = strings.Cut(r.ContentType(), ";")
		return mediaType, r.Target().Kind, nil
	}
}

// lists allows what the handlers of k8s.io/apiserver allow for a list with a table.
type lists struct{}

func (lists) AllowsMediaTypeTransform(_, subtype string, target *kschema.GroupVersionKind) bool {
	if target == nil {
		return true
	}
	version := target.GroupVersion()
	known := version == kmetav1.SchemeGroupVersion || version == kmetav1beta1.SchemeGroupVersion
	return known && target.Kind == "Table" && (subtype == "json" || subtype == "yaml")
}

func (lists) AllowsServerVersion(string) bool       { return false }
func (lists) AllowsStreamSchema(stream string) bool { return stream == "watch" }

// theirNegotiator calls the function that the handlers of k8s.io/apiserver call.
func theirNegotiator(testing.TB) negotiator {
	scheme := kruntime.NewScheme()
	kmetav1.AddToGroupVersion(scheme, kschema.GroupVersion{Version: "v1"})
	codecs := kserializer.NewCodecFactory(scheme)
	req := &http.Request{Header: http.Header{}}
	headers := make([]string, 1)
	return func(accept string) (mediaType, kind string, err error) {
		headers[0] = accept
		req.Header["Accept"] = headers
		o, info, err := negotiation.NegotiateOutputMediaType(req, codecs, lists{})
		if err != nil {
			return "", "", err
		}
		kind = bench.MachineListKind.Kind
		if o.Convert != nil {
			kind = o.Convert.Kind
		}
		return info.MediaType, kind, nil
	}
}

// TestNegotiate compares what both sides of the benchmark choose.
func TestNegotiate(t *testing.T) {
	t.Parallel()
	ours, theirs := ourNegotiator(t), theirNegotiator(t)
	for _, h := range bench.Headers {
		for _, accept := range []string{h.Accept, h.New()[7][0]} {
			mediaType, kind, err := ours(accept)
			if err != nil {
				t.Fatal(err)
			}
			wantType, wantKind, err := theirs(accept)
			if err != nil {
				t.Fatal(err)
			}
			if mediaType != wantType || kind != wantKind {
				t.Errorf("%s: %s as %s, an apiserver chooses %s as %s", accept, mediaType, kind, wantType, wantKind)
			}
		}
	}
}

// BenchmarkNegotiate has Accept headers that were seen before and others, beside the negotiator of
// k8s.io/apiserver.
func BenchmarkNegotiate(b *testing.B) {
	for _, h := range bench.Headers {
		for _, novelty := range []string{"seen", "new"} {
			headers := [][]string{{h.Accept}}
			if novelty == "new" {
				headers = h.New()
			}
			for _, side := range []struct {
				name       string
				negotiator func(testing.TB) negotiator
			}{{"askind", ourNegotiator}, {"apiserver", theirNegotiator}} {
				negotiate := side.negotiator(b)
				b.Run(novelty+"/"+h.Name+"/"+side.name, func(b *testing.B) {
					b.ReportAllocs()
					for i := 0; b.Loop(); i++ {
						if _, _, err := negotiate(headers[i%len(headers)][0]); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}
