module github.com/askind/askind/bench/server

go 1.26.0

require github.com/askind/askind v0.0.0

require (
	go.etcd.io/bbolt v1.5.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
)

replace github.com/askind/askind => ../..
