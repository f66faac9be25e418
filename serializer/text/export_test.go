package text

// The functions that write objects, for tests with settings of their own.
var (
	AppendDescription  = appendDescription
	AppendDescriptions = appendDescriptions
	AppendTable        = appendTable
)
