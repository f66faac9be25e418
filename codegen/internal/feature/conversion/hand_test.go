package conversion

import "testing"

func TestMentions(t *testing.T) {
	t.Parallel()
	h := &hands{source: func() string { return "convertXFields(a); yconvertXFields; convertXFieldsy convertXFields" }}
	if n := h.mentions("convertXFields"); n != 2 {
		t.Errorf("got %d", n)
	}
}
