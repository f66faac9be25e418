package text_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/serializer/text"
)

func item(label, value string) metav1.DescriptionItem {
	return metav1.DescriptionItem{
		Label: label, Help: "About " + label + ".", Type: metav1.DescriptionText,
		Value: value,
	}
}

func group(t metav1.DescriptionType, label string, items ...metav1.DescriptionItem) metav1.DescriptionItem {
	return metav1.DescriptionItem{Label: label, Type: t, Items: items}
}

func describes(items ...metav1.DescriptionItem) *metav1.Description {
	return &metav1.Description{Sections: []metav1.DescriptionSection{{Items: items}}}
}

func TestAppendDescription(t *testing.T) {
	t.Parallel()
	table := metav1.DescriptionItem{
		Label: "Conditions", Type: metav1.DescriptionOfTable,
		Table: &metav1.DescriptionTable{
			Columns: []metav1.DescriptionColumn{{Label: "Type"}, {Label: "Status"}, {Label: "Message"}},
			Rows: []metav1.DescriptionRow{
				{Cells: []string{"Ready", "True", "first\nsecond"}},
				{Cells: []string{"DiskPressure", "", ""}},
				{Cells: []string{"x"}},
				{Cells: []string{"a", "b", "c", "d"}},
			},
		},
	}
	for _, c := range []struct {
		name    string
		in      *metav1.Description
		options text.Options
		want    string
	}{
		{"nothing", &metav1.Description{}, text.Options{}, ""},
		{"values", describes(item("Name", "web"), item("Resource Version", "7"), item("Note", "")), text.Options{}, `
Name:              web
Resource Version:  7
Note:              
`},
		{"maps and lists", describes(
			group(metav1.DescriptionMap, "Labels", item("app", "web"), item("tier", "front")),
			group(metav1.DescriptionMap, "Annotations"),
			group(metav1.DescriptionOfList, "Finalizers", item("", "a"), item("", "b")),
		), text.Options{}, `
Labels:       app=web
              tier=front
Annotations:  <none>
Finalizers:   a
              b
`},
		{"sections and groups", &metav1.Description{Sections: []metav1.DescriptionSection{
			{Items: []metav1.DescriptionItem{item("Name", "web")}},
			{Label: "Spec", Items: []metav1.DescriptionItem{
				item("Zone", "z1"), group(metav1.DescriptionObject, "Disks", group(metav1.DescriptionObject, "root",
					item("Size", "8Gi"))), item("Power State", "On"),
				group(metav1.DescriptionObject, "Empty Dir"),
			}},
		}}, text.Options{}, `
Name:  web
Spec:
  Zone:         z1
  Disks:
    root:
      Size:  8Gi
  Power State:  On
  Empty Dir:    <none>
`},
		{"a table", describes(item("Phase", "Running"), table), text.Options{}, `
Phase:  Running
Conditions:
  Type           Status   Message
  ----           ------   -------
  Ready          True     first...
  DiskPressure
  x
  a              b        c
`},
		{"a section that is a table", &metav1.Description{Sections: []metav1.DescriptionSection{
			{Label: "Rules", Items: []metav1.DescriptionItem{{Type: metav1.DescriptionOfTable, Table: table.Table}}},
		}}, text.Options{}, `
Rules:
  Type           Status   Message
  ----           ------   -------
  Ready          True     first...
  DiskPressure
  x
  a              b        c
`},
		{"several lines", describes(group(metav1.DescriptionMap, "Data", item("run.sh", "#!/bin/sh\n\n\techo\r\n"), item("x", "y"))), text.Options{}, `
Data:
  run.sh:
    #!/bin/sh

        echo
  x:  y
`},
		{
			"wide characters", describes(item("名前", "서버"), item("Name", "x")),
			text.Options{},
			"\n名前:  서버\nName:  x\n",
		},
		{"no commands", describes(item("a\x1b", "b\x07"), group(metav1.DescriptionMap, "M", item("k\x1b", "v\u202e")), item("t", "x\n\x1b[2J")), text.Options{}, `
a^[:  b^G
M:    k^[=v` + "\ufffd" + `
t:
  x
  ^[[2J
`},
		{"explained", &metav1.Description{Sections: []metav1.DescriptionSection{
			{Label: "Spec", Help: "What is wanted.", Items: []metav1.DescriptionItem{
				item("Zone", "z1"),
				{Label: "Size", Value: "1"},
			}},
		}}, text.Options{Help: true}, `
# What is wanted.
Spec:
  # About Zone.
  Zone:  z1
  Size:  1
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			want := strings.TrimPrefix(c.want, "\n")
			if diff := cmp.Diff(want, string(text.AppendDescription(nil, c.in, c.options))); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			list := &metav1.DescriptionList{Items: []metav1.Description{*c.in, *c.in}}
			if diff := cmp.Diff("> "+want+"\n\n"+want,
				string(text.AppendDescriptions([]byte("> "), list.Items, 0, c.options))); diff != "" {
				t.Errorf("list (-want +got)\n%s", diff)
			}
		})
	}
}
