package emit

import "testing"

func TestVariablesHideNoNameOfThePackage(t *testing.T) {
	t.Parallel()
	const path = "example.com/v1"
	f := NewFile(path, "v1", "in", "key", "val", "val_", "free")
	own := func(name string) Ident { return Ident{Path: path, Name: name} }
	in, key, val := own("in"), own("key"), own("val")
	f.Pf("func f(in *%s, free int) (key *%s) {", in, key)
	f.P("var val int")
	f.Pf("for i := range free { val, in.key = i+%s, i }", val)
	f.Pf("return &%s{in: in.in, key: struct{ key int }{val}.key}", key)
	f.P("}")
	got, err := f.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	want := Header + `

package v1

func f(in_ *in, free int) (key_ *key) {
	var val__ int
	for i := range free {
		val__, in_.key = i+val, i
	}
	return &key{in: in_.in, key: struct{ key int }{val__}.key}
}
`
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
