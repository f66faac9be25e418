package clienttest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	askmetav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/meta/validation"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

// texts are pieces of names, right and wrong ones.
var texts = []string{
	"a", "web", "A", "1", "-", "_", ".", "..", "/", "%", " ", "é", "\x00", "\n", "a.b", "a-b", "example.com/", "v1",
	strings.Repeat("a", 62), strings.Repeat("b.", 120),
}

// randomText joins up to three pieces.
func randomText(r *rand.Rand) string {
	var b strings.Builder
	for range r.IntN(4) {
		b.WriteString(texts[r.IntN(len(texts))])
	}
	return b.String()
}

// randomMeta returns metadata most of which is wrong.
func randomMeta(r *rand.Rand) (m metav1.ObjectMeta) {
	m.Name, m.GenerateName, m.Namespace = randomText(r), randomText(r), randomText(r)
	if strings.HasSuffix(m.GenerateName, "-") {
		m.GenerateName = "" // Kubernetes looks at all but the last two characters
	}
	m.Generation = int64(r.IntN(4) - 1)
	m.Labels = map[string]string{randomText(r): randomText(r)}
	m.Annotations = map[string]string{randomText(r): strings.Repeat("x", r.IntN(50)/49<<18)}
	for range r.IntN(3) {
		m.OwnerReferences = append(m.OwnerReferences, metav1.OwnerReference{
			APIVersion: []string{"", "v1", "a/v1", "a/b/c", "a/"}[r.IntN(5)],
			Kind:       []string{"", "Event", "K"}[r.IntN(3)],
			Name:       randomText(r), UID: "u", Controller: new(r.IntN(2) == 0),
		})
	}
	for range r.IntN(3) {
		m.Finalizers = append(m.Finalizers, []string{"orphan", "foregroundDeletion", randomText(r)}[r.IntN(3)])
	}
	for range r.IntN(2) {
		m.ManagedFields = append(m.ManagedFields, metav1.ManagedFieldsEntry{
			Operation:   metav1.ManagedFieldsOperationType([]string{"", "Apply", "Update", "Guess"}[r.IntN(4)]),
			FieldsType:  []string{"", "FieldsV1", "FieldsV2"}[r.IntN(3)],
			Manager:     strings.Repeat(randomText(r), 1+r.IntN(2)),
			Subresource: strings.Repeat("s", 250+r.IntN(10)),
		})
	}
	return m
}

// sameMessages compares field errors in words, but for values that are cut or not scalar.
func sameMessages(t *testing.T, of any, got runtime.FieldErrors, want field.ErrorList) {
	t.Helper()
	var g, w []string
	for i, e := range got {
		words := e.Message()
		if i < len(want) {
			s := fmt.Sprint(want[i].BadValue)
			if len(s) > 60 || strings.HasPrefix(s, "[") || strings.HasPrefix(s, "{") {
				words, want[i].BadValue = e.Detail, nil
			}
		}
		g = append(g, fmt.Sprintf("%s %s %s", e.Path, e.Code, words))
	}
	for _, e := range want {
		words := e.ErrorBody()
		if e.BadValue == nil {
			words = e.Detail
		}
		w = append(w, fmt.Sprintf("%s %s %s", e.Field, string(e.Type), words))
	}
	if got, want := strings.Join(g, "\n"), strings.Join(w, "\n"); got != want {
		t.Fatalf("%.500s:\ngot\n%s\n\nwant\n%s", fmt.Sprintf("%+v", of), got, want)
	}
}

// TestMessagesOfMetadata compares the words about metadata with those of Kubernetes.
func TestMessagesOfMetadata(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	at := field.NewPath("metadata")
	for range 1_000 {
		in := randomMeta(r)
		data, err := json.Marshal(&in)
		must(t, err)
		must(t, json.Unmarshal(data, &in)) // what is not UTF-8 has been replaced
		var m askmetav1.ObjectMeta
		must(t, json.Unmarshal(data, &m))
		for _, namespaced := range []bool{false, true} {
			sameMessages(t, in, validation.ObjectMeta(&m, validation.Options{Namespaced: namespaced}),
				apivalidation.ValidateObjectMeta(&in, namespaced, apivalidation.NameIsDNSSubdomain, at))
		}
		sameMessages(t, in.Name, validation.FieldManager(schema.NewPath("f"), in.Name),
			metavalidation.ValidateFieldManager(in.Name, field.NewPath("f")))
	}
}
