package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"
)

var address = regexp.MustCompile(`http://127\.0\.0\.1:\d+`)

// TestRun starts the program, does what it suggests, and stops it.
func TestRun(t *testing.T) {
	t.Parallel()
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	out, printed := io.Pipe()
	var stderr bytes.Buffer
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, []string{"-addr", "127.0.0.1:0", "-now", "2026-11-21T12:00:00Z"}, printed, &stderr)
		printed.Close()
	}()
	// The program serves once it has printed everything, so all lines are read before the first request is sent.
	var requests []string
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if line := lines.Text(); strings.HasPrefix(line, "curl ") {
			requests = append(requests, line)
		}
		if strings.Contains(lines.Text(), "as=Scale") { // the last one
			break
		}
	}
	if len(requests) < 8 {
		t.Errorf("only %d requests were printed", len(requests))
	}
	client := &http.Client{Timeout: 10 * time.Second}
	for _, line := range requests {
		at := address.FindStringIndex(line)
		if at == nil {
			t.Fatalf("no address in %s", line)
		}
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.Trim(line[at[0]:], "'"), nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		if body, err := io.ReadAll(resp.Body); err != nil || resp.StatusCode != http.StatusOK {
			t.Errorf("%s: %s %v\n%s", line, resp.Status, err, body)
		}
		resp.Body.Close()
	}
	// A watch that is under way does not keep the program from stopping.
	at := address.FindString(requests[0])
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, at+"/apis/inventory.example.com/v1/sites?watch=true", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if line, err := bufio.NewReader(resp.Body).ReadString('\n'); err != nil || !strings.HasPrefix(line, `{"type":"ADDED","object":{"kind":"Site",`) {
		t.Errorf("the watch begins with %s, %v", line, err)
	}
	client.CloseIdleConnections()
	interrupt()
	select {
	case got := <-code:
		if got != exitOK || stderr.Len() > 0 {
			t.Errorf("exit code %d, %s", got, &stderr)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("the program did not stop")
	}
}

// TestRunFails holds what the program says, and how it ends, when it cannot run.
func TestRunFails(t *testing.T) {
	t.Parallel()
	taken, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { taken.Close() })
	for name, tt := range map[string]struct {
		args []string
		code int
		want string
	}{
		"help":             {[]string{"-h"}, exitOK, "-data"},
		"unknown flag":     {[]string{"-port", "1"}, exitUsage, "-port"},
		"no time":          {[]string{"-now", "noon"}, exitUsage, "-now"},
		"argument":         {[]string{"here"}, exitUsage, `unexpected argument "here"`},
		"no directory":     {[]string{"-data", "nowhere"}, exitError, "nowhere"},
		"nothing there":    {[]string{"-data", "testdata/responses"}, exitError, "has no .yaml"},
		"broken files":     {[]string{"-data", "testdata/broken"}, exitError, "testdata/broken/machines.yaml:9:3: spec.zone: duplicate field"},
		"address is taken": {[]string{"-addr", taken.Addr().String()}, exitError, "address already in use"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var stdout, stderr bytes.Buffer
			if got := run(t.Context(), tt.args, &stdout, &stderr); got != tt.code {
				t.Errorf("exit code %d, want %d", got, tt.code)
			}
			if !strings.Contains(stderr.String(), tt.want) {
				t.Errorf("got %s\nwant %s", &stderr, tt.want)
			}
			if stdout.Len() > 0 {
				t.Errorf("printed %s", &stdout)
			}
		})
	}
}
