package server

// status answers requests for the subresource status. Answers are whole objects; writes change
// only the status.
func (c *call) status() error {
	switch c.Verb {
	case verbUpdate:
		return c.update(partStatus)
	case verbPatch:
		return c.patch(partStatus)
	}
	return c.get()
}
