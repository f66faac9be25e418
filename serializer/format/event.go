package format

// Framer finds the ends of frames in a stream. It belongs to one stream.
type Framer interface {
	// Next takes the next bytes of the stream and returns how many of them belong to the frame that
	// has begun, and whether it ends with them. The bytes after that are given to the next call;
	// the first of those begins a new frame. A frame may have white space and marks around what it
	// holds, and hold nothing else.
	Next(data []byte) (n int, done bool)
}
