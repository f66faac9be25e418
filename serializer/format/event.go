package format

// Framer finds the ends of frames in a stream. It is used for one stream.
type Framer interface {
	// Next takes the next bytes of the stream and returns how many of them belong to the current
	// frame, and whether the frame ends with them. The remaining bytes are passed to the next call;
	// the first of them begins a new frame. A frame may include white space and marks around its
	// content, and may have no content.
	Next(data []byte) (n int, done bool)
}
