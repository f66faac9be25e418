package etcd

import (
	"context"
	"log/slog"
	"maps"
	"slices"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// zapTo returns a logger for the client of etcd, which uses zap, that writes to one of log/slog.
func zapTo(l *slog.Logger) *zap.Logger { return zap.New(slogCore{l}) }

// slogCore is a logger of log/slog as a [zapcore.Core].
type slogCore struct{ to *slog.Logger }

// levelOf returns the level of log/slog for one of zap. The client warns about every request that
// fails, even if that is an answer, such as that a revision has been compacted. The engine returns
// these errors, so they are worth no more than the level debug.
func levelOf(l zapcore.Level) slog.Level {
	if l < zapcore.ErrorLevel {
		return slog.LevelDebug
	}
	return slog.LevelError
}

// Enabled implements [zapcore.Core].
func (c slogCore) Enabled(l zapcore.Level) bool {
	return c.to.Enabled(context.Background(), levelOf(l))
}

// With implements [zapcore.Core].
func (c slogCore) With(fields []zapcore.Field) zapcore.Core {
	return slogCore{slog.New(c.to.Handler().WithAttrs(attrs(fields)))}
}

// Check implements [zapcore.Core].
func (c slogCore) Check(e zapcore.Entry, to *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if c.Enabled(e.Level) {
		return to.AddCore(e, c)
	}
	return to
}

// Write implements [zapcore.Core].
func (c slogCore) Write(e zapcore.Entry, fields []zapcore.Field) error {
	c.to.LogAttrs(context.Background(), levelOf(e.Level), "store/etcd: "+e.Message, attrs(fields)...)
	return nil
}

// Sync implements [zapcore.Core].
func (c slogCore) Sync() error { return nil }

// attrs returns fields in the order of their names.
func attrs(fields []zapcore.Field) []slog.Attr {
	values := zapcore.NewMapObjectEncoder()
	for _, f := range fields {
		f.AddTo(values)
	}
	var out []slog.Attr
	for _, name := range slices.Sorted(maps.Keys(values.Fields)) {
		out = append(out, slog.Any(name, values.Fields[name]))
	}
	return out
}
