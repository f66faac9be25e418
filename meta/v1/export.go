package v1

// ClearServerFields clears what servers set in the metadata of an object: the identity and versions
// of the stored object, its times, and the record of who set which fields. What users write stays:
// name, namespace, labels, annotations, owners and finalizers. The name stays even if the server
// made it from generateName.
func ClearServerFields(m *ObjectMeta) {
	m.SelfLink, m.UID, m.ResourceVersion, m.Generation = "", "", "", 0
	m.CreationTimestamp, m.DeletionTimestamp, m.DeletionGracePeriodSeconds = Time{}, nil, nil
	m.ManagedFields = nil
}
