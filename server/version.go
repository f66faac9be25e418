package server

import (
	"encoding/json"
	"net/http"
	goruntime "runtime"
	"runtime/debug"
	"strings"
)

// Version is the answer to /version. Clients of the Kubernetes API need GitVersion to be a semantic
// version.
type Version struct {
	// Major and Minor are the first numbers of the version, GitVersion the whole of it: "v1.2.3".
	Major      string `json:"major"`
	Minor      string `json:"minor"`
	GitVersion string `json:"gitVersion"`
	// GitCommit, GitTreeState and BuildDate identify the source and the time of the build.
	GitCommit    string `json:"gitCommit"`
	GitTreeState string `json:"gitTreeState"`
	BuildDate    string `json:"buildDate"`
	// GoVersion, Compiler and Platform identify the toolchain; New fills them in.
	GoVersion string `json:"goVersion"`
	Compiler  string `json:"compiler"`
	Platform  string `json:"platform"`
}

// ServerVersion sets the answer to /version. Blank fields are taken from the build information of
// the program; GitVersion is v0.0.0 if that has none.
func ServerVersion(v Version) Option { return optionFunc(func(c *config) { c.version = v }) }

// filled returns the version with what is known of the program.
func (v Version) filled() Version {
	info, _ := debug.ReadBuildInfo()
	set := func(field *string, value string) {
		if *field == "" {
			*field = value
		}
	}
	if info != nil {
		if strings.HasPrefix(info.Main.Version, "v") {
			set(&v.GitVersion, info.Main.Version)
		}
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				set(&v.GitCommit, s.Value)
			case "vcs.time":
				set(&v.BuildDate, s.Value)
			case "vcs.modified":
				set(&v.GitTreeState, map[string]string{"true": "dirty", "false": "clean"}[s.Value])
			}
		}
	}
	set(&v.GitVersion, "v0.0.0")
	numbers := strings.SplitN(strings.TrimPrefix(v.GitVersion, "v"), ".", 3)
	if len(numbers) == 3 {
		set(&v.Major, numbers[0])
		set(&v.Minor, numbers[1])
	}
	set(&v.GoVersion, goruntime.Version())
	set(&v.Compiler, goruntime.Compiler)
	set(&v.Platform, goruntime.GOOS+"/"+goruntime.GOARCH)
	return v
}

// serveVersion answers a request for the version.
func (s *Server) serveVersion(w http.ResponseWriter, _ *http.Request) error {
	text, err := json.MarshalIndent(s.config.version.filled(), "", "  ")
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", jsonType)
	_, _ = w.Write(text) // the client may be gone
	return nil
}
