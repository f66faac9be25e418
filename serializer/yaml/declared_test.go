package yaml

import "testing"

// TestDeclared checks the order of members for people.
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
	e := (&codec{declared: true}).emitter()
	defer e.release()
	if got, err := e.append(nil, []byte(text)); err != nil || string(got) != want {
		t.Errorf("got\n%s%v, want\n%s", got, err, want)
	}
}
