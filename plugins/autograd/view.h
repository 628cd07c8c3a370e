// Views: their gradients follow from geometry alone, so view operators need no formula.
//
// A view that autograd follows has the flag TN_TENSOR_TRACKED. Writing to memory through the base,
// or through any view of it, gives the base a new history; the histories of all other views are
// then out of date, which their version tells, and are made anew from the alias record at their
// next use.
#pragma once

#include "geometry.h"
#include "meta.h"

namespace tn::graph {

// A node for a view of `base`: `edge`, which is retained, is where base's gradient goes. `like`
// says base's dtype and device (its sizes are not read). `name` outlives the node.
NodeRef make_view_node(const char* name, const Geometry& base, const Shape& like,
                       const Geometry& view, uint16_t view_dtype, Edge edge);
NodeRef make_view_node(const char* name, const tn_tensor* base, const tn_tensor* view, Edge edge);

// For the plugin's entry.
void prepare_views_for_forks(tn_plugin* plugin);

// Brings the history of a tracked view up to date. Throws Error without memory.
void refresh_view(tn_tensor* view);
// Says that the view's history, or its having none, belongs to the version it has now.
void mark_current(tn_tensor* view);

// `node`, the recorded call of an in-place operator, computes the gradient of the old value of
// `view` as that of its edge 0. Gives the root of `view` the history of that write.
void rebase(tn_tensor* view, NodeRef node);

}  // namespace tn::graph
