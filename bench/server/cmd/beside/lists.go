package main

import (
	"fmt"
	"net/http"
	"time"
)

// listing is what one list took.
type listing struct{ took, cpu time.Duration }

// form is a form in which all objects of a namespace are read.
type form struct{ name, namespace, accept string }

// The namespaces are named after the place where the bytes of their objects lie: in an annotation,
// which all forms of an object have, or in the spec.
const (
	inAnnotations = "annotations"
	inSpec        = "specs"
)

const (
	asMetadata = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
	asTable    = "application/json;as=Table;g=meta.k8s.io;v=v1"
)

var lists = []form{
	{"list of whole objects", inAnnotations, "application/json"},
	{"list as metadata, bytes in annotations", inAnnotations, asMetadata},
	{"list as a table, bytes in annotations", inAnnotations, asTable},
	{"list of twice the objects as metadata, bytes in specs", inSpec, asMetadata},
	{"list of twice the objects as a table, bytes in specs", inSpec, asTable},
}

// collection returns the path of the flunders of a namespace.
func collection(namespace string) string {
	return "/apis/wardle.example.com/v1beta1/namespaces/" + namespace + "/flunders"
}

// listRows reads all lists from wardle, sample-apiserver and the floor, after it has created
// objects whose bytes lie in their specs.
func listRows(servers []*process, objects, size, rounds int) ([]row, error) {
	for _, s := range servers[:2] {
		if err := s.fill(inSpec, objects, size); err != nil {
			return nil, err
		}
	}
	var rows []row
	for _, l := range lists {
		read, err := readInTurn(servers, l, rounds)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", l.name, err)
		}
		a, b, floor := read[0], read[1], read[2].cpu
		cpu := duration(l.name+", CPU of the server", a.cpu, b.cpu)
		if cpu.floor = milliseconds(floor); a.cpu > floor {
			cpu.above = float64(b.cpu-floor) / float64(a.cpu-floor)
		}
		rows = append(rows, duration(l.name+", time", a.took, b.took), cpu)
	}
	return rows, nil
}

// readInTurn reads a list several times from each server, one server after the other in each round,
// after once without being measured. It returns the median of the times and the mean of the
// processor times, which includes the collection of garbage.
func readInTurn(servers []*process, l form, rounds int) ([]listing, error) {
	took, cpu := make([][]time.Duration, len(servers)), make([]time.Duration, len(servers))
	path := collection(l.namespace) + "?resourceVersion=0" // what the server has in memory
	for round := range rounds + 1 {
		for i, s := range servers {
			elapsed, used, err := s.spent(func() error {
				return s.do(http.MethodGet, path, l.accept, "", http.StatusOK)
			})
			if err != nil {
				return nil, err
			}
			if round > 0 {
				took[i] = append(took[i], elapsed)
				cpu[i] += used
			}
		}
	}
	out := make([]listing, len(servers))
	for i := range servers {
		out[i] = listing{median(took[i]), cpu[i] / time.Duration(rounds)}
	}
	return out, nil
}
