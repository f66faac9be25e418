package server_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	goruntime "runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/askind/askind/server"
)

// TestHostileRequests sends what no honest client sends. Nothing is answered with an internal
// error, and nothing is stored.
func TestHostileRequests(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	deep := strings.Repeat(`{"a":`, 100_000) + "1" + strings.Repeat("}", 100_000)
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, _ = z.Write(bytes.Repeat([]byte(" "), 10<<20))
	_ = z.Close()
	var parameters, operations strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&parameters, "p%d=%d&", i, i)
	}
	operations.WriteString(`[{"op":"add","path":"/metadata/annotations","value":{"a":"` +
		strings.Repeat("x", 1000) + `"}}`)
	for i := range 40 {
		fmt.Fprintf(&operations, `,{"op":"copy","from":"/metadata/annotations","path":"/metadata/annotations/b%d"}`, i)
	}
	operations.WriteString("]")
	request(s, "POST", sites, site("victim"))
	for _, c := range []struct {
		name, method, path, body string
		headers                  []string
		code                     int
	}{
		{"a deep body", "POST", sites, deep, nil, 400},
		{"a body that is too large", "POST", sites, strings.Repeat(" ", 4<<20), nil, 413},
		{"a body of another coding", "POST", sites, zipped.String(), []string{"Content-Encoding: gzip"}, 415},
		{"a body that says it is all zeros", "POST", sites, strings.Repeat("\x00", 1000), nil, 400},
		{
			"YAML that multiplies", "POST", sites,
			"a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e]\ng: [*f,*f,*f,*f,*f,*f,*f,*f,*f]\n",
			[]string{"Content-Type: application/yaml"},
			400,
		},
		{
			"CBOR that promises", "POST", sites, "\x9b\xff\xff\xff\xff\xff\xff\xff\xff",
			[]string{"Content-Type: application/cbor"},
			400,
		},
		{"thousands of ranges", "GET", sites, "", []string{"Accept: " + strings.Repeat("text/x;q=0.1,", 5000) +
			"application/json"}, 406},
		{"thousands of parameters", "GET", sites + "?" + parameters.String(), "", nil, 400},
		{
			"a selector of great length", "GET", sites + "?labelSelector=" + strings.Repeat("a%3Db,", 20_000),
			"", nil, 400,
		},
		{"a limit that is negative", "GET", sites + "?limit=-1", "", nil, 200},
		{"a page of a watch", "GET", sites + "?watch=true&continue=x", "", nil, 400},
		{"a limit without an end", "GET", sites + "?limit=9223372036854775807", "", nil, 200},
		{"a time without an end", "GET", sites + "?timeoutSeconds=9223372036854775807", "", nil, 200},
		{"a version of great length", "GET", sites + "?resourceVersion=" + strings.Repeat("9", 10_000), "", nil, 400},
		{
			"a token of somebody's own", "GET", sites + "?continue=" + url.QueryEscape(strings.Repeat("A", 100_000)),
			"", nil, 400,
		},
		{
			"a patch that grows", "PATCH", sites + "/victim", operations.String(),
			[]string{"Content-Type: application/json-patch+json"},
			0,
		},
		{
			"a patch of many operations", "PATCH", sites + "/victim",
			"[" + strings.Repeat(`{"op":"test","path":"/kind","value":"Site"},`, 10_000) + `{}]`,
			[]string{"Content-Type: application/json-patch+json"},
			413,
		},
		{
			"a patch of great depth", "PATCH", sites + "/victim", deep,
			[]string{"Content-Type: application/merge-patch+json"},
			0,
		},
		{"a name with a slash", "GET", sites + "/a%2fb", "", nil, 404},
		{"a name with a percent sign", "GET", sites + "/a%25b", "", nil, 404},
		{"dots", "GET", sites + "/%2e%2e/%2e%2e", "", nil, 404},
		{"a control character", "GET", sites + "/a%00b", "", nil, 404},
		{"a line end", "GET", sites + "/a%0d%0aSet-Cookie:%20x", "", nil, 404},
		{"bytes that are not UTF-8", "GET", sites + "/%ff%fe", "", nil, 404},
		{"a path of great depth", "GET", "/apis" + strings.Repeat("/a", 10_000), "", nil, 404},
		{"a resource of great length", "GET", "/apis/inventory.example.com/v1/" + strings.Repeat("a", 100_000), "", nil, 404},
		{"two slashes", "GET", "//apis//inventory.example.com", "", nil, 404},
		{
			"a media type of great length", "POST", sites, "{}",
			[]string{"Content-Type: application/json;" + strings.Repeat("a=b;", 10_000)},
			0,
		},
		{
			"a tag of great length", "PUT", sites + "/victim", site("victim"),
			[]string{"If-Match: " + strings.Repeat(`"x",`, 10_000)},
			412,
		},
		{
			"a field manager of great length", "POST", sites + "?fieldManager=" + strings.Repeat("m", 1000),
			site("x"), nil, 422,
		},
		{"a name of great length", "POST", sites, site(strings.Repeat("n", 1000)), nil, 422},
		{"annotations of great size", "PATCH", sites + "/victim", `{"metadata":{"annotations":{"a":"` +
			strings.Repeat("x", 300<<10) + `"}}}`, []string{"Content-Type: application/merge-patch+json"}, 422},
	} {
		w := request(s, c.method, c.path, c.body, c.headers...)
		if w.Code >= 500 || c.code != 0 && w.Code != c.code {
			t.Errorf("%s: code %d, want %d: %.300s", c.name, w.Code, c.code, w.Body)
		}
		if strings.Contains(w.Body.String(), "raise Limits") {
			t.Errorf("%s: advice for the program of the server: %s", c.name, w.Body)
		}
		for name, values := range w.Header() {
			if strings.ContainsAny(strings.Join(values, ""), "\r\n\x00") || name == "Set-Cookie" {
				t.Errorf("%s: the header %s is %q", c.name, name, values)
			}
		}
		if n := w.Body.Len(); w.Code >= 400 && n > 4<<10 || c.method != "GET" && n > 64<<10 {
			t.Errorf("%s: the answer has %d bytes", c.name, n)
		}
	}
	if w := request(s, "GET", sites, "", "Accept: text/plain"); strings.Count(w.Body.String(), "\n") != 2 {
		t.Errorf("there is something else than the victim:\n%s", w.Body)
	}
}

// listening returns the address of a server that listens until the test ends.
func listening(t *testing.T, s *server.Server) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, l) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return l.Addr().String()
}

// TestSlowClients checks that clients who do not send what they began, and those who do not read
// what they asked for, are cut off.
func TestSlowClients(t *testing.T) {
	t.Parallel()
	address := listening(
		t, newServer(
			t, server.Limits(server.LimitSettings{
				HeaderTime:  200 * time.Millisecond,
				RequestTime: 200 * time.Millisecond, IdleTime: 200 * time.Millisecond,
			}),
		),
	)
	for name, text := range map[string]string{
		"headers without an end": "GET /version HTTP/1.1\r\nHost: localhost\r\n",
		"half a body":            "POST " + sites + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{",
		"nothing":                "",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := new(net.Dialer).DialContext(t.Context(), "tcp", address)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			if _, err := io.WriteString(c, text); err != nil {
				t.Fatal(err)
			}
			_ = c.SetReadDeadline(time.Now().Add(time.Minute))
			if _, err := io.Copy(io.Discard, c); err != nil {
				t.Errorf("the connection is held: %v", err)
			}
		})
	}
}

// TestSlowReaders checks that a client gets a whole list for as long as it goes on reading, longer
// than the time for a request, and that one who stops is cut off.
func TestSlowReaders(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("reads slowly")
	}
	const limit = 5 * time.Second
	s := newServer(t, server.Limits(server.LimitSettings{Reads: 1, RequestTime: limit}))
	padding := strings.Repeat("x", 200<<10)
	for i := range 200 {
		body := strings.Replace(site(fmt.Sprintf("s-%d", i)), `"metadata":{`,
			`"metadata":{"annotations":{"a":"`+padding+`"},`, 1)
		if w := request(s, "POST", sites, body); w.Code != http.StatusCreated {
			t.Fatal(w.Body)
		}
	}
	all := request(s, "GET", sites, "").Body.Len()
	if all < 200*len(padding) {
		t.Fatalf("the list has %d bytes", all)
	}
	address := listening(t, s)

	reader := slowReader(t, address)
	began := time.Now()
	read := 0
	for err := error(nil); err == nil; time.Sleep(20 * time.Millisecond) {
		var n int64
		n, err = io.CopyN(io.Discard, reader, int64(all/400))
		read += int(n)
	}
	if read != all || time.Since(began) < limit+limit/4 {
		t.Errorf("a steady reader got %d bytes of %d in %v", read, all, time.Since(began))
	}

	slowReader(t, address)
	if w := request(s, "GET", "/version", ""); w.Code != http.StatusTooManyRequests {
		t.Errorf("the list is not under way: code %d", w.Code)
	}
	for deadline := time.Now().Add(time.Minute); request(s, "GET", "/version", "").Code != http.StatusOK; {
		if time.Now().After(deadline) {
			t.Fatal("a client that does not read holds its request")
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// slowReader asks for all sites and returns the body of the answer. The connection takes little
// ahead of what is read.
func slowReader(t *testing.T, address string) io.Reader {
	t.Helper()
	c, err := new(net.Dialer).DialContext(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if err := c.(*net.TCPConn).SetReadBuffer(64 << 10); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(c, "GET "+sites+" HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	response, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	if response.StatusCode != http.StatusOK {
		t.Fatalf("code %d", response.StatusCode)
	}
	return response.Body
}

func TestHeadersOfGreatSize(t *testing.T) {
	t.Parallel()
	address := listening(t, newServer(t))
	c, err := new(net.Dialer).DialContext(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	go func() {
		_, _ = io.WriteString(c, "GET /version HTTP/1.1\r\nHost: localhost\r\n"+
			strings.Repeat("X-A: "+strings.Repeat("b", 1000)+"\r\n", 1000)+"\r\n")
	}()
	response, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("code %d", response.StatusCode)
	}
}

// TestWatchersWhoDoNotRead checks that they cost no goroutine once they have left, and delay
// nobody.
func TestWatchersWhoDoNotRead(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	address := listening(t, s)
	var connections []net.Conn
	for range 20 {
		c, err := new(net.Dialer).DialContext(t.Context(), "tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		connections = append(connections, c)
		if _, err := io.WriteString(c, "GET "+sites+"?watch=true HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
	}
	reader := watch(t, s, sites+"?watch=true")
	for i := range 50 {
		if w := request(s, "POST", sites, site(fmt.Sprintf("s-%d", i))); w.Code != http.StatusCreated {
			t.Fatal(w.Body)
		}
		reader.expect(fmt.Sprintf("ADDED s-%d", i))
	}
	for _, c := range connections {
		c.Close()
	}
	reader.cancel()
	gone := func() bool {
		return strings.Contains(request(s, "GET", "/metrics", "").Body.String(), "\naskind_watches 0\n")
	}
	for range 3000 {
		if gone() {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Error("there are watches of clients who have left")
}

// TestConnectionsThatBreak cuts connections anywhere, and then looks for what is left.
func TestConnectionsThatBreak(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	address := listening(t, s)
	body := site("broken")
	text := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s", sites, len(body), body)
	var wg sync.WaitGroup
	for cut := 0; cut < len(text); cut += 7 {
		wg.Go(func() {
			c, err := new(net.Dialer).DialContext(t.Context(), "tcp", address)
			if err != nil {
				t.Error(err)
				return
			}
			_, _ = io.WriteString(c, text[:cut])
			c.Close()
		})
	}
	wg.Wait()
	if w := request(s, "GET", sites+"/broken", ""); w.Code != http.StatusNotFound {
		t.Errorf("a part of a request has made an object: %s", w.Body)
	}
}

// TestAnswersAreTheClientsOwn checks that clients who ask at the same time, some of whom leave in
// the middle of an answer, get their own objects alone.
func TestAnswersAreTheClientsOwn(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	address := listening(t, s)
	const clients, rounds = 8, 20
	var wg sync.WaitGroup
	for i := range clients {
		name := fmt.Sprintf("own-%d", i)
		body := strings.Replace(site(name), `"metadata":{`,
			`"metadata":{"annotations":{"example.com/own":"`+strings.Repeat(name+" ", 2000)+`"},`, 1)
		if w := request(s, "POST", sites, body); w.Code != http.StatusCreated {
			t.Fatal(w.Body)
		}
		want := request(s, "GET", sites+"/"+name, "", "Accept: application/json").Body.String()
		wg.Go(func() {
			for round := range rounds {
				if got, err := read(t.Context(), address, name, round%3 == 1); err != nil || got != want {
					t.Errorf("%s gets %.200q, %v", name, got, err)
					return
				}
			}
		})
	}
	wg.Wait()
}

// read returns a site as a client gets it, after a request whose answer it does not read to its end
// if leave is true.
func read(ctx context.Context, address, name string, leave bool) (string, error) {
	get := func(most int64) (string, error) {
		c, err := new(net.Dialer).DialContext(ctx, "tcp", address)
		if err != nil {
			return "", err
		}
		defer c.Close()
		if _, err := fmt.Fprintf(c, "GET %s/%s HTTP/1.1\r\nHost: localhost\r\nAccept: application/json\r\n\r\n",
			sites, name); err != nil {
			return "", err
		}
		response, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			return "", err
		}
		defer response.Body.Close()
		body, err := io.ReadAll(io.LimitReader(response.Body, most))
		return string(body), err
	}
	if leave {
		if _, err := get(100); err != nil {
			return "", err
		}
	}
	return get(1 << 20)
}

func TestLimits(t *testing.T) {
	t.Parallel()
	block, entered := make(chan struct{}), make(chan struct{}, 10)
	s := newServer(t, server.Limits(server.LimitSettings{Reads: 1, UserWatches: 1, RequestTime: time.Hour}),
		server.Handle("/slow", http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			if end, ok := r.Context().Deadline(); !ok || time.Until(end) > time.Hour {
				t.Errorf("the request may last until %v", end)
			}
			entered <- struct{}{}
			<-block
		})))
	done := make(chan *httptest.ResponseRecorder, 1)
	go func() { done <- request(s, "GET", "/slow", "") }()
	<-entered
	if w := request(s, "GET", "/version", ""); w.Code != http.StatusTooManyRequests ||
		w.Header().Get("Retry-After") == "" {
		t.Errorf("beyond the limit: %d, %v", w.Code, w.Header())
	}
	for _, path := range []string{
		"/apis?watch=1", "/openapi/v2?watch=true", "/nowhere?watch=1", sites + "/a?watch=1", sites + "?watch=0",
	} {
		if w := request(s, "GET", path, ""); w.Code != http.StatusTooManyRequests {
			t.Errorf("%s is not a watch, and beyond the limit: %d", path, w.Code)
		}
	}
	if w := request(s, "GET", "/livez", ""); w.Code != http.StatusOK {
		t.Errorf("a busy server is alive: %d", w.Code)
	}
	if w := request(s, "POST", sites, site("a")); w.Code != http.StatusCreated {
		t.Errorf("writes have a limit of their own: %d", w.Code)
	}
	first := watch(t, s, sites+"?watch=true&timeoutSeconds=9223372036854775807")
	first.expect("ADDED a")
	if w := request(s, "GET", sites+"?watch=true&timeoutSeconds=1", ""); w.Code != http.StatusTooManyRequests {
		t.Errorf("a watch beyond the limit: %d", w.Code)
	}
	close(block)
	if w := <-done; w.Code != http.StatusOK {
		t.Errorf("the request within the limit: %d", w.Code)
	}
}

// TestCloseLeavesNothing checks that a server leaves no goroutine behind.
func TestCloseLeavesNothing(t *testing.T) {
	before := goruntime.NumGoroutine()
	for range 10 {
		s := newServer(t)
		request(s, "POST", sites, site("a"))
		w := watch(t, s, sites+"?watch=true")
		w.expect("ADDED a")
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		_, _ = io.ReadAll(w.lines)
	}
	for range 3000 {
		if goruntime.NumGoroutine() <= before+2 {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	stacks := make([]byte, 1<<20)
	t.Errorf("%d goroutines before, %d after:\n%s", before, goruntime.NumGoroutine(),
		stacks[:goruntime.Stack(stacks, true)])
}

// TestLongTextsAreShortened holds that an error shows the beginning of a text that is too long, not
// all of it.
func TestLongTextsAreShortened(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	request(s, "POST", sites, site("victim"))
	long := strings.Repeat("x", 12_000)
	for _, c := range []struct{ method, path, body, contentType string }{
		{"GET", sites + "?labelSelector=" + long + "%3Dy", "", ""},
		{"GET", sites + "?labelSelector=a%3D" + long, "", ""},
		{"GET", sites + "?fieldSelector=" + long + "%3Dy", "", ""},
		{"GET", sites + "?fieldSelector=metadata.name+in+" + long, "", ""},
		{"GET", sites + "?resourceVersion=" + long, "", ""},
		{"GET", sites + "?continue=" + long, "", ""},
		{"GET", sites + "/victim/" + long, "", ""},
		{"GET", sites + "/" + long, "", ""},
		{"GET", "/apis/" + long + "/v1/sites", "", ""},
		{"POST", sites, `{"apiVersion":"` + long + `","kind":"Site"}`, "application/json"},
		{"POST", sites, `{"apiVersion":"inventory.example.com/v1","kind":"` + long + `"}`, "application/json"},
		{"POST", sites, site(long), "application/json"},
		{"PATCH", sites + "/victim", `[{"op":"` + long + `","path":"/spec"}]`, "application/json-patch+json"},
		{"PATCH", sites + "/victim", `[{"op":"test","path":"/` + long + `","value":1}]`, "application/json-patch+json"},
		{"PATCH", sites + "/victim", `{"spec":{"$patch":"` + long + `"}}`, "application/strategic-merge-patch+json"},
		{"PATCH", sites + "/victim", `{}`, "application/" + long},
	} {
		w := request(s, c.method, c.path, c.body, "Content-Type: "+c.contentType)
		if w.Code < 400 || w.Code >= 500 || w.Body.Len() > 4<<10 {
			t.Errorf("%s %.60s %.80s: %d with %d bytes: %.300s", c.method, c.path, c.body, w.Code, w.Body.Len(), w.Body)
		}
	}
}

// TestValuesThatCannotBeReadAgain checks that an object is refused whose stored form could not be
// decoded: nobody could get or delete it.
func TestValuesThatCannotBeReadAgain(t *testing.T) {
	t.Parallel()
	run(t, newServer(t), machines, []step{
		{
			name: "a time of the year 10000", method: "POST", code: http.StatusBadRequest, body: strings.Replace(
				machine(`"name":"a"`), `"spec":{`, `"spec":{"asset":{"purchasedOn":"9999-12-31T23:59:59-01:00"},`, 1),
			want: []string{"spec.asset.purchasedOn: in UTC, in which times are written, the year is not between 0 and 9999"},
		},
		{
			name: "a quantity that gets longer", method: "POST", code: http.StatusBadRequest, body: strings.Replace(
				machine(`"name":"a"`), `"8Gi"`, `"`+strings.Repeat("1", 1021)+`.1E"`, 1),
			want: []string{"spec.hardware.memory", "the quantity is out of range"},
		},
		{name: "neither is stored", method: "GET", path: "a", code: http.StatusNotFound},
	})
}
