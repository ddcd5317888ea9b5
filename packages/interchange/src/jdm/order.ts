import { defined } from '@engine/expression'
import type { JdmEdge, JdmGraph, JdmNode } from './document.ts'

/** A graph in topological order. */
export interface OrderedGraph {
  readonly nodes: readonly JdmNode[]
  readonly edges: readonly JdmEdge[]
  readonly into: ReadonlyMap<string, readonly JdmEdge[]>
  readonly outOf: ReadonlyMap<string, readonly JdmEdge[]>
}

/** The nodes in execution order, or a node on a cycle. Linear in nodes and edges. */
export function ordered({ nodes, edges }: JdmGraph): OrderedGraph | { readonly onCycle: JdmNode } {
  const into = grouped(nodes, edges, 'target')
  const outOf = grouped(nodes, edges, 'source')
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const waiting = new Map(nodes.map(({ id }) => [id, defined(into.get(id)).length]))
  const found = nodes.filter(({ id }) => waiting.get(id) === 0)
  for (const { id } of found)
    for (const { target } of outOf.get(id) ?? []) {
      const left = defined(waiting.get(target)) - 1
      waiting.set(target, left)
      const node = byId.get(target)
      if (left === 0 && node !== undefined) found.push(node)
    }
  const onCycle = nodes.find(({ id }) => waiting.get(id) !== 0)
  return onCycle === undefined ? { nodes: found, edges, into, outOf } : { onCycle }
}

function grouped(nodes: readonly JdmNode[], edges: readonly JdmEdge[], end: 'source' | 'target') {
  const groups = new Map<string, JdmEdge[]>(nodes.map(({ id }) => [id, []]))
  for (const edge of edges) groups.get(edge[end])?.push(edge)
  return groups
}

/** The nodes from which one of the given nodes is reachable, including these. Linear in nodes and edges. */
export function leadingTo(graph: OrderedGraph, targets: Iterable<string>): ReadonlySet<string> {
  const found = new Set(targets)
  for (const id of found) for (const { source } of graph.into.get(id) ?? []) found.add(source)
  return found
}
