// Package discovery describes what a server offers: which groups, in which versions, with which
// resources. It holds no HTTP; the package server puts it behind URLs, the package client reads it.
//
// # Documents
//
// A [Resource] is one resource in one version. [New] makes [Documents] of a list of them, and all
// documents that clients know derive from that one value:
//
//   - /prefix answers with the groups and versions, as an APIVersions or an APIGroupList, or with
//     everything at once, as an APIGroupDiscoveryList;
//   - /prefix/group answers with one group, as an APIGroup;
//   - /prefix/group/version, or /prefix/version for the group with the blank name, answers with the
//     resources, as an APIResourceList.
//
// [Documents.Find] looks one of them up by its path. Documents never change: [Documents.With] and
// [Documents.Without] derive others, which share everything about the groups that did not change,
// their encodings included. Each document has a version, for entity tags, which depends on its
// content alone, so that all servers with the same resources state the same one.
//
// # Groups
//
// [Documents.Groups] has the same content as objects of the group discovery.k8s.io, one for each
// group, which clients can watch. A [Controller] keeps the stored Groups of one or several servers
// equal to what they serve.
//
// # The other direction
//
// [FromGroup], [FromAggregated] and [FromResourceList] read documents and Groups back into
// resources.
//
// # Related packages
//
// The kinds are in discovery/v1alpha1, discovery/apidiscovery/v2 and
// discovery/apidiscovery/v2beta1; [AddTo] registers all of them. The older documents are kinds of
// meta/v1.
package discovery
