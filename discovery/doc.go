// Package discovery describes what a server offers: which groups, in which versions, with which
// resources. It does not use HTTP: package server serves the documents, and package client reads
// them.
//
// # Documents
//
// A [Resource] is one resource in one version. [New] builds [Documents] from a list of them, and
// all documents that clients know derive from that value:
//
//   - /prefix answers with the groups and versions, as an APIVersions or an APIGroupList, or with
//     everything at once, as an APIGroupDiscoveryList;
//   - /prefix/group answers with one group, as an APIGroup;
//   - /prefix/group/version, or /prefix/version for the group with the blank name, answers with the
//     resources, as an APIResourceList.
//
// [Documents.Find] finds a document by its path. Documents are immutable: [Documents.With] and
// [Documents.Without] derive others, which share the unchanged groups and their encodings. Each
// document has a version for entity tags, which depends only on its content, so servers with the
// same resources report the same version.
//
// # Groups
//
// [Documents.Groups] has the same content as objects of the group discovery.k8s.io, one for each
// group, which clients can watch. A [Controller] keeps the stored Groups of one or several servers
// equal to what they serve.
//
// # Reading documents
//
// [FromGroup], [FromAggregated] and [FromResourceList] read resources from documents and Groups.
//
// # Related packages
//
// The kinds are in discovery/v1alpha1, discovery/apidiscovery/v2 and
// discovery/apidiscovery/v2beta1; [AddTo] registers all of them. The legacy documents are kinds of
// meta/v1.
package discovery
