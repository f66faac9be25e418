package v1

// ClearServerFields clears the server-populated metadata of an object: the identity and versions of
// the stored object, its times, and the record of field managers. It preserves what users write:
// name, namespace, labels, annotations, owners and finalizers. The name is preserved even if the
// server generated it from generateName.
func ClearServerFields(m *ObjectMeta) {
	m.SelfLink, m.UID, m.ResourceVersion, m.Generation = "", "", "", 0
	m.CreationTimestamp, m.DeletionTimestamp, m.DeletionGracePeriodSeconds = Time{}, nil, nil
	m.ManagedFields = nil
}
