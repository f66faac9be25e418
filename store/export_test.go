package store

// SharesBytes reports whether an entry holds its object once: in the value of the engine.
func SharesBytes(e *Entry) bool {
	data := e.known.Load().document.data
	return &data[len(data)-1] == &e.value[len(e.value)-1]
}

// Floor returns the revision after which a store has all events.
func (s *Store) Floor() uint64 { return s.state.Load().window.floor }
