package serializer_test

import (
	"bytes"
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"

	corev1 "github.com/askind/askind/internal/seedapi/core/v1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
)

// namespaces returns a list, and its items as a store passes them to EncodeRows.
func namespaces(tb testing.TB, n int) (*corev1.NamespaceList, iter.Seq2[[]byte, func([]byte) []byte]) {
	tb.Helper()
	list := &corev1.NamespaceList{ListMeta: metav1.ListMeta{ResourceVersion: "7"}}
	var scalars, metadata [][]byte
	for i := range n {
		meta := metav1.ObjectMeta{
			Name: fmt.Sprint("n", i), ResourceVersion: fmt.Sprint(i + 1),
			CreationTimestamp: metav1.Time{Time: then.Add(-time.Duration(i) * time.Second)},
		}
		part, err := metav1.AppendJSONObjectMeta(nil, &meta)
		if err != nil {
			tb.Fatal(err)
		}
		meta.Labels, meta.Annotations = map[string]string{"a": "b"}, map[string]string{"x": strings.Repeat(`}}"{`, 100)}
		all, err := metav1.AppendJSONObjectMeta(nil, &meta)
		if err != nil {
			tb.Fatal(err)
		}
		scalars, metadata = append(scalars, part), append(metadata, all)
		list.Items = append(list.Items, corev1.Namespace{
			ObjectMeta: meta, Spec: corev1.NamespaceSpec{Finalizers: []string{"f"}},
		})
	}
	return list, func(yield func([]byte, func([]byte) []byte) bool) {
		for i := range scalars {
			if !yield(scalars[i], func(dst []byte) []byte { return append(dst, metadata[i]...) }) {
				return
			}
		}
	}
}

// TestEncodeRows checks that tables which are written from metadata are those of whole objects, and
// that everything else is left to other functions.
func TestEncodeRows(t *testing.T) {
	t.Parallel()
	f := projectFactory(t, corev1.AddTo)
	offer := corev1.GroupVersion.WithKind("NamespaceList")
	for _, accept := range accepts {
		list, items := namespaces(t, 1000)
		rep := represent(t, f, accept, offer)
		var got pieces
		ok, err := rep.EncodeRows(&got, list, items)
		if err != nil || ok != (accept == "application/json"+asTable) {
			t.Errorf("%s: %t, %v", accept, ok, err)
		}
		if !ok {
			if got.Len() > 0 {
				t.Errorf("%s: %d bytes were written", accept, got.Len())
			}
			continue
		}
		want, err := rep.Append(nil, list)
		if err != nil || !bytes.Equal(got.Bytes(), want) {
			t.Errorf("%s: %v, got\n%.500s\nwant\n%.500s", accept, err, got.Bytes(), want)
		}
		if got.writes < 2 || got.longest > 200<<10 {
			t.Errorf("%s: %d bytes in %d pieces, the longest of %d", accept, got.Len(), got.writes, got.longest)
		}
	}
	// Columns of other kinds read more than scalars, and a list is expected.
	none := func(func([]byte, func([]byte) []byte) bool) {}
	for _, head := range []runtime.Object{&corev1.PodList{}, &corev1.Pod{}, nil} {
		var got bytes.Buffer
		rep := represent(t, f, "application/json"+asTable, corev1.GroupVersion.WithKind("PodList"))
		if ok, err := rep.EncodeRows(&got, head, none); ok || err != nil || got.Len() > 0 {
			t.Errorf("%T: %t, %v, %s", head, ok, err, &got)
		}
	}
}

// TestEncodeRowsErrors checks that an error states which item caused it.
func TestEncodeRowsErrors(t *testing.T) {
	t.Parallel()
	rep := represent(t, projectFactory(t, corev1.AddTo), "application/json"+asTable,
		corev1.GroupVersion.WithKind("NamespaceList"))
	for scalars, want := range map[string]string{
		`{"name":7}`:   "items[1]: serializer: the fields",
		`{"name":"a"`:  "items[1]: serializer: the fields",
		`{"name":"a"}`: "",
	} {
		var got bytes.Buffer
		ok, err := rep.EncodeRows(&got, &corev1.NamespaceList{}, func(yield func([]byte, func([]byte) []byte) bool) {
			whole := func(dst []byte) []byte { return append(dst, `{"name":"a"}`...) }
			_ = yield([]byte(`{"name":"a"}`), whole) && yield([]byte(scalars), whole)
		})
		if !ok || (err == nil) != (want == "") || err != nil && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %t, %v, want %q", scalars, ok, err, want)
		}
		if err != nil && got.Len() > 0 {
			t.Errorf("%s: %s was written before the error", scalars, &got)
		}
	}
}
