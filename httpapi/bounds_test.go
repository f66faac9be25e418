package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/askind/askind/httpapi"
	corev1 "github.com/askind/askind/internal/seedapi/core/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
)

// TestAnswersAreBounded checks that the size of an error does not grow with the request.
func TestAnswersAreBounded(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 500_000)
	parameters := make([]string, 10_000)
	for i := range parameters {
		parameters[i] = fmt.Sprintf("p%d=v", i)
	}
	accept := strings.Repeat("application/x-"+strings.Repeat("y", 200)+",", 500)
	api := httpapi.New(newFactory(t), httpapi.Settings{StrictQuery: true})
	handler := api.Handler(func(w http.ResponseWriter, r *http.Request) error {
		kind := "PodList"
		if r.Method != http.MethodGet {
			kind = "Pod"
		}
		x, err := api.Begin(w, r, httpapi.Offer{Kind: corev1.GroupVersion.WithKind(kind)})
		if err != nil {
			return err
		}
		if r.Method != http.MethodGet {
			_, err = x.ReadBody(serializer.DecodeOptions{})
			return err
		}
		return x.Respond(http.StatusOK, &corev1.PodList{})
	})
	for _, tt := range []struct {
		name, method, target, body string
		headers                    []string
		want                       string
	}{
		{"unknown parameters", "GET", "/?" + strings.Join(parameters, "&"), "", nil, "too many problems; 9901 more"},
		{"a long parameter", "GET", "/?" + long + "=1", "", nil, "unknown parameter"},
		{"a long value", "GET", "/?pretty=" + long, "", nil, "must be true or false"},
		{"a long version", "GET", "/?apiVersion=" + long, "", nil, ""},
		{"a long kind", "GET", "/?kind=" + long, "", nil, "is not supported here"},
		{
			"a long order", "GET", "/?sortBy=" + long, "",
			[]string{"Accept", "application/json;as=Table"},
			"there is no column",
		},
		{
			"a long label", "GET", "/?labelColumns=a,+" + long, "",
			[]string{"Accept", "application/json;as=Table"},
			"labelColumns[0]: Too long",
		},
		{"a long number", "GET", "/?limit=" + long, "", nil, "is not a number"},
		{"clauses", "GET", "/", "", []string{"Accept", accept}, "none of the accepted"},
		{"content coding", "POST", "/", "{}", []string{"Content-Encoding", long}, "content coding"},
		{"content type", "POST", "/", "{}", []string{"Content-Type", long}, ""},
		{
			"parameters of the content type", "POST", "/", "{}",
			[]string{"Content-Type", "application/json;as=" + long},
			"",
		},
		{
			"a content type that contradicts the body", "POST", "/", `{"apiVersion":"v1","kind":"Pod"}`,
			[]string{"Content-Type", "application/json;as=" + long},
			"but the body is a",
		},
		{"validation of fields", "POST", "/?fieldValidation=" + long, "{}", nil, ""},
		{"unknown kind", "POST", "/", `{"apiVersion":"v1","kind":"` + long + `"}`, nil, ""},
		{"unknown group", "POST", "/", `{"apiVersion":"` + long + `/v1","kind":"Pod"}`, nil, ""},
		{"deep path", "POST", "/", `{"apiVersion":"v1","kind":"Pod","spec":{"` + long + `":1,"nodeName":[]}}`, nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			resp, body := ask(t, handler, tt.method, tt.target, tt.body, tt.headers...)
			most := 4 << 10
			if tt.name == "unknown parameters" {
				most = 64 << 10
			}
			if resp.StatusCode < 400 || resp.StatusCode >= 500 || len(body) > most ||
				!strings.Contains(body, tt.want) {
				t.Errorf("%d, %d bytes: %.500s", resp.StatusCode, len(body), body)
			}
			for name, values := range resp.Header {
				if n := len(strings.Join(values, "")); n > 8<<10 {
					t.Errorf("%d bytes in the header %s", n, name)
				}
			}
		})
	}
}

// TestCausesAreBounded checks that the number of causes is bounded where more problems are kept.
func TestCausesAreBounded(t *testing.T) {
	t.Parallel()
	const most, more = 100, 50
	status := httpapi.StatusOf(&runtime.DecodeError{Problems: make([]runtime.Problem, most+more)})
	last := fmt.Sprintf("and %d more problems", more)
	if causes := status.Details.Causes; len(causes) != most+1 || causes[most].Message != last ||
		!strings.HasSuffix(status.Message, last) {
		t.Errorf("%d causes, the last is %v", len(causes), causes[len(causes)-1])
	}
}

// TestProblemsCountedTwice adds the problems that a decoder counted to those that the answer does
// not list.
func TestProblemsCountedTwice(t *testing.T) {
	t.Parallel()
	problems := append(make([]runtime.Problem, 300), runtime.Problem{More: 150})
	status := httpapi.StatusOf(&runtime.DecodeError{Problems: problems})
	if causes := status.Details.Causes; len(causes) != 101 || causes[100].Message != "and 350 more problems" ||
		!strings.HasSuffix(status.Message, "; and 350 more problems") {
		t.Errorf("%d causes, the last is %v", len(causes), causes[len(causes)-1])
	}
}

// TestUncountedProblems checks that an answer states how many problems of a body are not listed.
func TestUncountedProblems(t *testing.T) {
	t.Parallel()
	api := httpapi.New(newFactory(t), httpapi.Settings{})
	handler := api.Handler(func(w http.ResponseWriter, r *http.Request) error {
		x, err := api.Begin(w, r, httpapi.Offer{Kind: corev1.GroupVersion.WithKind("Pod")})
		if err != nil {
			return err
		}
		_, err = x.ReadBody(serializer.DecodeOptions{})
		return err
	})
	var unknown strings.Builder
	for i := range 250 {
		fmt.Fprintf(&unknown, `,"unknown%d":1`, i)
	}
	_, body := ask(t, handler, "POST", "/?fieldValidation=Strict", `{"apiVersion":"v1","kind":"Pod"`+unknown.String()+"}",
		"Content-Type", "application/json")
	if n := strings.Count(body, "and 150 more problems"); n != 2 || strings.Contains(body, "and 1 more") {
		t.Errorf("the number is stated %d times in the message and the causes: %s", n, body)
	}
}
