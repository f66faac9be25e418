package garage

import (
	"iter"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/format"
)

func appendLine(dst []byte, k *runtime.Kind, obj runtime.Object, o format.Options) ([]byte, error)
func lines(data []byte, l schema.Limits) iter.Seq2[format.Document, error]
func ndjson() *format.Format
func recognizeLines(data []byte) format.Recognition
