package patch

import "github.com/askind/askind/patch/internal/tree"

// merge applies a merge patch to a document. The patch is completely open and is not changed.
func merge(doc, patch *tree.Node) {
	if patch.Kind != tree.Object {
		*doc = patch.Sealed()
		return
	}
	if doc.Kind != tree.Object {
		*doc = withoutNulls(patch)
		return
	}
	doc.Open()
	for i := range patch.Kids {
		change := &patch.Kids[i]
		if change.Kind == tree.Null {
			doc.Drop(change.Name)
			continue
		}
		doc.Touch()
		if at := doc.Find(change.Name); at >= 0 {
			merge(&doc.Kids[at], change)
		} else {
			doc.Put(change.Name, withoutNulls(change))
		}
	}
}

// withoutNulls returns the result of a merge patch without a document: a copy without the members
// that are null.
func withoutNulls(patch *tree.Node) tree.Node {
	if patch.Kind != tree.Object {
		return patch.Sealed()
	}
	n := tree.New(tree.Object)
	n.Name = patch.Name
	for i := range patch.Kids {
		if k := &patch.Kids[i]; k.Kind != tree.Null {
			n.Kids = append(n.Kids, withoutNulls(k))
		}
	}
	return n
}
