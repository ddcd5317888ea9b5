import type { Value } from '@engine/expression'
import { unusedName } from '../../names.ts'

/** The origin of an edge: a node, for a switch with the statement. */
export interface Exit {
  readonly node: string
  readonly statement?: string
}

export type NodeType = 'inputNode' | 'outputNode' | 'expressionNode' | 'decisionTableNode' | 'switchNode'

type Content = { readonly [key: string]: Value }

interface WrittenNode {
  readonly id: string
  readonly type: NodeType
  readonly name: string
  /** Called when the whole draft is written. */
  readonly content: () => Content | undefined
}

/** Distances between nodes on the canvas. */
const COLUMN = 320
const ROW = 160

/** Collects the nodes and edges of a document. */
export class DocumentWriter {
  readonly #nodes: WrittenNode[] = []
  readonly #edges: { readonly from: Exit; readonly to: () => string | undefined }[] = []
  readonly #ids = new Set<string>()

  /** Adds a node; returns its id, which is the wanted one unless taken. */
  node(wanted: string, type: NodeType, name: string, content: () => Content | undefined): string {
    const id = unusedName(wanted, this.#ids)
    this.#nodes.push({ id, type, name, content })
    return id
  }

  /** Adds an edge whose target is resolved when the whole draft is written. */
  edge(from: Exit, to: () => string | undefined): void {
    this.#edges.push({ from, to })
  }

  /** The document. Linear in its size. */
  document(): Value {
    const edges = this.#edges.flatMap(({ from, to }, index): Edge[] => {
      const target = to()
      return target === undefined ? [] : [edgeOf(`edge${index + 1}`, from, target)]
    })
    const places = placesOf(
      this.#nodes.map(({ id }) => id),
      edges,
    )
    const nodes = this.#nodes.map(({ id, type, name, content }): Value => {
      const own = content()
      return { id, type, name, position: places.get(id) ?? { x: 0, y: 0 }, ...(own !== undefined && { content: own }) }
    })
    return { contentType: 'application/vnd.gorules.decision', nodes, edges }
  }
}

interface Edge {
  readonly [key: string]: Value
  readonly id: string
  readonly sourceId: string
  readonly targetId: string
}

function edgeOf(id: string, { node, statement }: Exit, targetId: string): Edge {
  return { id, type: 'edge', sourceId: node, targetId, ...(statement !== undefined && { sourceHandle: statement }) }
}

/**
 * Places each node in a column to the right of its predecessors; nodes are in topological order, with the output node
 * last. Linear in nodes and edges.
 */
function placesOf(nodes: readonly string[], edges: readonly Edge[]): ReadonlyMap<string, { x: number; y: number }> {
  const into = new Map(nodes.map((id): [string, string[]] => [id, []]))
  for (const { sourceId, targetId } of edges) into.get(targetId)?.push(sourceId)
  const columns = new Map<string, number>()
  const taken = new Map<number, number>()
  return new Map(
    nodes.map((id) => {
      const column = (into.get(id) ?? []).reduce((most, source) => Math.max(most, 1 + (columns.get(source) ?? 0)), 0)
      const row = taken.get(column) ?? 0
      columns.set(id, column)
      taken.set(column, row + 1)
      return [id, { x: column * COLUMN, y: row * ROW }]
    }),
  )
}
