package main

import (
	"io"
	"net/http"
	"os"
	"sync"
)

// startFloor starts this program as the floor of another server.
func startFloor(url string) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	s, _, err := start(self, url)
	return s, err
}

// serveFloor serves what another server answers to each path and Accept header. It asks once, keeps
// the answer in memory, and writes it with one call, the least that a server of net/http can do.
func serveFloor(url, address string) error {
	var mu sync.Mutex
	answers := map[[2]string][]byte{}
	answer := func(r *http.Request) ([]byte, error) {
		mu.Lock()
		defer mu.Unlock()
		key := [2]string{r.URL.String(), r.Header.Get("Accept")}
		if body, ok := answers[key]; ok {
			return body, nil
		}
		response, err := send(r.Context(), http.DefaultClient, http.MethodGet, url+key[0], key[1], "")
		if err != nil {
			return nil, err
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		answers[key] = body
		return body, err
	}
	server := &http.Server{Addr: address, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := answer(r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(body) // the client sees what is missing
	})}
	return server.ListenAndServe()
}
