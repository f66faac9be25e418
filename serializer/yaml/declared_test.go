package yaml

import "testing"

// TestDeclared checks the order of members for people, twice, because the second text of a shape is
// written by what was learned of the first.
func TestDeclared(t *testing.T) {
	t.Parallel()
	const text = `{"status":{"z":1,"a":2},"kind":"Pool","data":{"b":1},"metadata":{"name":"a","ownerReferences":[` +
		`{"kind":"Site","name":"s","apiVersion":"v1"}]},"spec":{"kind":"x","cores":4},"apiVersion":"v1","extra":1}`
	const want = `apiVersion: v1
kind: Pool
metadata:
  name: a
  ownerReferences:
  - apiVersion: v1
    kind: Site
    name: s
spec:
  kind: x
  cores: 4
data:
  b: 1
extra: 1
status:
  z: 1
  a: 2
`
	for range 2 {
		e := (&codec{declared: true}).emitter()
		got, err := e.append(nil, []byte(text), "Pool")
		if err != nil || string(got) != want {
			t.Errorf("got\n%s%v, want\n%s", got, err, want)
		}
		e.release()
	}
}
