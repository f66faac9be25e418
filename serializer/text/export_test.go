package text

// What the format writes for one object, for tests with settings of their own.
var (
	AppendDescription     = appendDescription
	AppendDescriptionList = appendDescriptionList
	AppendTabularOutput   = appendTabularOutput
)
