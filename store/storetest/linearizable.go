package storetest

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/askind/askind/store"
)

// operation is one call of a client, and answer what came of it.
type operation struct {
	key      string
	kind     byte // 'g' get, 'p' put, 'd' delete
	value    string
	expected uint64
}

type answer struct {
	value    string
	revision uint64 // that was written, or that the key had
	conflict bool
}

// register is what is under one key.
type register struct {
	value    string
	revision uint64
}

// registers is the model that histories are compared with: independent keys, each with a value and
// a revision.
var registers = porcupine.Model{
	Partition: partition(func(input any) string { return input.(operation).key }),
	Init:      func() any { return register{} },
	Step: func(state, input, output any) (bool, any) {
		r, in, out := state.(register), input.(operation), output.(answer)
		switch {
		case in.kind == 'g':
			return out.value == r.value && out.revision == r.revision, r
		case out.conflict:
			return in.expected != r.revision && out.revision == r.revision || in.kind == 'd' && r.revision == 0, r
		case in.expected != r.revision || out.revision <= r.revision:
			return false, r
		case in.kind == 'd':
			return true, register{}
		}
		return true, register{in.value, out.revision}
	},
	DescribeOperation: func(input, output any) string { return fmt.Sprintf("%+v -> %+v", input, output) },
}

// partition divides the operations of a history by their keys.
func partition(key func(input any) string) func(history []porcupine.Operation) [][]porcupine.Operation {
	return func(history []porcupine.Operation) [][]porcupine.Operation {
		byKey := map[string][]porcupine.Operation{}
		for _, op := range history {
			byKey[key(op.Input)] = append(byKey[key(op.Input)], op)
		}
		return slices.Collect(maps.Values(byKey))
	}
}

// linearizable records what concurrent clients do to a few keys, and checks that it could have
// happened in some order, one after the other.
func linearizable(s *subject) {
	const clients, each, keys = 6, 60, 3
	var mu sync.Mutex
	var history []porcupine.Operation
	var wg sync.WaitGroup
	start := time.Now()
	for client := range clients {
		wg.Go(func() {
			random := rand.New(rand.NewPCG(uint64(client), 7))
			known := map[string]uint64{}
			for i := range each {
				op := operation{
					key: fmt.Sprint("k", random.IntN(keys)), kind: "gppd"[random.IntN(4)],
					value: fmt.Sprint(client, ".", i),
				}
				op.expected = known[op.key]
				call := time.Since(start)
				out, err := s.do(op)
				end := time.Since(start)
				if err != nil {
					s.Error(err)
					return
				}
				known[op.key] = out.revision
				if op.kind == 'd' && !out.conflict {
					known[op.key] = 0
				}
				mu.Lock()
				history = append(history, porcupine.Operation{
					ClientId: client, Input: op, Call: int64(call), Output: out, Return: int64(end),
				})
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if result := porcupine.CheckOperationsTimeout(registers, history, s.kit.Patience); result != porcupine.Ok {
		s.Errorf("the history of %d operations is not linearizable: %s", len(history), result)
	}
}

// do carries out an operation.
func (s *subject) do(op operation) (answer, error) {
	var revision uint64
	var err error
	switch op.kind {
	case 'g':
		got, err := s.Get(s.ctx, op.key)
		return answer{value: string(got.Value), revision: got.Revision}, err
	case 'p':
		revision, err = s.Put(s.ctx, op.key, []byte(op.value), op.expected)
	default:
		revision, err = s.Delete(s.ctx, op.key, op.expected)
	}
	if c, ok := errors.AsType[*store.ConflictError](err); ok {
		return answer{revision: c.Current, conflict: true}, nil
	}
	return answer{revision: revision}, err
}
