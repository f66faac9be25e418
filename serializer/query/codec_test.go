//lint:file-ignore SA1019 Clients still send orphanDependents, so it must be understood.

package query_test

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/askind/askind/conversion"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/json/reflectjson"
	"github.com/askind/askind/serializer/query"
)

var metaV2 = schema.GroupVersion{Group: "meta.k8s.io", Version: "v2"}

// listOptionsV2 is a later version of ListOptions, in which the resource version is called rv.
type listOptionsV2 struct {
	metav1.TypeMeta
	LabelSelector string  `json:"labelSelector,omitempty"`
	RV            string  `json:"rv,omitempty"`
	Limit         uint64  `json:"limit,omitempty"`
	Sizes         []int32 `json:"sizes,omitempty"`
	Ratio         float64 `json:"ratio,omitempty"`
	Any           any     `json:"any,omitempty"`
	Nested        *struct {
		Deep bool `json:"deep,omitempty"`
	} `json:"nested,omitempty"`
	Since metav1.Time       `json:"since,omitzero"`
	Map   map[string]string `json:"map,omitempty"`
}

func addV2(b *runtime.Builder) {
	runtime.AddKind(
		b, reflectjson.Complete(runtime.KindSpec[listOptionsV2]{GroupVersionKind: metaV2.WithKind("ListOptions")}),
	)
	runtime.AddConversion(b, func(in *listOptionsV2, out *metav1.ListOptions, _ *conversion.Scope) error {
		out.LabelSelector, out.ResourceVersion = in.LabelSelector, in.RV
		return nil
	})
	runtime.AddConversion(b, func(in *metav1.ListOptions, out *listOptionsV2, _ *conversion.Scope) error {
		out.LabelSelector, out.RV = in.LabelSelector, in.ResourceVersion
		return nil
	})
	runtime.AddDefault(b, func(o *listOptionsV2) error {
		if o.Limit == 0 {
			o.Limit = 500
		}
		if o.RV == "broken" {
			return errors.New("no default for a broken version")
		}
		return nil
	})
}

func newCodec(t testing.TB) *query.Codec {
	t.Helper()
	scheme, err := runtime.NewScheme(metav1.AddTo, metav1.AddCoreTo, addV2)
	if err != nil {
		t.Fatal(err)
	}
	return query.New(scheme)
}

func typed(gvk schema.GroupVersionKind) metav1.TypeMeta {
	return metav1.TypeMeta{Kind: gvk.Kind, APIVersion: gvk.APIVersion()}
}

func ptr[T any](v T) *T { return &v }

func TestDecode(t *testing.T) {
	t.Parallel()
	c := newCodec(t)
	list, del, patch, get := query.KindOf("list"), query.KindOf("delete"), query.KindOf("patch"), query.KindOf("get")
	listV2 := metaV2.WithKind("ListOptions")
	for _, tc := range []struct {
		name  string
		query string
		o     query.DecodeOptions
		want  runtime.Object
	}{
		{"empty", "", query.DecodeOptions{Kind: list}, &metav1.ListOptions{TypeMeta: typed(list)}},
		{
			"everything of a list", "labelSelector=app%3Dweb&fieldSelector=metadata.name%3Da&watch=true&allowWatchBookmarks=1&resourceVersion=10&resourceVersionMatch=Exact&timeoutSeconds=30&limit=500&continue=abc&sendInitialEvents=true",
			query.DecodeOptions{Kind: list, Strict: true},
			&metav1.ListOptions{
				TypeMeta: typed(list), LabelSelector: "app=web", FieldSelector: "metadata.name=a", Watch: true,
				AllowWatchBookmarks: true, ResourceVersion: "10",
				ResourceVersionMatch: metav1.ResourceVersionMatchExact, TimeoutSeconds: ptr(int64(30)), Limit: 500,
				Continue: "abc", SendInitialEvents: ptr(true),
			},
		},
		{
			"texts that look like something else", "resourceVersion=null&continue=~&labelSelector=true&fieldSelector=",
			query.DecodeOptions{Kind: list},
			&metav1.ListOptions{
				TypeMeta: typed(list), ResourceVersion: "null",
				Continue: "~", LabelSelector: "true",
			},
		},
		{
			"quotes and controls", "continue=%22%5C%00%0A%C3%A9",
			query.DecodeOptions{Kind: list},
			&metav1.ListOptions{TypeMeta: typed(list), Continue: "\"\\\x00\n\u00e9"},
		},
		{"bool without value", "watch", query.DecodeOptions{Kind: list}, &metav1.ListOptions{
			TypeMeta: typed(list),
			Watch:    true,
		}},
		{
			"bool empty", "watch=&sendInitialEvents=",
			query.DecodeOptions{Kind: list},
			&metav1.ListOptions{TypeMeta: typed(list), Watch: true, SendInitialEvents: ptr(true)},
		},
		{
			"bool 0", "watch=0&sendInitialEvents=0",
			query.DecodeOptions{Kind: list},
			&metav1.ListOptions{TypeMeta: typed(list), SendInitialEvents: ptr(false)},
		},
		{
			"bool false in any case", "watch=FALSE&sendInitialEvents=False",
			query.DecodeOptions{Kind: list},
			&metav1.ListOptions{TypeMeta: typed(list), SendInitialEvents: ptr(false)},
		},
		{"bool no", "watch=no", query.DecodeOptions{Kind: list}, &metav1.ListOptions{
			TypeMeta: typed(list),
			Watch:    true,
		}},
		{
			"numbers are decimal", "limit=010&timeoutSeconds=-0",
			query.DecodeOptions{Kind: list},
			&metav1.ListOptions{TypeMeta: typed(list), Limit: 10, TimeoutSeconds: ptr(int64(0))},
		},
		{
			"first value wins", "limit=1&limit=2&continue=a&continue=b",
			query.DecodeOptions{Kind: list},
			&metav1.ListOptions{TypeMeta: typed(list), Limit: 1, Continue: "a"},
		},
		{
			"unknown is ignored", "pretty=1&foo=bar&constructor=x&nested=1",
			query.DecodeOptions{Kind: list},
			&metav1.ListOptions{TypeMeta: typed(list)},
		},
		{"known to others", "pretty=1&includeObject=None&limit=1", query.DecodeOptions{
			Kind: list, Strict: true,
			Known: []string{"pretty"}, KnownTo: []schema.GroupVersionKind{{
				Group: "meta.k8s.io", Version: "v1",
				Kind: "TableOptions",
			}},
		}, &metav1.ListOptions{TypeMeta: typed(list), Limit: 1}},
		{
			"one value of a list", "dryRun=All",
			query.DecodeOptions{Kind: patch},
			&metav1.PatchOptions{TypeMeta: typed(patch), DryRun: []string{"All"}},
		},
		{
			"several values of a list", "dryRun=All&dryRun=Some&force=true&fieldManager=me",
			query.DecodeOptions{Kind: patch},
			&metav1.PatchOptions{
				TypeMeta: typed(patch),
				DryRun:   []string{"All", "Some"}, Force: ptr(true), FieldManager: "me",
			},
		},
		{"get", "resourceVersion=0", query.DecodeOptions{Kind: get}, &metav1.GetOptions{
			TypeMeta:        typed(get),
			ResourceVersion: "0",
		}},
		{
			"blank preconditions", "uid=&resourceVersion=7",
			query.DecodeOptions{Kind: del},
			&metav1.DeleteOptions{
				TypeMeta: typed(del), Preconditions: &metav1.Preconditions{ResourceVersion: ptr("7")},
			},
		},
		{
			"preconditions", "uid=u-1&resourceVersion=7&gracePeriodSeconds=0&propagationPolicy=Foreground&orphanDependents=false",
			query.DecodeOptions{Kind: del, Strict: true},
			&metav1.DeleteOptions{
				TypeMeta: typed(del), GracePeriodSeconds: ptr(int64(0)),
				Preconditions:     &metav1.Preconditions{UID: ptr("u-1"), ResourceVersion: ptr("7")},
				PropagationPolicy: ptr(metav1.DeletePropagationForeground), OrphanDependents: ptr(false),
			},
		},
		{
			"stated kind", "kind=ListOptions&apiVersion=meta.k8s.io/v1&limit=3",
			query.DecodeOptions{Kind: list, Strict: true},
			&metav1.ListOptions{TypeMeta: typed(list), Limit: 3},
		},
		{"another kind that is welcome", "kind=ListOptions&limit=3", query.DecodeOptions{
			Kind: del,
			Also: []string{"ListOptions"},
		}, &metav1.ListOptions{TypeMeta: typed(list), Limit: 3}},
		{
			"version two", "apiVersion=meta.k8s.io/v2&rv=10",
			query.DecodeOptions{Kind: list, Strict: true},
			&listOptionsV2{TypeMeta: typed(listV2), RV: "10"},
		},
		{
			"version two by the other name", "queryVersion=meta.k8s.io/v2&rv=10",
			query.DecodeOptions{Kind: list},
			&listOptionsV2{TypeMeta: typed(listV2), RV: "10"},
		},
		{
			"version stated twice", "queryVersion=meta.k8s.io/v2&apiVersion=meta.k8s.io/v2&rv=1",
			query.DecodeOptions{Kind: list},
			&listOptionsV2{TypeMeta: typed(listV2), RV: "1"},
		},
		{"version two, converted", "apiVersion=meta.k8s.io/v2&rv=10", query.DecodeOptions{
			Kind:    list,
			Version: metav1.GroupVersion,
		}, &metav1.ListOptions{TypeMeta: typed(list), ResourceVersion: "10"}},
		{
			"version two, defaulted", "apiVersion=meta.k8s.io/v2",
			query.DecodeOptions{Kind: list, Default: true},
			&listOptionsV2{TypeMeta: typed(listV2), Limit: 500},
		},
		{
			"a name of another version", "rv=10",
			query.DecodeOptions{Kind: list},
			&metav1.ListOptions{TypeMeta: typed(list)},
		},
		{
			"version of a group", "apiVersion=v1&limit=1",
			query.DecodeOptions{Kind: list},
			&metav1.ListOptions{TypeMeta: typed(list), Limit: 1},
		},
		{
			"other types", "sizes=1&sizes=-2&ratio=1.5&limit=18446744073709551615&any=x&since=1970-01-01T00:00:00Z",
			query.DecodeOptions{Kind: listV2, Strict: true},
			&listOptionsV2{
				TypeMeta: typed(listV2),
				Sizes:    []int32{1, -2}, Ratio: 1.5, Limit: 1<<64 - 1, Any: "x", Since: metav1.Unix(0, 0),
			},
		},
		{"any number", "any=12", query.DecodeOptions{Kind: listV2}, &listOptionsV2{
			TypeMeta: typed(listV2),
			Any:      int64(12),
		}},
		{
			"options of a table beside those of a list",
			"kind=ListOptions&apiVersion=meta.k8s.io/v2&rv=1&includeObject=Object",
			query.DecodeOptions{Kind: metav1.GroupVersion.WithKind("TableOptions"), Secondary: true},
			&metav1.TableOptions{
				TypeMeta:      typed(metav1.GroupVersion.WithKind("TableOptions")),
				IncludeObject: metav1.IncludeObject,
			},
		},
		{
			"everything of a table",
			"includeObject=None&noHeaders&wide=false&labelColumns=app,tier&labelColumns=zone&sortBy=-Age",
			query.DecodeOptions{Kind: metav1.GroupVersion.WithKind("TableOptions"), Strict: true},
			&metav1.TableOptions{
				TypeMeta: typed(metav1.GroupVersion.WithKind("TableOptions")), IncludeObject: metav1.IncludeNone,
				NoHeaders: ptr(true), Wide: ptr(false),
				LabelColumns: []string{"app,tier", "zone"}, SortBy: []string{"-Age"},
			},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			values, err := url.ParseQuery(tc.query)
			if err != nil {
				t.Fatal(err)
			}
			got, err := c.Decode(values, tc.o)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestDecodeErrors(t *testing.T) {
	t.Parallel()
	c := newCodec(t)
	list, v2 := query.KindOf("list"), metaV2.WithKind("ListOptions")
	for _, tc := range []struct {
		name, query string
		o           query.DecodeOptions
		want        string
		cause       error
	}{
		{
			"unknown version", "apiVersion=meta.k8s.io/v3&rv=10",
			query.DecodeOptions{Kind: list},
			`apiVersion: ListOptions does not exist in "meta.k8s.io/v3", only in meta.k8s.io/v2, meta.k8s.io/v1`,
			runtime.ErrUnknownKind,
		},
		{
			"version of other kinds of the group", "apiVersion=meta.k8s.io/v2&resourceVersion=7",
			query.DecodeOptions{Kind: query.KindOf("get")},
			`apiVersion: GetOptions does not exist in "meta.k8s.io/v2", only in meta.k8s.io/v1`, runtime.ErrUnknownKind,
		},
		{
			"unknown version by the other name", "queryVersion=v9",
			query.DecodeOptions{Kind: list},
			`queryVersion: ListOptions does not exist in "v9", only in meta.k8s.io/v2, meta.k8s.io/v1`,
			runtime.ErrUnknownKind,
		},
		{
			"no version at all", "apiVersion=a/b/c",
			query.DecodeOptions{Kind: list},
			`apiVersion: `,
			runtime.ErrInvalidValue,
		},
		{
			"two versions", "apiVersion=meta.k8s.io/v1&queryVersion=meta.k8s.io/v2",
			query.DecodeOptions{Kind: list},
			`queryVersion: "meta.k8s.io/v2" contradicts apiVersion "meta.k8s.io/v1"`, runtime.ErrInvalidValue,
		},
		{
			"wrong kind", "kind=ListOption",
			query.DecodeOptions{Kind: list, Also: []string{"GetOptions"}},
			`kind: "ListOption" is not supported here, only ListOptions, GetOptions (did you mean "ListOptions"?)`,
			runtime.ErrUnknownKind,
		},
		{
			"a kind that is not options", "kind=Status&message=x",
			query.DecodeOptions{Kind: list},
			`kind: "Status" is not supported here, only ListOptions`, runtime.ErrUnknownKind,
		},
		{
			"no number", "limit=many",
			query.DecodeOptions{Kind: list},
			`limit: "many" is not a number`,
			runtime.ErrWrongType,
		},
		{"empty number", "limit=", query.DecodeOptions{Kind: list}, `limit: "" is not a number`, runtime.ErrWrongType},
		{
			"hexadecimal", "limit=0x10",
			query.DecodeOptions{Kind: list},
			`limit: "0x10" is not a number`,
			runtime.ErrWrongType,
		},
		{
			"not finite", "ratio=Inf",
			query.DecodeOptions{Kind: v2},
			`ratio: "Inf" is not a number`,
			runtime.ErrWrongType,
		},
		{
			"fraction", "limit=1.5",
			query.DecodeOptions{Kind: list},
			`limit: "1.5" is not an integer`,
			runtime.ErrWrongType,
		},
		{
			"exponent", "limit=1e3",
			query.DecodeOptions{Kind: list},
			`limit: "1e3" is not an integer`,
			runtime.ErrWrongType,
		},
		{
			"exponent in a list", "sizes=1&sizes=1e3",
			query.DecodeOptions{Kind: v2},
			`sizes: "1e3" is not an integer`, runtime.ErrWrongType,
		},
		{
			"digits out of range", "limit=99999999999999999999",
			query.DecodeOptions{Kind: list},
			"limit: ",
			runtime.ErrInvalidValue,
		},
		{"out of range", "sizes=1&sizes=3000000000", query.DecodeOptions{Kind: v2}, "sizes: ", runtime.ErrInvalidValue},
		{
			"bad value of a list", "sizes=1&sizes=x",
			query.DecodeOptions{Kind: v2},
			`sizes: "x" is not a number`,
			runtime.ErrWrongType,
		},
		{"bad time", "since=yesterday", query.DecodeOptions{Kind: v2}, "since: ", runtime.ErrInvalidValue},
		{
			"object", "nested=1&map=2&preconditions=3",
			query.DecodeOptions{Kind: v2},
			"map: map cannot be given in a query\nnested: nested cannot be given in a query", runtime.ErrWrongType,
		},
		{
			"unknown", "limits=1&foo=2",
			query.DecodeOptions{Kind: list, Strict: true},
			"foo: unknown parameter \"foo\" of ListOptions\nlimits: unknown parameter \"limits\" of ListOptions (did you mean \"limit\"?)", runtime.ErrUnknownField,
		},
		{
			"name of another version", "rv=10",
			query.DecodeOptions{Kind: list, Strict: true},
			`rv: unknown parameter "rv" of ListOptions`, runtime.ErrUnknownField,
		},
		{
			"a number in hexadecimal", "limit=0x1p4",
			query.DecodeOptions{Kind: list},
			`limit: "0x1p4" is not a number`, runtime.ErrWrongType,
		},
		{
			"failing default", "rv=broken",
			query.DecodeOptions{Kind: v2, Default: true},
			"no default for a broken version", runtime.ErrInvalidValue,
		},
		{
			"all problems", "limit=x&timeoutSeconds=y&foo=1",
			query.DecodeOptions{Kind: list, Strict: true},
			"foo: unknown parameter \"foo\" of ListOptions\nlimit: \"x\" is not a number\ntimeoutSeconds: \"y\" is not a number", runtime.ErrWrongType,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			values, err := url.ParseQuery(tc.query)
			if err != nil {
				t.Fatal(err)
			}
			obj, err := c.Decode(values, tc.o)
			var d *runtime.DecodeError
			if !errors.As(err, &d) || !errors.Is(err, tc.cause) || obj != nil {
				t.Fatalf("got %v, %v", obj, err)
			}
			if strings.HasSuffix(tc.want, ": ") && strings.HasPrefix(err.Error(), tc.want) {
				return
			}
			if err.Error() != tc.want {
				t.Errorf("got  %s\nwant %s", err, tc.want)
			}
		})
	}
	if _, err := c.Decode(nil, query.DecodeOptions{}); !errors.Is(err, runtime.ErrUnknownKind) {
		t.Errorf("no kind: %v", err)
	}
}

// TestDecodeHostile checks that the error for a query does not grow with it.
func TestDecodeHostile(t *testing.T) {
	t.Parallel()
	c := newCodec(t)
	strict := query.DecodeOptions{Kind: query.KindOf("list"), Strict: true}
	values := map[string][]string{"limit": nil}
	if _, err := c.Decode(values, strict); err != nil {
		t.Errorf("a parameter without values: %v", err)
	}
	most := schema.Limits{}.OrDefaults().Problems
	for i := range 3 * most {
		values[fmt.Sprintf("p%04d", i)] = []string{"1"}
	}
	_, err := c.Decode(values, strict)
	d, ok := errors.AsType[*runtime.DecodeError](err)
	if want := fmt.Sprintf("%d more parameters", 2*most+1); !ok || len(d.Problems) != most ||
		!strings.Contains(d.Problems[most-1].Message, want) {
		t.Errorf("many parameters: %v, want %d problems, the last with %q", err, most, want)
	}
	for i := range 10_001 {
		values[fmt.Sprintf("p%04d", i)] = []string{"1"}
	}
	_, err = c.Decode(values, query.DecodeOptions{Kind: query.KindOf("list")})
	if !errors.Is(err, runtime.ErrLimit) || err.Error() != "the query has 10002 parameters, more than 10000" {
		t.Errorf("very many parameters: %v", err)
	}
	_, err = c.Decode(map[string][]string{strings.Repeat("x", 1<<20): {"1"}}, strict)
	d, ok = errors.AsType[*runtime.DecodeError](err)
	if !ok || len(err.Error()) > 4096 || len(d.Problems[0].Path) > 1024 {
		t.Errorf("a long name: an error of %d bytes", len(fmt.Sprint(err)))
	}
}

func TestDecodeAs(t *testing.T) {
	t.Parallel()
	c := newCodec(t)
	got, err := query.Decode[metav1.ListOptions](c, map[string][]string{"apiVersion": {"meta.k8s.io/v2"}, "rv": {"10"}},
		query.DecodeOptions{Kind: query.KindOf("list")})
	if err != nil || got.ResourceVersion != "10" {
		t.Errorf("got %+v, %v", got, err)
	}
	if _, err := query.Decode[metav1.GetOptions](c, nil, query.DecodeOptions{Kind: query.KindOf("list")}); err == nil {
		t.Error("a list's options became those of a get")
	}
	if _, err := query.Decode[struct{}](c, nil, query.DecodeOptions{Kind: query.KindOf("list")}); err == nil {
		t.Error("no error for a type without kind")
	}
}

func TestEncode(t *testing.T) {
	t.Parallel()
	c := newCodec(t)
	list, del := query.KindOf("list"), query.KindOf("delete")
	for _, tc := range []struct {
		name    string
		obj     runtime.Object
		assumed schema.GroupVersionKind
		want    string
	}{
		{"nothing", &metav1.ListOptions{}, list, ""},
		{
			"without a default", &metav1.ListOptions{Limit: 1},
			schema.GroupVersionKind{},
			"apiVersion=meta.k8s.io%2Fv1&kind=ListOptions&limit=1",
		},
		{
			"list", &metav1.ListOptions{
				LabelSelector: "a=b", Watch: true, Limit: 1 << 60,
				SendInitialEvents: ptr(false),
			},
			list,
			"labelSelector=a%3Db&limit=1152921504606846976&sendInitialEvents=false&watch=true",
		},
		{"preconditions", &metav1.DeleteOptions{
			Preconditions: &metav1.Preconditions{UID: ptr("u")},
			DryRun:        []string{"All", "x"},
		}, del, "dryRun=All&dryRun=x&uid=u"},
		{
			"other version", &listOptionsV2{RV: "10", Sizes: []int32{1, 2}, Ratio: 0.5},
			list,
			"apiVersion=meta.k8s.io%2Fv2&ratio=0.5&rv=10&sizes=1&sizes=2",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, err := c.Encode(tc.obj, tc.assumed)
			if err != nil || url.Values(got).Encode() != tc.want {
				t.Errorf("got %s, %v, want %s", url.Values(got).Encode(), err, tc.want)
			}
		})
	}
	for name, obj := range map[string]runtime.Object{
		"map": &listOptionsV2{Map: map[string]string{"a": "b"}}, "object": &listOptionsV2{Nested: &struct {
			Deep bool `json:"deep,omitempty"`
		}{true}},
		"list of lists": &listOptionsV2{Any: []any{[]any{}}}, "null in a list": &listOptionsV2{Any: []any{nil}},
	} {
		if got, err := c.Encode(obj, schema.GroupVersionKind{}); !errors.Is(err, query.ErrNotFlat) {
			t.Errorf("%s: got %v, %v", name, got, err)
		}
	}
	if _, err := c.Encode(&struct{}{}, schema.GroupVersionKind{}); err == nil {
		t.Error("no error for a type without kind")
	}
}

// FuzzRoundTrip encodes what was decoded and decodes it again.
func FuzzRoundTrip(f *testing.F) {
	f.Add("limit=1&watch&labelSelector=a", uint8(0))
	f.Add("uid=1&resourceVersion=2&dryRun=a&dryRun=", uint8(1))
	f.Add("apiVersion=meta.k8s.io/v2&rv=%00&sizes=1&any=1&ratio=1e9&since=2020-01-01T00:00:00Z", uint8(0))
	c := newCodec(f)
	kinds := []schema.GroupVersionKind{query.KindOf("list"), query.KindOf("delete"), query.KindOf("patch")}
	f.Fuzz(func(t *testing.T, text string, n uint8) {
		values, err := url.ParseQuery(text)
		if err != nil {
			t.Skip()
		}
		kind := kinds[int(n)%len(kinds)]
		obj, err := c.Decode(values, query.DecodeOptions{Kind: kind})
		if err != nil {
			return
		}
		encoded, err := c.Encode(obj, kind)
		if err != nil {
			t.Fatalf("%+v: %v", obj, err)
		}
		again, err := c.Decode(encoded, query.DecodeOptions{Kind: kind, Strict: true})
		if err != nil {
			t.Fatalf("%+v as %v: %v", obj, encoded, err)
		}
		if diff := cmp.Diff(obj, again); diff != "" {
			t.Errorf("%v (-want +got)\n%s", encoded, diff)
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	c := newCodec(b)
	values := url.Values{"labelSelector": {"app=web"}, "limit": {"500"}, "resourceVersion": {"10"}, "watch": {"true"}}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := query.Decode[metav1.ListOptions](c, values,
			query.DecodeOptions{Kind: query.KindOf("list")}); err != nil {
			b.Fatal(err)
		}
	}
}

func ExampleDecode() {
	scheme, err := runtime.NewScheme(metav1.AddTo)
	if err != nil {
		fmt.Println(err)
		return
	}
	c := query.New(scheme)
	values, _ := url.ParseQuery("labelSelector=app%3Dweb&limit=10&watch")
	o := query.DecodeOptions{Kind: query.KindOf("list")}
	options, err := query.Decode[metav1.ListOptions](c, values, o)
	fmt.Println(options.LabelSelector, options.Limit, options.Watch, err)

	values.Set("apiVersion", "meta.k8s.io/v7")
	_, err = query.Decode[metav1.ListOptions](c, values, o)
	fmt.Println(err)

	back, err := c.Encode(options, o.Kind)
	fmt.Println(url.Values(back).Encode(), err)
	// Output:
	// app=web 10 true <nil>
	// apiVersion: ListOptions does not exist in "meta.k8s.io/v7", only in meta.k8s.io/v1
	// labelSelector=app%3Dweb&limit=10&watch=true <nil>
}

func ExampleParseBool() {
	for _, value := range []string{"1", "", "f", "0", "False"} {
		fmt.Printf("watch=%s: %v\n", value, query.ParseBool(value))
	}
	// Output:
	// watch=1: true
	// watch=: true
	// watch=f: true
	// watch=0: false
	// watch=False: false
}
