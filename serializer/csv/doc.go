// Package csv is the format of tables for spreadsheets and scripts: comma-separated values as RFC
// 4180 describes them.
//
// [Format] returns it for a serializer factory, which then answers Accept: text/csv with the table
// of any endpoint:
//
//	f, err := serializer.NewFactory(scheme, json.Format(), csv.Format())
//
// Only tables can be written: the kinds Table and TabularOutput of meta.k8s.io. There is one record
// for each row, with one field for each column, and lines end with CR LF. The first record has the
// names of the columns unless [Options] omit it. The options of a client's request for the table
// ([github.com/askind/askind/meta/v1.TableOptions]) can omit it too, and the columns with a
// priority above zero. A field with a comma, a quote, a line break or a byte order mark in it is
// quoted, as is one that begins or ends with a space. An absent value is an empty field; lists and
// maps are written as JSON.
//
// # Formulas
//
// Spreadsheets evaluate a field that begins with = or + as a formula, so untrusted text can run on
// the machine of the reader. [Options].FormulaSafe puts an apostrophe before such texts. It changes
// the data, so it is for files that people open, not for scripts.
//
// CSV cannot be read, because it does not state the types of its values. The package
// [github.com/askind/askind/serializer/text] writes tables for terminals.
package csv
