package discovery

import (
	"github.com/askind/askind/conversion"
	"github.com/askind/askind/discovery/apidiscovery/v2"
	"github.com/askind/askind/discovery/apidiscovery/v2beta1"
	"github.com/askind/askind/discovery/v1alpha1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

// AddTo registers the kinds of discovery: Group, the aggregated documents in both versions, and
// conversions that show the documents of meta/v1 as one another. With these, clients can request
// any of them in the Accept header, and a server finds the [Document.Form] by negotiation. The
// kinds of meta/v1 themselves are registered by metav1.AddTo and metav1.AddCoreTo.
//
// A document converted from another one has no more information than its source: an aggregated
// document converted from a list of groups has no resources and is marked as stale.
func AddTo(b *runtime.Builder) {
	v1alpha1.AddTo(b)
	v2.AddTo(b)
	v2beta1.AddTo(b)
	runtime.AddAs(b, groupListAsVersions)
	runtime.AddAs(b, groupAsVersions)
	runtime.AddAs(b, versionsAsGroupList)
	runtime.AddAs(b, groupListAsAggregated)
	runtime.AddAs(b, groupListAsAggregatedBeta)
	runtime.AddAs(b, versionsAsAggregated)
	runtime.AddAs(b, versionsAsAggregatedBeta)
}

func groupAsVersions(in *metav1.APIGroup, out *metav1.APIVersions, _ *conversion.Scope) error {
	out.Versions = []string{}
	for _, v := range in.Versions {
		out.Versions = append(out.Versions, v.GroupVersion)
	}
	out.APIVersions = append([]string{}, out.Versions...)
	out.ServerAddressByClientCIDRs = append([]metav1.ServerAddressByClientCIDR{}, in.ServerAddressByClientCIDRs...)
	return nil
}

func groupListAsVersions(in *metav1.APIGroupList, out *metav1.APIVersions, _ *conversion.Scope) error {
	out.Versions, out.ServerAddressByClientCIDRs = []string{}, []metav1.ServerAddressByClientCIDR{}
	for _, g := range in.Groups {
		for _, v := range g.Versions {
			out.Versions = append(out.Versions, v.GroupVersion)
		}
		if len(out.ServerAddressByClientCIDRs) == 0 {
			out.ServerAddressByClientCIDRs = append(out.ServerAddressByClientCIDRs, g.ServerAddressByClientCIDRs...)
		}
	}
	out.APIVersions = append([]string{}, out.Versions...)
	return nil
}

func versionsAsGroupList(in *metav1.APIVersions, out *metav1.APIGroupList, _ *conversion.Scope) error {
	out.Groups = []metav1.APIGroup{}
	index := map[string]int{}
	for _, text := range in.Versions {
		gv, err := schema.ParseGroupVersion(text)
		if err != nil {
			return schema.AtField(err, "versions")
		}
		at, ok := index[gv.Group]
		if !ok {
			at = len(out.Groups)
			index[gv.Group] = at
			out.Groups = append(
				out.Groups, metav1.APIGroup{
					Name: gv.Group,
					ServerAddressByClientCIDRs: append([]metav1.ServerAddressByClientCIDR(nil),
						in.ServerAddressByClientCIDRs...),
				},
			)
		}
		g := &out.Groups[at]
		g.Versions = append(g.Versions, metav1.GroupVersionForDiscovery{GroupVersion: text, Version: gv.Version})
		g.PreferredVersion = g.Versions[0]
	}
	return nil
}

func groupListAsAggregated(in *metav1.APIGroupList, out *v2.APIGroupDiscoveryList, _ *conversion.Scope) error {
	out.Items = make([]v2.APIGroupDiscovery, len(in.Groups))
	for i, g := range in.Groups {
		out.Items[i].Name = g.Name
		for _, v := range g.Versions {
			out.Items[i].Versions = append(out.Items[i].Versions, v2.APIVersionDiscovery{
				Version:   v.Version,
				Freshness: v2.DiscoveryFreshnessStale,
			})
		}
	}
	return nil
}

func versionsAsAggregated(in *metav1.APIVersions, out *v2.APIGroupDiscoveryList, s *conversion.Scope) error {
	var between metav1.APIGroupList
	if err := versionsAsGroupList(in, &between, s); err != nil {
		return err
	}
	return groupListAsAggregated(&between, out, s)
}

func groupListAsAggregatedBeta(in *metav1.APIGroupList, out *v2beta1.APIGroupDiscoveryList, s *conversion.Scope) error {
	var between v2.APIGroupDiscoveryList
	if err := groupListAsAggregated(in, &between, s); err != nil {
		return err
	}
	return toBeta(&between, out)
}

func versionsAsAggregatedBeta(in *metav1.APIVersions, out *v2beta1.APIGroupDiscoveryList, s *conversion.Scope) error {
	var between v2.APIGroupDiscoveryList
	if err := versionsAsAggregated(in, &between, s); err != nil {
		return err
	}
	return toBeta(&between, out)
}

// toBeta converts a document to version v2beta1. The result shares the memory of in.
func toBeta(in *v2.APIGroupDiscoveryList, out *v2beta1.APIGroupDiscoveryList) error {
	sharing := conversion.NewScope(conversion.ScopeOptions{Sharing: true})
	out.Items = make([]v2beta1.APIGroupDiscovery, len(in.Items))
	for i := range in.Items {
		if err := v2beta1.ConvertAPIGroupDiscoveryFromV2(&in.Items[i], &out.Items[i], sharing); err != nil {
			return err
		}
	}
	return nil
}
