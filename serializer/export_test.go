package serializer

// MediaTypes returns the media types of the factory, in the order of its formats.
func (f *Factory) MediaTypes() []string { return f.mediaTypeNames() }
