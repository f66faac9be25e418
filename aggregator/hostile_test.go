package aggregator_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/askind/askind/aggregator"
)

// TestInterimResponses checks that interim responses of a server, such as 103, do not reach
// clients: their headers are not confined, and they would clear the headers of the front.
func TestInterimResponses(t *testing.T) {
	t.Parallel()
	behind := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "/flunders") {
			w.Header().Set("Set-Cookie", "session=stolen")
			w.Header().Set("Access-Control-Allow-Origin", "*")
			w.WriteHeader(http.StatusEarlyHints)
			w.Header().Del("Set-Cookie")
			w.WriteHeader(http.StatusOK)
			return
		}
		answerLegacy(w, r, "", "")
	}))
	t.Cleanup(behind.Close)
	f := newFront(t, nil)
	f.Set(service("w", behind.URL, "wardle.example.com", "v1"))
	conn, err := net.Dial("tcp", f.listen(t))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(2 * time.Minute))
	fmt.Fprintf(conn, "GET /apis/wardle.example.com/v1/flunders HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n",
		conn.RemoteAddr())
	text, err := io.ReadAll(conn)
	if err != nil {
		t.Fatal(err)
	}
	if head, _, _ := strings.Cut(string(text), "\r\n\r\n"); !strings.HasPrefix(head, "HTTP/1.1 200 ") ||
		!strings.Contains(head, "X-Content-Type-Options: nosniff") || strings.Contains(head, "session=stolen") {
		t.Errorf("%s", text)
	}
}

// TestSmuggledHeaders sends requests over a connection whose headers try to change what the other
// server believes about the user, or where one request ends.
func TestSmuggledHeaders(t *testing.T) {
	t.Parallel()
	seen := make(chan string, 10)
	behind := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "/flunders") {
			body, _ := io.ReadAll(r.Body)
			seen <- fmt.Sprintf("%s %s %v %v %s", r.Method, r.URL.Path, r.Header["X-Remote-User"],
				r.Header["X-Remote-Group"], body)
			fmt.Fprint(w, "{}")
			return
		}
		answerLegacy(w, r, "", "")
	}))
	t.Cleanup(behind.Close)
	f := newFrontWith(t, aggregator.Config{}) // an answer may arrive before its request no longer counts
	f.Set(service("w", behind.URL, "wardle.example.com", "v1"))
	address := f.listen(t)
	const flunders = "/apis/wardle.example.com/v1/flunders"
	const honest = "POST " + flunders + " [system:anonymous] [system:unauthenticated] "
	for name, tt := range map[string]struct{ header, body, want string }{
		"a user":            {"X-Remote-User: root\r\nX-Remote-Group: system:masters\r\n", "", honest},
		"hop by hop":        {"Connection: X-Remote-User, X-Remote-Group, close\r\nX-Remote-User: root\r\n", "", honest},
		"underscores":       {"X_Remote_User: root\r\nX-Remote_Group: system:masters\r\n", "", honest},
		"a folded line":     {"A: b\r\n X-Remote-User: root\r\n", "", honest},
		"a chunked body":    {"Transfer-Encoding: chunked\r\n", "2\r\n{}\r\n0\r\n\r\n", honest + "{}"},
		"both lengths":      {"Content-Length: 0\r\nTransfer-Encoding: chunked\r\n", "2\r\n{}\r\n0\r\n\r\n", honest + "{}"},
		"two lengths":       {"Content-Length: 0\r\nContent-Length: 2\r\n", "{}", "400"},
		"an odd encoding":   {"Transfer-Encoding: xchunked\r\n", "", "501"},
		"a trailer":         {"Transfer-Encoding: chunked\r\nTrailer: X-Remote-User\r\n", "0\r\nX-Remote-User: root\r\n\r\n", honest},
		"a carriage return": {"A: b\rX-Remote-User: root\r\n", "", "400"},
		"space in a name":   {"X-Remote-User : root\r\n", "", "400"},
	} {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.SetDeadline(time.Now().Add(2 * time.Minute))
		fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\n%s\r\n%s",
			flunders, address, tt.header, tt.body)
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got := fmt.Sprint(resp.StatusCode)
		if resp.StatusCode == http.StatusOK {
			got = <-seen
		}
		conn.Close()
		if got != tt.want {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
	}
	select {
	case more := <-seen:
		t.Errorf("one more request: %s", more)
	default:
	}
}

// TestUpgradesToHTTP asks for upgrades after which the client would send requests to the other
// server that the front does not see, with headers of its own choice about the user.
func TestUpgradesToHTTP(t *testing.T) {
	t.Parallel()
	seen := make(chan http.Header, 1)
	f := newFrontWith(t, aggregator.Config{})
	f.Set(service("w", serveFlunders(t, func(w http.ResponseWriter, r *http.Request) {
		seen <- r.Header
		if protocol := r.Header.Get("Upgrade"); protocol != "" {
			w.Header().Set("Connection", "Upgrade")
			w.Header().Set("Upgrade", protocol)
			w.WriteHeader(http.StatusSwitchingProtocols)
			return
		}
		fmt.Fprint(w, "{}")
	}), "wardle.example.com", "v1"))
	address := f.listen(t)
	for protocol, want := range map[string]int{
		"h2c": http.StatusOK, "H2C": http.StatusOK, "HTTP/2.0": http.StatusOK, "TLS/1.3": http.StatusOK,
		"h2c, websocket": http.StatusOK, "websocket,h2c": http.StatusOK, "websocket": http.StatusSwitchingProtocols,
	} {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.SetDeadline(time.Now().Add(2 * time.Minute))
		fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: %s\r\n"+
			"HTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n", flunders, address, protocol)
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatalf("%s: %v", protocol, err)
		}
		conn.Close()
		got := <-seen
		if resp.StatusCode != want || want == http.StatusOK && got.Get("Upgrade")+got.Get("Connection") != "" {
			t.Errorf("%s: %d, the other server got %v", protocol, resp.StatusCode, got)
		}
	}
}
