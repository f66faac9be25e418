package garage

import "github.com/askind/askind/wire/pbwire"

func DecodeProtoDisk(r *pbwire.Reader, out *Disk)
func DecodeProtoNetwork(r *pbwire.Reader, out *Network)
func PrependProtoDisk(w *pbwire.Writer, in *Disk)
