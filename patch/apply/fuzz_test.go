package apply_test

import (
	"errors"
	"testing"
	"time"

	"github.com/askind/askind/patch/apply"
)

// FuzzApply applies configurations to objects of any form, with any managed fields: there is no
// error of the server, and in the end nothing changes any more. The second time a list may return
// that is empty, and has no manager, because the first time has removed what was around it.
func FuzzApply(f *testing.F) {
	for _, spec := range []string{
		`{"a":1,"x":{"y":[null]}}`, `{"words":["a","a",1.50],"args":[{}],"selector":{"p":1}}`,
		`{"containers":[{"name":"a","ports":[{"port":80},{"port":80,"protocol":"UDP"}]},{"name":"b","x":1}]}`,
		`{"hosts":[{},{"zone":"b","x":{}}],"raw":[1],"containers":{"x":1},"words":[null]}`, `null`, `[]`, `{}`,
	} {
		for _, fields := range []string{
			`{"f:spec":{"f:a":{},"f:x":{"f:y":{}}}}`, element(`{"f:name":{},"f:ports":{"k:{\"port\":80}":{"f:port":{}}}}`),
			`{"f:spec":{".":{},"f:words":{"v:1.5":{},"v:\"a\"":{"i:0":{}}},"f:hosts":{"k:{}":{"f:zone":{}}}}}`, `{"x":{}}`, `null`,
		} {
			f.Add([]byte(spec), []byte(fields), []byte(spec))
			f.Add([]byte(spec), []byte(fields), []byte(`{"a":2,"hosts":[{"zone":"a"}]}`))
		}
	}
	f.Fuzz(func(t *testing.T, spec, fields, applied []byte) {
		u := updater()
		live := doc(string(spec), by("m", "Apply", string(fields)), by("n", "Update", string(fields)),
			by("o", "Update", `{"f:spec":{"f:z":{}}}`))
		if _, err := u.Update(live, doc(string(applied)), request("editor")); err != nil {
			return // not JSON
		}
		for _, force := range []bool{false, true} {
			r := request("m")
			r.Force = force
			got, err := u.Apply(live, config(string(applied)), r)
			if e, ok := errors.AsType[*apply.Error](err); ok && e.Code() == 500 {
				t.Fatalf("%v\nlive %s\nconfig %s", err, live, applied)
			}
			if err != nil {
				continue
			}
			r.Time = r.Time.Add(time.Hour)
			if got, err = u.Apply(got, config(string(applied)), r); err != nil {
				t.Fatal(err)
			}
			r.Time = r.Time.Add(time.Hour)
			if again, err := u.Apply(got, config(string(applied)), r); err != nil || string(again) != string(got) {
				t.Fatalf("again: %v\nlive %s\nconfig %s\n got %s\nwant %s", err, live, applied, again, got)
			}
			if same, err := u.Update(got, got, request("editor")); err != nil || string(same) != string(got) {
				t.Fatalf("update: %v\n got %s\nwant %s", err, same, got)
			}
		}
	})
}
