package text_test

import (
	"fmt"
	"os"
	"strings"

	"github.com/askind/askind/conversion"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/text"
)

func ExampleFormat() {
	scheme, err := runtime.NewScheme(metav1.AddTo)
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := serializer.NewFactory(scheme, text.Format(text.Options{Wide: true}))
	if err != nil {
		fmt.Println(err)
		return
	}
	table := &metav1.Table{
		ColumnDefinitions: []metav1.TableColumnDefinition{
			{Name: "Name"},
			{Name: "Phase"},
			{Name: "Serial", Priority: 1},
		},
		Rows: []metav1.TableRow{
			{Cells: []any{"robot1", "Running", "A-113"}},
			{Cells: []any{"robot2", nil, "B-7"}},
		},
	}
	if err := f.Encode(os.Stdout, table, serializer.EncodeOptions{}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// NAME     PHASE     SERIAL
	// robot1   Running   A-113
	// robot2             B-7
}

type parcel struct{ To string }

// label is a kind with a text of its own.
type label struct{ Lines []string }

// AppendText implements [encoding.TextAppender].
func (l *label) AppendText(dst []byte) ([]byte, error) {
	return fmt.Appendf(dst, "%s\n", strings.Join(l.Lines, "\n")), nil
}

// A kind of the program is shown as text if its objects have a method AppendText.
func ExampleFormat_kind() {
	gv := schema.GroupVersion{Group: "post.example.com", Version: "v1"}
	scheme, err := runtime.NewScheme(metav1.AddTo, func(b *runtime.Builder) {
		runtime.AddKind(b, &runtime.KindSpec[parcel]{GroupVersionKind: gv.WithKind("Parcel")})
		runtime.AddKind(b, &runtime.KindSpec[label]{GroupVersionKind: gv.WithKind("Label")})
		runtime.AddAs(b, func(in *parcel, out *label, _ *conversion.Scope) error {
			out.Lines = []string{"To:", in.To}
			return nil
		})
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := serializer.NewFactory(scheme, text.Format())
	if err != nil {
		fmt.Println(err)
		return
	}
	rep, err := f.Negotiate([]string{"text/plain;as=Label"}, serializer.Offer{Kind: gv.WithKind("Parcel")})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := rep.Encode(os.Stdout, &parcel{To: "Dresden"}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// To:
	// Dresden
}
