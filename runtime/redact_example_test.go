package runtime_test

import (
	"fmt"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

// The text of an object, as a page for people shows it.
func ExampleScheme_RedactJSON() {
	type account struct {
		User  string `json:"user"`
		Token string `json:"token"`
	}
	v1 := schema.GroupVersion{Group: "bank.example.com", Version: "v1"}
	scheme, err := runtime.NewScheme(func(b *runtime.Builder) {
		runtime.AddKind(b, &runtime.KindSpec[account]{GroupVersionKind: v1.WithKind("Account")})
		runtime.AddSensitive[account](b, "token") // generated for a field marked +askind:sensitive
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	k, err := scheme.KindOf(&account{})
	if err != nil {
		fmt.Println(err)
		return
	}
	text, found, err := scheme.RedactJSON(nil, k, []byte(`{"user":"ann","token":"abc123"}`))
	fmt.Println(string(text), found, err)
	fmt.Println(scheme.IsSensitive(k, schema.NewPath("token")), scheme.IsSensitive(k, schema.NewPath("user")))
	// Output:
	// {"user":"ann","token":"\u003credacted\u003e"} true <nil>
	// true false
}
