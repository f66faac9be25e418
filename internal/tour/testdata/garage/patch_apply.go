package garage

import "github.com/askind/askind/patch/apply"

var (
	config, live []byte
	updater      *apply.Updater
)
