package client_test

import (
	"net/http"
	"net/http/httptest"
)

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func newRecorder() *httptest.ResponseRecorder { return httptest.NewRecorder() }
