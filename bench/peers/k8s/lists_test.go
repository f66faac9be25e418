package k8s_test

import (
	"bytes"
	"encoding/hex"
	"os"
	"reflect"
	"strings"
	"testing"

	kappsv1 "k8s.io/api/apps/v1"
	kcorev1 "k8s.io/api/core/v1"
	kruntime "k8s.io/apimachinery/pkg/runtime"
	kserializer "k8s.io/apimachinery/pkg/runtime/serializer"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
	askindjson "github.com/askind/askind/serializer/json"
	askindprotobuf "github.com/askind/askind/serializer/protobuf"
	askindyaml "github.com/askind/askind/serializer/yaml"
)

// TestLists reads and writes the recorded lists of testdata/lists in each format. They were written
// by hand, from the rules of the wire formats; items of typed lists state no kind and apiVersion
// there, but do in memory. The encoders of the peer write the same bytes.
func TestLists(t *testing.T) {
	t.Parallel()
	s, err := runtime.NewScheme(groups()...)
	if err != nil {
		t.Fatal(err)
	}
	f, err := serializer.NewFactory(s, askindjson.Format(), askindyaml.Format(), askindprotobuf.Format())
	if err != nil {
		t.Fatal(err)
	}
	ks := kruntime.NewScheme()
	for _, add := range []func(*kruntime.Scheme) error{kcorev1.AddToScheme, kappsv1.AddToScheme} {
		if err := add(ks); err != nil {
			t.Fatal(err)
		}
	}
	codecs := kserializer.NewCodecFactory(ks)
	for _, name := range []string{"configmaps", "configmaps-none", "deployments"} {
		for _, format := range []struct{ mediaType, ext string }{
			{"application/json", ".json"}, {"application/yaml", ".yaml"}, {askindprotobuf.MediaType, ".pb.hex"},
		} {
			t.Run(name+format.ext, func(t *testing.T) {
				t.Parallel()
				data := readList(t, "testdata/lists/"+name+format.ext)
				o := serializer.DecodeOptions{MediaType: format.mediaType, Strictness: serializer.FailOnProblems}
				list, err := f.Decode(data, o)
				if err != nil {
					t.Fatal(err)
				}
				k, err := s.KindOf(list)
				if err != nil {
					t.Fatal(err)
				}
				items := k.Items(list)
				for i := range items.Len() {
					if apiVersion, kind := k.ItemKind().TypeOf(items.At(i)); apiVersion != k.APIVersion() ||
						kind != k.ItemKind().Name() {
						t.Errorf("item %d states %q, %q", i, apiVersion, kind)
					}
				}
				got, err := f.Append(nil, list, serializer.EncodeOptions{MediaType: format.mediaType})
				if err != nil || !bytes.Equal(got, data) {
					t.Errorf("written differently, %v:\n got %q\nwant %q", err, got, data)
				}
				info, ok := kruntime.SerializerInfoForMediaType(codecs.SupportedMediaTypes(), format.mediaType)
				if !ok {
					t.Fatal("the peer has not this format")
				}
				peer, _, err := info.Serializer.Decode(data, nil, nil)
				if err != nil {
					t.Fatal(err)
				}
				var want bytes.Buffer
				if err := info.Serializer.Encode(peer, &want); err != nil || !bytes.Equal(want.Bytes(), data) {
					t.Errorf("the peer writes, %v: %q, recorded %q", err, want.Bytes(), data)
				}
				for i := range items.Len() { // the peer leaves the kind out
					reflect.ValueOf(items.At(i)).Elem().FieldByName("TypeMeta").SetZero()
				}
				if !reflect.DeepEqual(list, peer) {
					t.Errorf("read as %+v, by the peer as %+v", list, peer)
				}
			})
		}
	}
}

// readList reads a recorded list. Hexadecimal files have comments after # and any blanks.
func readList(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(name, ".hex") {
		return data
	}
	var digits strings.Builder
	for line := range strings.Lines(string(data)) {
		line, _, _ = strings.Cut(line, "#")
		digits.WriteString(strings.Join(strings.Fields(line), ""))
	}
	if data, err = hex.DecodeString(digits.String()); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return data
}
