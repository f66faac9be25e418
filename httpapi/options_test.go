package httpapi_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/askind/askind/httpapi"
	corev1 "github.com/askind/askind/internal/seedapi/core/v1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer/query"
)

// optionsOf responds with the options of a request, as a T.
func optionsOf[T any](t *testing.T, s httpapi.Settings, e httpapi.Offer, got **T) http.Handler {
	t.Helper()
	api := httpapi.New(newFactory(t), s)
	return api.Handler(func(w http.ResponseWriter, r *http.Request) error {
		x, err := api.Begin(w, r, e)
		if err != nil {
			return err
		}
		*got, err = httpapi.ReadOptions[T](x)
		return err
	})
}

func meta1(kind string) metav1.TypeMeta {
	return metav1.TypeMeta{Kind: kind, APIVersion: "meta.k8s.io/v1"}
}

// check sends a request and compares its options or the error message.
func check[T any](t *testing.T, s httpapi.Settings, e httpapi.Offer, method, query, body string, want *T,
	message string,
) {
	t.Helper()
	var got *T
	resp, answer := ask(t, optionsOf(t, s, e, &got), method, "/?"+query, body)
	if message != "" {
		if resp.StatusCode < 400 || !strings.Contains(strings.ReplaceAll(answer, `\"`, `"`), message) {
			t.Errorf("%s %s: %s, want %s\n%s", method, query, resp.Status, message, answer)
		}
		return
	}
	if diff := cmp.Diff(want, got); resp.StatusCode != http.StatusOK || diff != "" {
		t.Errorf("%s %s: %s\n%s\n%s", method, query, resp.Status, answer, diff)
	}
}

func TestOptions(t *testing.T) {
	t.Parallel()
	one, list := httpapi.Offer{Kind: podKind}, httpapi.Offer{Kind: corev1.GroupVersion.WithKind("PodList")}
	none := httpapi.Settings{}
	check(t, none, list, "GET", "", "", &metav1.ListOptions{TypeMeta: meta1("ListOptions")}, "")
	check(t, none, list, "GET", "labelSelector=a%3Db&limit=5", "", &metav1.ListOptions{
		TypeMeta:      meta1("ListOptions"),
		LabelSelector: "a=b", Limit: 5,
	}, "")
	check(t, none, list, "GET", "apiVersion=meta.k8s.io/v2&rv=7", "",
		&metav1.ListOptions{TypeMeta: meta1("ListOptions"), ResourceVersion: "7"}, "")
	check(t, none, list, "GET", "apiVersion=meta.k8s.io/v2&rv=7", "",
		&listOptionsV2{TypeMeta: metav1.TypeMeta{Kind: "ListOptions", APIVersion: "meta.k8s.io/v2"}, RV: "7"}, "")
	check(t, none, list, "GET", "resourceVersion=7", "",
		&listOptionsV2{TypeMeta: metav1.TypeMeta{Kind: "ListOptions", APIVersion: "meta.k8s.io/v2"}, RV: "7"}, "")
	check(t, none, list, "GET", "limit=many", "", (*metav1.ListOptions)(nil), `limit: "many" is not a number`)
	check(t, none, list, "GET", "limit=-1", "", &metav1.ListOptions{TypeMeta: meta1("ListOptions"), Limit: -1}, "")
	check(t, none, list, "GET", "a=%zz", "", (*metav1.ListOptions)(nil), "invalid query")
	check(t, none, list, "GET", "pretty=maybe", "", (*metav1.ListOptions)(nil),
		`pretty: "maybe" must be true or false`)
	check(t, none, list, "GET", "export=maybe", "", (*metav1.ListOptions)(nil),
		`export: "maybe" must be true or false`)
	check(t, none, one, "GET", "resourceVersion=7", "", &metav1.GetOptions{
		TypeMeta:        meta1("GetOptions"),
		ResourceVersion: "7",
	}, "")
	check(t, none, one, "POST", "dryRun=All&fieldManager=me", "",
		&metav1.CreateOptions{TypeMeta: meta1("CreateOptions"), DryRun: []string{"All"}, FieldManager: "me"}, "")
	check(t, none, one, "PUT", "dryRun=Some", "", (*metav1.UpdateOptions)(nil), `Unsupported value: "Some"`)
	check(t, none, one, "DELETE", "resourceVersion=7&uid=u", "", &metav1.DeleteOptions{
		TypeMeta:      meta1("DeleteOptions"),
		Preconditions: &metav1.Preconditions{UID: ptr("u"), ResourceVersion: ptr("7")},
	}, "")
	check(t, none, one, "GET", "", "", (*corev1.PodSpec)(nil), "internal error")

	// Options of a table and of a list, in the version that the query states if both kinds have it.
	check(t, none, list, "GET", "limit=5&includeObject=None", "", &metav1.TableOptions{
		TypeMeta:      meta1("TableOptions"),
		IncludeObject: metav1.IncludeNone,
	}, "")
	check(t, none, list, "GET", "apiVersion=meta.k8s.io/v2&rv=7&includeObject=Object", "",
		&metav1.TableOptions{TypeMeta: meta1("TableOptions"), IncludeObject: metav1.IncludeObject}, "")
	check(t, none, list, "GET", "kind=TableOptions&apiVersion=meta.k8s.io/v1&includeObject=Object&limit=5", "",
		&metav1.ListOptions{TypeMeta: meta1("ListOptions"), Limit: 5}, "")
	check(t, none, list, "GET", "kind=TableOptions&apiVersion=meta.k8s.io/v2", "", (*metav1.ListOptions)(nil),
		`TableOptions does not exist in "meta.k8s.io/v2", only in meta.k8s.io/v1`)
	check(t, none, list, "GET", "kind=GetOptions", "", (*metav1.ListOptions)(nil),
		`"GetOptions" is not supported here, only ListOptions, TableOptions`)
	check(t, none, one, "GET", "apiVersion=meta.k8s.io/v9", "", (*metav1.TableOptions)(nil),
		`GetOptions does not exist in "meta.k8s.io/v9"`)

	// Deletion of a collection has the selectors of a list and the options of a deletion.
	check(t, none, list, "DELETE", "labelSelector=a&propagationPolicy=Orphan", "",
		&metav1.ListOptions{TypeMeta: meta1("ListOptions"), LabelSelector: "a"}, "")
	check(t, none, list, "DELETE", "labelSelector=a&propagationPolicy=Orphan", "",
		&metav1.DeleteOptions{TypeMeta: meta1("DeleteOptions"), PropagationPolicy: ptr(metav1.DeletePropagationOrphan)},
		"")
	check(t, none, list, "DELETE", "kind=DeleteOptions&apiVersion=meta.k8s.io/v9", "", (*metav1.DeleteOptions)(nil),
		`DeleteOptions does not exist in "meta.k8s.io/v9"`)

	// The body of a DELETE request takes precedence.
	check(t, none, one, "DELETE", "gracePeriodSeconds=1", `{"gracePeriodSeconds":0}`,
		&metav1.DeleteOptions{TypeMeta: meta1("DeleteOptions"), GracePeriodSeconds: ptr(int64(0))}, "")
	check(t, none, one, "DELETE", "", `{"kind":"DeleteOptions","apiVersion":"v1","preconditions":{"uid":"u"}}`,
		&metav1.DeleteOptions{TypeMeta: meta1("DeleteOptions"), Preconditions: &metav1.Preconditions{UID: ptr("u")}},
		"")
	check(t, none, one, "DELETE", "", `{"kind":"DeleteOptions","apiVersion":"extensions/v1beta1","dryRun":["All"]}`,
		&metav1.DeleteOptions{TypeMeta: meta1("DeleteOptions"), DryRun: []string{"All"}}, "")
	check(t, none, one, "DELETE", "", `{"gracePeriodSeconds":-1}`, (*metav1.DeleteOptions)(nil), "must not be negative")
	check(t, none, one, "DELETE", "", podJSON, (*metav1.DeleteOptions)(nil), "must be DeleteOptions, not a v1, Kind=Pod")
	check(t, none, one, "DELETE", "", "{", (*metav1.DeleteOptions)(nil), "line 1")

	// Options declared by the endpoint.
	own := httpapi.Offer{Kind: podKind, Options: metaV2.WithKind("ListOptions")}
	check(t, none, own, "GET", "rv=7", "",
		&listOptionsV2{TypeMeta: metav1.TypeMeta{Kind: "ListOptions", APIVersion: "meta.k8s.io/v2"}, RV: "7"}, "")

	// Unknown parameters.
	strict := httpapi.Settings{StrictQuery: true, Parameters: []string{"mine"}}
	check(t, strict, list, "GET", "limit=5&includeObject=None&pretty=1&export=0&mine=x&watch=0", "",
		&metav1.ListOptions{TypeMeta: meta1("ListOptions"), Limit: 5}, "")
	check(t, strict, list, "GET", "lableSelector=a", "", (*metav1.ListOptions)(nil),
		`unknown parameter "lableSelector" of ListOptions (did you mean "labelSelector"?)`)
	check(t, strict, list, "GET", "includeObjec=None", "", (*metav1.ListOptions)(nil),
		`unknown parameter "includeObjec" of ListOptions (did you mean "includeObject"?)`)
	check(t, strict, list, "GET", "prety=1", "", (*metav1.ListOptions)(nil),
		`unknown parameter "prety" of ListOptions (did you mean "pretty"?)`)
	check(t, strict, list, "GET", "resourceVersion=7&apiVersion=meta.k8s.io/v2", "", (*metav1.ListOptions)(nil),
		`unknown parameter "resourceVersion" of ListOptions`)
	check(t, strict, list, "GET", "kind=TableOptions&includeObject=None&limit=5", "",
		&metav1.ListOptions{TypeMeta: meta1("ListOptions"), Limit: 5}, "")
	check(t, none, list, "GET", "lableSelector=a", "", &metav1.ListOptions{TypeMeta: meta1("ListOptions")}, "")
}

// TestOptionsBothWays encodes options as queries, in both versions, and sends them.
func TestOptionsBothWays(t *testing.T) {
	t.Parallel()
	codec := query.New(newFactory(t).Scheme())
	list := httpapi.Offer{Kind: corev1.GroupVersion.WithKind("PodList")}
	want := &metav1.ListOptions{TypeMeta: meta1("ListOptions"), ResourceVersion: "7", Limit: 5}
	for _, o := range []runtime.Object{want, &listOptionsV2{TypeMeta: metav1.TypeMeta{
		Kind:       "ListOptions",
		APIVersion: "meta.k8s.io/v2",
	}, RV: "7", Limit: 5}} {
		values, err := codec.Encode(o, query.KindOf("list"))
		if err != nil {
			t.Fatal(err)
		}
		check(t, httpapi.Settings{StrictQuery: true}, list, "GET", url.Values(values).Encode(), "", want, "")
	}
}

// TestTableOptionsReachTheTable checks that table options in the query have effect, and that the
// header takes precedence.
func TestTableOptionsReachTheTable(t *testing.T) {
	t.Parallel()
	h := newCluster(t, httpapi.Settings{Compact: true}).handler()
	for request, want := range map[[2]string]string{
		{"", "application/json;as=Table"}:                                         `"object":{"kind":"PartialObjectMetadata",`,
		{"?includeObject=None", "application/json;as=Table"}:                      `"object":null`,
		{"?includeObject=Object", "application/json;as=Table"}:                    `"object":{"kind":"Pod",`,
		{"?includeObject=None", "application/json;as=Table;includeObject=Object"}: `"object":{"kind":"Pod",`,
	} {
		if _, body := ask(t, h, http.MethodGet, "/api/v1/pods"+request[0], "", "Accept",
			request[1]); !strings.Contains(body, want) {
			t.Errorf("%s: %s", request, body)
		}
	}
}

// TestOptionsOfUnknownLength holds that a body whose length is not stated is one of options if
// there is anything in it.
func TestOptionsOfUnknownLength(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		body io.Reader
		code int
		uid  string
	}{
		{"nothing", strings.NewReader(""), 200, "query"},
		{"options", strings.NewReader(`{"kind":"DeleteOptions","apiVersion":"v1","preconditions":{"uid":"body"}}`), 200, "body"},
		{"a body that breaks off", iotest.ErrReader(io.ErrUnexpectedEOF), 400, ""},
		{
			"options after more than a body may have",
			io.MultiReader(strings.NewReader(strings.Repeat(" ", 101)),
				strings.NewReader(`{"kind":"DeleteOptions","apiVersion":"v1","preconditions":{"uid":"body"}}`)),
			413, "",
		},
	} {
		var got *metav1.DeleteOptions
		target := "/"
		if tt.uid == "query" {
			target = "/?uid=query"
		}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodDelete, target, tt.body)
		r.ContentLength = -1
		w := httptest.NewRecorder()
		optionsOf(t, httpapi.Settings{MaxBody: 100}, httpapi.Offer{Kind: podKind}, &got).ServeHTTP(w, r)
		uid := ""
		if got != nil && got.Preconditions != nil && got.Preconditions.UID != nil {
			uid = *got.Preconditions.UID
		}
		if w.Code != tt.code || uid != tt.uid {
			t.Errorf("%s: %d %s, preconditions of %q", tt.name, w.Code, w.Body, uid)
		}
	}
}
