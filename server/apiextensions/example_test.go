package apiextensions_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"strings"

	"github.com/askind/askind/client"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/server"
	"github.com/askind/askind/server/apiextensions"
	"github.com/askind/askind/store/memory"
)

// A client adds a kind to a running server and creates an object of it.
func ExampleServe() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	scheme, err := runtime.NewScheme()
	check(err)
	db := memory.New()
	defer db.Close()
	srv, err := server.New(scheme, db)
	check(err)
	defer srv.Close()
	check(apiextensions.Serve(ctx, srv))

	post := func(path, mediaType, body string) {
		c := http.Client{Transport: srv.Transport()}
		resp, err := c.Post("http://server/apis/"+path, mediaType, strings.NewReader(body))
		check(err)
		defer resp.Body.Close()
		_, _ = io.Copy(io.Discard, resp.Body)
		fmt.Println(resp.Status)
	}
	post("apiextensions.k8s.io/v1/customresourcedefinitions", "application/yaml", cronTabs)
	mapper := srv.Client().Mapper(client.MapperOptions{})
	tabs, err := mapper.Wait(ctx, schema.GroupKind{Group: "stable.example.com", Kind: "CronTab"})
	check(err)
	post("stable.example.com/v1/namespaces/default/crontabs", "application/yaml",
		"metadata: {name: hourly}\nspec: {schedule: 0 * * * *}")
	tab, err := srv.Client().Untyped(tabs).In("default").Get(ctx, "hourly")
	check(err)
	replicas, _, err := tab.Int64("spec", "replicas")
	check(err)
	fmt.Println(tabs.Resource.Resource, tab.Name(), replicas)
	// Output:
	// 201 Created
	// 201 Created
	// crontabs hourly 1
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
